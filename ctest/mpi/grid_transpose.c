/* bmf_grid_transpose against moving elements one by one: random grids of one to three dimensions, axes in any order,
 * numbers of blocks that are more and fewer than elements; structs of several leaves, elements with inner lists; the
 * messages that it takes. */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

enum { ROUNDS = 12 };

typedef struct number_pair {
    int64_t n;
    bool odd;
} number_pair;
static const bmf_type *const pair_components[2] = {&bmf_type_int, &bmf_type_bool};
static const bmf_type pair_type = {BMF_TUPLE, 0, 0, 2, pair_components};

typedef struct test_case {
    bmf_grid from, to;
    int axis[BMF_MAX_DIMENSIONS];
    int64_t elements;
} test_case;

/* Blocks whose product is at most the processors. */
static void draw_blocks(bmf_context *ctx, uint64_t *state, bmf_grid *grid)
{
    int64_t left = bmf_processors(ctx);
    for (int d = 0; d < grid->dimensions; d++) {
        grid->processors[d] = 1 + test_below(state, left);
        left /= grid->processors[d];
    }
}

static void draw_case(bmf_context *ctx, uint64_t *state, int64_t longest, test_case *t)
{
    *t = (test_case){.from = {.dimensions = 1 + (int)test_below(state, BMF_MAX_DIMENSIONS)}, .elements = 1};
    t->to.dimensions = t->from.dimensions;
    for (int d = 0; d < t->from.dimensions; d++) {
        t->axis[d] = d;
        t->from.extent[d] = test_below(state, 15) == 0 ? 0 : 1 + test_below(state, longest);
        t->elements *= t->from.extent[d];
    }
    for (int d = t->from.dimensions - 1; d > 0; d--) {
        const int other = (int)test_below(state, d + 1), swap = t->axis[d];
        t->axis[d] = t->axis[other];
        t->axis[other] = swap;
    }
    for (int d = 0; d < t->to.dimensions; d++)
        t->to.extent[d] = t->from.extent[t->axis[d]];
    draw_blocks(ctx, state, &t->from);
    draw_blocks(ctx, state, &t->to);
}

/* Where element `number` of the result, row by row, is in what was given, row by row. */
static int64_t source_of(const test_case *t, int64_t number)
{
    int64_t at[BMF_MAX_DIMENSIONS], source = 0;
    for (int d = t->to.dimensions - 1; d >= 0; d--) {
        at[t->axis[d]] = number % t->to.extent[d];
        number /= t->to.extent[d];
    }
    for (int d = 0; d < t->from.dimensions; d++)
        source = source * t->from.extent[d] + at[d];
    return source;
}

/* The list on the grid that has these elements row by row. */
static bmf_list *list_on(bmf_context *ctx, const bmf_grid *grid, const bmf_type *type, int64_t count, const void *x)
{
    bmf_list *rows, *made;
    BMF_CHECK(bmf_spread(ctx, type, count, x, &rows));
    BMF_CHECK(bmf_grid_spread(grid, rows, &made));
    bmf_list_free(rows);
    return made;
}

static void try_pairs(bmf_context *ctx, uint64_t *state, int64_t longest)
{
    test_case t;
    bmf_list *out, *back;
    draw_case(ctx, state, longest, &t);
    const int64_t n = t.elements;
    number_pair *x = calloc((size_t)n + 1, sizeof *x), *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        x[i] = (number_pair){i, random_bits(state) % 2};
    for (int64_t i = 0; i < n; i++)
        expected[i] = x[source_of(&t, i)];
    bmf_list *xs = list_on(ctx, &t.from, &pair_type, n, x);
    CHECK(bmf_grid_transpose(&t.from, xs, t.axis, &t.to, &out) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_grid_collect(&t.to, out, &back));
    test_equal(back, NULL, n, expected, "pairs");
    bmf_list_free(back);
    BMF_CHECK(bmf_grid_collect(&t.from, xs, &back));
    test_equal(back, NULL, n, x, "the input afterwards");
    bmf_list_free(back);
    bmf_list_free(out);
    bmf_list_free(xs);
    free(x);
    free(expected);
}

/* Where the items of lists of these lengths lie. */
static bmf_partition *items_of(bmf_context *ctx, const bmf_list *counts, const int64_t *count)
{
    const bmf_partition *like = bmf_list_partition(counts);
    const int64_t parts = bmf_partition_parts(like);
    bmf_partition *made;
    int64_t *start = calloc((size_t)parts + 1, sizeof *start);
    for (int64_t k = 0; k < parts; k++) {
        start[k + 1] = start[k];
        for (int64_t i = bmf_partition_start(like, k); i < bmf_partition_start(like, k + 1); i++)
            start[k + 1] += count[i];
    }
    BMF_CHECK(bmf_partition_resized(ctx, like, start, &made));
    free(start);
    return made;
}

