/* The fixed tree over blocks: folding and scanning up to BMF_BLOCK elements; see tree.h.
 *
 * fold goes up level by level, scan comes down again: the exclusive prefix of a right child is its left sibling's
 * prefix op the sibling's value (Blelloch, "Prefix sums and their applications", 1990). 2 n operations each, all of
 * them elementwise over short arrays, so they vectorise. */
#include "skeletons/engine/tree.h"
#include "skeletons/engine/scalar_size.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

/* Values of blocks that are folded together: with those above them they fit the first-level cache. */
enum { BLOCK_VALUES_BYTES = 8192 };

/* Worker scratch: levels (BMF_BLOCK of each leaf), then two arrays for the way down (BMF_BLOCK + 1 of each leaf). */
static int64_t part_bytes(const bmf_tree *tree, int64_t count)
{
    int64_t bytes = 0;
    for (int k = 0; k < tree->leaves; k++)
        bytes += (count * tree->leaf_size[k] + 63) / 64 * 64;
    return bytes;
}

static void part_slices(const bmf_tree *tree, char *from, int64_t count, bmf_slice *slice)
{
    for (int k = 0; k < tree->leaves; k++) {
        slice[k] = (bmf_slice){from, tree->leaf_size[k]};
        from += (count * tree->leaf_size[k] + 63) / 64 * 64;
    }
}

/* Elements are folded block by block if they are small enough to stay in the first-level cache. */
static void open_blocks(bmf_tree *tree, bmf_fold_blocks *fold_blocks)
{
    const bool small = tree->leaves == 1 && tree->record == tree->leaf_size[0] && tree->record <= BMF_LARGEST_IN_BLOCKS;
    tree->fold_blocks = tree->op->fold && small ? fold_blocks : NULL;
    tree->block_node = BMF_FOLD_BLOCK / BMF_COLUMNS * BMF_COLUMN_BLOCK;
    while (tree->block_node / BMF_COLUMNS * tree->record > BLOCK_VALUES_BYTES)
        tree->block_node /= 2;
}

int tree_open(bmf_tree *tree, bmf_context *ctx, const char *skeleton, const bmf_operator *op, const bmf_type *type)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    char want[128], have[128];
    if (!bmf_type_equal(op->type, type))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: operator %s takes %s, found %s", skeleton, op->name,
                        bmf_type_print(op->type, want, sizeof want), bmf_type_print(type, have, sizeof have));
    *tree = (bmf_tree){.op = op, .workers = ctx->threads};
    tree->leaves = bmf_type_leaves(type, leaf);
    for (int k = 0; k < tree->leaves; k++)
        tree->leaf_size[k] = leaf[k]->size;
    tree->record = bmf_type_record(type, tree->offset);
    tree->exact = (op->flags & BMF_EXACT) || !ctx->reproducible;
    tree->reassociate =
        op->reassociate && (!ctx->reproducible || ((op->flags & BMF_EXACT) && (op->flags & BMF_COMMUTATIVE)));
    open_blocks(tree, op->version >= 1 ? op->fold_rows : NULL);
    tree->scratch = allocate(tree->workers * (int64_t)sizeof *tree->scratch);
    tree->records = allocate(tree->workers * (int64_t)sizeof *tree->records);
    for (int w = 0; w < tree->workers; w++) {
        tree->records[w] = allocate((BMF_GROUP_BLOCKS + tree->block_node / BMF_COLUMNS) * tree->record);
        tree->scratch[w] = allocate(part_bytes(tree, BMF_BLOCK) + 2 * part_bytes(tree, BMF_BLOCK + 1));
    }
    return BMF_OK;
}

int tree_open_reduction(bmf_tree *tree, bmf_context *ctx, const char *skeleton, const bmf_operator *op,
                        const bmf_type *type)
{
    BMF_TRY(tree_open(tree, ctx, skeleton, op, type));
    tree->by_columns = op->version >= 1 && op->fold_columns && (op->flags & BMF_COMMUTATIVE) && !tree->exact &&
                       tree->leaves == 1 && tree->record <= BMF_LARGEST_SCALAR;
    if (tree->by_columns)
        open_blocks(tree, op->fold_columns);
    return BMF_OK;
}

void tree_close(bmf_tree *tree)
{
    for (int w = 0; w < tree->workers; w++) {
        free(tree->scratch[w]);
        free(tree->records[w]);
    }
    free(tree->scratch);
    free(tree->records);
}

