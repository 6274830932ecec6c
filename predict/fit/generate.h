/* A recording that nobody made: what a program whose rules are known would do at any size, on any number of processes.
 *
 * The rules (predict/equations/rules.h) are followed rank by rank; every call becomes an event as bmf record writes it,
 * every work a kernel. Replays (predict/replay/recorded.h) time such a run. Cost: linear in the events. */
#ifndef BMF_FIT_GENERATE_H
#define BMF_FIT_GENERATE_H

#include "predict/equations/rules.h"
#include "runtime/trace/trace.h"

/* Enough for all but the largest runs, and still in memory: events take 80 bytes. */
#define GENERATE_MAX_STEPS (INT64_C(1) << 26)

/* sample 0: work takes what its equation says; others: with errors of coefficients, which all uses share, and noise,
 * drawn at random. BMF_ERROR_ARGUMENT, with the place: a rank without a role, a value that cannot be, more than
 * max_steps rules to follow. run_free frees. */
int program_generate(const bmf_equations *equations, double d, int32_t processes, int64_t sample, int64_t max_steps,
                     bmf_trace_run **run);

#endif
