/* Sorting lists of numbers.
 *
 * Method: all placed lists of a batch are segments that are sorted at once (skeletons/sort/radix.h), short ones a
 * thread each, a long one by all threads. The parts of a distributed list are a list in C, and sorted as such.
 * Cost: that of the skeletons in C. */
#include "skeletons/language/evaluate/sort.h"

#include <stdlib.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/sort/elements.h"
#include "skeletons/sort/radix.h"

static bool is_sortable(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_REAL || type->kind == BMF_BOOL || type->kind == BMF_NOTHING;
}

bool checker_sortable(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *element = in->kind == BMF_LIST || in->kind == BMF_DISTRIBUTED ? in->component[0] : NULL;
    if (in->kind == BMF_NOTHING || (in->kind == BMF_LIST && is_sortable(element)))
        return true;
    if (in->kind == BMF_DISTRIBUTED && element->kind == BMF_LIST && is_sortable(element->component[0]))
        return checker_may_hold(checker, expression, in);
    checker_needs(checker, expression, "a list of ints, reals or bools, or a distributed list of such", in);
    return false;
}

/* ---- placed lists ---- */

/* The processor of each instance. */
static void find_processors(const bmf_frame *frame, int64_t *processor)
{
    for (int64_t r = 0, i = 0; r < frame->runs; r++)
        for (; i < frame->run[r].end; i++)
            processor[i] = frame->run[r].processor;
}

static int sort_segments(bmf_records *records, const bmf_column *elements, bool numbers, bmf_value *made)
{
    const bmf_numbering numbering = numbers ? BMF_NUMBERS_INSIDE : BMF_NUMBERS_NONE;
    BMF_TRY(records_make(records, elements, numbering, 0));
    BMF_TRY(records_sort(records));
    return records_read(records, made->type, numbering, made->data);
}

int evaluate_sort(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bool numbers, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value made;
    BMF_TRY(value_pack_for(evaluator, frame, "pack", x));
    const bmf_value *child = &x->child[0];
    const bmf_type *type = numbers ? bmf_type_intern(&bmf_type_int) : child->type;
    const int words = numbers ? 2 : 1;
    if (child->count == 0 || child->type->kind == BMF_NOTHING) {
        BMF_TRY(value_empty(ctx, type, 0, &made));
        value_like(x, &made, out);
        return BMF_OK;
    }
    BMF_TRY(value_create(ctx, type, child->count, &made));
    const bmf_column elements = {
        .type = child->type, .count = child->count, .data = child->data, .stride = child->stride};
    bmf_buffer *room[2] = {working_buffer(child->count * 8 * words), working_buffer(child->count * 8 * words)};
    bmf_records records = {.ctx = ctx,
                           .segments = x->count,
                           .start = allocate((x->count + 1) * (int64_t)sizeof(int64_t)),
                           .processor = allocate_clear(x->count, (int64_t)sizeof(int64_t)),
                           .words = words,
                           .room = {room[0]->data, room[1]->data},
                           .where = allocate_clear(x->count, 1)};
    for (int64_t i = 0; i < x->count; i++)
        records.start[i] = x->begin[i];
    records.start[x->count] = child->count;
    find_processors(frame, records.processor);
    const int status = sort_segments(&records, &elements, numbers, &made);
    for (int k = 0; k < 2; k++)
        buffer_release(room[k]);
    free(records.start);
    free(records.processor);
    free(records.where);
    if (status == BMF_OK)
        value_like(x, &made, out);
    else
        value_free(&made);
    return status;
}

/* ---- a distributed list ---- */

int evaluate_parallel_sort(bmf_evaluator *evaluator, bmf_expression *expression, bmf_value *x,
                           int (*sort)(const bmf_list *xs, bmf_list **out), bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, expression, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    bmf_list *list = NULL, *sorted = NULL;
    bmf_value lists, parts;
    value_move(&x->child[0], &lists);
    value_free(x);
    operation_begin(evaluator, expression);
    int status = value_to_list(evaluator->ctx, spread, &lists, &list);
    if (status == BMF_OK)
        status = sort(list, &sorted);
    bmf_list_free(list);
    if (status == BMF_OK)
        status = value_from_parts(sorted, &parts);
    bmf_list_free(sorted);
    if (status == BMF_OK)
        value_distribute(count, spread, &parts, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}
