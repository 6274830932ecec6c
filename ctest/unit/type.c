/* Types: interning, leaves, records, printing. Records are checked against the C compiler's own struct layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/data/type.h"

typedef struct triple {
    float a, b, c;
} triple;

typedef struct couple {
    double a, b;
} couple;

static const bmf_type *mixed(void)
{
    const bmf_type *inner = bmf_type_pair(&bmf_type_real, bmf_type_list(&bmf_type_int));
    return bmf_type_tuple(3, (const bmf_type *const[]){&bmf_type_bool, inner, bmf_type_struct(12, "triple")});
}

static void equal_types_are_one_pointer(void **state)
{
    (void)state;
    assert_ptr_equal(mixed(), mixed());
    const bmf_type pair_of_own = {
        BMF_TUPLE, 0, NULL, 2,
        (const bmf_type *const[]){&(bmf_type)BMF_TYPE_OF(int64_t), &(bmf_type)BMF_TYPE_OF(triple)}};
    const bmf_type *interned = bmf_type_intern(&pair_of_own);
    assert_ptr_not_equal(interned, &pair_of_own);
    assert_ptr_equal(interned, bmf_type_pair(&bmf_type_int, bmf_type_struct(sizeof(triple), "triple")));
    assert_ptr_equal(bmf_type_intern(interned), interned);
    assert_ptr_equal(bmf_type_intern(&(bmf_type)BMF_TYPE_OF(double)), &bmf_type_real);
    assert_ptr_equal(bmf_type_intern(&(bmf_type)BMF_TYPE_OF(uint8_t)), &bmf_type_bool);
    assert_ptr_equal(bmf_type_intern(&(bmf_type)BMF_TYPE_OF(int32_t)), &bmf_type_int32);
    assert_ptr_equal(bmf_type_intern(&(bmf_type)BMF_TYPE_OF(float)), &bmf_type_float);
    assert_ptr_equal(bmf_type_intern(&(bmf_type)BMF_TYPE_OF(double _Complex)), &bmf_type_complex);
}

static void a_kind_of_scalars_has_one_type(void **state)
{
    (void)state;
    const bmf_type *scalar[] = {&bmf_type_int,   &bmf_type_real,    &bmf_type_bool,   &bmf_type_int32,
                                &bmf_type_float, &bmf_type_complex, &bmf_type_nothing};
    for (size_t k = 0; k < sizeof scalar / sizeof scalar[0]; k++)
        assert_ptr_equal(type_of_kind(scalar[k]->kind), scalar[k]);
    assert_null(type_of_kind(BMF_STRUCT));
    assert_null(type_of_kind(BMF_TUPLE));
    assert_null(type_of_kind(BMF_LIST));
    assert_null(type_of_kind(BMF_DISTRIBUTED));
}

static void a_struct_name_is_copied(void **state)
{
    (void)state;
    char name[] = "short_lived";
    const bmf_type *type = bmf_type_struct(16, name);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(type->name, "short_lived");
    assert_ptr_equal(type, bmf_type_struct(16, "short_lived"));
}

static void different_types_differ(void **state)
{
    (void)state;
    const bmf_type *pair = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    const bmf_type *all[] = {&bmf_type_int,
                             &bmf_type_real,
                             &bmf_type_bool,
                             &bmf_type_int32,
                             &bmf_type_float,
                             &bmf_type_complex,
                             pair,
                             bmf_type_pair(&bmf_type_real, &bmf_type_int),
                             bmf_type_tuple(1, &pair),
                             bmf_type_list(pair),
                             bmf_type_list(&bmf_type_int),
                             bmf_type_list(bmf_type_list(&bmf_type_int)),
                             bmf_type_struct(8, "a"),
                             bmf_type_struct(8, "b"),
                             bmf_type_struct(16, "a")};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++) {
            assert_int_equal(bmf_type_equal(all[i], all[j]), i == j);
            assert_int_equal(all[i] == all[j], i == j);
        }
}

static void leaves_come_from_left_to_right(void **state)
{
    (void)state;
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const bmf_type *inner = bmf_type_pair(&bmf_type_real, bmf_type_struct(12, "triple"));
    const bmf_type *outer = bmf_type_tuple(3, (const bmf_type *const[]){&bmf_type_bool, inner, &bmf_type_int});
    assert_int_equal(bmf_type_leaves(outer, leaf), 4);
    assert_ptr_equal(leaf[0], &bmf_type_bool);
    assert_ptr_equal(leaf[1], &bmf_type_real);
    assert_ptr_equal(leaf[2], bmf_type_struct(12, "triple"));
    assert_ptr_equal(leaf[3], &bmf_type_int);
    assert_int_equal(bmf_type_leaves(&bmf_type_real, leaf), 1);
}

static void lists_and_too_many_leaves_have_none(void **state)
{
    (void)state;
    const bmf_type *leaf[BMF_MAX_LEAVES], *component[BMF_MAX_LEAVES];
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        component[k] = &bmf_type_int;
    const bmf_type *max = bmf_type_tuple(BMF_MAX_LEAVES, component);
    assert_int_equal(bmf_type_leaves(max, leaf), BMF_MAX_LEAVES);
    assert_int_equal(bmf_type_leaves(bmf_type_pair(max, &bmf_type_int), leaf), -1);
    assert_int_equal(bmf_type_leaves(mixed(), leaf), -1);
    assert_false(bmf_type_is_fixed(mixed()));
    assert_true(bmf_type_is_fixed(max));
}

static void records_are_laid_out_as_c_structs(void **state)
{
    (void)state;
    struct record {
        uint8_t a;
        double b;
        uint8_t c, d;
        triple e;
        uint8_t f;
        int64_t g;
        uint8_t h;
        couple i;
    };
    const bmf_type *type = bmf_type_tuple(
        9, (const bmf_type *const[]){&bmf_type_bool, &bmf_type_real, &bmf_type_bool, &bmf_type_bool,
                                     bmf_type_struct(sizeof(triple), "triple"), &bmf_type_bool, &bmf_type_int,
                                     &bmf_type_bool, bmf_type_struct(sizeof(couple), "couple")});
    int64_t offset[BMF_MAX_LEAVES];
    assert_int_equal(bmf_type_record(type, offset), sizeof(struct record));
    const size_t expected[] = {offsetof(struct record, a), offsetof(struct record, b), offsetof(struct record, c),
                               offsetof(struct record, d), offsetof(struct record, e), offsetof(struct record, f),
                               offsetof(struct record, g), offsetof(struct record, h), offsetof(struct record, i)};
    for (int k = 0; k < 9; k++)
        assert_int_equal(offset[k], expected[k]);
    assert_int_equal(bmf_type_record(&bmf_type_bool, offset), 1);
    assert_int_equal(bmf_type_record(bmf_type_struct(12, "triple"), offset), 12);
}

static void records_of_other_widths_are_laid_out_as_c_structs(void **state)
{
    (void)state;
    struct record {
        uint8_t a;
        float b;
        uint8_t c;
        double _Complex d;
        int32_t e;
        double f;
        int32_t g;
    };
    struct halves {
        uint8_t a;
        int32_t b;
        float c;
        uint8_t d;
    };
    const bmf_type *type =
        bmf_type_tuple(7, (const bmf_type *const[]){&bmf_type_bool, &bmf_type_float, &bmf_type_bool, &bmf_type_complex,
                                                    &bmf_type_int32, &bmf_type_real, &bmf_type_int32});
    int64_t offset[BMF_MAX_LEAVES];
    assert_int_equal(bmf_type_record(type, offset), sizeof(struct record));
    const size_t expected[] = {offsetof(struct record, a), offsetof(struct record, b), offsetof(struct record, c),
                               offsetof(struct record, d), offsetof(struct record, e), offsetof(struct record, f),
                               offsetof(struct record, g)};
    for (int k = 0; k < 7; k++)
        assert_int_equal(offset[k], expected[k]);
    const bmf_type *halves =
        bmf_type_tuple(4, (const bmf_type *const[]){&bmf_type_bool, &bmf_type_int32, &bmf_type_float, &bmf_type_bool});
    assert_int_equal(bmf_type_record(halves, offset), sizeof(struct halves));
    assert_int_equal(offset[1], offsetof(struct halves, b));
    assert_int_equal(offset[3], offsetof(struct halves, d));
    assert_int_equal(bmf_type_record(&bmf_type_complex, offset), 16);
    assert_int_equal(bmf_type_record(&bmf_type_float, offset), 4);
}

static void types_print_as_in_messages(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(bmf_type_print(mixed(), text, sizeof text), "{bool, {real, [int]}, triple}");
    assert_string_equal(bmf_type_print(bmf_type_list(bmf_type_list(&bmf_type_real)), text, sizeof text), "[[real]]");
    const bmf_type *other =
        bmf_type_tuple(3, (const bmf_type *const[]){&bmf_type_int32, &bmf_type_float, &bmf_type_complex});
    assert_string_equal(bmf_type_print(bmf_type_list(other), text, sizeof text), "[{int32, float, complex}]");
}

static void printing_never_writes_beyond_the_text(void **state)
{
    (void)state;
    char whole[64];
    bmf_type_print(mixed(), whole, sizeof whole);
    for (size_t size = 1; size <= strlen(whole) + 2; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        bmf_type_print(mixed(), text, size);
        size_t kept = size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        assert_int_equal(strlen(text), kept);
        assert_memory_equal(text, whole, kept);
        assert_int_equal(text[size], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_types_are_one_pointer),
        cmocka_unit_test(a_kind_of_scalars_has_one_type),
        cmocka_unit_test(a_struct_name_is_copied),
        cmocka_unit_test(different_types_differ),
        cmocka_unit_test(leaves_come_from_left_to_right),
        cmocka_unit_test(lists_and_too_many_leaves_have_none),
        cmocka_unit_test(records_are_laid_out_as_c_structs),
        cmocka_unit_test(records_of_other_widths_are_laid_out_as_c_structs),
        cmocka_unit_test(types_print_as_in_messages),
        cmocka_unit_test(printing_never_writes_beyond_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
