/* map, zip, pair, component, iota, tabulate and distl_value against the serial reference.
 *
 * Method: random lists of every shape, scalars, structs and tuples, broadcast columns; in place and not; and after
 * every call the inputs must be what they were, also when they share memory with something written in place.
 */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/reference/reference.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

/* ---- kernels and what they mean ---- */

typedef struct point {
    double x, y;
    int64_t label;
} point;

BMF_MAP_KERNEL(halved, int64_t, n, double, (double)n / 2.0)
BMF_MAP_KERNEL(increased, int64_t, n, int64_t, n + 1)
BMF_MAP_KERNEL(mirrored, point, p, point, ((point){p.y, p.x, -p.label}))
BMF_MAP_KERNEL(label_of, point, p, int64_t, p.label)
BMF_ZIP_KERNEL(scaled, double, x, int64_t, n, double, (x * (double)n))
BMF_ZIP_KERNEL(labelled, int64_t, n, double, x, point, ((point){x, -x, n}))
BMF_ZIP_KERNEL(subtracted, int64_t, a, int64_t, b, int64_t, a - b)

static void halved_record(const void *x, void *y)
{
    *(double *)y = (double)*(const int64_t *)x / 2.0;
}
static void increased_record(const void *x, void *y)
{
    *(int64_t *)y = *(const int64_t *)x + 1;
}
static void mirrored_record(const void *x, void *y)
{
    const point *p = x;
    *(point *)y = (point){p->y, p->x, -p->label};
}
static void label_record(const void *x, void *y)
{
    *(int64_t *)y = ((const point *)x)->label;
}
static void scaled_record(const void *a, const void *b, void *y)
{
    *(double *)y = *(const double *)a * (double)*(const int64_t *)b;
}
static void labelled_record(const void *a, const void *b, void *y)
{
    const double x = *(const double *)b;
    *(point *)y = (point){x, -x, *(const int64_t *)a};
}
/* {n, x} to {x + n, n odd, n}: a tuple kernel changes number, order and types of leaves. */
typedef struct number_pair {
    int64_t n;
    double x;
} number_pair;
typedef struct number_triple {
    double sum;
    uint8_t odd;
    int64_t n;
} number_triple;

static int rearranged_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = BMF_AT(const int64_t, in[0], i);
        const double x = BMF_AT(const double, in[1], i);
        BMF_AT(double, out[0], i) = x + (double)n;
        BMF_AT(uint8_t, out[1], i) = n % 2 != 0;
        BMF_AT(int64_t, out[2], i) = n;
    }
    return 0;
}
static const bmf_type *const pair_components[2] = {&bmf_type_int, &bmf_type_real};
static const bmf_type *const triple_components[3] = {&bmf_type_real, &bmf_type_bool, &bmf_type_int};
static const bmf_type pair_type = {BMF_TUPLE, 0, 0, 2, pair_components};
static const bmf_type triple_type = {BMF_TUPLE, 0, 0, 3, triple_components};
static const bmf_kernel rearranged = {
    .name = "rearranged", .block = rearranged_block, .inputs = 1, .input = {&pair_type}, .output = &triple_type};

static void rearranged_record(const void *x, void *y)
{
    const number_pair *pair = x;
    number_triple *triple = y;
    triple->sum = pair->x + (double)pair->n;
    triple->odd = pair->n & 1;
    triple->n = pair->n;
}

/* {n, x} to {-n, 2 x}, in place. */
static int doubled_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        BMF_AT(int64_t, out[0], i) = -BMF_AT(const int64_t, in[0], i);
        BMF_AT(double, out[1], i) = 2.0 * BMF_AT(const double, in[1], i);
    }
    return 0;
}
static const bmf_kernel doubled = {
    .name = "doubled", .block = doubled_block, .inputs = 1, .input = {&pair_type}, .output = &pair_type};

static void doubled_record(const void *x, void *y)
{
    const number_pair *pair = x;
    *(number_pair *)y = (number_pair){-pair->n, 2.0 * pair->x};
}

/* ---- one random shape with data of every kind ---- */

typedef struct sample {
    bmf_context *ctx;
    int64_t n;
    bmf_partition *partition;
    int64_t *ints;
    double *reals;
    point *points;
    number_pair *pairs;
    char *expected; /* room for n records of any of them */
    bmf_list *int_list, *real_list, *point_list;
} sample;

