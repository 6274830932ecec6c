/* reduce and its fused forms: x_0 op x_1 op .. op x_(n-1). Document 000, 2.9.3 and 5.6.
 *
 * Method: every processor folds its elements by the fixed tree, then partial results travel:
 *   levels     ceil(log2 Q) rounds up, then the total down the distl tree: 2 (Q - 1) messages (placed: Q - 1)
 *   doubling   ceil(log2 Q) rounds (2 more if Q is not a power of two)
 *   everybody  1 round, Q (Q - 1) messages
 * All give the same bits. Cost: n w bytes read once. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/reduction.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_reduce = {
    .id = 3, .name = "reduce", .communication = BMF_COMMUNICATION_REDUCE, .keyword = "P_Reduce", .to_one = true};
const bmf_skeleton_type skeleton_map_reduce = {
    .id = 4, .name = "map_reduce", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};
const bmf_skeleton_type skeleton_zip_map_reduce = {
    .id = 5, .name = "zip_map_reduce", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};
const bmf_skeleton_type skeleton_reduce_many = {
    .id = 35, .name = "reduce_many", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};

static int bring_together(bmf_partials *partials, const char *skeleton, const bmf_list *xs, bool placed, bool may_fail,
                          char *value)
{
    bmf_reduction_rounds rounds;
    reduction_open(&rounds, partials, skeleton, xs, placed, value);
    const int status = reduction_run(&rounds, may_fail);
    reduction_close(&rounds);
    return status;
}

/* ---- the skeleton ---- */

static int reduce_empty(bmf_context *ctx, const char *skeleton, const bmf_tree *tree, void *value)
{
    if (!tree->op->identity)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "%s of an empty list needs an operator with an identity; %s has none",
                        skeleton, tree->op->name);
    memcpy(value, tree->op->identity, (size_t)tree->record);
    return BMF_OK;
}

static int reduce_source(const char *skeleton, const bmf_list *xs, const bmf_source *source, const bmf_tree *tree,
                         bool placed, void *value)
{
    bmf_context *ctx = xs->context;
    bmf_partials partials;
    if (bmf_length(xs) == 0)
        return reduce_empty(ctx, skeleton, tree, value);
    BMF_TRY(partials_fold(&partials, ctx, tree, xs->partition, source,
                          source->kernel ? source->kernel->name : tree->op->name, true));
    char *total = allocate_clear(1, tree->record);
    int status = bring_together(&partials, skeleton, xs, placed, source->may_fail || tree->op->may_fail, total);
    if (status == BMF_OK)
        memcpy(value, total, (size_t)tree->record);
    free(total);
    partials_free(&partials);
    return status;
}

/* Whether kernel and operator have a function of both that folds blocks as the tree does. */
static bool can_fuse(const bmf_source *source, const bmf_tree *tree)
{
    const bmf_kernel *kernel = source->kernel;
    const bmf_fused_fold *fused = kernel && kernel->version >= 2 ? kernel->fused : NULL;
    if (!fused || !fused->fold || fused->op != tree->op || fused->of != kernel->block)
        return false;
    return (tree->by_columns || tree->reassociate) && tree->fold_blocks && source_contiguous(source) &&
           fused->fold(kernel->context, 0, source->input, NULL);
}

static int reduce_lists(const bmf_skeleton_type *skeleton, const bmf_list *xs, const bmf_list *ys,
                        const bmf_kernel *kernel, const bmf_operator *op, void *value)
{
    bmf_context *ctx = xs->context;
    bmf_source source;
    bmf_tree tree;
    BMF_TRY(source_open(&source, skeleton->name, xs, ys, kernel));
    int status = tree_open_reduction(&tree, ctx, skeleton->name, op, source.type);
    if (status == BMF_OK) {
        skeleton_begin(ctx, skeleton, kernel ? "%s %s %s" : "%s %s%s", skeleton->name, op->name,
                       kernel ? kernel->name : "");
        source.blocks.fused = can_fuse(&source, &tree);
        status = skeleton_end(ctx, xs->partition, reduce_source(skeleton->name, xs, &source, &tree, false, value));
        tree_close(&tree);
    }
    source_close(&source);
    return status;
}

int bmf_reduce(const bmf_list *xs, const bmf_operator *op, void *value)
{
    return reduce_lists(&skeleton_reduce, xs, NULL, NULL, op, value);
}

int bmf_map_reduce(const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, void *value)
{
    return reduce_lists(&skeleton_map_reduce, xs, NULL, kernel, op, value);
}

int bmf_zip_map_reduce(const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, const bmf_operator *op,
                       void *value)
{
    return reduce_lists(&skeleton_zip_map_reduce, xs, ys, kernel, op, value);
}

