/* A program outside of bmf, built by ctest/cli/install.bats against an installed bmf: the dot product of 0 .. n - 1
 * with ones, n(n - 1)/2, and the number of ranks. Its answer shows that headers, libraries and mpirun fit together. */
#include <bmf.h>
#include <stdio.h>

BMF_ZIP_KERNEL(times, double, a, double, b, double, a *b)
BMF_MAP_KERNEL(one, double, x, double, x * 0.0 + 1.0)
BMF_FOLD_KERNEL(plus, double, a, b, a + b, 0.0)

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    bmf_list *xs, *ones, *products;
    double sum;
    BMF_CHECK(bmf_iota_real(ctx, 1001, &xs));
    BMF_CHECK(bmf_map(xs, &one, &ones));
    BMF_CHECK(bmf_zip(xs, ones, &times, &products));
    BMF_CHECK(bmf_reduce(products, &plus, &sum));
    if (bmf_is_root(ctx))
        printf("sum %g on %d ranks\n", sum, bmf_ranks(ctx));
    bmf_list_free(products);
    bmf_list_free(ones);
    bmf_list_free(xs);
    return bmf_close(ctx);
}
