/* The pass of a scan over this rank's elements; see scan_pass.h.
 *
 * Method: parts are cut into nodes of the tree that stay in a second-level cache, which workers take in order. A worker
 * folds a node and gives its total to the look-back (lookback.h). It scans the node while it folds the next one, a
 * kilobyte at a time, so that memory is read and written all the time; the look-back has that long to learn what is
 * before. Totals of rows of eight are kept from the fold for the scan (rows.h), and so are results of kernels.
 * Results are made in a first-level cache and copied out, past the caches where a list is longer than they are; those
 * of the ready-made sums are written from registers where rows are lines.
 * Operators that do no rows, and what is shorter, go block by block: folded, then scanned by a forest; on a single
 * worker both at once.
 * Cost: every element is read from memory and written once; 18 n / 7 operations, 3 n for operators without rows that
 * several workers share. */
#include "skeletons/engine/scan_pass.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/lookback.h"
#include "skeletons/engine/rows.h"
#include "skeletons/engine/sum_rows.h"

/* Two nodes are in work at a time: well inside a second-level cache. Blocks take turns reading and writing: the
 * shorter, the steadier memory works. What is folded is asked for 8 KiB ahead. */
enum { NODE_BYTES = 64 * 1024, BLOCK_BYTES = 1024, AHEAD_BYTES = 8 * 1024, CLAIMED_BYTES = 4 * 1024, LINE = 64 };
/* Half a block at a time where there are no rows: memory that waits shorter for the next read goes on reading ahead. */
enum { SCAN_BLOCK = BMF_BLOCK / 2 };

/* A node whose fold is there or under way. */
typedef struct scan_node {
    int64_t index, count; /* elements */
    bmf_row_levels levels;
    char *held;                         /* with a kernel: what it made of the elements */
    const char *x;                      /* the elements: those of the list, or held */
    bmf_slice in[2 * BMF_MAX_LEAVES];   /* the list's leaves */
    bmf_slice next[2 * BMF_MAX_LEAVES]; /* those of the node that this worker is likely to take next; NULL: none */
} scan_node;

typedef struct scan_worker {
    scan_node node[2];
    int folded;   /* which of them was the last */
    bool pending; /* and has to be scanned */
    char *staged; /* results of a block, and one more */
    char *record; /* two of them */
} scan_worker;

typedef struct scan_state {
    const bmf_scan_pass *pass;
    const bmf_tree *tree;
    const bmf_source *source;
    bmf_sink sink;
    bmf_piece *piece; /* nodes */
    int64_t pieces;
    int64_t longest; /* elements of a node */
    int64_t block;   /* elements to fold, and to scan, in turn */
    int64_t ahead;   /* how many elements before they are folded memory is asked for them */
    int threads;
    bool alone;  /* a single worker */
    bool claims; /* lines of the output are asked for before they are written */
    bool rows;
    bmf_sum_rows *sum_rows; /* instead of scanning rows to the first-level cache; or NULL */
    scan_worker *worker;
    bmf_lookback lookback;
} scan_state;

/* ---- nodes ---- */

/* The largest node at `begin`. Nothing is before the first one, which rows cannot do: it is a short one. */
static int64_t node_count(const scan_state *s, int64_t begin, int64_t end)
{
    int64_t count = begin == 0 ? BMF_BLOCK : begin & -begin;
    count = count < s->longest ? count : s->longest;
    while (count > end - begin)
        count /= 2;
    return count;
}

/* The nodes of all local parts, into `piece` if it is there; returns how many. */
static int64_t cut(const scan_state *s, const bmf_partition *partition, bmf_piece *piece)
{
    int64_t nodes = 0;
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++) {
        const int64_t processor = bmf_partition_processor(partition, k), end = partition->start[k + 1];
        for (int64_t i = partition->start[k], count; i < end; i += count, nodes++) {
            count = node_count(s, i, end);
            if (piece)
                piece[nodes] = (bmf_piece){k, processor, i, i + count, 0};
        }
    }
    return nodes;
}

static bool goes_by_rows(const scan_state *s, const bmf_piece *piece)
{
    return s->rows && piece->begin > 0 && piece->end - piece->begin >= BMF_SHORTEST_NODE_OF_ROWS;
}

