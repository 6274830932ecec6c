/* gauss: a x = b by Gauss and Jordan's elimination, in one pass over the rows.
 *
 * The owner of the pivot's row scales it and broadcasts it with its element of b; all ranks subtract it from all their
 * other rows. With --pivot the row is the one, of those not used yet, whose element in the column is largest: one more
 * reduction a row. */
#include "bmf_mark.h"
#include "formulas.h"
#include "mains.h"
#include "programs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a with b as their last column. */
static struct matrix extended(const struct run *run, const struct matrix *a, const struct matrix *b)
{
    const int n = a->columns;
    struct matrix work = matrix_make(run, a->rows, n + 1L, REALS);
    for (int i = a->first; i < a->first + a->count; i++) {
        memcpy(real_row(&work, i), real_row(a, i), (size_t)n * sizeof(double));
        real_row(&work, i)[n] = *real_row(b, i);
    }
    return work;
}

/* The row, of those not used, whose element in column k is largest in magnitude; the first of several. */
static int largest_in_column(const struct matrix *work, const char *used, int k)
{
    struct {
        double value;
        int row;
    } own = {-1, work->rows}, largest;
    for (int i = work->first; i < work->first + work->count; i++)
        if (!used[i] && fabs(real_row(work, i)[k]) > own.value) {
            own.value = fabs(real_row(work, i)[k]);
            own.row = i;
        }
    bmf_compute(2.0 * work->count);
    MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    return largest.row;
}

/* Scales row `row` by its element in column k and copies it to `pivot`, which everybody gets. */
static void broadcast_row(const struct run *run, const struct matrix *work, int row, int k, double *pivot)
{
    const int owner = deal_owner(&work->deal, row), end = work->columns;
    phase("pivot");
    if (run->rank == owner) {
        double *const mine = real_row(work, row);
        const double scale = mine[k];
        for (int j = k; j < end && scale != 0; j++)
            mine[j] /= scale;
        memcpy(pivot, mine, (size_t)end * sizeof(double));
        bmf_compute(2.0 * (end - k) + 4);
    }
    phase("broadcast");
    MPI_Bcast(pivot, end, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    if (pivot[k] == 0 || !isfinite(pivot[k]))
        fail(run, 1, "row %d has no pivot", row);
}

struct matrix gauss(const struct run *run, const struct matrix *a, const struct matrix *b, bool choose)
{
    const int n = a->rows;
    phase("copy");
    struct matrix work = extended(run, a, b), x = matrix_make(run, n, 1, REALS);
    double *const pivot = memory(n + 1L, sizeof *pivot);
    int *const row_of = memory(n, sizeof *row_of);
    char *const used = memory(n, 1);
    for (int k = 0; k < n; k++) {
        phase("pivot");
        row_of[k] = choose ? largest_in_column(&work, used, k) : k;
        used[row_of[k]] = 1;
        broadcast_row(run, &work, row_of[k], k, pivot);
        phase("transform");
#pragma omp parallel for num_threads((int)run->threads)
        for (int i = work.first; i < work.first + work.count; i++)
            if (i != row_of[k])
                subtract_row(real_row(&work, i), pivot, k, n + 1L);
        bmf_compute(5.0 * work.count * n);
    }
    struct matrix solved = matrix_make(run, n, 1, REALS);
    for (int i = work.first; i < work.first + work.count; i++)
        *real_row(&solved, i) = real_row(&work, i)[n];
    double *const all = choose ? matrix_to_all(&solved) : NULL;
    for (int k = x.first; k < x.first + x.count; k++)
        *real_row(&x, k) = choose ? all[row_of[k]] : *real_row(&solved, k);
    free(all);
    free(pivot);
    free(row_of);
    free(used);
    matrix_free(&solved);
    matrix_free(&work);
    return x;
}

#ifndef COWICHAN_CHAIN
/* The same elimination of a whole system, in place. */
static void *reference(double *a, double *b, int64_t n, const void *pivot)
{
    const bool choose = *(const bool *)pivot;
    double *const x = memory(n, sizeof *x);
    int64_t *const row_of = memory(n, sizeof *row_of);
    char *const used = memory(n, 1);
    for (int64_t k = 0; k < n; k++) {
        int64_t row = k;
        for (int64_t i = 0; i < n && choose; i++)
            if (!used[i] && (used[row] || fabs(a[i * n + k]) > fabs(a[row * n + k])))
                row = i;
        for (int64_t i = 0; i < row && choose; i++)
            if (!used[i] && fabs(a[i * n + k]) == fabs(a[row * n + k]))
                row = i;
        used[row] = 1;
        row_of[k] = row;
        const double scale = a[row * n + k];
        for (int64_t j = k; j < n; j++)
            a[row * n + j] /= scale;
        b[row] /= scale;
        for (int64_t i = 0; i < n; i++) {
            const double factor = a[i * n + k];
            for (int64_t j = k; j < n && i != row; j++)
                a[i * n + j] -= factor * a[row * n + j];
            if (i != row)
                b[i] -= factor * b[row];
        }
    }
    for (int64_t k = 0; k < n; k++)
        x[k] = b[row_of[k]];
    free(row_of);
    free(used);
    return x;
}

int main(int argc, char **argv)
{
    const char *vector = NULL;
    bool pivot = false;
    const struct option options[] = {
        {"vector", OPTION_TEXT, &vector, "b, a .npy file (random)"},
        {"pivot", OPTION_FLAG, &pivot, "take the largest element of every column"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run = run_open(argc, argv, "gauss", "Solves a linear system of 2.5 n unknowns by elimination.", options);
    struct matrix a, b;
    system_open(&run, vector, &a, &b);
    run_begin(&run);
    struct matrix x = gauss(&run, &a, &b, pivot);
    return system_close(&run, &a, &b, &x, "the solution", reference, &pivot);
}
#endif
