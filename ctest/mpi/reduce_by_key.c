/* reduce_by_key against folding every key's values one by one.
 *
 * Method: random lists over any parts, with few keys and many, evenly used, sorted, and such that one is used by all;
 * every operator of the property tests that has an identity. Exact ones give the plain fold of a key's values; of the
 * others the blocks of docs/reproducible.md are folded and joined by the fixed tree. Bits are compared. Messages and
 * bytes are those that a model of as many processors sends.
 */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "predict/model/model.h"
#include "runtime/data/list.h"
#include "runtime/data/partition.h"

/* Block length for numbers of elements and keys: the list in 1, 2, 4, .. blocks, as many as are long enough. */
static int64_t block_length(int64_t n, int64_t count)
{
    const int64_t shortest = 6 * count > 1024 ? 6 * count : 1024;
    int64_t blocks = 1;
    while (n >= 2 * blocks * shortest)
        blocks *= 2;
    return (n + blocks - 1) / blocks;
}

/* By key: the plain fold of its values, from the identity. */
static void fold_plain(const test_operator *test, int64_t n, int64_t count, const int64_t *key, const char *x, char *y)
{
    char next[TEST_LARGEST_RECORD] = {0};
    for (int64_t k = 0; k < count; k++)
        memcpy(y + (size_t)k * test->size, test->op->identity, test->size);
    for (int64_t i = 0; i < n; i++) {
        char *of_key = y + (size_t)key[i] * test->size;
        test->combine(of_key, x + (size_t)i * test->size, next);
        memcpy(of_key, next, test->size);
    }
}

/* The operator whose identity, on either side, leaves the other operand as it is. */
static const test_operator *joined;
static void join(const void *a, const void *b, void *y)
{
    if (test_same_record(joined->op->type, a, joined->op->identity))
        memcpy(y, b, joined->size);
    else if (test_same_record(joined->op->type, b, joined->op->identity))
        memcpy(y, a, joined->size);
    else
        joined->combine(a, b, y);
}

static void fold_keys(const test_operator *test, int64_t n, int64_t count, const int64_t *key, const char *x, char *y)
{
    if (n == 0 || test->op->flags & BMF_EXACT) {
        fold_plain(test, n, count, key, x, y);
        return;
    }
    const int64_t block = block_length(n, count), blocks = (n + block - 1) / block;
    const size_t table = (size_t)count * test->size;
    char *tables = calloc((size_t)blocks, table), *each = calloc((size_t)blocks, test->size);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = b * block, rest = n - first;
        fold_plain(test, rest < block ? rest : block, count, key + first, x + (size_t)first * test->size,
                   tables + (size_t)b * table);
    }
    joined = test;
    for (int64_t k = 0; k < count; k++) {
        for (int64_t b = 0; b < blocks; b++)
            memcpy(each + (size_t)b * test->size, tables + (size_t)b * table + (size_t)k * test->size, test->size);
        reference_tree_fold(join, blocks, each, test->size, y + (size_t)k * test->size);
    }
    free(tables);
    free(each);
}

