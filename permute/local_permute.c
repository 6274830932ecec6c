/* A BMMC permutation of memory out of place, in one pass.
 *
 * Method: tile by tile (permute/local_tiling.h) the source runs are fetched into a buffer in the cache, permuted there
 * (permute/local_network.h) into another one, and streamed to the target runs. So memory sees only whole runs, in an
 * order that finishes pages early; the runs to come are prefetched. Threads take equal parts of the outermost
 * subspaces. Cost: every byte is read once and written once. Scratch: two tiles a thread. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "permute/local.h"
#include "permute/local_walk.h"

enum { PART_BITS = 3, PARTS = 1 << PART_BITS };

int bmf_local_workers(int64_t bytes, uint64_t parts, int threads)
{
    const int64_t worth = bytes / LOCAL_WORTH;
    const int64_t most = worth < (int64_t)parts ? worth : (int64_t)parts;
    return most < 1 ? 1 : most < threads ? (int)most : threads;
}

static void walk_runs(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end)
{
    const bmf_tiling *t = &plan->tiling;
    uint64_t x = bmf_tiling_begin(t->source_step, begin);
    uint64_t y = bmf_tiling_begin(t->target_step, begin) ^ plan->permutation.complement;
    for (uint64_t q = begin; q < end; q++) {
        bmf_local_move_run(plan, target, y, source, x);
        const int step = bmf_tiling_step(q);
        x ^= t->source_step[step];
        y ^= t->target_step[step];
    }
}

void bmf_local_walk_tiles(const bmf_local_plan *plan, char *target, const char *source, uint64_t begin, uint64_t end,
                          char *scratch)
{
    const bmf_tiling *t = &plan->tiling;
    const size_t pitch = bmf_local_tile_pitch(plan);
    uint64_t x = bmf_tiling_begin(t->source_step, begin), y[3] = {0};
    uint64_t next_y = bmf_tiling_begin(t->target_step, begin) ^ plan->permutation.complement;
    for (uint64_t q = begin; q < end + 2; q++) {
        const int step = q + 1 < end ? bmf_tiling_step(q) : 0;
        const uint64_t next = q + 1 < end ? x ^ t->source_step[step] : x;
        char *const in = scratch + (q & 1) * pitch, *const fetched = scratch + (~q & 1) * pitch;
        char *const out = scratch + (2 + (q & 1)) * pitch, *const permuted = scratch + (2 + (~q & 1)) * pitch;
        y[2] = y[1], y[1] = y[0], y[0] = next_y;
        for (uint64_t part = 0; part < PARTS; part++) {
            const size_t from = plan->tile_bytes * part / PARTS, to = plan->tile_bytes * (part + 1) / PARTS;
            if (q < end)
                bmf_local_fetch(plan, in, source, x, next, from, to);
            if (q > begin && q <= end)
                plan->inside(plan, &(bmf_part){fetched, out, y[1] & bmf_low_bits(t->run_bits), PART_BITS, part});
            if (q > begin + 1)
                bmf_local_stream(plan, target, y[2], permuted, from, to);
        }
        x = next;
        next_y ^= t->target_step[step];
    }
}

int bmf_local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                           const bmf_permutation *p, int threads)
{
    bmf_local_plan *plan = bmf_local_plan_create(p, element_bytes, LOCAL_CHOOSE, engine);
    if (!plan)
        return BMF_ERROR_MEMORY;
    const int workers = bmf_local_workers(element_bytes << p->bits, plan->tiles, threads);
    bool failed = false;
#pragma omp parallel num_threads(workers) reduction(|| : failed)
    {
        const uint64_t me = (uint64_t)omp_get_thread_num(), all = (uint64_t)omp_get_num_threads();
        char *scratch = plan->direct ? NULL : bmf_local_scratch(plan, 4);
        failed = !plan->direct && !scratch;
        const uint64_t begin = bmf_local_share(plan->tiles, me, all), end = bmf_local_share(plan->tiles, me + 1, all);
        if (plan->direct)
            walk_runs(plan, target, source, begin, end);
        else if (scratch)
            bmf_local_walk_tiles(plan, target, source, begin, end, scratch);
        plan->engine->finish();
        free(scratch);
    }
    bmf_local_plan_free(plan);
    return failed ? BMF_ERROR_MEMORY : BMF_OK;
}

int bmf_local_permute(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p, int threads)
{
    return bmf_local_permute_with(NULL, target, source, element_bytes, p, threads);
}

void bmf_local_permute_naive(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p)
{
    for (uint64_t x = 0; x < UINT64_C(1) << p->bits; x++)
        memcpy((char *)target + bmf_permutation_apply(p, x) * (uint64_t)element_bytes,
               (const char *)source + x * (uint64_t)element_bytes, (size_t)element_bytes);
}
