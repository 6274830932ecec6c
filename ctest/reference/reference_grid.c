/* Grids: blocks are cut dimension by dimension, and joined the same way. */
#include "ctest/reference/reference_grid.h"
#include "ctest/reference/reference_stencil.h"

#include <string.h>

/* Elements along each dimension, as far as there are lists that say so; known: how many do. */
typedef struct box {
    int known;
    int64_t extent[BMF_NUMBERS];
} box;

/* False: two lists on one level are of unequal lengths. */
static bool measure(value list, int level, int dimensions, box *b)
{
    if (level >= BMF_NUMBERS) /* never; compilers do not see that, here and below */
        return true;
    if (level == b->known)
        b->extent[b->known++] = list->count;
    if (b->extent[level] != list->count)
        return false;
    for (int64_t i = 0; i < list->count && level + 1 < dimensions; i++)
        if (!measure(list->item[i], level + 1, dimensions, b))
            return false;
    return true;
}

/* Document 000, 5.3.1: the rest divided by the parts left, rounded up. */
static int64_t start_of(int64_t length, int64_t parts, int64_t k)
{
    int64_t begin = 0;
    for (int64_t i = 0; i < k; i++)
        begin += (length - begin + parts - i - 1) / (parts - i);
    return begin;
}

/* The part of the list from level `level` on that is in the block. */
static value cut(reference_machine *m, const bmf_expression *e, const box *whole, const int64_t *place, int level,
                 value list)
{
    if (level >= BMF_NUMBERS)
        return NULL;
    const int64_t begin = start_of(whole->extent[level], e->number[level], place[level]);
    const int64_t end = start_of(whole->extent[level], e->number[level], place[level] + 1);
    reference_value *made = naive_box(m, BMF_LIST, end - begin);
    for (int64_t i = begin; made && i < end; i++) {
        const bool last = level + 1 == e->numbers;
        made->item[i - begin] = last ? list->item[i] : cut(m, e, whole, place, level + 1, list->item[i]);
        if (!made->item[i - begin])
            return NULL;
    }
    return made;
}

static int64_t blocks_of(const bmf_expression *e, int from)
{
    int64_t blocks = 1;
    for (int d = from; d < e->numbers; d++)
        blocks *= e->number[d];
    return blocks;
}

static void find_place(const bmf_expression *e, int64_t block, int64_t *place)
{
    for (int d = 0; d < e->numbers; d++)
        place[d] = block / blocks_of(e, d + 1) % e->number[d];
}

value naive_blocks(reference_machine *m, const bmf_expression *e, int64_t place, value array)
{
    box whole = {0, {0}};
    int64_t at[BMF_NUMBERS];
    if (!measure(array, 0, e->numbers, &whole))
        return naive_fail(m, "an array of unequal lists");
    reference_value *made = naive_box(m, e->out->kind, blocks_of(e, 0));
    for (int64_t k = 0; made && k < made->count; k++) {
        find_place(e, k, at);
        if ((made->item[k] = cut(m, e, &whole, at, 0, array)) == NULL)
            return NULL;
        if (e->out->kind == BMF_DISTRIBUTED)
            made->processor[k] = place + k;
    }
    if (made) {
        made->dimensions = e->numbers;
        memcpy(made->blocks, e->number, sizeof made->blocks);
    }
    return made;
}

/* Blocks in one place along a dimension have as many elements there. */
static bool fit(const bmf_expression *e, int64_t count, const box *block)
{
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b < a; b++)
            for (int d = 0; d < e->numbers; d++) {
                int64_t one[BMF_NUMBERS], other[BMF_NUMBERS];
                find_place(e, a, one);
                find_place(e, b, other);
                if (one[d] == other[d] && block[a].known > d && block[b].known > d &&
                    block[a].extent[d] != block[b].extent[d])
                    return false;
            }
    return true;
}

/* What the lists make that stand side by side along the dimensions from `level` on. */
static value join(reference_machine *m, const bmf_expression *e, int level, value const *list)
{
    const int64_t rest = blocks_of(e, level + 1);
    int64_t count = 0, next = 0;
    if (level >= BMF_NUMBERS)
        return NULL;
    value *inside = naive_claim(m, rest * (int64_t)sizeof *inside);
    for (int64_t k = 0; k < e->number[level]; k++)
        count += list[k * rest]->count;
    reference_value *made = naive_box(m, BMF_LIST, count);
    for (int64_t k = 0; made && k < e->number[level]; k++)
        for (int64_t i = 0; i < list[k * rest]->count; i++) {
            for (int64_t j = 0; j < rest; j++)
                inside[j] = list[k * rest + j]->item[i];
            value item = level + 1 == e->numbers ? inside[0] : join(m, e, level + 1, inside);
            if (!item)
                return NULL;
            made->item[next++] = item;
        }
    return made;
}

