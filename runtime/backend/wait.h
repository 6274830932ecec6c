/* Waiting: the one function that waits for MPI (design: MPICH spins; with more ranks than cores that costs a scheduler
 * slice per message). Spins while every rank has a core of its own, otherwise gives up the core between tries and
 * sleeps when waiting gets long (runtime/base/pause.h). All communication in bmf is non-blocking and ends here. */
#ifndef BMF_WAIT_H
#define BMF_WAIT_H

#include <mpi.h>

#include "bmf/context.h"

/* Waits for all `count` requests; they become MPI_REQUEST_NULL. */
void wait_all(bmf_context *ctx, int count, MPI_Request *requests);
/* Waits for at least one; fills indices[0..return value) with those that finished, and statuses with theirs. 0 when all
 * are null. */
int wait_some(bmf_context *ctx, int count, MPI_Request *requests, int *indices, MPI_Status *statuses);
/* One step of waiting in a loop of one's own: call with a counter that starts at 0. */
void wait_step(bmf_context *ctx, int *tries);

#endif
