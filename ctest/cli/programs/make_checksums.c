/* Prints checksums of results that depend on the order of rounding: sums of reals by reduce, map_reduce and scan, and
 * products of turns, and maps of them. The BATS test compares the lines over numbers of ranks, threads and processors.
 *
 *     make_checksums [--bmf-procs P] [--bmf-threads T] [--bmf-schedule LIST]
 *
 * A checksum takes every result's bits with the number of the element, so that a swap or a last bit shows. */
#include "bmf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of both signs and very different sizes. */
static inline double number(int64_t i)
{
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9U;
    return ((double)(z >> 11) * 0x1p-53 - 0.5) * ldexp(1.0, (int)(z % 41) - 20);
}

typedef struct turn {
    double c, s;
} turn;

static inline turn turn_by(turn a, turn b)
{
    return (turn){a.c * b.c - a.s * b.s, a.c * b.s + a.s * b.c};
}

static inline int64_t mix(double value, int64_t position)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits ^ (uint64_t)position * 0x9e3779b97f4a7c15U) * 0x94d049bb133111ebU;
    return (int64_t)(bits ^ (bits >> 29));
}

BMF_MAP_KERNEL(number_at, int64_t, i, double, number(i))
BMF_MAP_KERNEL(turn_at, int64_t, i, turn, ((turn){cos(number(i)), sin(number(i))}))
BMF_MAP_KERNEL(cosine, turn, t, double, t.c)
BMF_MAP_KERNEL(turned_on, turn, t, turn, turn_by(t, turn_by(t, t)))
BMF_ZIP_KERNEL(turned_by, turn, a, turn, b, turn, turn_by(turn_by(a, b), b))
BMF_FOLD_KERNEL(turned, turn, a, b, turn_by(a, b), {1.0, 0.0})
BMF_ZIP_KERNEL(mixed, double, value, int64_t, position, int64_t, mix(value, position))

/* The sum of the mixed bits of all elements; wraps. */
static void print_checksum(bmf_context *ctx, const char *name, int64_t n, const bmf_list *xs)
{
    bmf_list *positions;
    int64_t sum;
    BMF_CHECK(bmf_iota(ctx, n, &positions));
    BMF_CHECK(bmf_zip_map_reduce(xs, positions, &mixed, &bmf_plus_int, &sum));
    if (bmf_is_root(ctx))
        printf("%s %lld %016llx\n", name, (long long)n, (unsigned long long)sum);
    bmf_list_free(positions);
}

/* Kernels that make structs, by a formula that compilers like to contract. */
static void print_mapped(bmf_context *ctx, int64_t n, const bmf_list *turns)
{
    bmf_list *on, *by, *cosines;
    BMF_CHECK(bmf_map(turns, &turned_on, &on));
    BMF_CHECK(bmf_zip(turns, on, &turned_by, &by));
    BMF_CHECK(bmf_map(by, &cosine, &cosines));
    print_checksum(ctx, "mapped", n, cosines);
    bmf_list_free(on);
    bmf_list_free(by);
    bmf_list_free(cosines);
}

static void print_results(bmf_context *ctx, int64_t n)
{
    bmf_list *indices, *xs, *sums, *turns, *products, *cosines;
    double sum, mapped;
    turn product;
    BMF_CHECK(bmf_iota(ctx, n, &indices));
    BMF_CHECK(bmf_map(indices, &number_at, &xs));
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_real, &sum));
    BMF_CHECK(bmf_map_reduce(indices, &number_at, &bmf_plus_real, &mapped));
    BMF_CHECK(bmf_map(indices, &turn_at, &turns));
    BMF_CHECK(bmf_reduce(turns, &turned, &product));
    if (bmf_is_root(ctx))
        printf("reduce %lld %a %a %a\n", (long long)n, sum, mapped, product.c);
    BMF_CHECK(bmf_scan(xs, &bmf_plus_real, BMF_INCLUSIVE, &sums));
    print_checksum(ctx, "inclusive", n, sums);
    bmf_list_free(sums);
    BMF_CHECK(bmf_map_scan(indices, &number_at, &bmf_plus_real, BMF_EXCLUSIVE, &sums));
    print_checksum(ctx, "exclusive", n, sums);
    BMF_CHECK(bmf_scan(turns, &turned, BMF_INCLUSIVE, &products));
    BMF_CHECK(bmf_map(products, &cosine, &cosines));
    print_checksum(ctx, "turns", n, cosines);
    print_mapped(ctx, n, turns);
    bmf_list_free(indices);
    bmf_list_free(xs);
    bmf_list_free(sums);
    bmf_list_free(turns);
    bmf_list_free(products);
    bmf_list_free(cosines);
}

int main(int argc, char **argv)
{
    static const int64_t length[] = {0, 1, 7, 1023, 1024, 4097, 100003, 1048576};
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    for (size_t k = 0; k < sizeof length / sizeof *length; k++)
        print_results(ctx, length[k]);
    return bmf_close(ctx);
}