/* At the first node of a part the look-back starts anew from what is known to be before it. */
static int start_part(void *state, int64_t index, bmf_forest *running)
{
    const scan_state *s = state;
    const bmf_partials *partials = s->pass->partials;
    const bmf_partition *partition = s->pass->out->partition;
    const bmf_piece *piece = &s->piece[index];
    if (piece->begin != partition->start[piece->part])
        return 0;
    forest_free(running);
    forest_start(running, 0);
    if (!partials)
        return 0;
    const bmf_forest *prefix = &partials->part[piece->part - partition->local_first].prefix;
    return forest_append(s->tree, running, prefix->end, prefix->value, true);
}

/* ---- by rows ---- */

/* Element `at` of the next node, which this worker may take after node `index` if all take turns; NULL: none. */
static void inputs_ahead(const scan_state *s, int64_t index, int64_t at, bmf_slice *in)
{
    const int64_t next = index + (s->alone ? 1 : s->threads);
    in[0].data = NULL;
    if (next < s->pieces)
        source_inputs(s->source, s->piece[next].begin + at, in);
}

static void open_node(const scan_state *s, scan_node *node, int64_t index)
{
    const bmf_piece *piece = &s->piece[index];
    node->index = index;
    node->count = piece->end - piece->begin;
    row_levels_start(&node->levels, node->count);
    source_inputs(s->source, piece->begin, node->in);
    inputs_ahead(s, index, 0, node->next);
    node->x = s->source->kernel ? node->held : node->in[0].data;
}

/* Asks for what is to be folded some time after the elements [at, at + block): of the same node, or of the next.
 * Inlined, because gcc drops calls of functions that do nothing else. */
BMF_INLINE void read_ahead(const scan_state *s, const scan_node *node, int64_t at)
{
    const int64_t ahead = at + s->ahead, beyond = ahead - node->count;
    const bmf_slice *in = beyond < 0 ? node->in : node->next;
    if (!in[0].data)
        return;
    for (int k = 0; k < s->source->inputs; k++) {
        const char *from = (const char *)in[k].data + (beyond < 0 ? ahead : beyond) * in[k].stride;
        for (int64_t byte = 0; byte < s->block * in[k].stride; byte += LINE)
            __builtin_prefetch(from + byte);
    }
}

static int compute_block(const scan_state *s, const scan_node *node, int64_t at)
{
    const bmf_kernel *kernel = s->source->kernel;
    bmf_slice in[2 * BMF_MAX_LEAVES], held = {node->held + at * s->tree->record, s->tree->record};
    for (int k = 0; k < s->source->inputs; k++)
        in[k] = (bmf_slice){(char *)node->in[k].data + at * node->in[k].stride, node->in[k].stride};
    return kernel->block(kernel->context, s->block, in, &held);
}

static int fold_block(const scan_state *s, scan_node *node, int64_t at)
{
    read_ahead(s, node, at);
    const int code = s->source->kernel ? compute_block(s, node, at) : 0;
    if (code == 0)
        row_levels_fold(&node->levels, s->tree, at, s->block, node->x + at * s->tree->record);
    return code;
}

/* A store into a line that is in no cache waits for it: it is asked for before. Lists that are longer than the caches
 * are written past them. */
BMF_INLINE void claim_ahead(const scan_state *s, const scan_node *node, int64_t at)
{
    const bmf_slice *to = &s->sink.output[0];
    const char *from = (const char *)to->data + (s->piece[node->index].begin - s->sink.origin + at) * to->stride;
    for (int64_t byte = 0; byte < s->block * to->stride; byte += LINE)
        __builtin_prefetch(from + CLAIMED_BYTES + byte, 1);
}

static void scan_block(const scan_state *s, const scan_worker *w, const scan_node *node, int64_t at)
{
    if (s->claims)
        claim_ahead(s, node, at);
    const int64_t begin = s->piece[node->index].begin + at;
    const bool inclusive = s->pass->kind == BMF_INCLUSIVE;
    const char *x = node->x + at * s->tree->record;
    char *to = sink_address(&s->sink, begin);
    if (s->sum_rows && (uintptr_t)to % LINE == 0) {
        s->sum_rows(s->block / BMF_COLUMNS, x, row_levels_prefix(&node->levels, s->tree, at), inclusive,
                    s->sink.streaming, to);
        return;
    }
    row_levels_scan(&node->levels, s->tree, at, s->block, x, w->staged);
    sink_store(&s->sink, begin, s->block, w->staged + (inclusive ? s->tree->record : 0));
}

