/* norm: moves points into the unit square: the least coordinates to 0, the largest to 1.
 *
 * --reduce 4: a reduction for each of the four limits; --reduce 1: one with an operation of its own. */
#include "bmf_mark.h"
#include "programs.h"

#include <math.h>
#include <stdlib.h>

/* min x, min y, -max x, -max y: all four are minima. */
enum { LIMITS = 4 };

static void min_of_limits(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const double *const a = in;
    double *const b = inout;
    for (int i = 0; i < LIMITS * *count; i++)
        b[i] = fmin(a[i], b[i]);
}

static void reduce_at_once(double *limits)
{
    MPI_Op op;
    MPI_Datatype type;
    MPI_Op_create(min_of_limits, 1, &op);
    MPI_Type_contiguous(LIMITS, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Allreduce(MPI_IN_PLACE, limits, 1, type, op, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Op_free(&op);
}

void norm(const struct run *run, struct matrix *points, int64_t reductions)
{
    double limits[LIMITS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    phase("extent");
    for (int i = 0; i < points->count; i++)
        for (int c = 0; c < 2; c++) {
            const double x = points->reals[2 * i + c];
            limits[c] = fmin(limits[c], x);
            limits[2 + c] = fmin(limits[2 + c], -x);
        }
    bmf_compute(points->count);
    if (reductions == 1)
        reduce_at_once(limits);
    for (int k = 0; k < LIMITS && reductions == 4; k++)
        MPI_Allreduce(MPI_IN_PLACE, &limits[k], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    phase("compute");
    for (int i = 0; i < points->count; i++)
        for (int c = 0; c < 2; c++) {
            const double extent = -limits[2 + c] - limits[c];
            points->reals[2 * i + c] = extent > 0 ? (points->reals[2 * i + c] - limits[c]) / extent : 0;
        }
    bmf_compute(8.0 * points->count);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    (void)run;
}

#ifndef COWICHAN_CHAIN
static void *reference(double *points, int64_t n)
{
    for (int c = 0; c < 2; c++) {
        double min = points[c], max = points[c];
        for (int64_t i = 0; i < n; i++) {
            min = points[2 * i + c] < min ? points[2 * i + c] : min;
            max = points[2 * i + c] > max ? points[2 * i + c] : max;
        }
        for (int64_t i = 0; i < n; i++)
            points[2 * i + c] = max > min ? (points[2 * i + c] - min) / (max - min) : 0;
    }
    return points;
}

int main(int argc, char **argv)
{
    int64_t reductions = 4;
    const struct option options[] = {{"reduce", OPTION_INT, &reductions, "reductions: 4 or 1 (4)"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run = run_open(argc, argv, "norm", "Moves n points into the unit square.", options);
    if (reductions != 1 && reductions != 4)
        fail(&run, 2, "--reduce %lld: 1 or 4", (long long)reductions);
    struct matrix points =
        run.in ? matrix_read(&run, run.in, REALS, 2) : random_reals(&run, run.n, 2, (uint32_t)run.seed);
    run.n = points.rows;
    double *const before = run.check ? matrix_gather(&run, &points) : NULL;
    run_begin(&run);
    norm(&run, &points, reductions);
    run_end(&run);
    output(&run, &points);
    if (run.check)
        check_equal(&run, "the points", &points, before ? reference(before, run.n) : NULL, 0);
    const uint64_t checksum = matrix_checksum(&points);
    matrix_free(&points);
    return run_close(&run, checksum);
}
#endif
