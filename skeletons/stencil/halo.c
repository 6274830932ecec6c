/* The edges of blocks: which boxes blocks need of each other, and their exchange.
 *
 * Method: a block needs the products of the stretches of its axes (skeletons/stencil/axis.c), except that of its own
 * elements; with a star only those that leave the block in one axis. All boxes that one block needs of another travel
 * in one message, in an order that both know. Everything is in one round; the sender packs, mirrored boxes backwards,
 * and the receiver's windows read the buffer as it comes.
 * Cost: a message for each block of which a block needs something: 2 a dimension, or 3^dimensions - 1, if blocks are
 * not shorter than the radius. Source: document 002, 4.3. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/stencil/stencil.h"

bmf_box part_box(const bmf_stencil_call *call, int64_t part)
{
    int64_t block[BMF_AXES];
    bmf_box box = {{0}, {0}};
    block_of_part(call, part, block);
    for (int k = 0; k < BMF_AXES; k++)
        box.end[k] = call->axis[k].start[block[k] + 1] - call->axis[k].start[block[k]];
    return box;
}

/* ---- which pieces there are ---- */

/* A block's own elements: what is needed begins before it or behind it otherwise. */
static bool is_own(const bmf_stretch *stretch)
{
    return stretch->to == 0;
}

static bool in_window(bmf_window window, const bmf_stretch *const stretch[BMF_AXES])
{
    int outside = 0;
    for (int k = 0; k < BMF_AXES; k++)
        outside += !is_own(stretch[k]);
    return outside == 1 || (outside > 1 && window == BMF_WINDOW_BOX);
}

static bmf_halo_piece make_piece(const bmf_stencil_call *call, const bmf_stretch *const stretch[BMF_AXES])
{
    bmf_halo_piece piece = {0};
    for (int k = 0; k < BMF_AXES; k++) {
        const bmf_stretch *s = stretch[k];
        piece.from = piece.from * call->axis[k].blocks + s->owner;
        piece.to = piece.to * call->axis[k].blocks + s->needer;
        piece.box.begin[k] = s->to;
        piece.box.end[k] = s->to + s->count;
        piece.first[k] = s->from;
        piece.step[k] = s->step;
    }
    return piece;
}

/* The stretches of an axis that concern one block: those it needs, or provides. */
static const bmf_stretch *stretch_at(const bmf_axis *axis, bool needs, int64_t k)
{
    return needs ? &axis->stretch[k] : axis->provided[k];
}

/* All pieces that a part needs, or provides. */
static void add_pieces(bmf_halo_pieces *all, const bmf_stencil_call *call, int64_t part, bool needs)
{
    int64_t block[BMF_AXES];
    const int64_t *range[BMF_AXES];
    const bmf_stretch *stretch[BMF_AXES];
    block_of_part(call, part, block);
    for (int k = 0; k < BMF_AXES; k++)
        range[k] = (needs ? call->axis[k].needed : call->axis[k].owned) + block[k];
    for (int64_t a = range[0][0]; a < range[0][1]; a++)
        for (int64_t b = range[1][0]; b < range[1][1]; b++)
            for (int64_t c = range[2][0]; c < range[2][1]; c++) {
                stretch[0] = stretch_at(&call->axis[0], needs, a);
                stretch[1] = stretch_at(&call->axis[1], needs, b);
                stretch[2] = stretch_at(&call->axis[2], needs, c);
                if (in_window(call->kernel->window, stretch))
                    *ARRAY_APPEND(all->piece, all->count, all->capacity) = make_piece(call, stretch);
            }
}

static int by_message(const void *a, const void *b)
{
    const bmf_halo_piece *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    for (int k = 0; k < BMF_AXES; k++)
        if (x->box.begin[k] != y->box.begin[k])
            return x->box.begin[k] < y->box.begin[k] ? -1 : 1;
    return 0;
}

static void finish_pieces(bmf_halo_pieces *all, int64_t size, bool data)
{
    if (all->count > 0)
        qsort(all->piece, (size_t)all->count, sizeof *all->piece, by_message);
    for (int64_t k = 0; k < all->count; k++) {
        all->piece[k].offset = all->bytes;
        all->bytes += box_elements(&all->piece[k].box) * size;
    }
    if (data)
        all->data = allocate(all->bytes);
}

/* ---- the round ---- */

static int64_t message_end(const bmf_halo_pieces *all, int64_t first)
{
    int64_t end = first;
    while (end < all->count && all->piece[end].from == all->piece[first].from &&
           all->piece[end].to == all->piece[first].to)
        end++;
    return end;
}

static int64_t offset_of(const bmf_halo_pieces *all, int64_t piece)
{
    return piece < all->count ? all->piece[piece].offset : all->bytes;
}

