/* Registers of native code.
 *
 * Method: the code is straight, so that a register is taken from the value whose next use is farthest away (Belady,
 * "A study of replacement algorithms for a virtual-storage computer", 1966). What it held goes to the stack, once;
 * constants and values that are the same for all elements are in memory already. Inputs are read when they are used
 * first, and from then on like other values: an output may stand where an input did.
 * Cost: one look at the code behind it for each register that is taken away. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/native_private.h"

static void lock(native_generator *g, bool mask, int reg)
{
    g->locked[mask] |= UINT32_C(1) << reg;
}

static bool is_locked(const native_generator *g, bool mask, int reg)
{
    return g->locked[mask] >> reg & 1U;
}

/* ---- memory ---- */

int native_constant_number(native_generator *g, uint64_t bits)
{
    for (int k = 0; k < g->constant_count; k++)
        if (g->constants[k] == bits)
            return k;
    *(uint64_t *)scalar_append((void **)&g->constants, &g->constant_count, &g->constant_capacity,
                               (int64_t)sizeof *g->constants) = bits;
    return g->constant_count - 1;
}

int native_constant_at(const native_generator *g, int number)
{
    const int copies = g->target->broadcast ? 1 : g->target->lanes;
    return (g->target->table_words + copies * number) * (int)sizeof(uint64_t);
}

/* One word for all elements, as operands in memory have it. */
static bmf_assembler_operand same_for_all(const native_generator *g, int base, int displacement)
{
    return g->target->broadcast ? assembler_broadcast(base, displacement) : assembler_memory(base, displacement);
}

bmf_assembler_operand native_constant(native_generator *g, uint64_t bits)
{
    return same_for_all(g, REGISTER_DX, native_constant_at(g, native_constant_number(g, bits)));
}

/* Registers that hold pointers all the time; others are read when they are needed. */
static const int pointer_register[] = {8, 9, 10, REGISTER_BX, 12, 13, 14, 15};
enum { POINTER_REGISTERS = sizeof pointer_register / sizeof pointer_register[0] };

void native_load_pointers(native_generator *g, int pointers)
{
    for (int k = 0; k < pointers && k < POINTER_REGISTERS; k++)
        assemble_load(&g->a, pointer_register[k], REGISTER_DI, k * 8);
}

int native_pointer(native_generator *g, int pointer)
{
    if (pointer < POINTER_REGISTERS)
        return pointer_register[pointer];
    assemble_load(&g->a, REGISTER_AX, REGISTER_DI, pointer * 8);
    return REGISTER_AX;
}

static void store(native_generator *g, native_place *p)
{
    if (p->slot < 0)
        p->slot = g->slots++;
    g->target->store_slot(g, p);
}

void native_keep(native_generator *g, int v)
{
    native_use(g, v);
    store(g, &g->place[v]);
}

/* ---- taking registers ---- */

static bool is_used(const native_generator *g, int k, int v)
{
    const bmf_scalar_instruction *i = native_instruction(g, k);
    const int way = g->likely_part ? g->likely[k] : NATIVE_COMPUTED;
    if (way != NATIVE_COMPUTED)
        return way >= 0 && i->operand[way] == v;
    return i->operand[0] == v || i->operand[1] == v || i->operand[2] == v || i->guard == v;
}

static int next_use(const native_generator *g, int v)
{
    for (int k = g->at + 1; k <= g->place[v].last; k++)
        if (is_used(g, k, v))
            return k;
    return g->codes;
}

static void take_away(native_generator *g, int v)
{
    native_place *p = &g->place[v];
    if (p->slot < 0 && p->constant < 0)
        store(g, p);
    p->reg = -1;
}

/* How far away the next use of what a register holds is; -1: it must not be taken. */
static int farness(const native_generator *g, bool mask, int reg, int held)
{
    if (held == FREE)
        return g->codes + 1;
    return held == TAKEN || is_locked(g, mask, reg) || g->place[held].pinned ? -1 : next_use(g, held);
}

