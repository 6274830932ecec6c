/* Clocks of hosts: for whoever needs one time on all ranks. */
#ifndef BMF_CLOCK_H
#define BMF_CLOCK_H

#include "bmf/context.h"

/* Nanoseconds on this host's monotonic clock. Not collective. */
int64_t monotonic_ns(void);

/* Rank 0's monotonic clock minus this rank's, in nanoseconds: 0 if all ranks are on one host, otherwise right within
 * half of the quickest of 16 round trips. Collective; 32 messages of 8 bytes for every rank but the first. */
int64_t clock_offset(bmf_context *ctx);

#endif
