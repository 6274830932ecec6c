/* Sorts a .npy file: sample sort.
 *
 *     mpirun.mpich -n 4 06-sample-sort IN.npy OUT.npy
 *
 * Method (Frazer and McKellar 1970):
 *   1  numbers become integer keys of the same order, and every processor sorts its own (sort.c);
 *   2  samples at regular distances say where to cut the keys into one bucket per processor (splitters.c);
 *   3  a scan says where each bucket's keys are in the sorted parts (buckets.c);
 *   4  project fetches them to the processor of their bucket, where they are sorted again.
 * Each key moves once. Cost per processor: n / P log n comparisons, P^2 run lengths. */
#include "sample_sort.h"

#include <stdio.h>
#include <string.h>

/* Keys: the bits of a real, those of negative ones turned round, compare as integers like the reals do. */

static inline int64_t key_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((bits >> 63) & INT64_MAX);
}

static inline double real_of(int64_t key)
{
    const int64_t bits = key ^ ((key >> 63) & INT64_MAX);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

BMF_MAP_KERNEL(key_of_real, double, x, int64_t, key_of(x))
BMF_MAP_KERNEL(real_of_key, int64_t, k, double, real_of(k))

static const char usage[] =
    "usage: mpirun.mpich -n RANKS 06-sample-sort IN.npy OUT.npy\n"
    "Sorts the int or real numbers of a 1-D .npy file into another, ascending; -0.0 comes before 0.0,\n"
    "NaN after infinity (before minus infinity if its sign bit is set).\n"
    "Example: mpirun.mpich -n 2 06-sample-sort times.npy sorted.npy\n";

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
    if (argc != 3)
        return explain(ctx, 2);

    bmf_list *numbers, *keys, *sorted;
    BMF_CHECK(bmf_npy_read(ctx, argv[1], &numbers));
    const bool are_ints = bmf_list_type(numbers) == &bmf_type_int;
    if (bmf_length(numbers) == 0) {
        BMF_CHECK(bmf_npy_write(numbers, argv[2]));
        bmf_list_free(numbers);
        return bmf_close(ctx);
    }
    if (are_ints) {
        keys = numbers;
    } else {
        BMF_CHECK(bmf_map(numbers, &key_of_real, &keys));
        bmf_list_free(numbers);
    }
    sample_sort(ctx, keys, &sorted);
    bmf_list_free(keys);
    if (!are_ints) {
        BMF_CHECK(bmf_map(sorted, &real_of_key, &numbers));
        bmf_list_free(sorted);
        sorted = numbers;
    }
    BMF_CHECK(bmf_npy_write(sorted, argv[2]));
    bmf_list_free(sorted);
    return bmf_close(ctx);
}
