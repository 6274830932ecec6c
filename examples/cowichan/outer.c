/* outer: the distances of n points from each other and from the origin; the diagonal is n times the largest distance,
 * so that it dominates.
 *
 * --method double: everyone computes both triangles of its rows. --method copy: rows are dealt so that the areas below
 * the diagonal are nearly equal, every distance is computed once, and one MPI_Alltoallw brings the other triangle,
 * whose blocks the receiver's datatypes transpose. */
#include "bmf_mark.h"
#include "formulas.h"
#include "programs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows such that the areas below the diagonal, about row^2 / 2, are nearly equal. */
static struct deal deal_areas(int64_t n, int ranks)
{
    struct deal deal = {ranks, memory(ranks, sizeof(int)), memory(ranks, sizeof(int))};
    for (int r = 0; r < ranks; r++) {
        const int64_t end = r == ranks - 1 ? n : (int64_t)((double)n * sqrt((r + 1.0) / ranks));
        deal.first[r] = r == 0 ? 0 : deal.first[r - 1] + deal.count[r - 1];
        deal.count[r] = (int)end - deal.first[r];
    }
    return deal;
}

/* The distances of rows of this rank from all points, or only from those before. */
static double fill_rows(const struct run *run, const struct matrix *a, const double *points, bool below_only)
{
    double largest = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : largest) num_threads((int)run->threads)
    for (int i = a->first; i < a->first + a->count; i++)
        for (int j = 0; j < (below_only ? i : a->columns); j++) {
            real_row(a, i)[j] = i == j ? 0 : distance(points, i, j);
            largest = fmax(largest, real_row(a, i)[j]);
        }
    return largest;
}

/* Fills the triangle above the diagonal from the one below: rank q's part of it goes to all ranks before. */
static void copy_triangle(const struct run *run, const struct matrix *a)
{
    const int n = a->columns, ranks = run->ranks;
    MPI_Datatype *const send = memory(ranks, sizeof *send), *const receive = memory(ranks, sizeof *receive);
    int *const ones = memory(ranks, sizeof(int)), *const to = memory(ranks, sizeof(int)),
               *const from = memory(ranks, sizeof(int));
    for (int r = 0; r < ranks; r++) {
        MPI_Datatype column;
        const bool before = r<run->rank, after = r> run->rank;
        ones[r] = 1;
        /* my rows, r's columns */
        MPI_Type_vector(before ? a->count : 0, a->deal.count[r], n, MPI_DOUBLE, &send[r]);
        to[r] = before ? a->deal.first[r] * (int)sizeof(double) : 0;
        /* r's rows arrive as columns of mine */
        MPI_Type_vector(a->count, 1, n, MPI_DOUBLE, &column);
        MPI_Type_create_hvector(after ? a->deal.count[r] : 0, 1, sizeof(double), column, &receive[r]);
        from[r] = after ? a->deal.first[r] * (int)sizeof(double) : 0;
        MPI_Type_free(&column);
        MPI_Type_commit(&send[r]);
        MPI_Type_commit(&receive[r]);
    }
    /* It is read below the blocks of this rank and written above them: sends and receives do not overlap. */
    double *const sent = memory((int64_t)a->count * n, sizeof *sent);
    memcpy(sent, a->reals, (size_t)a->count * (size_t)n * sizeof *sent);
    MPI_Alltoallw(sent, ones, to, send, a->reals, ones, from, receive, MPI_COMM_WORLD);
    for (int i = a->first; i < a->first + a->count; i++)
        for (int j = i + 1; j < a->first + a->count; j++)
            real_row(a, i)[j] = real_row(a, j)[i];
    for (int r = 0; r < ranks; r++) {
        MPI_Type_free(&send[r]);
        MPI_Type_free(&receive[r]);
    }
    free(sent);
    free(send);
    free(receive);
    free(ones);
    free(to);
    free(from);
}

struct matrix outer(const struct run *run, const struct matrix *in, bool copy, struct matrix *vector)
{
    const int64_t n = in->rows;
    phase("points");
    double *const points = matrix_to_all(in);
    if (n * n > INT32_MAX)
        fail(run, 2, "%lld x %lld cells are more than 2147483647", (long long)n, (long long)n);
    struct matrix a = matrix_make_dealt(run, n, REALS, copy ? deal_areas(n, run->ranks) : deal_evenly(n, run->ranks));
    *vector = matrix_make_dealt(run, 1, REALS, copy ? deal_areas(n, run->ranks) : deal_evenly(n, run->ranks));
    phase("vector");
    for (int i = a.first; i < a.first + a.count; i++)
        *real_row(vector, i) = from_origin(points, i);
    bmf_compute(50.0 * a.count);
    phase("matrix");
    double largest = fill_rows(run, &a, points, copy);
    bmf_compute(50.0 * a.count * (double)n / (copy ? 2 : 1));
    phase("largest");
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    phase("diagonal");
    for (int i = a.first; i < a.first + a.count; i++)
        real_row(&a, i)[i] = (double)n * largest;
    bmf_compute(50.0 * a.count);
    if (copy) {
        phase("copy");
        copy_triangle(run, &a);
    }
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    free(points);
    return a;
}

#ifndef COWICHAN_CHAIN
static double *reference(const double *points, int64_t n, double **vector)
{
    double *const a = memory(n * n, sizeof *a), largest = 0;
    *vector = memory(n, sizeof **vector);
    for (int64_t i = 0; i < n; i++) {
        (*vector)[i] = from_origin(points, i);
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = distance(points, i, j);
            largest = a[i * n + j] > largest ? a[i * n + j] : largest;
        }
    }
    for (int64_t i = 0; i < n; i++)
        a[i * n + i] = (double)n * largest;
    return a;
}

static void check(const struct run *run, const struct matrix *in, const struct matrix *a, const struct matrix *vector)
{
    double *expected = NULL, *expected_vector = NULL;
    double *const points = matrix_gather(run, in);
    if (points)
        expected = reference(points, run->n, &expected_vector);
    free(points);
    check_equal(run, "the matrix", a, expected, 0);
    check_equal(run, "the vector", vector, expected_vector, 0);
}

int main(int argc, char **argv)
{
    const char *method = "double", *vector_out = NULL;
    const struct option options[] = {
        {"method", OPTION_TEXT, &method, "double: compute both triangles; copy: compute one (double)"},
        {"vector-out", OPTION_TEXT, &vector_out, "distances from the origin, a .npy file (none)"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run = run_open(argc, argv, "outer", "Computes the distances of n points from each other.", options);
    const bool copy = strcmp(method, "copy") == 0;
    if (!copy && strcmp(method, "double") != 0)
        fail(&run, 2, "--method %s: double or copy", method);
    struct matrix in = run.in ? matrix_read(&run, run.in, REALS, 2) : random_reals(&run, run.n, 2, (uint32_t)run.seed);
    run.n = in.rows;
    run_begin(&run);
    struct matrix vector, a = outer(&run, &in, copy, &vector);
    run_end(&run);
    output(&run, &a);
    if (vector_out)
        matrix_write(&run, vector_out, &vector);
    if (run.check)
        check(&run, &in, &a, &vector);
    const uint64_t checksum = matrix_checksum(&a) + matrix_checksum(&vector);
    matrix_free(&in);
    matrix_free(&a);
    matrix_free(&vector);
    return run_close(&run, checksum);
}
#endif
