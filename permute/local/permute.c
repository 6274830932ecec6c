/* A BMMC permutation of memory out of place, in one pass.
 *
 * Method: tile by tile (permute/local/tiling.h) the source runs are fetched into a buffer in the cache, permuted there
 * (permute/local/network.h) into another one, and streamed to the target runs. So memory sees only whole runs, in an
 * order that finishes pages early; the next tile is prefetched while one is streamed out. Threads take equal parts of
 * the outermost subspaces. Cost: every byte is read once and written once. Scratch: two tiles a thread. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/permute.h"
#include "permute/local/part.h"
#include "permute/local/walk.h"

enum { TURN_BYTES = 1 << 17 };

int local_workers(int64_t bytes, uint64_t parts, int threads)
{
    const int64_t worth = bytes / LOCAL_WORTH;
    const int64_t max = worth < (int64_t)parts ? worth : (int64_t)parts;
    return max < 1 ? 1 : max < threads ? (int)max : threads;
}

static void walk_runs(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end)
{
    const bmf_tiling *t = &plan->tiling;
    uint64_t x = tiling_begin(t->source_step, begin) ^ plan->source_origin;
    uint64_t y = tiling_begin(t->target_step, begin) ^ plan->target_origin;
    for (uint64_t q = begin; q < end; q++) {
        const int step = tiling_step(q);
        const uint64_t next = q + 1 < end ? x ^ t->source_step[step] : x;
        plan->engine->stream(target + y * (uint64_t)plan->element_bytes, local_at(plan, source, x), plan->run_bytes,
                             local_at(plan, source, next));
        x = next;
        y ^= t->target_step[step];
    }
}

void local_walk_tiles(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end,
                      char *scratch)
{
    const bmf_tiling *t = &plan->tiling;
    char *const permuted = scratch + local_tile_pitch(plan);
    uint64_t x = tiling_begin(t->source_step, begin) ^ plan->source_origin;
    uint64_t y = tiling_begin(t->target_step, begin) ^ plan->target_origin;
    for (uint64_t q = begin; q < end; q++) {
        const int step = tiling_step(q);
        const uint64_t next = q + 1 < end ? x ^ t->source_step[step] : x;
        local_fetch(plan, scratch, source, x);
        plan->inside(plan, &(bmf_tile){scratch, permuted, y & low_bits(t->run_bits)});
        local_stream(plan, target, y, permuted, source, next);
        x = next;
        y ^= t->target_step[step];
    }
}

/* Tiles begin .. end - 1 in turns, between which the first thread calls `between`. */
static void walk(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end,
                 char *scratch, const bmf_local_part *part)
{
    const uint64_t turn = part && part->between ? TURN_BYTES / plan->tile_bytes + 1 : end - begin;
    for (uint64_t next; begin < end; begin = next) {
        next = end - begin > turn ? begin + turn : end;
        if (plan->direct)
            walk_runs(plan, target, source, begin, next);
        else
            local_walk_tiles(plan, target, source, begin, next, scratch);
        if (part && part->between && omp_get_thread_num() == 0)
            part->between(part->state);
    }
}

/* The tiles first .. first + count - 1. */
static int permute_tiles(const bmf_local_plan *plan, void *target, const void *source, uint64_t first, uint64_t count,
                         int threads, const bmf_local_part *part)
{
    const int workers = local_workers((int64_t)(count * plan->tile_bytes), count, threads);
    bool failed = false;
#pragma omp parallel num_threads(workers) reduction(|| : failed)
    {
        const uint64_t me = (uint64_t)omp_get_thread_num(), all = (uint64_t)omp_get_num_threads();
        char *scratch = plan->direct ? NULL : local_scratch(plan, 2);
        failed = !plan->direct && !scratch;
        if (!failed)
            walk(plan, target, source, first + local_share(count, me, all), first + local_share(count, me + 1, all),
                 scratch, part);
        plan->engine->finish();
        free(scratch);
    }
    return failed ? BMF_ERROR_MEMORY : BMF_OK;
}

int local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                       const bmf_permutation *p, int threads)
{
    bmf_local_plan *plan = local_plan_create(p, element_bytes, LOCAL_CHOOSE, engine);
    const int status = permute_tiles(plan, target, source, 0, plan->tiles, threads, NULL);
    local_plan_free(plan);
    return status;
}

int local_permute_part(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p,
                       const bmf_local_part *part, int threads)
{
    bmf_local_plan *plan = local_plan_create(p, element_bytes, part->run_bits, NULL);
    local_restrict(plan, part);
    const uint64_t first = local_share(plan->tiles, part->share, part->shares);
    const uint64_t count = local_share(plan->tiles, part->share + 1, part->shares) - first;
    const int status = permute_tiles(plan, target, source, first, count, threads, part);
    local_plan_free(plan);
    return status;
}

int bmf_local_permute(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p, int threads)
{
    return local_permute_with(NULL, target, source, element_bytes, p, threads);
}

void bmf_local_permute_naive(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p)
{
    for (uint64_t x = 0; x < UINT64_C(1) << p->bits; x++)
        memcpy((char *)target + bmf_permutation_apply(p, x) * (uint64_t)element_bytes,
               (const char *)source + x * (uint64_t)element_bytes, (size_t)element_bytes);
}
