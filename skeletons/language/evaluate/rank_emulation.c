/* Evaluation processor by processor, for backends whose processors stand for ranks of their own
 * (bmf_backend.emulate_rank).
 *
 * A batch on one host holds the instances of all its processors. An expression that does not communicate is what a rank
 * would evaluate by itself, with its own decisions: a B_While ends with the rank's last instance, a B_If whose
 * condition holds for all of them has one branch, what is the same for all is computed once. So that every processor
 * does exactly what it would do as a rank, such an expression is applied to the instances of one processor after the
 * other.
 *
 * Method: instances are ordered by processor; each processor's are a part of the batch; results are united again.
 * Cost: one evaluation a processor instead of one, and one copy of the results. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/laws/rewriter.h"

/* Instances [begin, begin + count) lie on the processor. */
typedef struct instance_range {
    int64_t processor, begin, count;
} instance_range;

static int by_processor(const void *a, const void *b)
{
    const instance_range *x = a, *y = b;
    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The frame's instances by processor; returns the number of ranges. */
static int64_t find_ranges(const bmf_frame *frame, instance_range *found)
{
    int64_t count = 0, begin = 0;
    bool rising = true;
    for (int64_t r = 0; r < frame->runs; r++) {
        int64_t end = frame->run[r].end;
        if (end > begin) {
            rising = rising && (count == 0 || found[count - 1].processor < frame->run[r].processor);
            found[count++] = (instance_range){frame->run[r].processor, begin, end - begin};
        }
        begin = end;
    }
    if (!rising)
        qsort(found, (size_t)count, sizeof *found, by_processor);
    return count;
}

bool emulates_ranks(const bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_frame *frame)
{
    if (!evaluator->ctx->backend->emulate_rank || frame->count < 2 || frame->runs < 2 || expression->communicates ||
        is_structural(expression) || bmf_type_holds_distributed(expression->in) ||
        bmf_type_holds_distributed(expression->out))
        return false;
    int64_t first = -1, begin = 0;
    for (int64_t r = 0; r < frame->runs; r++) {
        if (frame->run[r].end > begin && first >= 0 && frame->run[r].processor != first)
            return true;
        if (frame->run[r].end > begin)
            first = frame->run[r].processor;
        begin = frame->run[r].end;
    }
    return false;
}

/* The instances of one processor. */
typedef struct rank_instances {
    int64_t processor;
    const int64_t *instance; /* rising */
    int64_t count;
} rank_instances;

static int evaluate_rank(bmf_evaluator *evaluator, bmf_expression *expression, const bmf_frame *frame,
                         const rank_instances *mine, const bmf_value *x, bmf_value *out)
{
    bmf_run_of_instances run = {mine->processor, mine->count};
    bmf_frame inner = {
        .outer = frame, .by = expression, .count = mine->count, .picked = mine->instance, .run = &run, .runs = 1};
    bool row = mine->instance[mine->count - 1] - mine->instance[0] == mine->count - 1;
    bmf_value part;
    evaluator->ctx->backend->emulate_rank(evaluator->ctx, BMF_EMULATE_NEXT);
    BMF_TRY(row ? value_part(evaluator->ctx, x, mine->instance[0], mine->count, &part)
                : value_take(evaluator->ctx, x, mine->instance, mine->count, &part));
    return evaluate_unnamed(evaluator, expression, &inner, &part, out);
}

/* Results in the order of `instance`, put into the order of the instances. */
static int put_in_order(bmf_context *ctx, const int64_t *instance, int64_t count, bmf_value *results, bmf_value *out)
{
    bool in_order = true;
    for (int64_t k = 0; k < count && in_order; k++)
        in_order = instance[k] == k;
    if (in_order) {
        value_move(results, out);
        return BMF_OK;
    }
    int64_t *place = allocate(count * (int64_t)sizeof *place);
    for (int64_t k = 0; k < count; k++)
        place[instance[k]] = k;
    int status = value_take(ctx, results, place, count, out);
    value_free(results);
    free(place);
    return status;
}

/* All instances, processor by processor. */
static void list_instances(const instance_range *found, int64_t ranges, int64_t *instance)
{
    for (int64_t s = 0, k = 0; s < ranges; s++)
        for (int64_t i = 0; i < found[s].count; i++)
            instance[k++] = found[s].begin + i;
}

int evaluate_per_rank(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                      bmf_value *out)
{
    instance_range *found = allocate(frame->runs * (int64_t)sizeof *found);
    int64_t ranges = find_ranges(frame, found), parts = 0;
    int64_t *instance = allocate(frame->count * (int64_t)sizeof *instance);
    bmf_value *part = allocate(ranges * (int64_t)sizeof *part), united;
    int status = BMF_OK;
    list_instances(found, ranges, instance);
    evaluator->ctx->backend->emulate_rank(evaluator->ctx, BMF_EMULATE_BEGIN);
    for (int64_t s = 0, first = 0; s < ranges && status == BMF_OK;) {
        rank_instances mine = {found[s].processor, instance + first, 0};
        for (; s < ranges && found[s].processor == mine.processor; s++)
            mine.count += found[s].count;
        first += mine.count;
        status = evaluate_rank(evaluator, expression, frame, &mine, x, &part[parts]);
        parts += status == BMF_OK;
    }
    evaluator->ctx->backend->emulate_rank(evaluator->ctx, BMF_EMULATE_END);
    value_free(x);
    if (status == BMF_OK)
        status = value_unite(evaluator->ctx, parts, part, &united);
    if (status == BMF_OK)
        status = put_in_order(evaluator->ctx, instance, frame->count, &united, out);
    for (int64_t k = 0; k < parts; k++)
        value_free(&part[k]);
    free(part), free(instance), free(found);
    return status;
}
