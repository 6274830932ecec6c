/* product: a matrix times a vector.
 *
 * Rows are dealt, the vector is gathered everywhere; every sum is in the order of its row. */
#include "bmf_mark.h"
#include "formulas.h"
#include "mains.h"
#include "programs.h"

#include <stdlib.h>

struct matrix product(const struct run *run, const struct matrix *a, const struct matrix *x)
{
    struct matrix out = matrix_make(run, a->rows, 1, REALS);
    phase("vector");
    double *const whole = matrix_to_all(x);
    phase("compute");
#pragma omp parallel for num_threads((int)run->threads)
    for (int i = a->first; i < a->first + a->count; i++)
        *real_row(&out, i) = row_sum(real_row(a, i), whole, a->columns);
    bmf_compute(2.0 * a->count * a->columns);
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    free(whole);
    return out;
}

#ifndef COWICHAN_CHAIN
static void *reference(double *a, double *b, int64_t n, const void *how)
{
    (void)how;
    double *const out = memory(n, sizeof *out);
    for (int64_t k = 0; k < n * n; k++)
        out[k / n] += a[k] * b[k % n];
    return out;
}

int main(int argc, char **argv)
{
    const char *vector = NULL;
    const struct option options[] = {{"vector", OPTION_TEXT, &vector, "the vector, a .npy file (random)"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run = run_open(argc, argv, "product", "Multiplies a matrix of 2.5 n rows with a vector.", options);
    struct matrix a, b;
    system_open(&run, vector, &a, &b);
    run_begin(&run);
    struct matrix x = product(&run, &a, &b);
    return system_close(&run, &a, &b, &x, "the product", reference, NULL);
}
#endif
