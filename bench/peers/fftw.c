/* bmf-bench-fftw ROWS COLUMNS REPEATS: how long FFTW takes to transpose a matrix of reals over the ranks of Open MPI.
 *
 * Method: fftw_mpi_plan_transpose, planned by measuring, out of place; rows are spread over the ranks before and after,
 * as a list of bmf is. A time goes from a barrier until every rank is done; every element of every result is checked.
 * Prints {"seconds", "verified"}: the median, on rank 0. Debian's FFTW for MPI needs Open MPI, so this is a program
 * without bmf; scripts/compare-fftw runs it and bmf-bench in turns.
 */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct share {
    ptrdiff_t first, count; /* rows of this rank */
} share;

typedef struct matrix {
    ptrdiff_t rows, columns;
    share before, after; /* of the rows of the matrix and of its transpose */
    double *source, *target;
} matrix;

static void fill(const matrix *m)
{
    for (ptrdiff_t i = 0; i < m->before.count; i++)
        for (ptrdiff_t j = 0; j < m->columns; j++)
            m->source[i * m->columns + j] = (double)((m->before.first + i) * m->columns + j);
}

static int count_wrong(const matrix *m)
{
    int wrong = 0;
    for (ptrdiff_t j = 0; j < m->after.count; j++)
        for (ptrdiff_t i = 0; i < m->rows; i++)
            wrong += m->target[j * m->rows + i] != (double)(i * m->columns + m->after.first + j);
    return wrong;
}

/* The median seconds of the slowest rank; wrong elements of this rank are added to *wrong. */
static double measure(const matrix *m, fftw_plan plan, int repeats, int *wrong)
{
    double seconds[repeats];
    for (int k = -1; k < repeats; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        fftw_execute(plan);
        MPI_Barrier(MPI_COMM_WORLD);
        if (k >= 0)
            seconds[k] = MPI_Wtime() - begin;
        *wrong += count_wrong(m);
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, repeats, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    return 0.5 * (seconds[(repeats - 1) / 2] + seconds[repeats / 2]);
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    matrix m = {.rows = argc == 4 ? atol(argv[1]) : 0, .columns = argc == 4 ? atol(argv[2]) : 0};
    const int repeats = argc == 4 ? atoi(argv[3]) : 0;
    if (m.rows < 1 || m.columns < 1 || repeats < 1) {
        if (rank == 0)
            fputs("usage: mpirun.mpich -n RANKS bmf-bench-fftw ROWS COLUMNS REPEATS\n", stderr);
        MPI_Finalize();
        return 2;
    }
    const ptrdiff_t size[2] = {m.rows, m.columns};
    const ptrdiff_t room =
        fftw_mpi_local_size_many_transposed(2, size, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD,
                                            &m.before.count, &m.before.first, &m.after.count, &m.after.first);
    m.source = fftw_alloc_real((size_t)room);
    m.target = fftw_alloc_real((size_t)room);
    const fftw_plan plan = fftw_mpi_plan_transpose(m.rows, m.columns, m.source, m.target, MPI_COMM_WORLD, FFTW_MEASURE);
    fill(&m);
    const double seconds = measure(&m, plan, repeats, &wrong);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"seconds\": %.9g, \"verified\": %s}\n", seconds, wrong == 0 ? "true" : "false");
    fftw_destroy_plan(plan);
    fftw_free(m.source);
    fftw_free(m.target);
    MPI_Finalize();
    return wrong > 0;
}
