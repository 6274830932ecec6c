/* Layouts and spreads: plain tables of processors, the same on every rank. O(instances) to make. */
#include "skeletons/language/parallel/layout.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"

static int64_t *copy_numbers(const int64_t *from, int64_t count)
{
    int64_t *copy = allocate((count > 0 ? count : 1) * (int64_t)sizeof *copy);
    if (count > 0)
        memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

bmf_layout *layout_create(bmf_context *ctx, int64_t count, const int64_t *processor)
{
    bmf_layout *layout = allocate_clear(1, (int64_t)sizeof *layout);
    layout->references = 1;
    layout->count = count;
    layout->processor = copy_numbers(processor, count);
    for (int64_t i = 0; i < count; i++)
        layout->local_count += is_local(ctx, processor[i]);
    layout->local = allocate((layout->local_count + 1) * (int64_t)sizeof *layout->local);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (is_local(ctx, processor[i]))
            layout->local[n++] = i;
    return layout;
}

bmf_layout *layout_retain(bmf_layout *layout)
{
    layout->references++;
    return layout;
}

void layout_release(bmf_layout *layout)
{
    if (!layout || --layout->references > 0)
        return;
    free(layout->processor);
    free(layout->local);
    free(layout);
}

bool layout_equal(const bmf_layout *a, const bmf_layout *b)
{
    return a == b ||
           (a->count == b->count && memcmp(a->processor, b->processor, (size_t)a->count * sizeof *a->processor) == 0);
}

int layout_allgather(bmf_context *ctx, const bmf_layout *layout, int64_t width, const int64_t *local, int64_t *all)
{
    int64_t *counts = allocate_clear(ctx->ranks, (int64_t)sizeof *counts);
    for (int64_t i = 0; i < layout->count; i++)
        counts[bmf_rank_of(ctx, layout->processor[i])] += width;
    const int status = ctx->backend->allgather(ctx, local, width * layout->local_count, counts, all);
    free(counts);
    return status;
}

bmf_distribution *distribution_create(int64_t instances, const int64_t *offsets, bmf_layout *elements)
{
    bmf_distribution *spread = allocate_clear(1, (int64_t)sizeof *spread);
    spread->references = 1;
    spread->instances = instances;
    spread->offsets = copy_numbers(offsets, instances + 1);
    spread->elements = elements;
    return spread;
}

bmf_distribution *distribution_retain(bmf_distribution *spread)
{
    spread->references++;
    return spread;
}

void distribution_release(bmf_distribution *spread)
{
    if (!spread || --spread->references > 0)
        return;
    layout_release(spread->elements);
    free(spread->offsets);
    free(spread);
}

bool distribution_equal(const bmf_distribution *a, const bmf_distribution *b)
{
    return a == b || (a->instances == b->instances &&
                      memcmp(a->offsets, b->offsets, (size_t)(a->instances + 1) * sizeof *a->offsets) == 0 &&
                      layout_equal(a->elements, b->elements));
}
