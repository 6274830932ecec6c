/* project on one processor: everything that is asked for is here.
 *
 * Method: one pass. A block of indices is checked while it is in the cache; if it counts up or down by one, its
 * elements are copied or reversed, otherwise they are fetched one by one. Blocks go to the result past the caches.
 * Cost: 8 bytes an index and w an element read, w written; a line an element if indices are random. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/source.h"
#include "skeletons/project/indices.h"
#include "skeletons/project/project.h"

/* The number of columns read that suits the sink best here: results in blocks of 2 KiB. */
enum { STREAMS = 1 };

typedef struct local_state {
    const bmf_list *xs, *indices;
    bmf_slice x[BMF_MAX_LEAVES];
    bmf_sink sink;
    int64_t origin; /* of the index list on this host */
    int64_t *bad;   /* by piece: position of its first index out of range, or -1 */
} local_state;

/* ---- the indices of a block ---- */

/* index[i] = index[0] + i step. */
BMF_VECTORISE static bool is_run(int64_t count, const int64_t *index, int64_t step)
{
    uint64_t difference = 0;
    for (int64_t i = 0; i < count; i++)
        difference |= (uint64_t)index[i] ^ ((uint64_t)index[0] + (uint64_t)(i * step));
    return difference == 0;
}

/* 1 or -1 if the indices count up or down; otherwise 0. */
static int64_t run_step(int64_t count, const int64_t *index)
{
    if (count < 2 || (index[1] - 1 != index[0] && index[1] + 1 != index[0]))
        return 0;
    int64_t step = index[1] - index[0];
    return is_run(count, index, step) ? step : 0;
}

/* ---- the elements of a block ---- */

static void project_block(const local_state *s, const int64_t *index, int64_t count, int64_t more, const bmf_slice *out)
{
    const int64_t step = run_step(count, index);
    for (int k = 0; k < s->sink.leaves; k++) {
        const bmf_slice *x = &s->x[k];
        const int64_t size = s->sink.leaf_size[k];
        const char *first = (const char *)x->data + index[0] * x->stride;
        if (step != 0)
            copy_strided(out[k].data, size, first, step * x->stride, count);
        else
            fetch_elements(out[k].data, size, x, 0, index, count, more);
    }
}

/* ---- all of them ---- */

static int project_piece(void *state, int64_t number, const bmf_piece *piece, int worker)
{
    local_state *s = state;
    const int64_t length = bmf_length(s->xs), end = bmf_partition_local_end(s->indices->partition);
    s->bad[number] = -1;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        int64_t room[BMF_BLOCK];
        bmf_slice out[BMF_MAX_LEAVES];
        count = sink_count(&s->sink, i, piece->end);
        const int64_t *index = indices_at(&s->indices->column, i - s->origin, count, room);
        if (!indices_in_range(count, index, 0, length)) {
            s->bad[number] = i + indices_before_range_ends(count, index, 0, length);
            return 0;
        }
        sink_block(&s->sink, worker, i, out);
        project_block(s, index, count, index == room ? 0 : end - i - count, out);
        sink_commit(&s->sink, worker, i, count);
    }
    return 0;
}

/* An index, and an element from anywhere in the list. */
static bmf_kernel_work gathering(const local_state *s)
{
    const int64_t bytes = type_element_bytes(s->xs->type);
    return (bmf_kernel_work){.operations = 1,
                             .read = (int64_t)sizeof(int64_t),
                             .written = bytes,
                             .random = (bytes + (int64_t)sizeof(int64_t) - 1) / (int64_t)sizeof(int64_t)};
}

static int project_pieces(local_state *s, bmf_list *made)
{
    bmf_context *ctx = made->context;
    bmf_piece *piece;
    int64_t pieces;
    pieces_create(ctx, made->partition, BMF_BLOCK, &piece, &pieces);
    s->bad = allocate(pieces * (int64_t)sizeof *s->bad);
    sink_open(&s->sink, made, BMF_SINK_NEW, STREAMS);
    int status = backend_compute(ctx, &(bmf_work){.kernel = "project",
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .run = project_piece,
                                                  .state = s,
                                                  .each = gathering(s)});
    sink_close(&s->sink);
    for (int64_t k = 0; k < pieces && status == BMF_OK; k++)
        if (s->bad[k] >= 0)
            status = project_refuse_index(s->xs, s->indices, s->bad[k]);
    free(s->bad);
    free(piece);
    return bmf_agree(ctx, status);
}

bool project_is_local(const bmf_list *xs, const bmf_list *indices)
{
    const bmf_partition *from = xs->partition, *to = indices->partition;
    if (!bmf_type_is_fixed(xs->type) || from->parts == 0)
        return false;
    int64_t processor = bmf_partition_processor(from, 0);
    for (int64_t k = 0; k < from->parts; k++)
        if (bmf_partition_processor(from, k) != processor)
            return false;
    for (int64_t k = 0; k < to->parts; k++)
        if (bmf_partition_processor(to, k) != processor)
            return false;
    return true;
}

int project_local(const bmf_list *xs, const bmf_list *indices, bmf_list **out)
{
    local_state state = {.xs = xs, .indices = indices, .origin = bmf_partition_local_begin(indices->partition)};
    bmf_list *made;
    BMF_TRY(bmf_list_create(xs->context, xs->type, indices->partition, &made));
    column_slices(&xs->column, 0, state.x);
    int status = project_pieces(&state, made);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}
