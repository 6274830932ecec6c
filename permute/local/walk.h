/* Moving the runs of one tile between memory and the cache, and sharing tiles among threads. Private to
 * permute/local/. */
#ifndef BMF_LOCAL_WALK_H
#define BMF_LOCAL_WALK_H

#include "permute/local/plan.h"

enum { LOCAL_WORTH = 1 << 18 };

/* The number of threads that are worth it for so many bytes in so many parts: 1 .. threads. */
int local_workers(int64_t bytes, uint64_t parts, int threads);

/* Where the share of thread `me` of `all` begins. */
static inline uint64_t local_share(uint64_t tiles, uint64_t me, uint64_t all)
{
    return tiles / all * me + (me < tiles % all ? me : tiles % all);
}

/* Tiles begin .. end - 1 from source to target, which may be the same if every tile is its own image. Scratch: two
 * tiles. While one is streamed out the next one is prefetched: finer or coarser turns of reading and writing, and
 * buffers beyond the nearest cache, were slower. The last stores must be finished by the engine. */
void local_walk_tiles(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end,
                      char *scratch);

/* A permutation with a chosen engine; NULL: the best. As bmf_local_permute. */
int local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                       const bmf_permutation *p, int threads);
int local_permute_in_place_with(const bmf_engine *engine, void *data, int64_t element_bytes, const bmf_permutation *p,
                                int threads);

static inline const char *local_at(const bmf_local_plan *plan, const void *base, uint64_t x)
{
    return (const char *)base + x * (uint64_t)plan->element_bytes;
}

/* The tile at x from memory into the cache at `to`. */
static inline void local_fetch(const bmf_local_plan *plan, char *to, const void *memory, uint64_t x)
{
    for (size_t r = 0; r < plan->runs; r++)
        plan->engine->fetch(to + r * plan->run_bytes, local_at(plan, memory, x ^ plan->source_run[r]), plan->run_bytes);
}

/* The tile at y from the cache to memory, while that at `ahead` is prefetched from `source`. */
static inline void local_stream(const bmf_local_plan *plan, void *memory, uint64_t y, const char *from,
                                const char *source, uint64_t ahead)
{
    const uint64_t high = y & ~low_bits(plan->tiling.run_bits);
    for (size_t r = 0; r < plan->runs; r++)
        plan->engine->stream((char *)memory + (high ^ plan->target_run[r]) * (uint64_t)plan->element_bytes,
                             from + r * plan->run_bytes, plan->run_bytes,
                             local_at(plan, source, ahead ^ plan->source_run[r]));
}

#endif
