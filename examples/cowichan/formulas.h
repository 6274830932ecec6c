/** @file
 * What a cell, a row or a pair of points takes: computed alike in plain MPI and on bmf's skeletons, so that only what
 * is around it differs. All of it is local. */
#ifndef COWICHAN_FORMULAS_H
#define COWICHAN_FORMULAS_H

#include <math.h>
#include <stdint.h>

/** Of mandel: the steps, at most max, after which z^2 + (x, y) leaves the circle. */
static inline int32_t steps_to_leave(double x, double y, int64_t max_steps)
{
    double re = 0, im = 0;
    int32_t k = 0;
    while (k < max_steps && re * re + im * im <= 4) {
        const double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        k++;
    }
    return k;
}

/** Of half: where row or column i of the result comes from. */
static inline int64_t half_source(int64_t i, int64_t n)
{
    const int64_t evens = (n + 1) / 2;
    return i < evens ? 2 * i : 2 * (i - evens) + 1;
}

/** Of life: one row of the next board from three of this one. */
static inline void life_row(const int32_t *above, const int32_t *here, const int32_t *below, int32_t *next, int n)
{
    for (int j = 0; j < n; j++) {
        const int left = j > 0 ? j - 1 : n - 1, right = j < n - 1 ? j + 1 : 0;
        const int alive =
            above[left] + above[j] + above[right] + here[left] + here[right] + below[left] + below[j] + below[right];
        next[j] = alive == 3 || (alive == 2 && here[j] != 0);
    }
}

/** Of thresh: the largest value that at least `wanted` cells reach. */
static inline int32_t threshold(const int64_t *count, int32_t largest, double wanted)
{
    int64_t reached = count[largest];
    while (largest > 0 && (double)reached < wanted)
        reached += count[--largest];
    return largest;
}

/** Of outer: distances of points from each other, and from the origin. */
static inline double distance(const double *points, int64_t i, int64_t j)
{
    const double x = points[2 * i] - points[2 * j], y = points[2 * i + 1] - points[2 * j + 1];
    return sqrt(x * x + y * y);
}

/** See distance. */
static inline double from_origin(const double *points, int64_t i)
{
    return sqrt(points[2 * i] * points[2 * i] + points[2 * i + 1] * points[2 * i + 1]);
}

/** Of product and sor: the sum in the order of the row. */
static inline double row_sum(const double *row, const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += row[j] * x[j];
    return sum;
}

/** Of sor: unknown i from the old values of all. */
static inline double relaxed(const double *row, const double *x, int64_t i, int64_t n, double b, double factor)
{
    return x[i] + factor * (b - row_sum(row, x, n)) / row[i];
}

/** Of gauss: row -= factor times the pivot's row, from column k on: before it the pivot's row is zero. */
static inline void subtract_row(double *row, const double *pivot, int64_t k, int64_t end)
{
    const double factor = row[k];
    for (int64_t j = k; j < end; j++)
        row[j] -= factor * pivot[j];
}

#endif
