/* Columns against a plain definition: element i of a column, written out by walking the column, must be the same
 * however the column was viewed, shared, packed or built. Random types, some with inner lists, broadcasts and empty
 * columns. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/data/column.h"
#include "bmf/status.h"

enum { CASES = 400 };

/* ---- random columns ---- */

static const bmf_type *random_type(uint64_t *seed, int depth, bool lists)
{
    const bmf_type *component[3];
    switch (test_below(seed, depth > 0 ? (lists ? 8 : 6) : 4)) {
    case 0:
        return &bmf_type_int;
    case 1:
        return &bmf_type_real;
    case 2:
        return &bmf_type_bool;
    case 3:
        return bmf_type_struct(5, "five");
    case 4:
    case 5: {
        int components = 1 + (int)test_below(seed, 3);
        for (int k = 0; k < components; k++)
            component[k] = random_type(seed, depth - 1, lists);
        return bmf_type_tuple(components, component);
    }
    default:
        return bmf_type_list(random_type(seed, depth - 1, lists));
    }
}

/* Every element different, made of whatever bytes; or one value for all. */
static void fill_data(uint64_t *seed, bmf_column *column, bool broadcasts)
{
    int64_t values = column->count;
    if (broadcasts && test_below(seed, 4) == 0) {
        column->stride = 0;
        values = values > 0;
    }
    for (int64_t b = 0; b < values * column->type->size; b++)
        ((uint8_t *)column->data)[b] = (uint8_t)random_bits(seed);
}

static void create_random(uint64_t *seed, const bmf_type *type, int64_t count, bool broadcasts, bmf_column *column)
{
    if (type->kind == BMF_TUPLE) {
        *column = (bmf_column){.type = type, .count = count};
        column->child = calloc((size_t)type->components, sizeof *column->child);
        assert_non_null(column->child);
        for (int k = 0; k < type->components; k++)
            create_random(seed, type->component[k], count, broadcasts, &column->child[k]);
    } else if (type->kind == BMF_LIST) {
        assert_int_equal(column_create_list(bmf_type_list(&bmf_type_int), count, 0, column), BMF_OK);
        column->type = type;
        for (int64_t i = 0; i < count; i++)
            column->offsets[i + 1] = column->offsets[i] + test_below(seed, 4);
        column_free(&column->child[0]);
        create_random(seed, type->component[0], column->offsets[count], broadcasts, &column->child[0]);
    } else {
        assert_int_equal(column_create(type, count, column), BMF_OK);
        fill_data(seed, column, broadcasts);
    }
}

/* ---- the definition ---- */

/* Writes element i as bytes: its scalars, and before every inner list its length. */
static char *write_element(const bmf_column *column, int64_t i, char *to)
{
    if (column->type->kind == BMF_TUPLE) {
        for (int k = 0; k < column->type->components; k++)
            to = write_element(&column->child[k], i, to);
        return to;
    }
    if (column->type->kind == BMF_LIST) {
        int64_t length = column->offsets[i + 1] - column->offsets[i];
        memcpy(to, &length, sizeof length);
        to += sizeof length;
        for (int64_t j = column->offsets[i]; j < column->offsets[i + 1]; j++)
            to = write_element(&column->child[0], j, to);
        return to;
    }
    memcpy(to, (const char *)column->data + i * column->stride, (size_t)column->type->size);
    return to + column->type->size;
}

static int64_t write_elements(const bmf_column *column, int64_t begin, int64_t end, char *to)
{
    char *at = to;
    for (int64_t i = begin; i < end; i++)
        at = write_element(column, i, at);
    return at - to;
}

static char expected_bytes[1 << 22], found_bytes[1 << 22];

/* `column` must hold elements [begin, end) of `origin` and nothing else. */
static void assert_elements(const bmf_column *column, const bmf_column *origin, int64_t begin, int64_t end)
{
    assert_null(column_broken(column));
    assert_ptr_equal(column->type, origin->type);
    assert_int_equal(column->count, end - begin);
    int64_t bytes = write_elements(origin, begin, end, expected_bytes);
    assert_int_equal(write_elements(column, 0, column->count, found_bytes), bytes);
    assert_memory_equal(found_bytes, expected_bytes, (size_t)bytes);
}

typedef void test_body(uint64_t *seed, const bmf_column *column, int64_t begin, int64_t end);

