/* A recorded run on other machines: the actions of a program that was run once for so many processors, with the
 * computing and the network of any machine whose kernels are those that were timed here. Nothing here is collective. */
#ifndef BMF_RETIME_H
#define BMF_RETIME_H

#include "predict/choose/choose.h"
#include "predict/model/actions.h"
#include "predict/simulate/simulate.h"

/* Whether the machine's run has the same actions as one of the host, but for their times. */
bool machine_shares_recording(const bmf_machine *machine);

/* The actions on the machine. Shares everything but the actions themselves with `recorded`, which must outlive it.
 * host: the recorded times are those of the host and are to be converted; otherwise they are the machine's. */
bmf_actions *retime_create(const bmf_actions *recorded, const bmf_machine *machine, bool host);
void retime_free(bmf_actions *retimed);

/* Simulates: the time with its interval, and where it goes, into the offer. samples: 0 as many as are cheap. The part
 * of memory needs recorded->bytes. Errors of the simulator. */
int retime_offer(const bmf_actions *retimed, const bmf_machine *machine, bmf_network *network, int64_t samples,
                 bmf_offer *offer);

#endif
