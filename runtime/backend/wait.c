/* Polite waiting; see the header.
 *
 * MPICH makes progress only inside MPI calls, so waiting is polling. When every rank has a core the loop spins. When
 * ranks outnumber cores a spinning rank takes the time slice of the one it waits for: it gives up the core. */
#include "runtime/backend/wait.h"

#include "runtime/backend/backend.h"
#include "runtime/base/pause.h"

void wait_step(bmf_context *ctx, int *tries)
{
    if (ctx->oversubscribed)
        pause_between_tries(tries);
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
