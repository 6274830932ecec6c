/* Lists of int32, float and complex, alone, in tuples and in lists of lists, through every skeleton.
 *
 * Method: random lengths and partitions; what is expected comes from plain loops and the serial reference. They do not
 * know ranks, threads or processors, so equal bits at several numbers of them show that results do not depend on them.
 * Reductions and scans of random lists are in reduce.c, scan.c and each.c, files in npy.c.
 */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "bmf.h"
#include "ctest/reference/reference.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

#ifndef CMPLX /* glibc hides it from clang 14 */
#define CMPLX(real, imaginary) __builtin_complex(real, imaginary)
#endif

BMF_MAP_KERNEL(quarter, int32_t, n, float, (float)n / 4.0F)
BMF_MAP_KERNEL(successor, int32_t, n, int32_t, (int32_t)((uint32_t)n + 1U))
BMF_MAP_KERNEL(turned, double _Complex, z, double _Complex, CMPLX(-cimag(z), creal(z)))
BMF_MAP_KERNEL(is_low, float, x, uint8_t, x < 0.0F)
BMF_MAP_KERNEL(short_of, int64_t, i, int32_t, (int32_t)(3 * i - 7))
BMF_MAP_KERNEL(point_of, int64_t, i, double _Complex, CMPLX((double)i, 0.5 - (double)i))
BMF_MAP_KERNEL(raised, float, x, double _Complex, CMPLX((double)x, -(double)x))
BMF_ZIP_KERNEL(scaled, float, x, double _Complex, z, double _Complex, CMPLX((double)x *creal(z), (double)x *cimag(z)))
BMF_ZIP_KERNEL(is_inside, float, x, double _Complex, z, uint8_t, (double)x > creal(z))

typedef struct couple {
    float x;
    double _Complex z;
} couple;

typedef struct sample {
    bmf_context *ctx;
    uint64_t *state;
    int64_t n;
    bmf_partition *partition;
    int32_t *ints;
    float *floats;
    double _Complex *points;
    couple *couples;
    char *expected; /* room for n records of any of them */
    bmf_list *int_list, *float_list, *point_list;
} sample;

#define OK(call) CHECK((call) == BMF_OK, "%s", bmf_error_text(s->ctx))

static sample draw_sample(bmf_context *ctx, uint64_t *state)
{
    sample s = {.ctx = ctx, .state = state, .n = test_length(state, bmf_processors(ctx), false)};
    const size_t room = (size_t)s.n + 1;
    s.partition = test_partition(ctx, state, s.n);
    s.ints = calloc(room, sizeof *s.ints);
    s.floats = calloc(room, sizeof *s.floats);
    s.points = calloc(room, sizeof *s.points);
    s.couples = calloc(room, sizeof *s.couples);
    s.expected = calloc(room, sizeof(couple));
    for (int64_t i = 0; i < s.n; i++) {
        s.ints[i] = (int32_t)(test_below(state, INT64_C(1) << 32) + INT32_MIN);
        s.floats[i] = (float)(random_unit(state) - 0.5);
        s.points[i] = CMPLX(random_unit(state) - 0.5, random_unit(state) * 1e9);
        s.couples[i].x = s.floats[i];
        s.couples[i].z = s.points[i];
    }
    s.int_list = test_list(ctx, &bmf_type_int32, s.partition, s.ints);
    s.float_list = test_list(ctx, &bmf_type_float, s.partition, s.floats);
    s.point_list = test_list(ctx, &bmf_type_complex, s.partition, s.points);
    return s;
}

static void free_sample(sample *s)
{
    test_equal(s->int_list, s->partition, s->n, s->ints, "int32 inputs");
    test_equal(s->float_list, s->partition, s->n, s->floats, "float inputs");
    test_equal(s->point_list, s->partition, s->n, s->points, "complex inputs");
    bmf_list_free(s->int_list);
    bmf_list_free(s->float_list);
    bmf_list_free(s->point_list);
    bmf_partition_release(s->partition);
    free(s->ints);
    free(s->floats);
    free(s->points);
    free(s->couples);
    free(s->expected);
}

