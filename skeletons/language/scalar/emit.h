/* Making code: what the compiler of scalar expressions works with. Private to compile.c and emit.c. */
#ifndef BMF_LANGUAGE_SCALAR_EMIT_H
#define BMF_LANGUAGE_SCALAR_EMIT_H

#include "runtime/base/table.h"
#include "skeletons/language/scalar/code.h"

/* Values for the leaves of a type. */
typedef struct bmf_scalar_bundle {
    const bmf_type *type;
    int leaves;
    int value[BMF_MAX_LEAVES];
} bmf_scalar_bundle;

/* An expression that was applied to x in a region, and gave y: applied again it gives the same. Names are used many
 * times, and names within them, so that the tree an expression stands for may be far larger than the expression. */
typedef struct bmf_scalar_application {
    const bmf_expression *expression;
    int region;
    bmf_scalar_bundle x, y;
} bmf_scalar_application;

typedef struct bmf_scalar_compiler {
    bmf_scalar *scalar;
    int region;             /* where instructions go */
    bmf_table instructions; /* by region, operation, operands and guard */
    bmf_table known;        /* applications, by expression, region and argument */
    bmf_scalar_application *application;
    int applications, application_capacity;
} bmf_scalar_compiler;

/* A new value; of a constant the bits are still to be set. */
int scalar_add_value(bmf_scalar_compiler *c, bmf_scalar_origin origin, bmf_type_kind kind, int region, int number);
/* The constant that stands at bytes, which are as many as its kind has. */
int scalar_constant(bmf_scalar_compiler *c, bmf_type_kind kind, const void *bytes);
/* The value as the region sees it: captured on the way in. */
int scalar_import(bmf_scalar_compiler *c, int region, int v);

/* Adds an instruction to the compiler's region, without looking whether it is there; choices and loops get no value. */
int scalar_add_instruction(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, const int operand[3], int guard,
                           bmf_type_kind kind, const bmf_expression *where);
/* The value of an operation. The third operand, or the second and third, are -1 if there are none; guard: -1 or where
 * it may fail. kind: of the result. */
int scalar_emit(bmf_scalar_compiler *c, bmf_scalar_opcode opcode, bmf_type_kind kind, int first, int second, int third,
                int guard, const bmf_expression *where);

static inline bool scalar_is_constant(const bmf_scalar_compiler *c, int v)
{
    return c->scalar->value[v].origin == BMF_SCALAR_CONSTANT;
}

static inline bmf_type_kind scalar_kind_of(const bmf_scalar_compiler *c, int v)
{
    return c->scalar->value[v].kind;
}

#endif
