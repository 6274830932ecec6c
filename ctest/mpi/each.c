/* Lists of lists: nest, flatten, lengths, map_each, reduce_each and scan_each against the serial reference.
 *
 * Method: random lists cut at random into inner lists, some of them empty, never across parts; every inner list is
 * reduced and scanned as the reference does with that inner list alone.
 */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/column.h"
#include "runtime/data/list.h"
#include "runtime/data/partition.h"

/* n elements on `parts`, cut into `count` inner lists on `outer`. */
typedef struct nesting {
    int64_t n, count;
    bmf_partition *parts, *outer;
    int64_t *lengths;
} nesting;

/* Inner lists up to `longest` long; an empty one now and then unless `filled`. */
static nesting draw_nesting(bmf_context *ctx, int64_t longest, bool filled, uint64_t *state)
{
    nesting cut = {.n = test_length(state, bmf_processors(ctx), false)};
    cut.parts = test_partition(ctx, state, cut.n);
    const int64_t parts = cut.parts->parts;
    int64_t *start = calloc((size_t)parts + 1, sizeof *start);
    cut.lengths = calloc(2 * (size_t)cut.n + 1, sizeof *cut.lengths);
    for (int64_t k = 0; k < parts; k++) {
        int64_t rest = cut.parts->start[k + 1] - cut.parts->start[k];
        while (rest > 0) {
            if (!filled && test_below(state, 5) == 0)
                cut.count++;
            const int64_t length = 1 + test_below(state, longest < rest ? longest : rest);
            cut.lengths[cut.count++] = length;
            rest -= length;
        }
        start[k + 1] = cut.count;
    }
    BMF_CHECK(bmf_partition_resized(ctx, cut.parts, start, &cut.outer));
    free(start);
    return cut;
}

static void free_nesting(nesting *cut)
{
    bmf_partition_release(cut->parts);
    bmf_partition_release(cut->outer);
    free(cut->lengths);
}

static bmf_list *make_nested(bmf_context *ctx, const nesting *cut, const bmf_type *type, const void *x)
{
    bmf_list *flat = test_list(ctx, type, cut->parts, x), *nested = NULL;
    bmf_list *lengths = test_list(ctx, &bmf_type_int, cut->outer, cut->lengths);
    CHECK(bmf_nest(flat, lengths, &nested) == BMF_OK, "%s", bmf_error_text(ctx));
    bmf_list_free(flat);
    bmf_list_free(lengths);
    return nested;
}

