/* Native code with AVX2: vectors of 4 words; everything but the operations themselves.
 *
 * A bool is a vector with all bits of a word or none. The last, incomplete vector has a mask in a register of its own;
 * as bytes its bools are read and written together with those before them, so that functions are called with 4
 * elements or more. Bits are written by the byte, from two vectors.
 * Registers: 11 count in whole vectors, later how many bits of four bytes are not of the last vector; ax, si and,
 * before the loop, 11 for anything. */
#include "skeletons/language/scalar/native_private.h"

enum { LANES = 4 };

/* Four words of ones and four of zeros: masks of the last vector; then all of four bits, as bytes of 0 or 1. */
static const uint64_t table[] = {UINT64_MAX,
                                 UINT64_MAX,
                                 UINT64_MAX,
                                 UINT64_MAX,
                                 0,
                                 0,
                                 0,
                                 0,
                                 UINT64_C(0x0000000100000000),
                                 UINT64_C(0x0000010100000100),
                                 UINT64_C(0x0001000100010000),
                                 UINT64_C(0x0001010100010100),
                                 UINT64_C(0x0100000101000000),
                                 UINT64_C(0x0100010101000100),
                                 UINT64_C(0x0101000101010000),
                                 UINT64_C(0x0101010101010100)};
enum { TABLE_WORDS = sizeof table / sizeof table[0], BYTES_AT = 2 * LANES * 8 };

static void begin(native_generator *g)
{
    (void)g;
}

/* ---- shorthands ---- */

static void vector(native_generator *g, bmf_vector_4_instruction instruction, int to, int left,
                   bmf_assembler_operand right)
{
    assemble_vector_4(&g->a, instruction, to, left, right, NO_IMMEDIATE);
}

static bmf_assembler_operand slot(int number)
{
    return assembler_memory(REGISTER_SP, number * SLOT);
}

/* A negative register is a slot (native_generator, sum). */
static void clear(native_generator *g, int reg)
{
    const int zero = reg < 0 ? native_vector(g) : reg;
    vector(g, VECTOR_4_XOR_WORDS, zero, zero, assembler_vector(zero));
    if (reg < 0) {
        vector(g, VECTOR_4_STORE_WORDS, zero, 0, slot(-1 - reg));
        native_release(g, zero);
    }
}

/* ---- loading ---- */

/* Words of 0 or 1 to no bits or all. */
static void widen_truth(native_generator *g, int reg)
{
    const int zero = native_vector(g);
    clear(g, zero);
    vector(g, VECTOR_4_SUBTRACT_WORDS, reg, zero, assembler_vector(reg));
    native_release(g, zero);
}

static void load_constant(native_generator *g, const native_place *p)
{
    if (!p->truth)
        vector(g, VECTOR_4_LOAD_WORDS, p->reg, 0, assembler_memory(REGISTER_DX, native_constant_at(g, p->constant)));
    else
        vector(g, g->constants[p->constant] ? VECTOR_4_EQUAL_WORDS : VECTOR_4_XOR_WORDS, p->reg, p->reg,
               assembler_vector(p->reg));
}

static void load_words(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->pointer);
    const bmf_assembler_operand from = assembler_indexed(base, REGISTER_CX, 3);
    if (p->uniform)
        vector(g, VECTOR_4_BROADCAST_WORD, p->reg, 0, assembler_memory(base, 0));
    else if (g->tail)
        vector(g, VECTOR_4_LOAD_SOME_WORDS, p->reg, g->tail_register, from);
    else
        vector(g, VECTOR_4_LOAD_WORDS, p->reg, 0, from);
}

/* si = how many elements the four bytes of the last vector begin before the counter. */
static void find_bytes_before(native_generator *g)
{
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_SI, REGISTER_11);
    assemble_shift_right(&g->a, REGISTER_SI, 3);
}

/* Whatever is not of the vector becomes false. */
static void load_last_truths(native_generator *g, int reg, int base)
{
    find_bytes_before(g);
    assemble_negate(&g->a, REGISTER_SI);
    assemble_general(&g->a, GENERAL_ADD, REGISTER_SI, REGISTER_CX);
    assemble_load_half(&g->a, REGISTER_SI, assembler_indexed(base, REGISTER_SI, 0));
    assemble_shift_right_by(&g->a, REGISTER_SI, REGISTER_SI, REGISTER_11);
    vector(g, VECTOR_4_FROM_GENERAL, reg, 0, assembler_vector(REGISTER_SI));
    vector(g, VECTOR_4_WIDEN_BYTES, reg, 0, assembler_vector(reg));
}

static void load_truths(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->pointer);
    if (p->uniform) {
        assemble_load_byte(&g->a, REGISTER_AX, base, 0);
        vector(g, VECTOR_4_FROM_GENERAL, p->reg, 0, assembler_vector(REGISTER_AX));
        vector(g, VECTOR_4_BROADCAST_WORD, p->reg, 0, assembler_vector(p->reg));
    } else if (g->tail) {
        load_last_truths(g, p->reg, base);
    } else {
        vector(g, VECTOR_4_WIDEN_BYTES, p->reg, 0, assembler_indexed(base, REGISTER_CX, 0));
    }
    widen_truth(g, p->reg);
}

