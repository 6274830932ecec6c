/* Folding the elements of a block source onto a forest; see tree.h.
 *
 * Method: three ways, whichever the operator allows. In any order: long blocks by op->reassociate. By blocks of 64
 * elements, which become 8 values each by op->fold_rows or op->fold_columns; a few hundred of these values are folded
 * as if they were elements. Otherwise level by level. What is before or behind whole blocks goes onto the forest node
 * by node.
 * Cost: n - 1 operations, every element read once. */
#include "skeletons/engine/tree.h"

/* A group is folded in blocks before the forest hears of it: a push costs as much as tens of elements. */
enum { GROUP = BMF_GROUP_BLOCKS * BMF_FOLD_BLOCK, EIGHT_BLOCKS = 8 * BMF_COLUMN_BLOCK };
/* Bytes of elements that are copied because they do not stand side by side. */
enum { ROOM_BYTES = 8192 };

/* ---- any order ---- */

/* Results of blocks are gathered before the forest hears of them. */
static int fold_reassociated(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                             int64_t begin, int64_t end)
{
    char *values = tree->records[worker];
    const int64_t max = source->direct ? GROUP : source->computed;
    for (int64_t i = begin; i < end;) {
        int64_t blocks = 0;
        for (int64_t count; blocks < BMF_GROUP_BLOCKS && i < end; i += count, blocks++) {
            bmf_slice x[BMF_MAX_LEAVES];
            count = end - i < max ? end - i : max;
            int code = source->block(source, worker, i, count, x);
            if (code != 0)
                return code;
            tree->op->reassociate(tree->op->context, count, x[0].data, values + blocks * tree->record);
        }
        tree->op->reassociate(tree->op->context, blocks, values, values);
        int code = forest_append(tree, forest, i, values, false);
        if (code != 0)
            return code;
    }
    return 0;
}

/* ---- by blocks ---- */

/* Elements as a plain array: where they stand, or copied to `room`. */
static const char *plain_elements(const bmf_tree *tree, int64_t count, const bmf_slice *x, char *room)
{
    const bmf_slice to = {room, tree->record};
    if (tree_is_plain(tree, x))
        return x[0].data;
    tree_copy(tree, count, x, &to);
    return room;
}

/* Elements to read at a time: as many as there may be, unless they have to be computed or copied. */
static int64_t block_step(const bmf_tree *tree, const bmf_block_source *source, int64_t count)
{
    int64_t most = source->direct ? tree->block_node : source->computed;
    while (!source->plain && most * tree->record > ROOM_BYTES)
        most /= 2;
    return count < most ? count : most;
}

static int read_and_fold_blocks(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin,
                                int64_t count, char *values)
{
    const int64_t step = block_step(tree, source, count);
    char room[ROOM_BYTES];
    for (int64_t done = 0; done < count; done += step) {
        bmf_slice x[BMF_MAX_LEAVES];
        int code = source->block(source, worker, begin + done, step, x);
        if (code != 0)
            return code;
        tree->fold_blocks(tree->op->context, step / BMF_COLUMN_BLOCK, plain_elements(tree, step, x, room),
                          values + done / BMF_COLUMN_BLOCK * BMF_COLUMNS * tree->record);
    }
    return 0;
}

/* 8 values of each block. */
static int fold_blocks(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, int64_t count,
                       char *values)
{
    if (source->fold_blocks)
        return source->fold_blocks(source, worker, begin, count / BMF_COLUMN_BLOCK, tree->op, tree->fold_blocks,
                                   values);
    return read_and_fold_blocks(tree, source, worker, begin, count, values);
}

/* One node of 64 .. tree->block_node elements. The values of eight blocks are a block themselves, which is folded at
 * once: a few values at a time, so that memory does not wait until hundreds of them are folded. */
static int fold_block_node(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin,
                           int64_t count, void *value)
{
    const bmf_operator *op = tree->op;
    char *values = tree->records[worker] + BMF_GROUP_BLOCKS * tree->record, *at = values;
    _Alignas(64) char first[BMF_COLUMN_BLOCK * BMF_LARGEST_IN_BLOCKS];
    const bool by_eight = op->fold_rows && count >= EIGHT_BLOCKS;
    const int64_t step = by_eight ? EIGHT_BLOCKS : count;
    for (int64_t done = 0; done < count; done += step) {
        int code = fold_blocks(tree, source, worker, begin + done, step, by_eight ? first : values);
        if (code != 0)
            return code;
        if (by_eight)
            op->fold_rows(op->context, 1, first, at);
        at += BMF_COLUMNS * tree->record;
    }
    const int64_t folded = count / (by_eight ? BMF_COLUMN_BLOCK : BMF_COLUMN_BLOCK / BMF_COLUMNS);
    return tree_fold(tree, worker, folded, &(bmf_slice){values, tree->record}, value);
}

