/* The fixed tree over the lists of a whole batch.
 *
 * Method: one level is one batch of nodes of all lists; the next level is one application of the operator to the batch
 * of its pairs. Lists without a pair drop out. Pairs are views where the nodes lie in pairs, otherwise taken by number.
 * Cost: n applications for n elements, O(log n) passes. */
#include "skeletons/language/evaluate/levels.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

int tree_walk_open(bmf_tree_walk *walk)
{
    bmf_context *ctx = walk->evaluator->ctx;
    int64_t longest = 0;
    for (int64_t i = 0; i < walk->instances; i++) {
        int64_t length = walk->offsets[i + 1] - walk->offsets[i];
        longest = length > longest ? length : longest;
    }
    if (walk->fold->child[0]->communicates) {
        int64_t *all = allocate(ctx->ranks * (int64_t)sizeof *all);
        int status = ctx->backend->allgather(ctx, &longest, 1, NULL, all);
        for (int r = 0; status == BMF_OK && r < ctx->ranks; r++)
            longest = all[r] > longest ? all[r] : longest;
        free(all);
        BMF_TRY(status);
    }
    for (walk->levels = 0; longest >> walk->levels > 0;)
        walk->levels++;
    return BMF_OK;
}

void tree_level_free(bmf_tree_level *level)
{
    value_free(&level->value);
    free(level->instance);
    free(level->start);
    *level = (bmf_tree_level){0};
}

static int open_level(bmf_evaluator *evaluator, int64_t live, bmf_tree_level *level)
{
    *level = (bmf_tree_level){.instance = tree_numbers(evaluator, live), .start = tree_numbers(evaluator, live)};
    if (level->instance && level->start)
        return BMF_OK;
    tree_level_free(level);
    return BMF_ERROR_MEMORY;
}

int tree_walk_first(const bmf_tree_walk *walk, bmf_value *elements, bmf_tree_level *first)
{
    BMF_TRY(open_level(walk->evaluator, walk->instances, first));
    first->start[0] = 0;
    for (int64_t i = 0; i < walk->instances; i++) {
        if (walk->offsets[i + 1] == walk->offsets[i])
            continue;
        first->instance[first->live] = i;
        first->start[++first->live] = walk->offsets[i + 1];
    }
    value_move(elements, &first->value);
    return BMF_OK;
}

/* The instances and starts of the next level; *even: nodes lie in pairs from the first on. */
static void count_pairs(const bmf_tree_level *level, bmf_tree_level *next, bool *even)
{
    *even = true;
    next->start[0] = 0;
    for (int64_t k = 0; k < level->live; k++) {
        int64_t nodes = level->start[k + 1] - level->start[k];
        if (nodes % 2 != 0 && k + 1 < level->live)
            *even = false;
        if (nodes < 2)
            continue;
        next->instance[next->live] = level->instance[k];
        next->start[next->live + 1] = next->start[next->live] + nodes / 2;
        next->live++;
    }
}

/* Left nodes of all pairs, and the elements they begin with. */
static void number_pairs(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, int64_t *left, int64_t *picked)
{
    for (int64_t k = 0, n = 0; k < level->live; k++) {
        int64_t first = walk->offsets[level->instance[k]];
        for (int64_t j = 0; j + 1 < level->start[k + 1] - level->start[k]; j += 2, n++) {
            left[n] = level->start[k] + j;
            picked[n] = first + (j << l);
        }
    }
}

/* Both nodes of all pairs. */
static int take_pairs(const bmf_tree_walk *walk, const bmf_tree_level *level, bool even, int64_t pairs, int64_t *left,
                      bmf_value *a, bmf_value *b)
{
    bmf_context *ctx = walk->evaluator->ctx;
    if (even) {
        value_every(ctx, &level->value, 0, 2, pairs, a);
        value_every(ctx, &level->value, 1, 2, pairs, b);
        return BMF_OK;
    }
    BMF_TRY(value_take(ctx, &level->value, left, pairs, a));
    for (int64_t n = 0; n < pairs; n++)
        left[n]++;
    int status = value_take(ctx, &level->value, left, pairs, b);
    if (status != BMF_OK)
        value_free(a);
    return status;
}

static int combine_pairs(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, bool even, int64_t pairs,
                         bmf_value *out)
{
    int64_t *left = tree_numbers(walk->evaluator, pairs), *picked = tree_numbers(walk->evaluator, pairs);
    bmf_value a, b;
    int status = left && picked ? BMF_OK : BMF_ERROR_MEMORY;
    if (status == BMF_OK) {
        number_pairs(walk, l, level, left, picked);
        status = take_pairs(walk, level, even, pairs, left, &a, &b);
    }
    if (status == BMF_OK)
        status = apply_operator(walk->evaluator, walk->fold, walk->elements, picked, pairs, &a, &b, out);
    free(left), free(picked);
    return status;
}

int tree_walk_next(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, bmf_tree_level *next)
{
    bool even;
    BMF_TRY(open_level(walk->evaluator, level->live, next));
    count_pairs(level, next, &even);
    int status = combine_pairs(walk, l, level, even, next->start[next->live], &next->value);
    if (status != BMF_OK)
        tree_level_free(next);
    return status;
}
