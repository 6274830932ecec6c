/* Blocks whose elements lie on several parts; see shares.h.
 *
 * Method: every part's elements of a shared block are parted by the bands of their keys (parting.c); the bands of a
 * member's share are neighbours, and go to it in one message. There a worker folds a band from what the members sent,
 * in their order, which is that of the elements, into entries that its caches hold.
 * Cost: an element moves at most once. A message has 8 bytes for each band, unless there is one only. Memory: twice the
 * elements of a part on their way, and a table of the share.
 * Source: the owner of a datum computes it, as in Rogers and Pingali, "Process decomposition through locality of
 * reference", PLDI 1989. */
#include "skeletons/by_key/shares.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/by_key/parting.h"
#include "skeletons/engine/move.h"

enum { LINE = 64, TABLE_ALIGNMENT = 64 };

/* Elements of a shared block from one part, whose keys belong to another. */
typedef struct stretch {
    int64_t to, block, from; /* from, to: parts */
    const void *key;
    const bmf_slice *value;
    int64_t first, elements; /* in those columns */
    const int64_t *end;      /* by band of the share: where it ends, from 0 on; NULL: there is one */
    bmf_buffer *buffer;      /* what has arrived; NULL: it stays where it is */
} stretch;

typedef struct crossing {
    bmf_shares *shares;
    bmf_parted parted;
    int64_t **end; /* by parting: of every band, where it ends in its member's message; NULL: a band a share */
    bmf_message *message;
    int64_t messages, message_capacity;
    stretch *stretch;
    int64_t stretches, stretch_capacity;
    /* Bands to be folded. */
    struct unit {
        const bmf_shared_block *block;
        int64_t band;        /* of the share */
        int64_t first, next; /* stretches */
        char *table;         /* entries of the band */
        int64_t keys;
    } * unit;
    bmf_piece *piece;
    int64_t units, unit_capacity, piece_capacity;
    bmf_by_key_room *room; /* by worker */
} crossing;

/* ---- blocks ---- */

int64_t shared_block_of(const bmf_partition *partition, int64_t length, int64_t part, bmf_share_side side)
{
    const int64_t all = partition->start[partition->parts], begin = partition->start[part],
                  end = partition->start[part + 1];
    if (length == 0)
        return -1;
    if (side == BMF_SHARE_BEFORE)
        return begin % length != 0 && begin < all ? begin / length : -1;
    return end % length != 0 && end < all && end / length * length >= begin && end > begin ? end / length : -1;
}

bool shares_any(const bmf_partition *partition, int64_t length)
{
    for (int64_t k = 0; k < partition->parts; k++)
        if (shared_block_of(partition, length, k, BMF_SHARE_BEFORE) >= 0)
            return true;
    return false;
}

void shared_block_make(const bmf_by_key *by, int64_t length, int64_t block, bmf_shared_block *made)
{
    const bmf_partition *partition = by->values->partition;
    const int64_t all = bmf_length(by->values), begin = block * length;
    const int64_t end = length < all - begin ? begin + length : all;
    const int64_t first = bmf_partition_part_of(partition, begin), last = bmf_partition_part_of(partition, end - 1);
    *made = (bmf_shared_block){.block = block, .begin = begin, .end = end, .first = first, .members = last - first + 1};
    key_cut_make(&made->cut, by->count, made->members, by->entry.record);
}

int64_t shares_element_bytes(const bmf_by_key *by, const bmf_key_cut *cut)
{
    return cut->key_bytes + type_element_bytes(by->values->type);
}

static void list_blocks(bmf_shares *s)
{
    const bmf_partition *partition = s->by->values->partition;
    s->block = allocate((BMF_SHARE_SIDES * partition->local_parts + 1) * (int64_t)sizeof *s->block);
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++)
        for (bmf_share_side side = BMF_SHARE_BEFORE; side < BMF_SHARE_SIDES; side++) {
            const int64_t block = shared_block_of(partition, s->length, k, side);
            if (block >= 0 && (s->blocks == 0 || s->block[s->blocks - 1].block != block))
                shared_block_make(s->by, s->length, block, &s->block[s->blocks++]);
        }
}

