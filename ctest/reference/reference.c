/* The serial reference of the computing skeletons: plain loops, and the fixed tree as its definition reads.
 * Method and cost: see reference.h. Source: docs/reproducible.md for the tree. */
#include "ctest/reference/reference.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_RECORD = 256 };

static const char *record(const void *x, int64_t i, size_t size)
{
    return (const char *)x + (size_t)i * size;
}

void reference_map(reference_unary *f, int64_t n, const void *x, size_t x_size, void *y, size_t y_size)
{
    for (int64_t i = 0; i < n; i++)
        f(record(x, i, x_size), (char *)y + (size_t)i * y_size);
}

void reference_zip(reference_binary *f, int64_t n, const void *a, size_t a_size, const void *b, size_t b_size, void *y,
                   size_t y_size)
{
    for (int64_t i = 0; i < n; i++)
        f(record(a, i, a_size), record(b, i, b_size), (char *)y + (size_t)i * y_size);
}

int64_t reference_filter(reference_predicate *holds, int64_t n, const void *x, size_t size, void *y)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (holds(record(x, i, size)))
            memcpy((char *)y + (size_t)kept++ * size, record(x, i, size), size);
    return kept;
}

/* total = total op x */
static void append(reference_binary *op, void *total, const void *x, size_t size)
{
    char sum[LARGEST_RECORD];
    op(total, x, sum);
    memcpy(total, sum, size);
}

void reference_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y)
{
    memcpy(y, x, size);
    for (int64_t i = 1; i < n; i++)
        append(op, y, record(x, i, size), size);
}

void reference_scan(reference_binary *op, int64_t n, const void *x, size_t size, const void *identity, void *y)
{
    char total[LARGEST_RECORD];
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)y + (size_t)i * size;
        if (identity)
            memcpy(to, i == 0 ? identity : total, size);
        if (i == 0)
            memcpy(total, x, size);
        else
            append(op, total, record(x, i, size), size);
        if (!identity)
            memcpy(to, total, size);
    }
}

static void node_value(reference_binary *op, int k, int64_t j, const void *x, size_t size, void *y)
{
    char left[LARGEST_RECORD], right[LARGEST_RECORD];
    if (k == 0) {
        memcpy(y, record(x, j, size), size);
        return;
    }
    node_value(op, k - 1, 2 * j, x, size, left);
    node_value(op, k - 1, 2 * j + 1, x, size, right);
    op(left, right, y);
}

void reference_tree_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y)
{
    int64_t done = 0;
    for (int k = 62; k >= 0; k--) {
        const int64_t width = INT64_C(1) << k;
        if (!(n & width))
            continue;
        char node[LARGEST_RECORD];
        node_value(op, k, done / width, x, size, node);
        if (done == 0)
            memcpy(y, node, size);
        else
            append(op, y, node, size);
        done += width;
    }
}

enum { COLUMNS = 8, COLUMN_BLOCK = 64 };

/* The pairs of n >= 1 records, which are overwritten; the value is then the first. */
static void fold_sequence(reference_binary *op, int64_t n, char *x, size_t size)
{
    while (n > 1) {
        int64_t left = 0;
        for (int64_t i = 0; i < n; i += 2, left++) {
            char value[LARGEST_RECORD];
            memcpy(value, record(x, i, size), size);
            if (i + 1 < n)
                append(op, value, record(x, i + 1, size), size);
            memcpy(x + (size_t)left * size, value, size);
        }
        n = left;
    }
}

/* The value of n <= 64 elements. */
static void block_value(reference_binary *op, int64_t n, const char *x, size_t size, void *y)
{
    char row[COLUMNS * LARGEST_RECORD];
    int64_t columns = 0;
    for (; columns < COLUMNS && columns < n; columns++) {
        char column[COLUMNS * LARGEST_RECORD];
        int64_t rows = 0;
        for (int64_t i = columns; i < n; i += COLUMNS, rows++)
            memcpy(column + (size_t)rows * size, record(x, i, size), size);
        fold_sequence(op, rows, column, size);
        memcpy(row + (size_t)columns * size, column, size);
    }
    fold_sequence(op, columns, row, size);
    memcpy(y, row, size);
}

void reference_column_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y)
{
    const int64_t blocks = n / COLUMN_BLOCK, rest = n % COLUMN_BLOCK;
    char *value = calloc((size_t)blocks + 1, size);
    for (int64_t b = 0; b <= blocks; b++)
        block_value(op, b < blocks ? COLUMN_BLOCK : rest, record(x, b * COLUMN_BLOCK, size), size,
                    value + (size_t)b * size);
    if (blocks > 0)
        reference_tree_fold(op, blocks, value, size, y);
    if (blocks > 0 && rest > 0)
        append(op, y, record(value, blocks, size), size);
    if (blocks == 0)
        memcpy(y, value, size);
    free(value);
}

/* level[k] gets the values of all complete nodes of height k; level[0] is x itself. */
static int node_levels(reference_binary *op, int64_t n, const void *x, size_t size, char *level[63])
{
    int height = 0;
    level[0] = malloc((size_t)n * size);
    memcpy(level[0], x, (size_t)n * size);
    for (int64_t nodes = n / 2; nodes > 0; nodes /= 2) {
        height++;
        level[height] = malloc((size_t)nodes * size);
        for (int64_t j = 0; j < nodes; j++)
            op(record(level[height - 1], 2 * j, size), record(level[height - 1], 2 * j + 1, size),
               level[height] + (size_t)j * size);
    }
    return height;
}

/* The fold of the first m >= 1 elements from the values of the nodes. */
static void prefix_value(reference_binary *op, int64_t m, int height, char *const level[63], size_t size, void *y)
{
    int64_t done = 0;
    for (int k = height; k >= 0; k--) {
        const int64_t width = INT64_C(1) << k;
        if (!(m & width))
            continue;
        const char *node = record(level[k], done / width, size);
        if (done == 0)
            memcpy(y, node, size);
        else
            append(op, y, node, size);
        done += width;
    }
}

void reference_tree_scan(reference_binary *op, int64_t n, const void *x, size_t size, const void *identity, void *y)
{
    if (n == 0)
        return;
    char *level[63];
    const int height = node_levels(op, n, x, size, level);
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)y + (size_t)i * size;
        if (identity && i == 0)
            memcpy(to, identity, size);
        else
            prefix_value(op, identity ? i : i + 1, height, level, size, to);
    }
    for (int k = 0; k <= height; k++)
        free(level[k]);
}
