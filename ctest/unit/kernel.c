/* The functions that the kernel macros make, called as skeletons call them, against naive code.
 *
 * Method: every operator of the test table that has fast forms, every power of two up to the largest block, with and
 * without prefix, inclusive and exclusive, in place and not; kernels with every combination of strides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/operators.h"
#include "ctest/support/testing.h"
#include "skeletons/engine/sum_rows.h"

/* The first differing record, or -1. */
static int64_t first_difference(int64_t n, size_t size, const char *a, const char *b)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(a + (size_t)i * size, b + (size_t)i * size, size) != 0)
            return i;
    return -1;
}

static void assert_same(int64_t n, size_t size, const char *got, const char *expected, const char *what,
                        const char *name, int64_t count)
{
    const int64_t i = first_difference(n, size, got, expected);
    if (i >= 0)
        fail_msg("%s of %s over %lld elements: value %lld differs", what, name, (long long)count, (long long)i);
}

static void fold_gives_every_node(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        if (!test->op->fold)
            continue;
        for (int64_t count = 2; count <= BMF_BLOCK; count *= 2) {
            char *x = test_draw(test, count, &state);
            char *levels = calloc((size_t)count, test->size), *expected = calloc((size_t)count, test->size);
            char *to = expected;
            for (int64_t width = 2; width <= count; width *= 2)
                for (int64_t j = 0; j < count / width; j++, to += test->size)
                    reference_tree_fold(test->combine, width, x + (size_t)(j * width) * test->size, test->size, to);
            test->op->fold(test->op->context, count, x, levels);
            assert_same(count - 1, test->size, levels, expected, "fold", test->op->name, count);
            free(x);
            free(levels);
            free(expected);
        }
    }
}

/* prefix op the nodes of [0, i), one per binary digit of i, largest first. */
static void prefix_then_nodes(const test_operator *test, const char *prefix, const char *x, int64_t i, char *value)
{
    char node[TEST_LARGEST_RECORD], sum[TEST_LARGEST_RECORD];
    memcpy(value, prefix, test->size);
    int64_t done = 0;
    for (int64_t width = BMF_BLOCK; width > 0; width /= 2) {
        if (!(i & width))
            continue;
        reference_tree_fold(test->combine, width, x + (size_t)done * test->size, test->size, node);
        test->combine(value, node, sum);
        memcpy(value, sum, test->size);
        done += width;
    }
}

typedef struct scan_case {
    bool prefixed, inclusive, in_place;
} scan_case;

static void check_scan(const test_operator *test, int64_t count, scan_case how, uint64_t *state)
{
    const size_t size = test->size;
    char *x = test_draw(test, count, state), *kept = malloc((size_t)count * size);
    char *levels = calloc((size_t)count, size), *scratch = calloc(2 * (size_t)count, size);
    char *out = how.in_place ? x : calloc((size_t)count, size), *expected = calloc((size_t)count + 1, size);
    char prefix[TEST_LARGEST_RECORD] = {0}, last[TEST_LARGEST_RECORD] = {0};
    test->draw(state, prefix);
    test->draw(state, last);
    memcpy(kept, x, (size_t)count * size);
    for (int64_t i = 1; how.prefixed && i < count; i++)
        prefix_then_nodes(test, prefix, x, i, expected + (size_t)i * size);
    if (!how.prefixed)
        reference_tree_scan(test->combine, count, x, size, prefix, expected);
    memcpy(expected, prefix, size);
    memcpy(expected + (size_t)count * size, last, size);
    test->op->fold(test->op->context, count, x, levels);
    test->op->scan(test->op->context, count, x, levels, how.prefixed ? prefix : NULL, how.inclusive ? last : NULL, out,
                   scratch);
    if (how.inclusive)
        assert_same(count, size, out, expected + size, "inclusive scan", test->op->name, count);
    else if (how.prefixed)
        assert_same(count, size, out, expected, "exclusive scan", test->op->name, count);
    else
        assert_same(count - 1, size, out + size, expected + size, "exclusive scan without prefix", test->op->name,
                    count);
    if (!how.in_place) {
        assert_same(count, size, x, kept, "input of scan", test->op->name, count);
        free(out);
    }
    free(x);
    free(kept);
    free(levels);
    free(scratch);
    free(expected);
}

