/* Ending all ranks: MPI_Abort, when what was printed has had time to get out. */
#include "runtime/base/abort_ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void abort_ranks(int code)
{
    const struct timespec pause = {0, 200 * 1000 * 1000};
    int initialised = 0, finalised = 0;
    fflush(NULL);
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised && !finalised) {
        nanosleep(&pause, NULL);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    exit(code);
}
