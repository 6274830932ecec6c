/* Streams that end in a filter, or in counting what it would keep.
 *
 * Method: one pass computes the elements and the predicate of a block, counts by segment, and moves what is kept where
 * it belongs (skeletons/engine/selection.h). Counting needs no more than the counts; several counts of the same lists
 * take turns at every block.
 * Where native code can, it counts whole segments at once, for all counts together (scalar_count).
 * Cost: n elements read once, the result written once; room for all elements, of which only what is kept is touched. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/marks.h"
#include "skeletons/engine/selection.h"
#include "skeletons/language/streams/stream.h"

/* Elements to ask for before their page is reached; elements that are only counted at a time: nothing else is read or
 * written meanwhile, so all of the next ones are asked for, and few, so that memory is not idle until then. */
enum { AHEAD = 64, COUNTED_BLOCK = 512 };

/* The counts of the segments a piece shares with others: the one it begins in, and the one it ends in. */
typedef struct shared_counts {
    int64_t segment[2], kept[2];
} shared_counts;

typedef struct filter_state {
    const bmf_stream_source *source;
    bmf_selection *selection; /* or NULL: only count */
    int64_t *kept;            /* by segment */
    shared_counts *shared;    /* by piece */
} filter_state;

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

/* The part of a block's next segment: of the `count` elements from v on. */
static int64_t in_segment(const filter_state *f, int64_t *segment, int64_t v, int64_t count)
{
    while (f->source->offset[*segment + 1] <= v)
        ++*segment;
    const int64_t here = f->source->offset[*segment + 1] - v;
    return here < count ? here : count;
}

/* Adds the marks of a block's segments. */
static void count_block(filter_state *f, int64_t index, const bmf_piece *piece, int64_t *segment, int64_t v,
                        int64_t count, const uint8_t *mark)
{
    for (int64_t done = 0, here; done < count; done += here) {
        here = in_segment(f, segment, v + done, count - done);
        add_kept(f, index, piece, *segment, marks_count(here, mark + done));
    }
}

/* The marks as an array; a predicate that does not depend on the element gives one for all. */
static const uint8_t *plain_marks(int64_t count, const bmf_slice *mark, uint8_t room[BMF_BLOCK])
{
    if (mark->stride == 1)
        return mark->data;
    stream_copy_leaf(count, mark, &(bmf_slice){room, 1}, 1);
    return room;
}

/* How many of the bits are set. */
static int64_t count_bits(int64_t count, const uint64_t *word)
{
    int64_t set = 0;
    for (int64_t k = 0; k < (count + 63) / 64; k++)
        set += __builtin_popcountll(word[k]);
    return set;
}

/* Native code marks a block of elements as they are, inside of one segment, as bits. */
static bool mark_directly(filter_state *f, int64_t index, const bmf_piece *piece, int64_t *segment, int64_t v,
                          int64_t count, int worker, bmf_slice *block, uint64_t *word)
{
    if (!f->selection || f->source->element || in_segment(f, segment, v, count) < count ||
        stream_direct(f->source, worker, v, count, block) < count ||
        !scalar_marks(f->source->predicate, count, block, word))
        return false;
    add_kept(f, index, piece, *segment, count_bits(count, word));
    selection_keep(f->selection, worker, count, word, block);
    return true;
}

/* Returns 1 after a failure, which is noted. */
static int mark_block(filter_state *f, int64_t index, const bmf_piece *piece, int64_t *segment, int64_t v,
                      int64_t count, int worker)
{
    bmf_slice block[BMF_MAX_LEAVES], slice;
    uint8_t room[BMF_BLOCK];
    uint64_t word[BMF_BLOCK / 64];
    for (int k = 0; k < f->source->leaves; k++)
        block[k] = (bmf_slice){0};
    if (f->selection) { /* the machine's own reading ahead stops at pages, which half a block of words fills */
        stream_prefetch(f->source, v + count / 2, AHEAD);
        stream_prefetch(f->source, v + count, AHEAD);
    }
    if (mark_directly(f, index, piece, segment, v, count, worker, block, word))
        return 0;
    if (stream_marks(f->source, worker, v, count, block, &slice) != 0)
        return 1;
    const uint8_t *mark = plain_marks(count, &slice, room);
    count_block(f, index, piece, segment, v, count, mark);
    if (f->selection) {
        marks_pack(count, mark, word);
        selection_keep(f->selection, worker, count, word, block);
    }
    return 0;
}

static int mark_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    filter_state *f = state;
    int64_t segment = stream_segment(f->source, worker, piece->begin);
    int code = 0;
    for (int64_t v = piece->begin, count; v < piece->end && code == 0; v += count) {
        count = piece->end - v < BMF_BLOCK ? piece->end - v : BMF_BLOCK;
        code = mark_block(f, index, piece, &segment, v, count, worker);
    }
    selection_end_piece(f->selection, worker, index, code);
    return 0;
}

/* ---- the tails ---- */

static void open_counts(filter_state *f, int64_t pieces)
{
    memset(f->kept, 0, (size_t)f->source->segments * sizeof *f->kept);
    f->shared = allocate_clear(pieces, (int64_t)sizeof *f->shared);
}

/* Adds what pieces share; a failure of an element is then known. */
static int close_counts(filter_state *f, int64_t pieces)
{
    for (int64_t i = 0; i < pieces; i++) {
        const shared_counts *shared = &f->shared[i];
        f->kept[shared->segment[0]] += shared->kept[0];
        f->kept[shared->segment[1]] += shared->kept[1];
    }
    free(f->shared);
    return stream_status(f->source);
}