/* Adds the messages of one direction; those that are in both only once. */
static void add_messages(bmf_halo *halo, const bmf_halo_pieces *all, bool received, int64_t low, int64_t high)
{
    const bmf_partition *partition = halo->call->partition;
    for (int64_t first = 0, end; first < all->count; first = end) {
        end = message_end(all, first);
        const bmf_message message = {.from = bmf_partition_processor(partition, all->piece[first].from),
                                     .to = bmf_partition_processor(partition, all->piece[first].to),
                                     .bytes = offset_of(all, end) - offset_of(all, first),
                                     .first = all->piece[first].from,
                                     .count = all->piece[first].to};
        const int64_t other = received ? message.from : message.to;
        if (!received && other >= low && other < high)
            continue;
        *ARRAY_APPEND(halo->round.message, halo->round.count, halo->round.capacity) = message;
    }
}

static int by_receiver(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

void halo_make(bmf_halo *halo, const bmf_stencil_call *call, int64_t low, int64_t high, bool data)
{
    const int64_t first = bmf_partition_part_from(call->partition, low);
    const int64_t last = bmf_partition_part_from(call->partition, high);
    *halo = (bmf_halo){.call = call};
    for (int64_t part = first; part < last; part++) {
        add_pieces(&halo->received, call, part, true);
        add_pieces(&halo->sent, call, part, false);
    }
    finish_pieces(&halo->sent, call->size, data);
    finish_pieces(&halo->received, call->size, data);
    halo->received_by = allocate_array(last - first + 1, (int64_t)sizeof *halo->received_by);
    for (int64_t part = first, k = 0; part <= last; part++) {
        while (k < halo->received.count && halo->received.piece[k].to < part)
            k++;
        halo->received_by[part - first] = k;
    }
    add_messages(halo, &halo->received, true, low, high);
    add_messages(halo, &halo->sent, false, low, high);
    if (halo->round.count > 0)
        qsort(halo->round.message, (size_t)halo->round.count, sizeof *halo->round.message, by_receiver);
}

void halo_free(bmf_halo *halo)
{
    free(halo->sent.piece);
    free(halo->sent.data);
    free(halo->received.piece);
    free(halo->received.data);
    free(halo->received_by);
    free(halo->round.message);
}

/* ---- sending ---- */

static void pack(const bmf_halo *halo, const bmf_halo_piece *piece)
{
    const bmf_stencil_call *call = halo->call;
    const bmf_partition *partition = call->partition;
    const bmf_box own = part_box(call, piece->from);
    const int64_t size = call->size, columns = own.end[2], count = box_extent(&piece->box, 2);
    const char *block = halo->source + (partition->start[piece->from] - bmf_partition_local_begin(partition)) * size;
    char *to = halo->sent.data + piece->offset;
    for (int64_t a = 0; a < box_extent(&piece->box, 0); a++)
        for (int64_t b = 0; b < box_extent(&piece->box, 1); b++) {
            const int64_t plane = piece->first[0] + a * piece->step[0], row = piece->first[1] + b * piece->step[1];
            const char *from = block + ((plane * own.end[1] + row) * columns + piece->first[2]) * size;
            if (piece->step[2] > 0)
                memcpy(to, from, (size_t)(count * size));
            else
                for (int64_t c = 0; c < count; c++)
                    memcpy(to + c * size, from - c * size, (size_t)size);
            to += count * size;
        }
}

/* The pieces of a message, whose first and count are the parts it is from and to. */
static int64_t find_message(const bmf_halo_pieces *all, const bmf_message *message)
{
    const bmf_halo_piece key = {.from = message->first, .to = message->count, .box = {{INT64_MIN}, {0}}};
    return SEARCH_FIRST(k, 0, all->count, by_message(&all->piece[k], &key) >= 0);
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_halo *halo = state;
    const int64_t first = find_message(&halo->sent, message), end = message_end(&halo->sent, first);
    for (int64_t k = first; k < end; k++)
        pack(halo, &halo->sent.piece[k]);
    segment[0] = (bmf_segment){halo->sent.data + offset_of(&halo->sent, first), message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_halo *halo = state;
    const int64_t first = find_message(&halo->received, message);
    segment[0] = (bmf_segment){halo->received.data + offset_of(&halo->received, first), message->bytes};
    return 1;
}

int halo_begin(bmf_halo *halo, uint32_t step, const char *source, bmf_exchange **under_way)
{
    halo->source = source;
    return backend_exchange_begin(halo->call->ctx, &halo->round, step, &(bmf_transfer){outgoing, incoming, halo},
                                  under_way);
}
