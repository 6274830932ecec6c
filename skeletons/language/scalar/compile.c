/* From checked scalar expressions to code.
 *
 * Method: an expression applied to the values of its argument's leaves gives the values of its result's leaves;
 * tuples exist only while compiling. The branches of B_If are compiled into regions of their own; short ones without
 * regions inside are then moved into the code around them and computed for all elements, guarded where they can fail,
 * and the results are selected.
 * Cost: one step for every node and every different argument it is applied to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/emit.h"
#include "skeletons/language/scalar/native.h"
#include "skeletons/language/scalar/room.h"

/* Both branches are computed for all elements up to this cost; beyond it, sorting the elements is cheaper. */
enum { LARGEST_BLEND = 24 };

static void compile(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x, bmf_scalar_bundle *y);

static int emit_unary(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, int a, const bmf_expression *where)
{
    return scalar_emit(c, opcode, scalar_operations[opcode].result, a, -1, -1, -1, where);
}

static int emit_binary(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, int a, int b, const bmf_expression *where)
{
    return scalar_emit(c, opcode, scalar_operations[opcode].result, a, b, -1, -1, where);
}

/* mask ? a : b */
static int emit_select(bmf_scalar_compiler *c, int mask, int a, int b, const bmf_expression *where)
{
    const bmf_type_kind kind = scalar_kind_of(c, a);
    if (a == b)
        return a;
    return scalar_emit(c, kind == BMF_BOOL ? BMF_SCALAR_SELECT_BYTE : BMF_SCALAR_SELECT_WORD, kind, mask, a, b, -1,
                       where);
}

/* ---- operations ---- */

static int to_real(bmf_scalar_compiler *c, int v, const bmf_expression *where)
{
    switch (scalar_kind_of(c, v)) {
    case BMF_INT:
        return emit_unary(c, BMF_SCALAR_INT_TO_REAL, v, where);
    case BMF_BOOL:
        return emit_unary(c, BMF_SCALAR_BOOL_TO_REAL, v, where);
    default:
        return v;
    }
}

static int to_int(bmf_scalar_compiler *c, int v, const bmf_expression *where)
{
    switch (scalar_kind_of(c, v)) {
    case BMF_REAL:
        return emit_unary(c, BMF_SCALAR_REAL_TO_INT, v, where);
    case BMF_BOOL:
        return emit_unary(c, BMF_SCALAR_BOOL_TO_INT, v, where);
    default:
        return v;
    }
}

/* Division by a power of two is multiplication by its inverse, which is exact unless it is too small or too large. */
static bool inverse_of(bmf_scalar_compiler *c, int v, int *inverse)
{
    double divisor, inverted;
    int exponent;
    if (!scalar_is_constant(c, v))
        return false;
    memcpy(&divisor, &c->scalar->value[v].bits, sizeof divisor);
    if (fabs(frexp(divisor, &exponent)) != 0.5 || abs(exponent) > 1000)
        return false;
    inverted = 1.0 / divisor;
    *inverse = scalar_constant(c, BMF_REAL, &inverted);
    return true;
}

/* Two numbers: as ints if both are, otherwise as reals. */
static int on_numbers(bmf_scalar_compiler *c, bmf_scalar_opcode ints, bmf_scalar_opcode reals, int a, int b,
                      const bmf_expression *where)
{
    if (scalar_kind_of(c, a) == BMF_INT && scalar_kind_of(c, b) == BMF_INT)
        return emit_binary(c, ints, a, b, where);
    a = to_real(c, a, where);
    b = to_real(c, b, where);
    if (reals == BMF_SCALAR_DIVIDE_REAL && inverse_of(c, b, &b))
        reals = BMF_SCALAR_MULTIPLY_REAL;
    return emit_binary(c, reals, a, b, where);
}

