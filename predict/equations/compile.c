/* Definitions become one straight list of operations.
 *
 * Method: calls are replaced by the function's expression, phase by phase. An operation on the same operands is entered
 * once, and a function is put in once for the same arguments, so that the list is as long as there are different values
 * in it, not as there are calls. Operations on constants are done here, but for those on times with units, which
 * equations_check wants to see. Collectives of one process become a choice of nothing, unless equations are taken as
 * printed.
 * Cost: O(list) expected; the list and the depth of what is inside each other are limited. */
#include <stdlib.h>
#include <string.h>

#include "predict/equations/operate.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"

enum { DEPTH = 3000 };

/* A function with arguments, and the instruction of its value. */
typedef struct call {
    int32_t definition, argument[BMF_EQUATION_ARGUMENTS], value;
} call;

typedef struct compiler {
    bmf_equations *equations;
    call *call;
    int32_t calls, call_capacity;
    bmf_table call_table;
    int depth;
} compiler;

/* ---- the list ---- */

static uint64_t hash_instruction(const bmf_instruction *i)
{
    uint64_t bits;
    memcpy(&bits, &i->value, sizeof bits);
    uint64_t hash = hash_add(hash_add(0, (uint64_t)i->operation), bits);
    for (int k = 0; k < 3; k++)
        hash = hash_add(hash, (uint64_t)(uint32_t)i->operand[k]);
    return hash_add(hash, (uint64_t)(uint32_t)i->number * 2 + (i->operation == BMF_OP_CONSTANT && i->is_time));
}

typedef struct sought {
    const bmf_instruction *list, *instruction;
} sought;

static bool is_instruction(const void *wanted, uint32_t number)
{
    const sought *s = wanted;
    const bmf_instruction *a = s->instruction, *b = &s->list[number];
    return a->operation == b->operation && memcmp(a->operand, b->operand, sizeof a->operand) == 0 &&
           a->number == b->number && memcmp(&a->value, &b->value, sizeof a->value) == 0 &&
           (a->operation != BMF_OP_CONSTANT || a->is_time == b->is_time);
}

/* The number of the instruction, entered if it is new. */
static int32_t enter(bmf_equations *e, const bmf_instruction *instruction)
{
    const sought s = {e->instruction, instruction};
    table_make_room(&e->instruction_table, e->instructions + 1);
    const uint32_t found = table_find_or_add(&e->instruction_table, hash_instruction(instruction), is_instruction, &s,
                                             (uint32_t)e->instructions);
    if ((int32_t)found == e->instructions)
        *ARRAY_APPEND(e->instruction, e->instructions, e->instruction_capacity) = *instruction;
    return (int32_t)found;
}

static int32_t enter_constant(bmf_equations *e, double value, bool is_time, bmf_span span)
{
    return enter(
        e,
        &(bmf_instruction){
            .operation = BMF_OP_CONSTANT, .operand = {-1, -1, -1}, .value = value, .is_time = is_time, .span = span});
}

static int32_t enter_operation(bmf_equations *e, bmf_operation_code operation, int32_t a, int32_t b, int32_t c,
                               bmf_span span)
{
    return enter(e, &(bmf_instruction){.operation = operation, .operand = {a, b, c}, .span = span});
}

/* The operation on numbers, or its value if they are plain constants and it has one. */
static int32_t enter_numbers(bmf_equations *e, bmf_operation_code operation, const int32_t operand[3], bmf_span span)
{
    double value[3] = {0.0, 0.0, 0.0};
    bool plain = true;
    const bmf_instruction *condition = &e->instruction[operand[0]];
    if (operation == BMF_OP_CHOOSE && condition->operation == BMF_OP_CONSTANT)
        return operand[condition->value != 0.0 ? 1 : 2];
    for (int k = 0; k < 3; k++) {
        const bmf_instruction *i = operand[k] >= 0 ? &e->instruction[operand[k]] : NULL;
        plain = plain && (!i || (i->operation == BMF_OP_CONSTANT && !i->is_time));
        value[k] = i ? i->value : 0.0;
    }
    const double result = plain ? operate(operation, value[0], value[1], value[2]) : NAN;
    if (isfinite(result))
        return enter_constant(e, result, false, span);
    return enter_operation(e, operation, operand[0], operand[1], operand[2], span);
}

/* ---- functions with their arguments ---- */

static int expand(compiler *c, int64_t number, const int32_t *argument, int32_t *value);

