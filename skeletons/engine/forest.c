/* Forests: partial results of the fixed tree; see tree.h.
 *
 * A push merges siblings like the carries of a binary counter: amortised one operation a push. When the operator
 * fails the forest keeps its shape all the same, so that messages keep their sizes until all ranks know. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/tree.h"

int64_t tree_block(int64_t begin, int64_t end)
{
    int64_t count = begin == 0 ? BMF_BLOCK : begin & -begin;
    if (count > BMF_BLOCK)
        count = BMF_BLOCK;
    while (count > end - begin)
        count /= 2;
    return count;
}

int forest_nodes(const bmf_tree *tree, int64_t begin, int64_t end)
{
    int nodes = 0;
    if (tree->exact)
        return end > begin;
    while (begin < end) {
        int64_t count = begin == 0 ? INT64_MAX / 2 + 1 : begin & -begin;
        while (count > end - begin)
            count /= 2;
        begin += count;
        nodes++;
    }
    return nodes;
}

void forest_start(bmf_forest *forest, int64_t begin)
{
    *forest = (bmf_forest){.begin = begin, .end = begin};
}

void forest_free(bmf_forest *forest)
{
    free(forest->node);
    free(forest->value);
    free(forest->prefix);
    *forest = (bmf_forest){0};
}

static void grow(const bmf_tree *tree, bmf_forest *forest, bool scanning)
{
    int grown = forest->capacity ? 2 * forest->capacity : 4;
    forest->node =
        reallocate(forest->node, forest->nodes * (int64_t)sizeof *forest->node, grown * (int64_t)sizeof *forest->node);
    forest->value = reallocate(forest->value, forest->nodes * tree->record, grown * tree->record);
    if (scanning)
        forest->prefix = reallocate(forest->prefix, forest->nodes * tree->record, grown * tree->record);
    forest->capacity = grown;
}

static bool are_siblings(const bmf_forest_node *left, const bmf_forest_node *right)
{
    return left->level == right->level && (left->start >> left->level) % 2 == 0;
}

/* Adds a node and merges; level is meaningless for exact operators. */
static int push(const bmf_tree *tree, bmf_forest *forest, int level, const void *record, bool scanning)
{
    if (forest->nodes == forest->capacity)
        grow(tree, forest, scanning);
    forest->node[forest->nodes] = (bmf_forest_node){forest->end, level};
    memcpy(forest->value + forest->nodes * tree->record, record, (size_t)tree->record);
    forest->nodes++;
    int code = 0;
    while (forest->nodes > 1) {
        bmf_forest_node *right = &forest->node[forest->nodes - 1], *left = right - 1;
        char *value = forest->value + (forest->nodes - 2) * tree->record;
        if (!tree->exact && !are_siblings(left, right))
            break;
        int failed = tree_combine(tree, value, value + tree->record, value);
        code = code ? code : failed;
        left->level++;
        forest->nodes--;
    }
    if (!scanning || code != 0)
        return code;
    char *value = forest->value + (forest->nodes - 1) * tree->record;
    char *prefix = forest->prefix + (forest->nodes - 1) * tree->record;
    if (forest->nodes > 1)
        return tree_combine(tree, prefix - tree->record, value, prefix);
    memcpy(prefix, value, (size_t)tree->record);
    return 0;
}

int forest_push(const bmf_tree *tree, bmf_forest *forest, int64_t count, const void *record, bool scanning)
{
    int code = push(tree, forest, __builtin_ctzll((unsigned long long)count), record, scanning);
    forest->end += count;
    return code;
}

const char *forest_top(const bmf_tree *tree, const bmf_forest *forest)
{
    return forest->nodes ? forest->prefix + (forest->nodes - 1) * tree->record : NULL;
}