static sample draw_sample(bmf_context *ctx, uint64_t *state)
{
    sample s = {.ctx = ctx, .n = test_length(state, bmf_processors(ctx), true)};
    const size_t room = (size_t)s.n + 1;
    s.partition = test_partition(ctx, state, s.n);
    s.ints = calloc(room, sizeof *s.ints);
    s.reals = calloc(room, sizeof *s.reals);
    s.points = calloc(room, sizeof *s.points);
    s.pairs = calloc(room, sizeof *s.pairs);
    s.expected = calloc(room, sizeof(point));
    for (int64_t i = 0; i < s.n; i++) {
        s.ints[i] = test_below(state, 1000000) - 500000;
        s.reals[i] = random_unit(state) - 0.5;
        s.points[i] = (point){random_unit(state), random_unit(state), i};
        s.pairs[i] = (number_pair){s.ints[i], s.reals[i]};
    }
    s.int_list = test_list(ctx, &bmf_type_int, s.partition, s.ints);
    s.real_list = test_list(ctx, &bmf_type_real, s.partition, s.reals);
    s.point_list = test_list(ctx, mirrored.output, s.partition, s.points);
    return s;
}

static void check_unchanged(const sample *s, const char *after)
{
    test_equal(s->int_list, s->partition, s->n, s->ints, after);
    test_equal(s->real_list, s->partition, s->n, s->reals, after);
    test_equal(s->point_list, s->partition, s->n, s->points, after);
}

static void free_sample(sample *s)
{
    bmf_list_free(s->int_list);
    bmf_list_free(s->real_list);
    bmf_list_free(s->point_list);
    bmf_partition_release(s->partition);
    free(s->ints);
    free(s->reals);
    free(s->points);
    free(s->pairs);
    free(s->expected);
}

#define OK(call) CHECK((call) == BMF_OK, "%s", bmf_error_text(s->ctx))

/* ---- properties ---- */

static void check_map(sample *s)
{
    bmf_list *ys = NULL, *zs = NULL;
    OK(bmf_map(s->int_list, &halved, &ys));
    reference_map(halved_record, s->n, s->ints, sizeof *s->ints, s->expected, sizeof(double));
    test_equal(ys, s->partition, s->n, s->expected, "map of ints to reals");
    bmf_list_free(ys);
    ys = NULL;
    OK(bmf_map(s->point_list, &mirrored, &ys));
    reference_map(mirrored_record, s->n, s->points, sizeof *s->points, s->expected, sizeof(point));
    test_equal(ys, s->partition, s->n, s->expected, "map of structs");
    OK(bmf_map_in_place(ys, &mirrored));
    test_equal(ys, s->partition, s->n, s->points, "map in place of structs, twice the same");
    OK(bmf_map(ys, &label_of, &zs));
    reference_map(label_record, s->n, s->points, sizeof *s->points, s->expected, sizeof(int64_t));
    test_equal(zs, s->partition, s->n, s->expected, "map of structs to ints");
    bmf_list_free(ys);
    bmf_list_free(zs);
    check_unchanged(s, "input of map");
}

static void check_zip(sample *s)
{
    bmf_list *ys = NULL, *zs = NULL;
    OK(bmf_zip(s->real_list, s->int_list, &scaled, &ys));
    reference_zip(scaled_record, s->n, s->reals, sizeof *s->reals, s->ints, sizeof *s->ints, s->expected,
                  sizeof(double));
    test_equal(ys, s->partition, s->n, s->expected, "zip");
    OK(bmf_zip(s->int_list, s->real_list, &labelled, &zs));
    reference_zip(labelled_record, s->n, s->ints, sizeof *s->ints, s->reals, sizeof *s->reals, s->expected,
                  sizeof(point));
    test_equal(zs, s->partition, s->n, s->expected, "zip to structs");
    bmf_list_free(ys);
    bmf_list_free(zs);
    ys = NULL;
    OK(bmf_zip(s->int_list, s->int_list, &subtracted, &ys));
    memset(s->expected, 0, (size_t)s->n * sizeof(int64_t));
    test_equal(ys, s->partition, s->n, s->expected, "a list minus itself");
    OK(bmf_zip_in_place(ys, s->int_list, &subtracted));
    for (int64_t i = 0; i < s->n; i++)
        ((int64_t *)(void *)s->expected)[i] = -s->ints[i];
    test_equal(ys, s->partition, s->n, s->expected, "zip in place");
    OK(bmf_zip_in_place(ys, ys, &subtracted));
    memset(s->expected, 0, (size_t)s->n * sizeof(int64_t));
    test_equal(ys, s->partition, s->n, s->expected, "zip in place of a list with itself");
    bmf_list_free(ys);
    check_unchanged(s, "input of zip");
}