static int64_t some_key(uint64_t *state, int64_t kind, int64_t i, int64_t n, int64_t count)
{
    switch (kind) {
    case 0:
        return count / 2;
    case 1:
        return (int64_t)((double)i / (double)n * (double)count);
    case 2:
        return test_below(state, 8) ? 0 : test_below(state, count);
    default:
        return test_below(state, count);
    }
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

/* Both ways, and the one that is chosen. */
static const char *const ways[] = {"tables", "owners", NULL};
enum { WAYS = 3 };

static void go(bmf_context *ctx, int way)
{
    CHECK(bmf_set_schedule(ctx, "reduce_by_key", ways[way]) == BMF_OK, "%s", bmf_error_text(ctx));
}

static const char *way_name(int way)
{
    return ways[way] ? ways[way] : "chosen";
}

static void check_operator(bmf_context *ctx, uint64_t *state, const test_operator *test, int64_t n, int64_t count)
{
    const int64_t kind = test_below(state, 5);
    int64_t *key = calloc((size_t)n + 1, sizeof *key);
    char *x = test_draw(test, n, state), *expected = calloc((size_t)count + 1, test->size);
    bmf_list *ys = NULL;
    for (int64_t i = 0; i < n; i++)
        key[i] = some_key(state, kind, i, n, count);
    fold_keys(test, n, count, key, x, expected);
    bmf_partition *partition = test_partition(ctx, state, n), *even = evenly(ctx, partition, count);
    bmf_list *keys = test_list(ctx, &bmf_type_int, partition, key);
    bmf_list *values = test_list(ctx, test->op->type, partition, x);
    for (int way = 0; way < WAYS; way++) {
        char what[128];
        snprintf(what, sizeof what, "%s, %s, %lld elements, %lld keys", test->op->name, way_name(way), (long long)n,
                 (long long)count);
        go(ctx, way);
        CHECK(bmf_reduce_by_key(keys, values, count, test->op, &ys) == BMF_OK, "%s: %s", what, bmf_error_text(ctx));
        test_equal(ys, even, count, expected, what);
        bmf_list_free(ys);
        ys = NULL;
    }
    test_equal(keys, partition, n, key, "keys of reduce_by_key");
    test_equal(values, partition, n, x, "values of reduce_by_key");
    bmf_list_free(keys);
    bmf_list_free(values);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(key);
    free(x);
    free(expected);
}

static void check_operators(bmf_context *ctx, uint64_t *state)
{
    static const int64_t some_counts[] = {1, 2, 3, 10, 17, 64, 200};
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        if (!test->op->identity)
            continue;
        check_operator(ctx, state, test, test_length(state, bmf_processors(ctx), false),
                       some_counts[test_below(state, 7)]);
        check_operator(ctx, state, test, test_below(state, 9000), some_counts[test_below(state, 4)]);
        check_operator(ctx, state, test, test_below(state, 300), 1 + test_below(state, 2000)); /* more keys */
        check_operator(ctx, state, test, test_below(state, 3), test_below(state, 3) + 1);
    }
}

/* The same bits whatever the parts, of sums in which every order shows; blocks longer than parts. */
static void check_parts(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 30000, count = 1500;
    const test_operator *sum = test_operator_number(0);
    int64_t *key = calloc((size_t)n, sizeof *key);
    double *x = test_draw(sum, n, state), *first = calloc((size_t)count, sizeof *first),
           *again = calloc((size_t)count, sizeof *again);
    for (int64_t i = 0; i < n; i++)
        key[i] = test_below(state, count);
    for (int repeat = 0; repeat < 2 * WAYS; repeat++) {
        go(ctx, repeat % WAYS);
        bmf_partition *partition = test_partition(ctx, state, n);
        bmf_list *keys = test_list(ctx, &bmf_type_int, partition, key), *ys = NULL;
        bmf_list *values = test_list(ctx, &bmf_type_real, partition, x);
        CHECK(bmf_reduce_by_key(keys, values, count, &bmf_plus_real, &ys) == BMF_OK &&
                  bmf_to_array(ys, repeat ? again : first) == BMF_OK,
              "%s", bmf_error_text(ctx));
        CHECK(repeat == 0 || memcmp(first, again, (size_t)count * sizeof *first) == 0, "parts change the sums");
        bmf_list_free(keys);
        bmf_list_free(values);
        bmf_list_free(ys);
        bmf_partition_release(partition);
    }
    free(key);
    free(x);
    free(first);
    free(again);
}

