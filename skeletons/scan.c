/* scan and map_scan: the folds of all prefixes. Document 000, 2.9.4 and 5.8.
 *
 * Method: processors fold their elements, learn the fold of everything before them, and then scan, all by the fixed
 * tree.
 *   levels     ceil(log2 Q) rounds; Q - 1, Q - 2, Q - 4, .. messages
 *   tree       2 ceil(log2 Q) rounds, 2 (Q - 1) messages
 *   everybody  1 round, Q (Q - 1) messages: the exclusive scan of block totals on every processor
 * Inside a rank elements are scanned in one pass (skeletons/engine/scan_pass.c).
 * Cost: on one processor n w bytes read and n w written; on several the first fold reads n w bytes more. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/elementwise.h"
#include "skeletons/engine/partials.h"
#include "skeletons/engine/scan_pass.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_scan = {
    .id = 7, .name = "scan", .communication = BMF_COMMUNICATION_SCAN, .keyword = "P_Scan"};
const bmf_skeleton_type skeleton_map_scan = {.id = 8, .name = "map_scan", .communication = BMF_COMMUNICATION_SCAN};

/* ---- the prefix of every part ---- */

static void generate_scan(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state)
{
    partials_generate(state, algorithm, partials_bytes, schedule);
}

static int join_prefix(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                       int64_t begin, int64_t end, const char *values)
{
    (void)item;
    (void)message;
    int code = forest_prepend(partials->tree, &part->prefix, begin, end, values);
    int failed = forest_prepend(partials->tree, &part->partial, begin, end, values);
    return code ? code : failed;
}

static int join_each(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                     int64_t begin, int64_t end, const char *values)
{
    (void)begin;
    if (message->first >= item)
        return 0;
    if (message->first == 0)
        forest_start(&part->prefix, 0);
    return forest_append(partials->tree, &part->prefix, end, values, false);
}

static int level_of(int64_t distance)
{
    return __builtin_ctzll((unsigned long long)distance);
}

/* Up the tree: the partial result before it grows is the left child's value, which the way down needs. */
static int join_up(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                   int64_t begin, int64_t end, const char *values)
{
    int level = level_of(message->first - item);
    if (level >= part->levels) {
        part->saved = reallocate(part->saved, part->levels * (int64_t)sizeof *part->saved,
                                 (level + 1) * (int64_t)sizeof *part->saved);
        for (; part->levels <= level; part->levels++)
            forest_start(&part->saved[part->levels], 0);
    }
    forest_copy(partials->tree, &part->partial, &part->saved[level]);
    return join_partial(partials, part, item, message, begin, end, values);
}

/* Down the tree: everything before me, then my left child at that level. */
static const bmf_forest *send_down(const bmf_partials *partials, bmf_partial *part, int64_t item,
                                   const bmf_message *message, bmf_forest *own)
{
    const bmf_forest *left = &part->saved[level_of(message->first + message->count - item)];
    forest_copy(partials->tree, &part->prefix, own);
    /* An operator's failure shows again where the values are used. */
    (void)forest_append(partials->tree, own, left->end, left->value, false);
    return own;
}

static int join_down(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                     int64_t begin, int64_t end, const char *values)
{
    (void)item;
    (void)message;
    forest_free(&part->prefix);
    forest_start(&part->prefix, begin);
    return forest_append(partials->tree, &part->prefix, end, values, false);
}

static bmf_join_function *joining_of(const bmf_algorithm *algorithm, bool first_half)
{
    switch (algorithm->joining) {
    case BMF_JOIN_EACH:
        return join_each;
    case BMF_JOIN_UP_DOWN:
        return first_half ? join_up : join_down;
    default:
        return join_prefix;
    }
}

static int run_rounds(bmf_partials *partials, const bmf_schedule *schedule, const bmf_algorithm *algorithm)
{
    int status = BMF_OK, up = (schedule->rounds + 1) / 2;
    for (int r = 0; r < schedule->rounds; r++) {
        bmf_join_function *join = joining_of(algorithm, r < up);
        bmf_send_function *send = join == join_down ? send_down : send_partial;
        int joined = partials_round(partials, &schedule->round[r], (uint32_t)r, send, join);
        status = status ? status : joined;
    }
    return status;
}

