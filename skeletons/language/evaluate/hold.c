/* What processors hold of the language's values.
 *
 * Method: a value is walked with its instances as runs on processors, lists with those of their elements. Lists that
 * are views lie in buffers that are known already. Cost: runs times buffers. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/context/held.h"
#include "skeletons/language/evaluate/evaluate.h"

static void hold(bmf_context *ctx, const bmf_value *value, int64_t runs, const bmf_held_run *run);

/* Bytes a run's instances take in a buffer. */
static void hold_runs(bmf_context *ctx, bmf_buffer *buffer, int64_t each, int64_t runs, const bmf_held_run *run)
{
    for (int64_t r = 0, begin = 0; r < runs; begin = run[r++].end)
        hold_bytes(ctx, buffer, run[r].processor, (run[r].end - begin) * each);
}

/* The elements of the instances up to `end`. */
static int64_t elements_until(const bmf_value *list, int64_t end)
{
    return end > 0 ? list->end[(end - 1) * list->step] : 0;
}

static void hold_lists(bmf_context *ctx, const bmf_value *list, int64_t runs, const bmf_held_run *run)
{
    bmf_held_run *inner = allocate_array(runs, (int64_t)sizeof *inner);
    int64_t before = 0;
    for (int64_t r = 0; r < runs; r++) {
        const int64_t end = elements_until(list, run[r].end);
        before = end > before ? end : before;
        inner[r] = (bmf_held_run){run[r].processor, before};
    }
    hold_runs(ctx, list->buffer, list->step * (int64_t)sizeof(int64_t), runs, run);
    hold_runs(ctx, list->second, list->step * (int64_t)sizeof(int64_t), runs, run);
    hold(ctx, &list->child[0], runs, inner);
    free(inner);
}

/* The elements of this rank, on their processors. */
static void hold_spread(bmf_context *ctx, const bmf_value *list)
{
    const bmf_layout *elements = list->spread->elements;
    bmf_held_run *run = allocate_array(elements->local_count, (int64_t)sizeof *run);
    int64_t runs = 0;
    for (int64_t k = 0; k < elements->local_count; k++) {
        const int64_t processor = elements->processor[elements->local[k]];
        if (runs == 0 || run[runs - 1].processor != processor)
            run[runs++].processor = processor;
        run[runs - 1].end = k + 1;
    }
    hold(ctx, &list->child[0], runs, run);
    free(run);
}

static void hold(bmf_context *ctx, const bmf_value *value, int64_t runs, const bmf_held_run *run)
{
    if (value->spread) {
        hold_spread(ctx, value);
    } else if (value->type->kind == BMF_LIST) {
        if (value->count > 0)
            hold_lists(ctx, value, runs, run);
    } else if (value->child) {
        for (int k = 0; k < value->type->components; k++)
            hold(ctx, &value->child[k], runs, run);
    } else {
        hold_runs(ctx, value->buffer, value->stride, runs, run);
    }
}

void value_hold(bmf_context *ctx, const bmf_frame *frame, const bmf_value *value)
{
    bmf_held_run *run = allocate_array(frame->runs, (int64_t)sizeof *run);
    for (int64_t r = 0; r < frame->runs; r++)
        run[r] = (bmf_held_run){frame->run[r].processor, frame->run[r].end};
    hold_begin(ctx);
    hold(ctx, value, frame->runs, run);
    hold_end(ctx);
    free(run);
}