/* Runs a body on random columns and ranges of their elements. */
static void for_random_columns(bool lists, test_body *body)
{
    uint64_t seed = 4711;
    for (int c = 0; c < CASES; c++) {
        bmf_column column;
        int64_t count = test_below(&seed, 5) == 0 ? 0 : test_below(&seed, 40);
        create_random(&seed, random_type(&seed, 3, lists), count, true, &column);
        assert_null(column_broken(&column));
        int64_t begin = test_below(&seed, count + 1), end = begin + test_below(&seed, count - begin + 1);
        body(&seed, &column, begin, end);
        column_free(&column);
    }
}

/* ---- tests ---- */

static void check_view(uint64_t *seed, const bmf_column *column, int64_t begin, int64_t end)
{
    bmf_column view, inner, copy;
    assert_int_equal(column_view(column, begin, end - begin, &view), BMF_OK);
    assert_elements(&view, column, begin, end);
    int64_t from = test_below(seed, end - begin + 1);
    assert_int_equal(column_view(&view, from, end - begin - from, &inner), BMF_OK);
    column_free(&view);
    assert_elements(&inner, column, begin + from, end);
    column_free(&inner);
    assert_int_equal(column_share(column, &copy), BMF_OK);
    assert_elements(&copy, column, 0, column->count);
    column_free(&copy);
}

static void views_hold_the_same_elements(void **state)
{
    (void)state;
    for_random_columns(true, check_view);
}

static void check_packing(uint64_t *seed, const bmf_column *column, int64_t begin, int64_t end)
{
    int64_t middle = begin + test_below(seed, end - begin + 1);
    int64_t bytes = column_packed_bytes(column, begin, end);
    /* the definition writes the same lengths and scalars, only in another order */
    assert_int_equal(bytes, write_elements(column, begin, end, expected_bytes));
    char *packed = malloc((size_t)bytes + 1);
    assert_non_null(packed);
    packed[bytes] = '#';
    char *second = column_pack(column, begin, middle, packed);
    assert_int_equal(second - packed, column_packed_bytes(column, begin, middle));
    assert_ptr_equal(column_pack(column, middle, end, second), packed + bytes);
    assert_int_equal(packed[bytes], '#');
    bmf_column_builder *builder = column_builder_create(column->type);
    assert_non_null(builder);
    assert_ptr_equal(column_builder_append(builder, packed, middle - begin), second);
    assert_ptr_equal(column_builder_append(builder, second, end - middle), packed + bytes);
    bmf_column built;
    assert_int_equal(column_builder_finish(builder, &built), BMF_OK);
    assert_elements(&built, column, begin, end);
    assert_true(column_unique(&built));
    column_free(&built);
    free(packed);
}

static void packing_and_appending_give_the_elements_back(void **state)
{
    (void)state;
    for_random_columns(true, check_packing);
}

static void check_copying(uint64_t *seed, const bmf_column *column, int64_t begin, int64_t end)
{
    (void)seed;
    bmf_column built, first, view;
    bmf_column_builder *builder = column_builder_create(column->type);
    assert_non_null(builder);
    /* [begin, end), then all, packed in between: ranges and ways of appending mix */
    assert_int_equal(column_builder_copy(builder, column, begin, end), BMF_OK);
    char *packed = malloc((size_t)column_packed_bytes(column, 0, begin) + 1);
    assert_non_null(packed);
    column_pack(column, 0, begin, packed);
    assert_non_null(column_builder_append(builder, packed, begin));
    assert_int_equal(column_builder_copy(builder, column, 0, column->count), BMF_OK);
    assert_int_equal(column_builder_finish(builder, &built), BMF_OK);
    assert_null(column_broken(&built));
    assert_int_equal(column_view(&built, 0, end - begin, &first), BMF_OK);
    assert_elements(&first, column, begin, end);
    assert_int_equal(column_view(&built, end - begin, begin, &view), BMF_OK);
    assert_elements(&view, column, 0, begin);
    column_free(&view);
    assert_int_equal(column_view(&built, end, column->count, &view), BMF_OK);
    assert_elements(&view, column, 0, column->count);
    column_free(&view);
    column_free(&first);
    column_free(&built);
    free(packed);
}

static void copying_into_a_builder_gives_the_elements_back(void **state)
{
    (void)state;
    for_random_columns(true, check_copying);
}

