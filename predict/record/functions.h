/* The MPI calls that are recorded: X(operation, name). Names stand in traces; `bmf compare --by call` shows them in
 * capitals. A call and its variant for large counts (_c) are one operation. */
#ifndef BMF_RECORD_FUNCTIONS_H
#define BMF_RECORD_FUNCTIONS_H

#define RECORD_POINT(X)                                                                                                \
    X(SEND, "send")                                                                                                    \
    X(SSEND, "ssend")                                                                                                  \
    X(RSEND, "rsend")                                                                                                  \
    X(BSEND, "bsend")                                                                                                  \
    X(ISEND, "isend")                                                                                                  \
    X(ISSEND, "issend")                                                                                                \
    X(IRSEND, "irsend")                                                                                                \
    X(IBSEND, "ibsend")                                                                                                \
    X(RECV, "recv")                                                                                                    \
    X(IRECV, "irecv")                                                                                                  \
    X(MRECV, "mrecv")                                                                                                  \
    X(IMRECV, "imrecv")                                                                                                \
    X(SENDRECV, "sendrecv")                                                                                            \
    X(SENDRECV_REPLACE, "sendrecv_replace")                                                                            \
    X(ISENDRECV, "isendrecv")                                                                                          \
    X(ISENDRECV_REPLACE, "isendrecv_replace")                                                                          \
    X(PROBE, "probe")                                                                                                  \
    X(IPROBE, "iprobe")                                                                                                \
    X(MPROBE, "mprobe")                                                                                                \
    X(IMPROBE, "improbe")

#define RECORD_REQUEST(X)                                                                                              \
    X(WAIT, "wait")                                                                                                    \
    X(WAITALL, "waitall")                                                                                              \
    X(WAITANY, "waitany")                                                                                              \
    X(WAITSOME, "waitsome")                                                                                            \
    X(TEST, "test")                                                                                                    \
    X(TESTALL, "testall")                                                                                              \
    X(TESTANY, "testany")                                                                                              \
    X(TESTSOME, "testsome")                                                                                            \
    X(START, "start")                                                                                                  \
    X(STARTALL, "startall")                                                                                            \
    X(REQUEST_GET_STATUS, "request_get_status")

/* Blocking and nonblocking. */
#define RECORD_COLLECTIVE(X)                                                                                           \
    X(BARRIER, "barrier")                                                                                              \
    X(BCAST, "bcast")                                                                                                  \
    X(GATHER, "gather")                                                                                                \
    X(GATHERV, "gatherv")                                                                                              \
    X(SCATTER, "scatter")                                                                                              \
    X(SCATTERV, "scatterv")                                                                                            \
    X(ALLGATHER, "allgather")                                                                                          \
    X(ALLGATHERV, "allgatherv")                                                                                        \
    X(ALLTOALL, "alltoall")                                                                                            \
    X(ALLTOALLV, "alltoallv")                                                                                          \
    X(ALLTOALLW, "alltoallw")                                                                                          \
    X(REDUCE, "reduce")                                                                                                \
    X(ALLREDUCE, "allreduce")                                                                                          \
    X(REDUCE_SCATTER, "reduce_scatter")                                                                                \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                                                                    \
    X(SCAN, "scan")                                                                                                    \
    X(EXSCAN, "exscan")                                                                                                \
    X(NEIGHBOR_ALLGATHER, "neighbor_allgather")                                                                        \
    X(NEIGHBOR_ALLGATHERV, "neighbor_allgatherv")                                                                      \
    X(NEIGHBOR_ALLTOALL, "neighbor_alltoall")                                                                          \
    X(NEIGHBOR_ALLTOALLV, "neighbor_alltoallv")                                                                        \
    X(NEIGHBOR_ALLTOALLW, "neighbor_alltoallw")                                                                        \
    X(IBARRIER, "ibarrier")                                                                                            \
    X(IBCAST, "ibcast")                                                                                                \
    X(IGATHER, "igather")                                                                                              \
    X(IGATHERV, "igatherv")                                                                                            \
    X(ISCATTER, "iscatter")                                                                                            \
    X(ISCATTERV, "iscatterv")                                                                                          \
    X(IALLGATHER, "iallgather")                                                                                        \
    X(IALLGATHERV, "iallgatherv")                                                                                      \
    X(IALLTOALL, "ialltoall")                                                                                          \
    X(IALLTOALLV, "ialltoallv")                                                                                        \
    X(IALLTOALLW, "ialltoallw")                                                                                        \
    X(IREDUCE, "ireduce")                                                                                              \
    X(IALLREDUCE, "iallreduce")                                                                                        \
    X(IREDUCE_SCATTER, "ireduce_scatter")                                                                              \
    X(IREDUCE_SCATTER_BLOCK, "ireduce_scatter_block")                                                                  \
    X(ISCAN, "iscan")                                                                                                  \
    X(IEXSCAN, "iexscan")                                                                                              \
    X(INEIGHBOR_ALLGATHER, "ineighbor_allgather")                                                                      \
    X(INEIGHBOR_ALLGATHERV, "ineighbor_allgatherv")                                                                    \
    X(INEIGHBOR_ALLTOALL, "ineighbor_alltoall")                                                                        \
    X(INEIGHBOR_ALLTOALLV, "ineighbor_alltoallv")                                                                      \
    X(INEIGHBOR_ALLTOALLW, "ineighbor_alltoallw")

#define RECORD_COMMUNICATOR(X)                                                                                         \
    X(COMM_SPLIT, "comm_split")                                                                                        \
    X(COMM_SPLIT_TYPE, "comm_split_type")                                                                              \
    X(COMM_DUP, "comm_dup")                                                                                            \
    X(COMM_IDUP, "comm_idup")                                                                                          \
    X(COMM_CREATE, "comm_create")                                                                                      \
    X(COMM_CREATE_GROUP, "comm_create_group")                                                                          \
    X(COMM_FREE, "comm_free")                                                                                          \
    X(CART_CREATE, "cart_create")                                                                                      \
    X(CART_SUB, "cart_sub")                                                                                            \
    X(GRAPH_CREATE, "graph_create")                                                                                    \
    X(DIST_GRAPH_CREATE, "dist_graph_create")

/* Computing, phases, and calls of which only the name is kept. */
#define RECORD_OTHER(X)                                                                                                \
    X(COMPUTE, "compute")                                                                                              \
    X(STEPS, "steps")                                                                                                  \
    X(FINALIZE, "finalize")                                                                                            \
    X(ABORT, "abort")                                                                                                  \
    X(WTIME, "wtime")

#endif