static uint64_t hash_call(const call *wanted)
{
    uint64_t hash = hash_add(0, (uint64_t)(uint32_t)wanted->definition);
    for (int k = 0; k < BMF_EQUATION_ARGUMENTS; k++)
        hash = hash_add(hash, (uint64_t)(uint32_t)wanted->argument[k]);
    return hash;
}

typedef struct sought_call {
    const call *list, *call;
} sought_call;

static bool is_call(const void *wanted, uint32_t number)
{
    const sought_call *s = wanted;
    const call *a = s->call, *b = &s->list[number];
    return a->definition == b->definition && memcmp(a->argument, b->argument, sizeof a->argument) == 0;
}

/* A value that is nobody else's: times say so, what stands for p itself or a number does not. */
static void mark_time(bmf_equations *e, const char *name, int32_t value)
{
    if (is_operation_time(name) && e->instruction[value].operation != BMF_OP_CONSTANT &&
        e->instruction[value].operation < BMF_OP_P)
        e->instruction[value].is_time = true;
}

/* wanted->value: the function's value for its arguments. */
static int put_in(compiler *c, call *wanted)
{
    bmf_equations *e = c->equations;
    const sought_call s = {c->call, wanted};
    const uint64_t hash = hash_call(wanted);
    const int64_t known = table_find(&c->call_table, hash, is_call, &s);
    if (known >= 0) {
        wanted->value = c->call[known].value;
        return BMF_OK;
    }
    BMF_TRY(expand(c, e->definition[wanted->definition].body, wanted->argument, &wanted->value));
    mark_time(e, e->name[e->definition[wanted->definition].name], wanted->value);
    table_make_room(&c->call_table, c->calls + 1);
    table_add(&c->call_table, hash, (uint32_t)c->calls);
    *ARRAY_APPEND(c->call, c->calls, c->call_capacity) = *wanted;
    return BMF_OK;
}

static int32_t enter_sheet(bmf_equations *e, const bmf_equation_node *node, const int32_t *argument)
{
    const bmf_sheet_operation *operation = &e->operation[node->number];
    const int32_t one = enter_constant(e, operation->takes_p ? 1.0 : 2.0, false, node->span),
                  none = enter_constant(e, 0.0, false, node->span);
    const int32_t p = operation->takes_p ? argument[0] : one;
    const int32_t d = operation->takes_d ? argument[operation->takes_p ? 1 : 0] : none;
    return enter(e, &(bmf_instruction){.operation = BMF_OP_SHEET,
                                       .operand = {p, d, -1},
                                       .number = node->number,
                                       .is_time = true,
                                       .span = node->span});
}

/* A collective of one process takes nothing. */
static int32_t enter_guard(bmf_equations *e, const bmf_equation_node *node, int32_t p, int32_t value)
{
    const int32_t one = enter_constant(e, 1.0, false, node->span), nothing = enter_constant(e, 0.0, false, node->span);
    const int32_t alone = enter_numbers(e, BMF_OP_LESS_EQUAL, (int32_t[]){p, one, -1}, node->span);
    return enter_numbers(e, BMF_OP_CHOOSE, (int32_t[]){alone, nothing, value}, node->span);
}

/* Whether the first of the arguments of a t<op> is the number of processes: tallsend(d) has none. */
static bool has_processes(const bmf_equations *e, const bmf_equation_node *node)
{
    if (node->target == BMF_TARGET_SHEET)
        return e->operation[node->number].takes_p;
    return node->children >= 2 || (node->children == 1 && strcmp(e->name[node->name], "tbarrier") == 0);
}

static int expand_name(compiler *c, const bmf_equation_node *node, const int32_t *argument, int32_t *value)
{
    bmf_equations *e = c->equations;
    call wanted = {.definition = node->number};
    memset(wanted.argument, -1, sizeof wanted.argument);
    if (node->target == BMF_TARGET_ARGUMENT) {
        *value = argument[node->number];
        return BMF_OK;
    }
    int k = 0;
    for (int64_t child = node->first; child >= 0; child = e->node[child].next)
        BMF_TRY(expand(c, child, argument, &wanted.argument[k++]));
    if (node->target == BMF_TARGET_SHEET) {
        *value = enter_sheet(e, node, wanted.argument);
    } else {
        BMF_TRY(put_in(c, &wanted));
        *value = wanted.value;
    }
    if (!e->settings.as_printed && is_collective_time(e->name[node->name]) && has_processes(e, node))
        *value = enter_guard(e, node, wanted.argument[0], *value);
    return BMF_OK;
}

