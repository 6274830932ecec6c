/* half: a perfect shuffle of rows and columns: first those of even number, then those of odd number.
 *
 * Columns are shuffled locally; all rows move in one MPI_Alltoallw, in which a datatype for every pair of ranks says
 * which rows go and where they arrive. */
#include "bmf_mark.h"
#include "formulas.h"
#include "programs.h"

#include <stdlib.h>

/* Where row or column i of the input goes to. */
static int64_t target(int64_t i, int64_t n)
{
    return i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2;
}

/* The datatype of those of this rank's rows, in the order given, whose other side is with rank r. */
static MPI_Datatype rows_for(const struct matrix *matrix, const int *order, int64_t (*other)(int64_t, int64_t), int r,
                             int *places)
{
    MPI_Datatype type;
    const int64_t first = matrix->deal.first[r], end = first + matrix->deal.count[r];
    int rows = 0;
    for (int k = 0; k < matrix->count; k++) {
        const int64_t there = other(order[k], matrix->rows);
        if (there >= first && there < end)
            places[rows++] = (order[k] - matrix->first) * matrix->columns;
    }
    MPI_Type_create_indexed_block(rows, matrix->columns, places, MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    return type;
}

/* A datatype for every rank. Both sides of a message name its rows in the order of the result: even ones first. */
static void make_types(const struct matrix *matrix, bool sends, MPI_Datatype *types)
{
    int *const order = memory(matrix->count, sizeof *order), *const places = memory(matrix->count, sizeof *places);
    int k = 0;
    for (int parity = 0; parity < (sends ? 2 : 1); parity++)
        for (int i = matrix->first; i < matrix->first + matrix->count; i++)
            if (!sends || i % 2 == parity)
                order[k++] = i;
    for (int r = 0; r < matrix->deal.ranks; r++)
        types[r] = rows_for(matrix, order, sends ? target : half_source, r, places);
    free(order);
    free(places);
}

struct matrix half(const struct run *run, const struct matrix *in)
{
    struct matrix local = matrix_make(run, in->rows, in->columns, INTS),
                  out = matrix_make(run, in->rows, in->columns, INTS);
    phase("shuffle");
    for (int i = in->first; i < in->first + in->count; i++)
        for (int j = 0; j < in->columns; j++)
            int_row(&local, i)[j] = int_row(in, i)[half_source(j, in->columns)];
    bmf_compute(3.0 * in->count * in->columns);
    phase("types");
    MPI_Datatype *const send = memory(run->ranks, sizeof *send), *const receive = memory(run->ranks, sizeof *receive);
    int *const ones = memory(run->ranks, sizeof(int)), *const zeros = memory(run->ranks, sizeof(int));
    make_types(&local, true, send);
    make_types(&out, false, receive);
    for (int r = 0; r < run->ranks; r++)
        ones[r] = 1;
    phase("exchange");
    MPI_Alltoallw(local.ints, ones, zeros, send, out.ints, ones, zeros, receive, MPI_COMM_WORLD);
    for (int r = 0; r < run->ranks; r++) {
        MPI_Type_free(&send[r]);
        MPI_Type_free(&receive[r]);
    }
    free(send);
    free(receive);
    free(ones);
    free(zeros);
    matrix_free(&local);
    return out;
}

#ifndef COWICHAN_CHAIN
static void *reference(const int32_t *in, int64_t n)
{
    int32_t *const out = memory(n * n, sizeof *out);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            out[target(i, n) * n + target(j, n)] = in[i * n + j];
    return out;
}

int main(int argc, char **argv)
{
    struct run run = run_open(argc, argv, "half", "Shuffles the rows and columns of an n x n matrix by halves.", NULL);
    struct matrix in = run.in ? matrix_read(&run, run.in, INTS, 0) : random_matrix(&run, run.n);
    run.n = in.rows;
    run_begin(&run);
    struct matrix out = half(&run, &in);
    run_end(&run);
    output(&run, &out);
    if (run.check) {
        int32_t *const whole = matrix_gather(&run, &in);
        check_equal(&run, "the matrix", &out, whole ? reference(whole, run.n) : NULL, 0);
        free(whole);
    }
    const uint64_t checksum = matrix_checksum(&out);
    matrix_free(&in);
    matrix_free(&out);
    return run_close(&run, checksum);
}
#endif