static void check_tuples(sample *s)
{
    bmf_list *pairs = NULL, *triples = NULL, *component = NULL, *products = NULL;
    OK(bmf_pair(s->int_list, s->real_list, &pairs));
    test_equal(pairs, s->partition, s->n, s->pairs, "pair");
    OK(bmf_map(pairs, &rearranged, &triples));
    reference_map(rearranged_record, s->n, s->pairs, sizeof *s->pairs, s->expected, sizeof(number_triple));
    test_equal(triples, s->partition, s->n, s->expected, "map of tuples");
    OK(bmf_component(triples, 2, &component));
    test_equal(component, s->partition, s->n, s->ints, "last component");
    OK(bmf_map(pairs, &labelled, &products));
    reference_zip(labelled_record, s->n, s->ints, sizeof *s->ints, s->reals, sizeof *s->reals, s->expected,
                  sizeof(point));
    test_equal(products, s->partition, s->n, s->expected, "map of tuples by a kernel of two inputs");
    bmf_list_free(triples);
    bmf_list_free(component);
    bmf_list_free(products);
    bmf_list_free(pairs);
    check_unchanged(s, "input of pair");
}

/* Whoever shares memory with a list that is changed in place must not see it. */
static void check_sharing(sample *s)
{
    bmf_list *pairs = NULL, *again = NULL, *ints = NULL;
    OK(bmf_pair(s->int_list, s->real_list, &pairs));
    OK(bmf_component(pairs, 0, &ints));
    OK(bmf_map_in_place(ints, &increased));
    reference_map(increased_record, s->n, s->ints, sizeof *s->ints, s->expected, sizeof(int64_t));
    test_equal(ints, s->partition, s->n, s->expected, "map in place of a component");
    test_equal(pairs, s->partition, s->n, s->pairs, "the tuple the component came from");
    OK(bmf_zip_in_place(ints, s->int_list, &subtracted));
    OK(bmf_pair(s->int_list, s->real_list, &again));
    OK(bmf_map_in_place(pairs, &doubled));
    reference_map(doubled_record, s->n, s->pairs, sizeof *s->pairs, s->expected, sizeof(number_pair));
    test_equal(pairs, s->partition, s->n, s->expected, "map in place of tuples");
    test_equal(again, s->partition, s->n, s->pairs, "another tuple of the same lists");
    check_unchanged(s, "lists whose tuple was changed in place");
    bmf_list_free(pairs);
    pairs = NULL;
    OK(bmf_pair(s->int_list, s->int_list, &pairs));
    for (int64_t i = 0; i < 2 * s->n; i++)
        ((int64_t *)(void *)s->expected)[i] = s->ints[i / 2];
    test_equal(pairs, s->partition, s->n, s->expected, "a list paired with itself");
    bmf_list_free(pairs);
    bmf_list_free(again);
    bmf_list_free(ints);
}

/* Broadcast columns: read, replaced by ordinary ones when written, and seldom stored. */
static void check_broadcast(sample *s)
{
    const int64_t value = 42;
    bmf_list *pairs = NULL, *values = NULL, *points = NULL;
    OK(bmf_distl_value(&bmf_type_int, &value, s->real_list, &pairs));
    number_pair *expected = (void *)s->expected;
    for (int64_t i = 0; i < s->n; i++)
        expected[i] = (number_pair){value, s->reals[i]};
    test_equal(pairs, s->partition, s->n, expected, "distl_value");
    if (pairs && pairs->column.count > 0)
        CHECK(pairs->column.child[0].stride == 0, "the value is stored %lld bytes apart",
              (long long)pairs->column.child[0].stride);
    OK(bmf_component(pairs, 0, &values));
    OK(bmf_map_in_place(pairs, &doubled));
    for (int64_t i = 0; i < s->n; i++)
        expected[i] = (number_pair){-value, 2.0 * s->reals[i]};
    test_equal(pairs, s->partition, s->n, expected, "map in place of broadcast values");
    OK(bmf_zip(values, s->real_list, &labelled, &points));
    for (int64_t i = 0; i < s->n; i++)
        ((point *)(void *)s->expected)[i] = (point){s->reals[i], -s->reals[i], value};
    test_equal(points, s->partition, s->n, s->expected, "zip with a broadcast list");
    OK(bmf_zip_in_place(values, s->int_list, &subtracted));
    for (int64_t i = 0; i < s->n; i++)
        ((int64_t *)(void *)s->expected)[i] = value - s->ints[i];
    test_equal(values, s->partition, s->n, s->expected, "zip in place of a broadcast list");
    bmf_list_free(pairs);
    bmf_list_free(values);
    bmf_list_free(points);
    check_unchanged(s, "list paired with a broadcast value");
}

