/* Native code with AVX-512: vectors of 8 words, bools as masks; everything but the operations themselves.
 *
 * Method: the loop's last, incomplete vector is masked; masks are also what bools become bytes, bits and counts with.
 * Registers: 11 count in whole vectors; ax, si and, outside of the loop, 11 for anything. */
#include "skeletons/language/scalar/native_private.h"

static const uint64_t eight_ones = UINT64_C(0x0101010101010101);

static void begin(native_generator *g)
{
    native_constant_number(g, eight_ones); /* followed by another constant, always: store_bools reads two */
    native_constant_number(g, 1);
}

/* ---- loading ---- */

/* An input: an array's element, or the one value. */
static void load_vector(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->pointer);
    if (p->uniform)
        assemble_vector(&g->a, VECTOR_BROADCAST_WORD, p->reg, 0, assembler_memory(base, 0), 0, false, NO_IMMEDIATE);
    else
        assemble_vector(&g->a, VECTOR_LOAD_WORDS, p->reg, 0, assembler_indexed(base, REGISTER_CX, 3),
                        g->tail ? TAIL_MASK : 0, g->tail, NO_IMMEDIATE);
}

static void load_mask(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->pointer);
    if (p->uniform) { /* all bits or none */
        assemble_load_byte(&g->a, REGISTER_AX, base, 0);
        assemble_negate(&g->a, REGISTER_AX);
        assemble_mask_from_general(&g->a, p->reg, REGISTER_AX);
        return;
    }
    const int wide = native_vector(g);
    assemble_vector(&g->a, VECTOR_WIDEN_BYTES, wide, 0, assembler_indexed(base, REGISTER_CX, 0),
                    g->tail ? TAIL_MASK : 0, g->tail, NO_IMMEDIATE);
    assemble_vector(&g->a, VECTOR_TEST_WORDS, p->reg, wide, assembler_vector(wide), 0, false, NO_IMMEDIATE);
}

static void load_constant(native_generator *g, const native_place *p)
{
    if (!p->mask) {
        assemble_vector(&g->a, VECTOR_BROADCAST_WORD, p->reg, 0,
                        assembler_memory(REGISTER_DX, native_constant_at(g, p->constant)), 0, false, NO_IMMEDIATE);
        return;
    }
    assemble_move_constant(&g->a, REGISTER_AX, g->constants[p->constant] ? -1 : 0);
    assemble_mask_from_general(&g->a, p->reg, REGISTER_AX);
}

static void load_input(native_generator *g, const native_place *p)
{
    if (p->mask)
        load_mask(g, p);
    else
        load_vector(g, p);
}

static void load_slot(native_generator *g, const native_place *p)
{
    if (p->mask)
        assemble_mask_load(&g->a, p->reg, REGISTER_SP, p->slot * SLOT);
    else
        assemble_vector(&g->a, VECTOR_LOAD_WORDS, p->reg, 0, assembler_memory(REGISTER_SP, p->slot * SLOT), 0, false,
                        NO_IMMEDIATE);
}

static void store_slot(native_generator *g, const native_place *p)
{
    if (p->mask)
        assemble_mask_store(&g->a, p->reg, REGISTER_SP, p->slot * SLOT);
    else
        assemble_vector(&g->a, VECTOR_STORE_WORDS, p->reg, 0, assembler_memory(REGISTER_SP, p->slot * SLOT), 0, false,
                        NO_IMMEDIATE);
}

static void clear_vector(native_generator *g, int reg)
{
    assemble_vector(&g->a, VECTOR_XOR_WORDS, reg, reg, assembler_vector(reg), 0, false, NO_IMMEDIATE);
}

/* ---- results ---- */

/* One byte of 0 or 1 an element. */
static void store_bools(native_generator *g, const native_place *p)
{
    const int bytes = native_vector(g), ones = native_constant_at(g, native_constant_number(g, eight_ones));
    const bmf_assembler_operand to = assembler_indexed(native_pointer(g, p->output), REGISTER_CX, 0);
    /* of 16 bytes the first 8 matter; what is read behind them is masked out or not, but there */
    assemble_vector(&g->a, VECTOR_LOAD_BYTES, bytes, 0, assembler_memory(REGISTER_DX, ones), p->reg, true,
                    NO_IMMEDIATE);
    assemble_vector(&g->a, g->tail ? VECTOR_STORE_BYTES : VECTOR_STORE_EIGHT_BYTES, bytes, 0, to,
                    g->tail ? TAIL_MASK : 0, false, NO_IMMEDIATE);
}

static void store_uniform(native_generator *g, const native_place *p)
{
    const int base = native_pointer(g, p->output);
    if (!p->mask) {
        assemble_vector(&g->a, VECTOR_STORE_EIGHT_BYTES, p->reg, 0, assembler_memory(base, 0), 0, false, NO_IMMEDIATE);
        return;
    }
    assemble_mask_to_general(&g->a, REGISTER_11, p->reg);
    assemble_and_constant(&g->a, REGISTER_11, 1);
    assemble_store_byte(&g->a, REGISTER_11, base, 0);
}