/* So many keys that threads share the joining of tables: four blocks, the keys of which are not the same. */
static void check_many_keys(bmf_context *ctx, uint64_t *state, int way)
{
    const int64_t count = 70001, n = 4 * 6 * count + 13, block = block_length(n, count);
    const test_operator *sum = test_operator_number(0);
    int64_t *key = calloc((size_t)n, sizeof *key);
    double *x = test_draw(sum, n, state), *each = calloc((size_t)(4 * count), sizeof *each);
    double *expected = calloc((size_t)count, sizeof *expected);
    for (int64_t i = 0; i < n; i++) {
        key[i] = test_below(state, i < block ? count : count / 2);
        each[i / block * count + key[i]] += x[i];
    }
    joined = sum;
    for (int64_t k = 0; k < count; k++) {
        double blocks[4] = {each[k], each[count + k], each[2 * count + k], each[3 * count + k]};
        reference_tree_fold(join, 4, (const char *)blocks, sizeof *blocks, (char *)&expected[k]);
    }
    bmf_partition *partition = test_partition(ctx, state, n), *even = evenly(ctx, partition, count);
    bmf_list *keys = test_list(ctx, &bmf_type_int, partition, key), *ys = NULL;
    bmf_list *values = test_list(ctx, &bmf_type_real, partition, x);
    go(ctx, way);
    CHECK(bmf_reduce_by_key(keys, values, count, &bmf_plus_real, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, even, count, expected, "sums by many keys");
    bmf_list_free(keys);
    bmf_list_free(values);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    bmf_partition_release(even);
    free(key);
    free(x);
    free(each);
    free(expected);
}

/* One key, and one value, for all elements. */
static void check_broadcast(bmf_context *ctx)
{
    bmf_list *xs, *pairs, *keys, *values, *ys = NULL;
    const int64_t three = 3;
    const double half = 0.5;
    double sum[5];
    BMF_CHECK(bmf_iota(ctx, 3000, &xs));
    BMF_CHECK(bmf_distl_value(&bmf_type_int, &three, xs, &pairs));
    BMF_CHECK(bmf_component(pairs, 0, &keys));
    bmf_list_free(pairs);
    BMF_CHECK(bmf_distl_value(&bmf_type_real, &half, xs, &pairs));
    BMF_CHECK(bmf_component(pairs, 0, &values));
    CHECK(bmf_reduce_by_key(keys, values, 5, &bmf_plus_real, &ys) == BMF_OK && bmf_to_array(ys, sum) == BMF_OK, "%s",
          bmf_error_text(ctx));
    for (int k = 0; k < 5; k++)
        CHECK(sum[k] == (k == 3 ? 1500.0 : 0.0), "key %d: %g", k, sum[k]);
    bmf_list_free(xs);
    bmf_list_free(pairs);
    bmf_list_free(keys);
    bmf_list_free(values);
    bmf_list_free(ys);
}

static void check_counted(bmf_context *ctx, int way, const bmf_list *keys, const bmf_list *values, int64_t count,
                          const bmf_operator *op, int64_t messages, int64_t bytes)
{
    bmf_statistics before, after;
    bmf_list *ys = NULL;
    go(ctx, way);
    BMF_CHECK(bmf_total_statistics(ctx, &before));
    CHECK(bmf_reduce_by_key(keys, values, count, op, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_total_statistics(ctx, &after));
    CHECK(after.messages - before.messages == messages, "%s: %lld messages, not %lld", way_name(way),
          (long long)(after.messages - before.messages), (long long)messages);
    CHECK(after.bytes - before.bytes == bytes, "%s: %lld bytes, not %lld", way_name(way),
          (long long)(after.bytes - before.bytes), (long long)bytes);
    bmf_list_free(ys);
}

/* Two totals a processor. Tables: one message up and one back; owners: everybody to everybody. Parts end with blocks.
 */
static void check_messages(bmf_context *ctx)
{
    const int64_t processors = bmf_processors(ctx), n = 1024 * processors;
    bmf_list *keys;
    int64_t *key = calloc((size_t)n, sizeof *key);
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, key, &keys));
    check_counted(ctx, 0, keys, keys, 2 * processors, &bmf_plus_int, 2 * (processors - 1),
                  (processors - 1) * (2 * processors + 2) * 8);
    check_counted(ctx, 1, keys, keys, 2 * processors, &bmf_plus_int, processors * (processors - 1),
                  processors * (processors - 1) * 2 * 8);
    bmf_list_free(keys);
    free(key);
}