/* What is before a node that is folded comes down to its rows. False: something failed. */
static bool descend(scan_state *s, scan_node *node)
{
    if (!lookback_wait(&s->lookback, node->index))
        return false;
    row_levels_descend(&node->levels, s->tree, lookback_before(&s->lookback, node->index),
                       lookback_through(&s->lookback, node->index));
    return true;
}

/* Folds one node and scans another, in turns; NULL: none. */
static int fold_and_scan(const scan_state *s, const scan_worker *w, scan_node *folded, const scan_node *scanned)
{
    const int64_t fold_count = folded ? folded->count : 0, scan_count = scanned ? scanned->count : 0;
    for (int64_t at = 0; at < fold_count || at < scan_count; at += s->block) {
        const int code = at < fold_count ? fold_block(s, folded, at) : 0;
        if (code != 0)
            return code;
        if (at < scan_count)
            scan_block(s, w, scanned, at);
    }
    return 0;
}

/* Folds node `index` (-1: none) and scans the pending one, in turns. A worker that has to wait folds its node before:
 * others may be waiting for that. */
static int take_by_rows(scan_state *s, scan_worker *w, int64_t index)
{
    scan_node *pending = w->pending ? &w->node[w->folded] : NULL, *node = index >= 0 ? &w->node[!w->folded] : NULL;
    const bool late = pending && node && !lookback_knows(&s->lookback, pending->index);
    if (node)
        open_node(s, node, index);
    if (pending && !late && !descend(s, pending))
        return 0;
    const int code = fold_and_scan(s, w, node, late ? NULL : pending);
    if (code != 0)
        return code;
    if (node) {
        row_levels_total(&node->levels, s->tree, lookback_total(&s->lookback, index));
        lookback_give(&s->lookback, index);
    }
    if (late && !descend(s, pending))
        return 0;
    w->pending = index >= 0;
    w->folded = !w->folded;
    return late ? fold_and_scan(s, w, NULL, pending) : 0;
}

/* ---- block by block ---- */

/* through: the fold through the node, which is another one than that of what is before it and the node where both are
 * part of a larger node; NULL: `before` has all nodes. */
static int scan_by_forest(scan_state *s, const bmf_piece *piece, int worker, bmf_forest *before, const char *through)
{
    const bmf_tree *tree = s->tree;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        bmf_slice x[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
        count = tree_block(i, piece->end);
        count = count < SCAN_BLOCK ? count : SCAN_BLOCK;
        int code = source_block(s->source, worker, i, count, x);
        if (code != 0)
            return code;
        sink_block(&s->sink, worker, i, out);
        code =
            forest_scan(tree, before, worker, count, x, s->pass->kind == BMF_INCLUSIVE, s->worker[worker].record, out);
        if (code != 0)
            return code;
        if (s->pass->kind == BMF_EXCLUSIVE && i == 0)
            tree_put(tree, tree->op->identity, out, 0);
        if (s->pass->kind == BMF_INCLUSIVE && through && i + count == piece->end)
            tree_put(tree, through, out, count - 1);
        sink_commit(&s->sink, worker, i, count);
    }
    return 0;
}

static int take_alone(scan_state *s, int64_t index)
{
    int code = lookback_enter(&s->lookback, index);
    if (code == 0)
        code = scan_by_forest(s, &s->piece[index], 0, &s->lookback.running, NULL);
    lookback_leave(&s->lookback);
    return code;
}

static int take_by_blocks(scan_state *s, int64_t index, int worker)
{
    const bmf_piece *piece = &s->piece[index];
    bmf_forest forest;
    if (s->alone)
        return take_alone(s, index);
    forest_start(&forest, piece->begin);
    int code = forest_fold(s->tree, &forest, &s->source->blocks, worker, piece->begin, piece->end);
    if (code == 0)
        memcpy(lookback_total(&s->lookback, index), forest.value, (size_t)s->tree->record);
    forest_free(&forest);
    if (code != 0)
        return code;
    lookback_give(&s->lookback, index);
    if (!lookback_wait(&s->lookback, index))
        return 0;
    forest_start_behind(s->tree, &forest, piece->begin, lookback_before(&s->lookback, index));
    code = scan_by_forest(s, piece, worker, &forest, lookback_through(&s->lookback, index));
    forest_free(&forest);
    return code;
}

/* ---- the pass ---- */

/* Whether the worker may get no other node to fold while it scans this one, or one of another part. */
static bool is_last(const scan_state *s, int64_t index)
{
    return index + (s->alone ? 1 : s->threads) >= s->pieces || s->piece[index + 1].part != s->piece[index].part;
}

