/* Instead of peers, where bmf was built without them. */
#include <stddef.h>

#include "bench/peers/peers.h"

const bench_loops *bench_peer(bench_type type)
{
    (void)type;
    return NULL;
}

void bench_peer_start(int threads)
{
    (void)threads;
}
