/* Functions of points and their neighbours, of the blocks of a grid on several processors.
 *
 * Method: how the grid cuts the whole is known to all ranks since it was cut, or told once; what stands around the
 * blocks is brought axis by axis (beside.c), and in each round as large a share is computed of the points that do
 * without it. Then the others.
 * Cost: that of points where they lie; 2 messages a block and axis. */
#include "skeletons/language/parallel/blocks.h"
#include "skeletons/language/stencils/beside.h"
#include "skeletons/language/stencils/call.h"

/* Fails, or has noted that this rank sends marks. */
static int open_points(stencil_call *s, bmf_beside *beside)
{
    bmf_context *ctx = s->evaluator->ctx;
    if (ctx->sends_marks)
        return BMF_OK;
    const int status =
        points_open(&s->points, s->evaluator, s->expression, s->frame, s->handed, s->lists, NULL, beside);
    if (status != BMF_OK)
        return failure_defer(ctx, status);
    beside->points = &s->points;
    return BMF_OK;
}

/* All rounds. *begun: the status of what was computed meanwhile. */
static int run_rounds(stencil_call *s, bmf_beside *beside, int *begun)
{
    const int shares = beside->rounds > 0 ? beside->rounds : 1;
    for (int k = 0; k < shares; k++) {
        BMF_TRY(beside_begin(beside));
        if (beside->points && *begun == BMF_OK)
            *begun = points_begin(&s->points, k, shares, beside->under_way);
        BMF_TRY(beside_end(beside));
    }
    beside_finish(beside);
    return BMF_OK;
}

static int evaluate_tiling(stencil_call *s, const bmf_distribution *spread, const bmf_tiling *tiling, bmf_value *out)
{
    bmf_beside beside;
    int begun = BMF_OK;
    beside_open(&beside, s->evaluator, s->expression, spread, tiling);
    int status = open_points(s, &beside);
    if (status == BMF_OK)
        status = run_rounds(s, &beside, &begun);
    if (status == BMF_OK)
        status = stencil_end_parts(s, NULL, begun, out);
    points_close(&s->points);
    beside_close(&beside);
    return status;
}

int stencil_of_blocks(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_distribution *spread,
                      bmf_value *blocks, bmf_buffer **known, bmf_value *out)
{
    const bmf_value *lists = blocks->type->kind == BMF_TUPLE ? &blocks->child[1] : blocks;
    bmf_tiling tiling = {0};
    bmf_frame inner;
    if (!blocks_known(spread, *known, &tiling)) {
        BMF_TRY(blocks_of_parts(evaluator, expression, frame, spread, spread->dimensions, lists, &tiling));
        buffer_release(*known);
        *known = blocks_starts(spread, &tiling);
    }
    frame_open_spread(frame, expression, spread, &inner);
    stencil_call s = stencil_call_of(evaluator, expression, &inner, blocks);
    const int status = evaluate_tiling(&s, spread, &tiling, out);
    frame_close(&inner);
    tiling_free(&tiling);
    return status;
}