static void scan_follows_the_tree(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        if (!test->op->scan)
            continue;
        for (int64_t count = 1; count <= BMF_BLOCK; count *= 2)
            for (int bits = 0; bits < 8; bits++)
                if (count <= 128 || bits == 1 || bits == 7 || !(bits & 1)) /* naive prefixes take their time */
                    check_scan(test, count, (scan_case){bits & 1, bits & 2, bits & 4}, &state);
    }
}

static void quick_folds_any_count(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        if (!test->op->reassociate || !(test->op->flags & BMF_EXACT))
            continue;
        for (int64_t count = 1; count <= 300; count++) {
            char got[TEST_LARGEST_RECORD] = {0}, expected[TEST_LARGEST_RECORD] = {0};
            char *x = test_draw(test, count, &state);
            test->op->reassociate(test->op->context, count, x, got);
            reference_fold(test->combine, count, x, test->size, expected);
            assert_same(1, test->size, got, expected, "quick fold", test->op->name, count);
            free(x);
        }
    }
}

static void quick_sum_is_close(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    double x[1000];
    for (int64_t count = 1; count <= 1000; count += 37) {
        double sum = 0.0, size = 0.0, got;
        for (int64_t i = 0; i < count; i++) {
            x[i] = random_unit(&state) - 0.5;
            sum += x[i];
            size += fabs(x[i]);
        }
        bmf_plus_real.reassociate(bmf_plus_real.context, count, x, &got);
        assert_true(fabs(got - sum) <= 2.0 * (double)count * 0x1p-53 * size);
    }
}

static void rows_of_blocks(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        assert_true(!test->op->fold_rows == !test->op->fold);
        for (int64_t blocks = 1; test->op->fold_rows && blocks <= 70; blocks += 1 + blocks / 2) {
            char *x = test_draw(test, BMF_COLUMN_BLOCK * blocks, &state);
            char *got = calloc((size_t)(BMF_COLUMNS * blocks), test->size);
            char *expected = calloc((size_t)(BMF_COLUMNS * blocks), test->size);
            for (int64_t i = 0; i < BMF_COLUMNS * blocks; i++)
                reference_tree_fold(test->combine, BMF_COLUMNS, x + (size_t)(i * BMF_COLUMNS) * test->size, test->size,
                                    expected + (size_t)i * test->size);
            test->op->fold_rows(test->op->context, blocks, x, got);
            assert_same(BMF_COLUMNS * blocks, test->size, got, expected, "rows", test->op->name, blocks);
            free(x);
            free(got);
            free(expected);
        }
    }
}

/* The pairs of the 8 rows of column `column` of a block. */
static void column_value(const test_operator *test, const char *block, int column, char *value)
{
    char rows[BMF_COLUMNS * TEST_LARGEST_RECORD];
    for (int r = 0; r < BMF_COLUMNS; r++)
        memcpy(rows + (size_t)r * test->size, block + (size_t)(BMF_COLUMNS * r + column) * test->size, test->size);
    reference_tree_fold(test->combine, BMF_COLUMNS, rows, test->size, value);
}

/* The prefixes of rows of 8 behind others. */
static void scans_of_rows(void **unused)
{
    (void)unused;
    uint64_t state = 6;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        const size_t size = test->size;
        if (test->op->version < 1)
            continue;
        assert_true(!test->op->scan_rows == !test->op->fold_rows);
        for (int64_t blocks = 1; test->op->scan_rows && blocks <= 20; blocks += 1 + blocks / 2) {
            const int64_t count = BMF_COLUMN_BLOCK * blocks;
            char *x = test_draw(test, count, &state), *prefix = test_draw(test, count / BMF_COLUMNS, &state);
            char *got = calloc((size_t)count, size), *expected = calloc((size_t)count, size);
            for (int64_t i = 0; i < count; i++)
                prefix_then_nodes(test, prefix + (size_t)(i / BMF_COLUMNS) * size,
                                  x + (size_t)(i / BMF_COLUMNS * BMF_COLUMNS) * size, i % BMF_COLUMNS,
                                  expected + (size_t)i * size);
            test->op->scan_rows(test->op->context, blocks, x, prefix, got);
            assert_same(count, size, got, expected, "scan of rows", test->op->name, count);
            free(x);
            free(prefix);
            free(got);
            free(expected);
        }
    }
}