/* Flattening gives the elements back, and the lengths are those it was cut by. */
static void check_nested(bmf_context *ctx, const nesting *cut, const bmf_list *nested, const void *x, const char *what)
{
    bmf_list *flat = NULL, *lengths = NULL;
    if (!CHECK(nested, "%s: no list", what))
        return;
    const char *broken = column_broken(&nested->column);
    CHECK(!broken, "%s: column is broken: %s", what, broken ? broken : "");
    CHECK(nested->type->kind == BMF_LIST, "%s: the type is no list", what);
    CHECK(bmf_partition_equal(nested->partition, cut->outer), "%s: stands elsewhere", what);
    CHECK(bmf_flatten(nested, &flat) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(flat, cut->parts, cut->n, x, what);
    CHECK(bmf_lengths(nested, &lengths) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(lengths, cut->outer, cut->count, cut->lengths, what);
    bmf_list_free(flat);
    bmf_list_free(lengths);
}

static void check_reduce_each(bmf_context *ctx, const test_operator *test, const nesting *cut, const bmf_list *nested,
                              const char *x)
{
    bmf_list *totals = NULL;
    char *expected = calloc((size_t)cut->count + 1, test->size);
    int64_t done = 0;
    for (int64_t k = 0; k < cut->count; k++) {
        char *to = expected + (size_t)k * test->size;
        if (cut->lengths[k] == 0)
            memcpy(to, test->op->identity, test->size);
        else
            test_expected_fold(test, cut->lengths[k], x + (size_t)done * test->size, to);
        done += cut->lengths[k];
    }
    CHECK(bmf_reduce_each(nested, test->op, &totals) == BMF_OK, "%s: %s", test->op->name, bmf_error_text(ctx));
    test_equal(totals, cut->outer, cut->count, expected, test->op->name);
    bmf_list_free(totals);
    free(expected);
}

static void check_scan_each(bmf_context *ctx, const test_operator *test, const nesting *cut, const bmf_list *nested,
                            const char *x, bmf_scan_kind kind)
{
    bmf_list *scanned = NULL;
    char *expected = calloc((size_t)cut->n + 1, test->size);
    int64_t done = 0;
    for (int64_t k = 0; k < cut->count; k++) {
        test_expected_scan(test, cut->lengths[k], x + (size_t)done * test->size, kind,
                           expected + (size_t)done * test->size);
        done += cut->lengths[k];
    }
    CHECK(bmf_scan_each(nested, test->op, kind, &scanned) == BMF_OK, "%s: %s", test->op->name, bmf_error_text(ctx));
    check_nested(ctx, cut, scanned, expected, test->op->name);
    bmf_list_free(scanned);
    free(expected);
}

static void check_operator(bmf_context *ctx, const test_operator *test, int64_t longest, uint64_t *state)
{
    nesting cut = draw_nesting(ctx, longest, !test->op->identity, state);
    void *x = test_draw(test, cut.n, state);
    bmf_list *nested = make_nested(ctx, &cut, test->op->type, x);
    check_nested(ctx, &cut, nested, x, "nest");
    if (nested) {
        check_reduce_each(ctx, test, &cut, nested, x);
        check_scan_each(ctx, test, &cut, nested, x, BMF_INCLUSIVE);
        if (test->op->identity)
            check_scan_each(ctx, test, &cut, nested, x, BMF_EXCLUSIVE);
        check_nested(ctx, &cut, nested, x, "input of reduce_each and scan_each");
    }
    bmf_list_free(nested);
    free_nesting(&cut);
    free(x);
}

/* ---- map ---- */

BMF_MAP_KERNEL(halved, int64_t, n, double, (double)n / 2.0)

static void halved_record(const void *x, void *y)
{
    *(double *)y = (double)*(const int64_t *)x / 2.0;
}

static void check_map_each(bmf_context *ctx, uint64_t *state)
{
    const test_operator *ints = test_operator_number(2);
    nesting cut = draw_nesting(ctx, 20, false, state);
    int64_t *x = test_draw(ints, cut.n, state);
    double *expected = calloc((size_t)cut.n + 1, sizeof *expected);
    bmf_list *nested = make_nested(ctx, &cut, &bmf_type_int, x), *mapped = NULL;
    reference_map(halved_record, cut.n, x, sizeof *x, expected, sizeof *expected);
    CHECK(bmf_map_each(nested, &halved, &mapped) == BMF_OK, "%s", bmf_error_text(ctx));
    check_nested(ctx, &cut, mapped, expected, "map_each");
    check_nested(ctx, &cut, nested, x, "input of map_each");
    bmf_list_free(nested);
    bmf_list_free(mapped);
    free_nesting(&cut);
    free(x);
    free(expected);
}

/* ---- refusals ---- */

BMF_FOLD_KERNEL_NO_IDENTITY(leftmost, int64_t, a, b, ((void)b, a), BMF_EXACT)

/* One inner list on the whole machine has a 13 in it. */
static void check_failing_operator(bmf_context *ctx, uint64_t *state)
{
    nesting cut = draw_nesting(ctx, 10, false, state);
    int64_t *x = calloc((size_t)cut.n + 1, sizeof *x), done = 0;
    bool long_enough = false;
    for (int64_t k = 0; k < cut.count && !long_enough; done += cut.lengths[k++])
        if (cut.lengths[k] >= 2) {
            x[done + test_below(state, cut.lengths[k])] = 13;
            long_enough = true;
        }
    bmf_list *nested = make_nested(ctx, &cut, &bmf_type_int, x), *out = NULL;
    if (long_enough) {
        test_refused(ctx, bmf_reduce_each(nested, &test_refuses_13, &out), BMF_ERROR_KERNEL, "refuses_13",
                     "reduce_each");
        test_refused(ctx, bmf_scan_each(nested, &test_refuses_13, BMF_INCLUSIVE, &out), BMF_ERROR_KERNEL, "refuses_13",
                     "scan_each");
        CHECK(!out, "failed calls made a list");
    }
    bmf_list_free(nested);
    free_nesting(&cut);
    free(x);
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs = NULL, *lengths = NULL, *negative = NULL, *nested = NULL, *out = NULL;
    const int64_t numbers[3] = {4, 5, 6}, sizes[2] = {3, 0}, more[2] = {4, -1};
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 3, numbers, &xs));
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 2, sizes, &lengths));
    BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 2, more, &negative));
    BMF_CHECK(bmf_nest(xs, lengths, &nested));
    test_refused(ctx, bmf_nest(xs, xs, &out), BMF_ERROR_SHAPE, "part 0", "lengths that add up to more");
    test_refused(ctx, bmf_nest(xs, negative, &out), BMF_ERROR_SHAPE, "part 0", "a negative length");
    test_refused(ctx, bmf_reduce_each(nested, &leftmost, &out), BMF_ERROR_SHAPE, "leftmost", "empty, no identity");
    test_refused(ctx, bmf_reduce_each(nested, &bmf_plus_real, &out), BMF_ERROR_TYPE, "real", "ints as reals");
    test_refused(ctx, bmf_reduce_each(xs, &bmf_plus_int, &out), BMF_ERROR_TYPE, "int", "reduce_each of no lists");
    test_refused(ctx, bmf_flatten(xs, &out), BMF_ERROR_TYPE, "int", "flatten of no lists");
    test_refused(ctx, bmf_lengths(xs, &out), BMF_ERROR_TYPE, "int", "lengths of no lists");
    CHECK(!out, "refused calls made a list");
    bmf_list_free(xs);
    bmf_list_free(lengths);
    bmf_list_free(negative);
    bmf_list_free(nested);
}

