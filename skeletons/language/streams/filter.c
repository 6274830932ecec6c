/* Streams that end in a filter, or in counting what it would keep.
 *
 * Method: one pass computes the predicate, keeps one bit an element, and counts by segment; the counts give every
 * piece its place; a second pass copies the marked elements there. Elements that only stand in the input are read
 * again, computed ones are computed again, but only where something is kept. Counting needs the first pass alone, and
 * no bits.
 * Cost: n elements read twice, the result written once, n / 8 bytes of marks. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/marks.h"
#include "skeletons/language/streams/stream.h"

/* Elements to ask for before their page is reached. */
enum { AHEAD = 64 };

/* The counts of the segments a piece shares with others: the one it begins in, and the one it ends in. */
typedef struct shared_counts {
    int64_t segment[2], kept[2];
} shared_counts;

typedef struct filter_state {
    const bmf_stream_source *source;
    uint64_t *bits;        /* or NULL: only count */
    int64_t *kept;         /* by segment */
    shared_counts *shared; /* by piece */
    int64_t *place;        /* by piece: how many it keeps, then where they go */
    bmf_slice out[BMF_MAX_LEAVES];
} filter_state;

/* ---- marking ---- */

/* Pieces begin anywhere, so every piece has words of its own: two more than its elements fill. */
static uint64_t *words_of(const filter_state *f, int64_t index, const bmf_piece *piece)
{
    return f->bits ? f->bits + piece->begin / 64 + 2 * index : NULL;
}

/* Adds kept elements of segment s, which the piece has alone or shares. */
static void add_kept(filter_state *f, int64_t index, const bmf_piece *piece, int64_t s, int64_t kept)
{
    const int64_t *offset = f->source->offset;
    shared_counts *shared = &f->shared[index];
    if (offset[s] < piece->begin) {
        shared->segment[0] = s;
        shared->kept[0] += kept;
    } else if (offset[s + 1] > piece->end) {
        shared->segment[1] = s;
        shared->kept[1] += kept;
    } else {
        f->kept[s] += kept;
    }
}

/* Adds the marks of a block's segments; returns how many there are. */
static int64_t count_block(filter_state *f, int64_t index, const bmf_piece *piece, int64_t *segment, int64_t v,
                           int64_t count, const uint8_t *mark)
{
    const int64_t *offset = f->source->offset;
    int64_t all = 0;
    for (int64_t done = 0, here; done < count; done += here) {
        while (offset[*segment + 1] <= v + done)
            ++*segment;
        here = offset[*segment + 1] - (v + done);
        here = here < count - done ? here : count - done;
        int64_t kept = marks_count(here, mark + done);
        add_kept(f, index, piece, *segment, kept);
        all += kept;
    }
    return all;
}

/* The marks as an array; a predicate that does not depend on the element gives one for all. */
static const uint8_t *plain_marks(int64_t count, const bmf_slice *mark, uint8_t room[BMF_BLOCK])
{
    if (mark->stride == 1)
        return mark->data;
    stream_copy_leaf(count, mark, &(bmf_slice){room, 1}, 1);
    return room;
}

static int mark_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    filter_state *f = state;
    uint64_t *word = words_of(f, index, piece);
    int64_t segment = stream_segment(f->source, worker, piece->begin), all = 0;
    for (int64_t v = piece->begin, count; v < piece->end; v += count) {
        bmf_slice block[BMF_MAX_LEAVES] = {0}, slice;
        uint8_t room[BMF_BLOCK];
        count = piece->end - v < BMF_BLOCK ? piece->end - v : BMF_BLOCK;
        /* the machine's own reading ahead stops at pages, which half a block of words fills */
        stream_prefetch(f->source, v + count / 2, AHEAD);
        stream_prefetch(f->source, v + count, AHEAD);
        if (stream_marks(f->source, worker, v, count, block, &slice) != 0)
            return 0;
        const uint8_t *mark = plain_marks(count, &slice, room);
        all += count_block(f, index, piece, &segment, v, count, mark);
        if (word)
            marks_pack(count, mark, word + (v - piece->begin) / 64);
    }
    f->place[index] = all;
    return 0;
}

/* ---- keeping ---- */

static int keep_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const filter_state *f = state;
    const uint64_t *word = words_of(f, index, piece);
    char *to[BMF_MAX_LEAVES];
    for (int k = 0; k < f->source->leaves; k++)
        to[k] = (char *)f->out[k].data + f->place[index] * f->source->leaf_size[k];
    for (int64_t v = piece->begin, count; v < piece->end; v += count, word += BMF_BLOCK / 64) {
        bmf_slice block[BMF_MAX_LEAVES] = {0};
        count = piece->end - v < BMF_BLOCK ? piece->end - v : BMF_BLOCK;
        if (!marks_any(count, word))
            continue;
        if (stream_block(f->source, worker, v, count, block) != 0)
            return 0;
        for (int k = 0; k < f->source->leaves; k++)
            to[k] = marks_keep(count, word, &block[k], f->source->leaf_size[k], to[k]);
    }
    return 0;
}