static void store_values(native_generator *g, const native_place *p)
{
    if (p->uniform)
        store_uniform(g, p);
    else if (p->mask)
        store_bools(g, p);
    else
        assemble_vector(&g->a, g->mode == BMF_NATIVE_STREAMED && !g->tail ? VECTOR_STREAM_WORDS : VECTOR_STORE_WORDS,
                        p->reg, 0, assembler_indexed(native_pointer(g, p->output), REGISTER_CX, 3),
                        g->tail ? TAIL_MASK : 0, false, NO_IMMEDIATE);
}

/* The mask without elements that are not there. */
static int present(native_generator *g, int mask)
{
    if (!g->tail)
        return mask;
    const int there = native_mask(g);
    assemble_mask(&g->a, MASK_AND, there, mask, TAIL_MASK);
    return there;
}

static void store_bits(native_generator *g, int output, int mask)
{
    const int base = native_pointer(g, output);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_SI, REGISTER_CX);
    assemble_shift_right(&g->a, REGISTER_SI, 3);
    assemble_general(&g->a, GENERAL_ADD, REGISTER_SI, base);
    assemble_mask_store_byte(&g->a, mask, REGISTER_SI, 0);
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
    if (!p->mask)
        return;
    const int mask = present(g, p->reg);
    if (g->mode == BMF_NATIVE_BITS)
        store_bits(g, p->output, mask);
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++)
        if (g->s->output[k] == v)
            assemble_vector(&g->a, VECTOR_ADD_WORDS, g->sum[k], g->sum[k], native_constant(g, 1), mask, false,
                            NO_IMMEDIATE);
}

/* ---- the loop ---- */

/* Bits of TAIL_MASK: the elements from the counter on. */
static void emit_tail_mask(native_generator *g)
{
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_AX, REGISTER_BP);
    assemble_general(&g->a, GENERAL_SUBTRACT, REGISTER_AX, REGISTER_CX);
    assemble_move_constant(&g->a, REGISTER_11, -1);
    assemble_low_bits(&g->a, REGISTER_11, REGISTER_11, REGISTER_AX);
    assemble_mask_from_general(&g->a, TAIL_MASK, REGISTER_11);
}

/* A vector is not finite where it less itself is not 0. */
static void look(native_generator *g, int reg)
{
    const int difference = native_vector(g), mask = native_mask(g);
    assemble_vector(&g->a, VECTOR_SUBTRACT_REALS, difference, reg, assembler_vector(reg), 0, false, NO_IMMEDIATE);
    assemble_vector(&g->a, VECTOR_COMPARE_REALS, mask, difference, assembler_vector(difference), 0, false,
                    COMPARE_UNORDERED);
    assemble_mask_to_general(&g->a, REGISTER_AX, mask);
    assemble_and_constant(&g->a, REGISTER_AX, -1);
    assemble_jump_back(&g->a, JUMP_NOT_ZERO, g->unlikely);
    native_release(g, difference);
}

static void emit_loops(native_generator *g)
{
    assemble_general(&g->a, GENERAL_XOR, REGISTER_CX, REGISTER_CX);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_11, REGISTER_BP);
    assemble_and_constant(&g->a, REGISTER_11, -8);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    const int none = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
    const int none_left = g->likely ? native_emit_unlikely(g) : none, top = g->a.bytes;
    g->likely_part = g->likely;
    native_emit_vector(g);
    g->likely_part = false;
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    assemble_jump_back(&g->a, JUMP_BELOW, top);
    assemble_here(&g->a, none);
    assemble_here(&g->a, none_left);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_BP);
    const int done = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
    emit_tail_mask(g);
    g->tail = true;
    native_emit_part(g, false);
    assemble_here(&g->a, done);
}

static void emit_sums(native_generator *g)
{
    const int base = native_pointer(g, g->run->inputs);
    for (int k = 0; k < g->s->outputs; k++)
        assemble_vector(&g->a, VECTOR_STORE_WORDS, g->sum[k], 0, assembler_memory(base, k * SLOT), 0, false,
                        NO_IMMEDIATE);
}

static void emit_result(native_generator *g)
{
    assemble_vector(&g->a, VECTOR_SIGNS_TO_MASK, FIRST_MASK, 0, assembler_vector(g->failed), 0, false, NO_IMMEDIATE);
    assemble_mask_to_general(&g->a, REGISTER_AX, FIRST_MASK);
}

const native_target native_avx512 = {.lanes = 8,
                                     .vectors = 32,
                                     .spare = 6,
                                     .most = {5, 7},
                                     .sums = BMF_NATIVE_COUNTS_MAX,
                                     .masks = true,
                                     .broadcast = true,
                                     .operands = true,
                                     .min_count = 1,
                                     .begin = begin,
                                     .load_constant = load_constant,
                                     .load_input = load_input,
                                     .load_slot = load_slot,
                                     .store_slot = store_slot,
                                     .clear = clear_vector,
                                     .select = native_avx512_select,
                                     .look = look,
                                     .deliver = deliver,
                                     .loops = emit_loops,
                                     .store_sums = emit_sums,
                                     .result = emit_result};
