/* From a run of scalar instructions to a function of native code.
 *
 * Method: what is the same for all elements is computed first and kept on the stack, the most used of it, and of the
 * constants, in registers. Then comes a loop over vectors of 8 elements, and the same once more for the last ones,
 * whose loads and stores are masked. The processor overlaps several vectors, so nothing is unrolled.
 * Cost: time linear in the code, but for the looks ahead when registers run out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/executable.h"
#include "skeletons/language/scalar/native_private.h"

/* Vector registers that an instruction takes besides those of its operands. */
enum { SPARE_VECTORS = 6 };
static const uint64_t eight_ones = UINT64_C(0x0101010101010101);

/* ---- what is known of values ---- */

/* Constants are found by their bits, bools among them: 0 and 1. */
static void place_constant(native_generator *g, int v)
{
    g->place[v].constant = native_constant_number(g, g->s->value[v].bits);
    g->place[v].uniform = true;
}

static void clear_places(native_generator *g)
{
    const int values = g->s->values;
    g->place = allocate_clear(values + 1, (int64_t)sizeof *g->place);
    for (int v = 0; v <= values; v++) {
        g->place[v] = (native_place){.constant = -1, .reg = -1, .slot = -1, .pointer = -1, .output = -1, .last = -1};
        g->place[v].mask = v == values || g->s->value[v].kind == BMF_BOOL;
    }
}

static void note_use(native_generator *g, int v, int at, bool varies)
{
    if (v < 0)
        return;
    if (g->s->value[v].origin == BMF_SCALAR_CONSTANT && g->place[v].constant < 0)
        place_constant(g, v);
    g->place[v].last = at;
    g->place[v].uses += varies;
}

/* Uniform is what is computed from uniform values only, unless whether it fails depends on the element. */
static bool is_uniform(const native_generator *g, const bmf_scalar_instruction *i)
{
    const bool fails = scalar_operations[i->opcode].fails;
    bool uniform = !(fails && g->run->alive) && (i->guard < 0 || g->place[i->guard].uniform);
    for (int k = 0; k < 3; k++)
        uniform =
            uniform && (g->place[i->operand[k]].uniform || g->s->value[i->operand[k]].origin == BMF_SCALAR_CONSTANT);
    return uniform;
}

static void find_places(native_generator *g, uint64_t uniform)
{
    const bmf_native_run *run = g->run;
    int pointer = 0;
    clear_places(g);
    for (int k = 0; k < run->inputs; k++) {
        g->place[run->input[k]].pointer = pointer++;
        g->place[run->input[k]].uniform = uniform >> k & 1;
    }
    if (run->alive) {
        g->place[native_alive(g)].pointer = pointer++;
        g->place[native_alive(g)].last = g->codes - 1;
    }
    for (int k = 0; k < run->outputs; k++)
        g->place[run->output[k]].output = pointer++;
    for (int k = 0; k < g->codes; k++) {
        const bmf_scalar_instruction *i = native_instruction(g, k);
        const bool same = is_uniform(g, i);
        for (int o = 0; o < scalar_operations[i->opcode].operands; o++)
            note_use(g, i->operand[o], k, !same);
        note_use(g, i->guard, k, !same);
        g->place[i->value].uniform = same;
    }
}

/* ---- pinned registers ---- */

/* The most values of the loop that are in vectors at a time. */
static int pressure(const native_generator *g)
{
    int *change = allocate_clear(g->codes + 2, (int64_t)sizeof *change), live = 0, most = 0;
    for (int k = 0; k < g->codes; k++) {
        const bmf_scalar_instruction *i = native_instruction(g, k);
        for (int o = 0; o < 3; o++) { /* inputs live from their first use on */
            native_place *p = &g->place[i->operand[o]];
            if (p->pointer < 0 || p->uniform || p->mask || p->uses == 0)
                continue;
            change[k]++;
            change[p->last + 1]--;
            p->uses = 0; /* counted once */
        }
        const native_place *to = &g->place[i->value];
        if (!to->uniform && !to->mask) {
            change[k]++;
            change[(to->last > k ? to->last : k) + 1]--;
        }
    }
    for (int k = 0; k < g->codes; k++) {
        live += change[k];
        most = live > most ? live : most;
    }
    free(change);
    return most;
}