/* rows(d,p), and the least or largest of two and more. */
static int32_t enter_rows(bmf_equations *e, const bmf_equation_node *node, const int32_t operand[3])
{
    const int32_t share = enter_numbers(e, BMF_OP_DIVIDE, operand, node->span);
    return e->settings.whole_rows ? enter_numbers(e, BMF_OP_CEIL, (int32_t[]){share, -1, -1}, node->span) : share;
}

static int expand_least_or_most(compiler *c, const bmf_equation_node *node, const int32_t *argument, int32_t *value)
{
    bmf_equations *e = c->equations;
    int32_t next;
    BMF_TRY(expand(c, node->first, argument, value));
    for (int64_t child = e->node[node->first].next; child >= 0; child = e->node[child].next) {
        BMF_TRY(expand(c, child, argument, &next));
        *value = enter_numbers(e, node->operation, (int32_t[]){*value, next, -1}, node->span);
    }
    return BMF_OK;
}

static int expand_operands(compiler *c, const bmf_equation_node *node, const int32_t *argument, int32_t *value)
{
    bmf_equations *e = c->equations;
    int32_t operand[3] = {-1, -1, -1};
    int k = 0;
    for (int64_t child = node->first; child >= 0; child = e->node[child].next)
        BMF_TRY(expand(c, child, argument, &operand[k++]));
    *value = node->operation == BMF_OP_ROWS ? enter_rows(e, node, operand)
                                            : enter_numbers(e, node->operation, operand, node->span);
    return BMF_OK;
}

static int expand_node(compiler *c, const bmf_equation_node *node, const int32_t *argument, int32_t *value)
{
    switch (node->operation) {
    case BMF_OP_CONSTANT:
        *value = enter_constant(c->equations, node->value, node->is_time, node->span);
        return BMF_OK;
    case BMF_OP_NAME:
        return expand_name(c, node, argument, value);
    case BMF_OP_MIN:
    case BMF_OP_MAX:
        return expand_least_or_most(c, node, argument, value);
    default:
        return expand_operands(c, node, argument, value);
    }
}

static int expand(compiler *c, int64_t number, const int32_t *argument, int32_t *value)
{
    const bmf_equations *e = c->equations;
    const bmf_equation_node *node = &e->node[number];
    if (c->depth == DEPTH)
        return equation_fail(e, node->span, BMF_ERROR_FILE, "functions are inside each other deeper than %d levels",
                             DEPTH);
    if (e->instructions > BMF_EQUATION_OPERATIONS || c->calls > BMF_EQUATION_OPERATIONS)
        return equation_fail(e, node->span, BMF_ERROR_FILE, "the phases are more than %d different operations",
                             BMF_EQUATION_OPERATIONS);
    c->depth++;
    BMF_TRY(expand_node(c, node, argument, value));
    c->depth--;
    return BMF_OK;
}

/* ---- phases ---- */

/* The instruction of p, d or c. */
static int32_t enter_variable(bmf_equations *e, const char *name, bmf_span span)
{
    const bmf_operation_code operation = name[0] == 'p' ? BMF_OP_P : name[0] == 'd' ? BMF_OP_D : BMF_OP_C;
    return enter_operation(e, operation, -1, -1, -1, span);
}

static int compile_phase(compiler *c, int32_t phase)
{
    bmf_equations *e = c->equations;
    const bmf_definition *of = &e->definition[e->phase[phase]];
    call wanted = {.definition = e->phase[phase]};
    memset(wanted.argument, -1, sizeof wanted.argument);
    for (int k = 0; k < of->arguments; k++)
        wanted.argument[k] = enter_variable(e, e->name[of->argument[k]], of->span);
    BMF_TRY(put_in(c, &wanted));
    e->root[phase] = wanted.value;
    return BMF_OK;
}

/* From the first phase to the last. */
static void compile_total(bmf_equations *e)
{
    const bmf_span nowhere = {-1, 0, 0};
    int32_t sum = e->phases > 0 ? e->root[0] : enter_constant(e, 0.0, false, nowhere);
    for (int32_t k = 1; k < e->phases; k++)
        sum = enter_numbers(e, BMF_OP_ADD, (int32_t[]){sum, e->root[k], -1}, e->definition[e->phase[k]].span);
    e->root[e->phases] = sum;
}

int equations_compile(bmf_equations *e)
{
    compiler c = {.equations = e};
    int status = BMF_OK;
    e->root = allocate_array(e->phases + 1, (int64_t)sizeof *e->root);
    for (int32_t k = 0; k < e->phases && status == BMF_OK; k++)
        status = compile_phase(&c, k);
    if (status == BMF_OK)
        compile_total(e);
    free(c.call);
    table_free(&c.call_table);
    return status;
}
