/* Collective operations: one line each below makes the blocking, the nonblocking and the persistent function, each with
 * counts of int and with MPI_Count (_c).
 *
 * An operation's bytes are those of its count argument, as data sheets mean it (document 001, 3.4); where ranks give
 * different counts, each gives its largest, and readers take the largest of all. */
#include "predict/record/virtual.h"

#define UNPACK(...) __VA_ARGS__
#define TEXT(...)   __VA_ARGS__

/* ---- bytes ---- */

static int64_t largest_int(const int *count, int n)
{
    int64_t largest = 0;
    for (int k = 0; count && k < n; k++)
        largest = count[k] > largest ? count[k] : largest;
    return largest;
}

static int64_t largest_count(const MPI_Count *count, int n)
{
    int64_t largest = 0;
    for (int k = 0; count && k < n; k++)
        largest = count[k] > largest ? (int64_t)count[k] : largest;
    return largest;
}

#define LARGEST(count, n) _Generic((count)[0], int : largest_int, MPI_Count : largest_count)((const void *)(count), n)

static int64_t largest_ints(const int *count, const MPI_Datatype *type, int n)
{
    int64_t largest = 0;
    for (int k = 0; k < n; k++)
        largest = bytes_of(count[k], type[k]) > largest ? bytes_of(count[k], type[k]) : largest;
    return largest;
}

static int64_t largest_counts(const MPI_Count *count, const MPI_Datatype *type, int n)
{
    int64_t largest = 0;
    for (int k = 0; k < n; k++)
        largest = bytes_of(count[k], type[k]) > largest ? bytes_of(count[k], type[k]) : largest;
    return largest;
}

#define LARGEST_OF_TYPES(count, type, n)                                                                               \
    _Generic((count)[0], int : largest_ints, MPI_Count : largest_counts)((const void *)(count), type, n)

static int members(MPI_Comm comm)
{
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

static bool is_root(int root, MPI_Comm comm)
{
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* How many neighbours a rank sends to. */
static int destinations(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED, in = 0, out = 0, weighted, rank;
    PMPI_Topo_test(comm, &topology);
    PMPI_Comm_rank(comm, &rank);
    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &out);
        out *= 2;
    } else if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    } else if (topology == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, rank, &out);
    }
    return out;
}

/* ---- the functions of one operation ---- */

