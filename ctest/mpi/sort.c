/* sort, argsort, sort_by, unique and group against the C library's qsort, which gets every element with its number.
 *
 * Method: random lists of all types that have an order, with many equal elements, few, and wide ones, NaN and both
 * zeros, sorted lists and such that fall, over any parts; results stand evenly on the processors of the list. What
 * parts receive is merged; from very many other parts, sorted again. Both ways across processors. Messages: their
 * bytes against what must move. */
#include "bmf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"
#include "runtime/data/partition.h"

/* An element as the reference sees it. NaN is behind all numbers; -0.0 before 0.0. */
typedef struct numbered {
    double real;
    int64_t whole, number;
    bool nan, negative_zero;
} numbered;

static int in_order(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->nan != y->nan)
        return x->nan ? 1 : -1;
    if (!x->nan && x->real != y->real)
        return x->real < y->real ? -1 : 1;
    if (x->whole != y->whole)
        return x->whole < y->whole ? -1 : 1;
    if (!x->nan && x->negative_zero != y->negative_zero)
        return x->negative_zero ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_same(const numbered *x, const numbered *y)
{
    return x->nan || y->nan ? x->nan && y->nan : x->real == y->real && x->whole == y->whole;
}

/* Some number; `kind` says of which sort. */
static int64_t some_int(uint64_t *state, int64_t kind, int64_t i, int64_t n)
{
    switch (kind) {
    case 0:
        return test_below(state, 50) == 0 ? (test_below(state, 2) ? INT64_MAX : INT64_MIN) : test_below(state, 3) - 1;
    case 1:
        return i;
    case 2:
        return n - i;
    case 3:
        return test_below(state, 100000) - 50000;
    case 4:
        return 7;
    default:
        return (int64_t)random_bits(state);
    }
}

static double some_real(uint64_t *state, int64_t kind, int64_t i, int64_t n)
{
    static const double odd[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1e-310, -1e-310, 1e300, -1e300};
    if (kind < 5)
        return (double)some_int(state, kind, i, n) * 0.125;
    return test_below(state, 3) == 0 ? odd[test_below(state, 10)]
                                     : ldexp(random_unit(state) - 0.5, (int)test_below(state, 60));
}

typedef enum scalar { AN_INT, A_REAL, A_BOOL, AN_INT32, A_FLOAT, SCALARS } scalar;
static const bmf_type *const scalar_type[SCALARS] = {&bmf_type_int, &bmf_type_real, &bmf_type_bool, &bmf_type_int32,
                                                     &bmf_type_float};
static const size_t scalar_bytes[SCALARS] = {8, 8, 1, 4, 4};

/* Writes element i, and what the reference makes of it. */
static void make_element(uint64_t *state, scalar type, int64_t kind, int64_t i, int64_t n, char *to, numbered *seen)
{
    const double real = type == A_REAL || type == A_FLOAT ? some_real(state, kind, i, n) : 0;
    const int64_t whole = type == A_REAL || type == A_FLOAT ? 0 : some_int(state, kind, i, n);
    const float narrow = (float)real;
    const int32_t half = (int32_t)whole;
    const uint8_t truth = whole & 1;
    const void *from[SCALARS] = {&whole, &real, &truth, &half, &narrow};
    memcpy(to + (size_t)i * scalar_bytes[type], from[type], scalar_bytes[type]);
    *seen = (numbered){.number = i, .whole = type == AN_INT32 ? half : type == A_BOOL ? truth : whole};
    seen->real = type == A_FLOAT ? (double)narrow : real;
    seen->nan = isnan(seen->real);
    seen->negative_zero = seen->real == 0 && signbit(seen->real);
    if (type == A_REAL || type == A_FLOAT)
        seen->whole = 0;
}

/* The same processors, evenly. */
static bmf_partition *evenly(bmf_context *ctx, const bmf_partition *like, int64_t n)
{
    const int64_t parts = bmf_partition_parts(like);
    int64_t *start = calloc((size_t)parts + 1, sizeof *start);
    bmf_partition *made = NULL;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] = start[k] + n / parts + (k < n % parts);
    BMF_CHECK(bmf_partition_resized(ctx, like, start, &made));
    free(start);
    return made;
}

