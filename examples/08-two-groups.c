/* Two different pipelines side by side, each on its own half of the ranks.
 *
 *     mpirun.mpich -n 4 08-two-groups N [TRACES]
 *
 * The lower half sums squares, the upper half looks for the largest prefix of an alternating series. Each group has a
 * context on a communicator of its own, so neither waits for the other; with TRACES they write TRACES.squares.trace and
 * TRACES.series.trace. The results meet by the program's own MPI. One rank alone does one after the other.
 */
#include <bmf.h>
#include <bmf/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BMF_MAP_KERNEL(square, int64_t, i, double, ((double)i * (double)i))
BMF_MAP_KERNEL(term, int64_t, i, double, ((i % 2 ? -1.0 : 1.0) * (double)(i + 1)))

static const char usage[] = "usage: mpirun.mpich -n RANKS 08-two-groups N [TRACES]\n"
                            "Half of the ranks sums the squares of 0 .. N - 1, the other half finds the largest sum\n"
                            "1 - 2 + 3 - .. of at most N terms; TRACES begins the names of two trace files.\n"
                            "Example: mpirun.mpich -n 4 08-two-groups 100000 both\n";

typedef struct pipeline {
    const char *name;
    int (*run)(bmf_context *ctx, int64_t n, double *result);
} pipeline;

static int sum_squares(bmf_context *ctx, int64_t n, double *result)
{
    bmf_list *xs;
    BMF_TRY(bmf_tabulate(ctx, n, &square, &xs));
    const int status = bmf_reduce(xs, &bmf_plus_real, result);
    bmf_list_free(xs);
    return status;
}

static int find_largest_prefix(bmf_context *ctx, int64_t n, double *result)
{
    bmf_list *xs;
    BMF_TRY(bmf_tabulate(ctx, n, &term, &xs));
    int status = bmf_scan_in_place(xs, &bmf_plus_real, BMF_INCLUSIVE);
    if (status == BMF_OK)
        status = bmf_reduce(xs, &bmf_max_real, result);
    bmf_list_free(xs);
    return status;
}

static const pipeline pipelines[] = {{"squares", sum_squares}, {"series", find_largest_prefix}};

/* One pipeline on the ranks of a communicator; collective there. */
static int run_group(MPI_Comm comm, const pipeline *p, int64_t n, const char *traces, double *result)
{
    char path[1024];
    bmf_context *ctx;
    bmf_options options = bmf_options_init();
    if (traces) {
        snprintf(path, sizeof path, "%s.%s.trace", traces, p->name);
        options.trace = path;
    }
    BMF_CHECK(bmf_open_with(comm, &options, &ctx));
    bmf_exit_on_error_in(ctx, p->run(ctx, n, result));
    return bmf_close(ctx);
}

/* Both, on one half of the ranks each; rank 0 gets both results. */
static int run_both(int64_t n, const char *traces, double result[2])
{
    int rank, ranks, failed;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int first = ranks / 2; /* of the upper half */
    if (ranks == 1)
        return run_group(MPI_COMM_WORLD, &pipelines[0], n, traces, &result[0]) |
               run_group(MPI_COMM_WORLD, &pipelines[1], n, traces, &result[1]);
    const int group = rank >= first;
    MPI_Comm_split(MPI_COMM_WORLD, group, rank, &half);
    failed = run_group(half, &pipelines[group], n, traces, &result[group]);
    MPI_Comm_free(&half);
    if (rank == first)
        MPI_Send(&result[1], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&result[1], 1, MPI_DOUBLE, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return failed;
}

int main(int argc, char **argv)
{
    int rank, failed = 0;
    double result[2] = {0.0, 0.0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *end = NULL;
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    const long long n = argc > 1 ? strtoll(argv[1], &end, 10) : 0;
    if (help || argc < 2 || argc > 3 || *end || n < 1) {
        if (rank == 0)
            fputs(usage, help ? stdout : stderr);
        MPI_Finalize();
        return help ? 0 : 2;
    }
    failed = run_both(n, argc > 2 ? argv[2] : NULL, result);
    if (rank == 0)
        printf("squares %.17g\nlargest prefix %.17g\n", result[0], result[1]);
    MPI_Finalize();
    return failed;
}