static int fold_block_group(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin,
                            char *values)
{
    const bmf_slice group = {values, tree->record};
    const int64_t nodes = GROUP / tree->block_node;
    for (int64_t k = 0; k < nodes; k++) {
        int code = fold_block_node(tree, source, worker, begin + k * tree->block_node, tree->block_node,
                                   values + k * tree->record);
        if (code != 0)
            return code;
    }
    return tree_fold(tree, worker, nodes, &group, values);
}

/* A node of fewer elements than a block: its value, or the elements themselves. */
static int fold_rest(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, int64_t count,
                     char *values)
{
    bmf_slice x[BMF_MAX_LEAVES], to = {values, tree->record};
    int code = source->block(source, worker, begin, count, x);
    if (code != 0 || !tree->by_columns)
        return code != 0 ? code : tree_fold(tree, worker, count, x, values);
    tree_copy(tree, count, x, &to);
    return 0;
}

/* Elements of the largest node at `begin` that is no larger than a group. */
static int64_t group_node(int64_t begin, int64_t end)
{
    int64_t count = begin % GROUP == 0 ? GROUP : begin & -begin;
    while (count > end - begin)
        count /= 2;
    return count;
}

/* Elements of the next node at `begin` of at most block_node, or a group. */
static int64_t next_node(const bmf_tree *tree, int64_t begin, int64_t end)
{
    const int64_t count = group_node(begin, end);
    return count < GROUP && count > tree->block_node ? tree->block_node : count;
}

static int fold_by_blocks(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                          int64_t begin, int64_t end)
{
    char *values = tree->records[worker];
    for (int64_t i = begin, count; i < end; i += count) {
        count = next_node(tree, i, end);
        int code = count == GROUP              ? fold_block_group(tree, source, worker, i, values)
                   : count >= BMF_COLUMN_BLOCK ? fold_block_node(tree, source, worker, i, count, values)
                                               : fold_rest(tree, source, worker, i, count, values);
        if (code == 0)
            code = forest_push(tree, forest, count, values, false);
        if (code != 0)
            return code;
    }
    return 0;
}

/* ---- level by level ---- */

static int fold_block(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, int64_t count,
                      char *value)
{
    bmf_slice x[BMF_MAX_LEAVES];
    int code = source->block(source, worker, begin, count, x);
    return code != 0 ? code : tree_fold(tree, worker, count, x, value);
}

/* A node of several blocks, at most a whole group, when the operator folds plain arrays: the blocks' values stand side
 * by side and are folded like elements. The same tree, without a forest in between. */
static int fold_group(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, int64_t blocks,
                      char *values)
{
    const bmf_slice group = {values, tree->record};
    for (int64_t b = 0; b < blocks; b++, begin += BMF_FOLD_BLOCK) {
        char *value = values + b * tree->record;
        int code = source->fold ? source->fold(source, worker, begin, value)
                                : fold_block(tree, source, worker, begin, BMF_FOLD_BLOCK, value);
        if (code != 0)
            return code;
    }
    return tree_fold(tree, worker, blocks, &group, values);
}

/* Records of one leaf without padding can be folded again as elements. */
static bool folds_groups(const bmf_tree *tree)
{
    return tree->op->fold && tree->leaves == 1 && tree->record == tree->leaf_size[0];
}

static int fold_by_levels(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                          int64_t begin, int64_t end)
{
    const bool groups = folds_groups(tree);
    char *values = tree->records[worker];
    for (int64_t i = begin, count; i < end; i += count) {
        count = groups ? group_node(i, end) : tree_block(i, end);
        const int64_t blocks = groups ? count / BMF_FOLD_BLOCK : 0;
        int code = blocks > 1 ? fold_group(tree, source, worker, i, blocks, values)
                              : fold_block(tree, source, worker, i, count, values);
        if (code == 0)
            code = forest_push(tree, forest, count, values, false);
        if (code != 0)
            return code;
    }
    return 0;
}

int forest_fold(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker, int64_t begin,
                int64_t end)
{
    if (tree->reassociate && source->plain && !source->fused)
        return fold_reassociated(tree, forest, source, worker, begin, end);
    return (tree->fold_blocks && !source->fold ? fold_by_blocks : fold_by_levels)(tree, forest, source, worker, begin,
                                                                                  end);
}