static void load_input(native_generator *g, const native_place *p)
{
    if (p->truth)
        load_truths(g, p);
    else
        load_words(g, p);
}

static void load_slot(native_generator *g, const native_place *p)
{
    vector(g, VECTOR_4_LOAD_WORDS, p->reg, 0, slot(p->slot));
}

static void store_slot(native_generator *g, const native_place *p)
{
    vector(g, VECTOR_4_STORE_WORDS, p->reg, 0, slot(p->slot));
}

/* ---- results ---- */

static void signs(native_generator *g, int to, int reg)
{
    vector(g, VECTOR_4_SIGNS_TO_GENERAL, to, 0, assembler_vector(reg));
}

static void store_uniform(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->output);
    if (!p->truth) {
        vector(g, VECTOR_4_STORE_ONE_WORD, p->reg, 0, assembler_memory(base, 0));
        return;
    }
    signs(g, REGISTER_11, p->reg);
    assemble_and_constant(&g->a, REGISTER_11, 1);
    assemble_store_byte(&g->a, REGISTER_11, base, 0);
}

/* Four bytes that end with the last vector's: what was there before it stays. si holds the vector's. */
static void store_last_bytes(native_generator *g, int base)
{
    assemble_shift_left_by(&g->a, REGISTER_SI, REGISTER_SI, REGISTER_11);
    if (base != REGISTER_AX)
        assemble_general(&g->a, GENERAL_MOVE, REGISTER_AX, base);
    assemble_push(&g->a, REGISTER_DX);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_DX, REGISTER_11);
    assemble_shift_right(&g->a, REGISTER_DX, 3);
    assemble_general(&g->a, GENERAL_SUBTRACT, REGISTER_AX, REGISTER_DX);
    assemble_general(&g->a, GENERAL_ADD, REGISTER_AX, REGISTER_CX);
    assemble_load_half(&g->a, REGISTER_DX, assembler_memory(REGISTER_AX, 0));
    assemble_low_bits(&g->a, REGISTER_DX, REGISTER_DX, REGISTER_11);
    assemble_general(&g->a, GENERAL_ADD, REGISTER_SI, REGISTER_DX);
    assemble_store_half(&g->a, REGISTER_SI, assembler_memory(REGISTER_AX, 0));
    assemble_pop(&g->a, REGISTER_DX);
}

static void store_truths(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->output);
    signs(g, REGISTER_SI, p->reg);
    assemble_load_half(&g->a, REGISTER_SI, assembler_table(REGISTER_DX, REGISTER_SI, 2, BYTES_AT));
    if (g->tail)
        store_last_bytes(g, base);
    else
        assemble_store_half(&g->a, REGISTER_SI, assembler_indexed(base, REGISTER_CX, 0));
}

static void store_words(native_generator *g, const native_place *p)
{
    const bmf_assembler_operand to = assembler_indexed(native_pointer(g, p->output), REGISTER_CX, 3);
    if (g->tail)
        vector(g, VECTOR_4_STORE_SOME_WORDS, p->reg, g->tail_register, to);
    else
        vector(g, g->mode == BMF_NATIVE_STREAMED ? VECTOR_4_STREAM_WORDS : VECTOR_4_STORE_WORDS, p->reg, 0, to);
}

static void store_values(native_generator *g, const native_place *p)
{
    if (p->uniform)
        store_uniform(g, p);
    else if (p->truth)
        store_truths(g, p);
    else
        store_words(g, p);
}

/* The bools without elements that are not there. */
static int present(native_generator *g, int reg)
{
    if (!g->tail)
        return reg;
    const int there = native_vector(g);
    vector(g, VECTOR_4_AND_WORDS, there, reg, assembler_vector(g->tail_register));
    return there;
}

/* The first half of a byte is written, the second added. */
static void store_bits(native_generator *g, int output, int truths)
{
    const int base = native_pointer(g, output);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_SI, REGISTER_CX);
    assemble_shift_right(&g->a, REGISTER_SI, 3);
    assemble_general(&g->a, GENERAL_ADD, REGISTER_SI, base);
    signs(g, REGISTER_AX, truths);
    if (g->half == 0) {
        assemble_store_byte(&g->a, REGISTER_AX, REGISTER_SI, 0);
        return;
    }
    assemble_shift_left(&g->a, REGISTER_AX, LANES);
    assemble_or_byte(&g->a, REGISTER_AX, REGISTER_SI, 0);
}

/* True is -1. */
static void count(native_generator *g, int sum, int truths)
{
    const int reg = sum < 0 ? native_vector(g) : sum;
    if (sum < 0)
        vector(g, VECTOR_4_LOAD_WORDS, reg, 0, slot(-1 - sum));
    vector(g, VECTOR_4_SUBTRACT_WORDS, reg, reg, assembler_vector(truths));
    if (sum < 0) {
        vector(g, VECTOR_4_STORE_WORDS, reg, 0, slot(-1 - sum));
        native_release(g, reg);
    }
}

