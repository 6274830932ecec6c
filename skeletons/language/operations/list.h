/* The operations of the language, the operands of B_Op (..), one line each. */
#ifndef BMF_LANGUAGE_OPERATIONS_LIST_H
#define BMF_LANGUAGE_OPERATIONS_LIST_H

/* Of scalars: X(OPERATION, keyword, signature, failure, instructions). Signature and failure: operation.h.
 * Instructions: how scalar/compile.c makes them, of the operands a and b of the expression e. A new operation is its
 * line here, and in scalar/instructions.c an instruction if it needs another one. */
#define BMF_SCALAR_OPERATIONS(X)                                                                                       \
    X(PLUS, "B_Plus", ARITHMETIC, OF_INTS, NUMBERS(ADD))                                                               \
    X(MINUS, "B_Minus", ARITHMETIC, OF_INTS, NUMBERS(SUBTRACT))                                                        \
    X(TIMES, "B_Times", ARITHMETIC, OF_INTS, NUMBERS(MULTIPLY))                                                        \
    X(DIVIDE, "B_Divide", ARITHMETIC, OF_INTS, NUMBERS(DIVIDE))                                                        \
    X(MOD, "B_Mod", ARITHMETIC, OF_INTS, NUMBERS(MODULO))                                                              \
    X(MAX, "B_Max", ARITHMETIC, NEVER, NUMBERS(MAX))                                                                   \
    X(MIN, "B_Min", ARITHMETIC, NEVER, NUMBERS(MIN))                                                                   \
    X(AND, "B_And", LOGIC, NEVER, BOTH(AND))                                                                           \
    X(OR, "B_Or", LOGIC, NEVER, BOTH(OR))                                                                              \
    X(EQ, "B_Eq", EQUALITY, NEVER, IF_BOOLS(BOTH(EQUAL_BOOL), NUMBERS(EQUAL)))                                         \
    X(GT, "B_Gt", ORDER, NEVER, SWAPPED(LESS))                                                                         \
    X(LT, "B_Lt", ORDER, NEVER, NUMBERS(LESS))                                                                         \
    X(GE, "B_Ge", ORDER, NEVER, SWAPPED(AT_MOST))                                                                      \
    X(LE, "B_Le", ORDER, NEVER, NUMBERS(AT_MOST))                                                                      \
    X(UMINUS, "B_Uminus", SIGN, OF_INTS, NUMBER(NEGATE))                                                               \
    X(NEG, "B_Neg", NEGATION, OF_INTS, IF_BOOLS(ONE(NOT), NUMBER(NEGATE)))                                             \
    X(ABS, "B_Abs", SIGN, OF_INTS, NUMBER(ABSOLUTE))                                                                   \
    X(SQRT, "B_Sqrt", REAL_FUNCTION, NEVER, REAL(SQUARE_ROOT))                                                         \
    X(EXP, "B_Exp", REAL_FUNCTION, NEVER, REAL(EXPONENTIAL))                                                           \
    X(LOG, "B_Log", REAL_FUNCTION, NEVER, REAL(LOGARITHM))                                                             \
    X(SIN, "B_Sin", REAL_FUNCTION, NEVER, REAL(SINE))                                                                  \
    X(COS, "B_Cos", REAL_FUNCTION, NEVER, REAL(COSINE))                                                                \
    X(INT, "B_Int", TO_INT, FROM_REALS, to_int(c, a, e))                                                               \
    X(REAL, "B_Real", TO_REAL, NEVER, to_real(c, a, e))

/* Those of lists are skeletons: BMF_SKELETON_OPERATIONS. */
#include "skeletons/skeleton_types.h"

#endif