/* A struct as the broadcast value, and a tuple. */
static void check_broadcast_records(sample *s)
{
    const point here = {0.5, -0.5, 9};
    const number_pair pair = {7, 0.25};
    bmf_list *tuples = NULL, *values = NULL;
    OK(bmf_distl_value(mirrored.input[0], &here, s->int_list, &tuples));
    OK(bmf_component(tuples, 0, &values));
    for (int64_t i = 0; i < s->n; i++)
        ((point *)(void *)s->expected)[i] = here;
    test_equal(values, s->partition, s->n, s->expected, "a broadcast struct");
    bmf_list_free(tuples);
    bmf_list_free(values);
    tuples = values = NULL;
    OK(bmf_distl_value(&pair_type, &pair, s->int_list, &tuples));
    OK(bmf_component(tuples, 0, &values));
    for (int64_t i = 0; i < s->n; i++)
        ((number_pair *)(void *)s->expected)[i] = pair;
    test_equal(values, s->partition, s->n, s->expected, "a broadcast tuple");
    bmf_list_free(tuples);
    bmf_list_free(values);
}

/* ---- making lists ---- */

static void check_iota(sample *s)
{
    bmf_list *ns = NULL, *xs = NULL, *halves = NULL, *points = NULL;
    bmf_partition *even = NULL;
    BMF_CHECK(bmf_partition_even(s->ctx, s->n, &even));
    int64_t *ints = calloc((size_t)s->n + 1, sizeof *ints);
    double *reals = calloc((size_t)s->n + 1, sizeof *reals);
    for (int64_t i = 0; i < s->n; i++) {
        ints[i] = i;
        reals[i] = (double)i;
    }
    OK(bmf_iota(s->ctx, s->n, &ns));
    test_equal(ns, even, s->n, ints, "iota");
    OK(bmf_iota_real(s->ctx, s->n, &xs));
    test_equal(xs, even, s->n, reals, "iota_real");
    OK(bmf_tabulate(s->ctx, s->n, &halved, &halves));
    reference_map(halved_record, s->n, ints, sizeof *ints, s->expected, sizeof(double));
    test_equal(halves, even, s->n, s->expected, "tabulate");
    OK(bmf_spread(s->ctx, mirrored.input[0], s->n, s->points, &points));
    test_equal(points, even, s->n, s->points, "spread");
    bmf_list_free(ns);
    bmf_list_free(xs);
    bmf_list_free(halves);
    bmf_list_free(points);
    bmf_partition_release(even);
    free(ints);
    free(reals);
}

/* Lists that go past the caches: on random parts, so that pieces begin anywhere. */
static void check_large(bmf_context *ctx, uint64_t *state, int64_t n)
{
    int64_t *ints = calloc((size_t)n, sizeof *ints);
    double *reals = calloc((size_t)n, sizeof *reals), *expected = calloc((size_t)n, sizeof *expected);
    for (int64_t i = 0; i < n; i++) {
        ints[i] = i;
        reals[i] = (double)test_below(state, 1000) / 3.0;
    }
    bmf_partition *partition = test_partition(ctx, state, n), *even = NULL;
    BMF_CHECK(bmf_partition_even(ctx, n, &even));
    bmf_list *ns = test_list(ctx, &bmf_type_int, partition, ints);
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, reals), *ys = NULL, *zs = NULL, *counted = NULL;
    BMF_CHECK(bmf_map(ns, &halved, &ys));
    reference_map(halved_record, n, ints, sizeof *ints, expected, sizeof *expected);
    test_equal(ys, partition, n, expected, "map of a large list");
    BMF_CHECK(bmf_tabulate(ctx, n, &halved, &counted));
    test_equal(counted, even, n, expected, "a large tabulate");
    BMF_CHECK(bmf_zip(xs, ns, &scaled, &zs));
    for (int64_t i = 0; i < n; i++)
        scaled_record(&reals[i], &ints[i], &expected[i]);
    test_equal(zs, partition, n, expected, "zip of large lists");
    bmf_list_free(ns);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(zs);
    bmf_list_free(counted);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(ints);
    free(reals);
    free(expected);
}

/* ---- refusals ---- */

static int wary_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    for (int64_t i = 0; i < count; i++) {
        if (BMF_AT(const int64_t, in[0], i) == *(const int64_t *)context)
            return 31;
        BMF_AT(int64_t, out[0], i) = BMF_AT(const int64_t, in[0], i);
    }
    return 0;
}

