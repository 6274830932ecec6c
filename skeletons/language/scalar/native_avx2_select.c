/* From scalar instructions to those of AVX2.
 *
 * Method: as with AVX-512 (native_avx512_select.c), each operation computes what the loop of instructions.c does. What
 * AVX2 has not is made of what it has: products of words of those of halves, conversions between ints and reals of
 * additions to large reals, or of the processor's conversions of one real, extremes of ints of comparisons.
 * Cost: 1 to 40 instructions each; conversions of reals to ints and all that needs them (quotients of ints) are the
 * dearest.
 * Source of the conversion of ints: the two halves of a word as the low bits of reals of 2^52 and 3 2^67, whose sum is
 * rounded once. */
#include <stdlib.h>
#include <string.h>

#include "skeletons/language/scalar/native_private.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bmf_assembler_operand real_constant(native_generator *g, double x)
{
    return native_constant(g, bits_of(x));
}

/* ---- shorthands ---- */

/* to = left op right. */
static void vector(native_generator *g, bmf_vector_4_instruction instruction, int to, int left,
                   bmf_assembler_operand right)
{
    assemble_vector_4(&g->a, instruction, to, left, right, NO_IMMEDIATE);
}

static void vector_with(native_generator *g, bmf_vector_4_instruction instruction, int to, int left,
                        bmf_assembler_operand right, int immediate)
{
    assemble_vector_4(&g->a, instruction, to, left, right, immediate);
}

static void shift(native_generator *g, bmf_vector_4_instruction instruction, int operation, int to, int from, int bits)
{
    assemble_vector_4(&g->a, instruction, operation, to, assembler_vector(from), bits);
}

/* to = where the signs of `truths` are set `then`, elsewhere `otherwise`. */
static void blend(native_generator *g, int to, int truths, bmf_assembler_operand then, int otherwise)
{
    assemble_vector_4(&g->a, VECTOR_4_BLEND_WORDS, to, otherwise, then, truths << 4);
}

static void binary(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_4_instruction instruction)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    vector(g, instruction, native_define(g, i->value), left, right);
}

static void unary(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_4_instruction instruction)
{
    const bmf_assembler_operand right = native_right(g, i->operand[0]);
    vector(g, instruction, native_define(g, i->value), 0, right);
}

/* With a constant on the right. */
static void with_bits(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_4_instruction instruction,
                      uint64_t bits)
{
    const int left = native_use(g, i->operand[0]), to = native_define(g, i->value);
    vector(g, instruction, to, left, native_constant(g, bits));
}

static void invert(native_generator *g, int to)
{
    vector(g, VECTOR_4_XOR_WORDS, to, to, native_constant(g, UINT64_MAX));
}

/* ---- comparisons ---- */

/* Where the comparison's result goes, and what it is joined with: the AND behind it is then done, too. */
typedef struct comparison {
    int to, joined; /* or NO_REGISTER */
} comparison;

static comparison begin_comparison(native_generator *g, const bmf_scalar_instruction *i)
{
    const bmf_scalar_instruction *join = native_joined(g);
    const int joined = join ? native_use(g, join->operand[join->operand[0] == i->value]) : NO_REGISTER;
    return (comparison){native_define(g, join ? join->value : i->value), joined};
}

static void end_comparison(native_generator *g, comparison c)
{
    if (c.joined != NO_REGISTER)
        vector(g, VECTOR_4_AND_WORDS, c.to, c.to, assembler_vector(c.joined));
}

static void compare_reals(native_generator *g, const bmf_scalar_instruction *i, int predicate)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const comparison c = begin_comparison(g, i);
    vector_with(g, VECTOR_4_COMPARE_REALS, c.to, left, right, predicate);
    end_comparison(g, c);
}

/* a == b, b > a, or not a > b. */
static void compare_ints(native_generator *g, const bmf_scalar_instruction *i)
{
    const bool less = i->opcode == BMF_SCALAR_LESS_INT;
    const int left = native_use(g, i->operand[less]);
    const bmf_assembler_operand right = native_right(g, i->operand[!less]);
    const comparison c = begin_comparison(g, i);
    vector(g, i->opcode == BMF_SCALAR_EQUAL_INT ? VECTOR_4_EQUAL_WORDS : VECTOR_4_GREATER_WORDS, c.to, left, right);
    if (i->opcode == BMF_SCALAR_AT_MOST_INT)
        invert(g, c.to);
    end_comparison(g, c);
}

/* ---- failures ---- */

