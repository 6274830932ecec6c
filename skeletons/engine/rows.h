/* Long nodes of the fixed tree by rows of eight elements: what scans of plain arrays run on.
 *
 * Method: three levels of the tree at a time. The totals of a node's rows are kept, an eighth of its elements, and
 * stand in rows themselves, whose totals are kept, .. . A few dozen at the top are folded and scanned level by level.
 * Down again, the folds before the rows of a level give those before the rows of the level below, and at last the scan
 * of the elements. Operators do blocks of eight rows (op->fold_rows, op->scan_rows), so that they vectorise.
 * Cost: n - 1 operations and n / 7 totals up, 11 n / 7 operations down. Private to skeletons. */
#ifndef BMF_ROWS_H
#define BMF_ROWS_H

#include <string.h>

#include "skeletons/engine/tree.h"

enum { BMF_ROW_LEVELS = 8, BMF_SHORTEST_NODE_OF_ROWS = 512 };

/* The levels of one node above its elements: row totals, and the fold of everything before each row. */
typedef struct bmf_row_levels {
    int levels;
    int64_t width[BMF_ROW_LEVELS]; /* rows: whole blocks; at the highest level 8 to 63 */
    char *total[BMF_ROW_LEVELS];   /* width records */
    char *prefix[BMF_ROW_LEVELS];  /* width + 1 records: the last one is the fold through the node */
    char *top;                     /* for the highest level: nodes of op->fold, then room of op->scan */
    char *memory;
} bmf_row_levels;

/* Whether the operator does rows: it cannot fail, and its elements are plain arrays. */
bool tree_has_rows(const bmf_tree *tree);

/* Room for nodes of up to `longest` elements. */
void row_levels_create(bmf_row_levels *levels, const bmf_tree *tree, int64_t longest);
void row_levels_free(bmf_row_levels *levels);

/* A node of `count` elements, a power of two from BMF_SHORTEST_NODE_OF_ROWS on. */
void row_levels_start(bmf_row_levels *levels, int64_t count);
/* Takes the totals of the node's elements [at, at + count), whole blocks, which are x. */
static inline void row_levels_fold(bmf_row_levels *levels, const bmf_tree *tree, int64_t at, int64_t count,
                                   const void *x)
{
    tree->op->fold_rows(tree->op->context, count / BMF_COLUMN_BLOCK, x,
                        levels->total[0] + at / BMF_COLUMNS * tree->record);
}
/* After all of them: the fold of the node. */
void row_levels_total(bmf_row_levels *levels, const bmf_tree *tree, void *record);
/* before: the fold of everything before the node; through: the same with the node. */
void row_levels_descend(bmf_row_levels *levels, const bmf_tree *tree, const void *before, const void *through);
/* After that: the folds before each row of elements [at, ..) and, after the last one of the node, through it. */
static inline const char *row_levels_prefix(const bmf_row_levels *levels, const bmf_tree *tree, int64_t at)
{
    return levels->prefix[0] + at / BMF_COLUMNS * tree->record;
}
/* And: the folds before elements [at, at + count), whole blocks, which are x, and through the last of them:
 * count + 1 values. out does not overlap x. */
static inline void row_levels_scan(const bmf_row_levels *levels, const bmf_tree *tree, int64_t at, int64_t count,
                                   const void *x, char *out)
{
    const char *prefix = row_levels_prefix(levels, tree, at), *after = row_levels_prefix(levels, tree, at + count);
    tree->op->scan_rows(tree->op->context, count / BMF_COLUMN_BLOCK, x, prefix, out);
    out += count * tree->record;
    if (tree->record == sizeof(int64_t))
        memcpy(out, after, sizeof(int64_t));
    else
        memcpy(out, after, (size_t)tree->record);
}

#endif
