/* From scalar instructions to those of AVX-512.
 *
 * Method: each operation is the same sequence wherever it stands, and computes what the loop of instructions.c does:
 * ints wrap, reals are rounded once for each operation, a maximum is NaN if one operand is, and 0.0 is larger than
 * -0.0. Failures gather in the signs of one vector. Sums and differences fail by their signs, exactly; products,
 * quotients and remainders of ints if a double cannot tell that they do not: that only costs time.
 * Cost: 1 to 12 instructions each. */
#include <stdlib.h>
#include <string.h>

#include "skeletons/language/scalar/native_private.h"

/* Functions of three bits for TERNARY_LOGIC: r is the result that the first operand is a copy of. */
enum {
    SUM_OVERFLOWS = 0x18,       /* (a ^ r) & (b ^ r) */
    DIFFERENCE_OVERFLOWS = 0x24 /* (a ^ b) & (a ^ r) */
};

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

/* to = left op right, everywhere. */
static void vector(native_generator *g, bmf_vector_instruction instruction, int to, int left,
                   bmf_assembler_operand right)
{
    assemble_vector(&g->a, instruction, to, left, right, 0, false, NO_IMMEDIATE);
}

static void vector_with(native_generator *g, bmf_vector_instruction instruction, int to, int left,
                        bmf_assembler_operand right, int immediate)
{
    assemble_vector(&g->a, instruction, to, left, right, 0, false, immediate);
}

static void binary(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction instruction)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    vector(g, instruction, native_define(g, i->value), left, right);
}

static void unary(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction instruction)
{
    const bmf_assembler_operand right = native_right(g, i->operand[0]);
    vector(g, instruction, native_define(g, i->value), 0, right);
}

/* With a constant on the right. */
static void with_bits(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction instruction,
                      uint64_t bits)
{
    const int left = native_use(g, i->operand[0]), to = native_define(g, i->value);
    vector(g, instruction, to, left, native_constant(g, bits));
}

/* And what the comparison is joined with is true, if the next instruction is such an AND; it is then done, too. */
static void compare(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction instruction,
                    int predicate)
{
    const bmf_scalar_instruction *join = native_joined(g);
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int mask = join ? native_use(g, join->operand[join->operand[0] == i->value]) : 0;
    assemble_vector(&g->a, instruction, native_define(g, join ? join->value : i->value), left, right, mask, false,
                    predicate);
}

/* ---- failures ---- */

/* Where the instruction may fail: a mask, or 0 for everywhere. */
static int may_fail_where(native_generator *g, const bmf_scalar_instruction *i)
{
    const int guard = i->guard < 0 ? 0 : native_use(g, i->guard);
    if (!g->run->alive)
        return guard;
    const int alive = native_use(g, native_alive(g));
    if (!guard)
        return alive;
    const int both = native_mask(g);
    assemble_mask(&g->a, MASK_AND, both, guard, alive);
    return both;
}

/* Elements of the vector whose sign is set fail. */
static void fail_by_sign(native_generator *g, const bmf_scalar_instruction *i, int signs)
{
    assemble_vector(&g->a, VECTOR_OR_WORDS, g->failed, g->failed, assembler_vector(signs), may_fail_where(g, i), false,
                    NO_IMMEDIATE);
}

static void fail_by_mask(native_generator *g, const bmf_scalar_instruction *i, int mask)
{
    const int signs = native_vector(g);
    vector(g, VECTOR_MASK_TO_WORDS, signs, 0, assembler_vector(mask));
    fail_by_sign(g, i, signs);
}

/* ---- ints ---- */

static void sum_or_difference(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction instruction,
                              int overflows)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int to = native_define(g, i->value), signs = native_vector(g);
    vector(g, instruction, to, left, right);
    vector(g, VECTOR_COPY_WORDS, signs, 0, assembler_vector(to));
    vector_with(g, VECTOR_TERNARY_LOGIC, signs, left, right, overflows);
    fail_by_sign(g, i, signs);
}

/* The operand as a real. */
static int converted(native_generator *g, int v)
{
    const bmf_assembler_operand from = native_right(g, v);
    const int to = native_vector(g);
    vector(g, VECTOR_INTS_TO_REALS, to, 0, from);
    return to;
}

static int magnitude(native_generator *g, int real)
{
    const int to = native_vector(g);
    vector(g, VECTOR_AND_WORDS, to, real, native_constant(g, UINT64_MAX >> 1));
    return to;
}