/* Elements fail where the sign is set, unless the instruction may not fail there; changes `signs`. */
static void fail_by_sign(native_generator *g, const bmf_scalar_instruction *i, int signs)
{
    if (i->guard >= 0)
        vector(g, VECTOR_4_AND_WORDS, signs, signs, assembler_vector(native_use(g, i->guard)));
    if (g->run->alive)
        vector(g, VECTOR_4_AND_WORDS, signs, signs, assembler_vector(native_use(g, native_alive(g))));
    if (g->tail)
        vector(g, VECTOR_4_AND_WORDS, signs, signs, assembler_vector(g->tail_register));
    vector(g, VECTOR_4_OR_WORDS, g->failed, g->failed, assembler_vector(signs));
}

/* ---- ints ---- */

static void sum(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int to = native_define(g, i->value), signs = native_vector(g), other = native_vector(g);
    vector(g, VECTOR_4_ADD_WORDS, to, left, right);
    vector(g, VECTOR_4_XOR_WORDS, signs, to, assembler_vector(left));
    vector(g, VECTOR_4_XOR_WORDS, other, to, right);
    vector(g, VECTOR_4_AND_WORDS, signs, signs, assembler_vector(other));
    fail_by_sign(g, i, signs);
}

static void difference(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int to = native_define(g, i->value), signs = native_vector(g), other = native_vector(g);
    vector(g, VECTOR_4_SUBTRACT_WORDS, to, left, right);
    vector(g, VECTOR_4_XOR_WORDS, signs, left, right);
    vector(g, VECTOR_4_XOR_WORDS, other, to, assembler_vector(left));
    vector(g, VECTOR_4_AND_WORDS, signs, signs, assembler_vector(other));
    fail_by_sign(g, i, signs);
}

/* The low words of products: of the low halves, and the two mixed products above them. */
static void multiply_words(native_generator *g, int to, int left, bmf_assembler_operand right)
{
    const int mixed = native_vector(g), other = native_vector(g);
    vector_with(g, VECTOR_4_SHUFFLE_HALVES, mixed, 0, right, 0xb1); /* halves of every word swapped */
    vector(g, VECTOR_4_MULTIPLY_HALVES, mixed, left, assembler_vector(mixed));
    shift(g, VECTOR_4_SHIFT_WORDS, SHIFT_RIGHT, other, mixed, 32);
    vector(g, VECTOR_4_ADD_HALVES, mixed, mixed, assembler_vector(other));
    shift(g, VECTOR_4_SHIFT_WORDS, SHIFT_LEFT, mixed, mixed, 32);
    vector(g, VECTOR_4_MULTIPLY_LOW_HALVES, other, left, right);
    vector(g, VECTOR_4_ADD_WORDS, to, other, assembler_vector(mixed));
    native_release(g, mixed);
    native_release(g, other);
}

/* Upper 16 bits as (2^48 of them + 3 2^67), lower 48 as (them + 2^52); the constants cancel without rounding. */
static void ints_to_reals(native_generator *g, int to, int from)
{
    const int low = native_vector(g);
    shift(g, VECTOR_4_SHIFT_HALVES, SHIFT_RIGHT_WITH_SIGN, to, from, 16);
    vector(g, VECTOR_4_XOR_WORDS, low, low, assembler_vector(low));
    vector_with(g, VECTOR_4_BLEND_SHORTS, to, to, assembler_vector(low), 0x33);
    vector(g, VECTOR_4_ADD_WORDS, to, to, real_constant(g, 0x3p67));
    vector_with(g, VECTOR_4_BLEND_SHORTS, low, from, real_constant(g, 0x1p52), 0x88);
    vector(g, VECTOR_4_SUBTRACT_REALS, to, to, real_constant(g, 0x3p67 + 0x1p52));
    vector(g, VECTOR_4_ADD_REALS, to, to, assembler_vector(low));
    native_release(g, low);
}

/* The two words of a half, towards zero; what does not fit becomes -2^63. */
static void half_to_ints(native_generator *g, int to, int from, int scratch)
{
    vector(g, VECTOR_4_REAL_TO_GENERAL, REGISTER_AX, 0, assembler_vector(from));
    vector(g, VECTOR_4_SECOND_REAL, scratch, from, assembler_vector(from));
    vector(g, VECTOR_4_REAL_TO_GENERAL, REGISTER_SI, 0, assembler_vector(scratch));
    vector(g, VECTOR_4_FROM_GENERAL, to, 0, assembler_vector(REGISTER_AX));
    vector_with(g, VECTOR_4_INSERT_GENERAL, to, to, assembler_vector(REGISTER_SI), 1);
}

