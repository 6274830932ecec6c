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
 * Cost: one evaluation a processor instead of one, and one copy of the results.
 *
 * Where what is done follows from the lengths of lists alone (expression_is_oblivious), processors whose arguments have
 * the same lengths do the same. If the backend says so (ctx->representatives) only some of each such class are
 * emulated; for the others the backend notes that they do what one of these did. All values come from one evaluation of
 * the whole batch, so that they and failures are those of the program. Where that fails, or makes lists that are stored
 * in another way, every processor is emulated. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/table.h"
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
    if (!evaluator->ctx->backend->emulate_rank || evaluator->whole_batch || frame->count < 2 || frame->runs < 2 ||
        expression->communicates || is_structural(expression) || bmf_type_holds_distributed(expression->in) ||
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

/* ---- classes ---- */

/* Processors whose instances have the same shapes. */
typedef struct rank_class {
    const int64_t *instance; /* of its first processor */
    int64_t count, members, pass[BMF_MOST_REPRESENTATIVES];
} rank_class;

typedef struct rank_classes {
    const bmf_value *x;
    rank_class *made;
    int64_t count, capacity;
    bmf_table table;
} rank_classes;

typedef struct wanted_class {
    const rank_classes *classes;
    const rank_instances *mine;
} wanted_class;

static bool is_class(const void *wanted, uint32_t number)
{
    const wanted_class *w = wanted;
    const rank_class *of = &w->classes->made[number];
    bool same = of->count == w->mine->count;
    for (int64_t k = 0; k < of->count && same; k++)
        same = value_same_shape(w->classes->x, of->instance[k], w->mine->instance[k]);
    return same;
}

static rank_class *class_of(rank_classes *classes, const rank_instances *mine)
{
    uint64_t hash = (uint64_t)mine->count;
    for (int64_t k = 0; k < mine->count; k++)
        hash = value_shape_hash(hash, classes->x, mine->instance[k]);
    table_make_room(&classes->table, classes->count + 1);
    const uint32_t number =
        table_find_or_add(&classes->table, hash, is_class, &(wanted_class){classes, mine}, (uint32_t)classes->count);
    if (number == classes->count)
        *ARRAY_APPEND(classes->made, classes->count, classes->capacity) =
            (rank_class){.instance = mine->instance, .count = mine->count};
    return &classes->made[number];
}

/* All instances, processor by processor. */
static void list_instances(const instance_range *found, int64_t ranges, int64_t *instance)
{
    for (int64_t s = 0, k = 0; s < ranges; s++)
        for (int64_t i = 0; i < found[s].count; i++)
            instance[k++] = found[s].begin + i;
}

/* What is emulated: the instances by processor. */
typedef struct emulation {
    bmf_evaluator *evaluator;
    bmf_expression *expression;
    bmf_frame *frame;
    bmf_value *x;
    instance_range *found;
    int64_t ranges;
    int64_t *instance;
} emulation;

/* The instances of the processor of range *s; *s becomes the first range of the next one. */
static rank_instances next_rank(const emulation *e, int64_t *s, int64_t *first)
{
    rank_instances mine = {e->found[*s].processor, e->instance + *first, 0};
    for (; *s < e->ranges && e->found[*s].processor == mine.processor; ++*s)
        mine.count += e->found[*s].count;
    *first += mine.count;
    return mine;
}

/* Every processor. */
static int emulate_each(const emulation *e, bmf_value *out)
{
    bmf_context *ctx = e->evaluator->ctx;
    bmf_value *part = allocate(e->ranges * (int64_t)sizeof *part), united;
    int64_t parts = 0;
    int status = BMF_OK;
    ctx->backend->emulate_rank(ctx, BMF_EMULATE_BEGIN);
    for (int64_t s = 0, first = 0; s < e->ranges && status == BMF_OK;) {
        const rank_instances mine = next_rank(e, &s, &first);
        status = evaluate_rank(e->evaluator, e->expression, e->frame, &mine, e->x, &part[parts]);
        parts += status == BMF_OK;
    }
    ctx->backend->emulate_rank(ctx, BMF_EMULATE_END);
    if (status == BMF_OK)
        status = value_unite(ctx, parts, part, &united);
    if (status == BMF_OK)
        status = put_in_order(ctx, e->instance, e->frame->count, &united, out);
    for (int64_t k = 0; k < parts; k++)
        value_free(&part[k]);
    free(part);
    return status;
}

/* The values of all instances at once, as if they lay on one processor: nothing is recorded, and kernels need no pieces
 * by processor. */
static int evaluate_quietly(const emulation *e, bmf_value *out)
{
    const bmf_run_of_instances all = {e->found->processor, e->frame->count};
    bmf_frame whole = *e->frame;
    bmf_value share;
    whole.run = &all;
    whole.runs = 1;
    e->evaluator->ctx->backend->emulate_rank(e->evaluator->ctx, BMF_EMULATE_BATCH);
    value_share(e->x, &share);
    e->evaluator->whole_batch = true;
    const int status = evaluate_unnamed(e->evaluator, e->expression, &whole, &share, out);
    e->evaluator->whole_batch = false;
    return status;
}

/* A processor's part, or a note that it does as another one of its class; *fits: its lists are stored as in the whole
 * batch. */
static int emulate_member(const emulation *e, const rank_instances *mine, rank_class *of, const bmf_value *whole,
                          int64_t *passes, bool *fits)
{
    bmf_context *ctx = e->evaluator->ctx;
    bmf_value part;
    const int64_t number = of->members++;
    if (number >= ctx->representatives) {
        ctx->backend->emulate_like(ctx, mine->processor, of->pass[number % ctx->representatives]);
        return BMF_OK;
    }
    of->pass[number] = (*passes)++;
    BMF_TRY(evaluate_rank(e->evaluator, e->expression, e->frame, mine, e->x, &part));
    *fits = *fits && value_same_layout(&part, whole);
    value_free(&part);
    return BMF_OK;
}

static int emulate_classes(const emulation *e, bmf_value *out, bool *done)
{
    bmf_context *ctx = e->evaluator->ctx;
    rank_classes classes = {.x = e->x};
    int64_t passes = 0, ranks = 0;
    ctx->backend->emulate_rank(ctx, BMF_EMULATE_BEGIN);
    int status = evaluate_quietly(e, out);
    const bool valued = status == BMF_OK;
    bool fits = valued && !value_shares_instances(out);
    for (int64_t s = 0, first = 0; s < e->ranges && fits && status == BMF_OK; ranks++) {
        const rank_instances mine = next_rank(e, &s, &first);
        status = emulate_member(e, &mine, class_of(&classes, &mine), out, &passes, &fits);
    }
    *done = status == BMF_OK && fits;
    ctx->backend->emulate_rank(ctx, *done ? BMF_EMULATE_END : BMF_EMULATE_CANCEL);
    if (valued && !*done)
        value_free(out);
    ctx->alike += *done ? ranks - passes : 0;
    table_free(&classes.table);
    free(classes.made);
    return BMF_OK;
}

/* Whether enough processors may do the same. */
static bool may_have_classes(const emulation *e)
{
    return e->evaluator->ctx->representatives > 0 && e->ranges > 2 * e->evaluator->ctx->representatives &&
           !e->expression->repeats && expression_is_oblivious(e->expression);
}

int evaluate_per_rank(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                      bmf_value *out)
{
    emulation e = {.evaluator = evaluator, .expression = expression, .frame = frame, .x = x};
    bool done = false;
    int status = BMF_OK;
    e.found = allocate(frame->runs * (int64_t)sizeof *e.found);
    e.ranges = find_ranges(frame, e.found);
    e.instance = allocate(frame->count * (int64_t)sizeof *e.instance);
    list_instances(e.found, e.ranges, e.instance);
    if (may_have_classes(&e))
        status = emulate_classes(&e, out, &done);
    if (status == BMF_OK && !done)
        status = emulate_each(&e, out);
    if (!done && evaluator->ctx->unlike < e.ranges)
        evaluator->ctx->unlike = e.ranges;
    value_free(x);
    free(e.instance), free(e.found);
    return status;
}
