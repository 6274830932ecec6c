/* Polite waiting; see the header.
 *
 * MPICH makes progress only inside MPI calls, so waiting is polling. When every rank has a core the loop spins. When
 * ranks outnumber cores a spinning rank takes the time slice of the one it waits for: after a few tries each further
 * one gives up the core for a short sleep. */
#define _GNU_SOURCE
#include "runtime/backend/wait.h"

#include <time.h>

#include "runtime/backend/backend.h"

enum { TRIES_BEFORE_SLEEP = 20 };
static const long shortest_sleep_ns = 1000, longest_sleep_ns = 200000;

void wait_step(bmf_context *ctx, int *tries)
{
    if (!ctx->oversubscribed || ++*tries < TRIES_BEFORE_SLEEP)
        return;
    /* Doubles every eight tries: short waits stay short, long ones leave the cores alone. */
    int doublings = (*tries - TRIES_BEFORE_SLEEP) / 8;
    long sleep_ns = doublings > 7 ? longest_sleep_ns : shortest_sleep_ns << doublings;
    nanosleep(&(struct timespec){0, sleep_ns}, NULL);
}

void wait_all(bmf_context *ctx, int count, MPI_Request *requests)
{
    int done = 0, tries = 0;
    for (;;) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        wait_step(ctx, &tries);
    }
}

int wait_some(bmf_context *ctx, int count, MPI_Request *requests, int *indices, MPI_Status *statuses)
{
    int finished = 0, tries = 0;
    for (;;) {
        MPI_Testsome(count, requests, &finished, indices, statuses);
        if (finished == MPI_UNDEFINED)
            return 0;
        if (finished > 0)
            return finished;
        wait_step(ctx, &tries);
    }
}
