/* Expressions of the language: what the parser makes, the type checker fills in, the rewriter changes and the evaluator
 * runs. Document 000, appendix A, with the extensions of docs/language.md.
 *
 * Nodes belong to an arena (bmf_expressions) and are freed with it; after checking, a tree may share nodes
 * (a DAG), because the same name used at the same type is checked once. */
#ifndef BMF_LANGUAGE_EXPRESSION_H
#define BMF_LANGUAGE_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "bmf/type.h"
#include "skeletons/language/forms/list.h"
#include "skeletons/language/front/text.h"
#include "skeletons/language/operations/list.h"

/* The forms of forms/list.h. */
typedef enum bmf_expression_kind {
#define BMF_EXPRESSION_ENUM(kind, file) BMF_EXPRESSION_##kind,
    BMF_FORMS(BMF_EXPRESSION_ENUM)
#undef BMF_EXPRESSION_ENUM
        BMF_EXPRESSION_KINDS
} bmf_expression_kind;

/* The operations of operations/list.h. */
typedef enum bmf_operation {
#define BMF_OPERATION_ENUM(operation, ...) BMF_OPERATION_##operation,
    BMF_SCALAR_OPERATIONS(BMF_OPERATION_ENUM) BMF_SKELETON_OPERATIONS(BMF_OPERATION_ENUM)
#undef BMF_OPERATION_ENUM
        BMF_OPERATIONS
} bmf_operation;

enum { BMF_NUMBERS = 3 }; /* that a form may have: one for each dimension of a grid */

/* How far elements of lists may be shifted. */
static const int64_t BMF_MAX_PLACES = (int64_t)1 << 40;

typedef struct bmf_constant {
    bmf_type_kind kind; /* BMF_INT, BMF_REAL, BMF_BOOL */
    int64_t integer;    /* also 0 or 1 for bool */
    double real;
} bmf_constant;

/* A stream reads list elements block by block, computes, and ends in something, without lists in between:
 *
 *   LIST   [a]         elements a                    child[0]: the element expression (B_Id: none), a -> b
 *   ZIP    {[a], [b]}  elements {a, b}, equal length child[1]: the end's operator or predicate, or NULL for LIST
 *   DISTL  {x, [a]}    elements {x, a}               child[2]: default of REDUCE and SCAN, or NULL; applied to the
 *   IOTA   n           elements 0 .. n - 1                     stream's input
 *
 * child[0], child[1] are scalar expressions (fixed types). */
typedef enum bmf_stream_head { BMF_HEAD_LIST, BMF_HEAD_ZIP, BMF_HEAD_DISTL, BMF_HEAD_IOTA } bmf_stream_head;
typedef enum bmf_stream_tail {
    BMF_TAIL_LIST,   /* [b] */
    BMF_TAIL_REDUCE, /* b */
    BMF_TAIL_SCAN,   /* [b] */
    BMF_TAIL_FILTER, /* [b]: elements b for which child[1] holds */
    BMF_TAIL_COUNT   /* int: how many elements b child[1] holds for */
} bmf_stream_tail;

/* The definition that an expression is written in, by one of its uses; for the regions of traces. A part of a
 * composition that was taken apart keeps the names of the whole; what a law makes of several parts has those that all
 * of them had. */
typedef struct bmf_naming bmf_naming;
struct bmf_naming {
    const bmf_naming *outer; /* the definition that it is used in, or NULL */
    const char *name;        /* with the $ */
    bmf_span use;
    int depth; /* definitions around it */
};

typedef struct notation_pattern bmf_binding; /* skeletons/language/notation/syntax.h */

typedef struct bmf_scalar bmf_scalar; /* skeletons/language/scalar/scalar.h */

typedef struct bmf_expression bmf_expression;
struct bmf_expression {
    bmf_expression_kind kind;
    bool parallel; /* written with P_ */
    bmf_span span; /* of the keyword and what belongs to it */
    bmf_operation operation;
    int numbers; /* of a grid: how many dimensions it has; 0: it was not written */
    int64_t number[BMF_NUMBERS];
    bool processors[BMF_NUMBERS]; /* of a split: the number was written as B_Procs */
    bmf_constant constant;
    const char *name;           /* without the $; of a B_Distl of the notation: what it hands on; of fields: "x,y" */
    const bmf_binding *binding; /* of the notation: the pattern that its argument must fit; or NULL */
    const bmf_binding *result;  /* likewise, its value */
    bmf_stream_head head;
    bmf_stream_tail tail;
    int children;
    bmf_expression **child;
    /* by the checker: */
    const bmf_type *in, *out; /* NULL before */
    const bmf_naming *names;  /* innermost; NULL: none, and inside of scalar expressions */
    bool on_grid;             /* it is applied to the blocks of a grid */
    bool communicates;        /* a P_ skeleton on a distributed list, or a split to one, is in it */
    bool repeats;             /* a B_While is in it */
    /* by the evaluator: */
    bmf_scalar *scalar; /* compiled, or NULL; freed with the arena */
};

/* The arena. */
typedef struct bmf_expressions bmf_expressions;
bmf_expressions *expressions_create(void);
void expressions_free(bmf_expressions *arena);
/* A node with room for `children` children (all NULL), everything else 0. */
bmf_expression *expression_create(bmf_expressions *arena, bmf_expression_kind kind, bmf_span span, int children);
/* The same node with its own child array (the children themselves are shared). */
bmf_expression *expression_copy(bmf_expressions *arena, const bmf_expression *expression);
/* Undefined bytes that live as long as the arena, aligned as any object needs. */
void *expressions_bytes(bmf_expressions *arena, int64_t size);
/* A copy of a text that lives as long as the arena. */
const char *expressions_text(bmf_expressions *arena, const char *text, int64_t size);

/* The expression with the names around those that it has: a copy, or itself if there are none to add. */
bmf_expression *expression_under(bmf_expressions *arena, bmf_expression *expression, const bmf_naming *names);
/* A copy that lives as long as the arena. */
const bmf_naming *naming_keep(bmf_expressions *arena, const bmf_naming *names);
/* The outermost names that both have; NULL: none. */
const bmf_naming *naming_common(const bmf_naming *a, const bmf_naming *b);

/* Structural equality: kinds, operations, numbers, constants (bits of reals), names and children; not places or
 * types. */
bool expression_equal(const bmf_expression *a, const bmf_expression *b);

/* "B_Map" or "P_Map"; "B_Plus"; "P_Distl". Static storage. */
const char *expression_keyword(const bmf_expression *expression);
const char *operation_keyword(bmf_operation operation, bool parallel);

#endif
