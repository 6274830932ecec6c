/* Calls whose meaning is not recorded: one-sided communication, processes that are started or met at run time,
 * intercommunicators, partitioned communication, sessions. Their time is; replaying and predicting refuse a trace that
 * has one. */
#include "predict/record/record.h"
#include "predict/record/virtual.h"

#define OPAQUE(NAME, TEXT, PARAMETERS, ARGUMENTS)                                                                      \
    RECORD_EXPORT int MPI_##NAME PARAMETERS                                                                            \
    {                                                                                                                  \
        const bmf_call c = ENTER_NAMED(TEXT);                                                                          \
        if (rec.virtual && c.begin >= 0) /* the call may wait for others */                                            \
            virtual_say_opaque(TEXT);                                                                                  \
        const int result = PMPI_##NAME ARGUMENTS;                                                                      \
        if (c.begin >= 0)                                                                                              \
            record_opaque(&c);                                                                                         \
        return result;                                                                                                 \
    }
/* With counts of int, and of COUNT. */
#define OPAQUE_COUNTED(NAME, TEXT, PARAMETERS, COUNT, ARGUMENTS)                                                       \
    OPAQUE(NAME, TEXT, PARAMETERS(int), ARGUMENTS)                                                                     \
    OPAQUE(NAME##_c, TEXT, PARAMETERS(COUNT), ARGUMENTS)

OPAQUE(Intercomm_create, "intercomm_create",
       (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm),
       (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
OPAQUE(Intercomm_create_from_groups, "intercomm_create_from_groups",
       (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag,
        MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm),
       (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm))
OPAQUE(Intercomm_merge, "intercomm_merge", (MPI_Comm intercomm, int high, MPI_Comm *newintracomm),
       (intercomm, high, newintracomm))
OPAQUE(Comm_create_from_group, "comm_create_from_group",
       (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm),
       (group, stringtag, info, errhandler, newcomm))
OPAQUE(Session_init, "session_init", (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session),
       (info, errhandler, session))
OPAQUE(Parrived, "parrived", (MPI_Request request, int partition, int *flag), (request, partition, flag))
OPAQUE(Pready, "pready", (int partition, MPI_Request request), (partition, request))
OPAQUE(Pready_list, "pready_list", (int length, int array_of_partitions[], MPI_Request request),
       (length, array_of_partitions, request))
OPAQUE(Pready_range, "pready_range", (int partition_low, int partition_high, MPI_Request request),
       (partition_low, partition_high, request))
OPAQUE(Precv_init, "precv_init",
       (void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Info info, MPI_Request *request),
       (buf, partitions, count, datatype, dest, tag, comm, info, request))
OPAQUE(Psend_init, "psend_init",
       (const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Info info, MPI_Request *request),
       (buf, partitions, count, datatype, dest, tag, comm, info, request))
#define ACCUMULATE(COUNT)                                                                                              \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
OPAQUE_COUNTED(Accumulate, "accumulate", ACCUMULATE, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op,
                win))

OPAQUE(Compare_and_swap, "compare_and_swap",
       (const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
        MPI_Aint target_disp, MPI_Win win),
       (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win))
OPAQUE(Fetch_and_op, "fetch_and_op",
       (const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
        MPI_Op op, MPI_Win win),
       (origin_addr, result_addr, datatype, target_rank, target_disp, op, win))
#define GET(COUNT)                                                                                                     \
    (void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,       \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Win win)
OPAQUE_COUNTED(Get, "get", GET, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
                win))

#define GET_ACCUMULATE(COUNT)                                                                                          \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, void *result_addr, COUNT result_count, \
     MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count,                          \
     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
OPAQUE_COUNTED(Get_accumulate, "get_accumulate", GET_ACCUMULATE, MPI_Count,
               (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank,
                target_disp, target_count, target_datatype, op, win))

#define PUT(COUNT)                                                                                                     \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Win win)
OPAQUE_COUNTED(Put, "put", PUT, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
                win))