static void check_slices(uint64_t *seed, const bmf_column *column, int64_t begin, int64_t end)
{
    (void)seed;
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(column->type, leaf);
    assert_int_equal(column_slices(column, begin, slice), leaves);
    for (int64_t i = begin; i < end; i++) {
        char *to = found_bytes;
        for (int k = 0; k < leaves; to += leaf[k++]->size)
            memcpy(to, (char *)slice[k].data + (i - begin) * slice[k].stride, (size_t)leaf[k]->size);
        assert_ptr_equal(write_element(column, i, expected_bytes) - expected_bytes, to - found_bytes);
        assert_memory_equal(found_bytes, expected_bytes, (size_t)(to - found_bytes));
    }
}

static void slices_find_the_leaves(void **state)
{
    (void)state;
    for_random_columns(false, check_slices);
}

static void unique_means_nobody_else_holds_it(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int c = 0; c < CASES; c++) {
        bmf_column column, other;
        create_random(&seed, random_type(&seed, 3, true), 1 + test_below(&seed, 20), false, &column);
        assert_true(column_unique(&column));
        assert_int_equal(column_view(&column, 0, column.count, &other), BMF_OK);
        assert_false(column_unique(&column));
        assert_false(column_unique(&other));
        column_free(&column);
        assert_true(column_unique(&other));
        column_free(&other);
    }
}

static void a_broadcast_is_not_unique(void **state)
{
    (void)state;
    bmf_column pair;
    assert_int_equal(column_create(bmf_type_pair(&bmf_type_int, &bmf_type_real), 10, &pair), BMF_OK);
    assert_true(column_unique(&pair));
    pair.child[1].stride = 0;
    assert_false(column_unique(&pair));
    assert_null(column_broken(&pair));
    column_free(&pair);
}

static void empty_columns_of_any_type_can_be_made(void **state)
{
    (void)state;
    bmf_column column;
    const bmf_type *type = bmf_type_pair(&bmf_type_bool, bmf_type_list(bmf_type_list(&bmf_type_int)));
    assert_int_equal(column_create(type, 0, &column), BMF_OK);
    assert_null(column_broken(&column));
    column_free(&column);
    assert_int_equal(column_create(type, 1, &column), BMF_ERROR_TYPE);
    assert_int_equal(column_create(&bmf_type_int, INT64_MAX / 4, &column), BMF_ERROR_MEMORY);
    assert_int_equal(column_create(&bmf_type_int, -1, &column), BMF_ERROR_MEMORY);
}

#define BREAKS(field, value)                                                                                           \
    do {                                                                                                               \
        __typeof__(field) kept_ = (field);                                                                             \
        assert_null(column_broken(&column));                                                                           \
        (field) = (value);                                                                                             \
        assert_non_null(column_broken(&column));                                                                       \
        (field) = kept_;                                                                                               \
    } while (0)

static void broken_columns_are_found(void **state)
{
    (void)state;
    uint64_t seed = 5;
    bmf_column column;
    const bmf_type *list = bmf_type_list(&bmf_type_int), *pair = bmf_type_pair(&bmf_type_real, list);
    create_random(&seed, pair, 10, false, &column);
    bmf_column *reals = &column.child[0], *lists = &column.child[1], *ints = &lists->child[0];
    bmf_type foreign = *pair;
    BREAKS(column.type, &foreign);
    BREAKS(column.count, 9);
    BREAKS(column.count, -1);
    BREAKS(reals->stride, 4);
    BREAKS(reals->data, NULL);
    BREAKS(reals->data, (char *)reals->data + reals->buffer->size);
    BREAKS(reals->count, 1000);
    BREAKS(reals->type, &bmf_type_int);
    BREAKS(lists->offsets, NULL);
    BREAKS(lists->offsets[0], 1);
    BREAKS(lists->offsets[5], lists->offsets[10] + 1);
    BREAKS(lists->offsets[10], lists->offsets[10] + 1);
    BREAKS(ints->count, ints->count - 1);
    assert_null(column_broken(&column));
    column_free(&column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_hold_the_same_elements),
        cmocka_unit_test(packing_and_appending_give_the_elements_back),
        cmocka_unit_test(copying_into_a_builder_gives_the_elements_back),
        cmocka_unit_test(slices_find_the_leaves),
        cmocka_unit_test(unique_means_nobody_else_holds_it),
        cmocka_unit_test(a_broadcast_is_not_unique),
        cmocka_unit_test(empty_columns_of_any_type_can_be_made),
        cmocka_unit_test(broken_columns_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