/* NaN may stand in any order among themselves, so they are made equal. */
static void level_nans(const bmf_list *list, scalar type)
{
    for (int64_t i = 0; list && i < list->column.count; i++) {
        double *real = type == A_REAL ? (double *)list->column.data + i : NULL;
        float *narrow = type == A_FLOAT ? (float *)list->column.data + i : NULL;
        if (real && isnan(*real))
            *real = NAN;
        if (narrow && isnan(*narrow))
            *narrow = NAN;
    }
}

/* The list once each; sorted: its elements in their order, with what the reference sees of them. */
static void check_unique(const bmf_list *xs, scalar type, int64_t n, const char *sorted, const numbered *seen)
{
    const size_t size = scalar_bytes[type];
    char *expected = calloc((size_t)n + 1, size);
    int64_t count = 0;
    bmf_list *ys = NULL;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || !is_same(&seen[i - 1], &seen[i]))
            memcpy(expected + (size_t)count++ * size, sorted + (size_t)i * size, size);
    bmf_partition *even = evenly(bmf_list_context(xs), bmf_list_partition(xs), count);
    CHECK(bmf_unique(xs, &ys) == BMF_OK, "%s", bmf_error_text(bmf_list_context(xs)));
    level_nans(ys, type);
    test_equal(ys, even, count, expected, "unique");
    bmf_list_free(ys);
    bmf_partition_release(even);
    free(expected);
}

static void check_scalars(bmf_context *ctx, uint64_t *state, scalar type, int64_t n, int64_t kind)
{
    const size_t size = scalar_bytes[type];
    char *x = calloc((size_t)n + 1, size), *expected = calloc((size_t)n + 1, size);
    numbered *seen = calloc((size_t)n + 1, sizeof *seen);
    int64_t *order = calloc((size_t)n + 1, sizeof *order);
    bmf_list *ys = NULL, *numbers = NULL, *again = NULL;
    for (int64_t i = 0; i < n; i++)
        make_element(state, type, kind, i, n, x, &seen[i]);
    qsort(seen, (size_t)n, sizeof *seen, in_order);
    for (int64_t i = 0; i < n; i++) {
        order[i] = seen[i].number;
        memcpy(expected + (size_t)i * size, x + (size_t)order[i] * size, size);
        if (seen[i].nan && type == A_REAL)
            ((double *)(void *)expected)[i] = NAN;
        if (seen[i].nan && type == A_FLOAT)
            ((float *)(void *)expected)[i] = NAN;
    }
    bmf_partition *partition = test_partition(ctx, state, n), *even = evenly(ctx, partition, n);
    bmf_list *xs = test_list(ctx, scalar_type[type], partition, x);
    CHECK(bmf_sort(xs, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    level_nans(ys, type);
    test_equal(ys, even, n, expected, "sort");
    CHECK(bmf_argsort(xs, &numbers) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(numbers, even, n, order, "argsort");
    test_equal(xs, partition, n, x, "input of sort");
    CHECK(bmf_sort(ys, &again) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(again, even, n, expected, "sort of a sorted list");
    check_unique(xs, type, n, expected, seen);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(numbers);
    bmf_list_free(again);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(x);
    free(expected);
    free(seen);
    free(order);
}

/* A tuple {n, x}, sorted by x. */
typedef struct number_pair {
    int64_t n;
    double x;
} number_pair;

static int second_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++)
        BMF_AT(double, out[0], i) = BMF_AT(const double, in[1], i);
    return 0;
}
static const bmf_type *const pair_components[2] = {&bmf_type_int, &bmf_type_real};
static const bmf_type pair_type = {BMF_TUPLE, 0, 0, 2, pair_components};
static const bmf_kernel second = {
    .name = "second", .block = second_block, .inputs = 1, .input = {&pair_type}, .output = &bmf_type_real};

static void check_tuples(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), false), kind = test_below(state, 6);
    number_pair *x = calloc((size_t)n + 1, sizeof *x), *expected = calloc((size_t)n + 1, sizeof *expected);
    numbered *seen = calloc((size_t)n + 1, sizeof *seen);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (number_pair){i, some_real(state, kind, i, n)};
        seen[i] = (numbered){.real = x[i].x, .number = i, .nan = isnan(x[i].x)};
        seen[i].negative_zero = x[i].x == 0 && signbit(x[i].x);
    }
    qsort(seen, (size_t)n, sizeof *seen, in_order);
    for (int64_t i = 0; i < n; i++)
        expected[i] = x[seen[i].number];
    bmf_partition *partition = test_partition(ctx, state, n), *even = evenly(ctx, partition, n);
    bmf_list *xs = test_list(ctx, &pair_type, partition, x), *ys = NULL;
    CHECK(bmf_sort_by(xs, &second, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, even, n, expected, "sort_by");
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(x);
    free(expected);
    free(seen);
}

