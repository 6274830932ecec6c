/* Lists in the order of keys, and what comes together then: sort_by, group and unique.
 *
 * Method: keys are made of all elements of the batch at once, and sorted with the elements' numbers; the elements are
 * then taken in that order. Groups and single numbers are the runs of equal keys.
 * Cost: that of the keys, of sorting them, and a copy of the elements. */
#include <math.h>
#include <stdlib.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/sort/group.h"

/* The keys of all elements, as lists like x, which stays. */
static int make_keys(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, const bmf_value *x,
                     bmf_value *keys)
{
    bmf_value lists;
    value_share(x, &lists);
    return evaluate_elements(evaluator, by, by->child[0], frame, &lists, keys);
}

/* The elements of x in the order of keys; both stay. */
static int take_in_order(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, const bmf_value *x,
                         const bmf_value *order, bmf_value *out)
{
    bmf_value lists, numbers, both;
    value_share(x, &lists);
    value_share(order, &numbers);
    value_pair(&lists, &numbers, &both);
    const int status = evaluate_project(evaluator, by, frame, &both, out);
    value_free(&both);
    return status;
}

/* keys: in their order, if asked for. */
static int sort_lists(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, const bmf_value *x,
                      bmf_value *keys, bmf_value *out)
{
    bmf_value made = {0}, order = {0};
    int status = make_keys(evaluator, by, frame, x, &made);
    if (status == BMF_OK)
        status = evaluate_sort(evaluator, frame, &made, true, &order);
    if (status == BMF_OK)
        status = take_in_order(evaluator, by, frame, x, &order, out);
    if (status == BMF_OK && keys) {
        status = take_in_order(evaluator, by, frame, &made, &order, keys);
        if (status != BMF_OK)
            value_free(out);
    }
    value_free(&made);
    value_free(&order);
    return status;
}

int evaluate_sort_by(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK)
        status = sort_lists(evaluator, by, frame, x, NULL, out);
    value_free(x);
    return status;
}

/* ---- runs of equal keys ---- */

typedef struct runs {
    int64_t count, *first; /* numbers of elements */
    bmf_buffer *offsets;   /* of the lists, in runs */
} runs;

/* 0.0 is -0.0, and NaN is NaN. */
static bool is_same(const bmf_value *keys, int64_t i, int64_t j)
{
    const char *a = (const char *)keys->data + i * keys->stride, *b = (const char *)keys->data + j * keys->stride;
    if (keys->type->kind == BMF_INT)
        return *(const int64_t *)a == *(const int64_t *)b;
    if (keys->type->kind == BMF_BOOL)
        return (*a != 0) == (*b != 0);
    const double x = *(const double *)a, y = *(const double *)b;
    return x == y || (isnan(x) && isnan(y));
}

static void close_runs(runs *r)
{
    free(r->first);
    buffer_release(r->offsets);
    *r = (runs){0};
}

/* r: nothing after a failure. */
static int find_runs(bmf_context *ctx, bmf_value *keys, runs *r)
{
    BMF_TRY(value_pack(ctx, keys));
    *r = (runs){.first = malloc((size_t)(keys->child[0].count + 1) * sizeof *r->first),
                .offsets = buffer_create((keys->count + 1) * (int64_t)sizeof(int64_t))};
    if (!r->first || !r->offsets) {
        close_runs(r);
        return fail_no_memory(ctx, keys->child[0].count);
    }
    int64_t *offset = r->offsets->data;
    for (int64_t i = 0; i < keys->count; i++) {
        offset[i] = r->count;
        for (int64_t k = keys->begin[i]; k < keys->end[i]; k++)
            if (k == keys->begin[i] || !is_same(&keys->child[0], k - 1, k))
                r->first[r->count++] = k;
    }
    offset[keys->count] = r->count;
    return BMF_OK;
}

/* The first elements of all runs, as lists of the batch. */
static int take_firsts(bmf_context *ctx, const bmf_value *lists, const runs *r, bmf_value *out)
{
    return value_take(ctx, &lists->child[0], r->first, r->count, out);
}

int evaluate_unique(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value sorted, firsts;
    runs r;
    if (x->child[0].type->kind == BMF_NOTHING) {
        value_move(x, out);
        return BMF_OK;
    }
    BMF_TRY(evaluate_sort(evaluator, frame, x, false, &sorted));
    int status = find_runs(ctx, &sorted, &r);
    if (status == BMF_OK) {
        status = take_firsts(ctx, &sorted, &r, &firsts);
        if (status == BMF_OK)
            value_create_list(sorted.count, buffer_retain(r.offsets), &firsts, out);
        close_runs(&r);
    }
    value_free(&sorted);
    return status;
}