/* Three roundings change a product by less than 2^-50 of it, so smaller ones fit. */
static void product(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int to = native_define(g, i->value), x = converted(g, i->operand[0]), y = converted(g, i->operand[1]);
    const int mask = native_mask(g);
    vector(g, VECTOR_MULTIPLY_WORDS, to, left, right);
    vector(g, VECTOR_MULTIPLY_REALS, x, x, assembler_vector(y));
    vector_with(g, VECTOR_COMPARE_REALS, mask, magnitude(g, x), real_constant(g, 0x1.fffffffffffp+62),
                COMPARE_NOT_LESS);
    fail_by_mask(g, i, mask);
}

/* x and y: the operands as reals. Up to 2^52 the rounded quotient never reaches the next int (instructions.c). */
static void check_division(native_generator *g, const bmf_scalar_instruction *i, int x, int y)
{
    const int mask = native_mask(g), other = native_mask(g);
    vector_with(g, VECTOR_COMPARE_REALS, mask, magnitude(g, x), real_constant(g, 0x1p52), COMPARE_NOT_AT_MOST);
    vector_with(g, VECTOR_COMPARE_REALS, other, magnitude(g, y), real_constant(g, 0x1p52), COMPARE_NOT_AT_MOST);
    assemble_mask(&g->a, MASK_OR, mask, mask, other);
    vector_with(g, VECTOR_COMPARE_REALS, other, y, real_constant(g, 0), COMPARE_EQUAL);
    assemble_mask(&g->a, MASK_OR, mask, mask, other);
    fail_by_mask(g, i, mask);
}

static void quotient(native_generator *g, const bmf_scalar_instruction *i)
{
    const int x = converted(g, i->operand[0]), y = converted(g, i->operand[1]), to = native_define(g, i->value);
    vector(g, VECTOR_DIVIDE_REALS, to, x, assembler_vector(y));
    vector(g, VECTOR_REALS_TO_INTS, to, 0, assembler_vector(to));
    check_division(g, i, x, y);
}

static void int_remainder(native_generator *g, const bmf_scalar_instruction *i)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int x = converted(g, i->operand[0]), y = converted(g, i->operand[1]), to = native_define(g, i->value);
    vector(g, VECTOR_DIVIDE_REALS, to, x, assembler_vector(y));
    vector(g, VECTOR_REALS_TO_INTS, to, 0, assembler_vector(to));
    vector(g, VECTOR_MULTIPLY_WORDS, to, to, right);
    vector(g, VECTOR_SUBTRACT_WORDS, to, left, assembler_vector(to));
    check_division(g, i, x, y);
}

static void negate_int(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]), to = native_define(g, i->value), signs = native_vector(g);
    vector(g, VECTOR_XOR_WORDS, signs, signs, assembler_vector(signs));
    vector(g, VECTOR_SUBTRACT_WORDS, to, signs, assembler_vector(from));
    vector(g, VECTOR_AND_WORDS, signs, from, assembler_vector(to));
    fail_by_sign(g, i, signs);
}

static void absolute_int(native_generator *g, const bmf_scalar_instruction *i)
{
    unary(g, i, VECTOR_ABSOLUTE_WORDS);
    fail_by_sign(g, i, g->place[i->value].reg);
}

/* ---- reals ---- */

/* The processor's own extreme orders zeros, but of NaN and a number takes the number. */
static void extreme(native_generator *g, const bmf_scalar_instruction *i, int range)
{
    const int left = native_use(g, i->operand[0]);
    const bmf_assembler_operand right = native_right(g, i->operand[1]);
    const int to = native_define(g, i->value), mask = native_mask(g);
    vector_with(g, VECTOR_RANGE_REALS, to, left, right, range);
    vector_with(g, VECTOR_COMPARE_REALS, mask, left, right, COMPARE_UNORDERED);
    assemble_vector(&g->a, VECTOR_COPY_WORDS, to, 0, assembler_vector(g->nan), mask, false, NO_IMMEDIATE);
}