static int on_number(bmf_scalar_compiler *c, bmf_scalar_opcode ints, bmf_scalar_opcode reals, int a,
                     const bmf_expression *where)
{
    return emit_unary(c, scalar_kind_of(c, a) == BMF_INT ? ints : reals, a, where);
}

/* What stands in the table BMF_SCALAR_OPERATIONS. */
#define NUMBERS(name)           on_numbers(c, BMF_SCALAR_##name##_INT, BMF_SCALAR_##name##_REAL, a, b, e)
#define SWAPPED(name)           on_numbers(c, BMF_SCALAR_##name##_INT, BMF_SCALAR_##name##_REAL, b, a, e)
#define NUMBER(name)            on_number(c, BMF_SCALAR_##name##_INT, BMF_SCALAR_##name##_REAL, a, e)
#define REAL(name)              emit_unary(c, BMF_SCALAR_##name, to_real(c, a, e), e)
#define REALS(name)             emit_binary(c, BMF_SCALAR_##name, to_real(c, a, e), to_real(c, b, e), e)
#define OPPOSITE(truth)         emit_unary(c, BMF_SCALAR_NOT, truth, e)
#define BOTH(name)              emit_binary(c, BMF_SCALAR_##name, a, b, e)
#define ONE(name)               emit_unary(c, BMF_SCALAR_##name, a, e)
#define IF_BOOLS(bools, others) (scalar_kind_of(c, a) == BMF_BOOL ? (bools) : (others))

static int operation(bmf_scalar_compiler *c, const bmf_expression *e, int a, int b)
{
    switch (e->operation) {
#define OPERATION(operation, keyword, signature, failure, instructions)                                                \
    case BMF_OPERATION_##operation:                                                                                    \
        return instructions;
        BMF_SCALAR_OPERATIONS(OPERATION)
#undef OPERATION
    default: /* operations on lists are not scalar */
        abort();
    }
}

/* ---- B_If ---- */

static bool constant_bool(const bmf_scalar_compiler *c, int v)
{
    return c->scalar->value[v].bits != 0;
}

static int open_region(bmf_scalar_compiler *c, bool loop)
{
    bmf_scalar *s = c->scalar;
    bmf_scalar_region *region = BMF_SCALAR_APPEND(s->region, s->regions, s->region_capacity);
    *region = (bmf_scalar_region){.parent = c->region, .owner = -1, .loop = loop};
    return c->region = s->regions - 1;
}

/* What computing the region for one element costs; too much if there are regions inside. */
static int cost_of(const bmf_scalar_compiler *c, int region)
{
    const bmf_scalar_region *r = &c->scalar->region[region];
    int cost = 0;
    for (int k = 0; k < r->codes; k++) {
        const bmf_scalar_opcode opcode = c->scalar->instruction[r->code[k]].opcode;
        cost += opcode == BMF_SCALAR_CHOICE || opcode == BMF_SCALAR_LOOP ? LARGEST_BLEND + 1
                                                                         : scalar_operations[opcode].cost;
        if (cost > LARGEST_BLEND)
            break;
    }
    return cost;
}

/* A value of a branch in terms of the code it was moved into. */
static int moved(const bmf_scalar_compiler *c, int v, int branch)
{
    const bmf_scalar_value *value = v < 0 ? NULL : &c->scalar->value[v];
    if (!value || value->region != branch || value->origin == BMF_SCALAR_CONSTANT)
        return v;
    return value->origin == BMF_SCALAR_CAPTURE ? value->number : value->alias;
}

