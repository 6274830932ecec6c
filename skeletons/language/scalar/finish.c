/* Finishing code: what nobody needs is dropped, pairs of operations become one instruction, values get registers.
 *
 * Method: needed is what outputs, instructions that can fail, and loops (they might not end) are computed from. A
 * product or sum of reals that only one other such operation uses is computed by that one, in one pass with both
 * roundings. Registers are given by linear scan over positions (Poletto and Sarkar, "Linear scan register
 * allocation", 1999): a value keeps its register from where it is computed to its last use; what a loop carries, or a
 * branch shares with the code around it, for all of the loop or branch.
 * Cost: linear in the code, but for the search of a free register. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/code.h"

/* ---- what is needed ---- */

typedef struct marking {
    bmf_scalar *scalar;
    int *value; /* still to be looked at */
    int values, capacity;
} marking;

static void need(marking *m, int v)
{
    if (v < 0 || m->scalar->value[v].needed)
        return;
    m->scalar->value[v].needed = true;
    *(int *)scalar_append((void **)&m->value, &m->values, &m->capacity, (int64_t)sizeof *m->value) = v;
}

/* The instruction runs, so what leads to it does. */
static void need_instruction(marking *m, int number)
{
    bmf_scalar *s = m->scalar;
    while (number >= 0 && !s->instruction[number].needed) {
        bmf_scalar_instruction *i = &s->instruction[number];
        i->needed = true;
        if (i->opcode == BMF_SCALAR_CHOICE) {
            need(m, s->choice[i->part].mask);
        } else if (i->opcode == BMF_SCALAR_LOOP) {
            need(m, s->loop[i->part].predicate);
        } else {
            for (int k = 0; k < 3; k++)
                need(m, i->operand[k]);
            need(m, i->guard);
            need(m, i->value); /* also if only its failure matters, it is written somewhere */
        }
        number = s->region[i->region].owner;
    }
}

/* Result `v` of a choice or loop is needed. */
static void need_part(marking *m, const bmf_scalar_instruction *i, int v)
{
    const bmf_scalar *s = m->scalar;
    if (i->opcode == BMF_SCALAR_CHOICE) {
        const bmf_scalar_choice *choice = &s->choice[i->part];
        for (int k = 0; k < choice->results; k++)
            for (int b = 0; choice->result[k] == v && b < 2; b++)
                need(m, choice->value[b][k]);
    } else if (i->opcode == BMF_SCALAR_LOOP) {
        const bmf_scalar_loop *loop = &s->loop[i->part];
        for (int k = 0; k < loop->states; k++)
            if (loop->result[k] == v)
                need(m, loop->state[k]);
    }
}

static void need_origin(marking *m, int v)
{
    const bmf_scalar *s = m->scalar;
    const bmf_scalar_value *value = &s->value[v];
    if (value->origin == BMF_SCALAR_CAPTURE) {
        need(m, value->number);
    } else if (value->origin == BMF_SCALAR_RESULT) {
        const int number = value->number;
        need_instruction(m, number);
        need_part(m, &s->instruction[number], v);
    } else if (value->origin == BMF_SCALAR_STATE) {
        const bmf_scalar_loop *loop = &s->loop[value->number];
        for (int k = 0; k < loop->states; k++)
            if (loop->state[k] == v) {
                need(m, loop->initial[k]);
                need(m, loop->next[k]);
            }
    }
}

/* Branches that were moved away have no owner. */
static bool is_live_region(const bmf_scalar *s, int region)
{
    while (region > 0) {
        const int owner = s->region[region].owner;
        if (owner < 0)
            return false;
        region = s->instruction[owner].region;
    }
    return true;
}

static void mark(bmf_scalar *s)
{
    marking m = {.scalar = s};
    for (int k = 0; k < s->outputs; k++)
        need(&m, s->output[k]);
    for (int i = 0; i < s->instructions; i++) {
        const bmf_scalar_opcode opcode = s->instruction[i].opcode;
        const bool fails = scalar_operations[opcode].fails;
        if ((fails || opcode == BMF_SCALAR_LOOP) && is_live_region(s, s->instruction[i].region)) {
            s->may_fail |= fails;
            need_instruction(&m, i);
        }
    }
    while (m.values > 0)
        need_origin(&m, m.value[--m.values]);
    free(m.value);
}