/* (a first b) second c, or c second (a first b). */
static void two(native_generator *g, const bmf_scalar_instruction *i, bmf_vector_instruction first,
                bmf_vector_instruction second, bool reversed)
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
    const int from = native_use(g, i->operand[0]), mask = native_mask(g), other = native_mask(g);
    vector(g, VECTOR_REALS_TO_INTS, native_define(g, i->value), 0, assembler_vector(from));
    vector_with(g, VECTOR_COMPARE_REALS, mask, from, real_constant(g, -0x1p63), COMPARE_NOT_AT_LEAST);
    vector_with(g, VECTOR_COMPARE_REALS, other, from, real_constant(g, 0x1p63), COMPARE_NOT_LESS);
    assemble_mask(&g->a, MASK_OR, mask, mask, other);
    fail_by_mask(g, i, mask);
}

/* ---- bools and choices ---- */

static void both(native_generator *g, const bmf_scalar_instruction *i, int operation)
{
    const int left = native_use(g, i->operand[0]), right = native_use(g, i->operand[1]);
    assemble_mask(&g->a, operation, native_define(g, i->value), left, right);
}

static void not(native_generator * g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]);
    assemble_mask_not(&g->a, native_define(g, i->value), from);
}

static void copy_mask(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]);
    assemble_mask(&g->a, MASK_AND, native_define(g, i->value), from, from);
}

/* The bits where the mask is set, 0 elsewhere. */
static void bool_to_word(native_generator *g, const bmf_scalar_instruction *i, uint64_t bits)
{
    const int mask = native_use(g, i->operand[0]);
    bmf_assembler_operand one = native_constant(g, bits);
    one.broadcast = false;
    assemble_vector(&g->a, VECTOR_BROADCAST_WORD, native_define(g, i->value), 0, one, mask, true, NO_IMMEDIATE);
}

static void select_word(native_generator *g, const bmf_scalar_instruction *i)
{
    const int mask = native_use(g, i->operand[0]), otherwise = native_use(g, i->operand[2]);
    const bmf_assembler_operand then = native_right(g, i->operand[1]);
    assemble_vector(&g->a, VECTOR_BLEND_WORDS, native_define(g, i->value), otherwise, then, mask, false, NO_IMMEDIATE);
}

static void select_mask(native_generator *g, const bmf_scalar_instruction *i)
{
    const int mask = native_use(g, i->operand[0]), then = native_use(g, i->operand[1]);
    const int otherwise = native_use(g, i->operand[2]), to = native_define(g, i->value), rest = native_mask(g);
    assemble_mask(&g->a, MASK_AND_NOT, rest, mask, otherwise);
    assemble_mask(&g->a, MASK_AND, to, mask, then);
    assemble_mask(&g->a, MASK_OR, to, to, rest);
}

static void copy_word(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = native_use(g, i->operand[0]);
    vector(g, VECTOR_COPY_WORDS, native_define(g, i->value), 0, assembler_vector(from));
}

/* ---- the table ---- */

static void select_int(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_ADD_INT:
        sum_or_difference(g, i, VECTOR_ADD_WORDS, SUM_OVERFLOWS);
        break;
    case BMF_SCALAR_SUBTRACT_INT:
        sum_or_difference(g, i, VECTOR_SUBTRACT_WORDS, DIFFERENCE_OVERFLOWS);
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
        binary(g, i, VECTOR_MAX_WORDS);
        break;
    case BMF_SCALAR_MIN_INT:
        binary(g, i, VECTOR_MIN_WORDS);
        break;
    case BMF_SCALAR_NEGATE_INT:
        negate_int(g, i);
        break;
    case BMF_SCALAR_ABSOLUTE_INT:
        absolute_int(g, i);
        break;
    case BMF_SCALAR_AND_INT:
        binary(g, i, VECTOR_AND_WORDS);
        break;
    case BMF_SCALAR_OR_INT:
        binary(g, i, VECTOR_OR_WORDS);
        break;
    case BMF_SCALAR_XOR_INT:
        binary(g, i, VECTOR_XOR_WORDS);
        break;
    case BMF_SCALAR_EQUAL_INT:
        compare(g, i, VECTOR_COMPARE_WORDS, COMPARE_WORDS_EQUAL);
        break;
    case BMF_SCALAR_LESS_INT:
        compare(g, i, VECTOR_COMPARE_WORDS, COMPARE_WORDS_LESS);
        break;
    default: /* at most */
        compare(g, i, VECTOR_COMPARE_WORDS, COMPARE_WORDS_AT_MOST);
    }
}