/* Kernel events and failures of fused calls carry the name of the kernel. */
static const char *kernel_name(const bmf_source *source, const bmf_tree *tree)
{
    return source->kernel ? source->kernel->name : tree->op->name;
}

static int exchange_prefixes(bmf_partials *partials, const char *skeleton, const bmf_list *xs, const bmf_source *source,
                             const bmf_tree *tree)
{
    bmf_context *ctx = xs->context;
    const bmf_algorithm *algorithm;
    BMF_TRY(partials_fold(partials, ctx, tree, xs->partition, source, kernel_name(source, tree), true));
    bmf_call call = {.ctx = ctx,
                     .skeleton = skeleton,
                     .list = xs,
                     .choice = {.skeleton = "scan", .count = xs->partition->parts, .bytes = (double)tree->record},
                     .generate = generate_scan,
                     .state = partials};
    bmf_schedule *schedule = plan_make(&call, &algorithm);
    partials->rounds = (uint32_t)schedule->rounds;
    int status = failure_defer(ctx, run_rounds(partials, schedule, algorithm));
    schedule_free(schedule);
    if (status != BMF_OK)
        partials_free(partials);
    return status;
}

/* ---- the skeleton ---- */

static int scan_source(const char *skeleton, const bmf_list *xs, const bmf_source *source, const bmf_tree *tree,
                       bmf_scan_kind kind, bmf_list *out, bool in_place)
{
    bmf_partials partials;
    bool alone = xs->partition->parts == 1;
    if (!alone)
        BMF_TRY(exchange_prefixes(&partials, skeleton, xs, source, tree));
    int status = scan_pass(&(bmf_scan_pass){.source = source,
                                            .tree = tree,
                                            .partials = alone ? NULL : &partials,
                                            .kind = kind,
                                            .kernel = kernel_name(source, tree),
                                            .out = out,
                                            .in_place = in_place});
    if (!alone)
        partials_free(&partials);
    return status;
}

static int scan_list(const bmf_skeleton_type *skeleton, bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op,
                     bmf_scan_kind kind, bool in_place, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_source source;
    bmf_tree tree;
    bmf_list *made = NULL;
    if (kind == BMF_EXCLUSIVE && !op->identity)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "%s: an exclusive scan needs an operator with an identity; %s has none", skeleton->name,
                        op->name);
    if (in_place)
        bmf_list_make_writable(xs);
    BMF_TRY(source_open(&source, skeleton->name, xs, NULL, kernel));
    int status = tree_open(&tree, ctx, skeleton->name, op, source.type);
    if (status == BMF_OK) {
        skeleton_begin(ctx, skeleton, kernel ? "%s %s %s" : "%s %s%s", skeleton->name, op->name,
                       kernel ? kernel->name : "");
        if (!in_place)
            status = bmf_list_create(ctx, source.type, xs->partition, &made);
        if (status == BMF_OK && bmf_length(xs) > 0)
            status = scan_source(skeleton->name, xs, &source, &tree, kind, in_place ? xs : made, in_place);
        skeleton_end(ctx, xs->partition, status);
        tree_close(&tree);
    }
    source_close(&source);
    if (status == BMF_OK && !in_place)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}

/* The list is only read unless it is scanned in place. */
int bmf_scan(const bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out)
{
    return scan_list(&skeleton_scan, (bmf_list *)xs, NULL, op, kind, false, out);
}

int bmf_map_scan(const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, bmf_scan_kind kind,
                 bmf_list **out)
{
    return scan_list(&skeleton_map_scan, (bmf_list *)xs, kernel, op, kind, false, out);
}

int bmf_scan_in_place(bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind)
{
    bmf_list *made = NULL;
    if (!op->may_fail)
        return scan_list(&skeleton_scan, xs, NULL, op, kind, true, NULL);
    BMF_TRY(bmf_scan(xs, op, kind, &made));
    list_replace(xs, made);
    return BMF_OK;
}