/* Keys of every type. */
#define KEY(key, T, type, value)                                                                                       \
    static T key##_of(number_pair p)                                                                                   \
    {                                                                                                                  \
        return (T)(value);                                                                                             \
    }                                                                                                                  \
    static int key##_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)              \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        for (int64_t i = 0; i < count; i++)                                                                            \
            BMF_AT(T, out[0], i) =                                                                                     \
                key##_of((number_pair){BMF_AT(const int64_t, in[0], i), BMF_AT(const double, in[1], i)});              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static const bmf_kernel key = {                                                                                    \
        .name = #key, .block = key##_block, .inputs = 1, .input = {&pair_type}, .output = &(type)};
KEY(int_key, int64_t, bmf_type_int, p.n % 7 - 3)
KEY(real_key, double, bmf_type_real, p.x)
KEY(bool_key, uint8_t, bmf_type_bool, p.n % 3 == 0)
KEY(int32_key, int32_t, bmf_type_int32, p.n % 11 - 20)
KEY(float_key, float, bmf_type_float, p.x)
static const bmf_kernel *const key_kernel[SCALARS] = {&int_key, &real_key, &bool_key, &int32_key, &float_key};

/* The key of an element, as bytes, and as the reference sees it. */
static void find_key(scalar type, number_pair element, int64_t number, char *to, numbered *seen)
{
    const int64_t whole[SCALARS] = {
        [AN_INT] = int_key_of(element), [A_BOOL] = bool_key_of(element), [AN_INT32] = int32_key_of(element)};
    const float narrow = float_key_of(element);
    const uint8_t truth = bool_key_of(element);
    const int32_t half = int32_key_of(element);
    const void *from[SCALARS] = {&whole[AN_INT], &element.x, &truth, &half, &narrow};
    memcpy(to, from[type], scalar_bytes[type]);
    *seen = (numbered){.number = number, .whole = whole[type]};
    if (type == A_REAL || type == A_FLOAT)
        seen->real = type == A_REAL ? element.x : (double)narrow;
    seen->nan = isnan(seen->real);
    seen->negative_zero = seen->real == 0 && signbit(seen->real);
}

