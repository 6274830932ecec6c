/** @file
 * The parallel part of every program, for the programs themselves and for `chain`. Every function is collective;
 * results are the caller's. */
#ifndef COWICHAN_PROGRAMS_H
#define COWICHAN_PROGRAMS_H

#include "common.h"

/** The part of the plane that mandel looks at. */
struct view {
    double x, y, width, height;
    int64_t steps; /* at most */
};

struct matrix mandel(const struct run *run, const struct view *view);
struct matrix randmat(const struct run *run);
struct matrix half(const struct run *run, const struct matrix *in);
/** Changes the board. */
void life(const struct run *run, struct matrix *board, int64_t steps);
struct matrix thresh(const struct run *run, const struct matrix *in, double fraction);
struct matrix invperc(const struct run *run, const struct matrix *in, double fraction);
/** `copy`: every distance is computed once; the other triangle is copied. The vector is dealt as the matrix. */
struct matrix outer(const struct run *run, const struct matrix *points, bool copy, struct matrix *vector);
/** The ring of floor(2.5 n) points. */
struct matrix elastic(const struct run *run, const struct matrix *cities, int64_t iterations);
struct matrix product(const struct run *run, const struct matrix *a, const struct matrix *x);
/** Ends the run if it does not converge. */
struct matrix sor(const struct run *run, const struct matrix *a, const struct matrix *b, double factor,
                  double tolerance, int64_t max_iterations);
/** Ends the run if there is no pivot. */
struct matrix gauss(const struct run *run, const struct matrix *a, const struct matrix *b, bool pivot);
/** `reductions`: 1 or 4. Changes the points. */
void norm(const struct run *run, struct matrix *points, int64_t reductions);
struct matrix winnow(const struct run *run, const struct matrix *in, const struct matrix *mask, int64_t stride);
double vecdiff(const struct run *run, const struct matrix *a, const struct matrix *b);

/** The length of vectors in product, sor, gauss, vecdiff and of the ring in elastic. */
static inline int64_t vector_length(int64_t n)
{
    return 5 * n / 2;
}

#endif
