/* Comparisons that native code need not make.
 *
 * Functions of stencils ask whether a neighbour is beyond an edge, where infinity stands, and take another value there:
 *
 *     if above == inf or below == inf or .. then u else 0.25 * (above + below + ..)
 *
 * Nearly everywhere none is. Sums, differences, products, roots and numerators are not finite if one of their operands
 * is not; so where the value behind `else` is finite, all these comparisons fail, and that one look at it tells. The
 * likely way through the run looks, and leaves out what only those comparisons need; for vectors where an element is
 * not finite all of the code runs instead. The bits are the same.
 *
 * Method: for each choice, backwards, which values are not finite only where what it takes is not; forwards, which
 * conditions are known where all those are finite. At last, backwards, what of the run is needed. No choice is taken
 * so behind a result, as results may stand where inputs do.
 * Cost: time in proportion to the code times its choices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/native_private.h"

/* Instructions that the look takes: fewer are not worth it. */
enum { LOOK = 5 };
/* Elements, a power of two; one less is a byte with a sign. */
enum { PATIENCE = 128 };

/* What is known of a value, while one choice is looked at. */
typedef struct fact {
    bool passes;  /* where it is not finite, neither is what the choice takes */
    bool sure[2]; /* a bool that is false, or true, but where a value that passes is not finite */
} fact;

typedef struct search {
    const native_generator *g;
    fact *fact; /* of every value */
    int *way;
} search;

/* ---- values ---- */

/* How many of its operands, from the first on, make the result not finite where they are not. */
static int passing(bmf_scalar_opcode opcode)
{
    switch (opcode) {
    case BMF_SCALAR_DIVIDE_REAL:
    case BMF_SCALAR_NEGATE_REAL:
    case BMF_SCALAR_ABSOLUTE_REAL:
    case BMF_SCALAR_SQUARE_ROOT:
        return 1;
    case BMF_SCALAR_ADD_REAL:
    case BMF_SCALAR_SUBTRACT_REAL:
    case BMF_SCALAR_MULTIPLY_REAL:
        return 2;
    default:
        return opcode >= BMF_SCALAR_MULTIPLY_ADD && opcode <= BMF_SCALAR_MULTIPLY_MULTIPLY ? 3 : 0;
    }
}

/* Of what v, which is there before instruction `end`, is made. */
static void find_passing(const search *s, int end, int v)
{
    s->fact[v].passes = true;
    for (int k = end - 1; k >= 0; k--) {
        const bmf_scalar_instruction *i = native_instruction(s->g, k);
        if (!s->fact[i->value].passes)
            continue;
        for (int o = 0; o < passing(i->opcode); o++)
            s->fact[i->operand[o]].passes = true;
        if (s->way[k] >= 0)
            s->fact[i->operand[s->way[k]]].passes = true;
    }
}

/* ---- conditions ---- */

/* 1, -1, or 0: another value. */
static int infinity(const search *s, int v)
{
    const bmf_scalar_value *value = &s->g->s->value[v];
    double x;
    memcpy(&x, &value->bits, sizeof x);
    return value->origin != BMF_SCALAR_CONSTANT || value->kind != BMF_REAL || !isinf(x) ? 0 : x > 0 ? 1 : -1;
}

/* x == inf, -inf == x. */
static fact fact_of_equality(const search *s, const bmf_scalar_instruction *i)
{
    const int left = i->operand[0], right = i->operand[1];
    return (fact){.sure = {(infinity(s, left) != 0 && s->fact[right].passes) ||
                           (infinity(s, right) != 0 && s->fact[left].passes)}};
}

/* A finite x is less than inf and more than -inf; not, also where x is not a number. */
static fact fact_of_order(const search *s, const bmf_scalar_instruction *i)
{
    const int left = i->operand[0], right = i->operand[1];
    return (fact){
        .sure = {(infinity(s, left) > 0 && s->fact[right].passes) || (infinity(s, right) < 0 && s->fact[left].passes),
                 (infinity(s, left) < 0 && s->fact[right].passes) || (infinity(s, right) > 0 && s->fact[left].passes)}};
}

