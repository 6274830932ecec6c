/* Operators applied to batches; see combine.h. One evaluation of the operator for all pairs. */
#include "skeletons/language/evaluate/combine.h"

#include <stdlib.h>

#include "skeletons/language/batches/operations.h"

int64_t *tree_numbers(bmf_evaluator *evaluator, int64_t count)
{
    int64_t *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    if (!numbers)
        fail_no_memory(evaluator->ctx, count);
    return numbers;
}

int apply_operator(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame, const int64_t *picked,
                   int64_t count, bmf_value *a, bmf_value *b, bmf_value *out)
{
    bmf_value operand[2], pair;
    bmf_frame inner;
    value_move(a, &operand[0]);
    value_move(b, &operand[1]);
    value_create_tuple(2, operand, &pair);
    frame_open_picked(frame, fold, picked, count, &inner);
    int status = evaluate_batch(evaluator, fold->child[0], &inner, &pair, out);
    frame_close(&inner);
    return status;
}

int apply_operator_to_all(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame, bmf_value *a,
                          bmf_value *b, bmf_value *out)
{
    int64_t count = b->count, *all = tree_numbers(evaluator, count);
    for (int64_t i = 0; all && i < count; i++)
        all[i] = i;
    int status = all ? apply_operator(evaluator, fold, frame, all, count, a, b, out) : BMF_ERROR_MEMORY;
    free(all);
    return status;
}

int combination_open(bmf_evaluator *evaluator, int64_t max, bmf_combination *combination)
{
    *combination = (bmf_combination){.combined = malloc((size_t)(max + 1)),
                                     .pair = tree_numbers(evaluator, max),
                                     .instance = tree_numbers(evaluator, max),
                                     .single = tree_numbers(evaluator, max)};
    if (combination->combined && combination->pair && combination->instance && combination->single)
        return BMF_OK;
    combination_close(combination);
    return fail_no_memory(evaluator->ctx, max);
}

void combination_close(bmf_combination *combination)
{
    free(combination->combined), free(combination->pair), free(combination->instance), free(combination->single);
}

void combination_add_single(bmf_combination *combination, int64_t k)
{
    combination->combined[combination->results++] = 0;
    combination->single[combination->singles++] = k;
}

void combination_add_pair(bmf_combination *combination, int64_t k, int64_t instance)
{
    combination->combined[combination->results++] = 1;
    combination->pair[combination->pairs] = k;
    combination->instance[combination->pairs++] = instance;
}

int combination_apply(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame,
                      const bmf_combination *combination, const bmf_value *values, bmf_value *others, bool others_first,
                      bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value own = {0}, single = {0}, combined = {0};
    int status = value_take(ctx, values, combination->pair, combination->pairs, &own);
    if (status == BMF_OK)
        status = value_take(ctx, values, combination->single, combination->singles, &single);
    if (status == BMF_OK)
        status = apply_operator(evaluator, fold, frame, combination->instance, combination->pairs,
                                others_first ? others : &own, others_first ? &own : others, &combined);
    if (status == BMF_OK)
        status = value_merge(ctx, combination->combined, combination->results, &combined, &single, out);
    value_free(others), value_free(&own), value_free(&single), value_free(&combined);
    return status;
}
