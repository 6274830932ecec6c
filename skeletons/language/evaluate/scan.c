/* Scans of placed lists with any operator on any type, for all instances at once.
 *
 * Method: the levels of the fixed tree are kept; then prefixes are made from the top down. The prefix of q nodes of
 * level l is that of q / 2 nodes of level l + 1 if q is even, that one's and node q - 1 of level l if it is odd: so
 * every prefix is the fold of its elements, node by node from the largest.
 * Cost: 2n applications of the operator for n elements, O(log n) passes, and two copies of all nodes. */
#include <stdlib.h>

#include "skeletons/language/evaluate/levels.h"

/* Where the prefixes of a level come from. */
typedef struct sources {
    int64_t *first;                         /* by live instance: its first node */
    int64_t *prefix, *node, *picked, pairs; /* odd prefixes from the third on */
    int64_t *order;                         /* of all prefixes, in first, then higher, then combined ones */
} sources;

static bool open_sources(bmf_evaluator *evaluator, const bmf_tree_level *level, sources *s)
{
    int64_t nodes = level->start[level->live];
    *s = (sources){.first = tree_numbers(evaluator, level->live),
                   .prefix = tree_numbers(evaluator, nodes / 2),
                   .node = tree_numbers(evaluator, nodes / 2),
                   .picked = tree_numbers(evaluator, nodes / 2),
                   .order = tree_numbers(evaluator, nodes)};
    return s->first && s->prefix && s->node && s->picked && s->order;
}

static void close_sources(sources *s)
{
    free(s->first), free(s->prefix), free(s->node), free(s->picked), free(s->order);
}

/* higher: the level above, or NULL for the highest. */
static void find_sources(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, const bmf_tree_level *higher,
                         sources *s)
{
    int64_t live = level->live, above = 0, highs = higher ? higher->start[higher->live] : 0;
    for (int64_t k = 0; k < live; k++) {
        int64_t start = level->start[k], nodes = level->start[k + 1] - start;
        int64_t high = nodes > 1 ? higher->start[above++] : 0, element = walk->offsets[level->instance[k]];
        s->first[k] = start;
        s->order[start] = k;
        for (int64_t q = 2; q <= nodes; q++) {
            if (q % 2 == 0) {
                s->order[start + q - 1] = live + high + q / 2 - 1;
                continue;
            }
            s->prefix[s->pairs] = high + q / 2 - 1;
            s->node[s->pairs] = start + q - 1;
            s->picked[s->pairs] = element + ((q - 1) << l);
            s->order[start + q - 1] = live + highs + s->pairs++;
        }
    }
}

/* prefixes: of the level above; replaced by this level's. */
static int lower_prefixes(const bmf_tree_walk *walk, const bmf_tree_level *level, const sources *s, bmf_value *prefixes)
{
    bmf_context *ctx = walk->evaluator->ctx;
    bmf_value part[3] = {{0}, {0}, {0}}, a = {0}, b = {0}, all = {0};
    int status = value_take(ctx, prefixes, s->prefix, s->pairs, &a);
    if (status == BMF_OK)
        status = value_take(ctx, &level->value, s->node, s->pairs, &b);
    if (status == BMF_OK)
        status = apply_operator(walk->evaluator, walk->fold, walk->elements, s->picked, s->pairs, &a, &b, &part[2]);
    if (status == BMF_OK)
        status = value_take(ctx, &level->value, s->first, level->live, &part[0]);
    value_move(prefixes, &part[1]);
    if (status == BMF_OK)
        status = value_concatenate(ctx, 3, part, &all);
    for (int k = 0; k < 3; k++)
        value_free(&part[k]);
    if (status == BMF_OK)
        status = value_take(ctx, &all, s->order, level->start[level->live], prefixes);
    value_free(&a), value_free(&b), value_free(&all);
    return status;
}

static int descend(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, const bmf_tree_level *higher,
                   bmf_value *prefixes)
{
    sources s;
    int status = open_sources(walk->evaluator, level, &s) ? BMF_OK : BMF_ERROR_MEMORY;
    if (status == BMF_OK) {
        find_sources(walk, l, level, higher, &s);
        status = lower_prefixes(walk, level, &s, prefixes);
    }
    close_sources(&s);
    return status;
}

/* The prefixes of all elements, in order. */
static int scan_elements(bmf_tree_walk *walk, bmf_value *elements, bmf_value *out)
{
    bmf_tree_level level[BMF_TREE_LEVELS] = {{0}};
    bmf_value prefixes = {0};
    int status = tree_walk_open(walk), top = walk->levels - 1;
    if (status == BMF_OK)
        status = value_empty(walk->evaluator->ctx, walk->fold->out->component[0], 0, &prefixes);
    if (status == BMF_OK && top >= 0)
        status = tree_walk_first(walk, elements, &level[0]);
    for (int l = 0; l < top && status == BMF_OK; l++)
        status = tree_walk_next(walk, l, &level[l], &level[l + 1]);
    for (int l = top; l >= 0 && status == BMF_OK; l--)
        status = descend(walk, l, &level[l], l < top ? &level[l + 1] : NULL, &prefixes);
    for (int l = 0; l <= top; l++)
        tree_level_free(&level[l]);
    if (status == BMF_OK)
        value_move(&prefixes, out);
    value_free(&prefixes);
    return status;
}

/* op {initial, prefix} for all elements; prefixes are taken over. */
static int apply_default(bmf_evaluator *evaluator, const bmf_expression *scan, const bmf_frame *elements,
                         const int64_t *offsets, const bmf_value *initial, bmf_value *prefixes, bmf_value *out)
{
    bmf_value first;
    BMF_TRY(value_repeat(evaluator->ctx, initial, offsets, &first));
    return apply_operator_to_all(evaluator, scan, elements, &first, prefixes, out);
}

/* x is packed and keeps its offsets. */
static int scan_lists(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x,
                      bmf_value *initial, bmf_value *out)
{
    bmf_frame elements;
    bmf_value prefixes = {0};
    frame_open_elements(frame, scan, x->begin, &elements);
    bmf_tree_walk walk = {
        .evaluator = evaluator, .fold = scan, .elements = &elements, .offsets = x->begin, .instances = x->count};
    int status = scan_elements(&walk, &x->child[0], &prefixes);
    if (status == BMF_OK && scan->children > 1)
        status = apply_default(evaluator, scan, &elements, x->begin, initial, &prefixes, out);
    else if (status == BMF_OK)
        value_move(&prefixes, out);
    value_free(&prefixes);
    frame_close(&elements);
    return status;
}

int evaluate_scan(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value initial = {0}, scanned;
    bool alone = !scan->child[0]->communicates;
    if (is_concatenation(scan->child[0]))
        return evaluate_scan_lists(evaluator, scan, frame, x, out);
    int status = evaluate_default(evaluator, scan, frame, x, &initial);
    if (status == BMF_OK)
        status = value_pack_for(evaluator, frame, "pack", x);
    evaluator->quiet += alone;
    if (status == BMF_OK)
        status = scan_lists(evaluator, scan, frame, x, &initial, &scanned);
    evaluator->quiet -= alone;
    if (status == BMF_OK)
        value_like(x, &scanned, out);
    value_free(&initial);
    value_free(x);
    return status;
}
