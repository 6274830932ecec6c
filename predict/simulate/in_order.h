/* A run in the order of its recording: the same clocks as the simulator's, without its queue.
 *
 * Actions are recorded in an order that their processors' lists and messages allow. Where a message takes what it
 * would take alone, but for waiting at the ports at its two ends (bmf_network_type.simple), one pass in that order
 * gives all clocks if it is known when messages leave and arrive; and from the times at which they are handed over it
 * follows, port by port, when they leave and arrive; messages that wait for their receivers come to a port when both
 * have met, which the same pass says. The two are repeated until nothing changes any more. Then all
 * times agree with each other, and as every message takes time no others do: they are the simulator's. (Messages that
 * come to a port at the same time pass it in the order in which they were sent.) Where nothing has settled after a
 * few passes, the run is left to the simulator. Cost: some nanoseconds an action and pass; memory 8 bytes an action,
 * 150 a message. Source: the passes are those of waveform relaxation, E. Lelarasmee, A. Ruehli, A. Sangiovanni-
 * Vincentelli, IEEE Trans. CAD 1 (1982).
 */
#ifndef BMF_IN_ORDER_H
#define BMF_IN_ORDER_H

#include "predict/simulate/simulate.h"

typedef struct bmf_in_order bmf_in_order;

/* NULL if the network is not so simple, or actions stand in another order. Both are borrowed; no actions may be added
 * while it lives. */
bmf_in_order *in_order_create(const bmf_actions *actions, bmf_network *network);
/* The last processor's clock and that of the program's start in this sample. False: nothing has settled, or times are
 * out of range; nothing is known. The network is started. */
bool in_order_run(bmf_in_order *in_order, int64_t sample, double compute_factor, double *seconds, double *loading);
void in_order_free(bmf_in_order *in_order);

#endif
