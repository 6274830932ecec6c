/* scan and map_scan: the folds of all prefixes. Document 000, 2.9.4 and 5.8.
 *
 * Method: processors fold their elements, learn the fold of everything before them, and then scan, all by the fixed tree.
 *   levels     ceil(log2 Q) rounds; Q - 1, Q - 2, Q - 4, .. messages
 *   tree       2 ceil(log2 Q) rounds, 2 (Q - 1) messages
 *   everybody  1 round, Q (Q - 1) messages: the exclusive scan of block totals on every processor
 * Inside a rank the scan is chained: workers take cache-sized pieces in order; each folds its piece, waits for the fold
 * of everything before it, hands on its own, and scans the piece while it is still in the cache (the idea of Merrill and
 * Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, with in-order hand-over).
 * Cost: on one processor n w bytes read and n w written; on several the first fold reads n w bytes more. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/elementwise.h"
#include "skeletons/engine/partials.h"
#include "skeletons/skeletons.h"

const bmf_skeleton_type skeleton_scan = {
    .id = 7, .name = "scan", .communication = BMF_COMMUNICATION_SCAN, .keyword = "P_Scan"};
const bmf_skeleton_type skeleton_map_scan = {.id = 8, .name = "map_scan", .communication = BMF_COMMUNICATION_SCAN};

/* Elements of one chained piece take about this much: well inside a second-level cache. */
enum { CHAIN_BYTES = 256 * 1024, SPINS_BEFORE_YIELD = 200 };
/* Half a block at a time: memory that waits shorter for the next read goes on reading ahead. */
enum { SCAN_BLOCK = BMF_BLOCK / 2 };

/* ---- learning what is before ---- */

static int generate_scan(bmf_schedule *schedule, bmf_algorithm algorithm, const void *state)
{
    switch (algorithm) {
    case BMF_SCAN_TREE:
        return partials_generate(state, schedule_scan_tree, schedule);
    case BMF_SCAN_EVERYBODY:
        return partials_generate(state, schedule_everybody, schedule);
    default:
        return partials_generate(state, schedule_scan_levels, schedule);
    }
}

static int join_levels(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                       int64_t begin, int64_t end, const char *values)
{
    (void)item;
    (void)message;
    int code = forest_prepend(partials->tree, &part->before, begin, end, values);
    int failed = forest_prepend(partials->tree, &part->window, begin, end, values);
    return code ? code : failed;
}

static int join_everybody(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                          int64_t begin, int64_t end, const char *values)
{
    (void)begin;
    if (message->first >= item)
        return 0;
    if (message->first == 0)
        forest_start(&part->before, 0);
    return forest_append(partials->tree, &part->before, end, values, false);
}

static int level_of(int64_t distance)
{
    return __builtin_ctzll((unsigned long long)distance);
}

/* Up the tree: the window before it grows is the left child's value, which the way down needs. */
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
    forest_copy(partials->tree, &part->window, &part->saved[level]);
    return join_window(partials, part, item, message, begin, end, values);
}

/* Down the tree: everything before me, then my left child at that level. */
static const bmf_forest *offer_down(const bmf_partials *partials, bmf_partial *part, int64_t item,
                                    const bmf_message *message, bmf_forest *own)
{
    const bmf_forest *left = &part->saved[level_of(message->first + message->count - item)];
    forest_copy(partials->tree, &part->before, own);
    /* An operator's failure shows again where the values are used. */
    (void)forest_append(partials->tree, own, left->end, left->value, false);
    return own;
}

static int join_down(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                     int64_t begin, int64_t end, const char *values)
{
    (void)item;
    (void)message;
    forest_free(&part->before);
    forest_start(&part->before, begin);
    return forest_append(partials->tree, &part->before, end, values, false);
}

static int run_rounds(bmf_partials *partials, const bmf_schedule *schedule, bmf_algorithm algorithm)
{
    int status = BMF_OK, up = (schedule->rounds + 1) / 2;
    for (int r = 0; r < schedule->rounds; r++) {
        bmf_join_function *join = algorithm == BMF_SCAN_EVERYBODY ? join_everybody
                                  : algorithm == BMF_SCAN_LEVELS  ? join_levels
                                  : r < up                        ? join_up
                                                                  : join_down;
        bmf_offer_function *offer = join == join_down ? offer_down : offer_window;
        int joined = partials_round(partials, &schedule->round[r], (uint32_t)r, offer, join);
        status = status ? status : joined;
    }
    return status;
}

