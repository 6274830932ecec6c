/* The moving reference loops. Elements have 8 bytes and travel as MPI_DOUBLE, whatever they are.
 *
 * Method: MPI's own collectives on contiguous parts; a projection buckets its indices by owner and asks with one
 * MPI_Alltoallv, is answered with another. Copies within a rank are shared by the threads.
 * Cost: one pass of the elements through MPI_Alltoallv, MPI_Scatterv or MPI_Gatherv; a projection also sends its
 * indices.
 */
#include "bench/reference.h"

#include <stdlib.h>
#include <string.h>

double reference_broadcast(const bench_team *team, double value)
{
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, team->comm);
    return value;
}

/* Lengths and places of a cut for MPI's int arguments; benchmarks are kept below 2^31 elements. */
static void counts_of(int ranks, const int64_t *start, int *count, int *place)
{
    for (int r = 0; r < ranks; r++) {
        count[r] = (int)(start[r + 1] - start[r]);
        place[r] = (int)start[r];
    }
}

void reference_scatter(const bench_team *team, const int64_t *to, const void *x, void *y)
{
    int count[team->ranks], place[team->ranks];
    counts_of(team->ranks, to, count, place);
    MPI_Scatterv(x, count, place, MPI_DOUBLE, team->rank == 0 ? MPI_IN_PLACE : y, count[team->rank], MPI_DOUBLE, 0,
                 team->comm);
}

void reference_gather(const bench_team *team, const int64_t *from, const void *x, void *y)
{
    int count[team->ranks], place[team->ranks];
    counts_of(team->ranks, from, count, place);
    MPI_Gatherv(x, count[team->rank], MPI_DOUBLE, y, count, place, MPI_DOUBLE, 0, team->comm);
}

static void copy(const bench_team *team, double *to, const double *from, int64_t count)
{
#pragma omp parallel for num_threads(team->threads) schedule(static)
    for (int64_t block = 0; block < team->threads; block++) {
        const int64_t begin = count * block / team->threads, end = count * (block + 1) / team->threads;
        memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof *to);
    }
}

/* [begin, end): what [a, a_end) and [b, b_end) share; empty overlaps give end = begin. */
static void overlap(int64_t a, int64_t a_end, int64_t b, int64_t b_end, int64_t *begin, int64_t *end)
{
    *begin = a > b ? a : b;
    *end = a_end < b_end ? a_end : b_end;
    *end = *end > *begin ? *end : *begin;
}

void reference_move(const bench_team *team, const int64_t *from, int64_t shift, const void *x, const int64_t *to,
                    void *y)
{
    const int me = team->rank, ranks = team->ranks;
    int send[ranks], send_place[ranks], receive[ranks], receive_place[ranks];
    int64_t begin, end, own_begin = 0, own_count = 0;
    for (int r = 0; r < ranks; r++) {
        overlap(from[me] + shift, from[me + 1] + shift, to[r], to[r + 1], &begin, &end);
        send[r] = r == me ? 0 : (int)(end - begin);
        send_place[r] = send[r] ? (int)(begin - shift - from[me]) : 0;
        own_begin = r == me ? begin : own_begin;
        own_count = r == me ? end - begin : own_count;
        overlap(from[r] + shift, from[r + 1] + shift, to[me], to[me + 1], &begin, &end);
        receive[r] = r == me ? 0 : (int)(end - begin);
        receive_place[r] = receive[r] ? (int)(begin - to[me]) : 0;
    }
    if (own_count > 0)
        copy(team, (double *)y + (own_begin - to[me]), (const double *)x + (own_begin - shift - from[me]), own_count);
    MPI_Alltoallv(x, send, send_place, MPI_DOUBLE, y, receive, receive_place, MPI_DOUBLE, team->comm);
}