/* kind: what the elements' reals are, some_real. */
static void check_groups(bmf_context *ctx, uint64_t *state, scalar type, int64_t n, int64_t kind)
{
    const size_t size = scalar_bytes[type];
    number_pair *x = calloc((size_t)n + 1, sizeof *x), *members = calloc((size_t)n + 1, sizeof *members);
    char *key = calloc((size_t)n + 1, size), *expected = calloc((size_t)n + 1, size);
    numbered *seen = calloc((size_t)n + 1, sizeof *seen);
    int64_t *length = calloc((size_t)n + 1, sizeof *length), count = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (number_pair){i, some_real(state, kind, i, n)};
        find_key(type, x[i], i, key + (size_t)i * size, &seen[i]);
    }
    qsort(seen, (size_t)n, sizeof *seen, in_order);
    for (int64_t i = 0; i < n; i++) {
        members[i] = x[seen[i].number];
        if (i == 0 || !is_same(&seen[i - 1], &seen[i]))
            memcpy(expected + (size_t)count++ * size, key + (size_t)seen[i].number * size, size);
        length[count - 1]++;
    }
    bmf_partition *partition = test_partition(ctx, state, n), *even = evenly(ctx, partition, count);
    bmf_list *xs = test_list(ctx, &pair_type, partition, x), *keys = NULL, *groups = NULL;
    bmf_list *flat = NULL, *lengths = NULL;
    CHECK(bmf_group_by(xs, key_kernel[type], &keys, &groups) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(keys, even, count, expected, "keys of groups");
    CHECK(bmf_flatten(groups, &flat) == BMF_OK && bmf_lengths(groups, &lengths) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(flat, NULL, n, members, "elements of groups");
    test_equal(lengths, even, count, length, "lengths of groups");
    bmf_list_free(xs);
    bmf_list_free(keys);
    bmf_list_free(groups);
    bmf_list_free(flat);
    bmf_list_free(lengths);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(x);
    free(members);
    free(key);
    free(expected);
    free(seen);
    free(length);
}

BMF_MAP_KERNEL(fifth, int64_t, i, double, i % 2 ? 0.2 : -0.2)

/* A value for all elements, in one place of memory. */
static void check_broadcast(bmf_context *ctx)
{
    bmf_list *xs, *pairs, *ys = NULL;
    const double five = 5;
    double value[17], expected[17];
    BMF_CHECK(bmf_iota(ctx, 17, &xs));
    BMF_CHECK(bmf_distl_value(&bmf_type_real, &five, xs, &pairs));
    bmf_list *fives;
    BMF_CHECK(bmf_component(pairs, 0, &fives));
    CHECK(bmf_sort(fives, &ys) == BMF_OK && bmf_to_array(ys, value) == BMF_OK, "%s", bmf_error_text(ctx));
    for (int i = 0; i < 17; i++)
        expected[i] = 5;
    CHECK(memcmp(value, expected, sizeof value) == 0, "sort of equal numbers");
    bmf_list *one = NULL;
    CHECK(bmf_unique(fives, &one) == BMF_OK && bmf_length(one) == 1, "%s", bmf_error_text(ctx));
    bmf_list_free(one);
    bmf_list_free(xs);
    bmf_list_free(pairs);
    bmf_list_free(fives);
    bmf_list_free(ys);
}

BMF_MAP_KERNEL(squared, double, x, double _Complex, x *x)

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs = NULL, *zs = NULL, *ys = NULL;
    BMF_CHECK(bmf_iota_real(ctx, 20, &xs));
    BMF_CHECK(bmf_map(xs, &squared, &zs));
    test_refused(ctx, bmf_sort(zs, &ys), BMF_ERROR_TYPE, "complex", "a sort of complex numbers");
    test_refused(ctx, bmf_argsort(zs, &ys), BMF_ERROR_TYPE, "complex", "an argsort of complex numbers");
    test_refused(ctx, bmf_sort_by(xs, &squared, &ys), BMF_ERROR_TYPE, "complex", "a complex key");
    test_refused(ctx, bmf_sort_by(xs, &fifth, &ys), BMF_ERROR_TYPE, "fifth", "a key of other elements");
    bmf_list *keys = NULL;
    test_refused(ctx, bmf_unique(zs, &ys), BMF_ERROR_TYPE, "unique", "complex numbers once each");
    test_refused(ctx, bmf_group_by(xs, &squared, &keys, &ys), BMF_ERROR_TYPE, "group", "groups with a complex key");
    test_refused(ctx, bmf_group_by(xs, &fifth, &keys, &ys), BMF_ERROR_TYPE, "fifth",
                 "groups by a key of other elements");
    CHECK(!keys, "a refused group made a list");
    CHECK(!ys, "a refused sort made a list");
    bmf_list_free(xs);
    bmf_list_free(zs);
}

/* A list that falls, over an even number of ranks: every element leaves its rank, in its own bytes, and neighbours of
 * cuts move on. */