static void reals_to_ints(native_generator *g, int to, int from)
{
    const int upper = native_vector(g), scratch = native_vector(g);
    half_to_ints(g, to, from, scratch);
    vector_with(g, VECTOR_4_UPPER_HALF, from, 0, assembler_vector(upper), 1);
    half_to_ints(g, upper, upper, scratch);
    vector_with(g, VECTOR_4_JOIN_HALVES, to, to, assembler_vector(upper), 1);
    native_release(g, upper);
    native_release(g, scratch);
}

/* The operand as a real. */
static int converted(native_generator *g, int v)
{
    const int from = native_use(g, v), to = native_vector(g);
    ints_to_reals(g, to, from);
    return to;
}

/* truths = the magnitude of the real compared with the limit. */
static void compare_magnitude(native_generator *g, int truths, int real, double limit, int predicate)
{
    vector(g, VECTOR_4_AND_WORDS, truths, real, native_constant(g, UINT64_MAX >> 1));
    vector_with(g, VECTOR_4_COMPARE_REALS, truths, truths, real_constant(g, limit), predicate);
}

/* Three roundings change a product by less than 2^-50 of it, so smaller ones fit. */
static void product(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    multiply_words(g, native_define(g, i->value), left, right);
    const int x = converted(g, i->operand[0]), y = converted(g, i->operand[1]);
    vector(g, VECTOR_4_MULTIPLY_REALS, x, x, assembler_vector(y));
    compare_magnitude(g, x, x, 0x1.fffffffffffp+62, COMPARE_NOT_LESS);
    fail_by_sign(g, i, x);
}

/* to = x / y towards zero. x and y: the operands as reals, which change. Up to 2^52 the rounded quotient never reaches
 * the next int (instructions.c). */
static void divide(native_generator *g, const bmf_scalar_instruction *i, int to, int x, int y)
{
    const int ratio = native_vector(g);
    vector(g, VECTOR_4_DIVIDE_REALS, ratio, x, assembler_vector(y));
    reals_to_ints(g, to, ratio);
    compare_magnitude(g, x, x, 0x1p52, COMPARE_NOT_AT_MOST);
    vector_with(g, VECTOR_4_COMPARE_REALS, ratio, y, real_constant(g, 0), COMPARE_EQUAL);
    vector(g, VECTOR_4_OR_WORDS, x, x, assembler_vector(ratio));
    compare_magnitude(g, y, y, 0x1p52, COMPARE_NOT_AT_MOST);
    vector(g, VECTOR_4_OR_WORDS, x, x, assembler_vector(y));
    native_release(g, ratio);
    fail_by_sign(g, i, x);
}

static void quotient(native_generator *g, const bmf_scalar_instruction *i)
{
    const int x = converted(g, i->operand[0]), y = converted(g, i->operand[1]);
    divide(g, i, native_define(g, i->value), x, y);
}

static void int_remainder(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]), right = native_use(g, i->operand[1]);
    const int x = converted(g, i->operand[0]), y = converted(g, i->operand[1]), to = native_define(g, i->value);
    divide(g, i, to, x, y);
    multiply_words(g, to, to, assembler_vector(right));
    vector(g, VECTOR_4_SUBTRACT_WORDS, to, left, assembler_vector(to));
}

/* Where left > right, one of them. */
static void int_extreme(native_generator *g, const bmf_scalar_instruction *i, bool max)
{
    const int left = native_use(g, i->operand[0]), right = native_use(g, i->operand[1]);
    const int to = native_define(g, i->value), greater = native_vector(g);
    vector(g, VECTOR_4_GREATER_WORDS, greater, left, assembler_vector(right));
    blend(g, to, greater, assembler_vector(max ? left : right), max ? right : left);
}

static void negate_int(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]), to = native_define(g, i->value), signs = native_vector(g);
    vector(g, VECTOR_4_XOR_WORDS, signs, signs, assembler_vector(signs));
    vector(g, VECTOR_4_SUBTRACT_WORDS, to, signs, assembler_vector(from));
    vector(g, VECTOR_4_AND_WORDS, signs, from, assembler_vector(to));
    fail_by_sign(g, i, signs);
}

static void absolute_int(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]), to = native_define(g, i->value), other = native_vector(g);
    vector(g, VECTOR_4_XOR_WORDS, other, other, assembler_vector(other));
    vector(g, VECTOR_4_SUBTRACT_WORDS, other, other, assembler_vector(from));
    blend(g, to, from, assembler_vector(other), from);
    vector(g, VECTOR_4_COPY_WORDS, other, 0, assembler_vector(to));
    fail_by_sign(g, i, other);
}