/* The groups of all lists, one behind the other: their elements as lists. */
static int cut_groups(bmf_context *ctx, const runs *r, bmf_value *sorted, bmf_value *groups)
{
    bmf_buffer *offsets = buffer_create((r->count + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(ctx, r->count);
    const int status = value_pack(ctx, sorted);
    if (status != BMF_OK) {
        buffer_release(offsets);
        return status;
    }
    int64_t *offset = offsets->data;
    for (int64_t g = 0; g < r->count; g++)
        offset[g] = r->first[g];
    offset[r->count] = sorted->child[0].count;
    bmf_value elements;
    value_share(&sorted->child[0], &elements);
    value_create_list(r->count, offsets, &elements, groups);
    return BMF_OK;
}

int evaluate_group(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value sorted = {0}, keys = {0}, firsts = {0}, groups = {0}, both;
    runs r = {0};
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK)
        status = sort_lists(evaluator, by, frame, x, &keys, &sorted);
    if (status == BMF_OK)
        status = find_runs(ctx, &keys, &r);
    if (status == BMF_OK)
        status = take_firsts(ctx, &keys, &r, &firsts);
    if (status == BMF_OK)
        status = cut_groups(ctx, &r, &sorted, &groups);
    if (status == BMF_OK) {
        value_pair(&firsts, &groups, &both);
        value_create_list(x->count, buffer_retain(r.offsets), &both, out);
    }
    close_runs(&r);
    value_free(&sorted), value_free(&keys), value_free(&firsts), value_free(&groups);
    value_free(x);
    return status;
}

/* ---- a distributed list ---- */

static int sort_parts(const bmf_list *elements, const bmf_list *keys, bmf_value *parts)
{
    bmf_list *order = NULL, *sorted = NULL;
    int status = bmf_argsort(keys, &order);
    if (status == BMF_OK)
        status = bmf_project(elements, order, &sorted);
    bmf_list_free(order);
    if (status == BMF_OK)
        status = value_from_parts(sorted, parts);
    bmf_list_free(sorted);
    return status;
}

static int group_parts(const bmf_list *elements, const bmf_list *keys, bmf_value *parts)
{
    bmf_list *found = NULL, *groups = NULL, *both = NULL;
    int status = group_by_keys(elements, keys, &found, &groups);
    if (status == BMF_OK)
        status = bmf_pair(found, groups, &both);
    bmf_list_free(found);
    bmf_list_free(groups);
    if (status == BMF_OK)
        status = value_from_parts(both, parts);
    bmf_list_free(both);
    return status;
}

/* What all parts make, of the elements and of their keys. */
typedef int parts_function(const bmf_list *elements, const bmf_list *keys, bmf_value *parts);

static int run_spread(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_distribution *spread,
                      bmf_value *lists, parts_function *run, bmf_value *parts)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_list *elements = NULL, *key = NULL;
    bmf_value keys = {0};
    bmf_frame inner;
    frame_open_spread(frame, by, spread, &inner);
    int status = make_keys(evaluator, by, &inner, lists, &keys);
    frame_close(&inner);
    if (status != BMF_OK)
        value_default(ctx, bmf_type_list(by->child[0]->out), lists->count, &keys);
    status = failure_defer(ctx, status);
    if (status == BMF_OK)
        status = value_to_list(ctx, spread, lists, &elements);
    if (status == BMF_OK)
        status = value_to_list(ctx, spread, &keys, &key);
    if (status == BMF_OK)
        status = run(elements, key, parts);
    bmf_list_free(elements);
    bmf_list_free(key);
    value_free(&keys);
    return status;
}

static int evaluate_parallel(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_value *x,
                             parts_function *run, bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, by, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    bmf_value lists, parts;
    value_move(&x->child[0], &lists);
    value_free(x);
    operation_begin(evaluator, by);
    const int status = run_spread(evaluator, by, frame, spread, &lists, run, &parts);
    value_free(&lists);
    if (status == BMF_OK)
        value_distribute(count, spread, &parts, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}

int evaluate_parallel_sort_by(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    return evaluate_parallel(evaluator, by, frame, x, sort_parts, out);
}

int evaluate_parallel_group(bmf_evaluator *evaluator, bmf_expression *by, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    return evaluate_parallel(evaluator, by, frame, x, group_parts, out);
}