#define COLLECTIVE_FORMS(NAME, STARTED, OPERATION, C, PARAMETERS, ARGUMENTS, ROOT, BYTES)                              \
    RECORD_EXPORT int MPI_##NAME##C(PARAMETERS)                                                                        \
    {                                                                                                                  \
        const bmf_call c = ENTER(OPERATION);                                                                           \
        MPI_Request request;                                                                                           \
        if (rec.virtual && c.begin >= 0)                                                                               \
            virtual_say_collective(c.operation, BYTES, ROOT, comm);                                                    \
        const int result =                                                                                             \
            rec.polite ? polite_wait(PMPI_##STARTED##C(UNPACK ARGUMENTS, &request), &request, MPI_STATUS_IGNORE)       \
                       : PMPI_##NAME##C(UNPACK ARGUMENTS);                                                             \
        if (c.begin >= 0)                                                                                              \
            record_collective(&c, BYTES, ROOT, comm);                                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_##STARTED##C(PARAMETERS, MPI_Request *request)                                               \
    {                                                                                                                  \
        const bmf_call c = ENTER(I##OPERATION);                                                                        \
        const int result = PMPI_##STARTED##C(UNPACK ARGUMENTS, request);                                               \
        if (c.begin >= 0)                                                                                              \
            record_start_collective(&c, BYTES, ROOT, comm, *request);                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    PREPARED(NAME, C, TEXT(PARAMETERS), ARGUMENTS, ROOT, BYTES)

#define PREPARED(NAME, C, PARAMETERS, ARGUMENTS, ROOT, BYTES)                                                          \
    RECORD_EXPORT int MPI_##NAME##_init##C(PARAMETERS, MPI_Info info, MPI_Request *request)                            \
    {                                                                                                                  \
        const int result = PMPI_##NAME##_init##C(UNPACK ARGUMENTS, info, request);                                     \
        if (result == MPI_SUCCESS)                                                                                     \
            record_prepared(REQUEST_COLLECTIVE, BYTES, ROOT, 0, comm, *request);                                       \
        return result;                                                                                                 \
    }

/* PARAMETERS(COUNT, OFFSET): the types of counts and of displacements. */
#define COLLECTIVE(NAME, STARTED, OPERATION, PARAMETERS, ARGUMENTS, ROOT, BYTES)                                       \
    COLLECTIVE_FORMS(NAME, STARTED, OPERATION, , TEXT(PARAMETERS(int, int)), ARGUMENTS, ROOT, BYTES)                   \
    COLLECTIVE_FORMS(NAME, STARTED, OPERATION, _c, TEXT(PARAMETERS(MPI_Count, MPI_Aint)), ARGUMENTS, ROOT, BYTES)

/* ---- the operations ---- */

COLLECTIVE_FORMS(Barrier, Ibarrier, BARRIER, , MPI_Comm comm, (comm), -1, 0)

#define ONE_BUFFER(COUNT, OFFSET) void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm
COLLECTIVE(Bcast, Ibcast, BCAST, ONE_BUFFER, (buffer, count, type, root, comm), root, bytes_of(count, type))

#define TO_ROOT(COUNT, OFFSET)                                                                                         \
    const void *from, COUNT sent, MPI_Datatype send_type, void *to, COUNT received, MPI_Datatype type, int root,       \
        MPI_Comm comm
COLLECTIVE(Gather, Igather, GATHER, TO_ROOT, (from, sent, send_type, to, received, type, root, comm), root,
           from == MPI_IN_PLACE ? bytes_of(received, type) : bytes_of(sent, send_type))
COLLECTIVE(Scatter, Iscatter, SCATTER, TO_ROOT, (from, sent, send_type, to, received, type, root, comm), root,
           is_root(root, comm) ? bytes_of(sent, send_type) : bytes_of(received, type))

#define TO_ROOT_COUNTS(COUNT, OFFSET)                                                                                  \
    const void *from, COUNT sent, MPI_Datatype send_type, void *to, const COUNT received[], const OFFSET offset[],     \
        MPI_Datatype type, int root, MPI_Comm comm
COLLECTIVE(Gatherv, Igatherv, GATHERV, TO_ROOT_COUNTS, (from, sent, send_type, to, received, offset, type, root, comm),
           root, is_root(root, comm) ? bytes_of(LARGEST(received, members(comm)), type) : bytes_of(sent, send_type))

#define FROM_ROOT_COUNTS(COUNT, OFFSET)                                                                                \
    const void *from, const COUNT sent[], const OFFSET offset[], MPI_Datatype send_type, void *to, COUNT received,     \
        MPI_Datatype type, int root, MPI_Comm comm
COLLECTIVE(Scatterv, Iscatterv, SCATTERV, FROM_ROOT_COUNTS,
           (from, sent, offset, send_type, to, received, type, root, comm), root,
           is_root(root, comm) ? bytes_of(LARGEST(sent, members(comm)), send_type) : bytes_of(received, type))

#define TO_ALL(COUNT, OFFSET)                                                                                          \
    const void *from, COUNT sent, MPI_Datatype send_type, void *to, COUNT received, MPI_Datatype type, MPI_Comm comm
#define TO_ALL_ARGUMENTS (from, sent, send_type, to, received, type, comm)
#define TO_ALL_BYTES     from == MPI_IN_PLACE ? bytes_of(received, type) : bytes_of(sent, send_type)
COLLECTIVE(Allgather, Iallgather, ALLGATHER, TO_ALL, TO_ALL_ARGUMENTS, -1, TO_ALL_BYTES)
COLLECTIVE(Alltoall, Ialltoall, ALLTOALL, TO_ALL, TO_ALL_ARGUMENTS, -1, TO_ALL_BYTES)
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, NEIGHBOR_ALLGATHER, TO_ALL, TO_ALL_ARGUMENTS, -1,
           bytes_of(sent, send_type))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, NEIGHBOR_ALLTOALL, TO_ALL, TO_ALL_ARGUMENTS, -1,
           bytes_of(sent, send_type))

#define TO_ALL_RECEIVED(COUNT, OFFSET)                                                                                 \
    const void *from, COUNT sent, MPI_Datatype send_type, void *to, const COUNT received[], const OFFSET offset[],     \
        MPI_Datatype type, MPI_Comm comm
#define TO_ALL_RECEIVED_ARGUMENTS (from, sent, send_type, to, received, offset, type, comm)
COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV, TO_ALL_RECEIVED, TO_ALL_RECEIVED_ARGUMENTS, -1,
           bytes_of(LARGEST(received, members(comm)), type))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, NEIGHBOR_ALLGATHERV, TO_ALL_RECEIVED, TO_ALL_RECEIVED_ARGUMENTS,
           -1, bytes_of(sent, send_type))

