/* Forests: partial results of the fixed tree; see tree.h. How elements are folded onto them is in forest_fold.c.
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

/* Do the elements of a node of `count` stand for it? */
static bool is_incomplete(const bmf_tree *tree, int64_t count)
{
    return tree->by_columns && count < BMF_COLUMN_BLOCK;
}

/* Values that stand for a node of `count` elements. */
static int64_t node_records(const bmf_tree *tree, int64_t count)
{
    return is_incomplete(tree, count) ? count : 1;
}

/* Elements of the largest node in [begin, end) that starts at `begin`. */
static int64_t largest_node(int64_t begin, int64_t end)
{
    int64_t count = begin == 0 ? INT64_MAX / 2 + 1 : begin & -begin;
    while (count > end - begin)
        count /= 2;
    return count;
}

int64_t forest_records(const bmf_tree *tree, int64_t begin, int64_t end)
{
    int64_t records = 0;
    if (tree->exact)
        return end > begin;
    for (int64_t count; begin < end; begin += count) {
        count = largest_node(begin, end);
        records += node_records(tree, count);
    }
    return records;
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

/* Room for one more node of `records` values. */
static void grow(const bmf_tree *tree, bmf_forest *forest, int64_t records, bool scanning)
{
    if (forest->nodes == forest->capacity) {
        const int64_t grown = forest->capacity ? 2 * forest->capacity : 4;
        forest->node = reallocate(forest->node, forest->nodes * (int64_t)sizeof *forest->node,
                                  grown * (int64_t)sizeof *forest->node);
        if (scanning)
            forest->prefix = reallocate(forest->prefix, forest->nodes * tree->record, grown * tree->record);
        forest->capacity = (int)grown;
    }
    if (forest->records + records > forest->room) {
        const int64_t needed = forest->records + records, grown = forest->room ? 2 * forest->room : 4;
        forest->room = grown < needed ? needed : grown;
        forest->value = reallocate(forest->value, forest->records * tree->record, forest->room * tree->record);
    }
}

/* Of no node of a list. */
enum { LEVEL_WITHOUT_SIBLING = 62 };

static bool are_siblings(const bmf_forest_node *left, const bmf_forest_node *right)
{
    return left->level == right->level && (left->start >> left->level) % 2 == 0;
}

/* The last two nodes, of `count` elements each, become one. The elements of a block stand side by side until then. */
static int merge(const bmf_tree *tree, bmf_forest *forest, int64_t count)
{
    if (is_incomplete(tree, count) && is_incomplete(tree, 2 * count))
        return 0;
    const int64_t merged = 2 * node_records(tree, count);
    char *value = forest->value + (forest->records - merged) * tree->record;
    forest->records -= merged - 1;
    return merged > 2 ? tree_fold_incomplete(tree, merged, value, value)
                      : tree_combine(tree, value, value + tree->record, value);
}

/* Adds a node and merges; level is meaningless for exact operators. */
static int push(const bmf_tree *tree, bmf_forest *forest, int level, const void *record, bool scanning)
{
    const int64_t records = node_records(tree, INT64_C(1) << level);
    grow(tree, forest, records, scanning);
    forest->node[forest->nodes] = (bmf_forest_node){forest->end, level};
    char *place = forest->value + forest->records * tree->record;
    if (place != record)
        memcpy(place, record, (size_t)(records * tree->record));
    forest->nodes++;
    forest->records += records;
    int code = 0;
    while (forest->nodes > 1) {
        bmf_forest_node *right = &forest->node[forest->nodes - 1], *left = right - 1;
        if (!tree->exact && !are_siblings(left, right))
            break;
        int failed = merge(tree, forest, INT64_C(1) << left->level);
        code = code ? code : failed;
        left->level += !tree->exact;
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

/* What is before is a node that has no sibling. It is only copied, which cannot fail. */
void forest_start_behind(const bmf_tree *tree, bmf_forest *forest, int64_t begin, const void *before)
{
    forest_start(forest, begin);
    if (before)
        (void)push(tree, forest, LEVEL_WITHOUT_SIBLING, before, true);
}

int forest_push(const bmf_tree *tree, bmf_forest *forest, int64_t count, const void *record, bool scanning)
{
    int code = push(tree, forest, __builtin_ctzll((unsigned long long)count), record, scanning);
    forest->end += count;
    return code;
}

char *forest_next(const bmf_tree *tree, bmf_forest *forest)
{
    grow(tree, forest, 1, false);
    return forest->value + forest->records * tree->record;
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
        int64_t count = largest_node(forest->end, end);
        int failed = forest_push(tree, forest, count, values, scanning);
        code = code ? code : failed;
        values += node_records(tree, count) * tree->record;
    }
    return code;
}

/* Nodes that stand for themselves: what is behind them are the elements of an incomplete block. */
static int whole_nodes(const bmf_tree *tree, const bmf_forest *forest)
{
    int nodes = forest->nodes;
    while (nodes > 0 && is_incomplete(tree, INT64_C(1) << forest->node[nodes - 1].level))
        nodes--;
    return nodes;
}

int forest_total(const bmf_tree *tree, const bmf_forest *forest, void *record)
{
    char last[BMF_COLUMN_BLOCK * BMF_LARGEST_SCALAR];
    const int whole = whole_nodes(tree, forest);
    const int64_t rest = forest->records - whole;
    int code = 0;
    if (whole > 0)
        memcpy(record, forest->value, (size_t)tree->record);
    for (int k = 1; k < whole && code == 0; k++)
        code = tree_combine(tree, record, forest->value + k * tree->record, record);
    if (code != 0 || rest == 0)
        return code;
    memcpy(last, forest->value + whole * tree->record, (size_t)(rest * tree->record));
    code = tree_fold_incomplete(tree, rest, last, whole > 0 ? last : record);
    return code != 0 || whole == 0 ? code : tree_combine(tree, record, last, record);
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
    to->records = to->room = from->records;
    to->value = allocate(from->records * tree->record);
    memcpy(to->value, from->value, (size_t)(from->records * tree->record));
}
