/* The recorder's clock.
 *
 * Method: where the processor's time stamp counter runs at one speed on all cores, it is read: 20 ns, where a
 * reading of CLOCK_MONOTONIC takes 50 to 75 on a virtual machine. The first rank of every host measures the
 * counter's speed against that clock, and the other ranks of the host take it from there, so that they agree however
 * exact it is. Hosts are brought to rank 0's time by messages to and fro, of which the fastest says the most (F.
 * Cristian, 1989), in MPI_Init and again in MPI_Finalize: what they have drifted apart by then grew evenly. Time 0 is
 * when the last rank of rank 0's host had come to MPI_Init. Rank 0 tells that to all: a clock that is before it then
 * was set wrong by slow messages, and begins there. An offset that the messages are too slow to tell from none is none.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "predict/record/record.h"

__extension__ typedef unsigned __int128 wide;

enum { SECOND = 1000000000, MEASURED_FOR = 10000000, ROUND_TRIPS = 16 };

/* ns = ((ticks - first) * speed >> 32) + shift */
static struct {
    bool counts; /* ticks are the counter's; else nanoseconds */
    uint64_t first, speed;
    int64_t shift;
} base;

/* When the library was loaded: the longer ago, the more exact the speed. */
static uint64_t loaded_ticks;
static int64_t loaded_at;

static int64_t monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

#if defined(__x86_64__)
/* Linux says so in the flags of every core. */
static bool counter_is_steady(void)
{
    char line[8192];
    bool steady = false;
    FILE *stream = fopen("/proc/cpuinfo", "re");
    while (stream && !steady && fgets(line, sizeof line, stream))
        steady = strncmp(line, "flags", 5) == 0 && strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
    if (stream)
        fclose(stream);
    return steady;
}
static inline uint64_t ticks(void)
{
    return __rdtsc();
}
#else
static bool counter_is_steady(void)
{
    return false;
}
static inline uint64_t ticks(void)
{
    return 0;
}
#endif

__attribute__((constructor)) static void note_loading(void)
{
    loaded_at = monotonic();
    loaded_ticks = ticks();
}

int64_t clock_now(void)
{
    if (!base.counts)
        return monotonic() + base.shift;
    const wide product = (wide)(ticks() - base.first) * base.speed;
    return (int64_t)(uint64_t)(product >> 32) + base.shift;
}

int64_t clock_processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static void measure_speed(void)
{
    while (monotonic() - loaded_at < MEASURED_FOR)
        nanosleep(&(struct timespec){0, MEASURED_FOR / 10}, NULL);
    const int64_t now = monotonic();
    const uint64_t counted = ticks();
    base.first = counted;
    base.speed = (uint64_t)((double)(now - loaded_at) / (double)(counted - loaded_ticks) * 4294967296.0);
    base.shift = now;
}

/* This host's clock minus rank 0's, by the first rank of the host; 0 on rank 0's own, and if it may be. */
static int64_t measure_offset(MPI_Comm world, int rank)
{
    int64_t best = INT64_MAX, offset = 0, theirs;
    for (int k = 0; k < ROUND_TRIPS; k++) {
        const int64_t sent = clock_now();
        PMPI_Sendrecv(&sent, 1, MPI_INT64_T, 0, rank, &theirs, 1, MPI_INT64_T, 0, rank, world, MPI_STATUS_IGNORE);
        const int64_t came = clock_now();
        if (came - sent < best) {
            best = came - sent;
            offset = sent + best / 2 - theirs;
        }
    }
    return offset > -best / 2 && offset < best / 2 ? 0 : offset;
}

static void answer(MPI_Comm world, int rank)
{
    int64_t theirs, mine;
    for (int k = 0; k < ROUND_TRIPS; k++) {
        PMPI_Recv(&theirs, 1, MPI_INT64_T, rank, rank, world, MPI_STATUS_IGNORE);
        mine = clock_now();
        PMPI_Send(&mine, 1, MPI_INT64_T, rank, rank, world);
    }
}

/* The first ranks of hosts, one after the other, with rank 0. */
static int64_t compare_hosts(MPI_Comm world, bool first)
{
    int rank, ranks, is_first = first;
    int64_t offset = 0;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &ranks);
    for (int r = 1; r < ranks; r++) {
        int asks = is_first;
        polite_bcast(&asks, (int)sizeof asks, r, world);
        if (asks && rank == r)
            offset = measure_offset(world, r);
        else if (asks && rank == 0)
            answer(world, r);
    }
    return offset;
}

/* This host's clock minus rank 0's, on all ranks of the host. */
static int64_t host_offset(MPI_Comm world, MPI_Comm host)
{
    int rank, on_host, ranks;
    PMPI_Comm_rank(host, &rank);
    PMPI_Comm_size(host, &on_host);
    PMPI_Comm_size(world, &ranks);
    int several = polite_allreduce(on_host < ranks, MPI_MAX, world);
    int64_t offset = several ? compare_hosts(world, rank == 0) : 0;
    polite_bcast(&offset, (int)sizeof offset, 0, host);
    return offset;
}

double clock_drift(MPI_Comm world, MPI_Comm host)
{
    const int64_t offset = host_offset(world, host), now = clock_now();
    return offset != 0 && now > 0 ? (double)offset / (double)now : 0.0;
}

void clock_open(MPI_Comm world, MPI_Comm host)
{
    int rank;
    PMPI_Comm_rank(host, &rank);
    if (rank == 0 && (base.counts = counter_is_steady()))
        measure_speed();
    polite_bcast(&base, (int)sizeof base, 0, host);
    const int64_t offset = host_offset(world, host);
    polite_barrier(world);
    int64_t start = clock_now() - offset;
    polite_bcast(&start, (int)sizeof start, 0, world);
    base.shift -= offset + start;
    int64_t early = clock_now() < 0 ? -clock_now() : 0;
    polite_bcast(&early, (int)sizeof early, 0, host);
    base.shift += early;
}