static void drop_from_region(bmf_scalar *s, bmf_scalar_region *region, bmf_scalar_loop *loop)
{
    int kept = 0, test = 0;
    for (int k = 0; k < region->codes; k++) {
        if (!s->instruction[region->code[k]].needed)
            continue;
        test += loop && k < loop->test;
        region->code[kept++] = region->code[k];
    }
    region->codes = kept;
    if (loop)
        loop->test = test;
    kept = 0;
    for (int k = 0; k < region->captures; k++)
        if (s->value[region->capture[k]].needed)
            region->capture[kept++] = region->capture[k];
    region->captures = kept;
}

static void drop_from_choice(const bmf_scalar *s, bmf_scalar_choice *choice)
{
    int kept = 0;
    for (int k = 0; k < choice->results; k++)
        if (s->value[choice->result[k]].needed) {
            choice->result[kept] = choice->result[k];
            for (int b = 0; b < 2; b++)
                choice->value[b][kept] = choice->value[b][k];
            kept++;
        }
    choice->results = kept;
}

static void drop_from_loop(const bmf_scalar *s, bmf_scalar_loop *loop)
{
    int kept = 0;
    for (int k = 0; k < loop->states; k++)
        if (s->value[loop->state[k]].needed) {
            loop->state[kept] = loop->state[k];
            loop->initial[kept] = loop->initial[k];
            loop->next[kept] = loop->next[k];
            loop->result[kept] = s->value[loop->result[k]].needed ? loop->result[k] : -1;
            kept++;
        }
    loop->states = kept;
}

static bmf_scalar_loop *loop_of_region(const bmf_scalar *s, int region)
{
    const int owner = s->region[region].owner;
    return s->region[region].loop && owner >= 0 ? &s->loop[s->instruction[owner].part] : NULL;
}

static void drop(bmf_scalar *s)
{
    for (int r = 0; r < s->regions; r++)
        drop_from_region(s, &s->region[r], loop_of_region(s, r));
    for (int k = 0; k < s->choices; k++)
        drop_from_choice(s, &s->choice[k]);
    for (int k = 0; k < s->loops; k++)
        drop_from_loop(s, &s->loop[k]);
}

/* ---- two operations in one ---- */

static int *count_uses(const bmf_scalar *s)
{
    int *uses = allocate_clear(s->values, (int64_t)sizeof *uses);
    for (int i = 0; i < s->instructions; i++) {
        const bmf_scalar_instruction *instruction = &s->instruction[i];
        for (int k = 0; instruction->needed && k < scalar_operations[instruction->opcode].operands; k++)
            uses[instruction->operand[k]]++;
    }
    /* Other uses need a value as it is: guards, captures, choices and loops take bools, or their own copies, or count
     * twice. */
    for (int k = 0; k < s->outputs; k++)
        uses[s->output[k]] += 2;
    for (int v = 0; v < s->values; v++)
        if (s->value[v].origin == BMF_SCALAR_CAPTURE && s->value[v].needed)
            uses[s->value[v].number] += 2;
    for (int c = 0; c < s->choices; c++)
        for (int k = 0; k < s->choice[c].results; k++)
            for (int b = 0; b < 2; b++)
                uses[s->choice[c].value[b][k]] += 2;
    for (int l = 0; l < s->loops; l++)
        for (int k = 0; k < s->loop[l].states; k++) {
            uses[s->loop[l].initial[k]] += 2;
            uses[s->loop[l].next[k]] += 2;
        }
    return uses;
}

/* The opcode for an operation on the result of another; first: that is the left operand. CHOICE: there is none. */
static bmf_scalar_opcode fused(bmf_scalar_opcode inner, bmf_scalar_opcode outer, bool first)
{
    const bool add = outer == BMF_SCALAR_ADD_REAL, multiply = outer == BMF_SCALAR_MULTIPLY_REAL;
    if (inner == BMF_SCALAR_MULTIPLY_REAL && outer == BMF_SCALAR_SUBTRACT_REAL)
        return first ? BMF_SCALAR_MULTIPLY_SUBTRACT : BMF_SCALAR_SUBTRACT_PRODUCT;
    if (inner == BMF_SCALAR_MULTIPLY_REAL && (add || multiply))
        return add ? BMF_SCALAR_MULTIPLY_ADD : BMF_SCALAR_MULTIPLY_MULTIPLY;
    if (inner == BMF_SCALAR_ADD_REAL && (add || multiply))
        return add ? BMF_SCALAR_ADD_ADD : BMF_SCALAR_ADD_MULTIPLY;
    if (inner == BMF_SCALAR_SUBTRACT_REAL && (add || multiply))
        return add ? BMF_SCALAR_SUBTRACT_ADD : BMF_SCALAR_SUBTRACT_MULTIPLY;
    return BMF_SCALAR_CHOICE;
}

