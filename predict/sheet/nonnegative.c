/* Least squares with coefficients that are not below zero; method and source in the header. */
#include "predict/sheet/nonnegative.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double dependent = 1e-10; /* of a pivot, columns scaled to length 1 */

typedef struct normal {
    int columns;
    double matrix[NONNEGATIVE_COLUMNS][NONNEGATIVE_COLUMNS], right[NONNEGATIVE_COLUMNS], square;
    double scale[NONNEGATIVE_COLUMNS];
} normal;

/* The normal equations, columns scaled to length 1; a column of zeros has scale 0. */
static void make_normal(int64_t rows, int columns, const double *x, const double *y, const double *weight, normal *n)
{
    *n = (normal){.columns = columns};
    for (int64_t r = 0; r < rows; r++) {
        const double *row = x + r * columns;
        n->square += weight[r] * y[r] * y[r];
        for (int a = 0; a < columns; a++) {
            n->right[a] += weight[r] * row[a] * y[r];
            for (int b = 0; b < columns; b++)
                n->matrix[a][b] += weight[r] * row[a] * row[b];
        }
    }
    for (int a = 0; a < columns; a++)
        n->scale[a] = n->matrix[a][a] > 0.0 ? 1.0 / sqrt(n->matrix[a][a]) : 0.0;
    for (int a = 0; a < columns; a++) {
        n->right[a] *= n->scale[a];
        for (int b = 0; b < columns; b++)
            n->matrix[a][b] *= n->scale[a] * n->scale[b];
    }
}

/* Solves the equations of the chosen columns; false if they depend on each other or a coefficient is negative. */
static bool solve(const normal *n, int count, const int *column, double *solution)
{
    double lower[NONNEGATIVE_COLUMNS][NONNEGATIVE_COLUMNS];
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = n->matrix[column[i]][column[j]];
            for (int k = 0; k < j; k++)
                sum -= lower[i][k] * lower[j][k];
            if (i == j && !(sum > dependent))
                return false;
            lower[i][j] = i == j ? sqrt(sum) : sum / lower[j][j];
        }
    for (int i = 0; i < count; i++) {
        double sum = n->right[column[i]];
        for (int k = 0; k < i; k++)
            sum -= lower[i][k] * solution[k];
        solution[i] = sum / lower[i][i];
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++)
            solution[i] -= lower[k][i] * solution[k];
        solution[i] /= lower[i][i];
        if (!(solution[i] >= 0.0))
            return false;
    }
    return true;
}

double nonnegative_fit(int64_t rows, int columns, const double *x, const double *y, const double *weight, double *b)
{
    normal n;
    make_normal(rows, columns, x, y, weight, &n);
    double least = n.square;
    memset(b, 0, (size_t)columns * sizeof *b);
    for (unsigned chosen = 1; chosen < 1U << columns; chosen++) {
        int column[NONNEGATIVE_COLUMNS], count = 0;
        double solution[NONNEGATIVE_COLUMNS] = {0.0}, residual = n.square;
        for (int c = 0; c < columns; c++)
            if (chosen >> c & 1)
                column[count++] = c;
        if (!solve(&n, count, column, solution))
            continue;
        for (int k = 0; k < count; k++) /* at a solution b'X'WXb = b'X'Wy */
            residual -= solution[k] * n.right[column[k]];
        if (residual >= least)
            continue;
        least = residual;
        memset(b, 0, (size_t)columns * sizeof *b);
        for (int k = 0; k < count; k++)
            b[column[k]] = solution[k] * n.scale[column[k]];
    }
    return fmax(least, 0.0);
}
