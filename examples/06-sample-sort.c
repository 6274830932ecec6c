/* Sorts a .npy file: sample sort.
 *
 *     mpirun -n 4 06-sample-sort IN.npy OUT.npy
 *
 * Method (Frazer and McKellar 1970; regular samples: Shi and Schaeffer 1992):
 *   1  numbers become integer keys of the same order, and every processor sorts its own;
 *   2  samples at regular distances say where to cut the keys into one bucket per processor. Equal keys are told apart
 *      by their positions, so that a value that occurs often is cut too, and no bucket is more than about twice the
 *      average;
 *   3  in every part the keys of a bucket are a run. A scan over the lengths of the runs, bucket by bucket, says where
 *      each run begins in the result;
 *   4  project fetches every run to the processor of its bucket, where it is sorted again.
 * Each key moves once. Cost per processor: n / P log n comparisons, P^2 run lengths.
 */
#include <bmf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_PER_PART = 64 };

/* ---- keys: the bits of a real, those of negative ones turned round, compare as integers like the reals do ---- */

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

static int compare_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int sort_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    bmf_list *keys = state;
    int64_t *key = bmf_list_data_writable(keys, 0);
    (void)part;
    if (end - begin > 1) /* a rank without elements has no memory for them */
        qsort(key + (begin - bmf_list_local_begin(keys)), (size_t)(end - begin), sizeof *key, compare_keys);
    return 0;
}

/* Sorts every part; the list must not share its memory. */
static void sort_parts(bmf_context *ctx, bmf_list *keys)
{
    BMF_CHECK(bmf_each_part(ctx, bmf_list_partition(keys), "sort", sort_part, keys));
}

/* ---- splitters: a key and the position it stood at ---- */

typedef struct splitter {
    int64_t key, position;
} splitter;

BMF_ZIP_KERNEL(splitter_at, int64_t, key, int64_t, position, splitter, ((splitter){key, position}))

