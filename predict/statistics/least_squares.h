/* Weighted linear least squares with few unknowns.
 *
 * Method: rows times the square roots of their weights, columns scaled to length 1, and their singular values by
 * one-sided Jacobi rotations; singular values that vanish against the largest are left out, so that columns that
 * depend on each other share what they explain. Source: Hestenes, "Inversion of matrices by biorthogonalization and
 * related results", J. SIAM 6 (1958); Golub and Van Loan, "Matrix Computations", 5.5 and 8.6. Cost: some ten sweeps of
 * rows * columns^2 operations.
 */
#ifndef BMF_STATISTICS_LEAST_SQUARES_H
#define BMF_STATISTICS_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bmf_least_squares {
    int64_t rows;
    int columns;
    const double *design; /* rows * columns, by rows */
    const double *weight; /* by row, >= 0 */
    const double *value;  /* by row */
    double *solution;     /* out: columns */
    double *covariance;   /* out: columns * columns, the inverse of design' weight design */
    double
        condition; /* out: largest over smallest singular value of the weighted columns of length 1; may be infinite */
} bmf_least_squares;

/* False, and nothing is written, if there are fewer rows than columns, or no columns, or a number is not finite. */
bool least_squares_solve(bmf_least_squares *s);

#endif
