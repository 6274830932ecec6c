/* Batches against a plain definition: what a batch holds for each instance, written out as text by walking it. Every
 * function on batches only picks, repeats, joins or repacks instances, so its result must read as the texts do when
 * they are picked, repeated and joined the same way. Random types; lists packed, shared by all instances, overlapping,
 * with gaps; broadcasts, strides, empty batches; large batches on several threads. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"

enum { CASES = 600, LARGE = 3 * BMF_ALONE };

static bmf_context context = {.threads = 3, .ranks = 1, .processors = 1, .local_processors = 1};
static bmf_context *const ctx = &context;

/* ---- random batches ---- */

static const bmf_type *random_type(uint64_t *seed, int depth)
{
    const bmf_type *component[3];
    switch (test_below(seed, depth > 0 ? 7 : 3)) {
    case 0:
        return &bmf_type_int;
    case 1:
        return &bmf_type_real;
    case 2:
        return &bmf_type_bool;
    case 3:
    case 4: {
        int components = 1 + (int)test_below(seed, 3);
        for (int k = 0; k < components; k++)
            component[k] = random_type(seed, depth - 1);
        return bmf_type_tuple(components, component);
    }
    default:
        return bmf_type_list(random_type(seed, depth - 1));
    }
}

static void fill(uint64_t *seed, const bmf_value *scalars)
{
    for (int64_t i = 0; i < scalars->count; i++) {
        char *at = (char *)scalars->data + i * scalars->type->size;
        if (scalars->type->kind == BMF_INT)
            *(int64_t *)at = test_below(seed, 1000) - 500;
        else if (scalars->type->kind == BMF_REAL)
            *(double *)at = random_unit(seed);
        else
            *at = (char)test_below(seed, 2);
    }
}

static void create_random(uint64_t *seed, const bmf_type *type, int64_t count, bmf_value *out);

static void create_packed(uint64_t *seed, const bmf_type *type, int64_t count, bmf_value *out)
{
    bmf_value child;
    bmf_buffer *offsets = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    int64_t *offset = offsets->data;
    offset[0] = 0;
    for (int64_t i = 0; i < count; i++)
        offset[i + 1] = offset[i] + test_below(seed, 4);
    create_random(seed, type->component[0], offset[count], &child);
    value_create_list(count, offsets, &child, out);
}

/* Lists that begin and end anywhere among some elements. */
static void create_views(uint64_t *seed, const bmf_type *type, int64_t count, bmf_value *out)
{
    int64_t elements = test_below(seed, 9);
    *out = (bmf_value){.type = type, .count = count, .step = test_below(seed, 4) > 0};
    out->buffer = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    out->second = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    int64_t *begin = out->buffer->data, *end = out->second->data;
    for (int64_t i = 0; i <= count; i++) {
        int64_t a = test_below(seed, elements + 1), b = test_below(seed, elements + 1);
        begin[i] = a < b ? a : b;
        end[i] = a < b ? b : a;
    }
    out->begin = begin;
    out->end = end;
    out->child = allocate_clear(1, (int64_t)sizeof *out->child);
    create_random(seed, type->component[0], elements, out->child);
}

static void create_random(uint64_t *seed, const bmf_type *type, int64_t count, bmf_value *out)
{
    bmf_value whole;
    if (type->kind == BMF_TUPLE) {
        bmf_value component[BMF_MAX_LEAVES];
        for (int k = 0; k < type->components; k++)
            create_random(seed, type->component[k], count, &component[k]);
        value_create_tuple(type->components, component, out);
    } else if (count > 0 && test_below(seed, 5) == 0) { /* every step-th of more, or one for all */
        int64_t step = 1 + test_below(seed, 3), first = test_below(seed, 3);
        create_random(seed, type, first + count * step, &whole);
        assert_int_equal(value_every(ctx, &whole, first, step, count, out), BMF_OK);
        value_free(&whole);
    } else if (type->kind != BMF_LIST) {
        assert_int_equal(value_create(ctx, type, count, out), BMF_OK);
        fill(seed, out);
        if (test_below(seed, 4) == 0)
            out->stride = 0;
    } else if (test_below(seed, 2) == 0) {
        create_packed(seed, type, count, out);
    } else {
        create_views(seed, type, count, out);
    }
    assert_ptr_equal(value_broken(out), NULL);
}

/* ---- the definition ---- */

