/* Reductions by key whose results are made on the processors that will have them.
 *
 * Method: parts fold the blocks that lie in them as wholes into tables of all keys (fold.c); of other blocks they fold
 * shares of the keys (shares.c). Then every part sends of each table what belongs to others' results, in one round, and
 * joins what it gets for its own keys by the fixed tree. For exact operators blocks mean nothing: every part has a
 * table of all keys if there are fewer of them than its elements take on their way, and otherwise all elements are one
 * block.
 * Cost: an element of a block that is cut moves at most once; then w bytes for every key of a node of the tree: there
 * are eight to sixteen elements of a block for each of its keys, so that this is little. Memory: per part its elements
 * on their way, and of every block the entries of its share. */
#include "skeletons/by_key/methods.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/by_key/fold.h"
#include "skeletons/by_key/portions.h"

/* What has come for a part. */
typedef struct arrival {
    int64_t from, to; /* parts */
    char *data;
} arrival;

typedef struct owners {
    bmf_by_key *by;
    const bmf_partition *even; /* of the results */
    int64_t length;            /* as of by_key_shared_length */
    bmf_folded folded;
    bmf_shares shares;
    bool folds, has_shares;
    bmf_message *message;
    int64_t messages, message_capacity;
    arrival *arrival, *leaving; /* leaving: what is sent, to be freed */
    int64_t arrivals, arrival_capacity, leavings, leaving_capacity;
    bmf_by_key *range;        /* by part here: with its keys alone */
    bmf_table_forest *forest; /* by part here */
    int64_t *first_arrival;   /* by part here, and one more */
} owners;

static bool is_here(const owners *o, int64_t part)
{
    const bmf_partition *partition = o->by->values->partition;
    return part >= partition->local_first && part < partition->local_first + partition->local_parts;
}

/* The portion's entries of a part that is here, from its first key on. */
static const char *table_of(const owners *o, int64_t part, const bmf_portion *one)
{
    return one->side < BMF_SHARE_SIDES ? shares_table(&o->shares, part, one->side)
                                       : folded_part(&o->folded, part)->node[one->node].table;
}

/* The keys of a portion that are a part's; returns how many. */
static int64_t keys_for(const owners *o, const bmf_portion *one, int64_t part, int64_t *begin)
{
    const int64_t low = o->even->start[part], high = o->even->start[part + 1];
    *begin = one->begin > low ? one->begin : low;
    const int64_t end = one->end < high ? one->end : high;
    return end > *begin ? end - *begin : 0;
}

static int64_t bytes_for(const owners *o, const bmf_portions *p, int64_t part)
{
    int64_t keys = 0, begin;
    for (int k = 0; k < p->count; k++)
        keys += keys_for(o, &p->of[k], part, &begin);
    return keys * o->by->entry.record;
}

/* ---- the round ---- */

/* Messages of a part to others, of which one end is here. */
static void list_messages_of(owners *o, int64_t from)
{
    const bmf_partition *even = o->even;
    bmf_portions p;
    portions_list(o->by, o->length, from, &p);
    int64_t low = o->by->count, high = 0;
    for (int k = 0; k < p.count; k++) {
        low = p.of[k].begin < low ? p.of[k].begin : low;
        high = p.of[k].end > high ? p.of[k].end : high;
    }
    if (low >= high)
        return;
    int64_t first = bmf_partition_part_of(even, low), last = bmf_partition_part_of(even, high - 1);
    if (!is_here(o, from)) {
        const int64_t end = even->local_first + even->local_parts - 1;
        first = first > even->local_first ? first : even->local_first;
        last = last < end ? last : end;
    }
    for (int64_t to = first; to <= last; to++) {
        const int64_t bytes = to == from ? 0 : bytes_for(o, &p, to);
        if (bytes > 0)
            *(bmf_message *)ARRAY_APPEND(o->message, o->messages, o->message_capacity) =
                (bmf_message){.from = bmf_partition_processor(even, from),
                              .to = bmf_partition_processor(even, to),
                              .bytes = bytes,
                              .first = from,
                              .count = 1};
    }
}

static arrival *add_room(arrival **list, int64_t *count, int64_t *capacity, int64_t from, int64_t to, int64_t bytes)
{
    arrival *made = ARRAY_APPEND(*list, *count, *capacity);
    *made = (arrival){from, to, allocate(bytes)};
    return made;
}