static int take(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    scan_state *s = state;
    scan_worker *w = &s->worker[worker];
    const bool by_rows = goes_by_rows(s, piece);
    int code = 0;
    if (atomic_load_explicit(&s->lookback.broken, memory_order_relaxed))
        return 0;
    if (by_rows || w->pending)
        code = take_by_rows(s, w, by_rows ? index : -1);
    if (code == 0 && !by_rows)
        code = take_by_blocks(s, index, worker);
    if (code == 0 && w->pending && is_last(s, index))
        code = take_by_rows(s, w, -1);
    if (code != 0)
        lookback_break(&s->lookback);
    return code;
}

static void create_workers(scan_state *s)
{
    const int64_t record = s->tree->record;
    s->worker = allocate_clear(s->threads, (int64_t)sizeof *s->worker);
    for (int k = 0; k < s->threads; k++) {
        scan_worker *w = &s->worker[k];
        w->record = allocate(2 * record);
        if (!s->rows)
            continue;
        w->staged = allocate((s->block + 1) * record);
        for (int n = 0; n < 2; n++) {
            row_levels_create(&w->node[n].levels, s->tree, s->longest);
            w->node[n].held = s->source->kernel ? allocate(s->longest * record) : NULL;
        }
    }
}

static void free_workers(scan_state *s)
{
    for (int k = 0; k < s->threads; k++) {
        scan_worker *w = &s->worker[k];
        for (int n = 0; n < 2; n++) {
            row_levels_free(&w->node[n].levels);
            free(w->node[n].held);
        }
        free(w->staged);
        free(w->record);
    }
    free(s->worker);
}

/* Sizes of nodes and blocks. */
static void choose_sizes(scan_state *s)
{
    const bmf_source *source = s->source;
    const int64_t record = s->tree->record;
    s->rows = tree_has_rows(s->tree) && source->blocks.plain;
    s->sum_rows = sum_rows_of(s->tree->op);
    s->longest = BMF_SHORTEST_NODE_OF_ROWS;
    while (2 * s->longest * record <= NODE_BYTES)
        s->longest *= 2;
    s->block = BMF_COLUMN_BLOCK;
    while (2 * s->block * record <= BLOCK_BYTES && s->block < BMF_SHORTEST_NODE_OF_ROWS)
        s->block *= 2;
    s->ahead = AHEAD_BYTES / record;
}

/* The workers that are left with a node of their own when all have been taken. */
static void scan_pending(scan_state *s)
{
    for (int k = 0; k < s->threads; k++)
        if (s->worker[k].pending)
            (void)take_by_rows(s, &s->worker[k], -1);
}

int scan_pass(const bmf_scan_pass *pass)
{
    bmf_list *out = pass->out;
    bmf_context *ctx = out->context;
    scan_state s = {.pass = pass, .tree = pass->tree, .source = pass->source, .threads = ctx->threads};
    choose_sizes(&s);
    s.pieces = cut(&s, out->partition, NULL);
    s.piece = allocate(s.pieces * (int64_t)sizeof *s.piece);
    cut(&s, out->partition, s.piece);
    s.alone = ctx->threads == 1 || out->column.count <= s.longest;
    sink_open(&s.sink, out, pass->in_place ? BMF_SINK_STAGED : BMF_SINK_NEW, s.source->inputs);
    s.claims = !pass->in_place && !s.sink.streaming;
    create_workers(&s);
    lookback_create(&s.lookback, s.tree, s.piece, s.pieces, start_part, &s);
    const bmf_work work = {.kernel = pass->kernel,
                           .round = pass->partials ? pass->partials->rounds + 1 : 0,
                           .piece = s.piece,
                           .pieces = s.pieces,
                           .dynamic = !s.alone,
                           .each = source_work(s.source, true),
                           .run = take,
                           .state = &s};
    /* What is before this rank's elements may have failed on another. */
    int status = ctx->sends_marks ? BMF_OK : backend_compute(ctx, &work);
    if (status == BMF_OK)
        scan_pending(&s);
    if (status == BMF_OK && s.lookback.code != 0)
        status = bmf_fail(ctx, BMF_ERROR_KERNEL, "operator %s failed", s.tree->op->name);
    lookback_free(&s.lookback);
    free_workers(&s);
    sink_close(&s.sink);
    free(s.piece);
    return agree_if(ctx, s.source->may_fail || s.tree->op->may_fail, status);
}
