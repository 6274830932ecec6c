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
    X(POW, "B_Pow", REAL_PAIR, NEVER, REALS(POWER))                                                                    \
    X(ATAN2, "B_Atan2", REAL_PAIR, NEVER, REALS(ANGLE))                                                                \
    X(BITAND, "B_Bitand", INTS, NEVER, BOTH(AND_INT))                                                                  \
    X(BITOR, "B_Bitor", INTS, NEVER, BOTH(OR_INT))                                                                     \
    X(BITXOR, "B_Bitxor", INTS, NEVER, BOTH(XOR_INT))                                                                  \
    X(SHIFT_LEFT, "B_Shl", INTS, OF_INTS, BOTH(SHIFT_LEFT))                                                            \
    X(SHIFT_RIGHT, "B_Shr", INTS, OF_INTS, BOTH(SHIFT_RIGHT))                                                          \
    X(RANDOM, "B_Random", INTS_TO_REAL, NEVER, BOTH(RANDOM))                                                           \
    X(AND, "B_And", LOGIC, NEVER, BOTH(AND))                                                                           \
    X(OR, "B_Or", LOGIC, NEVER, BOTH(OR))                                                                              \
    X(EQ, "B_Eq", EQUALITY, NEVER, IF_BOOLS(BOTH(EQUAL_BOOL), NUMBERS(EQUAL)))                                         \
    X(NE, "B_Ne", EQUALITY, NEVER, OPPOSITE(IF_BOOLS(BOTH(EQUAL_BOOL), NUMBERS(EQUAL))))                               \
    X(GT, "B_Gt", ORDER, NEVER, SWAPPED(LESS))                                                                         \
    X(LT, "B_Lt", ORDER, NEVER, NUMBERS(LESS))                                                                         \
    X(GE, "B_Ge", ORDER, NEVER, SWAPPED(AT_MOST))                                                                      \
    X(LE, "B_Le", ORDER, NEVER, NUMBERS(AT_MOST))                                                                      \
    X(UMINUS, "B_Uminus", SIGN, OF_INTS, NUMBER(NEGATE))                                                               \
    X(NEG, "B_Neg", NEGATION, OF_INTS, IF_BOOLS(ONE(NOT), NUMBER(NEGATE)))                                             \
    X(NOT, "B_Not", NOT, NEVER, ONE(NOT))                                                                              \
    X(ABS, "B_Abs", SIGN, OF_INTS, NUMBER(ABSOLUTE))                                                                   \
    X(SQRT, "B_Sqrt", REAL_FUNCTION, NEVER, REAL(SQUARE_ROOT))                                                         \
    X(EXP, "B_Exp", REAL_FUNCTION, NEVER, REAL(EXPONENTIAL))                                                           \
    X(LOG, "B_Log", REAL_FUNCTION, NEVER, REAL(LOGARITHM))                                                             \
    X(SIN, "B_Sin", REAL_FUNCTION, NEVER, REAL(SINE))                                                                  \
    X(COS, "B_Cos", REAL_FUNCTION, NEVER, REAL(COSINE))                                                                \
    X(TAN, "B_Tan", REAL_FUNCTION, NEVER, REAL(TANGENT))                                                               \
    X(FLOOR, "B_Floor", REAL_FUNCTION, NEVER, REAL(FLOOR))                                                             \
    X(CEIL, "B_Ceil", REAL_FUNCTION, NEVER, REAL(CEILING))                                                             \
    X(ROUND, "B_Round", REAL_FUNCTION, NEVER, REAL(ROUND))                                                             \
    X(INT, "B_Int", TO_INT, FROM_REALS, to_int(c, a, e))                                                               \
    X(REAL, "B_Real", TO_REAL, NEVER, to_real(c, a, e))

/* Those of lists are skeletons: BMF_SKELETON_OPERATIONS. */
#include "skeletons/skeleton_types.h"

#endif