static const bmf_shared_block *find_block(const bmf_shares *s, int64_t block)
{
    return &s->block[SEARCH_FIRST(k, 0, s->blocks, s->block[k].block >= block)];
}

static int64_t entries_bytes(const bmf_by_key *by, int64_t keys)
{
    return (keys * by->entry.record + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT;
}

/* Room for the table of every share of the parts here, and one byte, so that empty ones have a place. */
static void make_tables(bmf_shares *s)
{
    const bmf_partition *partition = s->by->values->partition;
    const int64_t count = BMF_SHARE_SIDES * partition->local_parts;
    int64_t *offset = allocate((count + 1) * (int64_t)sizeof *offset);
    s->table = allocate_clear(count, (int64_t)sizeof *s->table);
    offset[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t part = partition->local_first + i / BMF_SHARE_SIDES;
        const int64_t block = shared_block_of(partition, s->length, part, (bmf_share_side)(i % BMF_SHARE_SIDES));
        offset[i + 1] = offset[i];
        if (block < 0)
            continue;
        const bmf_shared_block *of = find_block(s, block);
        const int64_t member = part - of->first;
        offset[i + 1] += entries_bytes(s->by, key_cut_share(&of->cut, member + 1) - key_cut_share(&of->cut, member));
    }
    s->room = working_buffer(offset[count] + 1);
    for (int64_t i = 0; i < count; i++) {
        const int64_t part = partition->local_first + i / BMF_SHARE_SIDES;
        if (shared_block_of(partition, s->length, part, (bmf_share_side)(i % BMF_SHARE_SIDES)) >= 0)
            s->table[i] = (char *)s->room->data + offset[i];
    }
    free(offset);
}

/* ---- what leaves ---- */

/* Elements of the parts here that are of shared blocks. */
static bmf_parting *list_partings(const bmf_shares *s, int64_t *count)
{
    const bmf_partition *partition = s->by->values->partition;
    bmf_parting *parting = allocate((BMF_SHARE_SIDES * partition->local_parts + 1) * (int64_t)sizeof *parting);
    *count = 0;
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++)
        for (bmf_share_side side = BMF_SHARE_BEFORE; side < BMF_SHARE_SIDES; side++) {
            const int64_t number = shared_block_of(partition, s->length, k, side);
            if (number < 0 || partition->start[k] == partition->start[k + 1])
                continue;
            const bmf_shared_block *block = find_block(s, number);
            const int64_t begin = block->begin > partition->start[k] ? block->begin : partition->start[k];
            const int64_t end = block->end < partition->start[k + 1] ? block->end : partition->start[k + 1];
            parting[(*count)++] = (bmf_parting){.part = k, .begin = begin, .end = end, .cut = &block->cut};
        }
    return parting;
}

/* Where the bands of a parting end, from the first one of their shares on. */
static int64_t *list_ends(const bmf_parting *parting)
{
    const int64_t bands = parting->cut->bands, all = parting->cut->members * bands;
    if (bands == 1)
        return NULL;
    int64_t *end = allocate_clear(all, (int64_t)sizeof *end);
    for (int64_t i = 0; i < parting->bands; i++)
        end[parting->band[i].band] = parting->band[i].count;
    for (int64_t b = 0; b < all; b++)
        end[b] += b % bands == 0 ? 0 : end[b - 1];
    return end;
}

/* The number of the parting of a part's elements of a block. */
static int64_t parting_of(const crossing *c, int64_t part, int64_t begin)
{
    const bmf_parted *parted = &c->parted;
    return SEARCH_FIRST(k, 0, parted->partings,
                        parted->parting[k].part > part ||
                            (parted->parting[k].part == part && parted->parting[k].begin >= begin));
}