static int owner_of(const bench_team *team, const int64_t *from, int64_t index)
{
    int low = 0, high = team->ranks;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (index >= from[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* One projection: counts and places of what this rank asks of each and is asked by each. Kept between calls: the wanted
 * indices by owner and the place each answer goes to; the requests that arrive; the answers out and in. */
typedef struct exchange {
    int *ask, *ask_place, *asked, *asked_place;
} exchange;

enum { WANTED, PLACE, REQUEST, ANSWER, RECEIVED, BUFFERS };
static struct {
    void *data;
    int64_t count;
} buffer[BUFFERS];

/* A buffer of count 8-byte values, or NULL. */
static void *keep(int which, int64_t count)
{
    if (!buffer[which].data || buffer[which].count < count) {
        free(buffer[which].data);
        buffer[which].data = malloc(((size_t)count + 1) * sizeof(int64_t));
        buffer[which].count = count;
    }
    return buffer[which].data;
}

void reference_project_end(void)
{
    for (int k = 0; k < BUFFERS; k++) {
        free(buffer[k].data);
        buffer[k].data = NULL;
    }
}

static void places_of(int ranks, const int *count, int *place)
{
    place[0] = 0;
    for (int r = 1; r < ranks; r++)
        place[r] = place[r - 1] + count[r - 1];
}

static void bucket(const bench_team *team, const int64_t *from, int64_t count, const int64_t *index, const exchange *e,
                   int64_t *wanted, int64_t *place)
{
    int next[team->ranks];
    memset(e->ask, 0, (size_t)team->ranks * sizeof *e->ask);
    for (int64_t i = 0; i < count; i++)
        e->ask[owner_of(team, from, index[i])]++;
    places_of(team->ranks, e->ask, e->ask_place);
    memcpy(next, e->ask_place, sizeof next);
    for (int64_t i = 0; i < count; i++) {
        const int at = next[owner_of(team, from, index[i])]++;
        wanted[at] = index[i];
        place[at] = i;
    }
}

/* Sends the wanted indices to their owners, who look them up, and takes the answers. */
static int ask(const bench_team *team, int64_t first, const double *x, const exchange *e, const int64_t *wanted,
               double *received)
{
    MPI_Alltoall(e->ask, 1, MPI_INT, e->asked, 1, MPI_INT, team->comm);
    places_of(team->ranks, e->asked, e->asked_place);
    const int64_t requests = e->asked_place[team->ranks - 1] + e->asked[team->ranks - 1];
    int64_t *request = keep(REQUEST, requests);
    double *answer = keep(ANSWER, requests);
    if (!request || !answer)
        return 1;
    MPI_Alltoallv(wanted, e->ask, e->ask_place, MPI_INT64_T, request, e->asked, e->asked_place, MPI_INT64_T,
                  team->comm);
#pragma omp parallel for num_threads(team->threads) schedule(static)
    for (int64_t i = 0; i < requests; i++)
        answer[i] = x[request[i] - first];
    MPI_Alltoallv(answer, e->asked, e->asked_place, MPI_DOUBLE, received, e->ask, e->ask_place, MPI_DOUBLE, team->comm);
    return 0;
}

static int project_over_ranks(const bench_team *team, const int64_t *from, const void *x, int64_t count,
                              const int64_t *index, double *y)
{
    int counts[4][team->ranks];
    const exchange e = {counts[0], counts[1], counts[2], counts[3]};
    int64_t *wanted = keep(WANTED, count), *place = keep(PLACE, count);
    double *received = keep(RECEIVED, count);
    if (!wanted || !place || !received)
        return 1;
    bucket(team, from, count, index, &e, wanted, place);
    if (ask(team, from[team->rank], x, &e, wanted, received) != 0)
        return 1;
#pragma omp parallel for num_threads(team->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        y[place[i]] = received[i];
    return 0;
}

static void project_in_memory(const bench_team *team, const double *x, int64_t count, const int64_t *index, double *y)
{
#pragma omp parallel for num_threads(team->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        y[i] = x[index[i]];
}

int reference_project(const bench_team *team, const int64_t *from, const void *x, int64_t count, const int64_t *index,
                      void *y)
{
    if (team->ranks > 1)
        return project_over_ranks(team, from, x, count, index, y);
    project_in_memory(team, x, count, index, y);
    return 0;
}