/* Moves a branch's code into the region around it; what can fail there may fail only where the mask is `when`. */
static void move_branch(bmf_scalar_compiler *c, int branch, int mask, bool when, const bmf_expression *e)
{
    int guard = when ? mask : -1;
    for (int k = 0; k < c->scalar->region[branch].codes; k++) {
        const bmf_scalar_instruction old = c->scalar->instruction[c->scalar->region[branch].code[k]];
        int allowed = -1;
        if (scalar_operations[old.opcode].fails) {
            if (guard < 0)
                guard = emit_unary(c, BMF_SCALAR_NOT, mask, e);
            allowed = old.guard < 0 ? guard : emit_binary(c, BMF_SCALAR_AND, guard, moved(c, old.guard, branch), e);
        }
        const int value =
            scalar_emit(c, old.opcode, scalar_kind_of(c, old.value), moved(c, old.operand[0], branch),
                        moved(c, old.operand[1], branch), moved(c, old.operand[2], branch), allowed, old.where);
        c->scalar->value[old.value].alias = value;
    }
}

/* The value as a result of a region that belongs to nothing else, so that it may be written wherever the result is
 * wanted. */
static int own_result(bmf_scalar_compiler *c, int region, int v, const int *taken, int count, const bmf_expression *e)
{
    const bmf_scalar *s = c->scalar;
    v = scalar_import(c, region, v);
    bool own = s->value[v].origin == BMF_SCALAR_RESULT && s->value[v].region == region;
    for (int k = 0; k < count; k++)
        own = own && taken[k] != v;
    if (own)
        return v;
    const bmf_scalar_opcode opcode = scalar_kind_of(c, v) == BMF_BOOL ? BMF_SCALAR_COPY_BYTE : BMF_SCALAR_COPY_WORD;
    c->region = region;
    const int number = scalar_add_instruction(c, opcode, (const int[3]){v, v, v}, -1, scalar_kind_of(c, v), e);
    c->region = s->region[region].parent;
    return s->instruction[number].value;
}

/* A result of a choice or loop. */
static int part_result(bmf_scalar_compiler *c, int number, bmf_type_kind kind)
{
    return scalar_add_value(c, BMF_SCALAR_RESULT, kind, c->region, number);
}

static void make_choice(bmf_scalar_compiler *c, const bmf_expression *e, int mask, const int branch[2],
                        const bmf_scalar_bundle value[2], bmf_scalar_bundle *y)
{
    bmf_scalar *s = c->scalar;
    bmf_scalar_choice choice = {.mask = scalar_import(c, c->region, mask), .branch = {branch[0], branch[1]}};
    for (int k = 0; k < y->leaves; k++) {
        if (value[0].value[k] == value[1].value[k]) {
            y->value[k] = value[0].value[k];
            continue;
        }
        for (int b = 0; b < 2; b++)
            choice.value[b][choice.results] =
                own_result(c, branch[b], value[b].value[k], choice.value[b], choice.results, e);
        y->value[k] = -1;
        choice.results++;
    }
    const int number = scalar_add_instruction(c, BMF_SCALAR_CHOICE,
                                              (const int[3]){choice.mask, choice.mask, choice.mask}, -1, BMF_BOOL, e);
    for (int k = 0, r = 0; k < y->leaves; k++)
        if (y->value[k] < 0) {
            y->value[k] = choice.result[r] = part_result(c, number, scalar_kind_of(c, choice.value[0][r]));
            r++;
        }
    s->instruction[number].part = s->choices;
    for (int b = 0; b < 2; b++)
        s->region[branch[b]].owner = number;
    *(bmf_scalar_choice *)BMF_SCALAR_APPEND(s->choice, s->choices, s->choice_capacity) = choice;
}

static void compile_if(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                       bmf_scalar_bundle *y)
{
    bmf_scalar_bundle test, value[2];
    int branch[2];
    compile(c, e->child[0], x, &test);
    const int mask = test.value[0], outer = c->region;
    if (scalar_is_constant(c, mask)) {
        compile(c, e->child[constant_bool(c, mask) ? 1 : 2], x, y);
        return;
    }
    for (int b = 1; b >= 0; b--) {
        branch[b] = open_region(c, false);
        compile(c, e->child[b ? 1 : 2], x, &value[b]);
        c->region = outer;
    }
    *y = value[1];
    if (cost_of(c, branch[0]) + cost_of(c, branch[1]) > LARGEST_BLEND) {
        make_choice(c, e, mask, branch, value, y);
        return;
    }
    for (int b = 1; b >= 0; b--)
        move_branch(c, branch[b], mask, b, e);
    for (int k = 0; k < y->leaves; k++)
        y->value[k] =
            emit_select(c, mask, moved(c, value[1].value[k], branch[1]), moved(c, value[0].value[k], branch[0]), e);
}