/* Sums in registers give what scan_rows gives, also in place and past the caches. */
static void check_sum_rows(const test_operator *test, int64_t rows, scan_case how, bool past_caches, uint64_t *state)
{
    const int64_t count = BMF_COLUMNS * rows;
    const size_t size = test->size, bytes = (size_t)count * size;
    char *drawn = test_draw(test, count, state), *prefix = test_draw(test, rows + 1, state);
    char *x = aligned_alloc(64, bytes), *out = how.in_place ? x : aligned_alloc(64, bytes);
    char *expected = calloc((size_t)count + 1, size);
    memcpy(x, drawn, bytes);
    test->op->scan_rows(test->op->context, rows / BMF_COLUMNS, x, prefix, expected);
    memcpy(expected + bytes, prefix + (size_t)rows * size, size);
    sum_rows_of(test->op)(rows, x, prefix, how.inclusive, past_caches, out);
    assert_same(count, size, out, expected + (how.inclusive ? size : 0), "scan of rows in registers", test->op->name,
                count);
    if (!how.in_place)
        free(out);
    free(x);
    free(drawn);
    free(prefix);
    free(expected);
}

static void sums_of_rows_in_registers(void **unused)
{
    (void)unused;
    uint64_t state = 9;
    int tried = 0;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        for (int64_t rows = BMF_COLUMNS; sum_rows_of(test->op) && rows <= 200; rows += BMF_COLUMNS, tried++)
            for (int bits = 0; bits < 8; bits++)
                check_sum_rows(test, rows, (scan_case){true, bits & 1, bits & 2}, bits & 4, &state);
    }
    assert_true(tried > 0 || !sum_rows_of(&bmf_plus_real));
}

static void columns_of_blocks(void **unused)
{
    (void)unused;
    uint64_t state = 6;
    int tried = 0;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        assert_true(!test->op->fold_columns == !test_goes_by_columns(test));
        if (!test->op->fold_columns)
            continue;
        for (int64_t blocks = 1; blocks <= 70; blocks += 1 + blocks / 2, tried++) {
            char *x = test_draw(test, BMF_COLUMN_BLOCK * blocks, &state);
            char *got = calloc((size_t)(BMF_COLUMNS * blocks), test->size);
            char *expected = calloc((size_t)(BMF_COLUMNS * blocks), test->size);
            for (int64_t i = 0; i < BMF_COLUMNS * blocks; i++)
                column_value(test, x + (size_t)(i / BMF_COLUMNS * BMF_COLUMN_BLOCK) * test->size,
                             (int)(i % BMF_COLUMNS), expected + (size_t)i * test->size);
            test->op->fold_columns(test->op->context, blocks, x, got);
            assert_same(BMF_COLUMNS * blocks, test->size, got, expected, "columns", test->op->name, blocks);
            free(x);
            free(got);
            free(expected);
        }
    }
    assert_true(tried > 0);
}

/* Leaf k of element i of an array of `size` byte records with leaves at `offset`. */
static void check_combine(const test_operator *test, const int64_t *offset, int leaves, int64_t count, int spacing,
                          bool in_place, uint64_t *state)
{
    const size_t size = test->size, step = size * (size_t)spacing;
    char *a = test_draw(test, count * spacing, state), *b = test_draw(test, count * spacing, state);
    char *out = in_place ? a : calloc((size_t)count, step), *expected = calloc((size_t)count, size);
    bmf_slice in[2 * BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
    for (int k = 0; k < leaves; k++) {
        in[k] = (bmf_slice){a + offset[k], (int64_t)step};
        in[leaves + k] = (bmf_slice){b + offset[k], 0};
        to[k] = (bmf_slice){out + offset[k], (int64_t)step};
    }
    for (int64_t i = 0; i < count; i++)
        test->combine(a + (size_t)i * step, b, expected + (size_t)i * size);
    assert_int_equal(test->op->combine(test->op->context, count, in, to), 0);
    for (int64_t i = 0; i < count; i++)
        assert_same(1, size, out + (size_t)i * step, expected + (size_t)i * size, "combine", test->op->name, count);
    if (!in_place)
        free(out);
    free(a);
    free(b);
    free(expected);
}

static void combine_takes_any_stride(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const test_operator *test = test_operator_number(k);
        int64_t offset[BMF_MAX_LEAVES];
        const int leaves = test->op->type->kind == BMF_TUPLE ? test->op->type->components : 1;
        bmf_type_record(test->op->type, offset);
        for (int64_t count = 1; count <= 100; count += 33)
            for (int how = 0; how < 4; how++)
                check_combine(test, offset, leaves, count, 1 + how / 2 * 2, how % 2, &state);
    }
}