static bool has_extremes(const native_generator *g)
{
    bool found = false;
    for (int k = 0; k < g->codes; k++) {
        const bmf_scalar_opcode opcode = native_instruction(g, k)->opcode;
        found = found || opcode == BMF_SCALAR_MAX_REAL || opcode == BMF_SCALAR_MIN_REAL;
    }
    return found;
}

/* Reserves a register that stays. */
static int reserve(native_generator *g)
{
    const int reg = native_vector(g);
    g->locked[0] = 0;
    return reg;
}

static int most_used(const native_generator *g)
{
    int best = -1, uses = 0;
    for (int v = 0; v < g->s->values; v++) {
        const native_place *p = &g->place[v];
        if (p->uniform && !p->mask && !p->pinned && p->uses > uses) {
            best = v;
            uses = p->uses;
        }
    }
    return best;
}

static void pin(native_generator *g)
{
    int spare = VECTORS - SPARE_VECTORS - pressure(g);
    if (g->run->fails) {
        g->failed = reserve(g);
        spare--;
    }
    if (has_extremes(g)) {
        g->nan = reserve(g);
        spare--;
    }
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++, spare--)
        g->sum[k] = reserve(g);
    for (int v; spare > 0 && (v = most_used(g)) >= 0; spare--) {
        g->place[v].reg = reserve(g);
        g->place[v].pinned = true;
        g->vector[g->place[v].reg] = v;
    }
}

/* ---- results ---- */

/* One byte of 0 or 1 an element. */
static void store_bools(native_generator *g, const native_place *p)
{
    const int bytes = native_vector(g), ones = native_constant_number(g, eight_ones) * (int)sizeof eight_ones;
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

/* ---- the function ---- */

static bool compares(bmf_scalar_opcode opcode)
{
    return (opcode >= BMF_SCALAR_EQUAL_INT && opcode <= BMF_SCALAR_AT_MOST_INT) ||
           (opcode >= BMF_SCALAR_EQUAL_REAL && opcode <= BMF_SCALAR_AT_MOST_REAL);
}

const bmf_scalar_instruction *native_joined(const native_generator *g)
{
    const bmf_scalar_instruction *i = native_instruction(g, g->at);
    const native_place *p = &g->place[i->value];
    if (!compares(i->opcode) || p->uniform || p->output >= 0 || p->last != g->at + 1 || p->uses != 1)
        return NULL;
    const bmf_scalar_instruction *next = native_instruction(g, g->at + 1);
    return next->opcode == BMF_SCALAR_AND ? next : NULL;
}

static void emit_part(native_generator *g, bool uniform)
{
    g->uniform_part = uniform;
    for (g->at = 0; g->at < g->codes; g->at++) {
        const bmf_scalar_instruction *i = native_instruction(g, g->at), *join = native_joined(g);
        if (g->place[i->value].uniform != uniform)
            continue;
        native_select(g, i);
        g->at += join ? 1 : 0;
        deliver(g, join ? join->value : i->value);
        native_end_instruction(g);
    }
}

static void clear_vector(native_generator *g, int reg)
{
    assemble_vector(&g->a, VECTOR_XOR_WORDS, reg, reg, assembler_vector(reg), 0, false, NO_IMMEDIATE);
}

static uint64_t bits_of_nan(void)
{
    const double nan = (double)NAN;
    uint64_t bits;
    memcpy(&bits, &nan, sizeof bits);
    return bits;
}

/* What is pinned is loaded or, like everything else that the loop uses, computed and kept. */
static void emit_before_loop(native_generator *g)
{
    const int nan = native_constant_number(g, bits_of_nan());
    if (g->run->fails)
        clear_vector(g, g->failed);
    if (has_extremes(g))
        assemble_vector(&g->a, VECTOR_BROADCAST_WORD, g->nan, 0,
                        assembler_memory(REGISTER_DX, nan * (int)sizeof(uint64_t)), 0, false, NO_IMMEDIATE);
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++)
        clear_vector(g, g->sum[k]);
    for (int v = 0; v < g->s->values; v++) {
        const native_place *p = &g->place[v];
        if (p->pinned && p->constant >= 0)
            assemble_vector(&g->a, VECTOR_BROADCAST_WORD, p->reg, 0,
                            assembler_memory(REGISTER_DX, p->constant * (int)sizeof(uint64_t)), 0, false, NO_IMMEDIATE);
        else if (p->pinned && p->pointer >= 0)
            assemble_vector(&g->a, VECTOR_BROADCAST_WORD, p->reg, 0, assembler_memory(native_pointer(g, p->pointer), 0),
                            0, false, NO_IMMEDIATE);
    }
    emit_part(g, true);
    g->at = -1;
    for (int v = 0; v < g->s->values; v++) {
        const native_place *p = &g->place[v];
        if (p->uniform && !p->pinned && p->constant < 0 && p->uses > 0)
            native_keep(g, v);
        native_end_instruction(g);
    }
    native_forget(g);
}

