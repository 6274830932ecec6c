/* The sum of the squares of 0, 1, .., n - 1.
 *
 *     mpirun.mpich -n 4 01-sum-of-squares 100000000
 *
 * The smallest program: a map and a reduction, fused, so that the squares are never stored. The sum is reproducible:
 * it has the same bits for every number of ranks and threads.
 */
#include <bmf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BMF_MAP_KERNEL(square, double, x, double, (x * x))
BMF_FOLD_KERNEL(plus, double, a, b, a + b, 0.0)

static const char usage[] = "usage: mpirun.mpich -n RANKS 01-sum-of-squares COUNT\n"
                            "Prints the sum of the squares of 0, 1, .., COUNT - 1.\n"
                            "Example: mpirun.mpich -n 2 01-sum-of-squares 1000\n";

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
    char *end = NULL;
    const int64_t count = argc == 2 ? strtoll(argv[1], &end, 10) : -1;
    if (count < 0 || end == argv[1] || *end != '\0')
        return explain(ctx, 2);

    bmf_list *xs;
    double sum;
    BMF_CHECK(bmf_iota_real(ctx, count, &xs));
    BMF_CHECK(bmf_map_reduce(xs, &square, &plus, &sum));
    if (bmf_is_root(ctx))
        printf("%.17g\n", sum);
    bmf_list_free(xs);
    return bmf_close(ctx);
}
