/* Ending all ranks: MPI_Abort, when what was printed has had time to get out. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/base/abort_ranks.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECOND = 1000 * 1000, TURN = 600, MAX_TURNS = 16 };

static bool mpi_runs(void)
{
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised && !finalised;
}

void wait_for_lower_ranks(void)
{
    int rank = 0;
    if (mpi_runs())
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct timespec turn = {0, TURN * MILLISECOND};
    for (int k = 0; k < rank && k < MAX_TURNS; k++)
        nanosleep(&turn, NULL);
}

void wait_for_first_rank(void)
{
    nanosleep(&(struct timespec){0, TURN * MILLISECOND}, NULL);
}

/* The reason has been given; MPICH would give another line. */
static void close_errors(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

static bool is_alone(void)
{
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks == 1;
}

/* One rank has nobody to end. MPICH's MPI_Abort would be no more than exit() there, and its launcher returns 1 instead
 * of the code when it sees the end of the process before that of its output; after MPI_Finalize it waits for both. Any
 * thread may call it here, as it may call MPI_Abort: nothing of MPI follows. */
static void end_mpi(int code)
{
    if (is_alone())
        MPI_Finalize();
    else
        MPI_Abort(MPI_COMM_WORLD, code);
}

void abort_ranks(int code)
{
    const struct timespec pause = {0, 200 * MILLISECOND};
    fflush(NULL);
    if (mpi_runs()) {
        nanosleep(&pause, NULL);
        close_errors();
        end_mpi(code);
    }
    exit(code);
}
