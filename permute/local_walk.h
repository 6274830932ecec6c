/* Moving the runs of one tile between memory and the cache, and sharing tiles among threads. Private to
 * permute/local*.c. */
#ifndef BMF_LOCAL_WALK_H
#define BMF_LOCAL_WALK_H

#include "permute/local_plan.h"

enum { LOCAL_WORTH = 1 << 18, LOCAL_AHEAD = 4096 };

/* The number of threads that are worth it for so many bytes in so many parts: 1 .. threads. */
int bmf_local_workers(int64_t bytes, uint64_t parts, int threads);

/* Where the share of thread `me` of `all` begins. */
static inline uint64_t bmf_local_share(uint64_t tiles, uint64_t me, uint64_t all)
{
    return tiles / all * me + (me < tiles % all ? me : tiles % all);
}

/* Tiles begin .. end - 1 from source to target, which may be the same if every tile is its own image. Scratch: four
 * tiles. Three tiles are in work at a time: one is fetched, the one before is permuted and the one before that is
 * streamed, a part of each in turn, so that reading and writing overlap with each other and with the registers' work.
 * The last stores must be finished by the engine. */
void bmf_local_walk_tiles(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end,
                          char *scratch);

/* A permutation with a chosen engine; NULL: the best. As bmf_local_permute. */
int bmf_local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                           const bmf_permutation *p, int threads);
int bmf_local_permute_in_place_with(const bmf_engine *engine, void *data, int64_t element_bytes,
                                    const bmf_permutation *p, int threads);

/* How far ahead to prefetch: some runs, or a part of one, and at most a tile. */
static inline size_t bmf_local_ahead(const bmf_local_plan *plan)
{
    const size_t most = plan->tile_bytes < (size_t)LOCAL_AHEAD ? plan->tile_bytes : (size_t)LOCAL_AHEAD;
    return plan->run_bytes < most ? most / plan->run_bytes * plan->run_bytes : most;
}

static inline const char *bmf_local_at(const bmf_local_plan *plan, const void *base, uint64_t x)
{
    return (const char *)base + x * (uint64_t)plan->element_bytes;
}

/* Bytes begin .. end - 1 of the tile at x from memory into the cache at `to`. Meanwhile what follows LOCAL_AHEAD bytes
 * later is prefetched, from the tile at `next` where this one ends. */
static inline void bmf_local_fetch(const bmf_local_plan *plan, char *to, const void *memory, uint64_t x, uint64_t next,
                                   size_t begin, size_t end)
{
    const size_t run = plan->run_bytes, runs = (size_t)1 << plan->tiling.rank;
    for (size_t at = begin; at < end;) {
        const size_t r = at / run, offset = at % run, left = run - offset < end - at ? run - offset : end - at;
        const size_t later = at + bmf_local_ahead(plan), q = later / run;
        const uint64_t ahead = q < runs ? x ^ plan->source_run[q] : next ^ plan->source_run[q - runs];
        plan->engine->fetch(to + at, bmf_local_at(plan, memory, x ^ plan->source_run[r]) + offset, left,
                            bmf_local_at(plan, memory, ahead) + later % run);
        at += left;
    }
}

/* Bytes begin .. end - 1 of the tile at y from the cache. */
static inline void bmf_local_stream(const bmf_local_plan *plan, void *memory, uint64_t y, const char *from,
                                    size_t begin, size_t end)
{
    const size_t run = plan->run_bytes;
    const uint64_t high = y & ~bmf_low_bits(plan->tiling.run_bits);
    for (size_t at = begin; at < end;) {
        const size_t r = at / run, offset = at % run, left = run - offset < end - at ? run - offset : end - at;
        plan->engine->stream((char *)memory + (high ^ plan->target_run[r]) * (uint64_t)plan->element_bytes + offset,
                             from + at, left);
        at += left;
    }
}

static inline void bmf_local_move_run(const bmf_local_plan *plan, void *target, uint64_t y, const void *source,
                                      uint64_t x)
{
    plan->engine->stream((char *)target + y * (uint64_t)plan->element_bytes, bmf_local_at(plan, source, x),
                         plan->run_bytes);
}

#endif
