/* Folding the elements of a block source onto a forest; see tree.h.
 *
 * Method: three ways, whichever the operator allows. In any order: long blocks by op->reassociate. By columns: blocks
 * of 64 elements become 8 values each by op->fold_columns, and a few hundred of these values are folded as if they were
 * elements. Otherwise the tree of neighbours, block by block. What is before or behind whole blocks goes onto the
 * forest node by node.
 * Cost: n - 1 operations, every element read once. */
#include "skeletons/engine/tree.h"

/* A group is folded in blocks before the forest hears of it: a push costs as much as tens of elements. */
enum { GROUP = BMF_GROUP_BLOCKS * BMF_FOLD_BLOCK };
/* Elements whose columns are folded together, and elements that are computed at a time: few, so that memory is not idle
 * until the next are asked for. Of 64, 128, 256 and 512, 128 was best for maps and zips of reals. */
enum { COLUMN_NODE = BMF_FOLD_BLOCK / BMF_COLUMNS * BMF_COLUMN_BLOCK, COMPUTED_BLOCK = 128 };

/* ---- any order ---- */

/* Results of blocks are gathered before the forest hears of them. */
static int fold_reassociated(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                             int64_t begin, int64_t end)
{
    char *values = tree->records[worker];
    const int64_t max = source->direct ? GROUP : COMPUTED_BLOCK;
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

/* ---- by columns ---- */

/* Elements as a plain array: where they stand, or copied to `room`. */
static const char *plain_elements(const bmf_tree *tree, int64_t count, const bmf_slice *x, char *room)
{
    const bmf_slice to = {room, tree->record};
    if (tree_is_plain(tree, x))
        return x[0].data;
    tree_copy(tree, count, x, &to);
    return room;
}

/* One node of 64 .. COLUMN_NODE elements. */
static int fold_column_node(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin,
                            int64_t count, void *value)
{
    char *columns = tree->records[worker] + BMF_GROUP_BLOCKS * tree->record;
    const int64_t most = source->direct ? COLUMN_NODE : COMPUTED_BLOCK, step = count < most ? count : most;
    const bmf_slice folded = {columns, tree->record};
    char room[COMPUTED_BLOCK * BMF_LARGEST_SCALAR];
    for (int64_t done = 0; done < count; done += step) {
        bmf_slice x[BMF_MAX_LEAVES];
        int code = source->block(source, worker, begin + done, step, x);
        if (code != 0)
            return code;
        tree->op->fold_columns(tree->op->context, step / BMF_COLUMN_BLOCK, plain_elements(tree, step, x, room),
                               columns + done / BMF_COLUMN_BLOCK * BMF_COLUMNS * tree->record);
    }
    return tree_fold(tree, worker, count / BMF_COLUMN_BLOCK * BMF_COLUMNS, &folded, value);
}

static int fold_column_group(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin,
                             char *values)
{
    const bmf_slice group = {values, tree->record};
    for (int64_t k = 0; k < GROUP / COLUMN_NODE; k++) {
        int code =
            fold_column_node(tree, source, worker, begin + k * COLUMN_NODE, COLUMN_NODE, values + k * tree->record);
        if (code != 0)
            return code;
    }
    return tree_fold(tree, worker, GROUP / COLUMN_NODE, &group, values);
}

/* Elements of the next node at `begin` of at most COLUMN_NODE, or a group. */
static int64_t next_columns(int64_t begin, int64_t end)
{
    int64_t count = begin % GROUP == 0 ? GROUP : begin & -begin;
    while (count > end - begin)
        count /= 2;
    return count < GROUP && count > COLUMN_NODE ? COLUMN_NODE : count;
}

static int fold_by_columns(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                           int64_t begin, int64_t end)
{
    char *values = tree->records[worker];
    for (int64_t i = begin, count; i < end; i += count) {
        bmf_slice x[BMF_MAX_LEAVES];
        const char *value = values;
        int code;
        count = next_columns(i, end);
        if (count == GROUP) {
            code = fold_column_group(tree, source, worker, i, values);
        } else if (count >= BMF_COLUMN_BLOCK) {
            code = fold_column_node(tree, source, worker, i, count, values);
        } else {
            code = source->block(source, worker, i, count, x);
            if (code == 0)
                value = plain_elements(tree, count, x, values);
        }
        if (code == 0)
            code = forest_push(tree, forest, count, value, false);
        if (code != 0)
            return code;
    }
    return 0;
}

/* ---- by neighbours ---- */

static int fold_block(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, int64_t count,
                      char *value)
{
    bmf_slice x[BMF_MAX_LEAVES];
    int code = source->block(source, worker, begin, count, x);
    return code != 0 ? code : tree_fold(tree, worker, count, x, value);
}

/* One whole aligned group, when the operator folds plain arrays: the blocks' values stand side by side and are folded
 * like elements. The same tree, without a forest in between. */
static int fold_group(const bmf_tree *tree, const bmf_block_source *source, int worker, int64_t begin, char *values)
{
    const bmf_slice group = {values, tree->record};
    for (int64_t b = 0; b < BMF_GROUP_BLOCKS; b++, begin += BMF_FOLD_BLOCK) {
        char *value = values + b * tree->record;
        int code = source->fold ? source->fold(source, worker, begin, value)
                                : fold_block(tree, source, worker, begin, BMF_FOLD_BLOCK, value);
        if (code != 0)
            return code;
    }
    return tree_fold(tree, worker, BMF_GROUP_BLOCKS, &group, values);
}

/* Records of one leaf without padding can be folded again as elements. */
static bool folds_groups(const bmf_tree *tree)
{
    return tree->op->fold && tree->leaves == 1 && tree->record == tree->leaf_size[0];
}

static int fold_neighbours(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                           int64_t begin, int64_t end)
{
    const bool groups = folds_groups(tree);
    char *values = tree->records[worker];
    for (int64_t i = begin, count; i < end; i += count) {
        bool group = groups && i % GROUP == 0 && end - i >= GROUP;
        count = group ? GROUP : tree_block(i, end);
        int code =
            group ? fold_group(tree, source, worker, i, values) : fold_block(tree, source, worker, i, count, values);
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
    if (tree->reassociate && source->plain)
        return fold_reassociated(tree, forest, source, worker, begin, end);
    return (tree->by_columns ? fold_by_columns : fold_neighbours)(tree, forest, source, worker, begin, end);
}
