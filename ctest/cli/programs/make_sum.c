/* make_sum [N] [WORD...]: the sum of the squares of 0 .. N - 1 (default 1000), for the tests of the --bmf-* options.
 *
 * Prints "sum SUM processors P threads T", and then one "left WORD" for every argument that bmf_open did not take. */
#include <stdio.h>
#include <stdlib.h>

#include "bmf.h"

BMF_MAP_KERNEL(square, double, x, double, x *x)
BMF_FOLD_KERNEL(plus, double, a, b, a + b, 0.0)

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    bmf_list *xs;
    double sum;
    BMF_CHECK(bmf_iota_real(ctx, n, &xs));
    BMF_CHECK(bmf_map_reduce(xs, &square, &plus, &sum));
    if (bmf_is_root(ctx)) {
        printf("sum %.17g processors %lld threads %d\n", sum, (long long)bmf_processors(ctx), bmf_threads(ctx));
        for (int i = 2; i < argc; i++)
            printf("left %s\n", argv[i]);
    }
    bmf_list_free(xs);
    return bmf_close(ctx);
}