/* A kernel that fails on one element, which only one rank holds. */
static void check_failing_kernel(sample *s, uint64_t *state)
{
    if (s->n == 0)
        return;
    const int64_t bad = s->ints[test_below(state, s->n)];
    const bmf_kernel wary = {.name = "wary",
                             .block = wary_block,
                             .context = &bad,
                             .inputs = 1,
                             .input = {&bmf_type_int},
                             .output = &bmf_type_int,
                             .may_fail = true};
    bmf_list *ys = NULL;
    int64_t total = -5;
    test_refused(s->ctx, bmf_map(s->int_list, &wary, &ys), BMF_ERROR_KERNEL, "wary", "a failing kernel");
    CHECK(strstr(bmf_error_text(s->ctx), "31"), "the code in: %s", bmf_error_text(s->ctx));
    CHECK(!ys, "a failed map made a list");
    test_refused(s->ctx, bmf_map_in_place(s->int_list, &wary), BMF_ERROR_KERNEL, "wary", "failing in place");
    test_refused(s->ctx, bmf_map_reduce(s->int_list, &wary, &bmf_plus_int, &total), BMF_ERROR_KERNEL, "wary",
                 "failing in map_reduce");
    test_refused(s->ctx, bmf_map_scan(s->int_list, &wary, &bmf_plus_int, BMF_INCLUSIVE, &ys), BMF_ERROR_KERNEL, "wary",
                 "failing in map_scan");
    CHECK(!ys && total == -5, "failed calls wrote something");
    check_unchanged(s, "a list whose map failed");
    const int64_t absent = INT64_MAX;
    const bmf_kernel calm = bmf_kernel_bind(&wary, &absent);
    OK(bmf_map(s->int_list, &calm, &ys));
    test_equal(ys, s->partition, s->n, s->ints, "map by a kernel that did not fail");
    bmf_list_free(ys);
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *ten = NULL, *eleven = NULL, *placed = NULL, *out = NULL;
    int64_t numbers[10] = {0};
    BMF_CHECK(bmf_iota(ctx, 10, &ten));
    BMF_CHECK(bmf_iota(ctx, 11, &eleven));
    BMF_CHECK(bmf_place(ctx, bmf_processors(ctx) - 1, &bmf_type_int, 10, numbers, &placed));
    test_refused(ctx, bmf_zip(ten, eleven, &subtracted, &out), BMF_ERROR_SHAPE, "11", "zip of 10 with 11");
    if (bmf_processors(ctx) > 1) {
        test_refused(ctx, bmf_zip(ten, placed, &subtracted, &out), BMF_ERROR_SHAPE, "", "zip over other processors");
        test_refused(ctx, bmf_pair(ten, placed, &out), BMF_ERROR_SHAPE, "", "pair over other processors");
        test_refused(ctx, bmf_zip_in_place(ten, placed, &subtracted), BMF_ERROR_SHAPE, "", "zip in place");
    }
    test_refused(ctx, bmf_map(ten, &mirrored, &out), BMF_ERROR_TYPE, "mirrored", "map of the wrong type");
    test_refused(ctx, bmf_map_in_place(ten, &halved), BMF_ERROR_TYPE, "halved", "in place with another type");
    test_refused(ctx, bmf_zip(ten, ten, &scaled, &out), BMF_ERROR_TYPE, "scaled", "zip of the wrong types");
    test_refused(ctx, bmf_tabulate(ctx, 5, &mirrored, &out), BMF_ERROR_TYPE, "mirrored", "tabulate of a struct");
    test_refused(ctx, bmf_component(ten, 0, &out), BMF_ERROR_TYPE, "int", "component of an int");
    test_refused(ctx, bmf_iota(ctx, -1, &out), BMF_ERROR_ARGUMENT, "-1", "a negative length");
    test_refused(ctx, bmf_place(ctx, bmf_processors(ctx), &bmf_type_int, 1, numbers, &out), BMF_ERROR_SHAPE,
                 "processor", "no such processor");
    test_refused(ctx, bmf_set_processors(ctx, 0), BMF_ERROR_ARGUMENT, "0", "a machine without processors");
    CHECK(!out, "refused calls made a list");
    bmf_list_free(ten);
    bmf_list_free(eleven);
    bmf_list_free(placed);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 10;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int repeat = 0; repeat < 8; repeat++) {
            sample s = draw_sample(ctx, &state);
            check_map(&s);
            check_zip(&s);
            check_tuples(&s);
            check_sharing(&s);
            check_broadcast(&s);
            check_broadcast_records(&s);
            check_iota(&s);
            check_failing_kernel(&s, &state);
            free_sample(&s);
        }
        check_refusals(ctx);
        if (machine < 2)
            check_large(ctx, &state, 1100003 * (int64_t)bmf_ranks(ctx) / (machine + 1));
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
