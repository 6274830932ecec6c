/* Streams that end in a scan: the folds of all prefixes of every segment, by the fixed tree.
 *
 * Method: chained, as skeletons/scan.c does it. Workers take pieces that fit a second-level cache, in order. A piece
 * that ends inside a segment folds its part of that first and leaves what it computed at hand; waits for the fold of
 * the segment so far from the piece before, hands on its own; and then scans everything while it is still in the
 * cache. A single worker goes through once. Short segments are scanned in batches, by fast functions for the common
 * operators.
 * Cost: every element is read once and written once; 2 n operations, 3 n for segments that several workers share. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/memory.h"
#include "skeletons/engine/chain.h"
#include "skeletons/language/streams/fold.h"

enum { SCAN_BLOCK = BMF_SEGMENT_NODE };

typedef struct scan_state {
    bmf_stream_fold fold;
    const bmf_sink *sink;
    bool shared;       /* several workers */
    bool hold;         /* keep what was computed for folding */
    bmf_buffer **held; /* by worker: room for a piece */
    int64_t grain;
    bmf_chain chain; /* running: of the segment that piece `turn` begins in */
} scan_state;

/* ---- scanning ---- */

static int failed_if(scan_state *c, int code)
{
    if (code != 0)
        atomic_store_explicit(&c->fold.failed, true, memory_order_relaxed);
    return code != 0;
}

/* The fast form of forest_scan for a block of its size: from plain x to plain out. Its last result is the forest's. */
static int scan_fast(scan_state *c, const bmf_slice *x, bmf_forest *before, char *value, const bmf_slice *out)
{
    const bmf_tree *tree = &c->fold.tree;
    if (!c->fold.segments->scan_node(x[0].data, forest_top(tree, before), out[0].data, value))
        return 1;
    int code = forest_push(tree, before, BMF_SEGMENT_NODE, value, true);
    if (code == 0)
        tree_put(tree, forest_top(tree, before), out, BMF_SEGMENT_NODE - 1);
    return code;
}

static bool is_fast(const scan_state *c, int64_t count, const bmf_slice *x)
{
    const bmf_segment_functions *fast = c->fold.segments;
    return fast && fast->scan_node && count == BMF_SEGMENT_NODE && x[0].stride == c->fold.source->leaf_size[0];
}

