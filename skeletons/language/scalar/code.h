/* Compiled scalar expressions; private to the files of scalar/.
 *
 * Code is in static single assignment form: every instruction computes one value, a block of elements at a time.
 * Instructions are in regions: region 0 is the whole expression, the branches of a choice and the body of a loop
 * are regions of their own, in which fewer elements may be computed. Values of an outer region come into a branch as
 * captures; into a loop nothing comes but its state.
 *
 *   choice  mask, two branches; result k is value[0][k] or value[1][k]
 *   loop    state values start as `initial`; code [0, test) computes the predicate, the rest the next state. The
 *           results are the states of each element when its predicate failed.
 *
 * A guarded instruction computes all elements but may fail only where its guard holds: that is how short branches are
 * computed without choices. */
#ifndef BMF_LANGUAGE_SCALAR_CODE_H
#define BMF_LANGUAGE_SCALAR_CODE_H

#include "skeletons/language/scalar/scalar.h"

/* What an instruction does; a table of instructions.c says the rest. WORD: ints and reals, BYTE: bools. */
/* clang-format off */
#define BMF_SCALAR_OPCODES(X)                                                                                    \
    X(ADD_INT) X(SUBTRACT_INT) X(MULTIPLY_INT) X(DIVIDE_INT) X(MODULO_INT) X(MAX_INT) X(MIN_INT) X(NEGATE_INT)   \
    X(ABSOLUTE_INT) X(AND_INT) X(OR_INT) X(XOR_INT) X(SHIFT_LEFT) X(SHIFT_RIGHT)                                 \
    X(EQUAL_INT) X(LESS_INT) X(AT_MOST_INT)                                                                      \
    X(ADD_REAL) X(SUBTRACT_REAL) X(MULTIPLY_REAL) X(DIVIDE_REAL) X(MODULO_REAL) X(MAX_REAL) X(MIN_REAL)          \
    X(NEGATE_REAL) X(ABSOLUTE_REAL) X(SQUARE_ROOT) X(EXPONENTIAL) X(LOGARITHM) X(SINE) X(COSINE)                 \
    X(TANGENT) X(POWER) X(ANGLE) X(FLOOR) X(CEILING) X(ROUND) X(RANDOM)                                          \
    X(EQUAL_REAL) X(LESS_REAL) X(AT_MOST_REAL)                                                                   \
    X(EQUAL_BOOL) X(AND) X(OR) X(NOT) X(INT_TO_REAL) X(REAL_TO_INT) X(BOOL_TO_INT) X(BOOL_TO_REAL)               \
    /* two operations in one pass, each rounded */                                                               \
    X(MULTIPLY_ADD) X(MULTIPLY_SUBTRACT) X(SUBTRACT_PRODUCT) X(ADD_ADD) X(SUBTRACT_ADD) X(ADD_MULTIPLY)          \
    X(SUBTRACT_MULTIPLY) X(MULTIPLY_MULTIPLY)                                                                    \
    X(SELECT_WORD) X(SELECT_BYTE) X(COPY_WORD) X(COPY_BYTE) X(CHOICE) X(LOOP)
/* clang-format on */

typedef enum bmf_scalar_opcode {
#define BMF_SCALAR_ENUM(opcode) BMF_SCALAR_##opcode,
    BMF_SCALAR_OPCODES(BMF_SCALAR_ENUM)
#undef BMF_SCALAR_ENUM
        BMF_SCALAR_OPCODE_COUNT
} bmf_scalar_opcode;

/* result[i] = a[i] op b[i] op c[i] for i < count, count >= 1. result may be an operand, unless the operation can
 * fail. Returns not 0 if some element failed (never of operations that cannot); all elements are computed all the
 * same. */
typedef int bmf_scalar_instructions(int64_t count, const void *a, const void *b, const void *c, void *result);

typedef struct bmf_scalar_operation {
    const char *name;
    int operands;
    int cost;                      /* of an element; an addition is 1 */
    bmf_type_kind operand, result; /* of SELECT and COPY: any of that size */
    bool fails;
    /* by uniform operands: bit k is set if operand k is one value for all elements; operands that do not exist count
     * like operand 0. All bits set: called with count 1. */
    bmf_scalar_instructions *run[8];
} bmf_scalar_operation;

extern const bmf_scalar_operation scalar_operations[BMF_SCALAR_OPCODE_COUNT];

/* Whether the operation fails on these operands, and how. */
bmf_failure_kind scalar_fails_at(bmf_scalar_opcode opcode, const void *a, const void *b);

/* ---- moving elements; size is 8 or 1 ---- */

/* to[i] = the element i * stride bytes behind from. */
void scalar_gather(int64_t size, int64_t count, const void *from, int64_t stride, void *to);
void scalar_scatter(int64_t size, int64_t count, const void *from, void *to, int64_t stride);
void scalar_fill(int64_t size, int64_t count, const void *value, void *to, int64_t stride);
/* to[i] = from[index[i]]; to may be from if index rises. */
void scalar_pick(int64_t size, int64_t count, const void *from, const int32_t *index, void *to);
/* to[place ? place[i] : i] = from[index ? index[i] : i], or the same value for all (uniform). */
void scalar_put(int64_t size, int64_t count, const void *from, bool uniform, const int32_t *index, const int32_t *place,
                void *to);
