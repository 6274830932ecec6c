/* Values and instructions of scalar code in the making.
 *
 * Method: every operation is looked up first, by hashing over region, operation and operands, in its own region and
 * in those around it, so that equal subexpressions are computed once; operations on constants are computed at once.
 * Cost: O(1) for an instruction and every region around it; constants are compared with all values. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/emit.h"

void *scalar_append(void **array, int *count, int *capacity, int64_t size)
{
    if (*count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 8;
        *array = reallocate(*array, *count * size, *capacity * size);
    }
    char *element = (char *)*array + (*count)++ * size;
    return memset(element, 0, (size_t)size);
}

/* ---- values ---- */

int scalar_add_value(bmf_scalar_compiler *c, bmf_scalar_origin origin, bmf_type_kind kind, int region, int number)
{
    bmf_scalar *s = c->scalar;
    bmf_scalar_value *value = BMF_SCALAR_APPEND(s->value, s->values, s->value_capacity);
    *value =
        (bmf_scalar_value){.origin = origin, .kind = kind, .region = region, .number = number, .home = -1, .alias = -1};
    return s->values - 1;
}

int scalar_constant(bmf_scalar_compiler *c, bmf_type_kind kind, const void *bytes)
{
    bmf_scalar *s = c->scalar;
    uint64_t bits = 0;
    memcpy(&bits, bytes, (size_t)scalar_size(kind));
    for (int v = s->inputs; v < s->values; v++)
        if (s->value[v].origin == BMF_SCALAR_CONSTANT && s->value[v].kind == kind && s->value[v].bits == bits)
            return v;
    const int v = scalar_add_value(c, BMF_SCALAR_CONSTANT, kind, 0, 0);
    s->value[v].bits = bits;
    return v;
}

int scalar_import(bmf_scalar_compiler *c, int region, int v)
{
    bmf_scalar *s = c->scalar;
    if (v < 0 || scalar_is_constant(c, v) || s->value[v].region == region)
        return v;
    const int outer = scalar_import(c, s->region[region].parent, v);
    bmf_scalar_region *r = &s->region[region];
    for (int k = 0; k < r->captures; k++)
        if (s->value[r->capture[k]].number == outer)
            return r->capture[k];
    const int capture = scalar_add_value(c, BMF_SCALAR_CAPTURE, scalar_kind_of(c, outer), region, outer);
    r = &s->region[region];
    *(int *)BMF_SCALAR_APPEND(r->capture, r->captures, r->capture_capacity) = capture;
    return capture;
}

/* ---- instructions ---- */

/* What an instruction is found by. */
typedef struct wanted_instruction {
    const bmf_scalar_instruction *instruction; /* all there are */
    const int *operand;
    bmf_scalar_opcode opcode;
    int region, guard;
} wanted_instruction;

static uint64_t hash(const wanted_instruction *wanted)
{
    uint64_t h = (uint64_t)wanted->region * 0x9e3779b97f4a7c15U + (uint64_t)wanted->opcode;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint64_t)wanted->operand[k]) * 0xff51afd7ed558ccdU;
    return (h ^ (uint64_t)wanted->guard) * 0xc4ceb9fe1a85ec53U;
}

static bool is_instruction(const void *wanted, uint32_t number)
{
    const wanted_instruction *w = wanted;
    const bmf_scalar_instruction *known = &w->instruction[number];
    return known->region == w->region && known->opcode == w->opcode && known->guard == w->guard &&
           memcmp(known->operand, w->operand, sizeof known->operand) == 0;
}

static int find_here(const bmf_scalar_compiler *c, int region, bmf_scalar_opcode opcode, const int operand[3],
                     int guard)
{
    const wanted_instruction wanted = {c->scalar->instruction, operand, opcode, region, guard};
    const int64_t found = table_find(&c->instructions, hash(&wanted), is_instruction, &wanted);
    return found < 0 ? -1 : c->scalar->instruction[found].value;
}