/* ---- B_While ---- */

static void compile_while(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                          bmf_scalar_bundle *y)
{
    bmf_scalar *s = c->scalar;
    const int outer = c->region;
    bmf_scalar_loop loop = {.states = x->leaves};
    bmf_scalar_bundle state = *x, test, next;
    for (int k = 0; k < x->leaves; k++)
        loop.initial[k] = scalar_import(c, outer, x->value[k]);
    loop.region = open_region(c, true);
    for (int k = 0; k < x->leaves; k++)
        loop.state[k] = state.value[k] =
            scalar_add_value(c, BMF_SCALAR_STATE, scalar_kind_of(c, x->value[k]), loop.region, -1);
    compile(c, e->child[0], &state, &test);
    loop.predicate = test.value[0];
    loop.test = s->region[loop.region].codes;
    compile(c, e->child[1], &state, &next);
    c->region = outer;
    for (int k = 0; k < x->leaves; k++)
        loop.next[k] =
            next.value[k] == loop.state[k] ? loop.state[k] : own_result(c, loop.region, next.value[k], loop.next, k, e);
    *y = next;
    const int first = loop.initial[0];
    const int number = scalar_add_instruction(c, BMF_SCALAR_LOOP, (const int[3]){first, first, first}, -1, BMF_BOOL, e);
    for (int k = 0; k < x->leaves; k++) {
        y->value[k] = loop.result[k] = part_result(c, number, scalar_kind_of(c, x->value[k]));
        s->value[loop.state[k]].number = s->loops;
    }
    s->instruction[number].part = s->loops;
    s->region[loop.region].owner = number;
    *(bmf_scalar_loop *)BMF_SCALAR_APPEND(s->loop, s->loops, s->loop_capacity) = loop;
}

/* ---- expressions ---- */

static void add_leaves(bmf_scalar_bundle *y, const bmf_scalar_bundle *more)
{
    memcpy(y->value + y->leaves, more->value, (size_t)more->leaves * sizeof *y->value);
    y->leaves += more->leaves;
}

static void compile_tuple(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                          bmf_scalar_bundle *y)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    *y = (bmf_scalar_bundle){.leaves = 0};
    for (int k = 0; k < e->children; k++) {
        bmf_scalar_bundle part;
        compile(c, e->child[k], x, &part);
        component[k] = part.type;
        add_leaves(y, &part);
    }
    y->type = bmf_type_tuple(e->children, component);
}

static void compile_address(const bmf_expression *e, const bmf_scalar_bundle *x, bmf_scalar_bundle *y)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const int64_t which = e->number[0] - 1;
    int first = 0;
    for (int64_t k = 0; k < which; k++)
        first += bmf_type_leaves(x->type->component[k], leaf);
    *y = (bmf_scalar_bundle){.type = x->type->component[which]};
    y->leaves = bmf_type_leaves(y->type, leaf);
    memcpy(y->value, x->value + first, (size_t)y->leaves * sizeof *y->value);
}

static void compile_convert(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                            bmf_scalar_bundle *y)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    *y = *x;
    y->type = e->out;
    bmf_type_leaves(e->out, leaf);
    for (int k = 0; k < y->leaves; k++)
        if (leaf[k]->kind == BMF_REAL)
            y->value[k] = to_real(c, x->value[k], e);
}

static const bmf_type *scalar_type(bmf_type_kind kind)
{
    return kind == BMF_INT ? &bmf_type_int : kind == BMF_REAL ? &bmf_type_real : &bmf_type_bool;
}