static fact fact_of(const search *s, const bmf_scalar_instruction *i)
{
    const fact *a = &s->fact[i->operand[0]], *b = &s->fact[i->operand[1]];
    switch (i->opcode) {
    case BMF_SCALAR_EQUAL_REAL:
        return fact_of_equality(s, i);
    case BMF_SCALAR_LESS_REAL:
    case BMF_SCALAR_AT_MOST_REAL:
        return fact_of_order(s, i);
    case BMF_SCALAR_NOT:
        return (fact){.sure = {a->sure[1], a->sure[0]}};
    case BMF_SCALAR_OR:
        return (fact){.sure = {a->sure[0] && b->sure[0], a->sure[1] || b->sure[1]}};
    case BMF_SCALAR_AND:
        return (fact){.sure = {a->sure[0] || b->sure[0], a->sure[1] && b->sure[1]}};
    default:
        return (fact){.passes = s->fact[i->value].passes};
    }
}

/* The condition of the choice at `end` is `truth`, but where v is not finite. */
static bool condition_follows(const search *s, int end, bool truth, int v)
{
    memset(s->fact, 0, (size_t)s->g->s->values * sizeof *s->fact);
    find_passing(s, end, v);
    for (int k = 0; k < end; k++) {
        const bmf_scalar_instruction *i = native_instruction(s->g, k);
        s->fact[i->value] = fact_of(s, i);
    }
    return s->fact[native_instruction(s->g, end)->operand[0]].sure[truth];
}

/* ---- ways ---- */

/* The operand that a choice takes where it is finite, or -1. Only what is used no more behind the choice. */
static int likely_operand(const search *s, int at)
{
    const bmf_scalar_instruction *i = native_instruction(s->g, at);
    for (int operand = 1; operand <= 2; operand++) {
        const int v = i->operand[operand];
        const native_place *p = &s->g->place[v];
        if (s->g->s->value[v].kind == BMF_REAL && !p->uniform && p->last == at && p->output < 0 &&
            condition_follows(s, at, operand == 1, v))
            return operand;
    }
    return -1;
}

/* Up to the first result. */
static void find_choices(search *s)
{
    const native_generator *g = s->g;
    for (int k = 0; k < g->codes; k++) {
        const bmf_scalar_instruction *i = native_instruction(g, k);
        const int operand =
            i->opcode == BMF_SCALAR_SELECT_WORD && !g->place[i->value].uniform ? likely_operand(s, k) : -1;
        s->way[k] = operand < 0 ? NATIVE_COMPUTED : operand;
        if (g->place[i->value].output >= 0 && !g->place[i->value].uniform)
            return;
    }
}

/* What nobody needs is left out; returns how much is saved: that, and choices. */
static int leave_out(const search *s)
{
    const native_generator *g = s->g;
    bool *needed = allocate_clear(g->s->values, (int64_t)sizeof *needed);
    int saved = 0;
    for (int k = g->codes - 1; k >= 0; k--) {
        const bmf_scalar_instruction *i = native_instruction(g, k);
        const int way = s->way[k];
        if (!needed[i->value] && g->place[i->value].output < 0 && !scalar_operations[i->opcode].fails) {
            s->way[k] = NATIVE_LEFT_OUT;
            saved += !g->place[i->value].uniform;
            continue;
        }
        for (int o = 0; o < 3; o++)
            needed[i->operand[o]] |= way < 0 || way == o;
        if (i->guard >= 0)
            needed[i->guard] = true;
        saved += way >= 0 ? 1 - LOOK : 0;
    }
    free(needed);
    return saved;
}

void native_find_likely(native_generator *g)
{
    search s = {.g = g,
                .fact = allocate(g->s->values * (int64_t)sizeof *s.fact),
                .way = allocate((g->codes + 1) * (int64_t)sizeof *s.way)};
    for (int k = 0; k < g->codes; k++)
        s.way[k] = NATIVE_COMPUTED;
    find_choices(&s);
    const bool worth = leave_out(&s) > 0;
    g->likely = worth ? s.way : NULL;
    if (!worth)
        free(s.way);
    free(s.fact);
}

/* Until the counter is a multiple of PATIENCE, which bounds what is lost where little is finite. */
int native_emit_unlikely(native_generator *g)
{
    const int likely = assemble_jump_forward(&g->a, JUMP_BELOW); /* always */
    g->unlikely = g->a.bytes;
    native_emit_vector(g);
    assemble_general(&g->a, GENERAL_COMPARE, REGISTER_CX, REGISTER_11);
    const int none = assemble_jump_forward(&g->a, JUMP_NOT_BELOW);
    assemble_general(&g->a, GENERAL_MOVE, REGISTER_AX, REGISTER_CX);
    assemble_and_constant(&g->a, REGISTER_AX, PATIENCE - 1);
    assemble_jump_back(&g->a, JUMP_NOT_ZERO, g->unlikely);
    assemble_here(&g->a, likely);
    return none;
}