/* The value of the same operation that is certainly computed before, as the region sees it, or -1. */
static int find(bmf_scalar_compiler *c, int region, bmf_scalar_opcode opcode, const int operand[3], int guard)
{
    const bmf_scalar *s = c->scalar;
    int found = find_here(c, region, opcode, operand, -1), outer[3];
    if (found < 0 && guard >= 0)
        found = find_here(c, region, opcode, operand, guard);
    if (found >= 0 || s->region[region].parent < 0 || s->region[region].loop)
        return found;
    for (int k = 0; k < 3; k++) {
        const bmf_scalar_value *value = &s->value[operand[k]];
        if (value->origin != BMF_SCALAR_CAPTURE && value->origin != BMF_SCALAR_CONSTANT)
            return -1;
        outer[k] = value->origin == BMF_SCALAR_CAPTURE ? value->number : operand[k];
    }
    found = find(c, s->region[region].parent, opcode, outer, -1);
    return found < 0 ? -1 : scalar_import(c, region, found);
}

/* Computes an operation on constants now. Returns -1 if it fails: then it has to fail when it runs. */
static int fold_constants(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, const int operand[3], bmf_type_kind kind)
{
    const bmf_scalar_value *value = c->scalar->value;
    uint64_t result = 0;
    for (int k = 0; k < 3; k++)
        if (!scalar_is_constant(c, operand[k]))
            return -1;
    if (scalar_operations[opcode].run[7](1, &value[operand[0]].bits, &value[operand[1]].bits, &value[operand[2]].bits,
                                         &result))
        return -1;
    return scalar_constant(c, kind, &result);
}

static bool commutes(bmf_scalar_opcode opcode)
{
    return opcode == BMF_SCALAR_ADD_INT || opcode == BMF_SCALAR_MULTIPLY_INT || opcode == BMF_SCALAR_MAX_INT ||
           opcode == BMF_SCALAR_MIN_INT || opcode == BMF_SCALAR_AND || opcode == BMF_SCALAR_OR ||
           opcode == BMF_SCALAR_EQUAL_INT || opcode == BMF_SCALAR_EQUAL_REAL || opcode == BMF_SCALAR_EQUAL_BOOL;
}

int scalar_add_instruction(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, const int operand[3], int guard,
                           bmf_type_kind kind, const bmf_expression *where)
{
    bmf_scalar *s = c->scalar;
    const int number = s->instructions;
    bmf_scalar_instruction *new = BMF_SCALAR_APPEND(s->instruction, s->instructions, s->instruction_capacity);
    *new = (bmf_scalar_instruction){.opcode = opcode, .guard = guard, .value = -1, .region = c->region, .where = where};
    memcpy(new->operand, operand, sizeof new->operand);
    if (opcode != BMF_SCALAR_CHOICE && opcode != BMF_SCALAR_LOOP) {
        const int value = scalar_add_value(c, BMF_SCALAR_RESULT, kind, c->region, number);
        s->instruction[number].value = value;
    }
    bmf_scalar_region *region = &s->region[c->region];
    *(int *)BMF_SCALAR_APPEND(region->code, region->codes, region->code_capacity) = number;
    return number;
}

int scalar_emit(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, bmf_type_kind kind, int first, int second, int third,
                int guard, const bmf_expression *where)
{
    int operand[3] = {scalar_import(c, c->region, first), scalar_import(c, c->region, second),
                      scalar_import(c, c->region, third)};
    guard = scalar_operations[opcode].fails ? scalar_import(c, c->region, guard) : -1;
    for (int k = 1; k < 3; k++)
        operand[k] = operand[k] < 0 ? operand[0] : operand[k];
    if (commutes(opcode) && operand[0] > operand[1]) {
        operand[1] = operand[0];
        operand[0] = operand[2] = scalar_import(c, c->region, second);
    }
    int value = fold_constants(c, opcode, operand, kind);
    if (value < 0)
        value = find(c, c->region, opcode, operand, guard);
    if (value >= 0)
        return value;
    const int number = scalar_add_instruction(c, opcode, operand, guard, kind, where);
    const wanted_instruction made = {c->scalar->instruction, operand, opcode, c->region, guard};
    table_make_room(&c->instructions, c->instructions.count + 1);
    table_add(&c->instructions, hash(&made), (uint32_t)number);
    return c->scalar->instruction[number].value;
}