static void compile_scalar(bmf_scalar_bundle *y, const bmf_scalar_compiler *c, int v)
{
    *y = (bmf_scalar_bundle){.type = scalar_type(scalar_kind_of(c, v)), .leaves = 1, .value = {v}};
}

static int constant_of(bmf_scalar_compiler *c, const bmf_constant *from)
{
    const uint8_t truth = from->integer != 0;
    const void *bytes = &from->integer;
    if (from->kind == BMF_REAL)
        bytes = &from->real;
    else if (from->kind == BMF_BOOL)
        bytes = &truth;
    return scalar_constant(c, from->kind, bytes);
}

/* What an application is found by. */
typedef struct wanted_application {
    const bmf_scalar_application *application; /* all there are */
    const bmf_expression *expression;
    const bmf_scalar_bundle *x;
    int region;
} wanted_application;

static uint64_t hash_application(const wanted_application *wanted)
{
    uint64_t h = (uint64_t)(uintptr_t)wanted->expression * 0x9e3779b97f4a7c15U + (uint64_t)wanted->region;
    for (int k = 0; k < wanted->x->leaves; k++)
        h = (h ^ (uint64_t)wanted->x->value[k]) * 0xff51afd7ed558ccdU;
    return h;
}

static bool is_application(const void *wanted, uint32_t number)
{
    const wanted_application *w = wanted;
    const bmf_scalar_application *known = &w->application[number];
    return known->expression == w->expression && known->region == w->region && known->x.type == w->x->type &&
           memcmp(known->x.value, w->x->value, (size_t)w->x->leaves * sizeof *w->x->value) == 0;
}

/* Whether the expression was applied to the same values before; *y is what it gave. */
static bool find_application(const bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                             bmf_scalar_bundle *y)
{
    const wanted_application wanted = {c->application, e, x, c->region};
    const int64_t found = table_find(&c->known, hash_application(&wanted), is_application, &wanted);
    if (found >= 0)
        *y = c->application[found].y;
    return found >= 0;
}

static void note_application(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                             const bmf_scalar_bundle *y)
{
    bmf_scalar_application *new = BMF_SCALAR_APPEND(c->application, c->applications, c->application_capacity);
    *new = (bmf_scalar_application){.expression = e, .region = c->region, .x = *x, .y = *y};
    table_make_room(&c->known, c->applications);
    table_add(&c->known, hash_application(&(wanted_application){c->application, e, x, c->region}),
              (uint32_t)c->applications - 1);
}

static void compile_new(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                        bmf_scalar_bundle *y);

static void compile(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x, bmf_scalar_bundle *y)
{
    const bmf_scalar_bundle argument = *x; /* y may be x */
    if (e->children == 0) {
        compile_new(c, e, &argument, y);
    } else if (!find_application(c, e, &argument, y)) {
        compile_new(c, e, &argument, y);
        note_application(c, e, &argument, y);
    }
}

static void compile_new(bmf_scalar_compiler *c, const bmf_expression *e, const bmf_scalar_bundle *x,
                        bmf_scalar_bundle *y)
{
    switch (e->kind) {
    case BMF_EXPRESSION_ID:
        *y = *x;
        break;
    case BMF_EXPRESSION_SCALAR:
        compile(c, e->child[0], x, y);
        break;
    case BMF_EXPRESSION_STREAM: /* one that counts: its predicate */
        compile(c, e->child[0], x, y);
        compile(c, e->child[1], y, y);
        break;
    case BMF_EXPRESSION_COMP:
        *y = *x;
        for (int k = e->children - 1; k >= 0; k--)
            compile(c, e->child[k], y, y);
        break;
    case BMF_EXPRESSION_CON:
        compile_scalar(y, c, constant_of(c, &e->constant));
        break;
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_STREAMS: /* of counts: see scalar_of_counts */
        compile_tuple(c, e, x, y);
        break;
    case BMF_EXPRESSION_ADDR:
        compile_address(e, x, y);
        break;
    case BMF_EXPRESSION_OP:
        compile_scalar(y, c, operation(c, e, x->value[0], x->leaves > 1 ? x->value[1] : -1));
        break;
    case BMF_EXPRESSION_IF:
        compile_if(c, e, x, y);
        break;
    case BMF_EXPRESSION_WHILE:
        compile_while(c, e, x, y);
        break;
    case BMF_EXPRESSION_CONVERT:
        compile_convert(c, e, x, y);
        break;
    default: /* is_scalar_expression keeps everything else out */
        abort();
    }
}

