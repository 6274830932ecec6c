/* Streams that end in a reduction: one value per segment, by the fixed tree.
 *
 * Method: pieces are cut anywhere. Inside a piece short segments are folded in batches, long ones alone; the part of a
 * segment that another piece has the rest of becomes a forest, and forests are joined in order after the run. So many
 * short segments and one long one are both shared evenly. Cost: n - 1 operations a segment; every element is read
 * once, nothing is written but the results. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/streams/fold.h"

/* What a piece has of segments that it shares with others: the one it begins in and the one it ends in. */
typedef struct shared_parts {
    int64_t segment[2];
    bmf_forest forest[2];
    int count;
} shared_parts;

typedef struct reduce_state {
    bmf_stream_fold fold;
    bmf_slice out[BMF_MAX_LEAVES];
    shared_parts *part; /* by piece */
    int64_t pieces;
    atomic_bool empty; /* there is an empty segment and no default */
} reduce_state;

static void out_slices(const reduce_state *r, int64_t s, bmf_slice *slice)
{
    for (int k = 0; k < r->fold.source->leaves; k++)
        slice[k] = (bmf_slice){(char *)r->out[k].data + s * r->out[k].stride, r->out[k].stride};
}

static void put_default(reduce_state *r, int64_t s)
{
    if (!r->fold.initial) {
        atomic_store_explicit(&r->empty, true, memory_order_relaxed);
        return;
    }
    for (int k = 0; k < r->fold.source->leaves; k++) {
        const bmf_slice *first = &r->fold.first[k];
        stream_copy_leaf(1, &(bmf_slice){(char *)first->data + s * first->stride, 0},
                         &(bmf_slice){(char *)r->out[k].data + s * r->out[k].stride, 0}, r->fold.source->leaf_size[k]);
    }
}

static int begin_with(reduce_state *r, int64_t s, int64_t count)
{
    bmf_slice to[BMF_MAX_LEAVES];
    out_slices(r, s, to);
    return r->fold.initial ? stream_fold_begin_with(&r->fold, s, false, count, to) : 0;
}

/* The value of a whole segment from its forest. */
static int put_total(reduce_state *r, int worker, int64_t s, const bmf_forest *forest)
{
    char *record = r->fold.record[worker];
    if (forest_total(&r->fold.tree, forest, record) != 0) {
        atomic_store(&r->fold.failed, true);
        return 1;
    }
    tree_put(&r->fold.tree, record, r->out, s);
    return begin_with(r, s, 1);
}

static int reduce_long(reduce_state *r, int worker, int64_t s)
{
    const int64_t *offset = r->fold.source->offset;
    bmf_forest forest;
    forest_start(&forest, 0);
    int code = stream_fold_range(&r->fold, worker, s, 0, offset[s + 1] - offset[s], NULL, &forest);
    if (code == 0)
        code = put_total(r, worker, s, &forest);
    forest_free(&forest);
    return code;
}

static int reduce_batch(reduce_state *r, int worker, int64_t s, int64_t t, bool empty)
{
    bmf_stream_source *source = r->fold.source;
    int64_t begin = source->offset[s], count = source->offset[t] - begin;
    bmf_slice x[BMF_MAX_LEAVES] = {0}, out[BMF_MAX_LEAVES];
    out_slices(r, s, out);
    if (count > 0 &&
        (stream_block(source, worker, begin, count, x) != 0 || stream_fold_batch(&r->fold, worker, s, t, x, out) != 0))
        return 1;
    if (!empty)
        return begin_with(r, s, t - s);
    for (int64_t next; s < t; s = next) { /* runs of segments that are not empty */
        for (next = s; next < t && source->offset[next + 1] > source->offset[next];)
            next++;
        if (next > s && begin_with(r, s, next - s) != 0)
            return 1;
        if (next < t)
            put_default(r, next++);
    }
    return 0;
}

/* Whole segments [s, last) that end at or before `end`; returns the first that does not, or -1 after a failure. */
static int64_t reduce_whole(reduce_state *r, int worker, int64_t s, int64_t last, int64_t end)
{
    const int64_t *offset = r->fold.source->offset;
    while (s < last && offset[s + 1] <= end) {
        bool empty;
        int64_t t = stream_fold_batch_end(&r->fold, s, last, end, &empty);
        int code = t == s ? reduce_long(r, worker, s) : reduce_batch(r, worker, s, t, empty);
        if (code != 0)
            return -1;
        s = t == s ? s + 1 : t;
    }
    return s;
}