/* Fuses operand k of an instruction into it if it comes from code[from..) of the region and has no other use. */
static bool fuse_operand(bmf_scalar *s, bmf_scalar_instruction *outer, int k, const int *uses, int from)
{
    const bmf_scalar_value *value = &s->value[outer->operand[k]];
    if (value->origin != BMF_SCALAR_RESULT || value->region != outer->region || uses[outer->operand[k]] != 1)
        return false;
    bmf_scalar_instruction *inner = &s->instruction[value->number];
    const bmf_scalar_opcode opcode = fused(inner->opcode, outer->opcode, k == 0);
    const bmf_scalar_region *region = &s->region[outer->region];
    if (opcode == BMF_SCALAR_CHOICE)
        return false;
    for (int i = 0; i < from; i++) /* on the other side of a loop's test */
        if (region->code[i] == value->number)
            return false;
    outer->operand[2] = outer->operand[1 - k];
    outer->operand[0] = inner->operand[0];
    outer->operand[1] = inner->operand[1];
    outer->opcode = opcode;
    inner->needed = false;
    s->value[inner->value].needed = false;
    return true;
}

static void fuse(bmf_scalar *s)
{
    int *uses = count_uses(s);
    for (int r = 0; r < s->regions; r++) {
        const bmf_scalar_region *region = &s->region[r];
        const bmf_scalar_loop *loop = loop_of_region(s, r);
        for (int k = 0; k < region->codes; k++) {
            bmf_scalar_instruction *outer = &s->instruction[region->code[k]];
            const int from = loop && k >= loop->test ? loop->test : 0;
            if (outer->needed && scalar_operations[outer->opcode].operands == 2 &&
                !fuse_operand(s, outer, 0, uses, from))
                fuse_operand(s, outer, 1, uses, from);
        }
    }
    free(uses);
}

/* ---- positions ---- */

static void use(bmf_scalar *s, int v, int position)
{
    if (v >= 0 && s->value[v].last < position)
        s->value[v].last = position;
}

/* The value is there from `position` on, and its register is its own from the start. */
static void begin(bmf_scalar *s, int v, int position)
{
    if (v < 0)
        return;
    s->value[v].defined = position;
    if (s->value[v].first == 0)
        s->value[v].first = position;
    s->value[v].apart = true;
    use(s, v, position);
}

static int walk(bmf_scalar *s, int region, int position);

static int walk_choice(bmf_scalar *s, const bmf_scalar_choice *choice, int position)
{
    use(s, choice->mask, position);
    for (int k = 0; k < choice->results; k++)
        begin(s, choice->result[k], position);
    for (int b = 1; b >= 0; b--) {
        const bmf_scalar_region *region = &s->region[choice->branch[b]];
        position++;
        for (int k = 0; k < region->captures; k++)
            begin(s, region->capture[k], position);
        position = walk(s, choice->branch[b], position) + 1;
        for (int k = 0; k < choice->results; k++)
            use(s, choice->value[b][k], position);
        for (int k = 0; k < region->captures; k++)
            use(s, s->value[region->capture[k]].number, s->value[region->capture[k]].last);
    }
    return position;
}

static void find_crossing(const bmf_scalar *s, bmf_scalar_loop *loop)
{
    int capacity = 0;
    for (int v = 0; v < s->values; v++) {
        const bmf_scalar_value *value = &s->value[v];
        if (value->origin == BMF_SCALAR_RESULT && value->region == loop->region && value->needed &&
            value->defined < loop->test_at && value->last > loop->test_at)
            *(int *)scalar_append((void **)&loop->crossing, &loop->crossings, &capacity, (int64_t)sizeof(int)) = v;
    }
}

