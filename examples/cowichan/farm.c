/* farm: rank 0 gives packets of work to whoever asks, the last rank collects results, the others work.
 *
 * A worker asks (1 int), gets a packet (tag PACKET) or the end (tag END), computes for a time that belongs to the
 * packet (exponential, whoever works on it), and sends as many ints to the collector. The first and the last rank
 * receive from MPI_ANY_SOURCE: who comes first depends on the times. */
#include "bmf_mark.h"
#include "common.h"

#include <math.h>
#include <stdlib.h>

enum { REQUEST, PACKET, END, RESULT };

struct farm {
    int64_t packets, size;
    double mean; /* seconds of work a packet */
};

static double work_of(const struct run *run, const struct farm *farm, int64_t packet)
{
    const uint32_t r = random_next(random_jump((uint32_t)run->seed, (uint64_t)packet));
    return -farm->mean * log((r + 1.0) / 4294967297.0);
}

/* Element k of the result of a packet. */
static int32_t result_of(int64_t packet, int64_t k)
{
    return (int32_t)(random_next((uint32_t)(packet + 1000 * k)) >> 1);
}

static void give(const struct run *run, const struct farm *farm)
{
    int32_t *const packet = memory(farm->size, sizeof *packet);
    int workers = run->ranks - 2;
    for (int64_t next = 0; workers > 0; next++) {
        MPI_Status status;
        int request;
        const bool more = next < farm->packets;
        MPI_Recv(&request, 1, MPI_INT, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
        packet[0] = (int32_t)next;
        MPI_Send(packet, (int)farm->size, MPI_INT32_T, status.MPI_SOURCE, more ? PACKET : END, MPI_COMM_WORLD);
        workers -= !more;
    }
    free(packet);
}

/* Computes for a time: of the clock, which a recorder may have replaced, and in steps of a microsecond for it. */
static void compute_for(double seconds)
{
    const double start = MPI_Wtime();
    bmf_compute(seconds * 1e6);
    while (MPI_Wtime() - start < seconds)
        ;
}

static void work(const struct run *run, const struct farm *farm)
{
    int32_t *const packet = memory(farm->size, sizeof *packet);
    for (;;) {
        MPI_Status status;
        const int request = run->rank;
        MPI_Send(&request, 1, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(packet, (int)farm->size, MPI_INT32_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == END)
            break;
        const int64_t number = packet[0];
        compute_for(work_of(run, farm, number));
        for (int64_t k = 1; k < farm->size; k++)
            packet[k] = result_of(number, k);
        MPI_Send(packet, (int)farm->size, MPI_INT32_T, run->ranks - 1, RESULT, MPI_COMM_WORLD);
    }
    free(packet);
}

/* All results, by packet. */
static void collect(const struct farm *farm, struct matrix *results)
{
    int32_t *const result = memory(farm->size, sizeof *result);
    for (int64_t left = farm->packets; left > 0; left--) {
        MPI_Recv(result, (int)farm->size, MPI_INT32_T, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int64_t k = 0; k < farm->size; k++)
            int_row(results, result[0])[k] = result[k];
    }
    free(result);
}

static int32_t *expected_results(const struct farm *farm)
{
    int32_t *const all = memory(farm->packets * farm->size, sizeof *all);
    for (int64_t i = 0; i < farm->packets; i++)
        for (int64_t k = 0; k < farm->size; k++)
            all[i * farm->size + k] = k == 0 ? (int32_t)i : result_of(i, k);
    return all;
}

int main(int argc, char **argv)
{
    struct farm farm = {200, 100, 1e-3};
    const struct option options[] = {
        {"packets", OPTION_INT, &farm.packets, "pieces of work (200)"},
        {"size", OPTION_INT, &farm.size, "ints of a packet and of a result (100)"},
        {"mean", OPTION_REAL, &farm.mean, "mean seconds of work (0.001)"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run = run_open(argc, argv, "farm", "Deals packets of work to whoever asks.", options);
    if (run.ranks < 3)
        fail(&run, 2, "needs 3 ranks or more, has %d", run.ranks);
    if (farm.packets < 0 || farm.size < 1 || farm.packets > INT32_MAX || farm.size > INT32_MAX || !(farm.mean >= 0))
        fail(&run, 2, "--packets is from 0, --size from 1, --mean from 0");
    run_begin(&run);
    phase("farm");
    /* the collector has all rows */
    const int64_t rows = run.rank == run.ranks - 1 ? farm.packets : 0;
    struct matrix results = matrix_make_dealt(&run, farm.size, INTS, deal_counted(rows, run.ranks));
    if (run.rank == 0)
        give(&run, &farm);
    else if (run.rank < run.ranks - 1)
        work(&run, &farm);
    else
        collect(&farm, &results);
    run_end(&run);
    output(&run, &results);
    if (run.check)
        check_equal(&run, "the results", &results, run.rank == 0 ? expected_results(&farm) : NULL, 0);
    const uint64_t checksum = matrix_checksum(&results);
    matrix_free(&results);
    return run_close(&run, checksum);
}
