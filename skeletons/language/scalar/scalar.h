/* Scalar expressions compiled to block kernels.
 *
 * A scalar expression (is_scalar_expression: fixed types, no lists) becomes straight code over registers; a register
 * holds a block of up to BMF_BLOCK elements, an instruction is one vectorised loop over a block, and a whole expression
 * runs over a block while it stays in the first-level cache. B_If and B_While are regions: elements that take a branch,
 * or go on, are compacted, so that only they are computed and only they can fail. Nothing is interpreted per element.
 *
 * Semantics (docs/language.md): ints are int64, overflow is a failure; int division truncates, by zero is a failure;
 * reals are IEEE doubles and never fail. */
#ifndef BMF_LANGUAGE_SCALAR_H
#define BMF_LANGUAGE_SCALAR_H

#include "runtime/backend/backend.h"
#include "bmf/kernel.h"
#include "skeletons/language/front/expression.h"

typedef enum bmf_failure_kind {
    BMF_FAILURE_NONE,
    BMF_FAILURE_OVERFLOW,   /* int overflow */
    BMF_FAILURE_DIVISION,   /* int division or B_Mod by zero */
    BMF_FAILURE_SHIFT,      /* by fewer than 0 or more than 63 bits, values[1] */
    BMF_FAILURE_CONVERSION, /* B_Int of a real that is no int64 */
    BMF_FAILURE_INDEX,      /* values: index, length */
    BMF_FAILURE_SLICE,      /* values: from, to, length */
    BMF_FAILURE_LENGTH,     /* B_Iota of a negative number; values[0] */
    BMF_FAILURE_RAGGED,     /* zip of lists of values[0] and values[1] elements */
    BMF_FAILURE_EMPTY,      /* B_Reduce without default on an empty list */
    BMF_FAILURE_KEY,        /* values: a key, the number of keys */
    BMF_FAILURE_ROWS,       /* values: a row, its length, that of row 0, which matrix (0: the only one, or from 1) */
    BMF_FAILURE_SHAPES,     /* of a product; values: rows and columns of both */
    BMF_FAILURE_ARRAY,      /* values: a list, one in it or -1, its length, that of the first one */
    BMF_FAILURE_COUNT,      /* of blocks; values: how many there must be, how many there are */
    BMF_FAILURE_BLOCKS      /* values: a block, a dimension, how many it has there, how many its neighbours */
} bmf_failure_kind;

/* The first failure of a block or a batch. */
typedef struct bmf_failure {
    bmf_failure_kind kind;
    const bmf_expression *expression; /* where */
    int64_t element;                  /* of the block or batch */
    int64_t value[4];                 /* the operands that failed, if integers */
    double real;                      /* that B_Int got */
} bmf_failure;

/* The compiled form, made on first use and kept in expression->scalar (freed with the arena). Not thread-safe. */
const bmf_scalar *scalar_of_expression(bmf_expression *expression);
void scalar_free(bmf_scalar *scalar);

/* Leaves of input and output, and whether it can fail at all. */
int scalar_inputs(const bmf_scalar *scalar);
int scalar_outputs(const bmf_scalar *scalar);
bool scalar_may_fail(const bmf_scalar *scalar);
/* If the expression is only a component selection or a constant shuffle of inputs, output leaf k is input leaf
 * source[k]. */
bool scalar_is_selection(const bmf_scalar *scalar, int source[BMF_MAX_LEAVES]);

/* Register files, one per worker. */
typedef struct bmf_scalar_room bmf_scalar_room;
/* One that was closed before, or a new one. Any thread may call these, while the scalar is there. */
bmf_scalar_room *scalar_room_open(const bmf_scalar *scalar);
/* NULL is allowed. Keeps it for the next one who opens one; all are freed with the scalar. */
void scalar_room_close(bmf_scalar_room *room);
/* Memory for whatever its user computes with besides, at least so large; undefined, also after the next call. */
char *scalar_room_beside(bmf_scalar_room *room, int64_t bytes);
/* How often loops have gone round since it was opened, over all elements that went round. */
int64_t scalar_room_rounds(const bmf_scalar_room *room);

/* What an element costs, in additions, without loops; and one of these for each time that it goes round in a loop (the
 * mean of the loops). */
typedef struct bmf_scalar_costs {
    int64_t operations, round;
} bmf_scalar_costs;
void scalar_cost(const bmf_scalar *scalar, bmf_scalar_costs *costs);

/* Computes elements [0, count), count <= BMF_BLOCK, from in to out: slices of any stride (0: broadcast; 16: every
 * other real). Output slices may be exactly input slices. Output leaves with data NULL get their data set to where
 * the result stands (an input, a register or a constant of stride 0), valid until the room's next run: consumers need
 * not copy. Returns 0, or 1 after filling *failure for the first failing element. */
int scalar_run(const bmf_scalar *scalar, bmf_scalar_room *room, int64_t count, const bmf_slice *in, bmf_slice *out,
               bmf_failure *failure);

/* The same at once for any number of elements, where the expression is native code as a whole (native.h), cannot fail,
 * and the columns are arrays or of stride 0. Return false, and then nothing is done, where that is not so. out: begins
 * with a line of 64 bytes and is written past the caches; it does not overlap what is read. */
bool scalar_write(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, const bmf_slice *out);

/* The same into the caches, at any address: for results that are read soon, or are few. None of `out` is in `in`. */
bool scalar_compute(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, const bmf_slice *out);
/* The one bool that results, as bits; those behind the last element of its word of 64 are 0. */
bool scalar_marks(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, uint64_t *word);
/* held[k]: for how many elements the bool k that results is true. */
bool scalar_count(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, int64_t *held);
/* The predicates of one or several streams of the same lists that count, each on its elements; made on first use and
 * kept in the node (freed with the arena). */
const bmf_scalar *scalar_of_counts(bmf_expression *counts);

/* An operator {T, T} -> T for the fixed tree (skeletons/engine/tree.h). B_Plus, B_Times, B_Max, B_Min, B_And, B_Or on
 * scalars of one type are recognised and get fast fold and scan functions (ints with overflow checks); others run
 * level by level through combine. flags say BMF_EXACT and BMF_COMMUTATIVE only where that is certain: for the
 * recognised ones on int and bool, and max and min. Failures are in the operator's own state afterwards
 * (scalar_operator_failure), whose element is meaningless. */
typedef struct bmf_scalar_operator bmf_scalar_operator;
bmf_scalar_operator *scalar_operator_create(bmf_expression *operation, int workers);
const bmf_operator *scalar_operator_get(const bmf_scalar_operator *operation);
bool scalar_operator_failure(const bmf_scalar_operator *operation, bmf_failure *failure);
void scalar_operator_free(bmf_scalar_operator *operation);

/* A listing of the compiled code, for `bmf plan`; the caller frees it. */
char *scalar_print(const bmf_scalar *scalar);

#endif
