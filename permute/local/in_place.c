/* A BMMC permutation of memory in place.
 *
 * Method: with runs of 2^k elements, E the span of the k low unit vectors and T = E + A^-1 E, write A = B S, where S
 * maps T to itself and A^-1 E to E, and leaves a complement of T alone. Then
 *   1. S permutes every coset of T by itself: a tile is fetched, permuted in the cache and put back where it was, all
 *      tiles independently
 *   2. B maps E to itself, so runs move as wholes, changing only inside: their cycles are followed
 *      (permute/local/cycles.c)
 * Where A T = T, as in bit reversal and square transpositions, whole tiles move in cycles, and that is all.
 *
 * Cost: 2 N or 4 N elements of memory traffic. Scratch: four tiles of at most 256 KiB a thread, what cycles.c
 * needs, and for less than SMALL bytes of data a copy of them. Source: own derivation; factors of A as in document
 * 003, 2.4. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/permute.h"
#include "permute/local/cycles.h"
#include "permute/local/walk.h"
#include "runtime/base/allocate.h"

enum { SMALL = 1 << 18 };

/* Tiles fall on tiles: the bases are those of the same span, since they are reduced and in order. */
static bool tiles_stay_together(const bmf_tiling *t)
{
    return memcmp(t->source_run, t->target_run, (size_t)t->rank * sizeof t->source_run[0]) == 0;
}

/* Adds the candidates that are independent of what is there, each with its image, as columns of from and to. */
static void extend(bmf_span *span, const uint64_t *candidate, const uint64_t *image, int count, bmf_bit_matrix *from,
                   bmf_bit_matrix *to)
{
    int next = 0;
    for (int i = 0; i < count; i++) {
        if (span_reduce(span, candidate[i], NULL) == 0)
            continue;
        from->column[span->dimension] = candidate[i];
        to->column[span->dimension] = image[image == candidate ? i : next++];
        span_add(span, candidate[i]);
    }
}

/* A = second first, as above. S takes A^-1 e_i to e_i, what E has beyond A^-1 E to what T has beyond E, and other unit
 * vectors to themselves. */
static void factor(const bmf_permutation *p, const bmf_tiling *t, bmf_permutation *second, bmf_permutation *first)
{
    const int n = p->bits;
    bmf_bit_matrix unit, inverse, from = {.bits = n}, to = {.bits = n};
    bmf_span span;
    bmf_bit_matrix_identity(n, &unit);
    bmf_bit_matrix_inverse(&p->matrix, &inverse);
    span_clear(&span);
    extend(&span, inverse.column, unit.column, t->run_bits, &from, &to);
    extend(&span, unit.column, t->source_run, t->run_bits, &from, &to);
    extend(&span, unit.column, unit.column, n, &from, &to);
    bmf_bit_matrix_inverse(&from, &from);
    *first = *second = (bmf_permutation){.bits = n};
    bmf_bit_matrix_product(&to, &from, &first->matrix);
    bmf_bit_matrix_inverse(&first->matrix, &inverse);
    bmf_bit_matrix_product(&p->matrix, &inverse, &second->matrix);
    second->complement = p->complement;
}

/* Every tile is its own image. scratch: that of the pipeline for each thread. */
static void permute_tiles(const bmf_local_plan *plan, char *data, char *const *scratch, int threads)
{
    const bmf_walk walk = {.plan = plan, .target = data, .source = data, .count = plan->tiles};
#pragma omp parallel num_threads(threads)
    local_walk(&walk, scratch[omp_get_thread_num()]);
}

static int permute_small(const bmf_engine *engine, void *data, int64_t element_bytes, const bmf_permutation *p)
{
    const size_t bytes = (size_t)element_bytes << p->bits;
    void *copy = allocate((int64_t)bytes);
    memcpy(copy, data, bytes);
    const int status = local_permute_with(engine, data, copy, element_bytes, p, 1);
    if (status != BMF_OK)
        memcpy(data, copy, bytes);
    free(copy);
    return status;
}

/* Everything that is allocated, before the data are touched. tiles: of step 1, or NULL. */
typedef struct work {
    bmf_local_plan *tiles, *cycles;
    bmf_cycles *state;
    char **scratch;
    int threads;
} work;

static void free_work(work *w)
{
    for (int i = 0; w->scratch && i < w->threads; i++)
        free(w->scratch[i]);
    free(w->scratch);
    cycles_free(w->state);
    local_plan_free(w->tiles);
    local_plan_free(w->cycles);
}

/* The plan with longer runs: of cycles of runs, short ones are slow. */
static bmf_local_plan *lengthen_runs(bmf_local_plan *plan)
{
    const bmf_permutation p = plan->permutation;
    const int64_t bytes = plan->element_bytes;
    const int run_bits = plan->tiling.run_bits + (plan->tiling.run_bits < p.bits);
    const bmf_engine *engine = plan->engine;
    local_plan_free(plan);
    return local_plan_create(&p, bytes, run_bits, engine);
}

static void make_plans(work *w, const bmf_engine *engine, int64_t element_bytes, const bmf_permutation *p)
{
    bmf_permutation first, second;
    w->cycles = local_plan_create(p, element_bytes, LOCAL_CHOOSE, engine);
    if (tiles_stay_together(&w->cycles->tiling))
        return;
    w->cycles = lengthen_runs(w->cycles);
    const int run_bits = w->cycles->tiling.run_bits;
    const int64_t part_bytes = w->cycles->element_bytes;
    factor(&w->cycles->permutation, &w->cycles->tiling, &second, &first);
    local_plan_free(w->cycles);
    w->tiles = local_plan_create(&first, part_bytes, run_bits, engine);
    w->cycles = local_plan_create(&second, part_bytes, run_bits, engine);
}

static size_t scratch_bytes(const bmf_local_plan *plan)
{
    return (size_t)pipeline_tiles(plan) * local_tile_pitch(plan);
}

static bool make_work(work *w, const bmf_engine *engine, int64_t element_bytes, const bmf_permutation *p)
{
    make_plans(w, engine, element_bytes, p);
    const bmf_local_plan *larger =
        w->tiles && scratch_bytes(w->tiles) > scratch_bytes(w->cycles) ? w->tiles : w->cycles;
    w->state = cycles_create(w->cycles, w->threads);
    w->scratch = allocate_clear(w->threads, (int64_t)sizeof *w->scratch);
    bool made = w->state;
    for (int i = 0; made && i < w->threads; i++) {
        w->scratch[i] = local_scratch(larger, pipeline_tiles(larger));
        made = w->scratch[i];
    }
    return made;
}

int local_permute_in_place_with(const bmf_engine *engine, void *data, int64_t element_bytes, const bmf_permutation *p,
                                int threads)
{
    const int64_t bytes = element_bytes << p->bits;
    if (bytes <= SMALL)
        return permute_small(engine, data, element_bytes, p);
    work w = {.threads = local_workers(bytes, UINT64_MAX >> 1, threads)};
    const bool made = make_work(&w, engine, element_bytes, p);
    if (made && w.tiles)
        permute_tiles(w.tiles, data, w.scratch, w.threads);
    if (made)
        cycles_follow(w.state, data, w.scratch);
    free_work(&w);
    return made ? BMF_OK : BMF_ERROR_MEMORY;
}

int bmf_local_permute_in_place(void *data, int64_t element_bytes, const bmf_permutation *p, int threads)
{
    return local_permute_in_place_with(NULL, data, element_bytes, p, threads);
}