/* Element i is the list i, i + 1, .. of i mod 4 numbers. */
static void try_lists(bmf_context *ctx, uint64_t *state)
{
    test_case t;
    bmf_list *numbers, *counts, *nested, *xs, *out, *lengths, *flat, *back;
    draw_case(ctx, state, 9, &t);
    const int64_t n = t.elements;
    int64_t total = 0, *count = calloc((size_t)n + 1, sizeof *count),
            *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        total += count[i] = i % 4;
    int64_t *item = calloc((size_t)total + 1, sizeof *item);
    for (int64_t i = 0, k = 0; i < n; i++)
        for (int64_t j = 0; j < count[i]; j++)
            item[k++] = i + j;
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, count, &counts));
    bmf_partition *inside = items_of(ctx, counts, count);
    numbers = test_list(ctx, &bmf_type_int, inside, item);
    bmf_partition_release(inside);
    BMF_CHECK(bmf_nest(numbers, counts, &nested));
    BMF_CHECK(bmf_grid_spread(&t.from, nested, &xs));
    CHECK(bmf_grid_transpose(&t.from, xs, t.axis, &t.to, &out) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_grid_collect(&t.to, out, &back));
    BMF_CHECK(bmf_lengths(back, &lengths));
    BMF_CHECK(bmf_flatten(back, &flat));
    for (int64_t i = 0; i < n; i++)
        expected[i] = count[source_of(&t, i)];
    test_equal(lengths, NULL, n, expected, "lengths of lists");
    for (int64_t i = 0, k = 0; i < n; i++)
        for (int64_t j = 0; j < count[source_of(&t, i)]; j++)
            item[k++] = source_of(&t, i) + j;
    test_equal(flat, NULL, total, item, "lists");
    bmf_list *all[] = {numbers, counts, nested, xs, out, lengths, flat, back};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bmf_list_free(all[k]);
    free(count);
    free(item);
    free(expected);
}

/* Rows as columns: each part sends each other one what is theirs, and nothing else. */
static void try_messages(bmf_context *ctx)
{
    const int64_t P = bmf_processors(ctx), n = 3 * P, m = 2 * P;
    const bmf_grid from = {2, {n, m}, {P, 1}}, to = {2, {m, n}, {P, 1}};
    const int swapped[2] = {1, 0};
    bmf_list *numbers, *xs, *out;
    BMF_CHECK(bmf_iota(ctx, n * m, &numbers));
    BMF_CHECK(bmf_grid_spread(&from, numbers, &xs));
    const bmf_statistics before = bmf_local_statistics(ctx);
    BMF_CHECK(bmf_grid_transpose(&from, xs, swapped, &to, &out));
    const bmf_statistics after = bmf_local_statistics(ctx);
    const int64_t local = bmf_partition_local_parts(bmf_list_partition(xs));
    CHECK(after.messages - before.messages == local * (P - 1), "%lld messages of %lld processors of %lld",
          (long long)(after.messages - before.messages), (long long)local, (long long)P);
    CHECK(after.bytes - before.bytes == local * (P - 1) * 3 * 2 * 8, "%lld bytes",
          (long long)(after.bytes - before.bytes));
    bmf_list_free(out);
    bmf_list_free(xs);
    bmf_list_free(numbers);
}

static void try_wrong_calls(bmf_context *ctx)
{
    const bmf_grid from = {2, {4, 6}, {1, 1}}, wide = {2, {4, 6}, {1, bmf_processors(ctx) + 1}}, line = {1, {24}, {1}},
                   to = {2, {6, 4}, {1, 1}};
    const int swapped[2] = {1, 0}, twice[2] = {1, 1};
    bmf_list *numbers, *xs, *out;
    BMF_CHECK(bmf_iota(ctx, 24, &numbers));
    BMF_CHECK(bmf_grid_spread(&from, numbers, &xs));
    test_refused(ctx, bmf_grid_transpose(&from, xs, twice, &to, &out), BMF_ERROR_ARGUMENT, "0 to 1 in some order",
                 "axes");
    test_refused(ctx, bmf_grid_transpose(&from, xs, NULL, &to, &out), BMF_ERROR_SHAPE,
                 "dimension 0 of the new grid has 6 elements, dimension 0 of the old one 4", "extents");
    test_refused(ctx, bmf_grid_transpose(&from, xs, swapped, &line, &out), BMF_ERROR_SHAPE,
                 "of 2 dimensions cannot become", "dimensions");
    test_refused(ctx, bmf_grid_transpose(&from, xs, NULL, &wide, &out), BMF_ERROR_ARGUMENT, "as many processors",
                 "processors");
    CHECK(bmf_grid_transpose(&line, xs, NULL, &line, &out) == BMF_OK, "%s", bmf_error_text(ctx)); /* one block is one */
    bmf_list_free(out);
    if (bmf_processors(ctx) > 1)
        test_refused(ctx, bmf_grid_transpose(&from, numbers, swapped, &to, &out), BMF_ERROR_SHAPE, "not on the grid",
                     "a list");
    bmf_list_free(xs);
    bmf_list_free(numbers);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 27112026;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int round = 0; round < ROUNDS; round++) {
            try_pairs(ctx, &state, 20);
            try_lists(ctx, &state);
        }
        try_messages(ctx);
        try_wrong_calls(ctx);
    }
    for (int round = 0; round < 4; round++)
        try_pairs(ctx, &state, 120); /* several pieces for each thread */
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
