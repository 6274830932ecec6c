/* Skeletons that move elements between processors.
 *
 * d is in elements per process of the evenly split list, 8 bytes each: n = p d. `bmf_project` asks for elements in an
 * order that is not an affine map of bits, `bmf_project_bits` in the order of reversed bits. */
#include <stdlib.h>

#include "predict/measure/lists.h"
#include "runtime/base/allocate.h"
#include "runtime/data/list.h"

#define RUN(name, call)                                                                                                \
    static int name(measure_site *site)                                                                                \
    {                                                                                                                  \
        measure_lists *s = site->state;                                                                                \
        return call;                                                                                                   \
    }

typedef struct scatter {
    int64_t length, step;
} scatter;

BMF_MAP_KERNEL_WITH(scattered, scatter, c, int64_t, i, int64_t, (i % c->length * c->step + 7) % c->length)

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* xs = 0, 1, ..; zs: every element once, step by step round the list. */
static int open_project(measure_site *site)
{
    BMF_TRY(measure_open_ints(site));
    measure_lists *s = site->state;
    scatter c = {measure_length(site), 0};
    c.step = (int64_t)(0.618034 * (double)c.length) + 1;
    while (common_divisor(c.length, c.step) != 1)
        c.step++;
    const bmf_kernel kernel = bmf_kernel_bind(&scattered, &c);
    return bmf_tabulate(site->ctx, c.length, &kernel, &s->zs);
}

static int64_t reverse(int bits, int64_t i)
{
    int64_t r = 0;
    for (int k = 0; k < bits; k++)
        r |= (i >> k & 1) << (bits - 1 - k);
    return r;
}

BMF_MAP_KERNEL_WITH(reversed, int, bits, int64_t, i, int64_t, reverse(*bits, i))

static int open_project_bits(measure_site *site)
{
    BMF_TRY(measure_open_ints(site));
    measure_lists *s = site->state;
    const int bits = __builtin_ctzll((uint64_t)measure_length(site));
    const bmf_kernel kernel = bmf_kernel_bind(&reversed, &bits);
    return bmf_tabulate(site->ctx, measure_length(site), &kernel, &s->zs);
}

/* data: n reals on every rank. */
static int open_array(measure_site *site)
{
    const int64_t n = measure_length(site);
    BMF_TRY(measure_open_reals(site));
    measure_lists *s = site->state;
    double *data = s->data = malloc((size_t)n * sizeof *data);
    if (!data)
        return bmf_fail(site->ctx, BMF_ERROR_MEMORY, "no memory for %lld reals", (long long)n);
    for (int64_t i = 0; i < n; i++)
        data[i] = (double)i;
    return BMF_OK;
}

static int before_array(measure_site *site)
{
    measure_lists *s = site->state;
    if (!site->cached)
        measure_flush(s->data, measure_length(site) * MEASURE_WORD);
    return measure_before_lists(site);
}

/* xs: all elements on the first processor. */
static int open_placed(measure_site *site)
{
    BMF_TRY(bmf_agree(site->ctx, open_array(site)));
    measure_lists *s = site->state;
    return bmf_place(site->ctx, 0, &bmf_type_real, measure_length(site), s->data, &s->zs);
}

static int open_split(measure_site *site)
{
    BMF_TRY(open_placed(site));
    measure_lists *s = site->state;
    return bmf_split(s->zs, site->ctx->ranks, 0, &s->ys);
}

/* The first processor has half as many elements as the others' average, the last one what is left. */
static int open_uneven(measure_site *site)
{
    const int ranks = site->ctx->ranks;
    const int64_t n = measure_length(site);
    bmf_partition *partition;
    BMF_TRY(measure_open_reals(site));
    measure_lists *s = site->state;
    int64_t *start = allocate((ranks + 1) * (int64_t)sizeof *start);
    for (int k = 0; k <= ranks; k++)
        start[k] = k == ranks ? n : k * site->elements - (k > 0 ? site->elements / 2 : 0);
    int status = bmf_partition_resized(site->ctx, s->xs->partition, start, &partition);
    free(start);
    BMF_TRY(status);
    status = bmf_list_create(site->ctx, &bmf_type_real, partition, &s->ys);
    bmf_partition_release(partition);
    BMF_TRY(status);
    for (int64_t i = 0; i < s->ys->column.count; i++)
        ((double *)s->ys->column.data)[i] = 1;
    return BMF_OK;
}

