/* From a run of scalar instructions to a function of native code.
 *
 * Method: what is the same for all elements is computed first and kept on the stack, the most used of it, and of the
 * constants, in registers. Then comes a loop over vectors, and the same once more for the last elements, whose loads
 * and stores are masked. The processor overlaps several vectors, so nothing is unrolled. What depends on the
 * instructions of the processor is in a target (native_avx512.c, native_avx2.c).
 * Registers: di pointers, dx constants, cx counter, bp count, sp stack; of the others native_pointer takes some.
 * Cost: time linear in the code, but for the looks ahead when registers run out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/executable.h"
#include "skeletons/language/scalar/native_private.h"

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
        g->place[v].truth = v == values || g->s->value[v].kind == BMF_BOOL;
        g->place[v].mask = g->place[v].truth && g->target->masks;
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

/* As many as leaves the others of the loop in registers most of the time, and room for every instruction: there is
 * always a register to take (native_registers.c). One is the tail's. */
static void pin(native_generator *g)
{
    const int room = g->target->vectors - g->target->most[g->run->fails] - 1;
    int spare = g->target->vectors - g->target->spare - pressure(g);
    spare = spare < room ? spare : room;
    if (g->run->fails) {
        g->failed = native_reserve(g);
        spare--;
    }
    if (has_extremes(g)) {
        g->nan = native_reserve(g);
        spare--;
    }
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++) {
        const bool fits = k < g->target->sums;
        g->sum[k] = fits ? native_reserve(g) : -1 - g->slots++;
        spare -= fits;
    }
    for (int v; spare > 0 && (v = most_used(g)) >= 0; spare--) {
        g->place[v].reg = native_reserve(g);
        g->place[v].pinned = true;
        g->vector[g->place[v].reg] = v;
    }
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

/* A choice takes its likely operand. */
static void emit_likely(native_generator *g, const bmf_scalar_instruction *i)
{
    const int from = i->operand[g->likely[g->at]];
    g->target->look(g, native_use(g, from));
    native_rename(g, from, i->value);
    g->target->deliver(g, i->value);
    native_end_instruction(g);
}

void native_emit_part(native_generator *g, bool uniform)
{
    g->uniform_part = uniform;
    for (g->at = 0; g->at < g->codes; g->at++) {
        const bmf_scalar_instruction *i = native_instruction(g, g->at), *join = native_joined(g);
        const int way = g->likely_part ? g->likely[g->at] : NATIVE_COMPUTED;
        if (g->place[i->value].uniform != uniform || way == NATIVE_LEFT_OUT)
            continue;
        if (way >= 0) {
            emit_likely(g, i);
            continue;
        }
        g->target->select(g, i);
        g->at += join ? 1 : 0;
        g->target->deliver(g, join ? join->value : i->value);
        native_end_instruction(g);
    }
}

void native_emit_vector(native_generator *g)
{
    native_emit_part(g, false);
    native_forget(g);
    assemble_add_constant(&g->a, REGISTER_CX, g->target->lanes);
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
        g->target->clear(g, g->failed);
    if (has_extremes(g))
        g->target->load_constant(g, &(native_place){.constant = nan, .reg = g->nan});
    for (int k = 0; g->mode == BMF_NATIVE_COUNTS && k < g->s->outputs; k++)
        g->target->clear(g, g->sum[k]);
    for (int v = 0; v < g->s->values; v++) {
        const native_place *p = &g->place[v];
        if (p->pinned && p->constant >= 0)
            g->target->load_constant(g, p);
        else if (p->pinned && p->pointer >= 0)
            g->target->load_input(g, p);
    }
    native_emit_part(g, true);
    g->at = -1;
    for (int v = 0; v < g->s->values; v++) {
        const native_place *p = &g->place[v];
        if (p->uniform && !p->pinned && p->constant < 0 && p->uses > 0)
            native_keep(g, v);
        native_end_instruction(g);
    }
    native_forget(g);
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
    emit_before_loop(g);
    g->target->loops(g);
    if (g->mode == BMF_NATIVE_COUNTS)
        g->target->store_sums(g);
    if (g->mode == BMF_NATIVE_STREAMED)
        assemble_bytes(&g->a, sizeof store_fence, store_fence);
    assemble_general(&g->a, GENERAL_XOR, REGISTER_AX, REGISTER_AX);
    if (g->run->fails)
        g->target->result(g);
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

/* The table, then the constants as operands in memory need them. */
static uint64_t *constants_of(const native_generator *g)
{
    const native_target *t = g->target;
    const int copies = t->broadcast ? 1 : t->lanes;
    uint64_t *made = allocate((t->table_words + copies * g->constant_count) * (int64_t)sizeof *made);
    if (t->table_words > 0)
        memcpy(made, t->table, (size_t)t->table_words * sizeof *made);
    for (int k = 0; k < g->constant_count * copies; k++)
        made[t->table_words + k] = g->constants[k / copies];
    return made;
}

static bmf_native_code *finished(native_generator *g, uint64_t uniform)
{
    bmf_native_code *code = allocate_clear(1, (int64_t)sizeof *code);
    code->mode = g->mode;
    code->uniform = uniform;
    code->bytes = g->a.bytes;
    code->constants = constants_of(g);
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
    native_generator g = {.target = native_instructions(),
                          .s = scalar,
                          .run = run,
                          .code = scalar->region[run->region].code + run->from,
                          .codes = run->to - run->from,
                          .mode = mode};
    memset(g.vector, 0xff, sizeof g.vector); /* all FREE */
    memset(g.mask, 0xff, sizeof g.mask);
    g.target->begin(&g);
    find_places(&g, uniform);
    if (g.target->look && (mode == BMF_NATIVE_VALUES || mode == BMF_NATIVE_STREAMED))
        native_find_likely(&g);
    pin(&g);
    emit_function(&g);
    bmf_native_code *code = finished(&g, uniform);
    free(g.constants);
    free(g.a.code);
    free(g.place);
    free(g.likely);
    return code;
}
