/* Reductions of placed lists with any operator on any type, for all instances at once.
 *
 * Method: the fixed tree level by level. A list whose length has digit 2^l leaves its last node of level l behind; at
 * the end these are combined from the largest down, from the left, again one batch a level; the default comes last.
 * Cost: n applications of the operator for n elements, O(log n) passes; copies of all elements once. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/levels.h"

bool is_concatenation(const bmf_expression *operation)
{
    return operation->kind == BMF_EXPRESSION_OP && operation->operation == BMF_OPERATION_CONC;
}

int evaluate_default(bmf_evaluator *evaluator, const bmf_expression *fold, bmf_frame *frame, const bmf_value *x,
                     bmf_value *initial)
{
    bmf_value argument;
    *initial = (bmf_value){0};
    if (fold->children < 2)
        return BMF_OK;
    value_share(x, &argument);
    return evaluate_batch(evaluator, fold->child[1], frame, &argument, initial);
}

int check_not_empty(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame,
                    const bmf_value *lists)
{
    for (int64_t i = 0; i < lists->count; i++)
        if (value_length(lists, i) == 0)
            return frame_fail(evaluator, frame,
                              &(bmf_failure){.kind = BMF_FAILURE_EMPTY, .expression = fold, .element = i});
    return BMF_OK;
}

/* ---- digits ---- */

/* Values of some instances: value n belongs to instance[n]. */
typedef struct digits {
    int64_t *instance;
    int64_t count;
    bmf_value value;
} digits;

static void free_digits(digits *d)
{
    value_free(&d->value);
    free(d->instance);
    *d = (digits){0};
}

/* The last nodes of lists with an odd number of nodes. */
static int take_odd(const bmf_tree_walk *walk, const bmf_tree_level *level, digits *odd)
{
    int64_t *last = tree_numbers(walk->evaluator, level->live);
    *odd = (digits){.instance = tree_numbers(walk->evaluator, level->live)};
    int status = last && odd->instance ? BMF_OK : BMF_ERROR_MEMORY;
    for (int64_t k = 0; status == BMF_OK && k < level->live; k++) {
        if ((level->start[k + 1] - level->start[k]) % 2 == 0)
            continue;
        odd->instance[odd->count] = level->instance[k];
        last[odd->count++] = level->start[k + 1] - 1;
    }
    if (status == BMF_OK)
        status = value_take(walk->evaluator->ctx, &level->value, last, odd->count, &odd->value);
    free(last);
    return status;
}

static int climb(const bmf_tree_walk *walk, bmf_value *elements, digits *odd)
{
    bmf_tree_level level, next;
    BMF_TRY(tree_walk_first(walk, elements, &level));
    int status = BMF_OK;
    for (int l = 0; l < walk->levels && status == BMF_OK; l++) {
        status = take_odd(walk, &level, &odd[l]);
        if (status != BMF_OK || l + 1 == walk->levels)
            break;
        status = tree_walk_next(walk, l, &level, &next);
        if (status != BMF_OK)
            break;
        tree_level_free(&level);
        level = next;
    }
    tree_level_free(&level);
    return status;
}

/* ---- combining digits ---- */

/* One level on the way down: which values of the total and of the digits are paired, and which stay alone. */
typedef struct merge {
    int64_t *total, *digit, *picked, pairs;
    int64_t *rest, rests;        /* of the total */
    int64_t *fresh, fresh_count; /* of the digits */
    int64_t *instance;           /* of what comes out: rests, pairs, fresh ones */
} merge;

static bool open_merge(bmf_evaluator *evaluator, int64_t total, int64_t digit, merge *m)
{
    *m = (merge){.total = tree_numbers(evaluator, digit),
                 .digit = tree_numbers(evaluator, digit),
                 .picked = tree_numbers(evaluator, digit),
                 .rest = tree_numbers(evaluator, total),
                 .fresh = tree_numbers(evaluator, digit),
                 .instance = tree_numbers(evaluator, total + digit)};
    return m->total && m->digit && m->picked && m->rest && m->fresh && m->instance;
}