static void check_bytes(bmf_context *ctx, scalar type)
{
    enum { ELEMENTS_OF_RANK = 20000 };
    const int64_t ranks = bmf_ranks(ctx), n = ELEMENTS_OF_RANK * ranks, size = (int64_t)scalar_bytes[type];
    uint64_t state = 3;
    char *x = calloc((size_t)n, (size_t)size);
    numbered seen;
    bmf_statistics before, after;
    bmf_partition *partition = NULL;
    bmf_list *ys = NULL;
    for (int64_t i = 0; i < n; i++)
        make_element(&state, type, 2, i, n, x, &seen);
    BMF_CHECK(bmf_partition_even(ctx, n, &partition));
    bmf_list *xs = test_list(ctx, scalar_type[type], partition, x);
    BMF_CHECK(bmf_total_statistics(ctx, &before));
    CHECK(bmf_sort(xs, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_total_statistics(ctx, &after));
    const int64_t moved = n * size, other = 8 * 256 * ranks * ranks + moved / 20;
    const int64_t bytes = after.bytes - before.bytes;
    CHECK(ranks % 2 != 0 || (bytes >= moved && bytes <= moved + other), "%lld bytes for %lld elements of %lld",
          (long long)bytes, (long long)n, (long long)size);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(x);
}

/* All of it on so many processors. */
static void check_machine(bmf_context *ctx, uint64_t *state, int64_t processors)
{
    BMF_CHECK(bmf_set_processors(ctx, processors));
    for (int repeat = 0; repeat < 4; repeat++)
        for (scalar type = 0; type < SCALARS; type++)
            check_scalars(ctx, state, type, test_length(state, processors, false), test_below(state, 6));
    for (int64_t kind = 0; kind < 6; kind++)
        check_scalars(ctx, state, (scalar)test_below(state, SCALARS), 20000 + 1000 * kind, kind);
    for (int repeat = 0; repeat < 6; repeat++)
        check_tuples(ctx, state);
    for (scalar type = 0; type < SCALARS; type++)
        for (int repeat = 0; repeat < 3; repeat++)
            check_groups(ctx, state, type, test_length(state, processors, false), test_below(state, 6));
    check_broadcast(ctx);
    check_refusals(ctx);
}

/* Lists that are long enough for stages, and their messages, both ways. */
static void check_large(bmf_context *ctx, uint64_t *state)
{
    BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, 3)));
    check_scalars(ctx, state, A_REAL, 1500000, 5); /* past the caches */
    check_scalars(ctx, state, AN_INT, 1500000, 0);
    BMF_CHECK(bmf_set_processors(ctx, bmf_ranks(ctx)));
    check_bytes(ctx, A_REAL);
    check_bytes(ctx, A_FLOAT);
    check_bytes(ctx, AN_INT32);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {NULL, "whole", "stages"}; /* NULL: by the length */
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 50;
    for (int way = 0; way < 3; way++) {
        BMF_CHECK(bmf_set_schedule(ctx, "sort", ways[way]));
        for (int machine = 0; machine < TEST_MACHINES; machine++)
            if (!ways[way] || (machine + way) % 2 == 0)
                check_machine(ctx, &state, test_processors(ctx, machine));
        if (ways[way])
            check_large(ctx, &state);
    }
    BMF_CHECK(bmf_set_schedule(ctx, "sort", NULL));
    BMF_CHECK(bmf_set_processors(ctx, 7)); /* stages because the list is long */
    check_scalars(ctx, &state, A_FLOAT, 150000, 5);
    check_groups(ctx, &state, A_REAL, 200000, 5);
    BMF_CHECK(bmf_set_schedule(ctx, "sort", "stages"));
    static const int64_t many[] = {40, 64, 65}; /* more than are compared with all cuts; the most; too many */
    for (int k = 0; k < 3; k++) {
        BMF_CHECK(bmf_set_processors(ctx, many[k]));
        check_scalars(ctx, &state, AN_INT, 9000, 0);
        check_scalars(ctx, &state, AN_INT, 9000, 3);
        check_scalars(ctx, &state, A_REAL, 9000, 5);
    }
    BMF_CHECK(bmf_set_schedule(ctx, "sort", NULL));
    BMF_CHECK(bmf_set_processors(ctx, 130)); /* too many to merge from */
    check_scalars(ctx, &state, AN_INT32, 8000, 0);
    check_scalars(ctx, &state, A_REAL, 8000, 5);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