/* Kernel events and failures of fused calls carry the name of the kernel. */
static const char *kernel_name(const bmf_source *source, const bmf_tree *tree)
{
    return source->kernel ? source->kernel->name : tree->op->name;
}

static int learn_before(bmf_partials *partials, const char *skeleton, const bmf_list *xs, const bmf_source *source,
                        const bmf_tree *tree)
{
    bmf_context *ctx = xs->context;
    bmf_algorithm algorithm;
    BMF_TRY(partials_fold(partials, ctx, tree, xs->partition, source, kernel_name(source, tree), true));
    bmf_call call = {.ctx = ctx,
                     .skeleton = skeleton,
                     .list = xs,
                     .first = BMF_SCAN_LEVELS,
                     .last = BMF_SCAN_EVERYBODY,
                     .count = xs->partition->parts,
                     .bytes = (double)tree->record,
                     .generate = generate_scan,
                     .state = partials};
    bmf_schedule *schedule = plan_make(&call, &algorithm);
    partials->rounds = (uint32_t)schedule->rounds;
    int status = agree_if(ctx, tree->op->may_fail, run_rounds(partials, schedule, algorithm));
    schedule_free(schedule);
    if (status != BMF_OK)
        partials_free(partials);
    return status;
}

/* ---- the chained scan ---- */

typedef struct chain {
    const bmf_tree *tree;
    const bmf_source *source;
    const bmf_sink *sink;
    const bmf_partials *partials; /* NULL: the list is on one processor */
    const bmf_partition *partition;
    bmf_scan_kind kind;
    bool shared;        /* several workers */
    bmf_forest running; /* the fold of everything before piece `turn` */
    bool broken;        /* something failed at or before that piece; written by the owner of the turn */
    atomic_llong turn;  /* the piece whose worker owns `running` */
    char **record;      /* by worker: two records */
} chain;

static void wait_for_turn(chain *c, int64_t index)
{
    for (int spins = 0; atomic_load_explicit(&c->turn, memory_order_acquire) != index; spins++) {
        if (spins >= SPINS_BEFORE_YIELD)
            sched_yield();
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    }
}

/* At the first piece of a part the chain starts anew from what is known to be before it. */
static int start_part(chain *c, const bmf_piece *piece)
{
    if (piece->begin != c->partition->start[piece->part])
        return 0;
    forest_free(&c->running);
    forest_start(&c->running, 0);
    if (!c->partials)
        return 0;
    const bmf_forest *before = &c->partials->part[piece->part - c->partition->local_first].before;
    return forest_append(c->tree, &c->running, before->end, before->value, true);
}

static int copy_running(const chain *c, bmf_forest *mine)
{
    forest_start(mine, 0);
    return forest_append(c->tree, mine, c->running.end, c->running.value, true);
}

/* Takes the fold before the piece and hands on the fold after it. Once something failed there is no fold to hand on:
 * the later pieces only pass the turn. */
static int pass_on(chain *c, int64_t index, const bmf_piece *piece, int worker, bmf_forest *mine)
{
    bmf_forest folded;
    forest_start(&folded, piece->begin);
    int code = forest_fold(c->tree, &folded, c->source, worker, piece->begin, piece->end);
    wait_for_turn(c, index);
    if (code == 0 && !c->broken)
        code = start_part(c, piece);
    if (code == 0 && !c->broken)
        code = copy_running(c, mine);
    if (code == 0 && !c->broken)
        code = forest_append(c->tree, &c->running, piece->end, folded.value, true);
    c->broken = c->broken || code != 0;
    atomic_store_explicit(&c->turn, index + 1, memory_order_release);
    forest_free(&folded);
    return code;
}