/* The entries of all portions for a part, one behind the other. */
static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    owners *o = state;
    const int64_t from = bmf_partition_part_from(o->even, message->from),
                  to = bmf_partition_part_from(o->even, message->to), record = o->by->entry.record;
    bmf_portions p;
    portions_list(o->by, o->length, from, &p);
    char *next = add_room(&o->leaving, &o->leavings, &o->leaving_capacity, from, to, message->bytes)->data;
    segment[0] = (bmf_segment){next, message->bytes};
    for (int k = 0; k < p.count; k++) {
        int64_t begin;
        const int64_t bytes = keys_for(o, &p.of[k], to, &begin) * record;
        if (bytes > 0 && !o->by->ctx->sends_marks)
            memcpy(next, table_of(o, from, &p.of[k]) + (begin - p.of[k].begin) * record, (size_t)bytes);
        next += bytes;
    }
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    owners *o = state;
    const arrival *made =
        add_room(&o->arrival, &o->arrivals, &o->arrival_capacity, bmf_partition_part_from(o->even, message->from),
                 bmf_partition_part_from(o->even, message->to), message->bytes);
    segment[0] = (bmf_segment){made->data, message->bytes};
    return 1;
}

static int by_ends(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int exchange(owners *o)
{
    bmf_context *ctx = o->by->ctx;
    for (int64_t k = 0; k < o->even->parts; k++)
        list_messages_of(o, k);
    const bmf_round round = {o->message, o->messages, o->message_capacity};
    const bmf_transfer transfer = {outgoing, incoming, o};
    return ctx->backend->exchange(ctx, &round, 1, &transfer);
}

/* ---- joining ---- */

/* Portions of a part, whose entries for the piece's part follow each other from `data` on or, if it is the same part,
 * stand in its tables. *table: of the node that is being put together, or NULL. */
static int join_portions(const owners *o, int64_t from, int64_t to, const char *data, char **table)
{
    const int64_t local = to - o->even->local_first, record = o->by->entry.record;
    const bmf_by_key *range = &o->range[local];
    bmf_table_forest *forest = &o->forest[local];
    bmf_portions p;
    int code = 0;
    portions_list(o->by, o->length, from, &p);
    for (int k = 0; k < p.count && code == 0; k++) {
        const bmf_portion *one = &p.of[k];
        int64_t begin;
        const int64_t keys = keys_for(o, one, to, &begin);
        if (keys == 0)
            continue;
        const char *entries = from == to ? table_of(o, to, one) + (begin - one->begin) * record : data;
        *table = *table ? *table : table_forest_next(forest);
        memcpy(*table + (begin - o->even->start[to]) * record, entries, (size_t)(keys * record));
        if (begin + keys == o->even->start[to + 1]) {
            code = table_forest_push(range, forest, one->after, *table);
            *table = NULL;
        }
        data = from == to ? data : data + keys * record;
    }
    return code;
}

/* All that is for a part, in the order of the blocks, its own among it. */
static int join_part(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const owners *o = state;
    const int64_t to = piece->part, local = to - o->even->local_first;
    const int64_t last = o->first_arrival[local + 1];
    char *table = NULL;
    bool own = false;
    int code = 0;
    (void)index, (void)worker;
    for (int64_t k = o->first_arrival[local]; k <= last && code == 0; k++) {
        const bool ended = k == last;
        if (!own && (ended || o->arrival[k].from > to)) {
            code = join_portions(o, to, to, NULL, &table);
            own = true;
        }
        if (!ended && code == 0)
            code = join_portions(o, o->arrival[k].from, to, o->arrival[k].data, &table);
    }
    return code ? code : table_forest_total(&o->range[local], &o->forest[local], o->forest[local].node[0].table);
}

/* Forests of every part here, the first table of which is that of its results; returns the others' room. */
static bmf_buffer *open_ranges(owners *o, char *results)
{
    const bmf_partition *even = o->even;
    const bmf_by_key *by = o->by;
    const int64_t parts = even->local_parts, length = bmf_length(by->values);
    const int64_t end = by->table.exact ? length : (length + by->block - 1) / by->block;
    const int own = table_forest_most(by, 0, end) - 1;
    int64_t bytes = 0;
    o->range = allocate(parts * (int64_t)sizeof *o->range);
    o->forest = allocate(parts * (int64_t)sizeof *o->forest);
    for (int64_t k = 0; k < parts; k++) {
        const int64_t *start = even->start + even->local_first + k;
        o->range[k] = *by;
        o->range[k].count = start[1] - start[0];
        o->range[k].table.record = (o->range[k].count * by->entry.record + 63) / 64 * 64;
        bytes += own * o->range[k].table.record;
    }
    bmf_buffer *room = working_buffer(bytes + 1);
    char *next = room->data;
    for (int64_t k = 0; k < parts; k++) {
        const int64_t first = even->start[even->local_first + k] - even->start[even->local_first];
        table_forest_open(&o->forest[k], &o->range[k], 0, own, next, results + first * by->entry.record);
        next += own * o->range[k].table.record;
    }
    return room;
}

static void sort_arrivals(owners *o)
{
    const bmf_partition *even = o->even;
    if (o->arrivals > 0)
        qsort(o->arrival, (size_t)o->arrivals, sizeof *o->arrival, by_ends);
    o->first_arrival = allocate((even->local_parts + 1) * (int64_t)sizeof *o->first_arrival);
    for (int64_t k = 0, at = 0; k <= even->local_parts; k++) {
        while (at < o->arrivals && o->arrival[at].to < even->local_first + k)
            at++;
        o->first_arrival[k] = at;
    }
}

/* Entries that a part joins, of all nodes. */
static int64_t entries_of(const owners *o, int64_t part)
{
    const int64_t local = part - o->even->local_first;
    int64_t bytes = 0;
    bmf_portions p;
    portions_list(o->by, o->length, part, &p);
    for (int64_t k = o->first_arrival[local]; k < o->first_arrival[local + 1]; k++) {
        bmf_portions of;
        portions_list(o->by, o->length, o->arrival[k].from, &of);
        bytes += bytes_for(o, &of, part);
    }
    return (bytes + bytes_for(o, &p, part)) / o->by->entry.record;
}

static int join(owners *o, char *results)
{
    const bmf_partition *even = o->even;
    const bmf_by_key *by = o->by;
    int64_t pieces = 0;
    bmf_piece *piece = allocate(even->local_parts * (int64_t)sizeof *piece);
    sort_arrivals(o);
    bmf_buffer *room = open_ranges(o, results);
    for (int64_t k = even->local_first; k < even->local_first + even->local_parts; k++)
        if (even->start[k] < even->start[k + 1])
            piece[pieces++] = (bmf_piece){
                .part = k, .processor = bmf_partition_processor(even, k), .begin = 0, .end = entries_of(o, k)};
    const int status = backend_compute(by->ctx, &(bmf_work){.kernel = by->join_name,
                                                            .round = 4,
                                                            .piece = piece,
                                                            .pieces = pieces,
                                                            .dynamic = true,
                                                            .each = {.operations = 1, .read = by->entry.record},
                                                            .run = join_part,
                                                            .state = o});
    for (int64_t k = 0; k < even->local_parts; k++)
        table_forest_close(&o->forest[k]);
    free(o->first_arrival);
    free(o->forest);
    free(o->range);
    free(piece);
    buffer_release(room);
    return status;
}

/* ---- all of it ---- */

static void close(owners *o)
{
    if (o->folds)
        folded_close(&o->folded);
    if (o->has_shares)
        shares_close(&o->shares);
    for (int64_t k = 0; k < o->arrivals; k++)
        free(o->arrival[k].data);
    for (int64_t k = 0; k < o->leavings; k++)
        free(o->leaving[k].data);
    free(o->arrival);
    free(o->leaving);
    free(o->message);
}

/* Settles what went wrong, but for what only an operator can do. */
static int fold_all(owners *o)
{
    bmf_by_key *by = o->by;
    int status = o->folds ? by_key_fold(by, true, NULL, &o->folded) : BMF_OK;
    if (o->has_shares)
        return shares_fold(&o->shares, by, o->length, status);
    if (status == BMF_OK && by->bad >= 0)
        status = by_key_refuse_bad(by);
    return failure_defer(by->ctx, status);
}

int by_key_at_owners(bmf_by_key *by, const bmf_partition *even, char *results)
{
    bmf_context *ctx = by->ctx;
    const int64_t length = by_key_shared_length(by);
    owners o = {.by = by,
                .even = even,
                .length = length,
                .folds = portions_fold_whole(by, length),
                .has_shares = shares_any(by->values->partition, length)};
    int status = fold_all(&o);
    if (status == BMF_OK)
        status = exchange(&o);
    if (status == BMF_OK && !ctx->sends_marks)
        status = failure_defer(ctx, join(&o, results));
    if (status == BMF_OK)
        status = agree_if(ctx, !o.has_shares || by->op->may_fail, BMF_OK);
    close(&o);
    return status;
}
