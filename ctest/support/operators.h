/* Operators for the property tests, each twice: as a bmf operator and as a plain C function for the reference.
 *
 * Between them they cover every kind the library distinguishes: exact or not, commutative or not, with and without
 * identity, one leaf or several, with and without the fast forms, scalar or struct, and every type of scalars. */
#ifndef BMF_TEST_OPERATORS_H
#define BMF_TEST_OPERATORS_H

#include "bmf.h"
#include "ctest/reference/reference.h"

enum { TEST_OPERATORS = 31, TEST_LARGEST_RECORD = 256 };

typedef struct test_operator {
    const bmf_operator *op;
    reference_binary *combine;
    void (*draw)(uint64_t *state, void *x); /* a random element */
    size_t size;                            /* of a record */
} test_operator;

/* The k-th, 0 <= k < TEST_OPERATORS. Static storage. */
const test_operator *test_operator_number(int k);

/* Sums ints, exactly, but fails with code 77 when it meets a 13. */
extern const bmf_operator test_refuses_13;

/* n random elements, padding zeroed; the caller frees. Never NULL, also when n is 0. */
void *test_draw(const test_operator *test, int64_t n, uint64_t *state);

/* Whether reductions by the operator, a macro's, fold blocks column by column. */
bool test_goes_by_columns(const test_operator *test);
/* The value reduce or scan must give bit by bit: by a plain fold if the operator is exact, otherwise by the
 * fixed tree, of reductions by an operator that commutes the one with columns. */
void test_expected_fold(const test_operator *test, int64_t n, const void *x, void *y);
void test_expected_scan(const test_operator *test, int64_t n, const void *x, bmf_scan_kind kind, void *y);

#endif