/* Checks a list and frees it. */
static void expect(const sample *s, bmf_list *list, const bmf_partition *partition, int64_t n, const char *what)
{
    test_equal(list, partition, n, s->expected, what);
    bmf_list_free(list);
}

/* ---- elementwise ---- */

static void check_map(sample *s)
{
    float *floats = (void *)s->expected;
    int32_t *ints = (void *)s->expected;
    double _Complex *points = (void *)s->expected;
    bmf_list *out = NULL;
    OK(bmf_map(s->int_list, &quarter, &out));
    for (int64_t i = 0; i < s->n; i++)
        floats[i] = (float)s->ints[i] / 4.0F;
    expect(s, out, s->partition, s->n, "map of int32 to float");
    OK(bmf_map(s->int_list, &successor, &out));
    OK(bmf_map_in_place(out, &successor));
    for (int64_t i = 0; i < s->n; i++)
        ints[i] = (int32_t)((uint32_t)s->ints[i] + 2U);
    expect(s, out, s->partition, s->n, "map of int32 in place");
    OK(bmf_map(s->point_list, &turned, &out));
    for (int64_t i = 0; i < s->n; i++)
        points[i] = CMPLX(-cimag(s->points[i]), creal(s->points[i]));
    expect(s, out, s->partition, s->n, "map of complex");
    OK(bmf_zip(s->float_list, s->point_list, &scaled, &out));
    for (int64_t i = 0; i < s->n; i++)
        points[i] = CMPLX((double)s->floats[i] * creal(s->points[i]), (double)s->floats[i] * cimag(s->points[i]));
    expect(s, out, s->partition, s->n, "zip of float and complex");
}

static void check_tuples(sample *s)
{
    bmf_list *couples = NULL, *out = NULL;
    couple *expected = (void *)s->expected;
    OK(bmf_pair(s->float_list, s->point_list, &couples));
    test_equal(couples, s->partition, s->n, s->couples, "pair of float and complex");
    OK(bmf_component(couples, 1, &out));
    test_equal(out, s->partition, s->n, s->points, "component of a pair");
    bmf_list_free(out);
    OK(bmf_filter(couples, &is_inside, &out));
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n; i++)
        if ((double)s->floats[i] > creal(s->points[i]))
            expected[kept++] = s->couples[i];
    expect(s, out, NULL, kept, "filter of pairs");
    OK(bmf_filter(s->float_list, &is_low, &out));
    kept = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (s->floats[i] < 0.0F)
            ((float *)(void *)s->expected)[kept++] = s->floats[i];
    expect(s, out, NULL, kept, "filter of floats");
    OK(bmf_distl_value(&bmf_type_float, &(float){1.5F}, s->point_list, &out));
    for (int64_t i = 0; i < s->n; i++)
        expected[i] = (couple){1.5F, s->points[i]};
    expect(s, out, s->partition, s->n, "distl_value of a float");
    bmf_list_free(couples);
}

/* ---- making and moving ---- */

static void check_making(sample *s)
{
    bmf_list *out = NULL;
    bmf_partition *even = NULL;
    BMF_CHECK(bmf_partition_even(s->ctx, s->n, &even));
    OK(bmf_tabulate(s->ctx, s->n, &short_of, &out));
    for (int64_t i = 0; i < s->n; i++)
        ((int32_t *)(void *)s->expected)[i] = (int32_t)(3 * i - 7);
    expect(s, out, even, s->n, "tabulate of int32");
    OK(bmf_tabulate(s->ctx, s->n, &point_of, &out));
    for (int64_t i = 0; i < s->n; i++)
        ((double _Complex *)(void *)s->expected)[i] = CMPLX((double)i, 0.5 - (double)i);
    expect(s, out, even, s->n, "tabulate of complex");
    OK(bmf_spread(s->ctx, &bmf_type_float, s->n, s->floats, &out));
    test_equal(out, even, s->n, s->floats, "spread of floats");
    bmf_list_free(out);
    bmf_partition_release(even);
}

