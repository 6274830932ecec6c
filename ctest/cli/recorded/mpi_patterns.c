/* A plain MPI program for the recorder's tests: ring, farm, collectives on parts of the world, nonblocking and
 * persistent messages, probes. Prints sums that do not depend on the number of tries or the order of arrival.
 *
 * usage: mpi_patterns PART.. ; PART: ring exchange farm groups nonblocking persistent probes file split abort exit hang
 * crash opaque */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf_mark.h"

static int rank, ranks;

enum { STEPS = 5, LENGTH = 100, PACKETS = 40, REQUEST = 0, PACKET = 1, END = 2 };

static void say(const char *part, double value)
{
    double sum = 0.0;
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.17g\n", part, sum);
}

/* Numbers go round: even ranks send first. */
static double ring(void)
{
    double here[LENGTH], there[LENGTH];
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int k = 0; k < LENGTH; k++)
        here[k] = rank + 0.1 * k;
    for (int step = 0; step < STEPS && ranks > 1; step++) {
        if (rank % 2 == 0) {
            MPI_Send(here, LENGTH, MPI_DOUBLE, next, step, MPI_COMM_WORLD);
            MPI_Recv(there, LENGTH, MPI_DOUBLE, before, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(there, LENGTH, MPI_DOUBLE, before, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(here, LENGTH, MPI_DOUBLE, next, step, MPI_COMM_WORLD);
        }
        memcpy(here, there, sizeof here);
    }
    return here[1] * (rank + 1);
}

/* What comes is shorter than the buffer: the status says how long it is, from whom and with which tag. */
static double exchange(void)
{
    double here[LENGTH], there[LENGTH] = {0}, sum = 0.0;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Status status[2];
    for (int k = 0; k < LENGTH; k++)
        here[k] = rank + 0.1 * k;
    MPI_Sendrecv(here, rank + 1, MPI_DOUBLE, next, 10 + rank, there, LENGTH, MPI_DOUBLE, before, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status[0]);
    MPI_Sendrecv_replace(here, LENGTH / 2, MPI_DOUBLE, next, 20, before, 20, MPI_COMM_WORLD, &status[1]);
    for (int k = 0; k < 2; k++) {
        int count = 0;
        MPI_Get_count(&status[k], MPI_DOUBLE, &count);
        sum += count * (k + 1) + 1000.0 * status[k].MPI_SOURCE + 100.0 * status[k].MPI_TAG;
    }
    MPI_Request both;
    double after = 0.0;
    MPI_Isendrecv(&here[2], 1, MPI_DOUBLE, before, 30, &after, 1, MPI_DOUBLE, next, 30, MPI_COMM_WORLD, &both);
    MPI_Wait(&both, MPI_STATUS_IGNORE);
    return sum * (rank + 1) + there[before] + here[1] + after;
}

/* Rank 0 deals packets to whoever asks. */
static double farm(void)
{
    double sum = 0.0, packet;
    MPI_Status status;
    if (rank == 0) {
        for (int k = 0, ended = 0; ended < ranks - 1; k++) {
            double request;
            MPI_Recv(&request, 1, MPI_DOUBLE, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
            packet = k;
            ended += k >= PACKETS;
            MPI_Send(&packet, 1, MPI_DOUBLE, status.MPI_SOURCE, k < PACKETS ? PACKET : END, MPI_COMM_WORLD);
        }
        return 0.0;
    }
    for (;;) {
        MPI_Send(&sum, 1, MPI_DOUBLE, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(&packet, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == END)
            return sum;
        sum += packet * packet;
    }
}

/* Collectives on the even and the odd ranks, and on a row of a grid. */
static double groups(void)
{
    MPI_Comm half, row, grid;
    int size, dims[2] = {0, 0}, periods[2] = {1, 1}, remain[2] = {0, 1}, members;
    double sum = rank, all[64] = {0}, shifted[64] = {0};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
    MPI_Comm_size(half, &members);
    MPI_Allgather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, half);
    MPI_Alltoall(all, 1, MPI_DOUBLE, shifted, 1, MPI_DOUBLE, half);
    MPI_Bcast(shifted, members, MPI_DOUBLE, 0, half);
    MPI_Barrier(half);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_size(row, &size);
    double scanned = 0.0, one = 1.0, neighbour[4] = {0};
    MPI_Scan(&one, &scanned, 1, MPI_DOUBLE, MPI_SUM, row);
    MPI_Neighbor_allgather(&sum, 1, MPI_DOUBLE, neighbour, 1, MPI_DOUBLE, grid);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&half);
    return sum + shifted[0] + scanned + neighbour[3];
}

static double nonblocking(void)
{
    MPI_Request request[4];
    MPI_Status status[4];
    double sent[2] = {rank, rank * 2.0}, got[2] = {0}, total = 1.0;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Irecv(&got[0], 1, MPI_DOUBLE, before, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&got[1], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&sent[0], 1, MPI_DOUBLE, next, 7, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(&sent[1], 1, MPI_DOUBLE, next, 8, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, status);
    MPI_Iallreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    int flag = 0;
    while (!flag)
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&total, 1, MPI_DOUBLE, next, 9, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got[0] + got[1] + total + status[1].MPI_SOURCE;
}

static double persistent(void)
{
    MPI_Request request[3];
    double sent = rank, got = 0.0, sum = 0.0, all = 0.0;
    MPI_Send_init(&sent, 1, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&got, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Allreduce_init(&sent, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[2]);
    for (int step = 0; step < STEPS; step++) {
        int index;
        MPI_Startall(2, request);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        MPI_Start(&request[2]);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        sum += got + all;
        sent += 1.0;
    }
    for (int k = 0; k < 3; k++)
        MPI_Request_free(&request[k]);
    return sum;
}

static double probes(void)
{
    double value = rank, got = 0.0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    int flag = 0;
    MPI_Isend(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, 11, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &flag, &status);
    MPI_Mprobe(status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&got, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send_c(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    return got;
}

static double file(void)
{
    MPI_File handle;
    double value = rank;
    MPI_File_open(MPI_COMM_WORLD, "patterns.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
    MPI_File_write_at_all(handle, rank * 8, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    value = -1.0;
    MPI_File_read_at(handle, rank * 8, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&handle);
    return value;
}

static double opaque(void)
{
    MPI_Win window;
    double value = rank, got = 0.0;
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    return got;
}

/* The last rank ends in a way of its own while the others wait for it. */
static void end_badly(const char *how)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == ranks - 1 && strcmp(how, "exit") == 0)
        exit(4);
    if (rank == ranks - 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "term") == 0)
        sleep(60);
    MPI_Barrier(MPI_COMM_WORLD);
}

static double steps(void)
{
    bmf_compute(1000);
    bmf_value("n", LENGTH);
    MPI_Barrier(MPI_COMM_WORLD);
    return 1.0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(void);
    } parts[] = {{"ring", ring},
                 {"exchange", exchange},
                 {"farm", farm},
                 {"groups", groups},
                 {"nonblocking", nonblocking},
                 {"persistent", persistent},
                 {"probes", probes},
                 {"file", file},
                 {"opaque", opaque},
                 {"steps", steps}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int a = 1; a < argc; a++) {
        size_t k = 0;
        while (k < sizeof parts / sizeof *parts && strcmp(parts[k].name, argv[a]) != 0)
            k++;
        if (k == sizeof parts / sizeof *parts) {
            end_badly(argv[a]);
            continue;
        }
        bmf_phase(parts[k].name);
        const double value = parts[k].run();
        say(parts[k].name, value);
        bmf_phase_end();
    }
    MPI_Finalize();
    return 0;
}
