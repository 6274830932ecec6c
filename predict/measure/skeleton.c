/* Skeletons that compute: making lists, elementwise, reductions, scans, lists of lists.
 *
 * d is in elements per process, 8 bytes each; reductions and scans add reals, reproducibly. The time includes making
 * the result. In-place skeletons work on a list that nobody shares. */
#include "predict/measure/lists.h"

BMF_MAP_KERNEL(square, double, x, double, x *x)
BMF_MAP_KERNEL(twice, int64_t, i, int64_t, 2 * i)
BMF_MAP_KERNEL(is_even, int64_t, i, _Bool, i % 2 == 0)
BMF_STENCIL_KERNEL(mean_of_three, double, u, 1, 1, BMF_WINDOW_STAR, (u[-1] + u[0] + u[1]) / 3)
BMF_ZIP_KERNEL(product, double, x, double, y, double, x *y)

/* A skeleton in the measured form: `call` uses s, the lists, and site. */
#define RUN(name, call)                                                                                                \
    static int name(measure_site *site)                                                                                \
    {                                                                                                                  \
        measure_lists *s = site->state;                                                                                \
        (void)s;                                                                                                       \
        return call;                                                                                                   \
    }

static int open_nothing(measure_site *site)
{
    BMF_TRY(measure_open_ints(site));
    measure_lists *lists = site->state;
    bmf_list_free(lists->xs);
    lists->xs = NULL;
    return BMF_OK;
}

static int open_pair_list(measure_site *site)
{
    BMF_TRY(measure_open_two_reals(site));
    measure_lists *s = site->state;
    return bmf_pair(s->xs, s->ys, &s->zs);
}

RUN(run_iota, bmf_iota(site->ctx, measure_length(site), &s->out))
RUN(run_iota_real, bmf_iota_real(site->ctx, measure_length(site), &s->out))
RUN(run_tabulate, bmf_tabulate(site->ctx, measure_length(site), &twice, &s->out))

RUN(run_map, bmf_map(s->xs, &square, &s->out))
RUN(run_map_in_place, bmf_map_in_place(s->xs, &square))
RUN(run_zip, bmf_zip(s->xs, s->ys, &product, &s->out))
RUN(run_zip_in_place, bmf_zip_in_place(s->xs, s->ys, &product))
RUN(run_pair, bmf_pair(s->xs, s->ys, &s->out))
RUN(run_component, bmf_component(s->zs, 1, &s->out))
RUN(run_filter, bmf_filter(s->xs, &is_even, &s->out))

static int reduce_two(measure_lists *s)
{
    double sum[2];
    return bmf_reduce_many(2, (const bmf_list *[]){s->xs, s->ys},
                           (const bmf_operator *[]){&bmf_plus_real, &bmf_plus_real}, (void *[]){&sum[0], &sum[1]});
}

RUN(run_shift, bmf_shift(s->xs, 1, NULL, &s->out))
RUN(run_sorting, bmf_sort(s->xs, &s->out))
RUN(run_argsort, bmf_argsort(s->xs, &s->out))
RUN(run_sort_by, bmf_sort_by(s->xs, &square, &s->out))
RUN(run_unique, bmf_unique(s->xs, &s->out))
static int group_by_squares(measure_lists *s)
{
    bmf_list *keys;
    BMF_TRY(bmf_group_by(s->xs, &square, &keys, &s->out));
    bmf_list_free(keys);
    return BMF_OK;
}

RUN(run_group, group_by_squares(s))
RUN(run_reduce_by_key, bmf_reduce_by_key(s->xs, s->xs, measure_length(site), &bmf_plus_int, &s->out))
RUN(run_stencil, bmf_stencil(s->xs, NULL, &mean_of_three, NULL, &s->out))
static int reduce_begin_and_wait(measure_lists *s)
{
    bmf_reduction *sum;
    BMF_TRY(bmf_reduce_begin(s->xs, &bmf_plus_real, &sum));
    return bmf_reduction_wait(sum, &s->value);
}

RUN(run_reduce_begin, reduce_begin_and_wait(s))
RUN(run_reduce, bmf_reduce(s->xs, &bmf_plus_real, &s->value))
RUN(run_reduce_placed, bmf_reduce_placed(s->xs, &bmf_plus_real, &s->out))
RUN(run_reduce_many, reduce_two(s))
RUN(run_map_reduce, bmf_map_reduce(s->xs, &square, &bmf_plus_real, &s->value))
RUN(run_zip_map_reduce, bmf_zip_map_reduce(s->xs, s->ys, &product, &bmf_plus_real, &s->value))
RUN(run_scan, bmf_scan(s->xs, &bmf_plus_real, BMF_INCLUSIVE, &s->out))
RUN(run_scan_in_place, bmf_scan_in_place(s->xs, &bmf_plus_real, BMF_INCLUSIVE))
RUN(run_map_scan, bmf_map_scan(s->xs, &square, &bmf_plus_real, BMF_INCLUSIVE, &s->out))