/* ---- kernels ---- */

typedef struct point {
    double x, y;
    int64_t label;
} point;

typedef struct line {
    double slope, shift;
} line;

BMF_MAP_KERNEL(halved, int64_t, n, double, (double)n / 2.0)
BMF_MAP_KERNEL(mirrored, point, p, point, ((point){p.y, p.x, -p.label}))
BMF_MAP_KERNEL(positive, double, x, uint8_t, x > 0.0)
BMF_MAP_KERNEL_WITH(on_line, line, context, double, x, double, (context->slope * x + context->shift))
BMF_MAP_KERNEL(single, int32_t, n, float, (float)n / 4.0F)
BMF_ZIP_KERNEL(turned, double _Complex, z, float, x, double _Complex, z *(double)x)
BMF_FOLD_KERNEL(wrapping, int32_t, a, b, ((int32_t)((uint32_t)a + (uint32_t)b)), 0)
BMF_FOLD_KERNEL(rounded, float, a, b, a + b, 0.0F)
BMF_FOLD_KERNEL(summed, double _Complex, a, b, a + b, 0.0)
BMF_ZIP_KERNEL(scaled, double, x, int64_t, k, double, (x * (double)k))
BMF_ZIP_KERNEL_WITH(blended, double, context, double, a, double, b, double, (a * context[0] + b * (1.0 - context[0])))

static void types_of_kernels_are_right(void **unused)
{
    (void)unused;
    assert_int_equal(halved.inputs, 1);
    assert_int_equal(halved.input[0]->kind, BMF_INT);
    assert_int_equal(halved.output->kind, BMF_REAL);
    assert_int_equal(mirrored.input[0]->kind, BMF_STRUCT);
    assert_int_equal(mirrored.input[0]->size, sizeof(point));
    assert_string_equal(mirrored.input[0]->name, "point");
    assert_int_equal(positive.output->kind, BMF_BOOL);
    assert_int_equal(positive.output->size, 1);
    assert_int_equal(scaled.inputs, 2);
    assert_int_equal(scaled.input[1]->kind, BMF_INT);
    assert_string_equal(scaled.name, "scaled");
    assert_ptr_equal(bmf_type_intern(single.input[0]), &bmf_type_int32);
    assert_ptr_equal(bmf_type_intern(single.output), &bmf_type_float);
    assert_ptr_equal(bmf_type_intern(turned.input[0]), &bmf_type_complex);
    assert_ptr_equal(bmf_type_intern(turned.input[1]), &bmf_type_float);
    assert_ptr_equal(bmf_type_intern(turned.output), &bmf_type_complex);
    assert_false(halved.may_fail);
}

enum { ROOM = 300 };

static void map_kernels_take_any_stride(void **unused)
{
    (void)unused;
    int64_t in[ROOM];
    double out[ROOM];
    for (int i = 0; i < ROOM; i++)
        in[i] = 7 * i - 1000;
    for (int64_t from = 0; from <= 3; from++)
        for (int64_t to = 1; to <= 3; to++) {
            memset(out, 0, sizeof out);
            const bmf_slice source = {in, 8 * from}, target = {out, 8 * to};
            assert_int_equal(halved.block(halved.context, 100, &source, &target), 0);
            for (int64_t i = 0; i < 100; i++)
                assert_true(out[i * to] == (double)in[i * from] / 2.0);
            for (int64_t i = 0; i < ROOM; i++)
                if (i % to != 0 || i >= 100 * to)
                    assert_true(out[i] == 0.0);
        }
}

