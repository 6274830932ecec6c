/* Mean, variance and standard deviation of the numbers in a .npy file.
 *
 *     mpirun.mpich -n 4 02-mean-variance DATA.npy
 *
 * Two map-reduces: the sum gives the mean, then the squares of the differences from the mean are summed. A single pass
 * is possible too, with the operator that merges {count, mean, squares} of two parts, but it divides once per element;
 * the list is in memory anyway, and reading it twice at the speed of memory is several times faster and as accurate.
 * The second kernel needs the mean: it gets it as its context.
 */
#include <bmf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

BMF_MAP_KERNEL_WITH(squared_difference, double, context, double, x, double, (x - *context) * (x - *context))

static const char usage[] = "usage: mpirun.mpich -n RANKS 02-mean-variance FILE.npy\n"
                            "Prints count, mean, variance (of the whole population) and standard deviation of the\n"
                            "numbers in a 1-D .npy file.\n"
                            "Example: mpirun.mpich -n 2 02-mean-variance heights.npy\n";

/* Rank 0 speaks for all. */
static int explain(bmf_context *ctx, int exit_code)
{
    if (bmf_is_root(ctx))
        fputs(usage, exit_code == 0 ? stdout : stderr);
    bmf_close(ctx);
    return exit_code;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return explain(ctx, 0);
    if (argc != 2)
        return explain(ctx, 2);

    bmf_list *xs;
    BMF_CHECK(bmf_npy_read_as(ctx, argv[1], &bmf_type_real, NULL, &xs));
    const int64_t count = bmf_length(xs);
    if (count == 0)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_SHAPE, "%s: no numbers, so no mean", argv[1]));

    double sum, squares;
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_real, &sum));
    const double mean = sum / (double)count;
    const bmf_kernel from_mean = bmf_kernel_bind(&squared_difference, &mean);
    BMF_CHECK(bmf_map_reduce(xs, &from_mean, &bmf_plus_real, &squares));
    const double variance = squares / (double)count;
    if (bmf_is_root(ctx))
        printf("count %lld\nmean %.17g\nvariance %.17g\ndeviation %.17g\n", (long long)count, mean, variance,
               sqrt(variance));
    bmf_list_free(xs);
    return bmf_close(ctx);
}