/* Sixteen blocks on four processors, whatever the numbers: none is cut, so nothing moves but tables and results. */
static void check_whole_blocks(bmf_context *ctx)
{
    const int64_t n = 20000, count = 8;
    bmf_list *keys, *values;
    int64_t *key = calloc((size_t)n, sizeof *key);
    double *x = calloc((size_t)n, sizeof *x);
    BMF_CHECK(bmf_set_processors(ctx, 4));
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, key, &keys));
    BMF_CHECK(bmf_spread(ctx, &bmf_type_real, n, x, &values));
    check_counted(ctx, 0, keys, values, count, &bmf_plus_real, 3 + 3, 3 * count * 8 + 3 * count / 4 * 8);
    bmf_list_free(keys);
    bmf_list_free(values);
    free(key);
    free(x);
}

/* More keys than elements: an element goes to the processor of its key, with two bytes for the key and eight for the
 * value, and nothing else moves. The processor's own stay. */
static void check_elements_move_once(bmf_context *ctx)
{
    const int64_t processors = bmf_processors(ctx), each = 60, n = each * processors, count = 100 * processors;
    bmf_list *keys, *values;
    int64_t *key = calloc((size_t)n, sizeof *key), moving = 0, pairs = 0;
    for (int64_t i = 0; i < n; i++) {
        key[i] = i * 7919 % count;
        moving += key[i] / 100 != i / each;
    }
    for (int64_t p = 0; p < processors; p++)
        for (int64_t q = 0; q < processors; q++) {
            bool any = false;
            for (int64_t i = p * each; i < (p + 1) * each; i++)
                any = any || key[i] / 100 == q;
            pairs += any && p != q;
        }
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, key, &keys));
    double *x = calloc((size_t)n, sizeof *x);
    BMF_CHECK(bmf_spread(ctx, &bmf_type_real, n, x, &values));
    check_counted(ctx, 1, keys, values, count, &bmf_plus_real, pairs, moving * 10);
    check_counted(ctx, 1, keys, keys, count, &bmf_plus_int, pairs, moving * 10);
    bmf_list_free(keys);
    bmf_list_free(values);
    free(key);
    free(x);
}

static int differ(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++)
        BMF_AT(uint8_t, out[0], i) = BMF_AT(uint8_t, in[0], i) != BMF_AT(uint8_t, in[1], i);
    return 0;
}

/* On seven processors the second part shares a block with one other part, and the next block with two: the keys of the
 * two are cut into bands of different lengths. */
static void check_uneven_sharing(bmf_context *ctx)
{
    static const uint8_t even_number = 0;
    static const bmf_operator parity = {
        .name = "parity", .type = &bmf_type_bool, .combine = differ, .identity = &even_number};
    const int64_t n = 6000000, count = 150000;
    int64_t *key = calloc((size_t)n, sizeof *key);
    uint8_t *x = calloc((size_t)n, 1), *expected = calloc((size_t)count, 1);
    bmf_list *keys, *values, *ys = NULL;
    for (int64_t i = 0; i < n; i++) {
        key[i] = i * 7919 % count;
        x[i] = i * 31 / 8 % 2 == 1;
        expected[key[i]] ^= x[i];
    }
    BMF_CHECK(bmf_set_processors(ctx, 7));
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, key, &keys));
    BMF_CHECK(bmf_spread(ctx, &bmf_type_bool, n, x, &values));
    go(ctx, 1);
    CHECK(bmf_reduce_by_key(keys, values, count, &parity, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, NULL, count, expected, "parities, with blocks shared by two and three parts");
    bmf_list_free(keys);
    bmf_list_free(values);
    bmf_list_free(ys);
    free(key);
    free(x);
    free(expected);
}

