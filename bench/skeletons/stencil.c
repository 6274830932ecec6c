/* The row of stencils: sums of the four neighbours on a grid of rows, zeros outside, one step.
 *
 * Rows have at most 8192 elements, as many as divide n. The reference has its rows and one more on either side in an
 * array of its own, so that it needs no messages. */
#include "bench/skeletons/skeletons.h"

#include <string.h>

#include "runtime/data/list.h"

enum { MOST_COLUMNS = 8192 };

BMF_STENCIL_KERNEL(four_neighbours, double, u, 2, 1, BMF_WINDOW_STAR,
                   (BMF_NEAR_2D(u, -1, 0) + BMF_NEAR_2D(u, 1, 0)) + (BMF_NEAR_2D(u, 0, -1) + BMF_NEAR_2D(u, 0, 1)))

static bmf_grid rows_of(const bench_case *c)
{
    int64_t columns = c->elements < MOST_COLUMNS ? c->elements : MOST_COLUMNS;
    while (columns > 1 && c->elements % columns != 0)
        columns--;
    columns = columns > 0 ? columns : 1;
    return (bmf_grid){
        .dimensions = 2, .extent = {c->elements / columns, columns}, .processors = {bmf_processors(c->ctx), 1}};
}

/* This rank's elements of the grid and a row on either side; 0 beyond the first and the last. */
static void write_rows(const bench_case *c, double *to, int64_t begin, int64_t end)
{
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
    for (int64_t i = begin; i < end; i++)
        to[i - begin] = i >= 0 && i < c->elements ? (double)(bench_hash(i) & 1023) : 0.0;
}

static int fill_grid(bench_case *c, const bmf_grid *grid, bmf_partition *partition)
{
    bmf_partition *wider;
    const int64_t columns = grid->extent[1], parts = bmf_partition_parts(partition);
    int64_t start[parts + 1];
    for (int64_t k = 0; k <= parts; k++)
        start[k] = bmf_partition_start(partition, k) + 2 * k * columns;
    BMF_TRY(bmf_partition_resized(c->ctx, partition, start, &wider));
    int status = bmf_list_create(c->ctx, &bmf_type_real, partition, &c->x);
    if (status == BMF_OK)
        status = bmf_list_create(c->ctx, &bmf_type_real, wider, &c->y);
    bmf_partition_release(wider);
    BMF_TRY(status);
    const int64_t begin = bmf_list_local_begin(c->x), end = bmf_list_local_end(c->x);
    write_rows(c, bench_data(c->x), begin, end);
    write_rows(c, bench_data(c->y), begin - columns, end + columns);
    return bench_expect(c, end - begin, (int64_t)sizeof(double));
}

int bench_prepare_stencil(bench_case *c)
{
    bmf_partition *partition;
    const bmf_grid grid = rows_of(c);
    c->min_bytes = 2.0 * sizeof(double) * (double)c->elements;
    BMF_TRY(bmf_grid_partition(c->ctx, &grid, &partition));
    const int status = fill_grid(c, &grid, partition);
    bmf_partition_release(partition);
    return status;
}

int bench_run_stencil(bench_case *c)
{
    const bmf_grid grid = rows_of(c);
    return bmf_stencil(c->x, &grid, &four_neighbours, NULL, bench_out(c));
}

/* u: the row above `columns` elements, which are followed by the row below. */
BMF_VECTORISE static void sum_row(int64_t columns, const double *restrict u, double *restrict to)
{
    const double *const row = u + columns, *const below = row + columns;
    to[0] = u[0] + below[0] + (columns > 1 ? row[1] : 0.0);
    for (int64_t j = 1; j < columns - 1; j++)
        to[j] = (u[j] + below[j]) + (row[j - 1] + row[j + 1]);
    if (columns > 1)
        to[columns - 1] = u[columns - 1] + below[columns - 1] + row[columns - 2];
}

int bench_hand_stencil(bench_case *c)
{
    const int64_t columns = rows_of(c).extent[1], rows = c->expected_count / columns;
    const double *u = bench_data(c->y);
    double *to = bench_expected(c);
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
    for (int64_t i = 0; i < rows; i++)
        sum_row(columns, u + i * columns, to + i * columns);
    return BMF_OK;
}
