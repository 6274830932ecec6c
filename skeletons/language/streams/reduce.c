/* Streams that end in a reduction: one value per segment, by the fixed tree. Several reductions of the same lists are
 * made in one pass.
 *
 * Method: pieces are cut anywhere. Inside a piece short segments are folded in batches, long ones alone; the part of a
 * segment that another piece has the rest of becomes a forest, and forests are joined in order after the run. So many
 * short segments and one long one are both shared evenly. Several reductions take turns: each folds the elements of a
 * batch, or a STRETCH of a long segment, before any goes on, so that all but the first find them in the caches. Each
 * has its own tree, so its values are those it has alone. Cost: n - 1 operations a segment and reduction; every element
 * is read from memory once, nothing is written but the results. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/streams/products.h"

enum { STRETCH = 2 * BMF_BLOCK }; /* elements: a third of a first-level cache, if they are reals */

typedef struct reduction {
    bmf_stream_fold fold;
    bmf_value made;
    bmf_slice out[BMF_MAX_LEAVES];
    atomic_bool empty; /* there is an empty segment and no default */
} reduction;

/* What a piece has of segments that it shares with others: the one it begins in and the one it ends in. */
typedef struct shared_parts {
    int64_t segment[2];
    bmf_forest *forest[2]; /* one of each reduction */
    int count;
} shared_parts;

typedef struct reduce_state {
    int reductions;
    reduction *each;
    const bmf_stream_source *source; /* that of the first, which says where segments are */
    shared_parts *part;              /* by piece */
    int64_t pieces;
} reduce_state;

static void out_slices(const reduction *r, int64_t s, bmf_slice *slice)
{
    for (int k = 0; k < r->fold.source->leaves; k++)
        slice[k] = (bmf_slice){(char *)r->out[k].data + s * r->out[k].stride, r->out[k].stride};
}

static void put_default(reduction *r, int64_t s)
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

static int begin_with(reduction *r, int64_t s, int64_t count)
{
    bmf_slice to[BMF_MAX_LEAVES];
    out_slices(r, s, to);
    return r->fold.initial ? stream_fold_begin_with(&r->fold, s, false, count, to) : 0;
}

/* The value of a whole segment from its forest. */
static int put_total(reduction *r, int worker, int64_t s, const bmf_forest *forest)
{
    char *record = r->fold.record[worker];
    if (forest_total(&r->fold.tree, forest, record) != 0) {
        atomic_store(&r->fold.failed, true);
        return 1;
    }
    tree_put(&r->fold.tree, record, r->out, s);
    return begin_with(r, s, 1);
}

/* ---- parts of segments ---- */

/* Starts a forest of each reduction, and folds elements [begin, end) of segment s onto them. */
static int fold_stretches(reduce_state *all, int worker, int64_t s, int64_t begin, int64_t end, bmf_forest *forest)
{
    for (int k = 0; k < all->reductions; k++)
        forest_start(&forest[k], begin);
    for (int64_t next; begin < end; begin = next) {
        next = all->reductions > 1 ? begin - begin % STRETCH + STRETCH : end;
        next = next < end ? next : end;
        for (int k = 0; k < all->reductions; k++)
            if (stream_fold_range(&all->each[k].fold, worker, s, begin, next, NULL, &forest[k]) != 0)
                return 1;
    }
    return 0;
}

static int reduce_long(reduce_state *all, int worker, int64_t s)
{
    const int64_t *offset = all->source->offset;
    bmf_forest forest[all->reductions];
    int code = fold_stretches(all, worker, s, 0, offset[s + 1] - offset[s], forest);
    for (int k = 0; k < all->reductions; k++) {
        if (code == 0)
            code = put_total(&all->each[k], worker, s, &forest[k]);
        forest_free(&forest[k]);
    }
    return code;
}

static int share_part(reduce_state *all, int64_t index, int worker, int64_t s, int64_t begin, int64_t end)
{
    shared_parts *part = &all->part[index];
    int64_t first = all->source->offset[s];
    bmf_forest *forest = allocate(all->reductions * (int64_t)sizeof *forest);
    part->segment[part->count] = s;
    part->forest[part->count++] = forest;
    return fold_stretches(all, worker, s, begin - first, end - first, forest);
}

/* ---- whole segments ---- */

static int reduce_batch(reduction *r, int worker, int64_t s, int64_t t, bool empty)
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

/* The end of a batch that suits all reductions; s itself if there is none. */
static int64_t batch_end(const reduce_state *all, int64_t s, int64_t last, int64_t end, bool *empty)
{
    int64_t t = last;
    for (int k = 0; k < all->reductions; k++)
        t = stream_fold_batch_end(&all->each[k].fold, s, t, end, empty);
    return t;
}

/* Products of lists, many at a time, from segment s on; returns the first that is left to do, -1 after a failure. */
static int64_t reduce_products(reduce_state *all, int64_t s, int64_t last, int64_t *next)
{
    reduction *r = &all->each[0];
    if (all->reductions > 1 || r->fold.product[0] < 0 || s < *next)
        return s;
    const int64_t done = stream_products(&r->fold, s, last, (double *)r->out[0].data + s, next);
    return done > s && begin_with(r, s, done - s) != 0 ? -1 : done;
}

