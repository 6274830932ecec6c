/* sor: a x = b by over-relaxation, every unknown from the old values of all others, so that the result does not
 * depend on how rows are dealt.
 *
 * In every iteration a rank relaxes its own unknowns, all are gathered everywhere, and the largest change is found. */
#include "bmf_mark.h"
#include "formulas.h"
#include "mains.h"
#include "programs.h"

#include <math.h>
#include <stdlib.h>

/* The first row with a zero on the diagonal; the number of rows if there is none. */
static int first_zero(const struct matrix *a)
{
    int own = a->rows, first;
    for (int i = a->first + a->count - 1; i >= a->first; i--)
        if (real_row(a, i)[i] == 0)
            own = i;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

struct matrix sor(const struct run *run, const struct matrix *a, const struct matrix *b, double factor,
                  double tolerance, int64_t max_iterations)
{
    double change = INFINITY;
    phase("vectors");
    const int zero = first_zero(a);
    if (zero < a->rows)
        fail(run, 1, "row %d has no pivot", zero);
    struct matrix x = matrix_make(run, a->rows, 1, REALS);
    double *old = matrix_to_all(&x);
    for (int64_t k = 0; k < max_iterations && change >= tolerance; k++) {
        phase("relax");
        change = 0;
#pragma omp parallel for reduction(max : change) num_threads((int)run->threads)
        for (int i = a->first; i < a->first + a->count; i++) {
            *real_row(&x, i) = relaxed(real_row(a, i), old, i, a->columns, *real_row(b, i), factor);
            change = fmax(change, fabs(*real_row(&x, i) - old[i]));
        }
        bmf_compute(a->count * (2.0 * a->columns + 8));
        phase("copy");
        free(old);
        old = matrix_to_all(&x);
        phase("change");
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    free(old);
    if (!(change < tolerance))
        fail(run, 1, "does not converge: the largest change after %lld iterations is %g, not below %g",
             (long long)max_iterations, change, tolerance);
    return x;
}

#ifndef COWICHAN_CHAIN
struct stop {
    double factor, tolerance;
    int64_t iterations;
};

static void *reference(double *a, double *b, int64_t n, const void *how)
{
    const struct stop *const stop = how;
    double *x = memory(n, sizeof *x), change = INFINITY;
    while (change >= stop->tolerance) {
        double *const next = memory(n, sizeof *next);
        change = 0;
        for (int64_t i = 0; i < n; i++) {
            next[i] = relaxed(a + i * n, x, i, n, b[i], stop->factor);
            change = fabs(next[i] - x[i]) > change ? fabs(next[i] - x[i]) : change;
        }
        free(x);
        x = next;
    }
    return x;
}

int main(int argc, char **argv)
{
    const char *vector = NULL;
    struct stop stop = {.factor = 1.1, .tolerance = 1e-10, .iterations = 100};
    const struct option options[] = {
        {"vector", OPTION_TEXT, &vector, "b, a .npy file (random)"},
        {"factor", OPTION_REAL, &stop.factor, "of relaxation (1.1)"},
        {"tolerance", OPTION_REAL, &stop.tolerance, "largest change of the last iteration (1e-10)"},
        {"iters", OPTION_INT, &stop.iterations, "iterations at most (100)"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run =
        run_open(argc, argv, "sor", "Solves a linear system of 2.5 n unknowns by over-relaxation.", options);
    struct matrix a, b;
    system_open(&run, vector, &a, &b);
    run_begin(&run);
    struct matrix x = sor(&run, &a, &b, stop.factor, stop.tolerance, stop.iterations);
    return system_close(&run, &a, &b, &x, "the solution", reference, &stop);
}
#endif
