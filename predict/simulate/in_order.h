/* A run in the order of its recording: the same clocks as the simulator's, without its queue.
 *
 * Actions are recorded in an order that their processors' lists and messages allow. Where a message takes what it
 * would take alone, but for waiting at the ports at its two ends (bmf_network_type.simple), one pass in that order
 * gives all clocks if it is known in which order messages go through each port: then a message leaves and arrives when
 * it is ready and the one before it at the port is through; messages that wait for their receivers come to a port when
 * both have met, which the same pass says. Ports begin with the order of recording; those whose messages have come in
 * another one are put into that, and the pass is repeated until none is. (Where the one before is recorded later, the
 * pass takes its time from the pass before, and is repeated if that changes.) A message that comes to a port before
 * others that were recorded earlier passes it before them at once, where that changes nothing for them, as it mostly
 * does: then that takes no other pass. Passes behind the first one look at nothing but what has changed since the one
 * before, and what follows from it. Then all times agree with each other, and as every message takes time no others
 * do: they are the simulator's. (Messages that come to a port at the same time pass it in the order in which they were
 * sent.) Where nothing has settled after a few passes, the run is left to the simulator. What is computed before the
 * first message is the same in all passes of a sample.
 * Cost: some nanoseconds an action and pass; memory 56 bytes a message, and on each thread 8 bytes a computation behind
 * the first message, 89 a message. Source: the passes are those of waveform relaxation, E. Lelarasmee, A. Ruehli,
 * A. Sangiovanni-Vincentelli, IEEE Trans. CAD 1 (1982).
 */
#ifndef BMF_IN_ORDER_H
#define BMF_IN_ORDER_H

#include "predict/simulate/simulate.h"

typedef struct bmf_in_order bmf_in_order;

/* A sample to be taken, and what it gives: the last processor's clock and that of the program's start. settled false:
 * nothing has settled, or times are out of range; nothing is known. */
typedef struct bmf_in_order_sample {
    int64_t sample;
    double compute_factor;
    bool settled;
    double seconds, loading;
} bmf_in_order_sample;

/* NULL if the network is not so simple, or actions stand in another order. Both are borrowed; no actions may be added
 * while it lives. */
bmf_in_order *in_order_create(const bmf_actions *actions, bmf_network *network);
/* Samples of one run, on the threads of this host; the same on any number of them. The network is started. */
void in_order_run(bmf_in_order *in_order, bmf_in_order_sample *sample, int64_t count);
void in_order_free(bmf_in_order *in_order);

#endif