static void kernels_of_other_widths_take_any_stride(void **unused)
{
    (void)unused;
    int32_t in[ROOM];
    float out[ROOM];
    double z[ROOM][2], turned_to[ROOM][2];
    for (int i = 0; i < ROOM; i++) {
        in[i] = 7 * i - 1000;
        z[i][0] = i;
        z[i][1] = -2 * i;
    }
    for (int64_t from = 0; from <= 2; from++)
        for (int64_t to = 1; to <= 2; to++) {
            const bmf_slice source = {in, 4 * from}, target = {out, 4 * to};
            assert_int_equal(single.block(single.context, 100, &source, &target), 0);
            for (int64_t i = 0; i < 100; i++)
                assert_true(out[i * to] == (float)(7 * i * from - 1000) / 4.0F);
            const bmf_slice pair[2] = {{z, 16 * from}, {out, 4 * to}}, product = {turned_to, 16 * to};
            assert_int_equal(turned.block(turned.context, 100, pair, &product), 0);
            for (int64_t i = 0; i < 100; i++) {
                assert_true(turned_to[i * to][0] == (double)(i * from) * (double)out[i * to]);
                assert_true(turned_to[i * to][1] == (double)(-2 * i * from) * (double)out[i * to]);
            }
        }
}

static void map_kernels_work_in_place(void **unused)
{
    (void)unused;
    point points[50];
    double reals[50];
    const line how = {2.0, -1.0};
    const bmf_kernel bound = bmf_kernel_bind(&on_line, &how);
    for (int i = 0; i < 50; i++) {
        points[i] = (point){i, -i, 100 + i};
        reals[i] = i;
    }
    const bmf_slice all_points = {points, sizeof(point)}, all_reals = {reals, sizeof(double)};
    assert_int_equal(mirrored.block(mirrored.context, 50, &all_points, &all_points), 0);
    assert_int_equal(bound.block(bound.context, 50, &all_reals, &all_reals), 0);
    for (int i = 0; i < 50; i++) {
        assert_true(points[i].x == -i && points[i].y == i && points[i].label == -100 - i);
        assert_true(reals[i] == 2.0 * i - 1.0);
    }
}

static void zip_kernels_take_any_stride(void **unused)
{
    (void)unused;
    double a[ROOM], out[ROOM];
    int64_t b[ROOM];
    for (int i = 0; i < ROOM; i++) {
        a[i] = 0.25 * i;
        b[i] = 3 - i;
    }
    for (int64_t first = 0; first <= 2; first++)
        for (int64_t second = 0; second <= 2; second++)
            for (int64_t to = 1; to <= 2; to++) {
                const bmf_slice in[2] = {{a, 8 * first}, {b, 8 * second}}, target = {out, 8 * to};
                assert_int_equal(scaled.block(scaled.context, 100, in, &target), 0);
                for (int64_t i = 0; i < 100; i++)
                    assert_true(out[i * to] == a[i * first] * (double)b[i * second]);
            }
}

static void zip_kernels_see_their_context(void **unused)
{
    (void)unused;
    const double a[2] = {1.0, 2.0}, b[2] = {5.0, 6.0}, weight = 0.25;
    double out[2];
    const bmf_kernel bound = bmf_kernel_bind(&blended, &weight);
    const bmf_slice in[2] = {{(void *)(uintptr_t)a, 8}, {(void *)(uintptr_t)b, 8}}, target = {out, 8};
    assert_int_equal(bound.block(bound.context, 2, in, &target), 0);
    assert_true(out[0] == 4.0 && out[1] == 5.0);
}

/* The results of a kernel's stream are its block's, to the last bit, and nothing else is written. */
static void check_stream(const bmf_kernel *kernel, const void *context, const bmf_slice *in)
{
    enum { COUNT = 256, LARGEST = 16 };
    static char block[COUNT * LARGEST], room[64 + COUNT * LARGEST + 64];
    const int64_t size = kernel->output->size;
    char *lines = room + (64 - (uintptr_t)room % 64) % 64;
    const bmf_slice expected = {block, size}, got = {lines, size};
    if (!kernel->stream || !kernel->stream(context, 0, in, &got)) /* no such stores here */
        return;
    for (int64_t count = 64 / size; count <= COUNT; count += 64 / size) {
        memset(room, 0x5a, sizeof room);
        assert_int_equal(kernel->block(context, count, in, &expected), 0);
        assert_true(kernel->stream(context, count, in, &got));
        assert_memory_equal(lines, block, (size_t)(count * size));
        for (char *other = lines + count * size; other < room + sizeof room; other++)
            assert_int_equal(*other, 0x5a);
    }
}