static const char *top(const bmf_tree *tree, const bmf_forest *forest)
{
    return forest->nodes ? forest->prefix + (forest->nodes - 1) * tree->record : NULL;
}

static int scan_block(const chain *c, int worker, int64_t begin, int64_t count, bmf_forest *before)
{
    const bmf_tree *tree = c->tree;
    bmf_slice x[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    char *value = c->record[worker], *prefix = value + tree->record;
    const char *known = top(tree, before);
    int code = source_block(c->source, worker, begin, count, x);
    if (code == 0)
        code = tree_fold(tree, worker, count, x, value);
    if (known)
        memcpy(prefix, known, (size_t)tree->record);
    if (code == 0)
        code = forest_push(tree, before, count, value, true);
    if (code != 0)
        return code;
    sink_block(c->sink, worker, begin, out);
    code = tree_scan(tree, worker, count, x, known ? prefix : NULL, c->kind == BMF_INCLUSIVE ? top(tree, before) : NULL,
                     out);
    if (c->kind == BMF_EXCLUSIVE && !known)
        tree_put(tree, tree->op->identity, out, 0);
    sink_commit(c->sink, worker, begin, count);
    return code;
}

static int scan_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    chain *c = state;
    bmf_forest copy = {0}, *before = c->shared ? &copy : &c->running;
    int code = 0;
    if (c->shared)
        code = pass_on(c, index, piece, worker, &copy);
    else if (!c->broken)
        code = start_part(c, piece);
    bool known = before->end == piece->begin; /* not after a failure */
    for (int64_t i = piece->begin, count; i < piece->end && code == 0 && known; i += count) {
        count = tree_block(i, piece->end);
        count = count < SCAN_BLOCK ? count : SCAN_BLOCK;
        code = scan_block(c, worker, i, count, before);
    }
    if (!c->shared)
        c->broken = c->broken || code != 0;
    forest_free(&copy);
    return code;
}

/* A power of two of blocks, about CHAIN_BYTES of elements. */
static int64_t chain_grain(const bmf_tree *tree)
{
    int64_t grain = BMF_BLOCK;
    while (2 * grain * tree->record <= CHAIN_BYTES)
        grain *= 2;
    return grain;
}

static int scan_into(const bmf_source *source, const bmf_tree *tree, const bmf_partials *partials, bmf_scan_kind kind,
                     bmf_list *out, bool in_place)
{
    bmf_context *ctx = out->context;
    bmf_piece *piece;
    int64_t pieces;
    bmf_sink sink;
    BMF_TRY(pieces_create_chain(ctx, out->partition, chain_grain(tree), &piece, &pieces));
    sink_open(&sink, out, in_place ? BMF_SINK_STAGED : BMF_SINK_NEW, source->inputs);
    chain c = {.tree = tree,
               .source = source,
               .sink = &sink,
               .partials = partials,
               .partition = out->partition,
               .kind = kind,
               .shared = ctx->threads > 1 && pieces > 1};
    c.record = allocate(ctx->threads * (int64_t)sizeof *c.record);
    for (int w = 0; w < ctx->threads; w++)
        c.record[w] = allocate(2 * tree->record);
    int status = backend_compute(ctx, &(bmf_work){.kernel = kernel_name(source, tree),
                                                  .round = partials ? partials->rounds + 1 : 0,
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .chained = true,
                                                  .run = scan_piece,
                                                  .state = &c});
    forest_free(&c.running);
    for (int w = 0; w < ctx->threads; w++)
        free(c.record[w]);
    free(c.record);
    sink_close(&sink);
    free(piece);
    return agree_if(ctx, source->may_fail || tree->op->may_fail, status);
}

/* ---- the skeleton ---- */

static int scan_source(const char *skeleton, const bmf_list *xs, const bmf_source *source, const bmf_tree *tree,
                       bmf_scan_kind kind, bmf_list *out, bool in_place)
{
    bmf_partials partials;
    bool alone = xs->partition->parts == 1;
    if (!alone)
        BMF_TRY(learn_before(&partials, skeleton, xs, source, tree));
    int status = scan_into(source, tree, alone ? NULL : &partials, kind, out, in_place);
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
        bmf_list_own(xs);
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