/* The elements for a member; returns how many. */
static int64_t elements_for(const bmf_parting *parting, int64_t member, int64_t *begin)
{
    int64_t first,
        next = parting_bands(parting, member * parting->cut->bands, (member + 1) * parting->cut->bands, &first);
    if (first == next)
        return 0;
    *begin = parting->band[first].begin;
    return parting->band[next - 1].begin + parting->band[next - 1].count - *begin;
}

static int64_t message_bytes(const crossing *c, const bmf_key_cut *cut, int64_t elements)
{
    return (cut->bands > 1 ? cut->bands * (int64_t)sizeof(int64_t) : 0) +
           elements * shares_element_bytes(c->shares->by, cut);
}

/* Messages of a parting, band by band of what it has, and what stays on its part. */
static void list_messages(crossing *c, int64_t index)
{
    const bmf_parted *parted = &c->parted;
    const bmf_parting *parting = &parted->parting[index];
    const bmf_partition *partition = c->shares->by->values->partition;
    const bmf_key_cut *cut = parting->cut;
    const bmf_shared_block *block = find_block(c->shares, parting->begin / c->shares->length);
    for (int64_t i = 0; i < parting->bands;) {
        const int64_t member = parting->band[i].band / cut->bands, to = block->first + member;
        int64_t begin = 0;
        const int64_t elements = elements_for(parting, member, &begin);
        while (i < parting->bands && parting->band[i].band < (member + 1) * cut->bands)
            i++;
        if (to == parting->part)
            *(stretch *)ARRAY_APPEND(c->stretch, c->stretches, c->stretch_capacity) =
                (stretch){.to = to,
                          .block = block->block,
                          .from = to,
                          .key = parted->keys->data,
                          .value = parted->value,
                          .first = begin,
                          .elements = elements,
                          .end = c->end[index] ? c->end[index] + member * cut->bands : NULL};
        else
            *(bmf_message *)ARRAY_APPEND(c->message, c->messages, c->message_capacity) =
                (bmf_message){.from = bmf_partition_processor(partition, parting->part),
                              .to = bmf_partition_processor(partition, to),
                              .bytes = message_bytes(c, cut, elements),
                              .first = block->block,
                              .count = elements};
    }
}

/* ---- on their way ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const crossing *c = state;
    const bmf_parted *parted = &c->parted;
    const bmf_by_key *by = c->shares->by;
    const bmf_partition *partition = by->values->partition;
    const bmf_shared_block *block = find_block(c->shares, message->first);
    const int64_t index = parting_of(c, bmf_partition_part_from(partition, message->from), block->begin);
    const int64_t member = bmf_partition_part_from(partition, message->to) - block->first;
    int64_t begin = 0;
    int segments = 0;
    elements_for(&parted->parting[index], member, &begin);
    if (c->end[index])
        segment[segments++] =
            (bmf_segment){c->end[index] + member * block->cut.bands, block->cut.bands * (int64_t)sizeof **c->end};
    segment[segments++] =
        (bmf_segment){(char *)parted->keys->data + begin * parted->key_bytes, message->count * parted->key_bytes};
    for (int k = 0; k < by->entry.leaves; k++)
        segment[segments++] = (bmf_segment){(char *)parted->leaf[k]->data + begin * by->entry.leaf_size[k],
                                            message->count * by->entry.leaf_size[k]};
    return segments;
}

static int64_t in_lines(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* A buffer has the slices of the leaves, then all that comes, each on lines of its own. */
static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    crossing *c = state;
    const bmf_by_key *by = c->shares->by;
    const bmf_partition *partition = by->values->partition;
    const bmf_key_cut *cut = &find_block(c->shares, message->first)->cut;
    const int64_t ends = cut->bands > 1 ? cut->bands * (int64_t)sizeof(int64_t) : 0;
    int64_t bytes = in_lines(by->entry.leaves * (int64_t)sizeof(bmf_slice)) + in_lines(ends) +
                    in_lines(message->count * cut->key_bytes);
    for (int k = 0; k < by->entry.leaves; k++)
        bytes += in_lines(message->count * by->entry.leaf_size[k]);
    bmf_buffer *buffer = working_buffer(bytes);
    char *next = (char *)buffer->data + in_lines(by->entry.leaves * (int64_t)sizeof(bmf_slice));
    bmf_slice *value = buffer->data;
    int segments = 0;
    stretch *made = ARRAY_APPEND(c->stretch, c->stretches, c->stretch_capacity);
    *made = (stretch){.to = bmf_partition_part_from(partition, message->to),
                      .block = message->first,
                      .from = bmf_partition_part_from(partition, message->from),
                      .value = value,
                      .elements = message->count,
                      .end = ends > 0 ? (const int64_t *)(void *)next : NULL,
                      .buffer = buffer};
    if (ends > 0)
        segment[segments++] = (bmf_segment){next, ends};
    made->key = next += in_lines(ends);
    segment[segments++] = (bmf_segment){next, message->count * cut->key_bytes};
    next += in_lines(message->count * cut->key_bytes);
    for (int k = 0; k < by->entry.leaves; k++) {
        value[k] = (bmf_slice){next, by->entry.leaf_size[k]};
        segment[segments++] = (bmf_segment){next, message->count * by->entry.leaf_size[k]};
        next += in_lines(message->count * by->entry.leaf_size[k]);
    }
    return segments;
}