static void streams_do_what_blocks_do(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    static double reals[ROOM], others[ROOM], complex[ROOM][2];
    static int64_t ints[ROOM];
    static int32_t words[ROOM];
    static float floats[ROOM];
    const line how = {1.0 / 3.0, -0.1};
    const double weight = 0.3;
    for (int i = 0; i < ROOM; i++) {
        reals[i] = random_unit(&state) - 0.5;
        others[i] = random_unit(&state);
        complex[i][0] = others[i];
        complex[i][1] = reals[i];
        ints[i] = test_below(&state, 1000) - 500;
        words[i] = (int32_t)ints[i];
        floats[i] = (float)reals[i];
    }
    const bmf_slice real[2] = {{reals, 8}, {others, 8}}, whole = {ints, 8}, word = {words, 4};
    const bmf_slice real_and_int[2] = {{reals, 8}, {ints, 8}}, turn[2] = {{complex, 16}, {floats, 4}};
    check_stream(&halved, NULL, &whole);
    check_stream(&positive, NULL, real);
    check_stream(&on_line, &how, real);
    check_stream(&single, NULL, &word);
    check_stream(&turned, NULL, turn);
    check_stream(&scaled, NULL, real_and_int);
    check_stream(&blended, &weight, real);
    assert_true(!mirrored.stream); /* 24 bytes do not fill lines */
}

static void flags_follow_the_type(void **unused)
{
    (void)unused;
    const bmf_operator *mixed = test_operator_number(1)->op, *sum = test_operator_number(0)->op;
    assert_string_equal(mixed->name, "mixed");
    assert_int_equal(mixed->flags, 0);
    assert_int_equal(sum->flags & BMF_EXACT, 0);
    assert_int_equal(wrapping.flags, BMF_EXACT);
    assert_int_equal(rounded.flags, 0);
    assert_int_equal(summed.flags, 0);
    assert_int_equal(bmf_plus_int32.flags, BMF_EXACT | BMF_COMMUTATIVE);
    assert_int_equal(bmf_plus_float.flags, BMF_COMMUTATIVE);
    assert_int_equal(bmf_max_float.flags, BMF_EXACT | BMF_COMMUTATIVE);
    assert_int_equal(bmf_times_complex.flags, BMF_COMMUTATIVE);
    for (int k = 0; k < TEST_OPERATORS; k++) {
        const bmf_operator *op = test_operator_number(k)->op;
        if (op->type->kind == BMF_TUPLE)
            assert_true(!op->fold && !op->scan && !op->reassociate && !op->fold_rows && !op->fold_columns);
    }
}

/* ---- fused folds ---- */

BMF_MAP_KERNEL(single_square, float, x, float, x *x)
BMF_MAP_KERNEL(below, double, x, int64_t, x < 0.25)
BMF_MAP_KERNEL(parity, int64_t, n, int32_t, (int32_t)(n & 1))
BMF_ZIP_KERNEL(weighted, float, x, int64_t, k, double, ((double)x * (double)k))
BMF_ZIP_KERNEL(wrapped, int64_t, a, int64_t, b, int64_t, ((int64_t)((uint64_t)a * (uint64_t)b)))

typedef struct fused_case {
    const bmf_kernel *kernel;
    const bmf_operator *op;
} fused_case;

/* Random elements of a kernel's input: numbers of many sizes, or any bits. */
static void *draw_input(const bmf_type *type, int64_t count, uint64_t *state)
{
    char *x = malloc((size_t)(count * type->size));
    for (int64_t i = 0; i < count; i++) {
        const double real = (random_unit(state) - 0.5) * ldexp(1.0, (int)(random_bits(state) % 20));
        const float narrow = (float)real;
        const uint64_t bits = random_bits(state);
        const void *from = &bits;
        if (type->kind == BMF_REAL)
            from = &real;
        if (type->kind == BMF_FLOAT)
            from = &narrow;
        memcpy(x + i * type->size, from, (size_t)type->size);
    }
    return x;
}

