/* winnow: of the cells under a mask, sorted by value, row and column, every fourth becomes a point (column, row).
 *
 * A sample sort: splitters lie evenly between the least and the largest value, so that how many cells a rank sorts
 * depends on the values. Counts and cells are exchanged, sorted locally, and every rank picks those whose number in the
 * whole is a multiple of the stride. */
#include "bmf_mark.h"
#include "programs.h"

#include <limits.h>
#include <stdlib.h>

enum { CELL_INTS = 3 };

struct cell {
    int32_t value, row, column;
};

struct cells {
    struct cell *cell;
    int64_t count;
};

static int compare(const void *left, const void *right)
{
    const struct cell *const a = left, *const b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static struct cells masked(const int32_t *in, const int32_t *mask, int64_t first, int64_t rows, int64_t columns)
{
    struct cells cells = {NULL, 0};
    for (int64_t i = 0; i < rows * columns; i++)
        cells.count += mask[i] != 0;
    cells.cell = memory(cells.count, sizeof *cells.cell);
    for (int64_t i = 0, k = 0; i < rows * columns; i++)
        if (mask[i] != 0)
            cells.cell[k++] = (struct cell){in[i], (int32_t)(first + i / columns), (int32_t)(i % columns)};
    return cells;
}

/* The rank that sorts this value. */
static int bucket(int32_t value, int32_t least, int32_t largest, int ranks)
{
    return (int)(((int64_t)value - least) * ranks / ((int64_t)largest - least + 1));
}

/* Puts cells in the order of the ranks that sort them, and counts them. */
static void by_bucket(struct cells *cells, int32_t least, int32_t largest, int ranks, int *counts, int *starts)
{
    struct cell *const sorted = memory(cells->count, sizeof *sorted);
    for (int64_t i = 0; i < cells->count; i++)
        counts[bucket(cells->cell[i].value, least, largest, ranks)]++;
    for (int r = 1; r < ranks; r++)
        starts[r] = starts[r - 1] + counts[r - 1];
    for (int64_t i = 0; i < cells->count; i++)
        sorted[starts[bucket(cells->cell[i].value, least, largest, ranks)]++] = cells->cell[i];
    for (int r = 0; r < ranks; r++)
        starts[r] -= counts[r];
    free(cells->cell);
    cells->cell = sorted;
}

/* Every cell to the rank that sorts it. */
static struct cells exchange(const struct run *run, struct cells *own, int32_t least, int32_t largest)
{
    const int ranks = run->ranks;
    int *const counts = memory(4L * ranks, sizeof(int)), *const starts = counts + ranks;
    int *const arriving = starts + ranks, *const places = arriving + ranks;
    MPI_Datatype type;
    struct cells all = {NULL, 0};
    phase("pivots");
    by_bucket(own, least, largest, ranks, counts, starts);
    bmf_compute(3.0 * ranks + 3.0 * (double)own->count);
    phase("counts");
    MPI_Alltoall(counts, 1, MPI_INT, arriving, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        places[r] = (int)all.count;
        all.count += arriving[r];
    }
    bmf_compute(2.0 * ranks);
    phase("exchange");
    all.cell = memory(all.count, sizeof *all.cell);
    MPI_Type_contiguous(CELL_INTS, MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(own->cell, counts, starts, type, all.cell, arriving, places, type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    free(counts);
    return all;
}

/* Of the cells whose numbers in the whole begin with `first`, those whose number is a multiple of the stride. */
static struct matrix every(const struct run *run, const struct cells *cells, int64_t first, int64_t stride)
{
    const int64_t skip = (stride - first % stride) % stride;
    const int64_t count = cells->count > skip ? (cells->count - skip + stride - 1) / stride : 0;
    struct matrix points = matrix_make_dealt(run, 2, REALS, deal_counted(count, run->ranks));
    for (int64_t k = 0; k < count; k++) {
        points.reals[2 * k] = cells->cell[skip + k * stride].column;
        points.reals[2 * k + 1] = cells->cell[skip + k * stride].row;
    }
    return points;
}

struct matrix winnow(const struct run *run, const struct matrix *in, const struct matrix *mask, int64_t stride)
{
    int32_t least = INT32_MAX, largest = INT32_MIN;
    phase("build");
    struct cells own = masked(in->ints, mask->ints, in->first, in->count, in->columns);
    bmf_compute(5.0 * (double)own.count);
    phase("extent");
    for (int64_t i = 0; i < own.count; i++) {
        least = own.cell[i].value < least ? own.cell[i].value : least;
        largest = own.cell[i].value > largest ? own.cell[i].value : largest;
    }
    int64_t total = own.count;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT32_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (total == 0)
        fail(run, 1, "no cell is under the mask");
    struct cells sorted = exchange(run, &own, least, largest);
    phase("sort");
    qsort(sorted.cell, (size_t)sorted.count, sizeof *sorted.cell, compare);
    bmf_compute(4.0 * (double)sorted.count);
    phase("pack");
    struct deal places = deal_counted(sorted.count, run->ranks);
    struct matrix points = every(run, &sorted, places.first[run->rank], stride);
    bmf_compute(2.0 * points.count);
    free(places.count);
    free(places.first);
    free(own.cell);
    free(sorted.cell);
    return points;
}

#ifndef COWICHAN_CHAIN
static void *reference(const int32_t *in, const int32_t *mask, int64_t n, int64_t stride)
{
    struct cells cells = masked(in, mask, 0, n, n);
    double *const points = memory(2 * (cells.count / stride + 1), sizeof *points);
    qsort(cells.cell, (size_t)cells.count, sizeof *cells.cell, compare);
    for (int64_t k = 0; k < cells.count; k += stride) {
        points[2 * (k / stride)] = cells.cell[k].column;
        points[2 * (k / stride) + 1] = cells.cell[k].row;
    }
    free(cells.cell);
    return points;
}

/* Every tenth cell if no file is given. */
static struct matrix read_mask(const struct run *run, const char *path, const struct matrix *in)
{
    if (!path) {
        struct matrix mask = matrix_make(run, in->rows, in->columns, INTS);
        for (int64_t i = 0; i < (int64_t)in->count * in->columns; i++)
            mask.ints[i] = ((int64_t)in->first * in->columns + i) % 10 == 0;
        return mask;
    }
    struct matrix mask = matrix_read(run, path, INTS, 0);
    if (mask.rows != in->rows)
        fail(run, 2, "%s has %d rows, the matrix has %d", path, mask.rows, in->rows);
    return mask;
}

static void check(const struct run *run, const struct matrix *in, const struct matrix *mask,
                  const struct matrix *points, int64_t stride)
{
    int32_t *const whole = matrix_gather(run, in), *const whole_mask = matrix_gather(run, mask);
    check_equal(run, "the points", points, whole ? reference(whole, whole_mask, run->n, stride) : NULL, 0);
    free(whole);
    free(whole_mask);
}

int main(int argc, char **argv)
{
    const char *mask_path = NULL;
    int64_t stride = 4, wanted = 0;
    const struct option options[] = {
        {"mask", OPTION_TEXT, &mask_path, "which cells count, a .npy file (every tenth)"},
        {"stride", OPTION_INT, &stride, "distance of the cells chosen (4)"},
        {"points", OPTION_INT, &wanted, "fail if there are fewer points (0)"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run = run_open(argc, argv, "winnow", "Chooses points of n x n weighted cells.", options);
    if (stride < 1 || wanted < 0)
        fail(&run, 2, "--stride is from 1, --points from 0");
    struct matrix in = run.in ? matrix_read(&run, run.in, INTS, 0) : random_matrix(&run, run.n);
    struct matrix mask = read_mask(&run, mask_path, &in);
    run.n = in.rows;
    run_begin(&run);
    struct matrix points = winnow(&run, &in, &mask, stride);
    run_end(&run);
    if (points.rows < wanted)
        fail(&run, 1, "%d points, fewer than the %lld wanted", points.rows, (long long)wanted);
    output(&run, &points);
    if (run.check)
        check(&run, &in, &mask, &points, stride);
    const uint64_t checksum = matrix_checksum(&points);
    matrix_free(&in);
    matrix_free(&mask);
    matrix_free(&points);
    return run_close(&run, checksum);
}
#endif