void tree_record(const bmf_tree *tree, void *record, bmf_slice slice[BMF_MAX_LEAVES])
{
    for (int k = 0; k < tree->leaves; k++)
        slice[k] = (bmf_slice){(char *)record + tree->offset[k], tree->record};
}

void tree_put(const bmf_tree *tree, const void *record, const bmf_slice *to, int64_t at)
{
    for (int k = 0; k < tree->leaves; k++)
        memcpy((char *)to[k].data + at * to[k].stride, (const char *)record + tree->offset[k],
               (size_t)tree->leaf_size[k]);
}

int tree_combine(const bmf_tree *tree, const void *a, const void *b, void *out)
{
    bmf_slice in[2 * BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
    tree_record(tree, (void *)a, in);
    tree_record(tree, (void *)b, in + tree->leaves);
    tree_record(tree, out, to);
    return tree->op->combine(tree->op->context, 1, in, to);
}

/* ---- slices of arrays ---- */

/* Every step-th element of x from `first` on. */
static void take(const bmf_tree *tree, const bmf_slice *x, int64_t first, int64_t step, bmf_slice *taken)
{
    for (int k = 0; k < tree->leaves; k++)
        taken[k] = (bmf_slice){(char *)x[k].data + first * x[k].stride, step * x[k].stride};
}

#define COPY_LEAF(size)                                                                                                \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(target + i * to_step, source + i * from_step, (size_t)(size))

void tree_copy(const bmf_tree *tree, int64_t count, const bmf_slice *from, const bmf_slice *to)
{
    for (int k = 0; k < tree->leaves; k++) {
        const int64_t size = tree->leaf_size[k], from_step = from[k].stride, to_step = to[k].stride;
        const char *source = from[k].data;
        char *target = to[k].data;
        WITH_SCALAR_SIZE(size, COPY_LEAF);
    }
}

/* to = a op b, elementwise. */
static int combine(const bmf_tree *tree, int64_t count, const bmf_slice *a, const bmf_slice *b, const bmf_slice *to)
{
    bmf_slice in[2 * BMF_MAX_LEAVES];
    memcpy(in, a, (size_t)tree->leaves * sizeof *in);
    memcpy(in + tree->leaves, b, (size_t)tree->leaves * sizeof *in);
    return tree->op->combine(tree->op->context, count, in, to);
}

/* ---- up ---- */

int tree_fold(const bmf_tree *tree, int worker, int64_t count, const bmf_slice *x, void *record)
{
    const bmf_operator *op = tree->op;
    bmf_slice levels[BMF_MAX_LEAVES], from[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES], result[BMF_MAX_LEAVES];
    part_slices(tree, tree->scratch[worker], BMF_BLOCK, levels);
    tree_record(tree, record, result);
    memcpy(from, x, (size_t)tree->leaves * sizeof *from);
    if (op->fold && tree_is_plain(tree, x)) {
        op->fold(op->context, count, x[0].data, levels[0].data);
        if (count > 1)
            take(tree, levels, count - 2, 1, from);
    } else {
        int64_t done = 0;
        for (int64_t half = count / 2; half > 0; half /= 2) {
            bmf_slice left[BMF_MAX_LEAVES], right[BMF_MAX_LEAVES];
            take(tree, from, 0, 2, left);
            take(tree, from, 1, 2, right);
            take(tree, levels, done, 1, to);
            int code = combine(tree, half, left, right, to);
            if (code != 0)
                return code;
            memcpy(from, to, (size_t)tree->leaves * sizeof *from);
            done += half;
        }
    }
    tree_copy(tree, 1, from, result);
    return 0;
}

/* Neighbours `width` elements apart: runs of `width` elements are combined with the run behind them, as far as that
 * goes, and these with the next pair, until the first run has everything. */
static int fold_pairs(const bmf_tree *tree, int64_t count, int64_t width, const bmf_slice *x)
{
    for (int64_t apart = width; apart < count; apart *= 2)
        for (int64_t i = 0; i + apart < count; i += 2 * apart) {
            bmf_slice left, right;
            const int64_t rest = count - i - apart;
            take(tree, x, i, 1, &left);
            take(tree, x, i + apart, 1, &right);
            int code = combine(tree, rest < width ? rest : width, &left, &right, &left);
            if (code != 0)
                return code;
        }
    return 0;
}

int tree_fold_incomplete(const bmf_tree *tree, int64_t count, void *elements, void *record)
{
    const bmf_slice x = {elements, tree->record};
    int code = fold_pairs(tree, count, BMF_COLUMNS, &x);
    if (code == 0)
        code = fold_pairs(tree, count < BMF_COLUMNS ? count : BMF_COLUMNS, 1, &x);
    memmove(record, elements, (size_t)tree->record);
    return code;
}

/* ---- down ---- */

/* One level down, into `to`: exclusive prefixes of 2 * half nodes from those of their parents and the values of the
 * left ones. open: the first node has nothing before it. */
static int descend(const bmf_tree *tree, int64_t half, bool open, const bmf_slice *parents, const bmf_slice *values,
                   const bmf_slice *to)
{
    bmf_slice left[BMF_MAX_LEAVES], right[BMF_MAX_LEAVES], even[BMF_MAX_LEAVES];
    take(tree, to, 0, 2, left);
    take(tree, to, 1, 2, right);
    take(tree, values, 0, 2, even);
    tree_copy(tree, half, parents, left);
    if (!open)
        return combine(tree, half, parents, even, right);
    tree_copy(tree, 1, even, right);
    take(tree, to, 3, 2, right);
    take(tree, values, 2, 2, even);
    bmf_slice rest[BMF_MAX_LEAVES];
    take(tree, parents, 1, 1, rest);
    return half > 1 ? combine(tree, half - 1, rest, even, right) : 0;
}

/* The last level of an inclusive scan: the fold up to and with each element. parents has half + 1 values. */
static int descend_inclusive(const bmf_tree *tree, int64_t half, bool open, const bmf_slice *parents,
                             const bmf_slice *x, const bmf_slice *to)
{
    bmf_slice left[BMF_MAX_LEAVES], right[BMF_MAX_LEAVES], even[BMF_MAX_LEAVES], next[BMF_MAX_LEAVES];
    take(tree, to, 0, 2, left);
    take(tree, to, 1, 2, right);
    take(tree, x, 0, 2, even);
    take(tree, parents, 1, 1, next);
    tree_copy(tree, half, next, right);
    if (!open)
        return combine(tree, half, parents, even, left);
    tree_copy(tree, 1, even, left);
    take(tree, to, 2, 2, left);
    take(tree, x, 2, 2, even);
    return half > 1 ? combine(tree, half - 1, next, even, left) : 0;
}

static int scan_levels(const bmf_tree *tree, int worker, int64_t count, const bmf_slice *x, const void *prefix,
                       const void *last, const bmf_slice *out)
{
    char *scratch = tree->scratch[worker];
    bmf_slice levels[BMF_MAX_LEAVES], current[BMF_MAX_LEAVES], next[BMF_MAX_LEAVES];
    part_slices(tree, scratch, BMF_BLOCK, levels);
    scratch += part_bytes(tree, BMF_BLOCK);
    part_slices(tree, scratch, BMF_BLOCK + 1, current);
    part_slices(tree, scratch + part_bytes(tree, BMF_BLOCK + 1), BMF_BLOCK + 1, next);
    bool open = !prefix;
    if (prefix)
        tree_put(tree, prefix, current, 0);
    int64_t level = count - 2; /* where the level's values start */
    for (int64_t half = 1; half < count / 2; half *= 2) {
        bmf_slice values[BMF_MAX_LEAVES], swap[BMF_MAX_LEAVES];
        level -= 2 * half;
        take(tree, levels, level, 1, values);
        int code = descend(tree, half, open, current, values, next);
        if (code != 0)
            return code;
        memcpy(swap, current, sizeof swap);
        memcpy(current, next, sizeof current);
        memcpy(next, swap, sizeof next);
    }
    if (last) {
        tree_put(tree, last, count > 1 ? current : out, count / 2);
        return count > 1 ? descend_inclusive(tree, count / 2, open, current, x, out) : 0;
    }
    if (count == 1) {
        if (prefix)
            tree_copy(tree, 1, current, out);
        return 0;
    }
    return descend(tree, count / 2, open, current, x, out);
}

int tree_scan(const bmf_tree *tree, int worker, int64_t count, const bmf_slice *x, const void *prefix, const void *last,
              const bmf_slice *out)
{
    const bmf_operator *op = tree->op;
    if (!op->scan || !op->fold || !tree_is_plain(tree, x) || !tree_is_plain(tree, out))
        return scan_levels(tree, worker, count, x, prefix, last, out);
    char *levels = tree->scratch[worker];
    op->scan(op->context, count, x[0].data, levels, prefix, last, out[0].data, levels + part_bytes(tree, BMF_BLOCK));
    return 0;
}
