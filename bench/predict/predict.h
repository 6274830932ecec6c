/* Workloads of bmf-bench predict. */
#ifndef BENCH_PREDICT_H
#define BENCH_PREDICT_H

#include "predict/model/actions.h"

/* All return a log that the caller frees. */

/* Up a binomial tree to processor 0, `repeats` times: P - 1 messages each. */
bmf_actions *predict_binomial(int64_t processors, int repeats);
/* Round k: everybody to the 2^k-th next: P log2 P messages. */
bmf_actions *predict_dissemination(int64_t processors, int repeats);
/* Everybody to everybody in one round: P (P - 1) messages. */
bmf_actions *predict_all_to_all(int64_t processors, int repeats);
/* Everybody sends 8192 bytes to the next processor and waits for that from the one before;
 * then an all-reduction of 8 bytes by recursive doubling (processors a power of two), unless ring_only. */
bmf_actions *predict_ring(int64_t processors, int repeats, bool ring_only);

#endif