/* Column i % 8 of block i / 8 by pairs. */
static void column_by_combine(const bmf_operator *op, const char *x, int64_t i, char *value)
{
    const int64_t size = op->type->size, first = i / BMF_COLUMNS * BMF_COLUMN_BLOCK + i % BMF_COLUMNS;
    char rows[BMF_COLUMNS * TEST_LARGEST_RECORD];
    for (int r = 0; r < BMF_COLUMNS; r++)
        memcpy(rows + r * size, x + (first + BMF_COLUMNS * r) * size, (size_t)size);
    for (int width = BMF_COLUMNS / 2; width > 0; width /= 2)
        for (int r = 0; r < width; r++) {
            const bmf_slice pair[2] = {{rows + 2 * r * size, size}, {rows + (2 * r + 1) * size, size}};
            assert_int_equal(op->combine(op->context, 1, pair, &(bmf_slice){rows + r * size, size}), 0);
        }
    memcpy(value, rows, (size_t)size);
}

/* The fused function of a kernel gives what its block function and the operator's columns give, bit by bit. */
static void check_fused(const fused_case *fused, int64_t blocks, const void *context, uint64_t *state)
{
    const bmf_kernel *kernel = fused->kernel;
    const int64_t count = BMF_COLUMN_BLOCK * blocks, size = kernel->output->size;
    bmf_slice in[2] = {{0}}, mapped = {malloc((size_t)(count * size)), size};
    char *got = calloc((size_t)(BMF_COLUMNS * blocks), (size_t)size);
    char *expected = calloc((size_t)(BMF_COLUMNS * blocks), (size_t)size);
    for (int k = 0; k < kernel->inputs; k++)
        in[k] = (bmf_slice){draw_input(kernel->input[k], count, state), kernel->input[k]->size};
    kernel->block(context, count, in, &mapped);
    for (int64_t i = 0; i < BMF_COLUMNS * blocks; i++)
        column_by_combine(fused->op, mapped.data, i, expected + i * size);
    assert_true(kernel->fused->fold(context, blocks, in, got));
    assert_same(BMF_COLUMNS * blocks, (size_t)size, got, expected, "fused fold", kernel->name, blocks);
    for (int k = 0; k < kernel->inputs; k++)
        free(in[k].data);
    free(mapped.data);
    free(got);
    free(expected);
}

static void fused_folds_have_the_bits_of_both(void **unused)
{
    (void)unused;
    const line context = {1.5, -0.25};
    const fused_case kernels[] = {
        {&halved, &bmf_plus_real},  {&on_line, &bmf_plus_real},        {&scaled, &bmf_plus_real},
        {&single, &bmf_plus_float}, {&single_square, &bmf_plus_float}, {&below, &bmf_plus_int},
        {&parity, &bmf_plus_int32}, {&weighted, &bmf_plus_real},       {&wrapped, &bmf_plus_int}};
    uint64_t state = 8;
    const bmf_slice nothing[2] = {{0}};
    if (!halved.fused->fold || !halved.fused->fold(NULL, 0, nothing, NULL))
        skip();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        assert_ptr_equal(kernels[k].kernel->fused->op, kernels[k].op);
        assert_true(kernels[k].kernel->fused->of == kernels[k].kernel->block);
        for (int64_t blocks = 1; blocks <= 40; blocks += 1 + blocks / 2)
            check_fused(&kernels[k], blocks, &context, &state);
    }
}

static void only_numbers_are_fused(void **unused)
{
    (void)unused;
    assert_null(mirrored.fused->op);
    assert_null(mirrored.fused->fold);
    assert_null(positive.fused->op);
    assert_null(turned.fused->op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_gives_every_node),
        cmocka_unit_test(scan_follows_the_tree),
        cmocka_unit_test(quick_folds_any_count),
        cmocka_unit_test(quick_sum_is_close),
        cmocka_unit_test(rows_of_blocks),
        cmocka_unit_test(fused_folds_have_the_bits_of_both),
        cmocka_unit_test(only_numbers_are_fused),
        cmocka_unit_test(scans_of_rows),
        cmocka_unit_test(sums_of_rows_in_registers),
        cmocka_unit_test(columns_of_blocks),
        cmocka_unit_test(combine_takes_any_stride),
        cmocka_unit_test(types_of_kernels_are_right),
        cmocka_unit_test(map_kernels_take_any_stride),
        cmocka_unit_test(map_kernels_work_in_place),
        cmocka_unit_test(kernels_of_other_widths_take_any_stride),
        cmocka_unit_test(zip_kernels_take_any_stride),
        cmocka_unit_test(zip_kernels_see_their_context),
        cmocka_unit_test(streams_do_what_blocks_do),
        cmocka_unit_test(flags_follow_the_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