/* Whole segments [s, last) that end at or before `end`; returns the first that does not, or -1 after a failure. */
static int64_t reduce_whole(reduce_state *all, int worker, int64_t s, int64_t last, int64_t end)
{
    const int64_t *offset = all->source->offset;
    int64_t products = s;
    while (s < last && offset[s + 1] <= end) {
        bool empty;
        const int64_t done = reduce_products(all, s, offset[last] <= end ? last : last - 1, &products);
        if (done != s) {
            if (done < 0)
                return -1;
            s = done;
            continue;
        }
        int64_t t = batch_end(all, s, last, end, &empty);
        int code = t == s ? reduce_long(all, worker, s) : 0;
        for (int k = 0; t > s && k < all->reductions && code == 0; k++)
            code = reduce_batch(&all->each[k], worker, s, t, empty);
        if (code != 0)
            return -1;
        s = t == s ? s + 1 : t;
    }
    return s;
}

static int reduce_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    reduce_state *all = state;
    const int64_t *offset = all->source->offset;
    int64_t s = stream_first_segment(all->source, piece->begin);
    int64_t last = index == all->pieces - 1 ? all->source->segments : stream_first_segment(all->source, piece->end);
    if (offset[s] > piece->begin) {
        int64_t end = offset[s] < piece->end ? offset[s] : piece->end;
        if (share_part(all, index, worker, s - 1, piece->begin, end) != 0)
            return 0;
    }
    s = reduce_whole(all, worker, s, last, piece->end);
    if (s >= 0 && s < last)
        share_part(all, index, worker, s, offset[s], piece->end);
    return 0;
}

/* ---- joining ---- */

/* The segments that several pieces share, of reduction k. */
static int join_parts(const reduce_state *all, int k)
{
    const int64_t *offset = all->source->offset;
    reduction *r = &all->each[k];
    bmf_forest whole;
    int code = 0;
    forest_start(&whole, 0);
    for (int64_t i = 0; i < all->pieces && code == 0; i++)
        for (int p = 0; p < all->part[i].count && code == 0; p++) {
            const bmf_forest *forest = &all->part[i].forest[p][k];
            int64_t s = all->part[i].segment[p];
            code = forest_append(&r->fold.tree, &whole, forest->end, forest->value, false);
            if (code == 0 && forest->end == offset[s + 1] - offset[s]) {
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

static bool has_failed(const reduction *r)
{
    bool failed = atomic_load(&r->fold.failed);
    for (int w = 0; w < r->fold.source->workers; w++)
        failed = failed || r->fold.source->worker[w].failure.kind != BMF_FAILURE_NONE;
    return failed;
}

static bool anything_failed(const reduce_state *all)
{
    bool failed = false;
    for (int k = 0; k < all->reductions; k++)
        failed = failed || has_failed(&all->each[k]);
    return failed;
}

static int again(void *state, int64_t segment)
{
    reduction *r = state;
    const int64_t *offset = r->fold.source->offset;
    reduce_whole(&(reduce_state){1, r, r->fold.source, NULL, 0}, 0, segment, segment + 1, offset[segment + 1]);
    return 0;
}

static int fail_empty(const bmf_stream_source *source)
{
    int64_t s = 0;
    while (source->offset[s + 1] > source->offset[s])
        s++;
    return stream_fail_instance(source, BMF_EXPRESSION_REDUCE, (bmf_failure){.kind = BMF_FAILURE_EMPTY, .element = s});
}

/* BMF_OK, or the message of the first of the reductions that failed. */
static int status_of(const reduce_state *all)
{
    int status = BMF_OK;
    for (int k = 0; k < all->reductions && status == BMF_OK; k++) {
        reduction *r = &all->each[k];
        if (atomic_load(&r->empty))
            status = fail_empty(r->fold.source);
        if (status == BMF_OK)
            status = stream_fold_status(&r->fold, BMF_EXPRESSION_REDUCE, again, r);
    }
    return status;
}

static void free_parts(reduce_state *all)
{
    for (int64_t i = 0; i < all->pieces; i++)
        for (int p = 0; p < all->part[i].count; p++) {
            for (int k = 0; k < all->reductions; k++)
                forest_free(&all->part[i].forest[p][k]);
            free(all->part[i].forest[p]);
        }
    free(all->part);
}

static int run_pieces(reduce_state *all)
{
    bmf_piece *piece;
    stream_pieces(all->source, 0, &piece, &all->pieces);
    all->part = allocate_clear(all->pieces, (int64_t)sizeof *all->part);
    int status = stream_compute(
        all->source, &(bmf_stream_work){.piece = piece, .pieces = all->pieces, .run = reduce_piece, .state = all});
    for (int k = 0; k < all->reductions && status == BMF_OK && !anything_failed(all); k++)
        join_parts(all, k);
    if (status == BMF_OK)
        status = status_of(all);
    free_parts(all);
    free(piece);
    return status;
}

/* ---- opening ---- */

static int open_reduction(bmf_stream_source *source, const bmf_value *initial, reduction *r)
{
    BMF_TRY(value_create(source->evaluator->ctx, source->type, source->segments, &r->made));
    const int status = stream_fold_open(source, initial, &r->fold);
    if (status == BMF_OK)
        value_slices(&r->made, 0, r->out);
    else
        value_free(&r->made);
    return status;
}

int stream_reduce(int reductions, bmf_stream_source *source, bmf_value *const *initial, bmf_value *out)
{
    reduce_state all = {.each = allocate_clear(reductions, (int64_t)sizeof(reduction)), .source = source};
    int status = BMF_OK;
    while (all.reductions < reductions && status == BMF_OK) {
        const int k = all.reductions;
        status = open_reduction(&source[k], initial[k], &all.each[k]);
        all.reductions += status == BMF_OK;
    }
    if (status == BMF_OK)
        status = run_pieces(&all);
    for (int k = 0; k < all.reductions; k++) {
        stream_fold_close(&all.each[k].fold);
        if (status == BMF_OK)
            value_move(&all.each[k].made, &out[k]);
        else
            value_free(&all.each[k].made);
    }
    free(all.each);
    return status;
}