/* Bits of TAIL_MASK: the elements from the counter on. */
static void emit_tail_mask(native_generator *g)
{
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_AX, REGISTER_BP);
    assemble_general(&g->a, GENERAL_SUBTRACT, REGISTER_AX, REGISTER_CX);
    assemble_move_constant(&g->a, REGISTER_11, -1);
    assemble_low_bits(&g->a, REGISTER_11, REGISTER_11, REGISTER_AX);
    assemble_mask_from_general(&g->a, TAIL_MASK, REGISTER_11);
}

/* Registers: di pointers, dx constants, cx counter, bp count, 11 count in whole vectors; ax, si and, outside of the
 * loop, 11 for anything. */
static void emit_loops(native_generator *g)
{
    emit_before_loop(g);
    assemble_general(&g->a, GENERAL_XOR, REGISTER_CX, REGISTER_CX);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_11, REGISTER_BP);
    assemble_and_constant(&g->a, REGISTER_11, -8);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    const int none = assemble_jump_forward(&g->a, JUMP_NOT_BELOW), top = g->a.bytes;
    emit_part(g, false);
    assemble_add_constant(&g->a, REGISTER_CX, 8);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    assemble_jump_back(&g->a, JUMP_BELOW, top);
    assemble_here(&g->a, none);
    native_forget(g);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_BP);
    const int done = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
    emit_tail_mask(g);
    g->tail = true;
    emit_part(g, false);
    assemble_here(&g->a, done);
}

static void emit_sums(native_generator *g)
{
    const int base = native_pointer(g, g->run->inputs);
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++)
        assemble_vector(&g->a, VECTOR_STORE_WORDS, g->sum[k], 0, assembler_memory(base, k * SLOT), 0, false,
                        NO_IMMEDIATE);
}

static void emit_result(native_generator *g)
{
    assemble_general(&g->a, GENERAL_XOR, REGISTER_AX, REGISTER_AX);
    if (!g->run->fails)
        return;
    assemble_vector(&g->a, VECTOR_SIGNS_TO_MASK, FIRST_MASK, 0, assembler_vector(g->failed), 0, false, NO_IMMEDIATE);
    assemble_mask_to_general(&g->a, REGISTER_AX, FIRST_MASK);
}

static const int saved[] = {REGISTER_BX, REGISTER_BP, 12, 13, 14, REGISTER_15};
enum { SAVED = sizeof saved / sizeof saved[0] };

