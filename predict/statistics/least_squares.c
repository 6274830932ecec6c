/* One-sided Jacobi rotations; method and sources in the header. */
#include "predict/statistics/least_squares.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"

enum { MAX_SWEEPS = 60 };

/* By columns. After the rotations `column` is the scaled design times `right`, and its columns are orthogonal. */
typedef struct decomposition {
    int64_t rows;
    int columns;
    double *column, *right, *value; /* rows * columns, columns * columns, rows */
    double *scale, *singular;       /* columns */
} decomposition;

static double *column_of(const decomposition *d, int j)
{
    return d->column + j * d->rows;
}

static double product(const double *a, const double *b, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The length without overflow; 0 if all are. */
static double length_of(const double *a, int64_t count)
{
    double largest = 0.0, sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i]));
    for (int64_t i = 0; i < count && largest > 0.0; i++)
        sum += (a[i] / largest) * (a[i] / largest);
    return largest * sqrt(sum);
}

static void rotate(double *a, double *b, int64_t count, double cosine, double sine)
{
    for (int64_t i = 0; i < count; i++) {
        const double before = a[i];
        a[i] = cosine * before - sine * b[i];
        b[i] = sine * before + cosine * b[i];
    }
}

/* Makes two columns orthogonal; false if they are. */
static bool separate(decomposition *d, int p, int q)
{
    double *a = column_of(d, p), *b = column_of(d, q);
    const double aa = product(a, a, d->rows), bb = product(b, b, d->rows), ab = product(a, b, d->rows);
    if (!(fabs(ab) > DBL_EPSILON * sqrt(aa * bb)))
        return false;
    const double zeta = (bb - aa) / (2.0 * ab);
    const double tangent = copysign(1.0 / (fabs(zeta) + hypot(1.0, zeta)), zeta);
    const double cosine = 1.0 / hypot(1.0, tangent);
    rotate(a, b, d->rows, cosine, cosine * tangent);
    rotate(d->right + p * d->columns, d->right + q * d->columns, d->columns, cosine, cosine * tangent);
    return true;
}

static void decompose(decomposition *d)
{
    bool changed = true;
    for (int sweep = 0; changed && sweep < MAX_SWEEPS; sweep++) {
        changed = false;
        for (int p = 0; p < d->columns; p++)
            for (int q = p + 1; q < d->columns; q++)
                changed |= separate(d, p, q);
    }
    for (int j = 0; j < d->columns; j++)
        d->singular[j] = length_of(column_of(d, j), d->rows);
}

static decomposition open_decomposition(const bmf_least_squares *s)
{
    const int64_t cells = s->rows * s->columns, square = (int64_t)s->columns * s->columns;
    double *all = allocate_clear(cells + square + s->rows + 2 * s->columns, (int64_t)sizeof *all);
    decomposition d = {.rows = s->rows,
                       .columns = s->columns,
                       .column = all,
                       .right = all + cells,
                       .value = all + cells + square,
                       .scale = all + cells + square + s->rows,
                       .singular = all + cells + square + s->rows + s->columns};
    for (int64_t i = 0; i < s->rows; i++) {
        const double root = sqrt(s->weight[i]);
        d.value[i] = root * s->value[i];
        for (int j = 0; j < s->columns; j++)
            column_of(&d, j)[i] = root * s->design[i * s->columns + j];
    }
    for (int j = 0; j < s->columns; j++) {
        const double length = length_of(column_of(&d, j), d.rows);
        d.scale[j] = length > 0.0 ? 1.0 / length : 1.0;
        d.right[j * d.columns + j] = 1.0;
        for (int64_t i = 0; i < d.rows; i++)
            column_of(&d, j)[i] *= d.scale[j];
    }
    return d;
}

static bool all_finite(const double *value, int64_t count)
{
    bool finite = true;
    for (int64_t k = 0; k < count; k++)
        finite &= isfinite(value[k]) != 0;
    return finite;
}

/* x = scale V S^-2 (U S)' y, and covariance = scale V S^-2 V' scale, without the singular values that vanish. */
static void substitute(const decomposition *d, bmf_least_squares *s)
{
    double largest = 0.0, smallest = INFINITY;
    for (int j = 0; j < d->columns; j++) {
        largest = fmax(largest, d->singular[j]);
        smallest = fmin(smallest, d->singular[j]);
        s->solution[j] = 0.0;
        for (int k = 0; k < d->columns; k++)
            s->covariance[j * d->columns + k] = 0.0;
    }
    s->condition = smallest > 0.0 ? largest / smallest : INFINITY;
    for (int m = 0; m < d->columns; m++) {
        const double *right = d->right + m * d->columns;
        if (!(d->singular[m] > DBL_EPSILON * largest))
            continue;
        const double inverse = 1.0 / (d->singular[m] * d->singular[m]);
        const double part = inverse * product(column_of(d, m), d->value, d->rows);
        for (int j = 0; j < d->columns; j++) {
            s->solution[j] += d->scale[j] * right[j] * part;
            for (int k = 0; k < d->columns; k++)
                s->covariance[j * d->columns + k] += d->scale[j] * right[j] * inverse * right[k] * d->scale[k];
        }
    }
}

bool least_squares_solve(bmf_least_squares *s)
{
    if (s->columns < 1 || s->rows < s->columns)
        return false;
    decomposition d = open_decomposition(s);
    const bool finite = all_finite(d.column, d.rows * d.columns) && all_finite(d.value, d.rows);
    if (finite) {
        decompose(&d);
        substitute(&d, s);
    }
    free(d.column);
    return finite;
}
