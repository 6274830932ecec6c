/* Least squares with coefficients that are not below zero.
 *
 * Method: with so few columns every choice of those that are not zero is tried; the normal equations of each are
 * solved by Cholesky's method, and of those without negative coefficients the one with the least residual is the
 * minimum (Lawson and Hanson, "Solving Least Squares Problems", 1974, chapter 23: it satisfies the conditions of Kuhn
 * and Tucker). Cost: rows columns^2 + 2^columns columns^3 / 6. */
#ifndef BMF_NONNEGATIVE_H
#define BMF_NONNEGATIVE_H

#include <stdint.h>

enum { NONNEGATIVE_COLUMNS = 5 };

/* Minimises sum of weight[r] (y[r] - sum of x[r * columns + c] b[c])^2 over b >= 0, columns <= NONNEGATIVE_COLUMNS;
 * returns the minimum. Columns that depend on others may be left at 0. */
double nonnegative_fit(int64_t rows, int columns, const double *x, const double *y, const double *weight, double *b);

#endif
