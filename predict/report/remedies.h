/* What would make a run shorter, as far as its trace shows it. Nothing here is collective. */
#ifndef BMF_REPORT_REMEDIES_H
#define BMF_REPORT_REMEDIES_H

#include "runtime/trace/trace.h"

/* Seconds of what is replayed of a run, as it was (replay_span), and with its recorded computing and the time in which
 * nothing was recorded: if messages and agreements took no time; and if, besides, what several processors compute in a
 * call were spread evenly over them (NAN for recorded MPI programs). Reading files before it is no part of them. */
typedef struct bmf_remedies {
    double recorded, no_messages, even;
    double files;
} bmf_remedies;

/* The run is sorted if it was not. BMF_ERROR_ARGUMENT for a run that cannot be replayed (recorded by fewer ranks than
 * it has processors, whose times contain each other; incomplete); BMF_ERROR_MEMORY. Cost: a replay, and a sort of its
 * computing. */
int run_remedies(bmf_trace_run *run, bmf_remedies *remedies);

#endif
