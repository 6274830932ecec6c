/* The row of sorting: 64 random bits an int, reals in [0, 1), ascending.
 *
 * The reference is the C library's qsort, of all elements on every rank. */
#include "bench/skeletons/skeletons.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/list.h"

BMF_MAP_KERNEL(random_reals, int64_t, i, double, bmf_random(1, i))
BMF_MAP_KERNEL(random_ints, int64_t, i, int64_t, (int64_t)bmf_random_bits(1, i))

int bench_prepare_sort(bench_case *c)
{
    c->min_bytes = 16.0 * (double)c->elements;
    BMF_TRY(bmf_tabulate(c->ctx, c->elements, c->type == BENCH_INT ? &random_ints : &random_reals, &c->x));
    return bench_expect(c, bench_local_count(c->x), (int64_t)sizeof(double));
}

int bench_run_sort(bench_case *c)
{
    return bmf_sort(c->x, bench_out(c));
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_ints(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int sort_all(const bench_case *c)
{
    const int64_t all = c->elements;
    double *real = malloc((size_t)(all + 1) * sizeof *real);
    int64_t *whole = (int64_t *)(void *)real;
    if (!real)
        return 1;
    for (int64_t i = 0; i < all; i++)
        if (c->type == BENCH_INT)
            whole[i] = (int64_t)bmf_random_bits(1, i);
        else
            real[i] = bmf_random(1, i);
    qsort(real, (size_t)all, sizeof *real, c->type == BENCH_INT ? compare_ints : compare_reals);
    memcpy(bench_expected(c), real + bench_local_begin(c->x), (size_t)c->expected_count * sizeof *real);
    free(real);
    return 0;
}

int bench_hand_sort(bench_case *c)
{
    if (c->loops->sort)
        c->loops->sort(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    else if (sort_all(c) != 0)
        return bmf_fail(c->ctx, BMF_ERROR_MEMORY, "no memory for the reference's list");
    return BMF_OK;
}
