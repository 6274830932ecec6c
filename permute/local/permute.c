/* A BMMC permutation of memory out of place, in one pass.
 *
 * Method: tile by tile (permute/local/tiling.h) through the cache (permute/local/pipeline.h), so memory sees only whole
 * runs, in an order that finishes pages early; runs that stay whole are moved directly. Threads take equal parts of the
 * outermost subspaces. Cost: every byte is read once and written once. Scratch: four tiles a thread. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/permute.h"
#include "permute/local/walk.h"

enum { TURN_BYTES = 1 << 17 };

int local_workers(int64_t bytes, uint64_t parts, int threads)
{
    const int64_t worth = bytes / LOCAL_WORTH;
    const int64_t max = worth < (int64_t)parts ? worth : (int64_t)parts;
    return max < 1 ? 1 : max < threads ? (int)max : threads;
}

/* The tiles from q to `end` - 1 in Gray order. */
typedef struct gray_walk {
    const bmf_walk *walk;
    uint64_t q, end;
    bmf_move next;
} gray_walk;

static void begin_walk(const bmf_walk *walk, uint64_t begin, uint64_t end, gray_walk *w)
{
    const bmf_local_plan *plan = walk->plan;
    *w = (gray_walk){.walk = walk, .q = begin, .end = end};
    w->next.x = tiling_begin(plan->tiling.source_step, begin) ^ plan->source_origin;
    w->next.y = tiling_begin(plan->tiling.target_step, begin) ^ plan->target_origin;
}

/* The first thread helps others on now and then. */
static void call_between(const bmf_walk *walk, uint64_t q)
{
    const bmf_local_part *part = walk->part;
    const uint64_t turn = TURN_BYTES / walk->plan->tile_bytes + 1;
    if (part && part->between && omp_get_thread_num() == 0 && (q + 1) % turn == 0)
        part->between(part->state);
}

static bool next_tile(void *state, bmf_move *move)
{
    gray_walk *w = state;
    if (w->q == w->end)
        return false;
    const bmf_tiling *t = &w->walk->plan->tiling;
    *move = w->next;
    call_between(w->walk, w->q);
    if (++w->q < w->end) {
        w->next.x ^= t->source_step[tiling_step(w->q - 1)];
        w->next.y ^= t->target_step[tiling_step(w->q - 1)];
    }
    return true;
}

static void move_runs(const bmf_walk *walk, gray_walk *w)
{
    const bmf_local_plan *plan = walk->plan;
    bmf_move move;
    while (next_tile(w, &move)) /* the walk knows the next run already; the last is its own successor */
        plan->engine->move(walk->target + move.y * (uint64_t)plan->element_bytes, local_at(plan, walk->source, move.x),
                           plan->run_bytes, local_at(plan, walk->source, w->next.x));
}

void local_walk(const bmf_walk *walk, char *scratch)
{
    const uint64_t me = (uint64_t)omp_get_thread_num(), all = (uint64_t)omp_get_num_threads();
    gray_walk w;
    begin_walk(walk, walk->first + local_share(walk->count, me, all),
               walk->first + local_share(walk->count, me + 1, all), &w);
    if (walk->plan->direct)
        move_runs(walk, &w);
    else
        pipeline_run(walk->plan, walk->target, walk->source, scratch, next_tile, &w);
    walk->plan->engine->finish();
}

static int walk_all(const bmf_walk *walk, int threads)
{
    const bmf_local_plan *plan = walk->plan;
    const int workers = local_workers((int64_t)(walk->count * plan->tile_bytes), walk->count, threads);
    bool failed = false;
#pragma omp parallel num_threads(workers) reduction(|| : failed)
    {
        char *scratch = plan->direct ? NULL : local_scratch(plan, pipeline_tiles(plan));
        failed = !plan->direct && !scratch;
        if (!failed)
            local_walk(walk, scratch);
        free(scratch);
    }
    return failed ? BMF_ERROR_MEMORY : BMF_OK;
}

int local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                       const bmf_permutation *p, int threads)
{
    bmf_local_plan *plan = local_plan_create(p, element_bytes, LOCAL_CHOOSE, engine);
    const int status = walk_all(&(bmf_walk){plan, target, source, 0, plan->tiles, NULL}, threads);
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
    const int status = walk_all(&(bmf_walk){plan, target, source, first, count, part}, threads);
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