static void write_context(const bmf_value *value, int64_t i, FILE *to)
{
    const char *at = value->type->components == 0 ? (const char *)value->data + i * value->stride : NULL;
    if (value->type->kind == BMF_INT) {
        fprintf(to, "%" PRId64, *(const int64_t *)at);
    } else if (value->type->kind == BMF_REAL) {
        fprintf(to, "%a", *(const double *)at);
    } else if (value->type->kind == BMF_BOOL) {
        fputs(*at ? "true" : "false", to);
    } else if (value->type->kind == BMF_TUPLE) {
        for (int k = 0; k < value->type->components; k++) {
            fputs(k > 0 ? ", " : "{", to);
            write_context(&value->child[k], i, to);
        }
        fputs("}", to);
    } else {
        fputs("[", to);
        for (int64_t j = value->begin[i * value->step]; j < value->end[i * value->step]; j++) {
            write_context(&value->child[0], j, to);
            fputs(", ", to);
        }
        fputs("]", to);
    }
}

static char *write_one(const bmf_value *value, int64_t i)
{
    char *bytes = NULL;
    size_t size;
    FILE *to = open_memstream(&bytes, &size);
    write_context(value, i, to);
    fclose(to);
    return bytes;
}

/* Instance i of a must read as instance j of b. */
static void assert_same(const bmf_value *a, int64_t i, const bmf_value *b, int64_t j)
{
    char *left = write_one(a, i), *right = write_one(b, j);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void assert_sound(const bmf_value *value, const bmf_type *type, int64_t count)
{
    const char *broken = value_broken(value);
    if (broken)
        fail_msg("%s", broken);
    assert_ptr_equal(value->type, bmf_type_intern(type));
    assert_int_equal(value->count, count);
}

/* A random batch of a random type for the case. */
static const bmf_type *open_case(uint64_t *seed, int number, bmf_value *value)
{
    *seed = (uint64_t)number * 7919;
    const bmf_type *type = bmf_type_intern(random_type(seed, 3));
    create_random(seed, type, test_below(seed, 8), value);
    return type;
}

/* ---- tests ---- */

static void test_take(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, taken;
        int64_t index[16], count;
        const bmf_type *type = open_case(&seed, number, &value);
        count = value.count > 0 ? test_below(&seed, 16) : 0;
        for (int64_t k = 0; k < count; k++)
            index[k] = test_below(&seed, value.count);
        assert_int_equal(value_take(ctx, &value, index, count, &taken), BMF_OK);
        assert_sound(&taken, type, count);
        for (int64_t k = 0; k < count; k++)
            assert_same(&taken, k, &value, index[k]);
        value_free(&taken);
        value_free(&value);
    }
}

static void test_slice(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, slice;
        const bmf_type *type = open_case(&seed, number, &value);
        int64_t first = test_below(&seed, value.count + 1), count = test_below(&seed, value.count - first + 1);
        assert_int_equal(value_slice(ctx, &value, first, count, &slice), BMF_OK);
        assert_sound(&slice, type, count);
        for (int64_t k = 0; k < count; k++)
            assert_same(&slice, k, &value, first + k);
        value_free(&value); /* what is left must not need it */
        value_plain(ctx, &slice);
        value_free(&slice);
    }
}

static void test_repeat(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, repeated;
        int64_t offsets[16] = {0};
        const bmf_type *type = open_case(&seed, number, &value);
        for (int64_t i = 0; i < value.count; i++)
            offsets[i + 1] = offsets[i] + test_below(&seed, 4);
        assert_int_equal(value_repeat(ctx, &value, offsets, &repeated), BMF_OK);
        assert_sound(&repeated, type, offsets[value.count]);
        for (int64_t i = 0; i < value.count; i++)
            for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
                assert_same(&repeated, j, &value, i);
        value_free(&repeated);
        value_free(&value);
    }
}

static void test_concatenate(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value[5], all;
        const bmf_type *type = open_case(&seed, number, &value[0]);
        int values = 1 + (int)test_below(&seed, 5);
        int64_t count = value[0].count;
        for (int v = 1; v < values; v++) {
            if (test_below(&seed, 3) == 0)
                value_share(&value[v - 1], &value[v]);
            else
                create_random(&seed, type, test_below(&seed, 6), &value[v]);
            count += value[v].count;
        }
        assert_int_equal(value_concatenate(ctx, values, value, &all), BMF_OK);
        assert_sound(&all, type, count);
        for (int64_t v = 0, at = 0; v < values; at += value[v++].count)
            for (int64_t i = 0; i < value[v].count; i++)
                assert_same(&all, at + i, &value[v], i);
        for (int v = 0; v < values; v++)
            value_free(&value[v]);
        value_free(&all);
    }
}