/* Placed, split and gathered again: every element crosses processors twice. */
static void check_moving(sample *s, const bmf_type *type, const void *records, const char *what)
{
    bmf_list *placed = NULL, *split = NULL, *gathered = NULL, *balanced = NULL;
    bmf_partition *even = NULL;
    OK(bmf_place(s->ctx, 0, type, s->n, records, &placed));
    OK(bmf_split(placed, bmf_processors(s->ctx), 0, &split));
    OK(bmf_gather(split, &gathered));
    test_equal(split, NULL, s->n, records, what);
    test_equal(gathered, placed->partition, s->n, records, what);
    BMF_CHECK(bmf_partition_even(s->ctx, s->n, &even));
    OK(bmf_rebalance(placed, &balanced));
    test_equal(balanced, even, s->n, records, what);
    char *array = calloc((size_t)s->n + 1, (size_t)type->size);
    OK(bmf_to_array(split, array));
    CHECK(memcmp(array, records, (size_t)(s->n * type->size)) == 0, "to_array of %s", what);
    if (s->n > 0) {
        const int64_t at = test_below(s->state, s->n);
        OK(bmf_index(split, at, array));
        CHECK(memcmp(array, (const char *)records + at * type->size, (size_t)type->size) == 0, "index of %s", what);
    }
    free(array);
    bmf_partition_release(even);
    bmf_list_free(placed);
    bmf_list_free(split);
    bmf_list_free(gathered);
    bmf_list_free(balanced);
}

static void check_distl(sample *s)
{
    bmf_list *value = NULL, *out = NULL;
    bmf_partition *first = NULL;
    BMF_CHECK(bmf_partition_placed(s->ctx, bmf_partition_processor(s->partition, 0), 1, &first));
    const couple here = {-2.5F, CMPLX(1.0, 2.0)};
    const bmf_type *type = bmf_type_pair(&bmf_type_float, &bmf_type_complex);
    value = test_list(s->ctx, type, first, &here);
    OK(bmf_distl(value, s->int_list, &out));
    bmf_list *values = NULL, *numbers = NULL;
    OK(bmf_component(out, 0, &values));
    OK(bmf_component(out, 1, &numbers));
    for (int64_t i = 0; i < s->n; i++)
        memcpy(s->expected + (size_t)i * sizeof here, &here, sizeof here);
    test_equal(numbers, s->partition, s->n, s->ints, "what a pair was distributed over");
    expect(s, values, s->partition, s->n, "a distributed pair");
    bmf_list_free(numbers);
    bmf_list_free(out);
    bmf_list_free(value);
    bmf_partition_release(first);
}

/* ---- fused forms, lists of lists ---- */

static void plus_complex_record(const void *a, const void *b, void *y)
{
    const double *p = a, *q = b;
    memcpy(y, (double[2]){p[0] + q[0], p[1] + q[1]}, 2 * sizeof *p);
}

static void check_fused(sample *s)
{
    double _Complex *raised_to = calloc((size_t)s->n + 1, sizeof *raised_to), total = 0.0, expected = 0.0;
    for (int64_t i = 0; i < s->n; i++)
        raised_to[i] = CMPLX((double)s->floats[i], -(double)s->floats[i]);
    if (s->n > 0)
        reference_column_fold(plus_complex_record, s->n, raised_to, sizeof *raised_to, &expected);
    OK(bmf_map_reduce(s->float_list, &raised, &bmf_plus_complex, &total));
    CHECK(memcmp(&total, &expected, sizeof total) == 0, "map_reduce of %lld floats to complex", (long long)s->n);
    bmf_list *out = NULL;
    OK(bmf_map_scan(s->float_list, &raised, &bmf_plus_complex, BMF_INCLUSIVE, &out));
    reference_tree_scan(plus_complex_record, s->n, raised_to, sizeof *raised_to, NULL, s->expected);
    expect(s, out, s->partition, s->n, "map_scan of floats to complex");
    free(raised_to);
}