static int compare_splitters(const void *a, const void *b)
{
    const splitter *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Sample i stands in the middle of the i-th of equal stretches of the list. */
typedef struct stretches {
    int64_t length, samples;
} stretches;
BMF_MAP_KERNEL_WITH(sample_position, stretches, context, int64_t, i, int64_t,
                    (int64_t)((double)context->length *((double)i + 0.5) / (double)context->samples))

/* parts - 1 splitters, the same on every rank; the keys are not empty. */
static void find_splitters(bmf_context *ctx, const bmf_list *keys, splitter *cut)
{
    const int64_t length = bmf_length(keys), parts = bmf_partition_parts(bmf_list_partition(keys));
    const int64_t samples = length < SAMPLES_PER_PART * parts ? length : SAMPLES_PER_PART * parts;
    const stretches where = {length, samples};
    const bmf_kernel position_of = bmf_kernel_bind(&sample_position, &where);
    bmf_list *positions, *sampled, *pairs;
    splitter *sample = malloc((size_t)samples * sizeof *sample);
    if (!sample)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %lld samples", (long long)samples));
    BMF_CHECK(bmf_tabulate(ctx, samples, &position_of, &positions));
    BMF_CHECK(bmf_project(keys, positions, &sampled));
    BMF_CHECK(bmf_zip(sampled, positions, &splitter_at, &pairs));
    BMF_CHECK(bmf_to_array(pairs, sample));
    qsort(sample, (size_t)samples, sizeof *sample, compare_splitters);
    for (int64_t k = 1; k < parts; k++)
        cut[k - 1] = sample[k * samples / parts];
    free(sample);
    bmf_list_free(positions);
    bmf_list_free(sampled);
    bmf_list_free(pairs);
}

/* ---- runs ---- */

/* How many of the keys at positions [begin, end), which are sorted, come before the splitter. */
static int64_t count_before(const int64_t *key, int64_t begin, int64_t end, const splitter *cut)
{
    int64_t low = 0, high = end - begin;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const splitter here = {key[middle], begin + middle};
        if (compare_splitters(&here, cut) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Run lengths part by part: element p * parts + b is how much of part p belongs to bucket b. */
static void measure_runs(bmf_context *ctx, const bmf_list *keys, const splitter *cut, bmf_list **lengths)
{
    const bmf_partition *parts = bmf_list_partition(keys);
    const int64_t buckets = bmf_partition_parts(parts);
    bmf_partition *table;
    BMF_CHECK(bmf_partition_even(ctx, buckets * buckets, &table));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, table, lengths));
    bmf_partition_release(table);
    int64_t *length = bmf_list_data_writable(*lengths, 0);
    int64_t stride;
    const int64_t *local = bmf_list_data(keys, 0, &stride), first = bmf_partition_local_first(parts);
    for (int64_t p = first; p < first + bmf_partition_local_parts(parts); p++) {
        const int64_t begin = bmf_partition_start(parts, p), end = bmf_partition_start(parts, p + 1);
        const int64_t *key = local + (begin - bmf_partition_local_begin(parts));
        for (int64_t b = 0, done = 0; b < buckets; b++) {
            const int64_t before = b < buckets - 1 ? count_before(key, begin, end, &cut[b]) : end - begin;
            *length++ = before - done;
            done = before;
        }
    }
}

/* Element b * parts + p of the transposed table is element p * parts + b. */
static inline int64_t transpose(int64_t i, int64_t parts)
{
    return i % parts * parts + i / parts;
}
BMF_MAP_KERNEL_WITH(transposed, int64_t, context, int64_t, i, int64_t, transpose(i, *context))

/* Where every run begins in the result: bucket by bucket, in a bucket part by part. Fills length and begin, both with
 * element b * parts + p for bucket b and part p, on every rank. */
static void place_runs(bmf_context *ctx, const bmf_list *by_part, int64_t parts, int64_t *length, int64_t *begin)
{
    const bmf_kernel by_bucket_first = bmf_kernel_bind(&transposed, &parts);
    bmf_list *order, *by_bucket, *begins;
    BMF_CHECK(bmf_tabulate(ctx, parts * parts, &by_bucket_first, &order));
    BMF_CHECK(bmf_project(by_part, order, &by_bucket));
    BMF_CHECK(bmf_scan(by_bucket, &bmf_plus_int, BMF_EXCLUSIVE, &begins));
    BMF_CHECK(bmf_to_array(by_bucket, length));
    BMF_CHECK(bmf_to_array(begins, begin));
    bmf_list_free(order);
    bmf_list_free(by_bucket);
    bmf_list_free(begins);
}

/* The positions, in the sorted parts, of the keys of every bucket: run after run, bucket b on processor b. */
static void list_sources(bmf_context *ctx, const bmf_list *keys, const int64_t *length, const int64_t *begin,
                         bmf_list **sources)
{
    const bmf_partition *parts = bmf_list_partition(keys);
    const int64_t buckets = bmf_partition_parts(parts);
    bmf_partition *targets;
    int64_t *start = malloc((size_t)(buckets + 1) * sizeof *start), *taken = calloc((size_t)buckets, sizeof *taken);
    if (!start || !taken)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %lld buckets", (long long)buckets));
    for (int64_t b = 0; b < buckets; b++)
        start[b] = begin[b * buckets];
    start[buckets] = bmf_length(keys);
    BMF_CHECK(bmf_partition_resized(ctx, parts, start, &targets));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, targets, sources));
    int64_t *source = bmf_list_data_writable(*sources, 0);
    const int64_t first = bmf_partition_local_first(targets);
    for (int64_t b = 0; b < first + bmf_partition_local_parts(targets); b++)
        for (int64_t p = 0; p < buckets; p++) {
            const int64_t run = length[b * buckets + p];
            for (int64_t i = 0; b >= first && i < run; i++)
                *source++ = bmf_partition_start(parts, p) + taken[p] + i;
            taken[p] += run;
        }
    bmf_partition_release(targets);
    free(start);
    free(taken);
}

/* The sorted list of the keys, which become sorted part by part. */
static void sort_keys(bmf_context *ctx, bmf_list *keys, bmf_list **sorted)
{
    const size_t parts = (size_t)bmf_partition_parts(bmf_list_partition(keys));
    splitter *cut = malloc(parts * sizeof *cut);
    int64_t *length = malloc(parts * parts * sizeof *length), *begin = malloc(parts * parts * sizeof *begin);
    bmf_list *by_part, *sources;
    if (!cut || !length || !begin)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the runs of %zu processors", parts));
    sort_parts(ctx, keys);
    find_splitters(ctx, keys, cut);
    measure_runs(ctx, keys, cut, &by_part);
    place_runs(ctx, by_part, (int64_t)parts, length, begin);
    list_sources(ctx, keys, length, begin, &sources);
    BMF_CHECK(bmf_project(keys, sources, sorted));
    sort_parts(ctx, *sorted);
    bmf_list_free(by_part);
    bmf_list_free(sources);
    free(cut);
    free(length);
    free(begin);
}

static const char usage[] =
    "usage: mpirun -n RANKS 06-sample-sort IN.npy OUT.npy\n"
    "Sorts the int or real numbers of a 1-D .npy file into another, ascending; -0.0 comes before 0.0,\n"
    "NaN after infinity (before minus infinity if its sign bit is set).\n"
    "Example: mpirun -n 2 06-sample-sort times.npy sorted.npy\n";

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
    sort_keys(ctx, keys, &sorted);
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