/* ---- every part ---- */

typedef struct numbering {
    bmf_list *xs;
    int64_t failing; /* part, -1: none */
} numbering;

static int number_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const numbering *s = state;
    int64_t *x = s->xs->column.data;
    for (int64_t i = begin; i < end; i++)
        x[i - bmf_partition_local_begin(s->xs->partition)] = 1000 * part + i;
    return part == s->failing ? 7 : 0;
}

/* Every part is worked on once, on its processor; one part's failure is everybody's. */
static void check_each_part(bmf_context *ctx)
{
    numbering state = {.failing = -1};
    BMF_CHECK(bmf_iota(ctx, 101, &state.xs));
    const bmf_partition *parts = state.xs->partition;
    CHECK(bmf_each_part(ctx, parts, "number", number_part, &state) == BMF_OK, "%s", bmf_error_text(ctx));
    const int64_t *x = state.xs->column.data;
    for (int64_t i = bmf_partition_local_begin(parts); i < bmf_partition_local_end(parts); i++)
        CHECK(x[i - bmf_partition_local_begin(parts)] == 1000 * bmf_partition_part_of(parts, i) + i, "element %d",
              (int)i);
    state.failing = parts->parts - 1;
    CHECK(bmf_each_part(ctx, parts, "number", number_part, &state) == BMF_ERROR_KERNEL, "a part fails");
    CHECK(strstr(bmf_error_text(ctx), "kernel number failed with code 7"), "%s", bmf_error_text(ctx));
    bmf_list_free(state.xs);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 50;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int k = 0; k < TEST_OPERATORS; k++) {
            check_operator(ctx, test_operator_number(k), 10, &state);
            check_operator(ctx, test_operator_number(k), 3000, &state);
        }
        for (int repeat = 0; repeat < 4; repeat++) {
            check_map_each(ctx, &state);
            check_failing_operator(ctx, &state);
        }
        check_refusals(ctx);
        check_each_part(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
