/* vecdiff: the largest difference between elements of two vectors: one reduction. */
#include "bmf_mark.h"
#include "programs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double vecdiff(const struct run *run, const struct matrix *a, const struct matrix *b)
{
    double largest = 0;
    (void)run;
    phase("compute");
    for (int i = 0; i < a->count; i++)
        largest = fmax(largest, fabs(a->reals[i] - b->reals[i]));
    bmf_compute(a->count);
    phase("largest");
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    return largest;
}

#ifndef COWICHAN_CHAIN
static void check(const struct run *run, const struct matrix *a, const struct matrix *b, double found)
{
    double *const x = matrix_gather(run, a), *const y = matrix_gather(run, b), largest = 0;
    char error[200] = "";
    for (int64_t i = 0; i < a->rows && x; i++)
        if (fabs(x[i] - y[i]) > largest)
            largest = fabs(x[i] - y[i]);
    if (x && largest != found)
        snprintf(error, sizeof error, "check: found %.17g, the sequential reference %.17g", found, largest);
    free(x);
    free(y);
    fail_if_root(run, 1, error);
}

int main(int argc, char **argv)
{
    const char *vector = NULL;
    const struct option options[] = {{"vector", OPTION_TEXT, &vector, "the other vector, a .npy file (random)"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run =
        run_open(argc, argv, "vecdiff", "Finds the largest difference of two vectors of 2.5 n reals.", options);
    const int64_t m = vector_length(run.n);
    const uint32_t seed = (uint32_t)run.seed;
    struct matrix a = run.in ? matrix_read(&run, run.in, REALS, 1) : random_reals(&run, m, 1, seed);
    struct matrix b = vector ? matrix_read(&run, vector, REALS, 1) : random_reals(&run, a.rows, 1, seed + 1);
    if (a.rows != b.rows)
        fail(&run, 2, "one vector has %d elements, the other %d", a.rows, b.rows);
    if (run.in)
        run.n = a.rows;
    run_begin(&run);
    struct matrix out = matrix_make(&run, 1, 1, REALS);
    const double found = vecdiff(&run, &a, &b);
    run_end(&run);
    if (out.count > 0)
        out.reals[0] = found;
    output(&run, &out);
    if (run.check)
        check(&run, &a, &b, found);
    const uint64_t checksum = matrix_checksum(&out);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&out);
    return run_close(&run, checksum);
}
#endif
