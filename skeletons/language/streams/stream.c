/* Streams: fused pipelines over the lists of a batch; see stream.h for their parts.
 *
 * The default of a reduction or a scan is evaluated first, on the stream's input; then one source, one tail. Streams
 * that are reductions (or counts) of the same lists run together, each with a source of its own. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/streams/stream.h"

static bool has_default(const bmf_expression *stream)
{
    return (stream->tail == BMF_TAIL_REDUCE || stream->tail == BMF_TAIL_SCAN) && stream->children > 2 &&
           stream->child[2];
}

static int evaluate_default(bmf_evaluator *evaluator, bmf_expression *stream, bmf_frame *frame, const bmf_value *x,
                            bmf_value *initial)
{
    bmf_expression *expression = stream->child[2];
    bmf_value copy;
    if (expression->kind == BMF_EXPRESSION_CON)
        return value_constant(evaluator->ctx, &expression->constant, x->count, initial);
    value_share(x, &copy);
    return evaluate_batch(evaluator, expression, frame, &copy, initial);
}

/* No elements at all: nothing is compiled, and the types may be nothing. */
static int without_elements(const bmf_stream_source *source, bmf_value *initial, bmf_value *out)
{
    bmf_context *ctx = source->evaluator->ctx;
    int64_t segments = source->segments;
    bmf_failure empty = {.kind = BMF_FAILURE_EMPTY};
    switch (source->stream->tail) {
    case BMF_TAIL_REDUCE:
        if (segments > 0 && !initial)
            return stream_fail_instance(source, BMF_EXPRESSION_REDUCE, empty);
        if (segments == 0)
            return value_empty(ctx, source->stream->out, 0, out);
        value_move(initial, out);
        return BMF_OK;
    case BMF_TAIL_COUNT:
        return value_constant(ctx, &(bmf_constant){.kind = BMF_INT}, segments, out);
    default:
        return value_empty(ctx, source->stream->out, segments, out);
    }
}

static int run_tail(bmf_stream_source *source, bmf_value *initial, bmf_value *out)
{
    if (source->count == 0)
        return without_elements(source, initial, out);
    switch (source->stream->tail) {
    case BMF_TAIL_REDUCE:
        return stream_reduce(1, source, &initial, out);
    case BMF_TAIL_SCAN:
        return stream_scan(source, initial, out);
    case BMF_TAIL_FILTER:
        return stream_filter(source, out);
    case BMF_TAIL_COUNT:
        return stream_count(1, source->stream, source, out);
    default:
        return stream_list(source, out);
    }
}

const bmf_skeleton_type skeleton_stream = {.id = 31, .name = "stream", .communication = BMF_COMMUNICATION_OTHER};

static int run_stream(bmf_evaluator *evaluator, bmf_expression *stream, bmf_frame *frame, const bmf_value *x,
                      bmf_value *out)
{
    bmf_stream_source source;
    bmf_value initial = {0};
    bool with_default = has_default(stream);
    if (with_default)
        BMF_TRY(evaluate_default(evaluator, stream, frame, x, &initial));
    int status = stream_open(evaluator, stream, frame, x, &source);
    if (status == BMF_OK) {
        status = run_tail(&source, with_default ? &initial : NULL, out);
        stream_close(&source);
    }
    value_free(&initial);
    return status;
}

static const char *const heads[] = {
    [BMF_HEAD_LIST] = "", [BMF_HEAD_ZIP] = " zip", [BMF_HEAD_DISTL] = " distl", [BMF_HEAD_IOTA] = " iota"};

int evaluate_stream(bmf_evaluator *evaluator, bmf_expression *stream, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    static const char *const tails[] = {[BMF_TAIL_LIST] = "",
                                        [BMF_TAIL_REDUCE] = " reduce",
                                        [BMF_TAIL_SCAN] = " scan",
                                        [BMF_TAIL_FILTER] = " filter",
                                        [BMF_TAIL_COUNT] = " count"};
    if (!evaluator->quiet) {
        evaluator_place(evaluator, stream->span);
        skeleton_begin(evaluator->ctx, &skeleton_stream, "stream%s%s", heads[stream->head], tails[stream->tail]);
    }
    int status = run_stream(evaluator, stream, frame, x, out);
    if (!evaluator->quiet)
        skeleton_end(evaluator->ctx, NULL, status);
    value_free(x);
    return status;
}

/* ---- several reductions or counts ---- */

typedef struct several {
    int opened, with_default;
    bmf_stream_source *source;
    bmf_value *initial, **given;
} several;

static int open_several(bmf_evaluator *evaluator, const bmf_expression *streams, bmf_frame *frame, const bmf_value *x,
                        several *all)
{
    all->source = allocate_clear(streams->children, (int64_t)sizeof *all->source);
    all->initial = allocate_clear(streams->children, (int64_t)sizeof *all->initial);
    all->given = allocate_clear(streams->children, (int64_t)sizeof(bmf_value *));
    for (int k = 0; k < streams->children; k++)
        if (has_default(streams->child[k])) {
            BMF_TRY(evaluate_default(evaluator, streams->child[k], frame, x, &all->initial[k]));
            all->given[k] = &all->initial[k];
        }
    for (; all->opened < streams->children; all->opened++)
        BMF_TRY(stream_open(evaluator, streams->child[all->opened], frame, x, &all->source[all->opened]));
    return BMF_OK;
}

static void close_several(const bmf_expression *streams, several *all)
{
    for (int k = 0; k < all->opened; k++)
        stream_close(&all->source[k]);
    for (int k = 0; k < streams->children; k++)
        value_free(&all->initial[k]);
    free(all->source);
    free(all->initial);
    free(all->given);
}

static int run_several(bmf_expression *streams, several *all, bmf_value *out)
{
    if (all->source->count > 0)
        return streams->child[0]->tail == BMF_TAIL_REDUCE
                   ? stream_reduce(streams->children, all->source, all->given, out)
                   : stream_count(streams->children, streams, all->source, out);
    int status = BMF_OK, made = 0;
    for (; made < streams->children && status == BMF_OK; made++)
        status = without_elements(&all->source[made], all->given[made], &out[made]);
    for (int k = 0; status != BMF_OK && k < made - 1; k++)
        value_free(&out[k]);
    return status;
}

int evaluate_streams(bmf_evaluator *evaluator, bmf_expression *streams, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    several all = {0};
    bmf_value component[BMF_MAX_LEAVES];
    if (!evaluator->quiet) {
        evaluator_place(evaluator, streams->span);
        skeleton_begin(evaluator->ctx, &skeleton_stream, "stream%s %d %s", heads[streams->child[0]->head],
                       streams->children, streams->child[0]->tail == BMF_TAIL_REDUCE ? "reductions" : "counts");
    }
    int status = open_several(evaluator, streams, frame, x, &all);
    if (status == BMF_OK)
        status = run_several(streams, &all, component);
    close_several(streams, &all);
    if (!evaluator->quiet)
        skeleton_end(evaluator->ctx, NULL, status);
    value_free(x);
    if (status == BMF_OK)
        value_create_tuple(streams->children, component, out);
    return status;
}