/* Rows of 0 to 3 elements, each on one processor: the partition is that of the rows. */
static void check_rows(sample *s)
{
    const int64_t rows = s->n / 2;
    int64_t *start = calloc((size_t)rows + 2, sizeof *start), *length = calloc((size_t)rows + 1, sizeof *length);
    for (int64_t i = 0; i < rows; i++) {
        length[i] = test_below(s->state, 4);
        length[i] = start[i] + length[i] > s->n ? s->n - start[i] : length[i];
        start[i + 1] = start[i] + length[i];
    }
    bmf_list *lengths = NULL, *elements = NULL, *nested = NULL, *out = NULL, *flat = NULL;
    OK(bmf_place(s->ctx, 0, &bmf_type_int, rows, length, &lengths));
    OK(bmf_place(s->ctx, 0, &bmf_type_int32, start[rows], s->ints, &elements));
    OK(bmf_nest(elements, lengths, &nested));
    OK(bmf_map_each(nested, &quarter, &out));
    OK(bmf_flatten(out, &flat));
    for (int64_t i = 0; i < start[rows]; i++)
        ((float *)(void *)s->expected)[i] = (float)s->ints[i] / 4.0F;
    expect(s, flat, NULL, start[rows], "map_each of int32 to float");
    bmf_list_free(out);
    OK(bmf_reduce_each(nested, &bmf_max_int32, &out));
    int32_t *largest = (void *)s->expected;
    for (int64_t i = 0; i < rows; i++) {
        largest[i] = INT32_MIN;
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            largest[i] = s->ints[k] > largest[i] ? s->ints[k] : largest[i];
    }
    expect(s, out, NULL, rows, "reduce_each of int32");
    bmf_list_free(nested);
    bmf_list_free(elements);
    bmf_list_free(lengths);
    free(start);
    free(length);
}

static void check_project(sample *s)
{
    if (s->n == 0)
        return;
    const int64_t n = test_below(s->state, 2 * s->n);
    int64_t *index = calloc((size_t)n + 1, sizeof *index);
    couple *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++) {
        index[i] = test_below(s->state, s->n);
        expected[i] = s->couples[index[i]];
    }
    bmf_list *indices = NULL, *couples = NULL, *out = NULL;
    OK(bmf_spread(s->ctx, &bmf_type_int, n, index, &indices));
    OK(bmf_pair(s->float_list, s->point_list, &couples));
    OK(bmf_project(couples, indices, &out));
    test_equal(out, indices->partition, n, expected, "project of pairs");
    bmf_list_free(out);
    bmf_list_free(couples);
    bmf_list_free(indices);
    free(index);
    free(expected);
}

/* ---- refusals ---- */

static void check_refusals(sample *s)
{
    bmf_list *out = NULL;
    float total = -5.0F;
    test_refused(s->ctx, bmf_reduce(s->int_list, &bmf_plus_float, &total), BMF_ERROR_TYPE,
                 "operator plus_float takes float, found int32", "int32 by a sum of floats");
    test_refused(s->ctx, bmf_map(s->float_list, &quarter, &out), BMF_ERROR_TYPE, "int32",
                 "floats by a kernel of int32");
    test_refused(s->ctx, bmf_project(s->point_list, s->int_list, &out), BMF_ERROR_TYPE, "int32", "indices of int32");
    CHECK(!out && total == -5.0F, "refused calls wrote something");
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 70;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int repeat = 0; repeat < 4; repeat++) {
            sample s = draw_sample(ctx, &state);
            check_map(&s);
            check_tuples(&s);
            check_making(&s);
            check_moving(&s, &bmf_type_int32, s.ints, "int32");
            check_moving(&s, &bmf_type_float, s.floats, "float");
            check_moving(&s, &bmf_type_complex, s.points, "complex");
            check_distl(&s);
            check_fused(&s);
            check_rows(&s);
            check_project(&s);
            check_refusals(&s);
            free_sample(&s);
        }
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