#define COUNTS(COUNT, OFFSET)                                                                                          \
    const void *from, const COUNT sent[], const OFFSET send_offset[], MPI_Datatype send_type, void *to,                \
        const COUNT received[], const OFFSET offset[], MPI_Datatype type, MPI_Comm comm
#define COUNTS_ARGUMENTS (from, sent, send_offset, send_type, to, received, offset, type, comm)
COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV, COUNTS, COUNTS_ARGUMENTS, -1,
           from == MPI_IN_PLACE ? bytes_of(LARGEST(received, members(comm)), type)
                                : bytes_of(LARGEST(sent, members(comm)), send_type))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, NEIGHBOR_ALLTOALLV, COUNTS, COUNTS_ARGUMENTS, -1,
           bytes_of(LARGEST(sent, destinations(comm)), send_type))

#define TYPES(COUNT, OFFSET)                                                                                           \
    const void *from, const COUNT sent[], const OFFSET send_offset[], const MPI_Datatype send_type[], void *to,        \
        const COUNT received[], const OFFSET offset[], const MPI_Datatype type[], MPI_Comm comm
COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW, TYPES, COUNTS_ARGUMENTS, -1,
           from == MPI_IN_PLACE ? LARGEST_OF_TYPES(received, type, members(comm))
                                : LARGEST_OF_TYPES(sent, send_type, members(comm)))
#define NEIGHBOUR_TYPES(COUNT, OFFSET) TYPES(COUNT, MPI_Aint)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, NEIGHBOR_ALLTOALLW, NEIGHBOUR_TYPES, COUNTS_ARGUMENTS, -1,
           LARGEST_OF_TYPES(sent, send_type, destinations(comm)))

#define REDUCED_TO_ROOT(COUNT, OFFSET)                                                                                 \
    const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
COLLECTIVE(Reduce, Ireduce, REDUCE, REDUCED_TO_ROOT, (from, to, count, type, op, root, comm), root,
           bytes_of(count, type))

#define REDUCED(COUNT, OFFSET) const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define REDUCED_ARGUMENTS      (from, to, count, type, op, comm)
COLLECTIVE(Allreduce, Iallreduce, ALLREDUCE, REDUCED, REDUCED_ARGUMENTS, -1, bytes_of(count, type))
COLLECTIVE(Scan, Iscan, SCAN, REDUCED, REDUCED_ARGUMENTS, -1, bytes_of(count, type))
COLLECTIVE(Exscan, Iexscan, EXSCAN, REDUCED, REDUCED_ARGUMENTS, -1, bytes_of(count, type))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK, REDUCED, REDUCED_ARGUMENTS, -1,
           bytes_of(count, type))

#define REDUCED_COUNTS(COUNT, OFFSET)                                                                                  \
    const void *from, void *to, const COUNT count[], MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, REDUCED_COUNTS, REDUCED_ARGUMENTS, -1,
           bytes_of(LARGEST(count, members(comm)), type))