/* ---- the tails ---- */

static int mark_all(filter_state *f, const bmf_piece *piece, int64_t pieces)
{
    int64_t begin = 0;
    BMF_TRY(
        stream_compute(f->source, &(bmf_stream_work){.piece = piece, .pieces = pieces, .run = mark_piece, .state = f}));
    BMF_TRY(stream_status(f->source));
    for (int64_t i = 0; i < pieces; i++) {
        const shared_counts *shared = &f->shared[i];
        f->kept[shared->segment[0]] += shared->kept[0];
        f->kept[shared->segment[1]] += shared->kept[1];
        int64_t kept = f->place[i];
        f->place[i] = begin;
        begin += kept;
    }
    return BMF_OK;
}

static void open_counts(filter_state *f, int64_t pieces)
{
    memset(f->kept, 0, (size_t)f->source->segments * sizeof *f->kept);
    f->shared = allocate_clear(pieces, (int64_t)sizeof *f->shared);
    f->place = allocate_clear(pieces, (int64_t)sizeof *f->place);
}

static void close_counts(filter_state *f)
{
    free(f->shared);
    free(f->place);
}

int stream_count(bmf_stream_source *source, bmf_value *out)
{
    filter_state f = {.source = source};
    bmf_value made;
    bmf_piece *piece;
    int64_t pieces;
    BMF_TRY(value_create(source->evaluator->ctx, &bmf_type_int, source->segments, &made));
    stream_pieces(source, 0, &piece, &pieces);
    f.kept = made.data;
    open_counts(&f, pieces);
    int status = mark_all(&f, piece, pieces);
    close_counts(&f);
    free(piece);
    if (status == BMF_OK)
        value_move(&made, out);
    else
        value_free(&made);
    return status;
}

/* Counts by segment become offsets; returns the sum. */
static int64_t to_offsets(int64_t segments, int64_t *kept)
{
    int64_t begin = 0;
    for (int64_t s = 0; s < segments; s++) {
        int64_t here = kept[s];
        kept[s] = begin;
        begin += here;
    }
    kept[segments] = begin;
    return begin;
}

static int keep_all(filter_state *f, const bmf_piece *piece, int64_t pieces, bmf_value *child)
{
    bmf_stream_source *source = (bmf_stream_source *)f->source;
    int64_t count = to_offsets(source->segments, f->kept);
    if (count == 0)
        return value_empty(source->evaluator->ctx, source->type, 0, child);
    BMF_TRY(value_create(source->evaluator->ctx, source->type, count, child));
    value_slices(child, 0, f->out);
    int status = stream_compute(
        source, &(bmf_stream_work){
                    .step = "keep", .round = 1, .piece = piece, .pieces = pieces, .run = keep_piece, .state = f});
    if (status != BMF_OK)
        value_free(child);
    return status;
}

static int filter_pieces(filter_state *f, const bmf_piece *piece, int64_t pieces, bmf_value *child)
{
    int64_t words = f->source->count / 64 + 2 * pieces + 2;
    bmf_buffer *bits = buffer_create(words * (int64_t)sizeof *f->bits);
    if (!bits)
        return bmf_fail(f->source->evaluator->ctx, BMF_ERROR_MEMORY, "no memory for the marks of %lld elements",
                        (long long)f->source->count);
    f->bits = bits->data;
    open_counts(f, pieces);
    int status = mark_all(f, piece, pieces);
    if (status == BMF_OK)
        status = keep_all(f, piece, pieces, child);
    close_counts(f);
    buffer_release(bits);
    return status;
}

int stream_filter(bmf_stream_source *source, bmf_value *out)
{
    bmf_context *ctx = source->evaluator->ctx;
    filter_state f = {.source = source};
    bmf_value child;
    bmf_piece *piece;
    int64_t pieces;
    bmf_buffer *offsets = buffer_create((source->segments + 1) * (int64_t)sizeof *f.kept);
    if (!offsets)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the lengths of %lld lists", (long long)source->segments);
    f.kept = offsets->data;
    stream_pieces(source, 0, &piece, &pieces);
    int status = filter_pieces(&f, piece, pieces, &child);
    free(piece);
    if (status == BMF_OK) {
        value_create_list(source->segments, offsets, &child, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}