static int by_place(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int exchange(crossing *c)
{
    bmf_context *ctx = c->shares->by->ctx;
    const bmf_round round = {c->message, c->messages, c->message_capacity};
    const bmf_transfer transfer = {outgoing, incoming, c};
    BMF_TRY(ctx->backend->exchange_sparse(ctx, &round, 0, &transfer));
    if (c->stretches > 0)
        qsort(c->stretch, (size_t)c->stretches, sizeof *c->stretch, by_place);
    return BMF_OK;
}

/* ---- what has arrived ---- */

/* Elements of a band of the share. */
static int64_t band_of(const stretch *s, int64_t band, int64_t *first)
{
    const int64_t begin = s->end && band > 0 ? s->end[band - 1] : 0, end = s->end ? s->end[band] : s->elements;
    *first = s->first + begin;
    return end - begin;
}

static int fold_unit(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const crossing *c = state;
    const bmf_by_key *by = c->shares->by;
    const struct unit *u = &c->unit[index];
    bmf_by_key_room *room = &c->room[worker];
    int64_t ignored = -1;
    int code = 0;
    (void)piece;
    by_key_clear_entries(by, u->keys, u->table);
    room->table = u->table;
    for (int64_t k = u->first; k < u->next && code == 0; k++) {
        const stretch *s = &c->stretch[k];
        int64_t first;
        const int64_t elements = band_of(s, u->band, &first);
        const bmf_by_key_run run = {.count = u->keys,
                                    .key = s->key,
                                    .key_bytes = u->block->cut.key_bytes,
                                    .stride = u->block->cut.key_bytes,
                                    .values = s->value,
                                    .first = first,
                                    .elements = elements,
                                    .lanes = 1};
        if (elements > 0)
            code = by_key_run(by, room, &run, &ignored);
    }
    return code;
}

/* The bands of a part's share; the stretches [first, next) are those of the part and block. */
static void list_units(crossing *c, int64_t part, bmf_share_side side, const bmf_shared_block *block, int64_t first,
                       int64_t next)
{
    const bmf_by_key *by = c->shares->by;
    const int64_t member = part - block->first, share = key_cut_share(&block->cut, member);
    for (int64_t b = 0; b < block->cut.bands; b++) {
        struct unit unit = {.block = block, .band = b, .first = first, .next = next};
        const int64_t key = key_cut_band(&block->cut, member * block->cut.bands + b, &unit.keys);
        int64_t elements = 0, ignored;
        unit.table = shares_table(c->shares, part, side) + (key - share) * by->entry.record;
        for (int64_t k = first; k < next; k++)
            elements += band_of(&c->stretch[k], b, &ignored);
        const int64_t processor = bmf_partition_processor(by->values->partition, part), pieces = c->units;
        int64_t listed = pieces;
        *(struct unit *)ARRAY_APPEND(c->unit, c->units, c->unit_capacity) = unit;
        *(bmf_piece *)ARRAY_APPEND(c->piece, listed, c->piece_capacity) =
            (bmf_piece){.part = part, .processor = processor, .begin = 0, .end = elements};
    }
}

static void list_all_units(crossing *c)
{
    const bmf_shares *s = c->shares;
    const bmf_partition *partition = s->by->values->partition;
    int64_t first = 0;
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++)
        for (bmf_share_side side = BMF_SHARE_BEFORE; side < BMF_SHARE_SIDES; side++) {
            const int64_t block = shared_block_of(partition, s->length, k, side);
            int64_t next = first;
            while (next < c->stretches && c->stretch[next].to == k && c->stretch[next].block == block)
                next++;
            if (block >= 0)
                list_units(c, k, side, find_block(s, block), first, next);
            first = next;
        }
}