/* ---- reals ---- */

/* Of two zeros or a NaN the processor's extreme is its second operand: taken both ways round, zeros differ in their
 * sign alone. */
static void real_extreme(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_4_instruction instruction,
                         bmf_vector_4_instruction join)
{
    const int left = native_use(g, i->operand[0]), right = native_use(g, i->operand[1]);
    const int to = native_define(g, i->value), other = native_vector(g);
    vector(g, instruction, to, left, assembler_vector(right));
    vector(g, instruction, other, right, assembler_vector(left));
    vector(g, join, to, to, assembler_vector(other));
    vector_with(g, VECTOR_4_COMPARE_REALS, other, left, assembler_vector(right), COMPARE_UNORDERED);
    blend(g, to, other, assembler_vector(g->nan), to);
}

/* (a first b) second c, or c second (a first b). */
static void two(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_4_instruction first,
                bmf_vector_4_instruction second, bool reversed)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int other = reversed ? native_use(g, i->operand[2]) : 0;
    const bmf_assembler_operand third = reversed ? assembler_vector(0) : native_right(g, i->operand[2]);
    const int to = native_define(g, i->value);
    vector(g, first, to, left, right);
    vector(g, second, to, reversed ? other : to, reversed ? assembler_vector(to) : third);
}

/* It fits where it is at least -2^63 and less than 2^63. */
static void real_to_int(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]);
    reals_to_ints(g, native_define(g, i->value), from);
    const int low = native_vector(g), high = native_vector(g);
    vector_with(g, VECTOR_4_COMPARE_REALS, low, from, real_constant(g, -0x1p63), COMPARE_NOT_AT_LEAST);
    vector_with(g, VECTOR_4_COMPARE_REALS, high, from, real_constant(g, 0x1p63), COMPARE_NOT_LESS);
    vector(g, VECTOR_4_OR_WORDS, low, low, assembler_vector(high));
    fail_by_sign(g, i, low);
}

static void int_to_real(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]);
    ints_to_reals(g, native_define(g, i->value), from);
}

/* ---- bools and choices ---- */

static void not(native_generator * g, const bmf_scalar_instruction *i)
{
    with_bits(g, i, VECTOR_4_XOR_WORDS, UINT64_MAX);
}

static void select_either(native_generator *g, const bmf_scalar_instruction *i)
{
    const int truths = native_use(g, i->operand[0]), otherwise = native_use(g, i->operand[2]);
    const bmf_assembler_operand then = native_right(g, i->operand[1]);
    blend(g, native_define(g, i->value), truths, then, otherwise);
}

/* ---- the table ---- */

static void select_int(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_ADD_INT:
        sum(g, i);
        break;
    case BMF_SCALAR_SUBTRACT_INT:
        difference(g, i);
        break;
    case BMF_SCALAR_MULTIPLY_INT:
        product(g, i);
        break;
    case BMF_SCALAR_DIVIDE_INT:
        quotient(g, i);
        break;
    case BMF_SCALAR_MODULO_INT:
        int_remainder(g, i);
        break;
    case BMF_SCALAR_MAX_INT:
        int_extreme(g, i, true);
        break;
    case BMF_SCALAR_MIN_INT:
        int_extreme(g, i, false);
        break;
    case BMF_SCALAR_NEGATE_INT:
        negate_int(g, i);
        break;
    case BMF_SCALAR_ABSOLUTE_INT:
        absolute_int(g, i);
        break;
    case BMF_SCALAR_AND_INT:
        binary(g, i, VECTOR_4_AND_WORDS);
        break;
    case BMF_SCALAR_OR_INT:
        binary(g, i, VECTOR_4_OR_WORDS);
        break;
    case BMF_SCALAR_XOR_INT:
        binary(g, i, VECTOR_4_XOR_WORDS);
        break;
    default: /* comparisons */
        compare_ints(g, i);
    }
}