value naive_join_blocks(reference_machine *m, const bmf_expression *e, value blocks)
{
    box *measured = naive_claim(m, (blocks->count + 1) * (int64_t)sizeof *measured);
    if (blocks->count != blocks_of(e, 0))
        return naive_fail(m, "another number of blocks");
    memset(measured, 0, (size_t)blocks->count * sizeof *measured);
    for (int64_t k = 0; k < blocks->count; k++)
        if (!measure(blocks->item[k], 0, e->numbers, &measured[k]))
            return naive_fail(m, "a block of unequal lists");
    if (!fit(e, blocks->count, measured))
        return naive_fail(m, "blocks that do not fit");
    return join(m, e, 0, blocks->item);
}

/* A form of the grid that a list is on. */
static bmf_expression form_of_grid(value blocks)
{
    bmf_expression form = {.numbers = blocks->dimensions};
    memcpy(form.number, blocks->blocks, sizeof form.number);
    return form;
}

value naive_blocks_of_parts(reference_machine *m, const bmf_expression *e, int64_t place, value parts)
{
    const bmf_expression form = form_of_grid(parts);
    value whole = e->on_grid ? naive_join_blocks(m, &form, parts) : naive_join_parts(m, parts);
    return whole ? naive_blocks(m, e, place, whole) : NULL;
}

/* Elements that the blocks in a place along a dimension have; 0: no block says how many. */
static int64_t size_of(const bmf_expression *form, value blocks, const box *block, int d, int64_t k)
{
    for (int64_t b = 0; b < blocks->count; b++) {
        int64_t place[BMF_NUMBERS];
        find_place(form, b, place);
        if (place[d] == k && block[b].known > d)
            return block[b].extent[d];
    }
    return 0;
}

value naive_whole_of_blocks(reference_machine *m, value blocks)
{
    const bmf_expression form = form_of_grid(blocks);
    return naive_join_blocks(m, &form, blocks);
}

/* What the whole has from `begin` on where a block has its lists. */
static value take_like(reference_machine *m, value block, value whole, const int64_t *begin, int levels)
{
    reference_value *made = naive_box(m, BMF_LIST, block->count);
    for (int64_t i = 0; made && i < block->count; i++) {
        value item = whole->item[*begin + i];
        made->item[i] = levels > 1 ? take_like(m, block->item[i], item, begin + 1, levels - 1) : item;
        if (!made->item[i])
            return NULL;
    }
    return made;
}

value naive_blocks_like(reference_machine *m, value blocks, value whole)
{
    const bmf_expression form = form_of_grid(blocks);
    box *measured = naive_claim(m, (blocks->count + 1) * (int64_t)sizeof *measured);
    reference_value *made = naive_box_like(m, blocks, blocks->count);
    memset(measured, 0, (size_t)blocks->count * sizeof *measured);
    for (int64_t b = 0; b < blocks->count; b++)
        measure(blocks->item[b], 0, form.numbers, &measured[b]);
    for (int64_t b = 0; made && b < blocks->count; b++) {
        int64_t place[BMF_NUMBERS], begin[BMF_NUMBERS] = {0};
        find_place(&form, b, place);
        for (int d = 0; d < form.numbers; d++)
            for (int64_t k = 0; k < place[d]; k++)
                begin[d] += size_of(&form, blocks, measured, d, k);
        if ((made->item[b] = take_like(m, blocks->item[b], whole, begin, form.numbers)) == NULL)
            return NULL;
    }
    return made;
}

/* Block {j, i, k} has at [c][r] what block {i, j, k} has at [r][c]. */
static value turn_block(reference_machine *m, value block, int64_t rows, int64_t columns)
{
    reference_value *made = naive_box(m, BMF_LIST, columns);
    for (int64_t c = 0; made && c < columns; c++) {
        reference_value *row = naive_box(m, BMF_LIST, rows);
        for (int64_t r = 0; row && r < rows; r++)
            row->item[r] = block->item[r]->item[c];
        if (!row)
            return NULL;
        made->item[c] = row;
    }
    return made;
}

value naive_transpose_blocks(reference_machine *m, value blocks)
{
    const bmf_expression form = form_of_grid(blocks);
    box *measured = naive_claim(m, (blocks->count + 1) * (int64_t)sizeof *measured);
    if (!naive_join_blocks(m, &form, blocks))
        return NULL;
    memset(measured, 0, (size_t)blocks->count * sizeof *measured);
    for (int64_t b = 0; b < blocks->count; b++)
        measure(blocks->item[b], 0, form.numbers, &measured[b]);
    reference_value *made = naive_box_like(m, blocks, blocks->count);
    if (!made)
        return NULL;
    made->blocks[0] = blocks->blocks[1];
    made->blocks[1] = blocks->blocks[0];
    const bmf_expression turned = form_of_grid(made);
    for (int64_t b = 0; b < blocks->count; b++) {
        int64_t place[BMF_NUMBERS] = {0}, to = 0;
        find_place(&form, b, place);
        const int64_t there[BMF_NUMBERS] = {place[1], place[0], place[2]};
        for (int d = 0; d < form.numbers; d++)
            to = to * turned.number[d] + there[d];
        made->item[to] = turn_block(m, blocks->item[b], size_of(&form, blocks, measured, 0, place[0]),
                                    size_of(&form, blocks, measured, 1, place[1]));
        if (!made->item[to])
            return NULL;
    }
    return made;
}
