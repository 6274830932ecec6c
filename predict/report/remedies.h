/* What would make a run shorter, as far as its trace shows it. Nothing here is collective. */
#ifndef BMF_REPORT_REMEDIES_H
#define BMF_REPORT_REMEDIES_H

#include "runtime/trace/trace.h"

/* Lengths in seconds of the same run, replayed with its recorded computing and the time in which nothing was recorded:
 * if messages and agreements took no time; and if, besides, what several processors compute in a call were spread
 * evenly over them (NAN for recorded MPI programs). */
typedef struct bmf_remedies {
    double no_messages, even;
} bmf_remedies;

/* The run is sorted if it was not. BMF_ERROR_ARGUMENT for a run that cannot be replayed (recorded by fewer ranks than
 * it has processors, whose times contain each other; incomplete); BMF_ERROR_MEMORY. Cost: a replay, and a sort of its
 * computing. */
int run_remedies(bmf_trace_run *run, bmf_remedies *remedies);

#endif