#define RACCUMULATE(COUNT)                                                                                             \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
OPAQUE_COUNTED(Raccumulate, "raccumulate", RACCUMULATE, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op,
                win, request))

#define RGET(COUNT)                                                                                                    \
    (void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,       \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
OPAQUE_COUNTED(Rget, "rget", RGET, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
                win, request))

#define RGET_ACCUMULATE(COUNT)                                                                                         \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, void *result_addr, COUNT result_count, \
     MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count,                          \
     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
OPAQUE_COUNTED(Rget_accumulate, "rget_accumulate", RGET_ACCUMULATE, MPI_Count,
               (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank,
                target_disp, target_count, target_datatype, op, win, request))

#define RPUT(COUNT)                                                                                                    \
    (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, \
     COUNT target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
OPAQUE_COUNTED(Rput, "rput", RPUT, MPI_Count,
               (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
                win, request))

#define WIN_ALLOCATE(COUNT) (MPI_Aint size, COUNT disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
OPAQUE_COUNTED(Win_allocate, "win_allocate", WIN_ALLOCATE, MPI_Aint, (size, disp_unit, info, comm, baseptr, win))

#define WIN_ALLOCATE_SHARED(COUNT)                                                                                     \
    (MPI_Aint size, COUNT disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
OPAQUE_COUNTED(Win_allocate_shared, "win_allocate_shared", WIN_ALLOCATE_SHARED, MPI_Aint,
               (size, disp_unit, info, comm, baseptr, win))

OPAQUE(Win_attach, "win_attach", (MPI_Win win, void *base, MPI_Aint size), (win, base, size))
OPAQUE(Win_complete, "win_complete", (MPI_Win win), (win))
#define WIN_CREATE(COUNT) (void *base, MPI_Aint size, COUNT disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
OPAQUE_COUNTED(Win_create, "win_create", WIN_CREATE, MPI_Aint, (base, size, disp_unit, info, comm, win))

OPAQUE(Win_create_dynamic, "win_create_dynamic", (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))
OPAQUE(Win_fence, "win_fence", (int assert, MPI_Win win), (assert, win))
OPAQUE(Win_flush, "win_flush", (int rank, MPI_Win win), (rank, win))
OPAQUE(Win_flush_all, "win_flush_all", (MPI_Win win), (win))
OPAQUE(Win_flush_local, "win_flush_local", (int rank, MPI_Win win), (rank, win))
OPAQUE(Win_flush_local_all, "win_flush_local_all", (MPI_Win win), (win))
OPAQUE(Win_free, "win_free", (MPI_Win * win), (win))
OPAQUE(Win_lock, "win_lock", (int lock_type, int rank, int assert, MPI_Win win), (lock_type, rank, assert, win))
OPAQUE(Win_lock_all, "win_lock_all", (int assert, MPI_Win win), (assert, win))
OPAQUE(Win_post, "win_post", (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
OPAQUE(Win_start, "win_start", (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
OPAQUE(Win_sync, "win_sync", (MPI_Win win), (win))
OPAQUE(Win_test, "win_test", (MPI_Win win, int *flag), (win, flag))
OPAQUE(Win_unlock, "win_unlock", (int rank, MPI_Win win), (rank, win))
OPAQUE(Win_unlock_all, "win_unlock_all", (MPI_Win win), (win))
OPAQUE(Win_wait, "win_wait", (MPI_Win win), (win))
OPAQUE(Comm_accept, "comm_accept", (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
       (port_name, info, root, comm, newcomm))
OPAQUE(Comm_connect, "comm_connect", (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
       (port_name, info, root, comm, newcomm))
OPAQUE(Comm_join, "comm_join", (int fd, MPI_Comm *intercomm), (fd, intercomm))
OPAQUE(Comm_spawn, "comm_spawn",
       (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
        int array_of_errcodes[]),
       (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
OPAQUE(Comm_spawn_multiple, "comm_spawn_multiple",
       (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]),
       (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm,
        array_of_errcodes))