static void deliver(native_generator *g, int v)
{
    const native_place *p = &g->place[v];
    if (p->output < 0)
        return;
    if (g->mode == BMF_NATIVE_VALUES || g->mode == BMF_NATIVE_STREAMED) {
        store_values(g, p);
        return;
    }
    if (!p->truth)
        return;
    const int truths = present(g, p->reg);
    if (g->mode == BMF_NATIVE_BITS)
        store_bits(g, p->output, truths);
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++)
        if (g->s->output[k] == v)
            count(g, g->sum[k], truths);
}

/* ---- the loop ---- */

/* Elements of a turn, by vectors of which bits are halves of bytes. */
static int halves(const native_generator *g)
{
    return g->mode == BMF_NATIVE_BITS ? 2 : 1;
}

static void emit_vector(native_generator *g, int half)
{
    g->half = half;
    native_emit_vector(g);
}

/* The mask of the elements from the counter on, and what 11 is then. */
static void emit_tail_mask(native_generator *g)
{
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_AX, REGISTER_BP);
    assemble_general(&g->a, GENERAL_SUBTRACT, REGISTER_AX, REGISTER_CX);
    assemble_move_constant(&g->a, REGISTER_SI, LANES);
    assemble_min(&g->a, REGISTER_AX, REGISTER_SI);
    assemble_general(&g->a, GENERAL_SUBTRACT, REGISTER_SI, REGISTER_AX);
    vector(g, VECTOR_4_LOAD_WORDS, g->tail_register, 0, assembler_indexed(REGISTER_DX, REGISTER_SI, 3));
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_11, REGISTER_SI);
    assemble_shift_left(&g->a, REGISTER_11, 3);
}

/* A vector is not finite where it less itself is not 0. */
static void look(native_generator *g, int reg)
{
    const int difference = native_vector(g);
    vector(g, VECTOR_4_SUBTRACT_REALS, difference, reg, assembler_vector(reg));
    assemble_vector_4(&g->a, VECTOR_4_COMPARE_REALS, difference, difference, assembler_vector(difference),
                      COMPARE_UNORDERED);
    signs(g, REGISTER_AX, difference);
    assemble_and_constant(&g->a, REGISTER_AX, -1);
    assemble_jump_back(&g->a, JUMP_NOT_ZERO, g->unlikely);
    native_release(g, difference);
}

static void emit_loops(native_generator *g)
{
    int done[2];
    assemble_general(&g->a, GENERAL_XOR, REGISTER_CX, REGISTER_CX);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_11, REGISTER_BP);
    assemble_and_constant(&g->a, REGISTER_11, -LANES * halves(g));
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    const int none = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
    const int none_left = g->likely ? native_emit_unlikely(g) : none, top = g->a.bytes;
    g->likely_part = g->likely;
    for (int half = 0; half < halves(g); half++)
        emit_vector(g, half);
    g->likely_part = false;
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    assemble_jump_back(&g->a, JUMP_BELOW, top);
    assemble_here(&g->a, none);
    assemble_here(&g->a, none_left);
    g->tail = true;
    g->tail_register = native_reserve(g);
    for (int half = 0; half < halves(g); half++) {
        assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_BP);
        done[half] = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
        emit_tail_mask(g);
        emit_vector(g, half);
    }
    for (int half = 0; half < halves(g); half++)
        assemble_here(&g->a, done[half]);
}

/* Eight words each, of which four are 0. */
static void store_sums(native_generator *g)
{
    const int base = native_pointer(g, g->run->inputs), zero = native_vector(g), sum = native_vector(g);
    clear(g, zero);
    for (int k = 0; k < g->s->outputs; k++) {
        if (g->sum[k] < 0)
            vector(g, VECTOR_4_LOAD_WORDS, sum, 0, slot(-1 - g->sum[k]));
        vector(g, VECTOR_4_STORE_WORDS, g->sum[k] < 0 ? sum : g->sum[k], 0, assembler_memory(base, k * 2 * LANES * 8));
        vector(g, VECTOR_4_STORE_WORDS, zero, 0, assembler_memory(base, (2 * k + 1) * LANES * 8));
    }
}

static void emit_result(native_generator *g)
{
    signs(g, REGISTER_AX, g->failed);
}

const native_target native_avx2 = {.lanes = LANES,
                                   .vectors = 16,
                                   .spare = 6,
                                   .most = {6, 9}, /* a bool counted in a tail; int_remainder */
                                   .sums = 4,
                                   .operands = true,
                                   .min_count = LANES,
                                   .table = table,
                                   .table_words = TABLE_WORDS,
                                   .begin = begin,
                                   .load_constant = load_constant,
                                   .load_input = load_input,
                                   .load_slot = load_slot,
                                   .store_slot = store_slot,
                                   .clear = clear,
                                   .select = native_avx2_select,
                                   .look = look,
                                   .deliver = deliver,
                                   .loops = emit_loops,
                                   .store_sums = store_sums,
                                   .result = emit_result};
