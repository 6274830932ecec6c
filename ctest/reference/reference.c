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
