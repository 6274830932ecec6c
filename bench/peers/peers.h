/* Peers: what a user would pick instead of bmf, in the same process and on the same arrays.
 *
 * There is one, if it was found when bmf was configured: the parallel algorithms of C++17 on TBB (bench/peers/tbb.cpp).
 * It fills the same table as the loops by hand, as far as it has the algorithm, and works on one rank.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its loops for a type of element, or NULL: bmf was built without. */
const bench_loops *bench_peer(bench_type type);

/* Sets how many threads it uses. */
void bench_peer_start(int threads);

#ifdef __cplusplus
}
#endif

#endif
