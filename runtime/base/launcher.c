#define _GNU_SOURCE
#include "runtime/base/launcher.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct launcher {
    const char *name, *rank, *size;
} launcher;

/* Those first that others start: on a cluster with Slurm, mpirun starts its helpers by srun. */
static const launcher launchers[] = {{"mpirun of MPICH", "PMI_RANK", "PMI_SIZE"},
                                     {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                     {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

#ifdef OPEN_MPI
static const char *const library = "Open MPI", *const remedy = "mpirun of Open MPI, or srun --mpi=pmix";
#else
static const char *const library = "MPICH", *const remedy = "mpirun.mpich, or srun --mpi=pmi2";
#endif

/* The first that left its variables; NULL: none. */
static const launcher *find_launcher(void)
{
    for (int k = 0; k < LAUNCHERS; k++)
        if (getenv(launchers[k].rank) && getenv(launchers[k].size))
            return &launchers[k];
    return NULL;
}

int launcher_rank(void)
{
    const launcher *by = find_launcher();
    return by ? atoi(getenv(by->rank)) : 0;
}

bool launcher_is_foreign(int ranks, char *text, size_t bytes)
{
    const launcher *by = find_launcher();
    const char *independent = getenv("BMF_INDEPENDENT");
    const int started = by ? atoi(getenv(by->size)) : 1;
    if (ranks > 1 || started <= 1 || (independent && strcmp(independent, "1") == 0))
        return false;
    snprintf(text, bytes,
             "%s started %d processes, but each of them is alone: bmf is built with %s; start them by %s "
             "(BMF_INDEPENDENT=1 lets each run alone)",
             by->name, started, library, remedy);
    return true;
}

/* What Open MPI's mpirun tells its processes; what a user tells it (OMPI_MCA_rmaps_..) stays. */
static void leave_open_mpi(void)
{
    static const char *const start[] = {"PMIX_", "OMPI_COMM_WORLD_", "OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix"};
    for (char **at = environ; at && *at;) {
        char name[256];
        bool found = false;
        for (size_t k = 0; k < sizeof start / sizeof start[0]; k++)
            found = found || strncmp(*at, start[k], strlen(start[k])) == 0;
        const size_t length = strcspn(*at, "=");
        if (!found || length >= sizeof name) {
            at++;
            continue;
        }
        memcpy(name, *at, length);
        name[length] = '\0';
        unsetenv(name);
        at = environ;
    }
}

void launcher_leave(void)
{
    static const char *const connection[] = {"PMI_FD", "PMI_PORT", "PMI_ID", "PMI_SPAWNED"};
    for (size_t k = 0; k < sizeof connection / sizeof connection[0]; k++)
        unsetenv(connection[k]);
    for (int k = 0; k < LAUNCHERS; k++) {
        unsetenv(launchers[k].rank);
        unsetenv(launchers[k].size);
    }
    leave_open_mpi();
}
