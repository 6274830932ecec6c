/* Scalar expressions of the language, interpreted one element at a time: slow and plainly right. */
#ifndef BMF_REFERENCE_SCALAR_H
#define BMF_REFERENCE_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "skeletons/language/scalar/scalar.h"

typedef struct datum {
    bmf_type_kind kind;
    int64_t integer; /* also of bools */
    double real;
} datum;

enum { TEST_LEAVES = 12 }; /* the types made have at most 9 */

/* The leaves of one element. */
typedef struct element {
    const bmf_type *type;
    int leaves;
    datum leaf[TEST_LEAVES];
} element;

static inline datum of_int(int64_t integer)
{
    return (datum){BMF_INT, integer, 0.0};
}

static inline datum of_real(double real)
{
    return (datum){BMF_REAL, 0, real};
}

static inline datum of_bool(bool truth)
{
    return (datum){BMF_BOOL, truth, 0.0};
}

/* The expression's value of x in *y; false: *failure says what failed first, where and with which operands. */
bool reference_scalar(const bmf_expression *e, const element *x, element *y, bmf_failure *failure);

#endif
