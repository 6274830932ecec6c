/* mandel: the number of steps after which z^2 + c leaves the circle of radius 2, for n x n points c of the plane.
 *
 * Rows are dealt in blocks; nothing is sent. How long a row takes depends on where it lies. */
#include "bmf_mark.h"
#include "formulas.h"
#include "programs.h"

static int32_t cell(const struct view *view, int64_t n, int64_t i, int64_t j)
{
    return steps_to_leave(view->x + (double)j * view->width / (double)n, view->y + (double)i * view->height / (double)n,
                          view->steps);
}

struct matrix mandel(const struct run *run, const struct view *view)
{
    struct matrix out = matrix_make(run, run->n, run->n, INTS);
    phase("compute");
#pragma omp parallel for schedule(dynamic) num_threads((int)run->threads)
    for (int i = out.first; i < out.first + out.count; i++)
        for (int j = 0; j < out.columns; j++)
            int_row(&out, i)[j] = cell(view, run->n, i, j);
    bmf_compute(8.0 * (double)view->steps * out.count * out.columns);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    return out;
}

#ifndef COWICHAN_CHAIN
static void *reference(const struct run *run, const struct view *view)
{
    int32_t *const out = memory(run->n * run->n, sizeof *out);
    for (int64_t k = 0; k < run->n * run->n; k++)
        out[k] = cell(view, run->n, k / run->n, k % run->n);
    return out;
}

int main(int argc, char **argv)
{
    struct view view = {-2, -1.25, 2.5, 2.5, 150};
    const struct option options[] = {
        {"x0", OPTION_REAL, &view.x, "left edge (-2)"},
        {"y0", OPTION_REAL, &view.y, "lower edge (-1.25)"},
        {"dx", OPTION_REAL, &view.width, "width (2.5)"},
        {"dy", OPTION_REAL, &view.height, "height (2.5)"},
        {"maxiter", OPTION_INT, &view.steps, "steps at most (150)"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run =
        run_open(argc, argv, "mandel", "Counts the steps in which z^2 + c leaves a circle, for n x n c.", options);
    if (view.steps < 0 || view.steps > INT32_MAX)
        fail(&run, 2, "--maxiter %lld: from 0 to 2147483647", (long long)view.steps);
    run_begin(&run);
    struct matrix out = mandel(&run, &view);
    run_end(&run);
    output(&run, &out);
    if (run.check)
        check_equal(&run, "the matrix", &out, run.rank == 0 ? reference(&run, &view) : NULL, 0);
    const uint64_t checksum = matrix_checksum(&out);
    matrix_free(&out);
    return run_close(&run, checksum);
}
#endif
