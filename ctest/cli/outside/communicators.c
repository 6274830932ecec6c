/* A program with an MPI of its own, built by ctest/cli/install.bats against an installed bmf: half of its ranks, all of
 * them and each alone have a context, all at the same time, and the program's own messages go on beside. Prints one
 * line a communicator from its first rank, in the order of ranks, whose answers the test knows. */
#include <bmf.h>
#include <bmf/mpi.h>
#include <stdio.h>

BMF_MAP_KERNEL(square, int64_t, i, int64_t, i *i)

/* The sum of the squares of 0 .. n - 1. Ends no program: the list is freed and the caller told. */
static int sum_of_squares(bmf_context *ctx, int64_t n, int64_t *sum)
{
    bmf_list *xs = NULL;
    int status;
    BMF_TRY_GOTO(bmf_iota(ctx, n, &xs), status, done);
    BMF_TRY_GOTO(bmf_map_in_place(xs, &square), status, done);
    BMF_TRY_GOTO(bmf_reduce(xs, &bmf_plus_int, sum), status, done);
done:
    bmf_list_free(xs);
    return status;
}

/* The same with an error: squares of ints are not added as reals. The message stays in the context. */
static int add_as_reals(bmf_context *ctx)
{
    bmf_list *xs = NULL;
    double sum;
    BMF_TRY(bmf_iota(ctx, 10, &xs));
    BMF_TRY_OR(bmf_reduce(xs, &bmf_plus_real, &sum), bmf_list_free(xs));
    bmf_list_free(xs);
    return BMF_OK;
}

/* All contexts of this rank are used in turn. */
static int compute(bmf_context *half, bmf_context *world, bmf_context *alone, int64_t sum[3])
{
    BMF_TRY(sum_of_squares(half, 11, &sum[0]));
    BMF_TRY(sum_of_squares(world, 101, &sum[1]));
    if (add_as_reals(half) != BMF_ERROR_TYPE || *bmf_error_text(world))
        return bmf_fail(world, BMF_ERROR_INTERNAL, "an error is not where it belongs");
    BMF_TRY(sum_of_squares(alone, 4, &sum[2]));
    return sum_of_squares(half, 11, &sum[0]);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    bmf_context *half = NULL, *world = NULL, *alone = NULL;
    bmf_options options = bmf_options_init();
    options.processors = 3;
    options.threads = 1;
    int64_t sum[3] = {-1, -1, -1};
    int status = bmf_open_with(comm, &options, &half);
    if (status == BMF_OK)
        status = bmf_open_with(MPI_COMM_WORLD, NULL, &world);
    if (status == BMF_OK)
        status = bmf_open_with(MPI_COMM_SELF, NULL, &alone);
    if (status == BMF_OK)
        status = compute(half, world, alone, sum);
    if (status != BMF_OK)
        fprintf(stderr, "rank %d: %s\n", rank, bmf_error_text(world));
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank && rank < 2)
            printf("%lld on %d of %d ranks and %lld processors; %lld on all; %lld alone\n", (long long)sum[0],
                   bmf_ranks(half), ranks, (long long)bmf_processors(half), (long long)sum[1], (long long)sum[2]);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    bmf_close(half);
    bmf_close(alone);
    bmf_close(world);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return bmf_exit_code(status);
}