static int fold_units(crossing *c)
{
    const bmf_by_key *by = c->shares->by;
    const int workers = by->ctx->threads;
    int64_t entries = 0;
    list_all_units(c);
    for (int64_t k = 0; k < c->units; k++)
        entries = c->unit[k].keys > entries ? c->unit[k].keys : entries;
    c->room = allocate(workers * (int64_t)sizeof *c->room);
    for (int w = 0; w < workers; w++)
        by_key_room_open(by, entries, false, &c->room[w]);
    const int status = backend_compute(
        by->ctx, &(bmf_work){.kernel = by->op->name,
                             .round = 3,
                             .piece = c->piece,
                             .pieces = c->units,
                             .dynamic = true,
                             .run = fold_unit,
                             .state = c,
                             .each = {.operations = 1, .read = 2 + type_element_bytes(by->values->type)}});
    for (int w = 0; w < workers; w++)
        by_key_room_close(&c->room[w]);
    free(c->room);
    return status;
}

/* ---- all of it ---- */

static void close(crossing *c)
{
    for (int64_t k = 0; k < c->parted.partings; k++)
        free(c->end[k]);
    free(c->end);
    for (int64_t k = 0; k < c->stretches; k++)
        buffer_release(c->stretch[k].buffer);
    parted_close(&c->parted);
    free(c->parted.parting);
    free(c->message);
    free(c->stretch);
    free(c->unit);
    free(c->piece);
}

/* Columns and messages, unless something is wrong here. */
static int part_elements(crossing *c, int status)
{
    bmf_by_key *by = c->shares->by;
    int64_t partings;
    bmf_parting *parting = list_partings(c->shares, &partings);
    const int counted = parted_open(&c->parted, by, partings, parting, 1, &by->bad);
    status = status == BMF_OK ? counted : status;
    c->end = allocate_clear(partings + 1, (int64_t)sizeof *c->end);
    if (status == BMF_OK && by->bad >= 0)
        status = by_key_refuse_bad(by);
    if (status == BMF_OK)
        status = parted_fill(&c->parted, 2);
    for (int64_t k = 0; k < partings && status == BMF_OK; k++) {
        c->end[k] = list_ends(&parting[k]);
        list_messages(c, k);
    }
    return status;
}

int shares_fold(bmf_shares *shares, bmf_by_key *by, int64_t length, int status)
{
    *shares = (bmf_shares){.by = by, .length = length};
    crossing c = {.shares = shares};
    list_blocks(shares);
    make_tables(shares);
    status = failure_defer(by->ctx, part_elements(&c, status));
    if (status == BMF_OK)
        status = exchange(&c);
    if (status == BMF_OK)
        status = failure_defer(by->ctx, fold_units(&c));
    close(&c);
    return status;
}

void shares_close(bmf_shares *shares)
{
    free(shares->block);
    free(shares->table);
    buffer_release(shares->room);
}
