/* regrid's elements of fixed size.
 *
 * Method: leaf by leaf; boxes are cut into pieces for the threads along an axis that is not the runs'. Between
 * processors of one host the packed box is what arrives. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/engine/regrid_private.h"

enum { PIECE_ELEMENTS = 1 << 16, PIECE_GRAIN = 8 };

typedef struct fixed_regrid {
    regrid_call *call;
    int leaves;
    int64_t size[BMF_MAX_LEAVES], bytes; /* of leaves, of an element */
    bmf_slice source[BMF_MAX_LEAVES], target[BMF_MAX_LEAVES];
    bmf_buffer *sent[BMF_MAX_LEAVES], *received[BMF_MAX_LEAVES];
} fixed_regrid;

/* A stretch of a box, along one axis of those in whose order it is copied. */
typedef struct box_piece {
    const shared_box *box;
    int axis;
    int64_t first, last;
} box_piece;

/* ---- where boxes lie ---- */

/* In a block of the host, along the side's own axes. */
static box_place place_in_block(const fixed_regrid *all, int side, const shared_box *box, int leaf)
{
    const regrid_call *call = all->call;
    const bmf_partition *partition = call->side[side].partition;
    const bmf_slice *slice = side == REGRID_SOURCE ? &all->source[leaf] : &all->target[leaf];
    const int64_t part = side == REGRID_SOURCE ? box->from : box->to;
    int64_t offset = 0, stride = slice->stride;
    box_place place;
    for (int a = BOX_AXES - 1; a >= 0; a--) {
        const int s = side == REGRID_SOURCE ? a : call->axis[a];
        place.stride[a] = stride;
        offset += (box->begin[s] - regrid_block_begin(call, side, part, a)) * stride;
        stride *= regrid_block_extent(call, side, part, a);
    }
    offset += (partition->start[part] - bmf_partition_local_begin(partition)) * slice->stride;
    place.data = (char *)slice->data + offset;
    return place;
}

/* Packed, along the source's axes. */
static box_place place_packed(const fixed_regrid *all, const shared_box *box, bmf_buffer *const *buffer, int leaf)
{
    int64_t stride = all->size[leaf];
    box_place place = {.data = (char *)buffer[leaf]->data + box->at * stride};
    for (int a = BOX_AXES - 1; a >= 0; a--) {
        place.stride[a] = stride;
        stride *= box->end[a] - box->begin[a];
    }
    return place;
}

/* A place along the source's axes, along those of the target. */
static box_place turned(const regrid_call *call, const box_place *place)
{
    box_place made = {.data = place->data};
    for (int a = 0; a < BOX_AXES; a++)
        made.stride[a] = place->stride[call->axis[a]];
    return made;
}

/* ---- copying ---- */

/* The box's extents in the order of the source, or of the target. */
static void extents_of(const regrid_call *call, const shared_box *box, bool in_target, int64_t *extent)
{
    for (int a = 0; a < BOX_AXES; a++) {
        const int s = in_target ? call->axis[a] : a;
        extent[a] = box->end[s] - box->begin[s];
    }
}

static void copy_piece(const regrid_call *call, const box_piece *piece, bool in_target, int64_t size, box_place to,
                       box_place from)
{
    int64_t extent[BOX_AXES];
    extents_of(call, piece->box, in_target, extent);
    extent[piece->axis] = piece->last - piece->first;
    to.data += piece->first * to.stride[piece->axis];
    from.data += piece->first * from.stride[piece->axis];
    box_copy(size, extent, &to, &from);
}

typedef struct copying {
    const fixed_regrid *all;
    const box_piece *piece;
} copying;

static int pack(void *state, int64_t index, const bmf_piece *of, int worker)
{
    const copying *c = state;
    const box_piece *piece = &c->piece[index];
    (void)of, (void)worker;
    for (int k = 0; k < c->all->leaves; k++)
        copy_piece(c->all->call, piece, false, c->all->size[k], place_packed(c->all, piece->box, c->all->sent, k),
                   place_in_block(c->all, REGRID_SOURCE, piece->box, k));
    return 0;
}

static int put_own(void *state, int64_t index, const bmf_piece *of, int worker)
{
    const copying *c = state;
    const box_piece *piece = &c->piece[index];
    (void)of, (void)worker;
    for (int k = 0; k < c->all->leaves; k++) {
        const box_place from = place_in_block(c->all, REGRID_SOURCE, piece->box, k);
        copy_piece(c->all->call, piece, true, c->all->size[k], place_in_block(c->all, REGRID_TARGET, piece->box, k),
                   turned(c->all->call, &from));
    }
    return 0;
}

static int put_received(void *state, int64_t index, const bmf_piece *of, int worker)
{
    const copying *c = state;
    const box_piece *piece = &c->piece[index];
    const shared_box *here = regrid_sent_here(c->all->call, piece->box);
    (void)of, (void)worker;
    for (int k = 0; k < c->all->leaves; k++) {
        const box_place from =
            here ? place_packed(c->all, here, c->all->sent, k) : place_packed(c->all, piece->box, c->all->received, k);
        copy_piece(c->all->call, piece, true, c->all->size[k], place_in_block(c->all, REGRID_TARGET, piece->box, k),
                   turned(c->all->call, &from));
    }
    return 0;
}