static int share_part(reduce_state *r, int64_t index, int worker, int64_t s, int64_t begin, int64_t end)
{
    shared_parts *part = &r->part[index];
    int64_t first = r->fold.source->offset[s];
    bmf_forest *forest = &part->forest[part->count];
    part->segment[part->count++] = s;
    forest_start(forest, begin - first);
    return stream_fold_range(&r->fold, worker, s, begin - first, end - first, NULL, forest);
}

static int reduce_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    reduce_state *r = state;
    const bmf_stream_source *source = r->fold.source;
    const int64_t *offset = source->offset;
    int64_t s = stream_first_segment(source, piece->begin);
    int64_t last = index == r->pieces - 1 ? source->segments : stream_first_segment(source, piece->end);
    if (offset[s] > piece->begin) {
        int64_t end = offset[s] < piece->end ? offset[s] : piece->end;
        if (share_part(r, index, worker, s - 1, piece->begin, end) != 0)
            return 0;
    }
    s = reduce_whole(r, worker, s, last, piece->end);
    if (s >= 0 && s < last)
        share_part(r, index, worker, s, offset[s], piece->end);
    return 0;
}

/* ---- joining ---- */

static int join_parts(reduce_state *r)
{
    const bmf_stream_source *source = r->fold.source;
    bmf_forest whole;
    int code = 0;
    forest_start(&whole, 0);
    for (int64_t i = 0; i < r->pieces && code == 0; i++)
        for (int p = 0; p < r->part[i].count && code == 0; p++) {
            const bmf_forest *forest = &r->part[i].forest[p];
            int64_t s = r->part[i].segment[p];
            code = forest_append(&r->fold.tree, &whole, forest->end, forest->value, false);
            if (code == 0 && forest->end == source->offset[s + 1] - source->offset[s]) {
                code = put_total(r, 0, s, &whole);
                forest_free(&whole);
                forest_start(&whole, 0);
            }
        }
    if (code != 0)
        atomic_store(&r->fold.failed, true);
    forest_free(&whole);
    return code;
}

static bool anything_failed(const reduce_state *r)
{
    bool failed = atomic_load(&r->fold.failed);
    for (int w = 0; w < r->fold.source->workers; w++)
        failed = failed || r->fold.source->worker[w].failure.kind != BMF_FAILURE_NONE;
    return failed;
}

static int again(void *state, int64_t segment)
{
    const int64_t *offset = ((reduce_state *)state)->fold.source->offset;
    reduce_whole(state, 0, segment, segment + 1, offset[segment + 1]);
    return 0;
}

static int fail_empty(const bmf_stream_source *source)
{
    int64_t s = 0;
    while (source->offset[s + 1] > source->offset[s])
        s++;
    return stream_fail_instance(source, BMF_EXPRESSION_REDUCE, (bmf_failure){.kind = BMF_FAILURE_EMPTY, .element = s});
}

static int run_pieces(reduce_state *r)
{
    bmf_stream_source *source = r->fold.source;
    bmf_piece *piece;
    stream_pieces(source, 0, &piece, &r->pieces);
    r->part = allocate_clear(r->pieces, (int64_t)sizeof *r->part);
    int status = stream_compute(
        source, &(bmf_stream_work){.piece = piece, .pieces = r->pieces, .run = reduce_piece, .state = r});
    if (status == BMF_OK && !anything_failed(r))
        join_parts(r);
    if (status == BMF_OK && atomic_load(&r->empty))
        status = fail_empty(source);
    if (status == BMF_OK)
        status = stream_fold_status(&r->fold, BMF_EXPRESSION_REDUCE, again, r);
    for (int64_t i = 0; i < r->pieces; i++)
        for (int p = 0; p < r->part[i].count; p++)
            forest_free(&r->part[i].forest[p]);
    free(r->part);
    free(piece);
    return status;
}

int stream_reduce(bmf_stream_source *source, const bmf_value *initial, bmf_value *out)
{
    reduce_state r = {0};
    bmf_value made;
    BMF_TRY(value_create(source->evaluator->ctx, source->type, source->segments, &made));
    int status = stream_fold_open(source, initial, &r.fold);
    if (status == BMF_OK) {
        value_slices(&made, 0, r.out);
        status = run_pieces(&r);
        stream_fold_close(&r.fold);
    }
    if (status == BMF_OK)
        value_move(&made, out);
    else
        value_free(&made);
    return status;
}