static void test_merge(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value a, b, merged;
        uint8_t choose[32];
        const bmf_type *type = open_case(&seed, number, &a);
        create_random(&seed, type, test_below(&seed, 8), &b);
        int64_t rest[2] = {b.count, a.count}, next[2] = {0, 0}, count = a.count + b.count;
        for (int64_t i = 0; i < count; i++) {
            int which = test_below(&seed, rest[0] + rest[1]) < rest[1];
            rest[which]--;
            choose[i] = (uint8_t)which;
        }
        assert_int_equal(value_merge(ctx, choose, count, &a, &b, &merged), BMF_OK);
        assert_sound(&merged, type, count);
        for (int64_t i = 0; i < count; i++)
            assert_same(&merged, i, choose[i] ? &a : &b, next[choose[i]]++);
        value_free(&a);
        value_free(&b);
        value_free(&merged);
    }
}

static void assert_plain(const bmf_value *value)
{
    if (value->type->components == 0)
        assert_true(value->count == 0 || value->stride == value->type->size);
    if (value->type->kind == BMF_LIST)
        assert_true(value->packed);
    for (int k = 0; k < value->type->components; k++)
        assert_plain(&value->child[k]);
}

static void test_pack(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, packed, plain;
        const bmf_type *type = open_case(&seed, number, &value);
        value_share(&value, &packed);
        value_share(&value, &plain);
        if (type->kind == BMF_LIST) {
            assert_int_equal(value_pack(ctx, &packed), BMF_OK);
            assert_true(packed.packed);
        }
        assert_int_equal(value_plain(ctx, &plain), BMF_OK);
        assert_sound(&packed, type, value.count);
        assert_sound(&plain, type, value.count);
        assert_plain(&plain);
        for (int64_t i = 0; i < value.count; i++) {
            assert_same(&packed, i, &value, i);
            assert_same(&plain, i, &value, i);
        }
        value_free(&packed);
        value_free(&value);
        assert_int_equal(value_plain(ctx, &plain), BMF_OK);
        value_free(&plain);
    }
}

/* A column reads as the batch it was made from, and so does the batch made from it. */
static void test_columns(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, back;
        bmf_column column;
        const bmf_type *type = open_case(&seed, number, &value);
        assert_int_equal(value_to_column(ctx, &value, &column), BMF_OK);
        const char *broken = column_broken(&column);
        if (broken)
            fail_msg("%s", broken);
        assert_int_equal(column.count, value.count);
        value_from_column(&column, &back);
        assert_sound(&back, type, value.count);
        for (int64_t i = 0; i < value.count; i++)
            assert_same(&back, i, &value, i);
        value_free(&value);
        value_free(&back);
    }
}

static void test_empty_lists_of_nothing(void **state)
{
    (void)state;
    bmf_value value;
    bmf_column column;
    const bmf_type *type = bmf_type_list(bmf_type_list(&bmf_type_nothing));
    assert_int_equal(value_empty(ctx, type, 3, &value), BMF_OK);
    assert_sound(&value, type, 3);
    assert_int_equal(value_to_column(ctx, &value, &column), BMF_OK);
    assert_ptr_equal(column_broken(&column), NULL);
    assert_ptr_equal(column.type, bmf_type_list(bmf_type_list(&bmf_type_int)));
    assert_int_equal(column.count, 3);
    column_free(&column);
    value_free(&value);
}

static void test_constants(void **state)
{
    (void)state;
    bmf_value value;
    bmf_slice slice[BMF_MAX_LEAVES];
    assert_int_equal(value_constant(ctx, &(bmf_constant){BMF_REAL, 0, 2.5}, 1000000000, &value), BMF_OK);
    assert_sound(&value, &bmf_type_real, 1000000000);
    assert_int_equal(value_slices(&value, 999999999, slice), 1);
    assert_true(*(double *)slice[0].data == 2.5);
    assert_false(value_unique(&value));
    value_free(&value);
    value_free(&value); /* an empty shell */
}

static void test_unique(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed;
        bmf_value value, other;
        open_case(&seed, number, &value);
        assert_int_equal(value_plain(ctx, &value), BMF_OK);
        value_share(&value, &other);
        if (value.count > 0 && value.type->kind != BMF_TUPLE)
            assert_false(value_unique(&value));
        value_free(&other);
        value_free(&value);
    }
}

