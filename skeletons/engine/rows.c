/* Nodes of the fixed tree by rows of eight elements; see rows.h. */
#include "skeletons/engine/rows.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

bool tree_has_rows(const bmf_tree *tree)
{
    const bmf_operator *op = tree->op;
    return op->version >= 1 && op->fold_rows && op->scan_rows && op->fold && op->scan && !op->may_fail &&
           tree->leaves == 1 && tree->record == tree->leaf_size[0];
}

static int64_t whole_lines(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Sets the levels of a node of `count` elements. */
void row_levels_start(bmf_row_levels *levels, int64_t count)
{
    levels->levels = 0;
    for (int64_t width = count / BMF_COLUMNS; width >= BMF_COLUMNS; width /= BMF_COLUMNS)
        levels->width[levels->levels++] = width;
}

void row_levels_create(bmf_row_levels *levels, const bmf_tree *tree, int64_t longest)
{
    const int64_t record = tree->record, top = whole_lines(3 * BMF_COLUMN_BLOCK * record);
    int64_t bytes = top;
    row_levels_start(levels, longest);
    for (int l = 0; l < levels->levels; l++)
        bytes += whole_lines(levels->width[l] * record) + whole_lines((levels->width[l] + 1) * record);
    char *room = levels->top = levels->memory = allocate(bytes);
    room += top;
    for (int l = 0; l < levels->levels; l++) {
        levels->total[l] = room;
        room += whole_lines(levels->width[l] * record);
        levels->prefix[l] = room;
        room += whole_lines((levels->width[l] + 1) * record);
    }
}

void row_levels_free(bmf_row_levels *levels)
{
    free(levels->memory);
}

void row_levels_total(bmf_row_levels *levels, const bmf_tree *tree, void *record)
{
    const bmf_operator *op = tree->op;
    const int top = levels->levels - 1;
    const int64_t width = levels->width[top];
    for (int l = 0; l < top; l++)
        op->fold_rows(op->context, levels->width[l] / BMF_COLUMN_BLOCK, levels->total[l], levels->total[l + 1]);
    op->fold(op->context, width, levels->total[top], levels->top);
    memcpy(record, levels->top + (width - 2) * tree->record, (size_t)tree->record);
}

void row_levels_descend(bmf_row_levels *levels, const bmf_tree *tree, const void *before, const void *through)
{
    const bmf_operator *op = tree->op;
    const int top = levels->levels - 1;
    const int64_t record = tree->record;
    op->scan(op->context, levels->width[top], levels->total[top], levels->top, before, NULL, levels->prefix[top],
             levels->top + BMF_COLUMN_BLOCK * record);
    for (int l = top; l >= 0; l--) {
        memcpy(levels->prefix[l] + levels->width[l] * record, through, (size_t)record);
        if (l > 0)
            op->scan_rows(op->context, levels->width[l - 1] / BMF_COLUMN_BLOCK, levels->total[l - 1], levels->prefix[l],
                          levels->prefix[l - 1]);
    }
}
