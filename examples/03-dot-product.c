/* The dot product of two .npy files.
 *
 *     mpirun.mpich -n 4 03-dot-product A.npy B.npy
 *
 * One fused zip, map and reduction: both lists are read once and the products are never stored. The kernel has two
 * inputs, one per list; there is one for each combination of types.
 */
#include <bmf.h>
#include <stdio.h>
#include <string.h>

BMF_ZIP_KERNEL(real_by_real, double, a, double, b, double, (a * b))
BMF_ZIP_KERNEL(real_by_int, double, a, int64_t, b, double, (a * (double)b))
BMF_ZIP_KERNEL(int_by_real, int64_t, a, double, b, double, ((double)a * b))
BMF_ZIP_KERNEL(int_by_int, int64_t, a, int64_t, b, double, ((double)a * (double)b))

static const char usage[] = "usage: mpirun.mpich -n RANKS 03-dot-product A.npy B.npy\n"
                            "Prints the sum of the products of two 1-D .npy files of int or real numbers, as a real.\n"
                            "Example: mpirun.mpich -n 2 03-dot-product prices.npy amounts.npy\n";

/* Rank 0 speaks for all. */
static int explain(bmf_context *ctx, int exit_code)
{
    if (bmf_is_root(ctx))
        fputs(usage, exit_code == 0 ? stdout : stderr);
    bmf_close(ctx);
    return exit_code;
}

/* A kernel for the types at hand; other types are then refused by name when it is applied. */
static const bmf_kernel *product_of(const bmf_list *as, const bmf_list *bs)
{
    if (bmf_list_type(as) == &bmf_type_int)
        return bmf_list_type(bs) == &bmf_type_int ? &int_by_int : &int_by_real;
    return bmf_list_type(bs) == &bmf_type_int ? &real_by_int : &real_by_real;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return explain(ctx, 0);
    if (argc != 3)
        return explain(ctx, 2);

    bmf_list *as, *bs;
    double product;
    BMF_CHECK(bmf_npy_read(ctx, argv[1], &as));
    BMF_CHECK(bmf_npy_read(ctx, argv[2], &bs));
    BMF_CHECK(bmf_zip_map_reduce(as, bs, product_of(as, bs), &bmf_plus_real, &product));
    if (bmf_is_root(ctx))
        printf("%.17g\n", product);
    bmf_list_free(as);
    bmf_list_free(bs);
    return bmf_close(ctx);
}