static void select_real(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_ADD_REAL:
        binary(g, i, VECTOR_4_ADD_REALS);
        break;
    case BMF_SCALAR_SUBTRACT_REAL:
        binary(g, i, VECTOR_4_SUBTRACT_REALS);
        break;
    case BMF_SCALAR_MULTIPLY_REAL:
        binary(g, i, VECTOR_4_MULTIPLY_REALS);
        break;
    case BMF_SCALAR_DIVIDE_REAL:
        binary(g, i, VECTOR_4_DIVIDE_REALS);
        break;
    case BMF_SCALAR_MAX_REAL:
        real_extreme(g, i, VECTOR_4_MAX_REALS, VECTOR_4_AND_WORDS);
        break;
    case BMF_SCALAR_MIN_REAL:
        real_extreme(g, i, VECTOR_4_MIN_REALS, VECTOR_4_OR_WORDS);
        break;
    case BMF_SCALAR_NEGATE_REAL:
        with_bits(g, i, VECTOR_4_XOR_WORDS, UINT64_C(1) << 63);
        break;
    case BMF_SCALAR_ABSOLUTE_REAL:
        with_bits(g, i, VECTOR_4_AND_WORDS, UINT64_MAX >> 1);
        break;
    case BMF_SCALAR_SQUARE_ROOT:
        unary(g, i, VECTOR_4_ROOT_REALS);
        break;
    case BMF_SCALAR_EQUAL_REAL:
        compare_reals(g, i, COMPARE_EQUAL);
        break;
    case BMF_SCALAR_LESS_REAL:
        compare_reals(g, i, COMPARE_LESS);
        break;
    default: /* at most */
        compare_reals(g, i, COMPARE_AT_MOST);
    }
}

static void select_two(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_MULTIPLY_ADD:
        two(g, i, VECTOR_4_MULTIPLY_REALS, VECTOR_4_ADD_REALS, false);
        break;
    case BMF_SCALAR_MULTIPLY_SUBTRACT:
        two(g, i, VECTOR_4_MULTIPLY_REALS, VECTOR_4_SUBTRACT_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_PRODUCT:
        two(g, i, VECTOR_4_MULTIPLY_REALS, VECTOR_4_SUBTRACT_REALS, true);
        break;
    case BMF_SCALAR_ADD_ADD:
        two(g, i, VECTOR_4_ADD_REALS, VECTOR_4_ADD_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_ADD:
        two(g, i, VECTOR_4_SUBTRACT_REALS, VECTOR_4_ADD_REALS, false);
        break;
    case BMF_SCALAR_ADD_MULTIPLY:
        two(g, i, VECTOR_4_ADD_REALS, VECTOR_4_MULTIPLY_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_MULTIPLY:
        two(g, i, VECTOR_4_SUBTRACT_REALS, VECTOR_4_MULTIPLY_REALS, false);
        break;
    default: /* multiply, multiply */
        two(g, i, VECTOR_4_MULTIPLY_REALS, VECTOR_4_MULTIPLY_REALS, false);
    }
}

static void select_other(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_EQUAL_BOOL:
        binary(g, i, VECTOR_4_EQUAL_WORDS);
        break;
    case BMF_SCALAR_AND:
        binary(g, i, VECTOR_4_AND_WORDS);
        break;
    case BMF_SCALAR_OR:
        binary(g, i, VECTOR_4_OR_WORDS);
        break;
    case BMF_SCALAR_NOT:
        not(g, i);
        break;
    case BMF_SCALAR_INT_TO_REAL:
        int_to_real(g, i);
        break;
    case BMF_SCALAR_REAL_TO_INT:
        real_to_int(g, i);
        break;
    case BMF_SCALAR_BOOL_TO_INT:
        with_bits(g, i, VECTOR_4_AND_WORDS, 1);
        break;
    case BMF_SCALAR_BOOL_TO_REAL:
        with_bits(g, i, VECTOR_4_AND_WORDS, bits_of(1.0));
        break;
    case BMF_SCALAR_SELECT_WORD:
    case BMF_SCALAR_SELECT_BYTE:
        select_either(g, i);
        break;
    case BMF_SCALAR_COPY_WORD:
    case BMF_SCALAR_COPY_BYTE:
        unary(g, i, VECTOR_4_LOAD_WORDS);
        break;
    default: /* native_can keeps everything else out */
        abort();
    }
}

void native_avx2_select(native_generator *g, const bmf_scalar_instruction *i)
{
    if (i->opcode <= BMF_SCALAR_AT_MOST_INT)
        select_int(g, i);
    else if (i->opcode <= BMF_SCALAR_AT_MOST_REAL)
        select_real(g, i);
    else if (i->opcode >= BMF_SCALAR_MULTIPLY_ADD && i->opcode <= BMF_SCALAR_MULTIPLY_MULTIPLY)
        select_two(g, i);
    else
        select_other(g, i);
}