/* How many of the bytes, 0 or 1 each, are 1. */
int64_t scalar_true(int64_t count, const uint8_t *mask);
/* Numbers of the elements whose byte equals `which` (0 or 1), rising; returns how many. index has room for count. */
int64_t scalar_index(int64_t count, const uint8_t *mask, uint8_t which, int32_t *index);
/* Elements that are alive and do not hold leave: notes their numbers, rising, and that they are alive no more;
 * returns how many. step 0: holds is one byte for all, 0. */
int64_t scalar_leave(int64_t count, const uint8_t *holds, int64_t step, uint8_t *alive, int32_t *index);

/* ---- code ---- */

typedef enum bmf_scalar_origin {
    BMF_SCALAR_INPUT,    /* number: leaf */
    BMF_SCALAR_CONSTANT, /* bits */
    BMF_SCALAR_RESULT,   /* number: instruction */
    BMF_SCALAR_CAPTURE,  /* number: value of the outer region */
    BMF_SCALAR_STATE     /* number: loop */
} bmf_scalar_origin;

typedef struct bmf_scalar_value {
    bmf_scalar_origin origin;
    bmf_type_kind kind;
    int region;
    int number;
    uint64_t bits; /* of a constant; a bool in the first byte */
    bool needed;
    /* positions in the whole code (0: none): where it is computed, and from where to where its register is taken */
    int defined, first, last;
    bool apart; /* its register must not be that of a value whose last use is where this one begins */
    int home;   /* register, or -1 */
    int alias;  /* where its instruction was moved to */
} bmf_scalar_value;

typedef struct bmf_scalar_instruction {
    bmf_scalar_opcode opcode;
    int operand[3]; /* those that do not exist repeat operand 0 */
    int guard;      /* a bool value, or -1 */
    int value;      /* result; -1 for choices and loops */
    int part;       /* which choice or loop */
    int region;
    bool needed;
    const bmf_expression *where;
} bmf_scalar_instruction;

typedef struct bmf_scalar_region {
    int parent;                               /* region, or -1 */
    int owner;                                /* the choice or loop instruction; -1: none (yet) */
    bool loop;                                /* body of a loop */
    int *code, codes, code_capacity;          /* instructions */
    int *capture, captures, capture_capacity; /* values */
    int first_run, end_run;                   /* of native code */
} bmf_scalar_region;

typedef struct bmf_native_run bmf_native_run; /* native.h */

typedef struct bmf_scalar_choice {
    int mask;
    int branch[2]; /* regions: where the mask is false, where it is true */
    int results;
    int result[BMF_MAX_LEAVES];
    int value[2][BMF_MAX_LEAVES];
} bmf_scalar_choice;

typedef struct bmf_scalar_loop {
    int region, test, predicate;
    int test_at; /* position */
    int states;
    int initial[BMF_MAX_LEAVES], state[BMF_MAX_LEAVES], next[BMF_MAX_LEAVES];
    int result[BMF_MAX_LEAVES]; /* -1: not needed */
    int *crossing, crossings;   /* values computed before the test and needed behind it */
    bool eager;                 /* elements that left must not be computed: there are choices or loops inside */
    int64_t patience; /* elements computed in vain, in 1/16 of the elements there are, before compacting pays */
} bmf_scalar_loop;

typedef struct bmf_scalar_rooms bmf_scalar_rooms;

struct bmf_scalar {
    const bmf_expression *expression;
    int inputs, outputs;
    bmf_type_kind input_kind[BMF_MAX_LEAVES], output_kind[BMF_MAX_LEAVES];
    int output[BMF_MAX_LEAVES]; /* values; values 0 .. inputs - 1 are the inputs */
    bool may_fail;
    int block;        /* elements a register holds */
    int words, bytes; /* registers of 8 bytes and of 1 byte an element */
    bmf_scalar_value *value;
    int values, value_capacity;
    bmf_scalar_instruction *instruction;
    int instructions, instruction_capacity;
    bmf_scalar_region *region;
    int regions, region_capacity;
    bmf_scalar_choice *choice;
    int choices, choice_capacity;
    bmf_scalar_loop *loop;
    int loops, loop_capacity;
    bmf_native_run *run; /* those of a region one behind the other */
    int runs;
    bmf_scalar_rooms *rooms; /* that wait for their next use */
};

static inline int64_t scalar_size(bmf_type_kind kind)
{
    return kind == BMF_BOOL ? 1 : 8;
}

/* Finishes code: drops what is not needed, finds how long values live, gives them registers and chooses the block. */
void scalar_finish(bmf_scalar *scalar);

/* Appends one more element to a growing array; returns it, cleared. */
void *scalar_append(void **array, int *count, int *capacity, int64_t size);
#define BMF_SCALAR_APPEND(array, count, capacity)                                                                      \
    scalar_append((void **)&(array), &(count), &(capacity), (int64_t)sizeof *(array))

#endif