static void close_merge(merge *m)
{
    free(m->total), free(m->digit), free(m->picked), free(m->rest), free(m->fresh), free(m->instance);
}

/* where: of every instance, its number in the total, or -1; brought up to date. */
static void arrange(const bmf_tree_walk *walk, int l, const digits *total, const digits *digit, int64_t *where,
                    merge *m)
{
    for (int64_t n = 0; n < digit->count; n++) {
        int64_t i = digit->instance[n], length = walk->offsets[i + 1] - walk->offsets[i];
        if (where[i] < 0) {
            m->fresh[m->fresh_count++] = n;
            continue;
        }
        m->total[m->pairs] = where[i];
        m->digit[m->pairs] = n;
        m->picked[m->pairs++] = walk->offsets[i] + (length >> (l + 1) << (l + 1));
        where[i] = -1;
    }
    int64_t made = 0;
    for (int64_t n = 0; n < total->count; n++)
        if (where[total->instance[n]] == n) {
            m->rest[m->rests++] = n;
            m->instance[made++] = total->instance[n];
        }
    for (int64_t n = 0; n < m->pairs; n++)
        m->instance[made++] = digit->instance[m->digit[n]];
    for (int64_t n = 0; n < m->fresh_count; n++)
        m->instance[made++] = digit->instance[m->fresh[n]];
    for (int64_t n = 0; n < made; n++)
        where[m->instance[n]] = n;
}

static int combine_pairs(const bmf_tree_walk *walk, const digits *total, const digits *digit, const merge *m,
                         bmf_value *out)
{
    bmf_context *ctx = walk->evaluator->ctx;
    bmf_value a, b;
    BMF_TRY(value_take(ctx, &total->value, m->total, m->pairs, &a));
    int status = value_take(ctx, &digit->value, m->digit, m->pairs, &b);
    if (status != BMF_OK) {
        value_free(&a);
        return status;
    }
    return apply_operator(walk->evaluator, walk->fold, walk->elements, m->picked, m->pairs, &a, &b, out);
}

static int merge_digits(const bmf_tree_walk *walk, const digits *total, const digits *digit, const merge *m,
                        bmf_value *out)
{
    bmf_context *ctx = walk->evaluator->ctx;
    bmf_value part[3] = {{0}, {0}, {0}};
    int status = combine_pairs(walk, total, digit, m, &part[1]);
    if (status == BMF_OK)
        status = value_take(ctx, &total->value, m->rest, m->rests, &part[0]);
    if (status == BMF_OK)
        status = value_take(ctx, &digit->value, m->fresh, m->fresh_count, &part[2]);
    if (status == BMF_OK)
        status = value_concatenate(ctx, 3, part, out);
    for (int k = 0; k < 3; k++)
        value_free(&part[k]);
    return status;
}

/* total = total op digit where an instance has both. */
static int add_digit(const bmf_tree_walk *walk, int l, digits *total, const digits *digit, int64_t *where)
{
    merge m;
    bmf_value value;
    int status = open_merge(walk->evaluator, total->count, digit->count, &m) ? BMF_OK : BMF_ERROR_MEMORY;
    if (status == BMF_OK) {
        arrange(walk, l, total, digit, where, &m);
        status = merge_digits(walk, total, digit, &m, &value);
    }
    if (status == BMF_OK) {
        free_digits(total);
        total->instance = m.instance;
        total->count = m.rests + m.pairs + m.fresh_count;
        value_move(&value, &total->value);
        m.instance = NULL;
    }
    close_merge(&m);
    return status;
}