/* The stack is aligned to slots; its old place is on top of them. */
static void emit_function(native_generator *g)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, store_fence[] = {0x0f, 0xae, 0xf8};
    static const uint8_t wide_zero[] = {0xc5, 0xf8, 0x77};
    static const uint8_t frame[] = {0x48, 0x89, 0xe0, 0x48, 0x81, 0xec, 0, 0, 0, 0}; /* mov rax, rsp; sub rsp, .. */
    static const uint8_t keep_stack[] = {0x48, 0x89, 0x84, 0x24};                    /* mov [rsp + ..], rax */
    static const uint8_t old_stack[] = {0x48, 0x8b, 0xa4, 0x24};                     /* mov rsp, [rsp + ..] */
    const int pointers = g->run->inputs + g->run->alive + (g->mode == BMF_NATIVE_COUNTS ? 1 : g->run->outputs);
    assemble_bytes(&g->a, sizeof landing, landing);
    for (int k = 0; k < SAVED; k++)
        assemble_push(&g->a, saved[k]);
    assemble_bytes(&g->a, sizeof frame, frame);
    const int size_at = g->a.bytes;
    assemble_and_constant(&g->a, REGISTER_SP, -SLOT);
    assemble_bytes(&g->a, sizeof keep_stack, keep_stack);
    assemble_bytes(&g->a, 4, (const uint8_t[4]){0});
    const int kept_at = g->a.bytes;
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_BP, REGISTER_SI);
    native_load_pointers(g, pointers);
    emit_loops(g);
    emit_sums(g);
    if (g->mode == BMF_NATIVE_STREAMED)
        assemble_bytes(&g->a, sizeof store_fence, store_fence);
    emit_result(g);
    assemble_bytes(&g->a, sizeof old_stack, old_stack);
    assemble_bytes(&g->a, 4, (const uint8_t[4]){0});
    const int top = g->slots * SLOT, size = top + 2 * SLOT;
    memcpy(g->a.code + size_at - 4, &size, sizeof size);
    memcpy(g->a.code + kept_at - 4, &top, sizeof top);
    memcpy(g->a.code + g->a.bytes - 4, &top, sizeof top);
    for (int k = SAVED - 1; k >= 0; k--)
        assemble_pop(&g->a, saved[k]);
    assemble_bytes(&g->a, sizeof wide_zero, wide_zero); /* vzeroupper */
    assemble_bytes(&g->a, 1, &(uint8_t){0xc3});
}

/* ---- what remains of it ---- */

static bmf_native_code *finished(native_generator *g, uint64_t uniform)
{
    bmf_native_code *code = allocate_clear(1, (int64_t)sizeof *code);
    code->mode = g->mode;
    code->uniform = uniform;
    code->bytes = g->a.bytes;
    code->constants = g->constants;
    code->output_uniform = allocate_clear(g->run->outputs + 1, (int64_t)sizeof *code->output_uniform);
    for (int k = 0; k < g->run->outputs; k++)
        code->output_uniform[k] = g->place[g->run->output[k]].uniform;
    void *memory = executable_create(g->a.code, g->a.bytes);
    memcpy(&code->function, &memory, sizeof memory); /* ISO C knows no way from data to functions */
    return code;
}

bmf_native_code *native_generate(const bmf_scalar *scalar, const bmf_native_run *run, bmf_native_mode mode,
                                 uint64_t uniform)
{
    native_generator g = {.s = scalar,
                          .run = run,
                          .code = scalar->region[run->region].code + run->from,
                          .codes = run->to - run->from,
                          .mode = mode};
    memset(g.vector, 0xff, sizeof g.vector); /* all FREE */
    memset(g.mask, 0xff, sizeof g.mask);
    native_constant_number(&g, eight_ones); /* followed by another constant, always: store_bools reads two */
    native_constant_number(&g, 1);
    find_places(&g, uniform);
    pin(&g);
    emit_function(&g);
    bmf_native_code *code = finished(&g, uniform);
    free(g.a.code);
    free(g.place);
    return code;
}