static int walk_loop(bmf_scalar *s, bmf_scalar_loop *loop, int position)
{
    const bmf_scalar_region *region = &s->region[loop->region];
    int cost = 0;
    for (int k = 0; k < loop->states; k++) {
        begin(s, loop->result[k], position);
        begin(s, loop->next[k], position);
        begin(s, loop->state[k], position);
    }
    position = walk(s, loop->region, position) + 1;
    for (int k = 0; k < loop->states; k++) {
        use(s, loop->initial[k], position);
        use(s, loop->state[k], position);
        use(s, loop->next[k], position);
    }
    find_crossing(s, loop);
    for (int k = 0; k < region->codes; k++) {
        const bmf_scalar_opcode opcode = s->instruction[region->code[k]].opcode;
        loop->eager |= opcode == BMF_SCALAR_CHOICE || opcode == BMF_SCALAR_LOOP;
        cost += scalar_operations[opcode].cost;
    }
    /* Moving an element costs about four times what adding a number to it does. */
    loop->patience = 16 * 4 * (loop->states + loop->crossings + 1) / (cost + 1);
    return position;
}

/* Gives positions to the code of a region; returns the last. */
static int walk(bmf_scalar *s, int region, int position)
{
    bmf_scalar_loop *loop = loop_of_region(s, region);
    const bmf_scalar_region *r = &s->region[region];
    for (int k = 0; k < r->codes; k++) {
        const bmf_scalar_instruction *i = &s->instruction[r->code[k]];
        if (loop && k == loop->test)
            loop->test_at = ++position;
        position++;
        if (i->opcode == BMF_SCALAR_CHOICE) {
            position = walk_choice(s, &s->choice[i->part], position);
        } else if (i->opcode == BMF_SCALAR_LOOP) {
            position = walk_loop(s, &s->loop[i->part], position);
        } else {
            for (int o = 0; o < 3; o++)
                use(s, i->operand[o], position);
            use(s, i->guard, position);
            use(s, i->value, position);
            s->value[i->value].defined = position;
            if (s->value[i->value].first == 0)
                s->value[i->value].first = position;
            s->value[i->value].apart |= scalar_operations[i->opcode].fails;
        }
    }
    if (loop && loop->test >= r->codes)
        loop->test_at = ++position;
    if (loop)
        use(s, loop->predicate, loop->test_at);
    return position;
}

/* ---- registers ---- */

typedef struct registers {
    int *until; /* the last use of the value that has it */
    int count, capacity;
} registers;

static int take_register(registers *r, const bmf_scalar_value *value)
{
    int k = 0;
    while (k < r->count && (value->apart ? r->until[k] >= value->first : r->until[k] > value->first))
        k++;
    if (k == r->count)
        scalar_append((void **)&r->until, &r->count, &r->capacity, (int64_t)sizeof *r->until);
    r->until[k] = value->last;
    return k;
}

/* A value and where it begins. */
typedef struct beginning {
    int first, value;
} beginning;

static int earlier(const void *a_, const void *b_)
{
    const beginning *a = a_, *b = b_;
    return a->first != b->first ? (a->first < b->first ? -1 : 1) : (a->value > b->value) - (a->value < b->value);
}

static void give_registers(bmf_scalar *s)
{
    beginning *order = allocate(s->values * (int64_t)sizeof *order);
    registers words = {0}, bytes = {0};
    int count = 0;
    for (int v = 0; v < s->values; v++)
        if (s->value[v].needed && s->value[v].first > 0)
            order[count++] = (beginning){s->value[v].first, v};
    qsort(order, (size_t)count, sizeof *order, earlier);
    for (int k = 0; k < count; k++) {
        bmf_scalar_value *value = &s->value[order[k].value];
        value->home = take_register(value->kind == BMF_BOOL ? &bytes : &words, value);
    }
    s->words = words.count;
    s->bytes = bytes.count;
    free(order);
    free(words.until);
    free(bytes.until);
}

/* As many elements as leave registers, inputs and outputs in the first-level cache of 32 KiB, or nearly. Loops take
 * all they can get: the last elements of a block that go on cost instructions for themselves, and blocks shrink
 * anyway. */
static void choose_block(bmf_scalar *s)
{
    const int columns = s->words + s->inputs + (s->bytes + 7) / 8;
    s->block = columns <= 3 || s->loops > 0 ? BMF_BLOCK : columns <= 8 ? BMF_BLOCK / 2 : BMF_BLOCK / 4;
}

void scalar_finish(bmf_scalar *s)
{
    mark(s);
    drop(s);
    fuse(s);
    for (int r = 0; r < s->regions; r++)
        drop_from_region(s, &s->region[r], loop_of_region(s, r));
    walk(s, 0, 0);
    for (int k = 0; k < s->outputs; k++)
        s->value[s->output[k]].last = INT_MAX;
    give_registers(s);
    choose_block(s);
}
