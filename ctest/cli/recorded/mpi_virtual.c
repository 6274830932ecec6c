/* A plain MPI program whose results depend on times, for `bmf predict --mpi`: it computes only by bmf_compute, and
 * sleeps so that what comes first in simulated time comes last here. Prints what it saw: times in microseconds of
 * MPI_Wtime, and orders of arrival.
 *
 * usage: mpi_virtual PART; PART: late early sender allreduce any posted held waitany waitsome probe iprobe test mprobe
 * persistent ring deadlock crossed opaque files later */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf_mark.h"

static int rank, ranks;

enum { LENGTH = 100, LONG = 200000 };
static double data[LONG], more[LONG];

static void send_to(int to, int tag)
{
    data[0] = rank * 10 + tag;
    MPI_Send(data, LENGTH, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

static void receive_from(int from, int tag, MPI_Status *status)
{
    MPI_Recv(data, LENGTH, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, status);
}

static void print_time(double start)
{
    printf("rank %d: %.2f us\n", rank, (MPI_Wtime() - start) * 1e6);
}

/* One message; the receiver begins so many microseconds after the sender, or before. */
static void pair(double after)
{
    const double start = MPI_Wtime();
    if (rank < 2)
        bmf_compute(rank == 1 && after > 0 ? after : rank == 0 && after < 0 ? -after : 0);
    const double begin = MPI_Wtime();
    if (rank == 0)
        send_to(1, 0);
    if (rank == 1)
        receive_from(0, 0, MPI_STATUS_IGNORE);
    if (rank < 2)
        print_time(rank == 0 || after > 0 ? begin : start);
}

static void allreduce(int count)
{
    bmf_compute(10 * rank);
    MPI_Allreduce(data, more, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        print_time(0);
}

/* The last rank is first in simulated time, and last here. */
static void compute_backwards(void)
{
    if (rank > 0) {
        bmf_compute(1000 * (ranks - rank));
        usleep(20000 * (unsigned)rank);
    }
}

static void any(void)
{
    MPI_Status status;
    compute_backwards();
    if (rank > 0) {
        send_to(0, 1);
        send_to(0, 2);
    }
    for (int k = 0; rank == 0 && k < 2 * (ranks - 1); k++) {
        receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG, &status);
        printf("%d.%d %g\n", status.MPI_SOURCE, status.MPI_TAG, data[0]);
    }
}

/* Receives from any source, posted before; and their waits in another order. */
static void posted(void)
{
    double got[16];
    MPI_Request request[16];
    MPI_Status status;
    const int count = ranks - 1;
    for (int k = 0; rank == 0 && k < count; k++)
        MPI_Irecv(&got[k], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[k]);
    compute_backwards();
    data[0] = rank;
    if (rank > 0)
        MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    for (int k = count - 1; rank == 0 && k >= 0; k--) {
        MPI_Wait(&request[k], &status);
        printf("%d: %d %g\n", k, status.MPI_SOURCE, got[k]);
    }
}

/* A receive from rank 1 behind one from any source, which takes the first message of rank 1, if that is first. */
static void held(void)
{
    double first = -1, second = -1;
    MPI_Request request;
    if (rank == 1) {
        for (int k = 0; k < 2; k++) {
            data[0] = 100 + k;
            MPI_Send(data, LONG, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
        }
    } else if (rank == 0) {
        MPI_Irecv(data, LONG, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
        MPI_Recv(more, LONG, MPI_DOUBLE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        second = more[0];
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        first = data[0];
        printf("%g %g\n", first, second);
    }
}

static void waits(bool some)
{
    MPI_Request request[16];
    double got[16];
    int index[16], count = 1;
    compute_backwards();
    data[0] = rank;
    if (rank > 0)
        MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    if (rank > 0)
        return;
    for (int k = 1; k < ranks; k++)
        MPI_Irecv(&got[k], 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &request[k - 1]);
    for (int done = 0; done < ranks - 1; done += count) {
        if (some)
            MPI_Waitsome(ranks - 1, request, &count, index, MPI_STATUSES_IGNORE);
        else
            MPI_Waitany(ranks - 1, request, index, MPI_STATUS_IGNORE);
        for (int k = 0; k < count; k++)
            printf("%g\n", got[index[k] + 1]);
    }
}

static void probe(bool polls)
{
    MPI_Status status;
    compute_backwards();
    if (rank > 0)
        send_to(0, rank);
    for (int k = 1; rank == 0 && k < ranks; k++) {
        int flag = !polls, tries = 0;
        if (!polls)
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        for (; !flag; tries++)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        int count;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        receive_from(status.MPI_SOURCE, status.MPI_TAG, &status);
        printf("%d: %d numbers, %g%s\n", status.MPI_SOURCE, count, data[0], tries > 1000 ? ", after tries" : "");
    }
}

static void test(void)
{
    MPI_Request request;
    int flag = 0, tries = 0;
    if (rank == 1) {
        usleep(20000);
        bmf_compute(500);
        send_to(0, 3);
    } else if (rank == 0) {
        MPI_Irecv(data, LENGTH, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            tries++;
        }
        printf("%g after %d tries\n", data[0], tries);
    }
}

static void mprobe(void)
{
    MPI_Message message;
    MPI_Status status;
    compute_backwards();
    if (rank > 0)
        send_to(0, 0);
    for (int k = 1; rank == 0 && k < ranks; k++) {
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(data, LENGTH, MPI_DOUBLE, &message, &status);
        printf("%d %g\n", status.MPI_SOURCE, data[0]);
    }
}

static void persistent(void)
{
    MPI_Request request;
    MPI_Status status;
    compute_backwards();
    if (rank > 0) {
        data[0] = rank;
        MPI_Send_init(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv_init(data, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        for (int k = 1; k < ranks; k++) {
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            printf("%d %g\n", status.MPI_SOURCE, data[0]);
        }
    }
    MPI_Request_free(&request);
}

/* Document 001, 4.2: the ring of the bounds. */
static void ring(void)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    const double start = MPI_Wtime();
    for (int k = 0; k < 20; k++) {
        bmf_compute(1042);
        send_to(next, 0);
        send_to(before, 1);
        receive_from(before, 0, MPI_STATUS_IGNORE);
        receive_from(next, 1, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        print_time(start);
}

/* Rank 0 takes a message from anybody, then all wait for each other. */
static void deadlock(bool crossed)
{
    if (rank == 1 && !crossed)
        send_to(0, 0);
    if (rank == 0 && !crossed)
        receive_from(MPI_ANY_SOURCE, 0, MPI_STATUS_IGNORE);
    if (crossed && rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        receive_from((rank + 1) % ranks, 1, MPI_STATUS_IGNORE);
}

/* A window that rank 0 makes while rank 1 still waits for anybody's message. */
static void opaque(void)
{
    MPI_Win window;
    if (rank == 0)
        send_to(1, 0);
    if (rank == 1)
        receive_from(MPI_ANY_SOURCE, 0, MPI_STATUS_IGNORE);
    MPI_Win_create(data, sizeof data, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
}

/* Rank 0 opens a file for all while rank 1 still waits for anybody's message, which the others send late. */
static void files(void)
{
    MPI_File file;
    MPI_Status status;
    bmf_compute(rank > 1 ? 1000.0 * rank : 0.0);
    if (rank > 1)
        send_to(1, 0);
    for (int k = 2; rank == 1 && k < ranks; k++) {
        receive_from(MPI_ANY_SOURCE, 0, &status);
        printf("from %d\n", status.MPI_SOURCE);
    }
    MPI_File_open(MPI_COMM_WORLD, "files.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 8 * rank, data, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    print_time(0);
    MPI_File_close(&file);
}

/* A collective operation on a file that is waited for later. */
static void later(void)
{
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, "later.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_iwrite_at_all(file, 8 * rank, data, 1, MPI_DOUBLE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void run_part(const char *part)
{
    if (strcmp(part, "late") == 0)
        pair(500);
    else if (strcmp(part, "early") == 0)
        pair(-50);
    else if (strcmp(part, "sender") == 0)
        pair(0);
    else if (strcmp(part, "allreduce") == 0)
        allreduce(1);
    else if (strcmp(part, "long") == 0)
        allreduce(1000);
    else if (strcmp(part, "any") == 0)
        any();
    else if (strcmp(part, "posted") == 0)
        posted();
    else if (strcmp(part, "held") == 0)
        held();
    else if (strcmp(part, "waitany") == 0 || strcmp(part, "waitsome") == 0)
        waits(strcmp(part, "waitsome") == 0);
    else if (strcmp(part, "probe") == 0 || strcmp(part, "iprobe") == 0)
        probe(strcmp(part, "iprobe") == 0);
    else if (strcmp(part, "test") == 0)
        test();
    else if (strcmp(part, "mprobe") == 0)
        mprobe();
    else if (strcmp(part, "persistent") == 0)
        persistent();
    else if (strcmp(part, "ring") == 0)
        ring();
    else if (strcmp(part, "deadlock") == 0 || strcmp(part, "crossed") == 0)
        deadlock(strcmp(part, "crossed") == 0);
    else if (strcmp(part, "opaque") == 0)
        opaque();
    else if (strcmp(part, "files") == 0)
        files();
    else if (strcmp(part, "later") == 0)
        later();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        run_part(argv[1]);
    MPI_Finalize();
    return 0;
}
