/* What a program hands to MPI, counted by MPI's profiling interface: a library to be preloaded.
 *
 * At MPI_Finalize the first rank writes "MESSAGES BYTES", the point-to-point sums over all ranks, to the file named by
 * BMF_COUNT_SENDS; and a line "NAME CALLS" for each collective function that was called, the calls of the rank that
 * called it most, to the file named by BMF_COUNT_COLLECTIVES. Duplicating a communicator is a collective. */
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

/* ---- collective functions ---- */

/* Both names, the parameters without a request, the arguments. */
#define COLLECTIVES(X)                                                                                                 \
    X(Barrier, barrier, (MPI_Comm comm), (comm))                                                                       \
    X(Bcast, bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),                               \
      (data, count, type, root, comm))                                                                                 \
    X(Gather, gather,                                                                                                  \
      (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,         \
       MPI_Comm comm),                                                                                                 \
      (from, count, type, to, to_count, to_type, root, comm))                                                          \
    X(Allgather, allgather,                                                                                            \
      (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm),   \
      (from, count, type, to, to_count, to_type, comm))                                                                \
    X(Allgatherv, allgatherv,                                                                                          \
      (const void *from, int count, MPI_Datatype type, void *to, const int to_counts[], const int offsets[],           \
       MPI_Datatype to_type, MPI_Comm comm),                                                                           \
      (from, count, type, to, to_counts, offsets, to_type, comm))                                                      \
    X(Alltoall, alltoall,                                                                                              \
      (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm),   \
      (from, count, type, to, to_count, to_type, comm))                                                                \
    X(Alltoallv, alltoallv,                                                                                            \
      (const void *from, const int counts[], const int from_offsets[], MPI_Datatype type, void *to,                    \
       const int to_counts[], const int to_offsets[], MPI_Datatype to_type, MPI_Comm comm),                            \
      (from, counts, from_offsets, type, to, to_counts, to_offsets, to_type, comm))                                    \
    X(Reduce, reduce,                                                                                                  \
      (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operator, int root, MPI_Comm comm),            \
      (from, to, count, type, operator, root, comm))                                                                   \
    X(Allreduce, allreduce,                                                                                            \
      (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operator, MPI_Comm comm),                      \
      (from, to, count, type, operator, comm))                                                                         \
    X(Scan, scan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operator, MPI_Comm comm),          \
      (from, to, count, type, operator, comm))                                                                         \
    X(Exscan, exscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operator, MPI_Comm comm),      \
      (from, to, count, type, operator, comm))

#define NUMBER(Name, name, parameters, arguments) name##_number,
enum { COLLECTIVES(NUMBER) communicator_number, NUMBERS };
static int64_t called[NUMBERS];

#define INSIDE(...) __VA_ARGS__
#define DEFINITIONS(Name, name, parameters, arguments)                                                                 \
    int MPI_##Name parameters                                                                                          \
    {                                                                                                                  \
        called[name##_number]++;                                                                                       \
        return PMPI_##Name arguments;                                                                                  \
    }                                                                                                                  \
    int MPI_I##name(INSIDE parameters, MPI_Request *request)                                                           \
    {                                                                                                                  \
        called[name##_number]++;                                                                                       \
        return PMPI_I##name(INSIDE arguments, request);                                                                \
    }
COLLECTIVES(DEFINITIONS)

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    called[communicator_number]++;
    return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    called[communicator_number]++;
    return PMPI_Comm_idup(comm, made, request);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    called[communicator_number]++;
    return PMPI_Comm_split(comm, color, key, made);
}

/* ---- the end ---- */

#define NAME(Name, name, parameters, arguments) #name,
static const char *const names[NUMBERS] = {COLLECTIVES(NAME) "communicator"};

static void write_sends(const char *path, const int64_t sum[2])
{
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%lld %lld\n", (long long)sum[0], (long long)sum[1]);
    fclose(file);
}

static void write_collectives(const char *path, const int64_t most[NUMBERS])
{
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    for (int k = 0; k < NUMBERS; k++)
        if (most[k] > 0)
            fprintf(file, "%s %lld\n", names[k], (long long)most[k]);
    fclose(file);
}

int MPI_Finalize(void)
{
    int64_t sum[2], most[NUMBERS];
    int rank;
    const char *sends = getenv("BMF_COUNT_SENDS"), *collectives = getenv("BMF_COUNT_COLLECTIVES");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(handed, sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Reduce(called, most, NUMBERS, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && sends)
        write_sends(sends, sum);
    if (rank == 0 && collectives)
        write_collectives(collectives, most);
    return PMPI_Finalize();
}
