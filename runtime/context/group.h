/* Groups: a context over the first ranks of another one, on which skeletons run as if the program had been started with
 * so few ranks. For measuring how costs grow with the number of ranks. */
#ifndef BMF_GROUP_H
#define BMF_GROUP_H

#include "bmf/context.h"

/* Opens a context over ranks 0 .. ranks - 1 of ctx, with one processor for every rank, the threads and modes of ctx,
 * and no trace. *group is NULL on the other ranks. The group is oversubscribed only if its own ranks outnumber
 * the cores of their host. Collective over ctx (blocking: MPI has no other way to divide a communicator). Closed by
 * bmf_close. Errors: BMF_ERROR_ARGUMENT unless 1 <= ranks <= the ranks of ctx. */
int group_open(bmf_context *ctx, int ranks, bmf_context **group);
#endif