static int take(native_generator *g, bool mask, int holds)
{
    int *held = mask ? g->mask : g->vector, best = -1, farthest = -1;
    const int first = mask ? FIRST_MASK : 0, end = mask ? TAIL_MASK : g->target->vectors;
    for (int r = first; r < end && farthest <= g->codes; r++) {
        const int next = farness(g, mask, r, held[r]);
        if (next > farthest) {
            farthest = next;
            best = r;
        }
    }
    if (best < 0)
        abort(); /* an instruction uses fewer registers than there are */
    if (held[best] != FREE)
        take_away(g, held[best]);
    held[best] = holds;
    lock(g, mask, best);
    return best;
}

int native_vector(native_generator *g)
{
    return take(g, false, TAKEN);
}

int native_mask(native_generator *g)
{
    return take(g, true, TAKEN);
}

void native_release(native_generator *g, int reg)
{
    g->vector[reg] = FREE;
    g->locked[0] &= ~(UINT32_C(1) << reg);
}

int native_reserve(native_generator *g)
{
    const int reg = native_vector(g);
    g->locked[0] = 0;
    return reg;
}

int native_define(native_generator *g, int v)
{
    native_place *p = &g->place[v];
    if (!p->pinned)
        p->reg = take(g, p->mask, v);
    return p->reg;
}

/* ---- loading ---- */

int native_use(native_generator *g, int v)
{
    native_place *p = &g->place[v];
    if (p->reg >= 0) {
        lock(g, p->mask, p->reg);
        return p->reg;
    }
    p->reg = take(g, p->mask, v);
    if (p->constant >= 0)
        g->target->load_constant(g, p);
    else if (p->slot >= 0)
        g->target->load_slot(g, p);
    else
        g->target->load_input(g, p);
    return p->reg;
}

void native_rename(native_generator *g, int from, int to)
{
    native_place *p = &g->place[from];
    g->vector[p->reg] = to;
    g->place[to].reg = p->reg;
    p->reg = -1;
}

/* Words of an input that are in no register, a whole vector of them, whose address stays in one. */
static bool is_whole_input(const native_generator *g, const native_place *p)
{
    return p->reg < 0 && p->slot < 0 && p->pointer >= 0 && p->pointer < POINTER_REGISTERS && !p->uniform && !p->truth &&
           !g->tail;
}

bmf_assembler_operand native_right(native_generator *g, int v)
{
    const native_place *p = &g->place[v];
    if (p->reg < 0 && p->constant >= 0 && !p->truth)
        return same_for_all(g, REGISTER_DX, native_constant_at(g, p->constant));
    if (p->reg < 0 && p->uniform && p->slot >= 0)
        return same_for_all(g, REGISTER_SP, p->slot * SLOT);
    if (g->target->operands && is_whole_input(g, p) && next_use(g, v) == g->codes)
        return assembler_indexed(native_pointer(g, p->pointer), REGISTER_CX, 3);
    return assembler_vector(native_use(g, v));
}

/* ---- giving registers back ---- */

/* In the part before the loop nothing is given back before it ends: the loop may need it. */
static void give_back(native_generator *g, bool mask, int count, int *held)
{
    for (int r = 0; r < count; r++) {
        if (held[r] == FREE)
            continue;
        if (held[r] == TAKEN) {
            if (is_locked(g, mask, r))
                held[r] = FREE;
        } else if (!g->place[held[r]].pinned && g->place[held[r]].last <= g->at && !g->uniform_part) {
            g->place[held[r]].reg = -1;
            held[r] = FREE;
        }
    }
}

void native_end_instruction(native_generator *g)
{
    give_back(g, false, g->target->vectors, g->vector);
    give_back(g, true, TAIL_MASK, g->mask);
    g->locked[0] = g->locked[1] = 0;
}

void native_forget(native_generator *g)
{
    for (int v = 0; v <= g->s->values; v++) {
        native_place *p = &g->place[v];
        if (p->reg >= 0 && !p->pinned) {
            (p->mask ? g->mask : g->vector)[p->reg] = FREE;
            p->reg = -1;
        }
        if (!p->uniform)
            p->slot = -1;
    }
}