/* Counts by segment, and keeps what there is to keep. */
static int mark_all(filter_state *f, const bmf_piece *piece, int64_t pieces)
{
    open_counts(f, pieces);
    const int computed = stream_compute(
        f->source,
        &(bmf_stream_work){
            .piece = piece, .pieces = pieces, .dynamic = true, .writes = true, .run = mark_piece, .state = f});
    const int status = close_counts(f, pieces);
    return computed == BMF_OK ? status : computed;
}

/* Several counts of the same lists, block by block. */
typedef struct count_state {
    int counts;
    filter_state *each;
    const bmf_scalar *all; /* their predicates, each on its elements */
} count_state;

/* Fewer elements of a segment are counted with others, in blocks. */
enum { COUNTED_ALONE = 256 };

/* Native code counts all elements from v on that are in one segment; returns how many, 0: there is none. */
static int64_t count_directly(const count_state *all, int64_t index, const bmf_piece *piece, int64_t *segment,
                              int64_t v, int worker)
{
    bmf_slice in[BMF_MAX_LEAVES];
    int64_t kept[BMF_MAX_LEAVES];
    int64_t count = in_segment(&all->each[0], segment, v, piece->end - v);
    if (count < COUNTED_ALONE)
        return 0;
    count = stream_direct(all->each[0].source, worker, v, count, in);
    if (count == 0 || !scalar_count(all->all, count, in, kept))
        return 0;
    for (int k = 0; k < all->counts; k++)
        add_kept(&all->each[k], index, piece, *segment, kept[k]);
    return count;
}

static int count_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const count_state *all = state;
    const int64_t block = all->counts > 1 ? BMF_BLOCK : COUNTED_BLOCK;
    int64_t segment[all->counts];
    int code = 0;
    for (int k = 0; k < all->counts; k++)
        segment[k] = stream_segment(all->each[k].source, worker, piece->begin);
    for (int64_t v = piece->begin, count; v < piece->end && code == 0; v += count) {
        count = count_directly(all, index, piece, &segment[0], v, worker);
        if (count > 0)
            continue;
        count = piece->end - v < block ? piece->end - v : block;
        stream_prefetch(all->each[0].source, v + count, count);
        for (int k = 0; k < all->counts && code == 0; k++)
            code = mark_block(&all->each[k], index, piece, &segment[k], v, count, worker);
    }
    return 0;
}

static int count_all(const count_state *all)
{
    const bmf_stream_source *source = all->each[0].source;
    bmf_piece *piece;
    int64_t pieces;
    stream_pieces(source, 0, &piece, &pieces);
    for (int k = 0; k < all->counts; k++)
        open_counts(&all->each[k], pieces);
    int status = stream_compute(
        source, &(bmf_stream_work){.piece = piece, .pieces = pieces, .run = count_piece, .state = (void *)all});
    for (int k = 0; k < all->counts; k++) {
        const int counted = close_counts(&all->each[k], pieces);
        status = status == BMF_OK ? counted : status;
    }
    free(piece);
    return status;
}

int stream_count(int counts, bmf_expression *node, bmf_stream_source *source, bmf_value *out)
{
    count_state all = {.each = allocate_clear(counts, (int64_t)sizeof(filter_state)), .all = scalar_of_counts(node)};
    int status = BMF_OK;
    while (all.counts < counts && status == BMF_OK) {
        const int k = all.counts;
        status = value_create(source->evaluator->ctx, &bmf_type_int, source->segments, &out[k]);
        if (status == BMF_OK)
            all.each[all.counts++] = (filter_state){.source = &source[k], .kept = out[k].data};
    }
    if (status == BMF_OK)
        status = count_all(&all);
    for (int k = 0; status != BMF_OK && k < all.counts; k++)
        value_free(&out[k]);
    free(all.each);
    return status;
}

/* Counts by segment become offsets. */
static void to_offsets(int64_t segments, int64_t *kept)
{
    int64_t begin = 0;
    for (int64_t s = 0; s < segments; s++) {
        int64_t here = kept[s];
        kept[s] = begin;
        begin += here;
    }
    kept[segments] = begin;
}

/* The elements that are kept, as one batch; their number by segment goes to f->kept. */
static int keep_all(filter_state *f, bmf_value *child)
{
    bmf_stream_source *source = (bmf_stream_source *)f->source;
    bmf_context *ctx = source->evaluator->ctx;
    bmf_selection selection;
    bmf_slice out[BMF_MAX_LEAVES];
    bmf_piece *piece;
    int64_t pieces;
    BMF_TRY(value_create(ctx, source->type, source->count, child));
    value_slices(child, 0, out);
    selection_open(&selection, source->leaves, source->leaf_size, out, source->count, source->workers);
    f->selection = &selection;
    stream_pieces(source, selection.grain, &piece, &pieces);
    int status = mark_all(f, piece, pieces);
    const int64_t kept = selection_finish(&selection);
    selection_close(&selection);
    free(piece);
    if (status == BMF_OK && kept > 0) {
        value_shorten(child, kept);
        return BMF_OK;
    }
    value_free(child);
    return status == BMF_OK ? value_empty(ctx, source->type, 0, child) : status;
}

int stream_filter(bmf_stream_source *source, bmf_value *out)
{
    bmf_context *ctx = source->evaluator->ctx;
    filter_state f = {.source = source};
    bmf_value child;
    bmf_buffer *offsets = buffer_create((source->segments + 1) * (int64_t)sizeof *f.kept);
    if (!offsets)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the lengths of %lld lists", (long long)source->segments);
    f.kept = offsets->data;
    int status = keep_all(&f, &child);
    if (status == BMF_OK) {
        to_offsets(source->segments, f.kept);
        value_create_list(source->segments, offsets, &child, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}