int forest_scan(const bmf_tree *tree, bmf_forest *before, int worker, int64_t count, const bmf_slice *x, bool inclusive,
                char *room, const bmf_slice *out)
{
    const char *prefix = forest_top(tree, before);
    char *value = room + tree->record;
    if (prefix) /* a push may move it */
        prefix = memcpy(room, prefix, (size_t)tree->record);
    int code = tree_fold(tree, worker, count, x, value);
    if (code == 0)
        code = forest_push(tree, before, count, value, true);
    if (code != 0)
        return code;
    return tree_scan(tree, worker, count, x, prefix, inclusive ? forest_top(tree, before) : NULL, out);
}

int forest_append(const bmf_tree *tree, bmf_forest *forest, int64_t end, const char *values, bool scanning)
{
    if (forest->end == end)
        return 0;
    if (tree->exact) {
        int code = push(tree, forest, 0, values, scanning);
        forest->end = end;
        return code;
    }
    int code = 0;
    while (forest->end < end) {
        int64_t count = forest->end == 0 ? INT64_MAX / 2 + 1 : forest->end & -forest->end;
        while (count > end - forest->end)
            count /= 2;
        int failed = forest_push(tree, forest, count, values, scanning);
        code = code ? code : failed;
        values += tree->record;
    }
    return code;
}

/* A group is folded in blocks before the forest hears of it: a push costs as much as tens of elements. */
enum { GROUP = BMF_GROUP_BLOCKS * BMF_FOLD_BLOCK };

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
    bmf_slice group = {values, tree->record};
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

/* The order is free: any number of elements at once. */
static int fold_reassociated(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                             int64_t begin, int64_t end, char *record)
{
    bmf_slice x[BMF_MAX_LEAVES];
    int64_t max = source->direct ? GROUP : BMF_FOLD_BLOCK;
    for (int64_t i = begin, count; i < end; i += count) {
        count = end - i < max ? end - i : max;
        int code = source->block(source, worker, i, count, x);
        if (code != 0)
            return code;
        tree->op->reassociate(tree->op->context, count, x[0].data, record);
        code = forest_append(tree, forest, i + count, record, false);
        if (code != 0)
            return code;
    }
    return 0;
}

static int fold_tree(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker,
                     int64_t begin, int64_t end, char *records)
{
    const bool groups = folds_groups(tree);
    for (int64_t i = begin, count; i < end; i += count) {
        bool group = groups && i % GROUP == 0 && end - i >= GROUP;
        count = group ? GROUP : tree_block(i, end);
        int code =
            group ? fold_group(tree, source, worker, i, records) : fold_block(tree, source, worker, i, count, records);
        if (code == 0)
            code = forest_push(tree, forest, count, records, false);
        if (code != 0)
            return code;
    }
    return 0;
}

int forest_fold(const bmf_tree *tree, bmf_forest *forest, const bmf_block_source *source, int worker, int64_t begin,
                int64_t end)
{
    char *records = tree->records[worker];
    return tree->reassociate && source->plain ? fold_reassociated(tree, forest, source, worker, begin, end, records)
                                              : fold_tree(tree, forest, source, worker, begin, end, records);
}

int forest_total(const bmf_tree *tree, const bmf_forest *forest, void *record)
{
    int code = 0;
    memcpy(record, forest->value, (size_t)tree->record);
    for (int k = 1; k < forest->nodes && code == 0; k++)
        code = tree_combine(tree, record, forest->value + k * tree->record, record);
    return code;
}

void forest_copy(const bmf_tree *tree, const bmf_forest *from, bmf_forest *to)
{
    forest_start(to, from->begin);
    if (from->nodes == 0)
        return;
    to->end = from->end;
    to->nodes = to->capacity = from->nodes;
    to->node = allocate(from->nodes * (int64_t)sizeof *to->node);
    memcpy(to->node, from->node, (size_t)from->nodes * sizeof *to->node);
    to->value = allocate(from->nodes * tree->record);
    memcpy(to->value, from->value, (size_t)(from->nodes * tree->record));
}
