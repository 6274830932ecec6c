/* Fluids: messages as flows that share the bandwidth of the channels they pass, at the same time on all of them.
 *
 * Method: max-min fair rates: no flow can get more without taking from one that has no more. Found by filling: the
 * channel whose flows would get least is full first; they keep that rate, and what is left of their other channels is
 * shared by the others. When flows start or end, only those are looked at again that share a channel with them,
 * directly or by others, and have no smaller rates than they. Starts and ends within 1e-12 of their time are one event.
 * Cost of an event: O(n log n), n being the channels passed by the flows that are looked at, each as often as it is.
 * Source: D. Bertsekas, R. Gallager, "Data networks", 2nd ed., 1992, 6.5.2.
 */
#ifndef BMF_FLUID_H
#define BMF_FLUID_H

#include <stdint.h>

typedef struct bmf_fluid bmf_fluid;
/* The flow of `owner` has ended at `time`. */
typedef void bmf_fluid_ended(void *receiver, void *owner, double time);

/* bandwidth: of each channel, in bytes a second, above 0; borrowed. */
bmf_fluid *fluid_create(int64_t channels, const double *bandwidth, bmf_fluid_ended *ended, void *receiver);
void fluid_free(bmf_fluid *fluid);
/* No flows, time 0. */
void fluid_clear(bmf_fluid *fluid);
/* A flow of `bytes` >= 0 from `time` on, which is not before the last event's, through `count` different channels. */
void fluid_start(bmf_fluid *fluid, double time, double bytes, int64_t count, const int32_t *route, void *owner);
/* When something happens next, INFINITY: never; and that. */
double fluid_next(const bmf_fluid *fluid);
void fluid_advance(bmf_fluid *fluid);

#endif