/* e applied to elements of type `in`. */
static void compile_whole(bmf_scalar *s, const bmf_expression *e, const bmf_type *in)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_scalar_compiler compiler = {.scalar = s, .region = -1}, *c = &compiler;
    bmf_scalar_bundle x = {.type = in}, y;
    open_region(c, false);
    s->inputs = x.leaves = bmf_type_leaves(in, leaf);
    for (int k = 0; k < x.leaves; k++) {
        s->input_kind[k] = leaf[k]->kind;
        x.value[k] = scalar_add_value(c, BMF_SCALAR_INPUT, leaf[k]->kind, 0, k);
    }
    compile(c, e, &x, &y);
    s->outputs = y.leaves;
    memcpy(s->output, y.value, sizeof s->output);
    for (int k = 0; k < y.leaves; k++)
        s->output_kind[k] = s->value[y.value[k]].kind;
    table_free(&c->instructions);
    table_free(&c->known);
    free(c->application);
}

static const bmf_scalar *made_for(bmf_expression *expression, const bmf_type *in)
{
    if (!expression->scalar) {
        bmf_scalar *scalar = allocate_clear(1, (int64_t)sizeof *scalar);
        scalar->expression = expression;
        scalar->rooms = allocate_clear(1, (int64_t)sizeof *scalar->rooms);
        compile_whole(scalar, expression, in);
        scalar_finish(scalar);
        native_cut(scalar);
        expression->scalar = scalar;
    }
    return expression->scalar;
}

const bmf_scalar *scalar_of_expression(bmf_expression *expression)
{
    return made_for(expression, expression->in);
}

const bmf_scalar *scalar_of_counts(bmf_expression *counts)
{
    const bmf_expression *first = counts->kind == BMF_EXPRESSION_STREAMS ? counts->child[0] : counts;
    return made_for(counts, first->child[0]->in);
}

void scalar_free(bmf_scalar *scalar)
{
    if (!scalar)
        return;
    for (int r = 0; r < scalar->regions; r++) {
        free(scalar->region[r].code);
        free(scalar->region[r].capture);
    }
    for (int k = 0; k < scalar->loops; k++)
        free(scalar->loop[k].crossing);
    scalar_rooms_free(scalar->rooms);
    native_free(scalar);
    free(scalar->region);
    free(scalar->choice);
    free(scalar->loop);
    free(scalar->instruction);
    free(scalar->value);
    free(scalar);
}

int scalar_inputs(const bmf_scalar *scalar)
{
    return scalar->inputs;
}

int scalar_outputs(const bmf_scalar *scalar)
{
    return scalar->outputs;
}

bool scalar_may_fail(const bmf_scalar *scalar)
{
    return scalar->may_fail;
}

bool scalar_is_selection(const bmf_scalar *scalar, int source[BMF_MAX_LEAVES])
{
    if (scalar->may_fail || scalar->region[0].codes > 0)
        return false;
    for (int k = 0; k < scalar->outputs; k++) {
        const bmf_scalar_value *value = &scalar->value[scalar->output[k]];
        if (value->origin != BMF_SCALAR_INPUT)
            return false;
        source[k] = value->number;
    }
    return true;
}