/* Everything above on batches that several threads share, checked by arithmetic. */
static void test_large(void **state)
{
    (void)state;
    bmf_value value, taken, lists, packed, repeated;
    int64_t *index = allocate(LARGE * (int64_t)sizeof *index);
    uint64_t seed = 5;
    assert_int_equal(value_create(ctx, &bmf_type_int, LARGE, &value), BMF_OK);
    for (int64_t i = 0; i < LARGE; i++) {
        ((int64_t *)value.data)[i] = 3 * i;
        index[i] = test_below(&seed, LARGE);
    }
    assert_int_equal(value_take(ctx, &value, index, LARGE, &taken), BMF_OK);
    for (int64_t i = 0; i < LARGE; i++)
        assert_true(((const int64_t *)taken.data)[i] == 3 * index[i]);
    value_free(&taken);

    lists = (bmf_value){.type = bmf_type_list(&bmf_type_int), .count = LARGE, .step = 1};
    lists.buffer = buffer_create(2 * LARGE * (int64_t)sizeof(int64_t));
    int64_t *begin = lists.buffer->data, *end = begin + LARGE;
    for (int64_t i = 0; i < LARGE; i++) {
        begin[i] = index[i];
        end[i] = index[i] + (i % 3 < LARGE - index[i] ? i % 3 : 0);
    }
    lists.begin = begin;
    lists.end = end;
    lists.child = allocate_clear(1, (int64_t)sizeof *lists.child);
    value_move(&value, lists.child);
    value_share(&lists, &packed);
    assert_int_equal(value_pack(ctx, &packed), BMF_OK);
    assert_ptr_equal(value_broken(&packed), NULL);
    for (int64_t i = 0, j = 0; i < LARGE; i++) {
        assert_int_equal(value_length(&packed, i), end[i] - begin[i]);
        for (int64_t k = begin[i]; k < end[i]; k++)
            assert_true(((const int64_t *)packed.child[0].data)[j++] == 3 * k);
    }
    assert_int_equal(value_repeat(ctx, &lists.child[0], packed.begin, &repeated), BMF_OK);
    for (int64_t i = 0; i < LARGE; i++)
        for (int64_t j = packed.begin[i]; j < packed.end[i]; j++)
            assert_true(((const int64_t *)repeated.data)[j] == 3 * i);
    value_free(&repeated);
    value_free(&packed);
    value_free(&lists);
    free(index);
}

static void test_large_merge(void **state)
{
    (void)state;
    bmf_value part[2], merged, mask;
    uint8_t *choose = allocate(LARGE);
    int64_t count[2] = {0, 0}, *position, positions;
    uint64_t seed = 6;
    for (int64_t i = 0; i < LARGE; i++)
        count[choose[i] = (uint8_t)(test_below(&seed, 3) == 0)]++;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(value_create(ctx, &bmf_type_int, count[k], &part[k]), BMF_OK);
        for (int64_t i = 0; i < count[k]; i++)
            ((int64_t *)part[k].data)[i] = 2 * i + k;
    }
    assert_int_equal(value_merge(ctx, choose, LARGE, &part[1], &part[0], &merged), BMF_OK);
    assert_int_equal(value_create(ctx, &bmf_type_bool, LARGE, &mask), BMF_OK);
    memcpy(mask.data, choose, LARGE);
    for (int wanted = 0; wanted < 2; wanted++) {
        assert_int_equal(mask_positions(ctx, &mask, wanted, &position, &positions), BMF_OK);
        assert_int_equal(positions, count[wanted]);
        for (int64_t k = 0; k < positions; k++) {
            assert_int_equal(choose[position[k]], wanted);
            assert_true(((const int64_t *)merged.data)[position[k]] == 2 * k + wanted);
        }
        free(position);
    }
    value_free(&part[0]);
    value_free(&part[1]);
    value_free(&merged);
    value_free(&mask);
    free(choose);
}

/* Sums of lengths that no memory could hold are refused, on one thread and on several. */
static void test_sums(void **state)
{
    (void)state;
    int64_t *offsets = allocate_clear(LARGE + 1, (int64_t)sizeof *offsets);
    for (int64_t i = 1; i <= LARGE; i++)
        offsets[i] = i % 5;
    assert_true(offsets_sum(ctx, offsets, LARGE));
    for (int64_t i = 0, sum = 0; i <= LARGE; sum += ++i % 5)
        assert_true(offsets[i] == sum);
    for (int64_t count = 2; count <= LARGE; count += LARGE - 2) {
        for (int64_t i = 1; i <= count; i++)
            offsets[i] = 1;
        offsets[1] = offsets[count] = INT64_MAX - 1;
        assert_false(offsets_sum(ctx, offsets, count));
    }
    free(offsets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_take),      cmocka_unit_test(test_slice),
                                       cmocka_unit_test(test_repeat),    cmocka_unit_test(test_concatenate),
                                       cmocka_unit_test(test_merge),     cmocka_unit_test(test_pack),
                                       cmocka_unit_test(test_columns),   cmocka_unit_test(test_empty_lists_of_nothing),
                                       cmocka_unit_test(test_constants), cmocka_unit_test(test_unique),
                                       cmocka_unit_test(test_large),     cmocka_unit_test(test_large_merge),
                                       cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
