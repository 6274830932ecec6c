/* Making communicators. The operation is a collective on the communicator that it starts from; what is made gets a
 * group of its own (groups.c). */
#include "predict/record/virtual.h"

/* Bytes of what is gathered to split a communicator: color and key. */
enum { SPLIT_BYTES = 2 * (int)sizeof(int) };

/* PARENT and MADE are among the parameters. The number of the call is the parent's, whether or not it is recorded. */
#define MAKING(NAME, OPERATION, PARAMETERS, ARGUMENTS, BYTES)                                                          \
    RECORD_EXPORT int MPI_##NAME PARAMETERS                                                                            \
    {                                                                                                                  \
        const bmf_call c = ENTER(OPERATION);                                                                           \
        const bmf_communicator *of = rec.open ? group_of(comm) : NULL;                                                 \
        const int64_t number = of ? of->calls : 0;                                                                     \
        if (rec.virtual && c.begin >= 0) {                                                                             \
            virtual_say_collective(c.operation, BYTES, -1, comm);                                                      \
            virtual_flush();                                                                                           \
        }                                                                                                              \
        const int result = PMPI_##NAME ARGUMENTS;                                                                      \
        if (c.begin >= 0)                                                                                              \
            record_collective(&c, BYTES, -1, comm);                                                                    \
        else if (of)                                                                                                   \
            group_of(comm)->calls++;                                                                                   \
        if (result == MPI_SUCCESS)                                                                                     \
            group_made(of, number, *made);                                                                             \
        return result;                                                                                                 \
    }

MAKING(Comm_split, COMM_SPLIT, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made),
       SPLIT_BYTES)
MAKING(Comm_split_type, COMM_SPLIT_TYPE, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
       (comm, type, key, info, made), SPLIT_BYTES)
MAKING(Comm_dup, COMM_DUP, (MPI_Comm comm, MPI_Comm *made), (comm, made), 0)
MAKING(Comm_dup_with_info, COMM_DUP, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made), 0)
MAKING(Comm_create, COMM_CREATE, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), 0)
MAKING(Cart_create, CART_CREATE,
       (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *made),
       (comm, ndims, dims, periods, reorder, made), 0)
MAKING(Cart_sub, CART_SUB, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made), SPLIT_BYTES)
MAKING(Graph_create, GRAPH_CREATE,
       (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made),
       (comm, nodes, index, edges, reorder, made), 0)
MAKING(Dist_graph_create, DIST_GRAPH_CREATE,
       (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
        MPI_Info info, int reorder, MPI_Comm *made),
       (comm, n, sources, degrees, destinations, weights, info, reorder, made), 0)
MAKING(Dist_graph_create_adjacent, DIST_GRAPH_CREATE,
       (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int destinations[],
        const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
       (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made), 0)

/* ---- the nonblocking ones: the communicator is there when the request is finished ---- */

#define MAKING_LATER(NAME, PARAMETERS, ARGUMENTS)                                                                      \
    RECORD_EXPORT int MPI_##NAME PARAMETERS                                                                            \
    {                                                                                                                  \
        const bmf_call c = ENTER(COMM_IDUP);                                                                           \
        const int result = PMPI_##NAME ARGUMENTS;                                                                      \
        bmf_request *r = c.begin >= 0 ? record_start_collective(&c, 0, -1, comm, *started) : NULL;                     \
        if (r)                                                                                                         \
            r->making = made;                                                                                          \
        return result;                                                                                                 \
    }
MAKING_LATER(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *started), (comm, made, started))
MAKING_LATER(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *started),
             (comm, info, made, started))

/* ---- others ---- */

/* Only the members of the group take part: an event of the rank alone. */
RECORD_EXPORT int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const bmf_call c = ENTER(COMM_CREATE_GROUP);
    if (rec.virtual && c.begin >= 0)
        virtual_say_members(c.operation, comm, group, tag);
    const int result = PMPI_Comm_create_group(comm, group, tag, made);
    if (result == MPI_SUCCESS)
        group_made_alone(*made);
    if (c.begin >= 0 && *made != MPI_COMM_NULL && group_of(*made))
        record_collective(&c, 0, -1, *made);
    else if (c.begin >= 0)
        record_local(&c);
    return result;
}

RECORD_EXPORT int MPI_Comm_free(MPI_Comm *comm)
{
    const bmf_call c = ENTER(COMM_FREE);
    if (rec.open)
        group_freed(*comm);
    const int result = PMPI_Comm_free(comm);
    if (c.begin >= 0)
        record_local(&c);
    return result;
}

RECORD_EXPORT int MPI_Comm_disconnect(MPI_Comm *comm)
{
    const bmf_call c = ENTER(COMM_FREE);
    if (rec.open)
        group_freed(*comm);
    const int result = PMPI_Comm_disconnect(comm);
    if (c.begin >= 0)
        record_local(&c);
    return result;
}

RECORD_EXPORT int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    const int result = PMPI_Comm_set_name(comm, name);
    if (result == MPI_SUCCESS)
        group_named(comm);
    return result;
}
