/* The largest sum of any run of neighbours in a .npy file; the empty run has sum 0.
 *
 *     mpirun.mpich -n 4 05-maximum-segment-sum CHANGES.npy
 *
 * A reduction with an operator that is associative but does not commute. Of every segment it keeps four values: its
 * total, its best prefix, its best suffix and its best run; these are just enough to know the same four of two
 * segments side by side. A fused map makes the four values of a single element.
 */
#include <bmf.h>
#include <stdio.h>
#include <string.h>

typedef struct real_segment {
    double total, prefix, suffix, best;
} real_segment;

typedef struct int_segment {
    int64_t total, prefix, suffix, best;
} int_segment;

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

static inline real_segment join_reals(real_segment a, real_segment b)
{
    const double across = a.suffix + b.prefix, best = LARGER(a.best, b.best);
    return (real_segment){a.total + b.total, LARGER(a.prefix, a.total + b.prefix), LARGER(b.suffix, a.suffix + b.total),
                          LARGER(best, across)};
}

static inline int_segment join_ints(int_segment a, int_segment b)
{
    const int64_t across = a.suffix + b.prefix, best = LARGER(a.best, b.best);
    return (int_segment){a.total + b.total, LARGER(a.prefix, a.total + b.prefix), LARGER(b.suffix, a.suffix + b.total),
                         LARGER(best, across)};
}

static inline real_segment segment_of_real(double x)
{
    const double best = LARGER(x, 0.0);
    return (real_segment){x, best, best, best};
}

static inline int_segment segment_of_int(int64_t x)
{
    const int64_t best = LARGER(x, 0);
    return (int_segment){x, best, best, best};
}

BMF_MAP_KERNEL(real_single, double, x, real_segment, segment_of_real(x))
BMF_MAP_KERNEL(int_single, int64_t, x, int_segment, segment_of_int(x))
BMF_FOLD_KERNEL(real_join, real_segment, a, b, join_reals(a, b), {0.0, 0.0, 0.0, 0.0})
BMF_FOLD_KERNEL(int_join, int_segment, a, b, join_ints(a, b), {0, 0, 0, 0})

static const char usage[] = "usage: mpirun.mpich -n RANKS 05-maximum-segment-sum FILE.npy\n"
                            "Prints the largest sum of a run of neighbours in a 1-D .npy file of int or real numbers;\n"
                            "sums of ints must fit 64 bits. The empty run counts, so the result is never negative.\n"
                            "Example: mpirun.mpich -n 2 05-maximum-segment-sum changes.npy\n";

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
    BMF_CHECK(bmf_npy_read(ctx, argv[1], &xs));
    if (bmf_list_type(xs) == &bmf_type_int) {
        int_segment whole;
        BMF_CHECK(bmf_map_reduce(xs, &int_single, &int_join, &whole));
        if (bmf_is_root(ctx))
            printf("%lld\n", (long long)whole.best);
    } else {
        real_segment whole;
        BMF_CHECK(bmf_map_reduce(xs, &real_single, &real_join, &whole));
        if (bmf_is_root(ctx))
            printf("%.17g\n", whole.best);
    }
    bmf_list_free(xs);
    return bmf_close(ctx);
}