static void select_real(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_ADD_REAL:
        binary(g, i, VECTOR_ADD_REALS);
        break;
    case BMF_SCALAR_SUBTRACT_REAL:
        binary(g, i, VECTOR_SUBTRACT_REALS);
        break;
    case BMF_SCALAR_MULTIPLY_REAL:
        binary(g, i, VECTOR_MULTIPLY_REALS);
        break;
    case BMF_SCALAR_DIVIDE_REAL:
        binary(g, i, VECTOR_DIVIDE_REALS);
        break;
    case BMF_SCALAR_MAX_REAL:
        extreme(g, i, RANGE_MAX);
        break;
    case BMF_SCALAR_MIN_REAL:
        extreme(g, i, RANGE_MIN);
        break;
    case BMF_SCALAR_NEGATE_REAL:
        with_bits(g, i, VECTOR_XOR_WORDS, UINT64_C(1) << 63);
        break;
    case BMF_SCALAR_ABSOLUTE_REAL:
        with_bits(g, i, VECTOR_AND_WORDS, UINT64_MAX >> 1);
        break;
    case BMF_SCALAR_SQUARE_ROOT:
        unary(g, i, VECTOR_ROOT_REALS);
        break;
    case BMF_SCALAR_EQUAL_REAL:
        compare(g, i, VECTOR_COMPARE_REALS, COMPARE_EQUAL);
        break;
    case BMF_SCALAR_LESS_REAL:
        compare(g, i, VECTOR_COMPARE_REALS, COMPARE_LESS);
        break;
    default: /* at most */
        compare(g, i, VECTOR_COMPARE_REALS, COMPARE_AT_MOST);
    }
}

static void select_two(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_MULTIPLY_ADD:
        two(g, i, VECTOR_MULTIPLY_REALS, VECTOR_ADD_REALS, false);
        break;
    case BMF_SCALAR_MULTIPLY_SUBTRACT:
        two(g, i, VECTOR_MULTIPLY_REALS, VECTOR_SUBTRACT_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_PRODUCT:
        two(g, i, VECTOR_MULTIPLY_REALS, VECTOR_SUBTRACT_REALS, true);
        break;
    case BMF_SCALAR_ADD_ADD:
        two(g, i, VECTOR_ADD_REALS, VECTOR_ADD_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_ADD:
        two(g, i, VECTOR_SUBTRACT_REALS, VECTOR_ADD_REALS, false);
        break;
    case BMF_SCALAR_ADD_MULTIPLY:
        two(g, i, VECTOR_ADD_REALS, VECTOR_MULTIPLY_REALS, false);
        break;
    case BMF_SCALAR_SUBTRACT_MULTIPLY:
        two(g, i, VECTOR_SUBTRACT_REALS, VECTOR_MULTIPLY_REALS, false);
        break;
    default: /* multiply, multiply */
        two(g, i, VECTOR_MULTIPLY_REALS, VECTOR_MULTIPLY_REALS, false);
    }
}

static void select_other(native_generator *g, const bmf_scalar_instruction *i)
{
    switch (i->opcode) {
    case BMF_SCALAR_EQUAL_BOOL:
        both(g, i, MASK_XNOR);
        break;
    case BMF_SCALAR_AND:
        both(g, i, MASK_AND);
        break;
    case BMF_SCALAR_OR:
        both(g, i, MASK_OR);
        break;
    case BMF_SCALAR_NOT:
        not(g, i);
        break;
    case BMF_SCALAR_INT_TO_REAL:
        unary(g, i, VECTOR_INTS_TO_REALS);
        break;
    case BMF_SCALAR_REAL_TO_INT:
        real_to_int(g, i);
        break;
    case BMF_SCALAR_BOOL_TO_INT:
        bool_to_word(g, i, 1);
        break;
    case BMF_SCALAR_BOOL_TO_REAL:
        bool_to_word(g, i, bits_of(1.0));
        break;
    case BMF_SCALAR_SELECT_WORD:
        select_word(g, i);
        break;
    case BMF_SCALAR_SELECT_BYTE:
        select_mask(g, i);
        break;
    case BMF_SCALAR_COPY_WORD:
        copy_word(g, i);
        break;
    case BMF_SCALAR_COPY_BYTE:
        copy_mask(g, i);
        break;
    default: /* native_can keeps everything else out */
        abort();
    }
}

void native_avx512_select(native_generator *g, const bmf_scalar_instruction *i)
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
