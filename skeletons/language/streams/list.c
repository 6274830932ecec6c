/* Streams that end in a list of all their elements, and what they share with scalar expressions over a batch.
 *
 * Method: each output leaf is an input leaf if the expression only selects; otherwise it overwrites an input leaf of
 * its size that nobody else holds (staged block by block if there are several, because one might overwrite what
 * another still needs), or it is new, first touched by the workers and streamed past the caches when large.
 * Cost: every input and output byte moves once. */
#include <stdlib.h>

#include "skeletons/language/streams/stream.h"

enum { DIRECT = 64 }; /* elements for which it pays to try */

typedef struct map_state {
    const bmf_stream_source *source;
    const bmf_sink *sink;
} map_state;

/* Native code writes elements from v on past the caches itself, if it can; returns how many. */
static int64_t map_directly(const map_state *s, int worker, int64_t v, int64_t end)
{
    bmf_slice in[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    if (!s->sink->streaming || !s->source->element)
        return 0;
    const int64_t count = stream_direct(s->source, worker, v, end - v, in);
    sink_place(s->sink, v, out);
    return count >= DIRECT && scalar_write(s->source->element, count, in, out) ? count : 0;
}

static int map_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const map_state *s = state;
    (void)index;
    for (int64_t v = piece->begin, count; v < piece->end; v += count) {
        bmf_slice out[BMF_MAX_LEAVES];
        count = map_directly(s, worker, v, piece->end);
        if (count > 0)
            continue;
        count = sink_count(s->sink, v, piece->end);
        sink_block(s->sink, worker, v, out);
        if (s->sink->streaming)
            stream_prefetch(s->source, v + count, count);
        if (stream_block(s->source, worker, v, count, out) != 0)
            return 0;
        sink_commit(s->sink, worker, v, count);
    }
    return 0;
}

/* ---- leaves of the result ---- */

/* The tuples of a type around leaves, which are taken over. */
static void assemble(const bmf_type *type, bmf_value *leaf, int *next, bmf_value *out)
{
    if (type->kind != BMF_TUPLE) {
        *out = leaf[*next];
        leaf[(*next)++] = (bmf_value){0};
        return;
    }
    bmf_value component[BMF_MAX_LEAVES];
    for (int c = 0; c < type->components; c++)
        assemble(type->component[c], leaf, next, &component[c]);
    value_create_tuple(type->components, component, out);
}

/* All selected leaves stand where element v of the stream is element v of the column. */
static bool selects(const bmf_stream_source *source, int from[BMF_MAX_LEAVES])
{
    if (!source->packed)
        return false;
    if (source->element)
        return scalar_is_selection(source->element, from);
    for (int k = 0; k < source->leaves; k++)
        from[k] = k;
    return true;
}

/* An input leaf that output leaf k may overwrite, or -1. */
static int overwritable(const bmf_stream_source *source, int k, uint64_t taken)
{
    if (!source->packed)
        return -1;
    for (int i = 0; i < source->inputs; i++) {
        const bmf_value *leaf = source->input_leaf[i];
        bool fits = leaf->type->size == source->leaf_size[k] && leaf->stride == leaf->type->size;
        if (fits && leaf->buffer && leaf->buffer->references == 1 && !(taken >> i & 1))
            return i;
    }
    return -1;
}

/* Makes the leaves of the result; counts how many overwrite an input. */
static int make_leaves(const bmf_stream_source *source, bool reuse, bmf_value *leaf, int *overwriting)
{
    bmf_context *ctx = source->evaluator->ctx;
    const bmf_type *type[BMF_MAX_LEAVES];
    int over[BMF_MAX_LEAVES];
    uint64_t taken = 0;
    bmf_type_leaves(source->type, type);
    *overwriting = 0;
    for (int k = 0; k < source->leaves; k++) {
        over[k] = reuse ? overwritable(source, k, taken) : -1;
        taken |= over[k] >= 0 ? (uint64_t)1 << over[k] : 0;
    }
    for (int k = 0; k < source->leaves; k++) {
        if (over[k] < 0) {
            BMF_TRY(value_create(ctx, type[k], source->count, &leaf[k]));
        } else {
            value_share(source->input_leaf[over[k]], &leaf[k]);
            leaf[k].type = type[k];
            ++*overwriting;
        }
    }
    return BMF_OK;
}

static void free_leaves(int leaves, bmf_value *leaf)
{
    for (int k = 0; k < leaves; k++)
        value_free(&leaf[k]);
}

int stream_make(const bmf_stream_source *source, bool reuse, bmf_value *child, int *overwriting)
{
    bmf_value leaf[BMF_MAX_LEAVES] = {0};
    int next = 0, status = make_leaves(source, reuse, leaf, overwriting);
    if (status == BMF_OK)
        assemble(source->type, leaf, &next, child);
    free_leaves(source->leaves, leaf);
    return status;
}

static int fill(bmf_stream_source *source, const bmf_value *child, int overwriting)
{
    bmf_slice output[BMF_MAX_LEAVES];
    bmf_sink sink;
    bmf_piece *piece;
    int64_t pieces;
    bmf_sink_mode mode = overwriting == 0 ? BMF_SINK_NEW : source->leaves == 1 ? BMF_SINK_IN_PLACE : BMF_SINK_STAGED;
    value_slices(child, 0, output);
    stream_pieces(source, 0, &piece, &pieces);
    sink_open_leaves(&sink, source->leaves, source->leaf_size, output, source->count, mode, source->inputs,
                     source->workers);
    map_state state = {source, &sink};
    int status = stream_compute(
        source,
        &(bmf_stream_work){.piece = piece, .pieces = pieces, .writes = true, .run = map_piece, .state = &state});
    sink_close(&sink);
    free(piece);
    return status == BMF_OK ? stream_status(source) : status;
}

static void share_selected(const bmf_stream_source *source, const int *from, bmf_value *child)
{
    bmf_value leaf[BMF_MAX_LEAVES] = {0};
    int next = 0;
    for (int k = 0; k < source->leaves; k++)
        value_share(source->input_leaf[from[k]], &leaf[k]);
    assemble(source->type, leaf, &next, child);
}

int stream_map(bmf_stream_source *source, bmf_value *child)
{
    int from[BMF_MAX_LEAVES], overwriting;
    bmf_value made = {0};
    if (selects(source, from)) {
        share_selected(source, from, child);
        return BMF_OK;
    }
    int status = stream_make(source, true, &made, &overwriting);
    if (status == BMF_OK)
        status = fill(source, &made, overwriting);
    if (status == BMF_OK)
        value_move(&made, child);
    value_free(&made);
    return status;
}

int stream_list(bmf_stream_source *source, bmf_value *out)
{
    bmf_value child;
    BMF_TRY(stream_map(source, &child));
    value_create_list(source->segments, buffer_retain(source->offsets), &child, out);
    return BMF_OK;
}
