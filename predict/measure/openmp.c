/* OpenMP constructs: what it costs to start, synchronise and feed a team of threads.
 *
 * Method: one process with teams of 1, 2, 4, .. threads, p of the sheet, while the other ranks sleep. Barriers are
 * timed in a row inside one parallel region; all others include the region. Whether threads of a team spin or sleep
 * while they wait is up to OMP_WAIT_POLICY. Source: J. M. Bull, "Measuring synchronisation and scheduling overheads in
 * OpenMP", EWOMP 1999, for what to measure. */
#include <omp.h>
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"

enum { BARRIERS = 64, LARGEST_LOOP = 1 << 16 };

typedef enum openmp_kind { FORK_JOIN, BARRIER, REDUCTION, STATIC, DYNAMIC, GUIDED } openmp_kind;

static volatile double sink;

static int open_openmp(measure_site *site)
{
    int64_t *data = site->state = allocate_clear(site->elements + 1, (int64_t)sizeof *data);
    data[site->elements] = site->team;
    return BMF_OK;
}

static void run_loop(openmp_kind kind, int team, int64_t count, int64_t *data)
{
    switch (kind) {
    case STATIC:
#pragma omp parallel for num_threads(team) schedule(static)
        for (int64_t i = 0; i < count; i++)
            data[i] += i;
        break;
    case DYNAMIC:
#pragma omp parallel for num_threads(team) schedule(dynamic)
        for (int64_t i = 0; i < count; i++)
            data[i] += i;
        break;
    default:
#pragma omp parallel for num_threads(team) schedule(guided)
        for (int64_t i = 0; i < count; i++)
            data[i] += i;
    }
}

static void run_barriers(measure_site *site)
{
#pragma omp parallel num_threads(site->team)
    for (int k = 0; k < BARRIERS; k++) {
#pragma omp barrier
    }
    site->seconds = measure_elapsed(site) / BARRIERS;
}

static int run_openmp(measure_site *site)
{
    const openmp_kind kind = (openmp_kind)site->operation->which;
    const int team = site->team;
    int64_t *data = site->state;
    double total = 0;
    switch (kind) {
    case FORK_JOIN:
#pragma omp parallel num_threads(team)
#pragma omp master
        sink = 1; /* so that there is something to run */
        break;
    case BARRIER:
        run_barriers(site);
        break;
    case REDUCTION:
#pragma omp parallel num_threads(team) reduction(+ : total)
        total += 1;
        sink = total;
        break;
    default:
        run_loop(kind, team, site->elements, data);
    }
    return BMF_OK;
}

static void close_openmp(measure_site *site)
{
    free(site->state);
}

#define OPENMP(name, kind, meaning, min, max)                                                                          \
    {                                                                                                                  \
        name, BMF_FAMILY_THREADS, meaning, kind, 1, min, max, false, true, NULL, open_openmp, NULL, run_openmp, NULL,  \
            close_openmp                                                                                               \
    }

static const measure_operation operations[] = {
    OPENMP("omp_fork_join", FORK_JOIN, "an empty parallel region", 0, 0),
    OPENMP("omp_barrier", BARRIER, "a barrier inside a region", 0, 0),
    OPENMP("omp_reduction", REDUCTION, "a region that adds one real of every thread", 0, 0),
    OPENMP("omp_for_static", STATIC, "a region with a loop of d iterations, schedule(static)", 1, LARGEST_LOOP),
    OPENMP("omp_for_dynamic", DYNAMIC, "a region with a loop of d iterations, schedule(dynamic)", 1, LARGEST_LOOP),
    OPENMP("omp_for_guided", GUIDED, "a region with a loop of d iterations, schedule(guided)", 1, LARGEST_LOOP),
};

const measure_table measure_openmp_table = {operations, sizeof operations / sizeof operations[0]};