/* Elements [begin, begin + count) of segment s, of a whole node, after the forest of all before. */
static int scan_block(scan_state *c, int worker, int64_t s, int64_t begin, int64_t count, const bmf_stream_held *held,
                      bmf_forest *before)
{
    const bmf_tree *tree = &c->fold.tree;
    bmf_slice x[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    char *room = c->fold.record[worker];
    int64_t v = c->fold.source->offset[s] + begin;
    if (stream_fold_block(&c->fold, worker, s, begin, count, held, x) != 0)
        return 1;
    if (held) /* nothing is read meanwhile: the piece that this worker takes next, if all take turns */
        stream_prefetch(c->fold.source, v + c->fold.source->workers * c->grain, count);
    sink_block(c->sink, worker, v, out);
    int code = is_fast(c, count, x) ? scan_fast(c, x, before, room, out)
                                    : forest_scan(tree, before, worker, count, x, true, room, out);
    if (code == 0 && c->fold.initial)
        code = stream_fold_begin_with(&c->fold, s, true, count, out);
    if (code == 0)
        sink_commit(c->sink, worker, v, count);
    return failed_if(c, code);
}

static int scan_range(scan_state *c, int worker, int64_t s, int64_t begin, int64_t end, const bmf_stream_held *held,
                      bmf_forest *before)
{
    for (int64_t i = begin, count; i < end; i += count) {
        count = tree_block(i, end);
        count = count < SCAN_BLOCK ? count : SCAN_BLOCK;
        if (scan_block(c, worker, s, i, count, held, before) != 0)
            return 1;
    }
    return 0;
}

/* A whole segment, alone. */
static int scan_alone(scan_state *c, int worker, int64_t s, const bmf_stream_held *held)
{
    const int64_t *offset = c->fold.source->offset;
    bmf_forest before;
    forest_start(&before, 0);
    int code = scan_range(c, worker, s, 0, offset[s + 1] - offset[s], held, &before);
    forest_free(&before);
    return code;
}

/* The defaults of segments [s, t) on the scans of all of them. */
static int begin_all(scan_state *c, int64_t s, int64_t t, const bmf_slice *out)
{
    const int64_t *offset = c->fold.source->offset, begin = offset[s];
    for (; s < t && c->fold.initial; s++) {
        bmf_slice to[BMF_MAX_LEAVES];
        for (int k = 0; k < c->fold.source->leaves; k++)
            to[k] = (bmf_slice){(char *)out[k].data + (offset[s] - begin) * out[k].stride, out[k].stride};
        if (offset[s + 1] > offset[s] && stream_fold_begin_with(&c->fold, s, true, offset[s + 1] - offset[s], to) != 0)
            return 1;
    }
    return 0;
}

/* Whole segments of altogether at most BMF_BLOCK elements. */
static int scan_batch(scan_state *c, int worker, int64_t s, int64_t t)
{
    bmf_stream_source *source = c->fold.source;
    const int64_t *offset = source->offset;
    int64_t begin = offset[s], count = offset[t] - begin;
    bmf_slice x[BMF_MAX_LEAVES] = {0}, out[BMF_MAX_LEAVES];
    if (count == 0)
        return 0;
    if (stream_block(source, worker, begin, count, x) != 0)
        return 1;
    if (c->fold.segments) {
        sink_block(c->sink, worker, begin, out);
        const void *plain = stream_fold_plain(&c->fold, worker, count, x);
        if (failed_if(c, !c->fold.segments->scan(plain, offset + s, t - s, out[0].data)) ||
            begin_all(c, s, t, out) != 0)
            return 1;
        sink_commit(c->sink, worker, begin, count);
        return 0;
    }
    for (; s < t; s++) {
        bmf_stream_held held = {.given = true};
        for (int k = 0; k < source->leaves; k++)
            held.x[k] = (bmf_slice){(char *)x[k].data + (offset[s] - begin) * x[k].stride, x[k].stride};
        if (scan_alone(c, worker, s, &held) != 0)
            return 1;
    }
    return 0;
}

static int scan_whole(scan_state *c, int worker, int64_t s, int64_t last, int64_t end)
{
    const int64_t *offset = c->fold.source->offset;
    while (s < last && offset[s + 1] <= end) {
        bool empty;
        int64_t stop = offset[s] + BMF_BLOCK < end ? offset[s] + BMF_BLOCK : end;
        int64_t t = stream_fold_batch_end(&c->fold, s, last, stop, &empty);
        int code = t == s ? scan_alone(c, worker, s, NULL) : scan_batch(c, worker, s, t);
        if (code != 0)
            return 1;
        s = t == s ? s + 1 : t;
    }
    return 0;
}

/* ---- the chain ---- */

/* A piece: the segment `head` it begins in (or -1), whole segments [first, last), the segment `tail` that begins in it
 * and ends behind it (or -1). The head may reach to the piece's end and beyond. */
typedef struct span_of_piece {
    int64_t head, head_begin, head_end;
    int64_t first, last, tail, tail_end;
    bool through; /* the head goes on behind the piece */
} span_of_piece;

static span_of_piece span_of(const bmf_stream_source *source, const bmf_piece *piece)
{
    const int64_t *offset = source->offset;
    span_of_piece p = {.head = -1, .tail = -1};
    p.first = stream_first_segment(source, piece->begin);
    p.last = stream_first_segment(source, piece->end);
    if (offset[p.first] > piece->begin) {
        p.head = p.first - 1;
        p.head_begin = piece->begin - offset[p.head];
        p.through = offset[p.first] > piece->end;
        p.head_end = (p.through ? piece->end : offset[p.first]) - offset[p.head];
    }
    if (!p.through && offset[p.last] > piece->end) {
        p.tail = --p.last;
        p.tail_end = piece->end - offset[p.tail];
    }
    return p;
}

static int append(scan_state *c, bmf_forest *to, const bmf_forest *from)
{
    return failed_if(c, forest_append(&c->fold.tree, to, from->end, from->value, true));
}

typedef struct scan_step {
    scan_state *scan;
    const span_of_piece *span;
    bmf_forest folded; /* of what goes on behind the piece */
    bmf_forest before; /* the piece: the fold of its first segment so far */
} scan_step;

static int take_step(bmf_chain *chain, void *state)
{
    scan_step *step = state;
    const span_of_piece *p = step->span;
    int code = p->head >= 0 ? append(step->scan, &step->before, &chain->running) : 0;
    if (code == 0 && !p->through) {
        forest_free(&chain->running);
        forest_start(&chain->running, 0);
    }
    if (code == 0 && (p->through || p->tail >= 0))
        code = append(step->scan, &chain->running, &step->folded);
    return code;
}

static void hold(const scan_state *c, int worker, int64_t begin, bmf_stream_held *held)
{
    const bmf_stream_source *source = c->fold.source;
    char *room = c->held[worker]->data;
    *held = (bmf_stream_held){.begin = begin};
    for (int k = 0; k < source->leaves; k++) {
        held->x[k] = (bmf_slice){room, source->leaf_size[k]};
        room += c->grain * source->leaf_size[k];
    }
}

static void scan_shared(scan_state *c, int64_t index, const span_of_piece *p, int worker, int64_t end)
{
    bmf_stream_held held = {0}, *keep = c->hold ? &held : NULL;
    scan_step step = {.scan = c, .span = p};
    int64_t s = p->through ? p->head : p->tail, begin = p->through ? p->head_begin : 0;
    int code = 0;
    forest_start(&step.folded, begin);
    forest_start(&step.before, 0);
    if (s >= 0) {
        if (keep)
            hold(c, worker, begin, keep);
        code =
            stream_fold_range(&c->fold, worker, s, begin, p->through ? p->head_end : p->tail_end, keep, &step.folded);
        held.given = true;
    }
    if (chain_hand_on(&c->chain, index, take_step, &step, &code)) {
        if (p->head >= 0)
            code = scan_range(c, worker, p->head, p->head_begin, p->head_end, p->through ? keep : NULL, &step.before);
        if (code == 0)
            code = scan_whole(c, worker, p->first, p->last, end);
        forest_free(&step.before);
        forest_start(&step.before, 0);
        if (code == 0 && p->tail >= 0)
            scan_range(c, worker, p->tail, 0, p->tail_end, keep, &step.before);
    }
    forest_free(&step.before);
    forest_free(&step.folded);
}

static int scan_in_order(scan_state *c, const span_of_piece *p, int worker, int64_t end)
{
    bmf_forest *running = &c->chain.running;
    int code = 0;
    if (p->head >= 0)
        code = scan_range(c, worker, p->head, p->head_begin, p->head_end, NULL, running);
    if (code == 0)
        code = scan_whole(c, worker, p->first, p->last, end);
    if (code == 0 && p->tail >= 0) {
        forest_free(running);
        forest_start(running, 0);
        code = scan_range(c, worker, p->tail, 0, p->tail_end, NULL, running);
    }
    return code;
}

static int scan_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    scan_state *c = state;
    span_of_piece p = span_of(c->fold.source, piece);
    if (c->shared)
        scan_shared(c, index, &p, worker, piece->end);
    else if (!c->chain.broken)
        c->chain.broken = scan_in_order(c, &p, worker, piece->end) != 0;
    return 0;
}