/* The folds of all lists that have elements, in order. */
static int add_digits(const bmf_tree_walk *walk, digits *odd, bmf_value *out)
{
    bmf_context *ctx = walk->evaluator->ctx;
    int top = walk->levels - 1;
    digits total = odd[top];
    int64_t *where = tree_numbers(walk->evaluator, walk->instances), full = 0;
    odd[top] = (digits){0};
    for (int64_t i = 0; where && i < walk->instances; i++)
        where[i] = -1;
    for (int64_t n = 0; where && n < total.count; n++)
        where[total.instance[n]] = n;
    int status = where ? BMF_OK : BMF_ERROR_MEMORY;
    for (int l = top - 1; l >= 0 && status == BMF_OK; l--)
        status = add_digit(walk, l, &total, &odd[l], where);
    for (int64_t i = 0; status == BMF_OK && i < walk->instances; i++)
        if (where[i] >= 0)
            where[full++] = where[i];
    if (status == BMF_OK)
        status = value_take(ctx, &total.value, where, full, out);
    free(where);
    free_digits(&total);
    return status;
}

static int fold_elements(bmf_tree_walk *walk, bmf_value *elements, bmf_value *out)
{
    const bmf_type *type = walk->fold->out;
    digits odd[BMF_TREE_LEVELS] = {{0}};
    int status = tree_walk_open(walk);
    if (status == BMF_OK && walk->levels == 0)
        status = value_empty(walk->evaluator->ctx, type, 0, out);
    else if (status == BMF_OK)
        status = climb(walk, elements, odd);
    if (status == BMF_OK && walk->levels > 0)
        status = add_digits(walk, odd, out);
    for (int l = 0; l < BMF_TREE_LEVELS; l++)
        free_digits(&odd[l]);
    return status;
}

/* ---- the default ---- */

/* op {initial, total} for lists that have elements, the initial value alone for others. */
static int apply_default(bmf_evaluator *evaluator, const bmf_expression *reduce, const bmf_frame *frame,
                         const bmf_value *x, const bmf_value *initial, bmf_value *total, bmf_value *out)
{
    bmf_combination combination;
    BMF_TRY(combination_open(evaluator, x->count, &combination));
    for (int64_t i = 0; i < x->count; i++)
        if (value_length(x, i) > 0)
            combination_add_pair(&combination, i, i);
        else
            combination_add_single(&combination, i);
    int status = combination_apply(evaluator, reduce, frame, &combination, initial, total, false, out);
    combination_close(&combination);
    return status;
}

/* ---- all ---- */

/* The folds of the lists that have elements. x is packed and keeps its shell. */
static int fold_lists(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x,
                      bmf_value *total)
{
    bmf_frame elements;
    bool alone = !reduce->child[0]->communicates;
    frame_open_elements(frame, reduce, x->begin, &elements);
    bmf_tree_walk walk = {
        .evaluator = evaluator, .fold = reduce, .elements = &elements, .offsets = x->begin, .instances = x->count};
    evaluator->quiet += alone;
    int status = fold_elements(&walk, &x->child[0], total);
    evaluator->quiet -= alone;
    frame_close(&elements);
    return status;
}

int evaluate_reduce(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value initial = {0}, total = {0};
    if (is_concatenation(reduce->child[0]))
        return evaluate_reduce_lists(evaluator, reduce, frame, x, out);
    int status = reduce->children > 1 ? evaluate_default(evaluator, reduce, frame, x, &initial)
                                      : check_not_empty(evaluator, reduce, frame, x);
    if (status != BMF_OK && reduce->child[0]->communicates) {
        failure_note(evaluator->ctx, status); /* settled when ranks tell each other how many levels there are */
        status = BMF_OK;
    }
    if (status == BMF_OK)
        status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK)
        status = fold_lists(evaluator, reduce, frame, x, &total);
    if (status == BMF_OK && reduce->children > 1)
        status = apply_default(evaluator, reduce, frame, x, &initial, &total, out);
    else if (status == BMF_OK)
        value_move(&total, out);
    value_free(&initial), value_free(&total);
    value_free(x);
    return status;
}
