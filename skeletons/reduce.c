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
#include "skeletons/engine/partials.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_reduce = {
    .id = 3, .name = "reduce", .communication = BMF_COMMUNICATION_REDUCE, .keyword = "P_Reduce", .to_one = true};
const bmf_skeleton_type skeleton_map_reduce = {
    .id = 4, .name = "map_reduce", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};
const bmf_skeleton_type skeleton_zip_map_reduce = {
    .id = 5, .name = "zip_map_reduce", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};

/* ---- bringing the partial results together ---- */

static int generate_reduction(bmf_schedule *schedule, bmf_algorithm algorithm, const void *state)
{
    switch (algorithm) {
    case BMF_REDUCE_DOUBLING:
        return partials_generate(state, schedule_reduce_doubling, schedule);
    case BMF_REDUCE_EVERYBODY:
        return partials_generate(state, schedule_everybody, schedule);
    default:
        return partials_generate(state, schedule_reduce_levels, schedule);
    }
}

/* everybody: all values in the order of the elements, one's own in its place, are collected in `before`. */
static int join_everybody(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                          int64_t begin, int64_t end, const char *values)
{
    bmf_forest *all = &part->before;
    int code = 0;
    (void)begin;
    if (message->first == (item == 0))
        forest_start(all, 0);
    if (message->first == item + 1)
        code = forest_append(partials->tree, all, part->window.end, part->window.value, false);
    int failed = forest_append(partials->tree, all, end, values, false);
    return code ? code : failed;
}

/* The total goes from item 0's processor to all, as a record. */
static int tell_generate(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                         const void *state)
{
    const bmf_partials *partials = state;
    (void)bytes;
    return schedule_distl_tree(schedule, first_round, group, partials->tree->record);
}

static int generate_tell(bmf_schedule *schedule, bmf_algorithm algorithm, const void *state)
{
    (void)algorithm;
    return partials_generate(state, tell_generate, schedule);
}

typedef struct tell_state {
    void *value;
    int64_t bytes;
} tell_state;

static int tell_segment(void *state, const bmf_message *message, bmf_segment *segment)
{
    const tell_state *s = state;
    (void)message;
    segment[0] = (bmf_segment){s->value, s->bytes};
    return 1;
}

static int tell_all(bmf_partials *partials, const bmf_list *xs, uint32_t round, void *value)
{
    tell_state state = {value, partials->tree->record};
    bmf_transfer transfer = {tell_segment, tell_segment, &state};
    bmf_call call = {.ctx = partials->ctx,
                     .skeleton = "telling the total",
                     .list = xs,
                     .first = BMF_ALGORITHMS,
                     .generate = generate_tell,
                     .state = partials};
    bmf_schedule *schedule = plan_make(&call, NULL);
    int status = BMF_OK;
    for (int r = 0; r < schedule->rounds && status == BMF_OK; r++)
        status = partials->ctx->backend->exchange(partials->ctx, &schedule->round[r], round + (uint32_t)r, &transfer);
    schedule_free(schedule);
    return status;
}

/* Ranks without a part of the list take no part in its schedule. */
static bool every_rank_has_parts(const bmf_context *ctx, const bmf_partition *partition)
{
    return ctx->ranks == 1 || (partition->parts == ctx->processors && ctx->processors >= ctx->ranks);
}

static int total_of(const bmf_partials *partials, const bmf_forest *forest, void *value)
{
    if (forest_total(partials->tree, forest, value) == 0)
        return BMF_OK;
    return bmf_fail(partials->ctx, BMF_ERROR_KERNEL, "operator %s failed", partials->tree->op->name);
}

/* Runs the rounds; afterwards value holds the total on every rank (or, placed, on the first processor's). */
static int bring_together(bmf_partials *partials, const char *skeleton, const bmf_list *xs, bool placed, void *value)
{
    bmf_context *ctx = partials->ctx;
    const bmf_partition *partition = partials->partition;
    bmf_algorithm algorithm = BMF_REDUCE_LEVELS;
    bmf_call call = {.ctx = ctx,
                     .skeleton = skeleton,
                     .list = xs,
                     .first = BMF_REDUCE_LEVELS,
                     .last = placed ? BMF_REDUCE_LEVELS : BMF_REDUCE_EVERYBODY,
                     .count = partition->parts,
                     .bytes = (double)partials->tree->record,
                     .generate = generate_reduction,
                     .state = partials};
    bmf_schedule *schedule = plan_make(&call, &algorithm);
    uint32_t rounds = (uint32_t)schedule->rounds;
    bool everybody = algorithm == BMF_REDUCE_EVERYBODY && partition->parts > 1;
    int status = BMF_OK;
    for (uint32_t r = 0; r < rounds; r++) {
        int joined =
            partials_round(partials, &schedule->round[r], r, offer_window, everybody ? join_everybody : join_window);
        status = status ? status : joined;
    }
    schedule_free(schedule);
    status = agree_if(ctx, partials->tree->op->may_fail, status);
    if (status != BMF_OK)
        return status;
    bool has_first = partition->local_parts > 0 && partition->local_first == 0;
    bool has_total = algorithm == BMF_REDUCE_LEVELS ? has_first : partition->local_parts > 0;
    if (has_total) {
        bmf_partial *part = &partials->part[0];
        if (everybody && partition->local_first == partition->parts - 1)
            status = forest_append(partials->tree, &part->before, part->window.end, part->window.value, false);
        status = total_of(partials, everybody ? &part->before : &part->window, value);
    }
    status = agree_if(ctx, partials->tree->op->may_fail, status);
    if (status == BMF_OK && algorithm == BMF_REDUCE_LEVELS && !placed)
        status = tell_all(partials, xs, rounds, value);
    if (status == BMF_OK && !placed && !every_rank_has_parts(ctx, partition))
        status = ctx->backend->share(ctx, partition->base, value, partials->tree->record);
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
    int status = bring_together(&partials, skeleton, xs, placed, total);
    if (status == BMF_OK)
        memcpy(value, total, (size_t)tree->record);
    free(total);
    partials_free(&partials);
    return status;
}

static int reduce_lists(const bmf_skeleton_type *skeleton, const bmf_list *xs, const bmf_list *ys,
                        const bmf_kernel *kernel, const bmf_operator *op, void *value)
{
    bmf_context *ctx = xs->context;
    bmf_source source;
    bmf_tree tree;
    BMF_TRY(source_open(&source, skeleton->name, xs, ys, kernel));
    int status = tree_open(&tree, ctx, skeleton->name, op, source.type);
    if (status == BMF_OK) {
        skeleton_begin(ctx, skeleton, kernel ? "%s %s %s" : "%s %s%s", skeleton->name, op->name,
                       kernel ? kernel->name : "");
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
    int status = tree_open(&tree, ctx, "reduce", op, source.type);
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