/* ---- predictions ---- */

/* One reduction, drawn from a state: what it sends. */
static bmf_statistics sent(bmf_context *ctx, uint64_t state, int way)
{
    const bool exact = test_below(&state, 2);
    const int64_t n = test_below(&state, 20000), kind = test_below(&state, 5), count = 1 + test_below(&state, 3000);
    const bmf_operator *op = exact ? &bmf_plus_int : &bmf_plus_real;
    int64_t *key = calloc((size_t)n + 1, sizeof *key);
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        key[i] = some_key(&state, kind, i, n, count);
    bmf_partition *partition = test_partition(ctx, &state, n);
    bmf_list *keys = test_list(ctx, &bmf_type_int, partition, key), *ys = NULL;
    bmf_list *values = exact ? test_list(ctx, op->type, partition, key) : test_list(ctx, op->type, partition, x);
    bmf_statistics before, after;
    go(ctx, way);
    BMF_CHECK(bmf_total_statistics(ctx, &before));
    CHECK(bmf_reduce_by_key(keys, values, count, op, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_total_statistics(ctx, &after));
    bmf_list_free(keys);
    bmf_list_free(values);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(key);
    free(x);
    return (bmf_statistics){.messages = after.messages - before.messages, .bytes = after.bytes - before.bytes};
}

static const char instant[] = "compute = { zero = true; };\n"
                              "network = { type = \"hockney\"; latency_us = 1.0; bandwidth_mb_per_s = 1000.0; };\n";

/* The same on a model, on one rank. */
static bmf_statistics sent_by_model(int64_t processors, uint64_t state, int way)
{
    bmf_machine *machine;
    bmf_context *ctx;
    bmf_options options = bmf_options_init();
    options.ignore_environment = true;
    CHECK(machine_parse(instant, "instant.machine", &machine) == BMF_OK, "%s", bmf_error_text(NULL));
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(model_open(ctx, machine, processors, 0) == BMF_OK, "%s", bmf_error_text(ctx));
    const bmf_statistics made = sent(ctx, state, way);
    CHECK(bmf_close(ctx) == 0, "closing");
    machine_free(machine);
    return made;
}

static void check_predicted(bmf_context *ctx, uint64_t *state)
{
    for (int repeat = 0; repeat < 2 * WAYS; repeat++, test_below(state, 2)) {
        const int way = repeat % WAYS;
        const bmf_statistics real = sent(ctx, *state, way);
        if (bmf_rank(ctx) > 0)
            continue;
        const bmf_statistics model = sent_by_model(bmf_processors(ctx), *state, way);
        CHECK(real.messages == model.messages && real.bytes == model.bytes,
              "%s: %lld messages of %lld bytes, predicted %lld of %lld", way_name(way), (long long)real.messages,
              (long long)real.bytes, (long long)model.messages, (long long)model.bytes);
    }
}

/* The first of several keys out of range, wherever it is. */
static void check_bad_keys(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 1 + test_below(state, 9000), at = test_below(state, n), wrong = test_below(state, 2) ? -1 : 7;
    int64_t *key = calloc((size_t)n, sizeof *key);
    char text[128];
    for (int64_t i = 0; i < n; i++)
        key[i] = i < at || test_below(state, 2) ? i % 7 : 1000;
    key[at] = wrong;
    snprintf(text, sizeof text, "key %lld at position %lld is not one of 0 to 6", (long long)wrong, (long long)at);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *keys = test_list(ctx, &bmf_type_int, partition, key), *reals = NULL, *ys = NULL;
    const bool exact = test_below(state, 2);
    double *x = calloc((size_t)n, sizeof *x);
    reals = test_list(ctx, &bmf_type_real, partition, x);
    go(ctx, (int)test_below(state, WAYS));
    test_refused(ctx, bmf_reduce_by_key(keys, exact ? keys : reals, 7, exact ? &bmf_plus_int : &bmf_plus_real, &ys),
                 BMF_ERROR_INDEX, text, "a key out of range");
    CHECK(!ys, "a refused reduction made a list");
    bmf_list_free(keys);
    bmf_list_free(reals);
    bmf_partition_release(partition);
    free(x);
    free(key);
}

/* No elements, and no keys either. */
static void check_nothing(bmf_context *ctx)
{
    bmf_list *none, *ys = NULL;
    int64_t identity[5] = {0, 0, 0, 0, 0};
    BMF_CHECK(bmf_iota(ctx, 0, &none));
    CHECK(bmf_reduce_by_key(none, none, 5, &bmf_plus_int, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, NULL, 5, identity, "sums of no elements");
    bmf_list_free(ys);
    CHECK(bmf_reduce_by_key(none, none, 0, &bmf_plus_int, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, NULL, 0, identity, "sums of no elements by no keys");
    bmf_list_free(ys);
    bmf_list_free(none);
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs, *reals, *few, *ys = NULL;
    BMF_CHECK(bmf_iota(ctx, 20, &xs));
    BMF_CHECK(bmf_iota(ctx, 19, &few));
    BMF_CHECK(bmf_iota_real(ctx, 20, &reals));
    test_refused(ctx, bmf_reduce_by_key(reals, xs, 20, &bmf_plus_int, &ys), BMF_ERROR_TYPE, "real", "keys of reals");
    test_refused(ctx, bmf_reduce_by_key(xs, reals, 20, &bmf_plus_int, &ys), BMF_ERROR_TYPE, "plus_int", "other values");
    test_refused(ctx, bmf_reduce_by_key(few, xs, 20, &bmf_plus_int, &ys), BMF_ERROR_SHAPE, "19 elements", "lengths");
    test_refused(ctx, bmf_reduce_by_key(xs, xs, -1, &bmf_plus_int, &ys), BMF_ERROR_SHAPE, "-1 keys", "keys below 0");
    test_refused(ctx, bmf_reduce_by_key(xs, xs, 0, &bmf_plus_int, &ys), BMF_ERROR_INDEX, "position 0", "no keys");
    test_refused(ctx, bmf_reduce_by_key(xs, xs, INT64_MAX / 4, &bmf_plus_int, &ys), BMF_ERROR_MEMORY, "", "no room");
    CHECK(!ys, "a refused reduction made a list");
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const bmf_operator *op = test_operator_number(k)->op;
        if (!op->identity && bmf_type_equal(op->type, &bmf_type_int))
            test_refused(ctx, bmf_reduce_by_key(xs, xs, 20, op, &ys), BMF_ERROR_SHAPE, op->name, "no identity");
    }
    int64_t refused[20] = {[7] = 13};
    bmf_list *thirteen;
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, 20, refused, &thirteen));
    test_refused(ctx, bmf_reduce_by_key(xs, thirteen, 20, &test_refuses_13, &ys), BMF_ERROR_KERNEL, "77",
                 "an operator that fails");
    bmf_list_free(thirteen);
    bmf_list_free(xs);
    bmf_list_free(few);
    bmf_list_free(reals);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 70;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        check_operators(ctx, &state);
        check_parts(ctx, &state);
        check_many_keys(ctx, &state, machine % WAYS);
        check_broadcast(ctx);
        check_messages(ctx);
        check_elements_move_once(ctx);
        check_predicted(ctx, &state);
        for (int repeat = 0; repeat < 6; repeat++)
            check_bad_keys(ctx, &state);
        for (int way = 0; way < WAYS; way++) {
            go(ctx, way);
            check_nothing(ctx);
            check_refusals(ctx);
        }
    }
    check_uneven_sharing(ctx);
    check_whole_blocks(ctx);
    BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, 3)));
    check_operator(ctx, &state, test_operator_number(0), 150000, 6000);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