/* ---- the tail ---- */

static int again(void *state, int64_t segment)
{
    const int64_t *offset = ((scan_state *)state)->fold.source->offset;
    scan_whole(state, 0, segment, segment + 1, offset[segment + 1]);
    return 0;
}

static void open_held(scan_state *c)
{
    const bmf_stream_source *source = c->fold.source;
    int64_t bytes = 0;
    for (int k = 0; k < source->leaves; k++)
        bytes += source->leaf_size[k];
    c->grain = chain_grain(2 * BMF_BLOCK, bytes);
    c->hold = source->element;
    if (!c->hold)
        return;
    c->held = allocate(source->workers * (int64_t)sizeof *c->held);
    for (int w = 0; w < source->workers; w++)
        c->held[w] = working_buffer(c->grain * bytes);
}

static void close_held(scan_state *c)
{
    for (int w = 0; c->held && w < c->fold.source->workers; w++)
        buffer_release(c->held[w]);
    free(c->held);
}

static int run_chain(scan_state *c)
{
    bmf_stream_source *source = c->fold.source;
    bmf_piece *piece;
    int64_t pieces;
    open_held(c);
    stream_pieces(source, c->grain, &piece, &pieces);
    c->shared = source->evaluator->ctx->threads > 1 && pieces > 1;
    int status = stream_compute(
        source, &(bmf_stream_work){
                    .piece = piece, .pieces = pieces, .dynamic = true, .writes = true, .run = scan_piece, .state = c});
    free(piece);
    if (status == BMF_OK)
        status = stream_fold_status(&c->fold, BMF_EXPRESSION_SCAN, again, c);
    close_held(c);
    forest_free(&c->chain.running);
    return status;
}

int stream_scan(bmf_stream_source *source, const bmf_value *initial, bmf_value *out)
{
    bmf_slice output[BMF_MAX_LEAVES];
    bmf_value child = {0};
    bmf_sink sink;
    scan_state c = {.sink = &sink};
    int overwriting = 0;
    BMF_TRY(stream_fold_open(source, initial, &c.fold));
    /* after a failure the input is looked at again */
    int status = stream_make(source, !c.fold.op.may_fail, &child, &overwriting);
    if (status == BMF_OK) {
        value_slices(&child, 0, output);
        sink_open_leaves(&sink, source->leaves, source->leaf_size, output, source->count,
                         overwriting ? BMF_SINK_STAGED : BMF_SINK_NEW, source->inputs, source->workers);
        status = run_chain(&c);
        sink_close(&sink);
    }
    stream_fold_close(&c.fold);
    if (status == BMF_OK) {
        value_create_list(source->segments, buffer_retain(source->offsets), &child, out);
        return BMF_OK;
    }
    value_free(&child);
    return status;
}