/* zs: one element on the first processor, which has d reals in its struct's bytes. */
static int open_distl(measure_site *site)
{
    const bmf_type *type = bmf_type_struct(site->elements * MEASURE_WORD, "block");
    BMF_TRY(bmf_agree(site->ctx, open_array(site)));
    measure_lists *s = site->state;
    return bmf_place(site->ctx, 0, type, 1, s->data, &s->zs);
}

RUN(run_place, bmf_place(site->ctx, 0, &bmf_type_real, measure_length(site), s->data, &s->out))
RUN(run_spread, bmf_spread(site->ctx, &bmf_type_real, measure_length(site), s->data, &s->out))
RUN(run_index, bmf_index(s->xs, measure_length(site) - 1, &s->value))
RUN(run_to_array, bmf_to_array(s->xs, s->data))
RUN(run_split, bmf_split(s->zs, site->ctx->ranks, 0, &s->out))
RUN(run_gather, bmf_gather(s->ys, &s->out))
RUN(run_rebalance, bmf_rebalance(s->ys, &s->out))
RUN(run_redistribute, bmf_redistribute(s->xs, s->ys, &s->out))
RUN(run_distl, bmf_distl(s->zs, s->xs, &s->out))
RUN(run_distl_value, bmf_distl_value(&bmf_type_real, &s->value, s->xs, &s->out))
RUN(run_project, bmf_project(s->xs, s->zs, &s->out))
RUN(run_concatenate, bmf_concatenate(s->xs, s->ys, &s->out))

#define MOVING(name, meaning, memory, open, before, run)                                                               \
    {                                                                                                                  \
        name, BMF_FAMILY_SKELETON, meaning, 0, 1, 1, 1 << 20, false, false, memory, open, before, run,                 \
            measure_after_lists, measure_close_lists                                                                   \
    }
#define OF_LISTS(name, meaning, open, run) MOVING(name, meaning, measure_few_lists, open, measure_before_lists, run)
#define OF_ARRAY(name, meaning, open, run) MOVING(name, meaning, measure_whole_list, open, before_array, run)

static const measure_operation operations[] = {
    OF_ARRAY("bmf_place", "p d reals on the first processor", open_array, run_place),
    OF_ARRAY("bmf_spread", "p d reals, every rank its part", open_array, run_spread),
    OF_LISTS("bmf_index", "one element to every rank", measure_open_reals, run_index),
    OF_ARRAY("bmf_to_array", "all p d reals to every rank", open_array, run_to_array),
    OF_ARRAY("bmf_split", "p d reals of the first processor split over all", open_placed, run_split),
    OF_ARRAY("bmf_gather", "p d reals back to the first processor", open_split, run_gather),
    OF_LISTS("bmf_rebalance", "an uneven list of reals evenly", open_uneven, run_rebalance),
    OF_LISTS("bmf_redistribute", "an even list of reals unevenly", open_uneven, run_redistribute),
    OF_ARRAY("bmf_distl", "a value of d words to every processor", open_distl, run_distl),
    OF_LISTS("bmf_distl_value", "a value that every rank has", measure_open_reals, run_distl_value),
    OF_LISTS("bmf_project", "ints in an order that is no map of bits", open_project, run_project),
    {"bmf_project_bits", BMF_FAMILY_SKELETON, "ints in the order of reversed bits", 0, 1, 1, 1 << 20, true, false,
     measure_few_lists, open_project_bits, measure_before_lists, run_project, measure_after_lists, measure_close_lists},
    OF_LISTS("bmf_concatenate", "two lists of reals", measure_open_two_reals, run_concatenate),
};

const measure_table measure_moving_table = {operations, sizeof operations / sizeof operations[0]};
