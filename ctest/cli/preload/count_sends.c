/* What a program hands to MPI point-to-point, counted by MPI's profiling interface: a library to be preloaded.
 *
 * At MPI_Finalize the first rank writes "MESSAGES BYTES", the sums over all ranks, to the file named by
 * BMF_COUNT_SENDS. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t handed[2];

static void count_handed(int count, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    handed[0]++;
    handed[1] += (int64_t)count * size;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_handed(count, type);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_handed(count, type);
    return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
    int64_t sum[2];
    int rank;
    const char *path = getenv("BMF_COUNT_SENDS");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(handed, sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    FILE *file = rank == 0 && path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lld %lld\n", (long long)sum[0], (long long)sum[1]);
        fclose(file);
    }
    return PMPI_Finalize();
}