int bmf_reduce_placed(const bmf_list *xs, const bmf_operator *op, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_source source;
    bmf_tree tree;
    BMF_TRY(source_open(&source, "reduce", xs, NULL, NULL));
    int status = tree_open_reduction(&tree, ctx, "reduce", op, source.type);
    if (status == BMF_OK) {
        char *value = allocate_clear(1, tree.record);
        skeleton_begin(ctx, &skeleton_reduce, "reduce %s", op->name);
        status = skeleton_end(ctx, xs->partition, reduce_source("reduce", xs, &source, &tree, true, value));
        if (status == BMF_OK)
            status = bmf_place(ctx, xs->partition->base, source.type, 1, value, out);
        free(value);
        tree_close(&tree);
    }
    source_close(&source);
    return status;
}

/* ---- several lists at once ---- */

typedef struct several {
    int count; /* that are open, folded */
    bmf_source source[BMF_MAX_REDUCTIONS];
    bmf_tree tree[BMF_MAX_REDUCTIONS];
    bmf_partials partials[BMF_MAX_REDUCTIONS];
    bool may_fail;
} several;

static int check_several(int count, const bmf_list *const *xs)
{
    char first[256], other[256];
    for (int k = 1; k < count; k++)
        if (!bmf_partition_equal(xs[0]->partition, xs[k]->partition))
            return bmf_fail(xs[0]->context, BMF_ERROR_SHAPE, "reduce_many: %s and %s do not conform",
                            bmf_list_print(xs[0], first, sizeof first), bmf_list_print(xs[k], other, sizeof other));
    return BMF_OK;
}

static int open_several(several *s, int count, const bmf_list *const *xs, const bmf_operator *const *op)
{
    for (; s->count < count; s->count++) {
        const int k = s->count;
        BMF_TRY(source_open(&s->source[k], "reduce_many", xs[k], NULL, NULL));
        const int status = tree_open_reduction(&s->tree[k], xs[0]->context, "reduce_many", op[k], s->source[k].type);
        if (status != BMF_OK) {
            source_close(&s->source[k]);
            return status;
        }
        s->may_fail = s->may_fail || op[k]->may_fail;
    }
    return BMF_OK;
}

/* The records, one behind the other, to where they belong. */
static void deliver_several(const several *s, const char *totals, void *const *value)
{
    for (int k = 0; k < s->count; k++) {
        memcpy(value[k], totals, (size_t)s->tree[k].record);
        totals += partials_room(&s->partials[0], s->tree[k].record);
    }
}

static int reduce_empty_lists(const several *s, bmf_context *ctx, void *const *value)
{
    for (int k = 0; k < s->count; k++)
        if (!s->tree[k].op->identity)
            return reduce_empty(ctx, "reduce_many", &s->tree[k], value[k]);
    for (int k = 0; k < s->count; k++)
        BMF_TRY(reduce_empty(ctx, "reduce_many", &s->tree[k], value[k]));
    return BMF_OK;
}

static int reduce_several(several *s, const bmf_list *xs, void *const *value)
{
    bmf_context *ctx = xs->context;
    int status = BMF_OK, folded = 0;
    if (bmf_length(xs) == 0)
        return reduce_empty_lists(s, ctx, value);
    while (folded < s->count && status == BMF_OK) {
        status = partials_fold(&s->partials[folded], ctx, &s->tree[folded], xs->partition, &s->source[folded],
                               s->tree[folded].op->name, true);
        folded += status == BMF_OK;
    }
    s->partials[0].beside = &s->partials[1];
    s->partials[0].besides = s->count - 1;
    char *totals = allocate_clear(1, partials_record_bytes(&s->partials[0], 0, 1));
    if (status == BMF_OK)
        status = bring_together(&s->partials[0], "reduce_many", xs, false, s->may_fail, totals);
    if (status == BMF_OK)
        deliver_several(s, totals, value);
    free(totals);
    while (folded > 0)
        partials_free(&s->partials[--folded]);
    return status;
}

int bmf_reduce_many(int count, const bmf_list *const *xs, const bmf_operator *const *op, void *const *value)
{
    bmf_context *ctx = count > 0 ? bmf_list_context(xs[0]) : NULL;
    if (count < 1 || count > BMF_MAX_REDUCTIONS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "reduce_many: %d lists; it takes 1 to %d", count, BMF_MAX_REDUCTIONS);
    BMF_TRY(check_several(count, xs));
    several *s = allocate_clear(1, (int64_t)sizeof *s);
    int status = open_several(s, count, xs, op);
    if (status == BMF_OK) {
        skeleton_begin(ctx, &skeleton_reduce_many, "reduce_many %d", count);
        status = skeleton_end(ctx, xs[0]->partition, reduce_several(s, xs[0], value));
    }
    while (s->count > 0) {
        s->count--;
        tree_close(&s->tree[s->count]);
        source_close(&s->source[s->count]);
    }
    free(s);
    return status;
}
