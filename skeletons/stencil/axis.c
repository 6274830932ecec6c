/* What blocks along one axis need of each other.
 *
 * Method: the radius elements before and behind every block are mapped into the grid by the boundary, one by one, and
 * those that follow each other in one block become a stretch. A block's own elements are a stretch, too. So short
 * blocks, whose windows reach beyond their neighbours, and rings shorter than the window are nothing special.
 * Cost: O(blocks (1 + radius)) and a binary search a stretch. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/stencil/stencil.h"

typedef struct collected {
    bmf_stretch *stretch;
    int64_t count, capacity;
} collected;

/* The element of the axis that stands for element i, which may be outside, and whether the axis runs backwards there;
 * -1: none. n > 0. */
static int64_t map_inside(const bmf_axis *axis, int64_t i, int *step)
{
    const int64_t n = axis->start[axis->blocks];
    *step = 1;
    if (i >= 0 && i < n)
        return i;
    if (axis->boundary == BMF_BOUNDARY_FIXED)
        return -1;
    const int64_t period = axis->boundary == BMF_BOUNDARY_MIRRORED ? 2 * n : n;
    const int64_t at = (i % period + period) % period;
    if (at < n)
        return at;
    *step = -1;
    return period - 1 - at;
}

/* Whether an element, which the needer has at `to`, continues a stretch. */
static bool continues(const bmf_stretch *last, const bmf_axis *axis, int64_t element, int64_t to, int step)
{
    const int64_t begin = axis->start[last->owner], end = axis->start[last->owner + 1];
    return last->to + last->count == to && last->step == step && element >= begin && element < end &&
           element - begin == last->from + last->count * step;
}

/* Elements [begin, end) in the needer's coordinates, all on one side of it. */
static void add_side(collected *all, const bmf_axis *axis, int64_t needer, int64_t begin, int64_t end)
{
    const int64_t first = all->count;
    for (int64_t to = begin; to < end; to++) {
        int step;
        const int64_t element = map_inside(axis, axis->start[needer] + to, &step);
        if (element < 0)
            continue;
        if (all->count > first && continues(&all->stretch[all->count - 1], axis, element, to, step)) {
            all->stretch[all->count - 1].count++;
            continue;
        }
        const int64_t owner = last_not_above(axis->start, axis->blocks + 1, element);
        const bmf_stretch stretch = {needer, owner, to, element - axis->start[owner], 1, step};
        *ARRAY_APPEND(all->stretch, all->count, all->capacity) = stretch;
    }
}

static void add_block(collected *all, const bmf_axis *axis, int64_t needer)
{
    const int64_t length = axis->start[needer + 1] - axis->start[needer];
    if (length == 0)
        return;
    add_side(all, axis, needer, -axis->radius, 0);
    *ARRAY_APPEND(all->stretch, all->count, all->capacity) = (bmf_stretch){needer, needer, 0, 0, length, 1};
    add_side(all, axis, needer, length, length + axis->radius);
}

static void sort_by_owner(bmf_axis *axis, int64_t stretches)
{
    axis->owned = allocate_clear(axis->blocks + 1, (int64_t)sizeof *axis->owned);
    axis->provided = allocate_array(stretches, (int64_t)sizeof *axis->provided);
    for (int64_t k = 0; k < stretches; k++)
        axis->owned[axis->stretch[k].owner + 1]++;
    for (int64_t b = 0; b < axis->blocks; b++)
        axis->owned[b + 1] += axis->owned[b];
    int64_t *next = allocate_array(axis->blocks, (int64_t)sizeof *next);
    for (int64_t b = 0; b < axis->blocks; b++)
        next[b] = axis->owned[b];
    for (int64_t k = 0; k < stretches; k++)
        axis->provided[next[axis->stretch[k].owner]++] = &axis->stretch[k];
    free(next);
}

void axis_make(bmf_axis *axis)
{
    collected all = {0};
    axis->needed = allocate_array(axis->blocks + 1, (int64_t)sizeof *axis->needed);
    for (int64_t b = 0; b < axis->blocks; b++) {
        axis->needed[b] = all.count;
        add_block(&all, axis, b);
    }
    axis->needed[axis->blocks] = all.count;
    axis->stretch = all.stretch;
    sort_by_owner(axis, all.count);
}

void axis_free(bmf_axis *axis)
{
    free(axis->start);
    free(axis->stretch);
    free(axis->needed);
    free(axis->provided);
    free(axis->owned);
}