RUN(run_flatten, bmf_flatten(s->xs, &s->out))
RUN(run_lengths, bmf_lengths(s->xs, &s->out))
RUN(run_nest, bmf_nest(s->ys, s->zs, &s->out))
RUN(run_map_each, bmf_map_each(s->xs, &square, &s->out))
RUN(run_reduce_each, bmf_reduce_each(s->xs, &bmf_plus_real, &s->out))
RUN(run_scan_each, bmf_scan_each(s->xs, &bmf_plus_real, BMF_INCLUSIVE, &s->out))

#define SKELETON(name, meaning, open, run) MEASURE_SKELETON(name, meaning, 1, measure_few_lists, open, run)
#define OF_ROWS(name, meaning, run)                                                                                    \
    MEASURE_SKELETON(name, meaning, MEASURE_ROW, measure_few_lists, measure_open_rows, run)

static const measure_operation operations[] = {
    SKELETON("bmf_iota", "0, 1, .. as int", open_nothing, run_iota),
    SKELETON("bmf_iota_real", "0, 1, .. as real", open_nothing, run_iota_real),
    SKELETON("bmf_tabulate", "a kernel over 0, 1, ..", open_nothing, run_tabulate),
    SKELETON("bmf_map", "x * x of reals", measure_open_reals, run_map),
    SKELETON("bmf_map_in_place", "x * x of reals in place", measure_open_reals, run_map_in_place),
    SKELETON("bmf_zip", "x * y of reals", measure_open_two_reals, run_zip),
    SKELETON("bmf_zip_in_place", "x * y of reals in place", measure_open_two_reals, run_zip_in_place),
    SKELETON("bmf_pair", "tuples of two lists of reals, which shares their memory", measure_open_two_reals, run_pair),
    SKELETON("bmf_component", "one list of a list of pairs, which shares its memory", open_pair_list, run_component),
    SKELETON("bmf_filter", "keeps every second of a list of ints", measure_open_ints, run_filter),
    SKELETON("bmf_stencil", "means of three neighbours, of reals", measure_open_reals, run_stencil),
    SKELETON("bmf_shift", "reals, each a place on", measure_open_reals, run_shift),
    SKELETON("bmf_sort", "reals that are in order", measure_open_reals, run_sorting),
    SKELETON("bmf_argsort", "the numbers of reals that are in order", measure_open_reals, run_argsort),
    SKELETON("bmf_sort_by", "reals by their squares", measure_open_reals, run_sort_by),
    SKELETON("bmf_unique", "reals that are in order, all different", measure_open_reals, run_unique),
    SKELETON("bmf_group_by", "reals by their squares, all different", measure_open_reals, run_group),
    SKELETON("bmf_reduce_by_key", "ints by themselves: as many keys as elements", measure_open_ints, run_reduce_by_key),
    SKELETON("bmf_reduce", "sum of reals", measure_open_reals, run_reduce),
    SKELETON("bmf_reduce_begin", "sum of reals, begun and waited for", measure_open_reals, run_reduce_begin),
    SKELETON("bmf_reduce_placed", "sum of reals as a list on the first processor", measure_open_reals,
             run_reduce_placed),
    SKELETON("bmf_reduce_many", "sums of two lists of reals in one exchange", measure_open_two_reals, run_reduce_many),
    SKELETON("bmf_map_reduce", "sum of squares of reals", measure_open_reals, run_map_reduce),
    SKELETON("bmf_zip_map_reduce", "inner product of reals", measure_open_two_reals, run_zip_map_reduce),
    SKELETON("bmf_scan", "running sums of reals, inclusive", measure_open_reals, run_scan),
    SKELETON("bmf_scan_in_place", "running sums of reals in place, inclusive", measure_open_reals, run_scan_in_place),
    SKELETON("bmf_map_scan", "running sums of squares of reals, inclusive", measure_open_reals, run_map_scan),
    OF_ROWS("bmf_flatten", "rows of 16 reals as one list", run_flatten),
    OF_ROWS("bmf_lengths", "lengths of rows of 16 reals", run_lengths),
    OF_ROWS("bmf_nest", "reals as rows of 16", run_nest),
    OF_ROWS("bmf_map_each", "x * x in rows of 16 reals", run_map_each),
    OF_ROWS("bmf_reduce_each", "sums of rows of 16 reals", run_reduce_each),
    OF_ROWS("bmf_scan_each", "running sums of rows of 16 reals", run_scan_each),
};

const measure_table measure_skeleton_table = {operations, sizeof operations / sizeof operations[0]};
