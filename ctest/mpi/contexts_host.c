/* Contexts in a program that initialises and finalises MPI itself, and that has communicators of its own: opened and
 * closed many times, on many communicators, with messages of the program's own under way on the same ones. */
#include <dirent.h>
#include <mpi.h>

#include "bmf.h"
#include "bmf/mpi.h"
#include "ctest/support/testing.h"

enum { TIMES = 50, TAG = 0 };

static int rank, ranks;

static void check_sum(bmf_context *ctx, int64_t n)
{
    bmf_list *xs = NULL;
    int64_t sum = -1;
    BMF_CHECK(bmf_iota(ctx, n, &xs));
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_int, &sum));
    CHECK(sum == n * (n - 1) / 2, "sum of %lld on %d ranks: %lld", (long long)n, bmf_ranks(ctx), (long long)sum);
    bmf_list_free(xs);
}

/* The program's message round the ring is not received before the context is closed. */
static void open_with_messages(int64_t n)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, sent = rank, received = -1;
    MPI_Request request[2];
    bmf_context *ctx;
    MPI_Isend(&sent, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &request[0]);
    BMF_CHECK(bmf_open_with(MPI_COMM_WORLD, NULL, &ctx));
    check_sum(ctx, n);
    CHECK(bmf_close(ctx) == 0, "closing");
    MPI_Irecv(&received, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    CHECK(received == left, "%d from rank %d", received, left);
}

/* Ranks k, k + 1, .. of the world, for each k: a rank is in many contexts at once. */
static void open_overlapping(void)
{
    bmf_context *ctx[8] = {0};
    for (int k = 0; k < ranks && k < 8; k++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank >= k ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        BMF_CHECK(bmf_open_with(comm, NULL, &ctx[k]));
        MPI_Comm_free(&comm);
    }
    for (int k = 0; k < 8; k++)
        if (ctx[k])
            check_sum(ctx[k], 100 + k);
    for (int k = 0; k < 8; k++)
        bmf_close(ctx[k]);
}

/* Every rank's own contexts are nobody else's business. */
static void open_alone(void)
{
    for (int k = 0; k < rank + 2; k++) {
        bmf_context *first, *second;
        BMF_CHECK(bmf_open_with(MPI_COMM_SELF, NULL, &first));
        BMF_CHECK(bmf_open_with(MPI_COMM_SELF, NULL, &second));
        check_sum(second, 1000 + rank);
        bmf_close(first);
        check_sum(second, 1000 + k);
        bmf_close(second);
    }
}

static int threads_of_process(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int found = -2; /* "." and ".." */
    while (tasks && readdir(tasks))
        found++;
    if (tasks)
        closedir(tasks);
    return found;
}

/* They are there before the first kernel, so that none waits for them; a model starts none. */
static void open_with_threads(void)
{
    const int before = threads_of_process();
    bmf_options options = bmf_options_init();
    bmf_context *ctx;
    options.threads = 8;
    options.machine = "ideal";
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(threads_of_process() == before, "%d threads of a model, %d before", threads_of_process(), before);
    bmf_close(ctx);
    options.machine = NULL;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(threads_of_process() >= before + options.threads - 1, "%d threads, %d before", threads_of_process(), before);
    check_sum(ctx, 100000);
    bmf_close(ctx);
}

int main(int argc, char **argv)
{
    int provided, finalised = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    open_with_threads();
    for (int k = 0; k < TIMES; k++)
        open_with_messages(k);
    open_alone();
    open_overlapping();
    MPI_Finalized(&finalised);
    CHECK(!finalised, "bmf finalised the program's MPI");
    const int failed = test_finish();
    MPI_Finalize();
    return failed;
}
