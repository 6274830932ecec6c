/* Checks of what is started, and how: the MPI library and its launcher, ranks, threads, and the environment. */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/mpirun.h"
#include "drivers/doctor/checks.h"

/* ---- MPI ---- */

void check_library(const bmf_examination *e, bmf_finding *f)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    (void)e;
    MPI_Get_library_version(text, &length);
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    text[strcspn(text, "\n")] = '\0';
    if (!strstr(text, BMF_MPI_VERSION)) {
        slow(f, "take the library that bmf was built with (LD_LIBRARY_PATH, modules), or build bmf again",
             "%.100s, but bmf was built with " BMF_MPI_NAME " " BMF_MPI_VERSION, text);
        return;
    }
    fine(f, "%.100s", text);
}

/* The first program of that name in PATH, without links; false: there is none. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *rest = getenv("PATH");
    char candidate[PATH_MAX];
    while (rest && *rest) {
        const int length = (int)strcspn(rest, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", length, rest, name);
        if (access(candidate, X_OK) == 0 && realpath(candidate, path))
            return true;
        rest += length + (rest[length] == ':');
    }
    return false;
}

void check_mpirun(const bmf_examination *e, bmf_finding *f)
{
    char path[PATH_MAX];
    (void)e;
    if (!find_program("mpirun", path)) {
        slow(f, "load the module of " BMF_MPI_NAME ", or give the launcher by its whole path", "no mpirun in PATH");
        return;
    }
    const bool of_open_mpi = strstr(path, "openmpi") || strstr(path, "orterun") || strstr(path, "prterun");
#ifdef OPEN_MPI
    if (!of_open_mpi)
        wrong(f, "start programs by Open MPI's own launcher", "mpirun is %.150s, but bmf is built with Open MPI", path);
#else
    if (of_open_mpi)
        wrong(f, "start programs by mpirun.mpich or mpiexec.hydra: under another mpirun every process is alone",
              "mpirun is that of Open MPI (%.150s), but bmf is built with MPICH", path);
#endif
    else
        fine(f, "%.200s", path);
}

static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

void check_job(const bmf_examination *e, bmf_finding *f)
{
    const int nodes = number_in("SLURM_JOB_NUM_NODES"), tasks = number_in("SLURM_NTASKS");
    if (nodes > 1 && e->ranks == 1)
        slow(f, "start the program by " BMF_MPIRUN_NAME ", or srun " BMF_SRUN_OPTION,
             "a job of Slurm with %d nodes, but one rank", nodes);
    else if (tasks > e->ranks && e->ranks > 1)
        slow(f, "leave out -n, or ask for as many tasks as ranks", "%d ranks in a job of Slurm with %d tasks", e->ranks,
             tasks);
    else if (nodes > 0)
        fine(f, "a job of Slurm with %d nodes, %d ranks", nodes, e->ranks);
    else
        fine(f, "%d rank%s, no job of Slurm", e->ranks, e->ranks == 1 ? "" : "s");
}

/* ---- ranks and threads on cores ---- */

void check_cores(const bmf_examination *e, bmf_finding *f)
{
    const int64_t wanted = (int64_t)e->here * e->threads;
    if (e->here > e->cores)
        slow(f, "start fewer ranks; for trying only, this is fine", "%d ranks on %d core%s of this host", e->here,
             e->cores, e->cores == 1 ? "" : "s");
    else if (wanted > e->cores)
        slow(f, "set OMP_NUM_THREADS or --bmf-threads so that ranks times threads is at most the number of cores",
             "%d ranks of %d threads on %d cores of this host", e->here, e->threads, e->cores);
    else
        fine(f, "%d rank%s of %d thread%s on %d core%s of this host", e->here, e->here == 1 ? "" : "s", e->threads,
             e->threads == 1 ? "" : "s", e->cores, e->cores == 1 ? "" : "s");
}

void check_binding(const bmf_examination *e, bmf_finding *f)
{
    if (e->own_cores < e->threads && e->own_cores < e->cores)
        slow(f, "bind each rank to as many cores as it has threads: " BMF_MPIRUN_NAME " " BMF_BIND_THREADS,
             "a rank has %d threads, but is bound to %d core%s", e->threads, e->own_cores,
             e->own_cores == 1 ? "" : "s");
    else if (e->here > 1 && e->here <= e->cores && e->own_cores >= e->cores)
        slow(f, "bind them: " BMF_MPIRUN_NAME " -bind-to core, or " BMF_BIND_THREADS,
             "%d ranks may move between all %d cores", e->here, e->cores);
    else if (e->here > 1)
        fine(f, "a rank may use %d of %d cores", e->own_cores, e->cores);
    else
        fine(f, "one rank on this host");
}

void check_wait_policy(const bmf_examination *e, bmf_finding *f)
{
    const char *policy = getenv("OMP_WAIT_POLICY"), *spin = getenv("GOMP_SPINCOUNT");
    const bool active = (policy && strcasecmp(policy, "active") == 0) || (spin && strcasecmp(spin, "infinity") == 0);
    if (active && (int64_t)e->here * e->threads >= e->cores)
        slow(f, "unset OMP_WAIT_POLICY and GOMP_SPINCOUNT: waiting threads take cores from ranks that work",
             "OpenMP threads wait actively, and every core has one");
    else
        fine(f, "%s", active ? "threads wait actively; there are cores left" : "threads wait passively when idle");
}

/* ---- environment ---- */

void check_transports(const bmf_examination *e, bmf_finding *f)
{
    static const char *const inside[] = {"all", "shm", "sm", "posix", "sysv", "xpmem"};
    const char *list = getenv("UCX_TLS");
    bool has = !list || list[0] == '^';
    for (size_t k = 0; list && k < sizeof inside / sizeof inside[0]; k++)
        has = has || strstr(list, inside[k]);
    (void)e;
    if (has)
        fine(f, "%s%.100s", list ? "UCX_TLS=" : "chosen by UCX or MPI", list ? list : "");
    else
        slow(f, "add shm to UCX_TLS, or unset it", "UCX_TLS=%.100s: ranks of a host talk over the network", list);
}

void check_variables(const bmf_examination *e, bmf_finding *f)
{
    const char *debug = getenv("BMF_DEBUG"), *jit = getenv("BMF_JIT");
    (void)e;
    if (debug && strcmp(debug, "1") == 0)
        slow(f, "unset BMF_DEBUG when the program is right", "BMF_DEBUG=1: every call is checked, with messages");
    else if (jit && strcmp(jit, "0") == 0)
        slow(f, "unset BMF_JIT", "BMF_JIT=0: scalar expressions of the language are interpreted");
    else
        fine(f, "no variable that makes bmf slow");
}