/* ---- pieces ---- */

typedef struct pieces {
    box_piece *piece;
    bmf_piece *work;
    int64_t count, capacity, works, work_capacity, elements;
} pieces;

static void cut_box(pieces *all, const fixed_regrid *move, const shared_box *box, int side)
{
    const regrid_call *call = move->call;
    int64_t extent[BOX_AXES];
    extents_of(call, box, side == REGRID_TARGET, extent);
    const int axis = extent[0] > extent[1] ? 0 : 1;
    const int64_t wanted = (box->elements + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS, length = extent[axis];
    const int64_t share = ((length + wanted - 1) / wanted + PIECE_GRAIN - 1) / PIECE_GRAIN * PIECE_GRAIN;
    const int64_t part = side == REGRID_SOURCE ? box->from : box->to;
    for (int64_t first = 0; first < length; first += share) {
        const int64_t last = first + share < length ? first + share : length;
        const int64_t elements = (last - first) * (box->elements / length);
        *ARRAY_APPEND(all->piece, all->count, all->capacity) = (box_piece){box, axis, first, last};
        *(bmf_piece *)ARRAY_APPEND(all->work, all->works, all->work_capacity) =
            (bmf_piece){.part = part,
                        .processor = bmf_partition_processor(call->side[side].partition, part),
                        .begin = all->elements,
                        .end = all->elements + elements};
        all->elements += elements;
    }
}

/* Copies all boxes of a list; kernels of the processors on a side. */
static int copy_all(const fixed_regrid *all, const char *kernel, uint32_t round, const shared_boxes *list, int side,
                    int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker))
{
    pieces cut = {0};
    for (int64_t k = 0; k < list->count; k++)
        cut_box(&cut, all, &list->box[k], side);
    copying state = {all, cut.piece};
    const int status =
        cut.count == 0
            ? BMF_OK
            : backend_compute(all->call->ctx,
                              &(bmf_work){.kernel = kernel,
                                          .round = round,
                                          .piece = cut.work,
                                          .pieces = cut.works,
                                          .dynamic = true,
                                          .each = {.operations = 1, .read = all->bytes, .written = all->bytes},
                                          .run = run,
                                          .state = &state});
    free(cut.piece);
    free(cut.work);
    return status;
}

/* ---- the round ---- */

static int segments_of(const fixed_regrid *all, const shared_box *box, bmf_buffer *const *buffer, bmf_segment *segment)
{
    for (int k = 0; k < all->leaves; k++)
        segment[k] = (bmf_segment){(char *)buffer[k]->data + box->at * all->size[k], box->elements * all->size[k]};
    return all->leaves;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const fixed_regrid *all = state;
    return segments_of(all, &all->call->sent.box[message->first], all->sent, segment);
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const fixed_regrid *all = state;
    return message->first >= 0 ? outgoing(state, message, segment) /* it is here already */
                               : segments_of(all, &all->call->received.box[message->count], all->received, segment);
}

/* Up to the last box that another host sends; what this one sends itself stays where it is packed. */
static int64_t elements_from_others(const regrid_call *call)
{
    int64_t elements = 0;
    for (int64_t k = 0; k < call->received.count; k++)
        if (!regrid_sent_here(call, &call->received.box[k]))
            elements = call->received.box[k].at + call->received.box[k].elements;
    return elements;
}

static void open(fixed_regrid *all, const bmf_column *column, const bmf_column *out)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const int64_t received = elements_from_others(all->call);
    all->leaves = bmf_type_leaves(column->type, leaf);
    for (int k = 0; k < all->leaves; k++) {
        all->size[k] = leaf[k]->size;
        all->bytes += leaf[k]->size;
        all->sent[k] = working_buffer(all->call->sent.elements * leaf[k]->size);
        all->received[k] = working_buffer(received * leaf[k]->size);
    }
    column_slices(column, 0, all->source);
    column_slices(out, 0, all->target);
}

static void close(fixed_regrid *all)
{
    for (int k = 0; k < all->leaves; k++) {
        buffer_release(all->sent[k]);
        buffer_release(all->received[k]);
    }
}

int regrid_fixed(regrid_call *call, const bmf_column *column, bmf_column *out)
{
    fixed_regrid all = {.call = call};
    bmf_exchange *under_way;
    const bmf_partition *target = call->side[REGRID_TARGET].partition;
    const bmf_transfer transfer = {outgoing, incoming, &all};
    const int64_t count = bmf_partition_local_end(target) - bmf_partition_local_begin(target);
    require_memory(column_create(column->type, count, out), count);
    open(&all, column, out);
    int status = copy_all(&all, "regrid pack", 0, &call->sent, REGRID_SOURCE, pack);
    if (status == BMF_OK)
        status = backend_exchange_begin(call->ctx, &call->round, 0, &transfer, &under_way);
    if (status == BMF_OK) {
        status = copy_all(&all, "regrid own", 1, &call->own, REGRID_TARGET, put_own);
        const int ended = backend_exchange_end(call->ctx, under_way);
        status = status == BMF_OK ? ended : status;
    }
    if (status == BMF_OK)
        status = copy_all(&all, "regrid place", 2, &call->received, REGRID_TARGET, put_received);
    close(&all);
    if (status != BMF_OK)
        column_free(out);
    return status;
}
