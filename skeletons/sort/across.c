/* Sample sort of sorted parts: every record moves at most once.
 *
 * Method: see cuts.c. In a sorted part the records of a bucket are neighbours: they are sent from where they are, to
 * those only for whom there are some, keys alone in as many bytes as their elements have. What arrives is sorted runs,
 * see receive.c.
 * Cost: one sparse round. */
#include "skeletons/sort/across.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/sort/crossing.h"
#include "skeletons/sort/order.h"

typedef struct sending {
    bmf_crossing *crossing;
    bmf_message *message;
    int64_t messages, message_capacity;
    bmf_buffer *packed; /* those that leave, if they take fewer there, each where its record stands here; or NULL */
} sending;

/* The record of an element of a part that is here. */
static uint64_t *record_of(const bmf_crossing *c, int64_t part, int64_t element)
{
    return records_at(c->records, part - c->partition->local_first, element - bmf_partition_local_begin(c->partition));
}

static void sample(const void *state, int64_t part, int64_t rank, uint64_t record[2])
{
    const bmf_crossing *c = state;
    const int64_t all = part + c->partition->local_first, element = c->partition->start[all] + rank;
    record[0] = *record_of(c, all, element);
    record[1] = (uint64_t)element;
}

/* ---- buckets ---- */

/* The first element from `begin` on in the part that is not before the bucket. */
static int64_t bucket_begin(const bmf_crossing *c, int64_t part, int64_t begin, int64_t bucket)
{
    int64_t low = begin, high = c->partition->start[part + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(c, *record_of(c, part, middle), middle, bucket))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_run(sending *s, int64_t part, int64_t bucket, int64_t begin, int64_t end)
{
    bmf_crossing *c = s->crossing;
    if (bucket == part) {
        *(bucket_run *)ARRAY_APPEND(c->run, c->runs, c->run_capacity) =
            (bucket_run){.from = part, .to = part, .record = record_of(c, part, begin), .count = end - begin};
        return;
    }
    *(bmf_message *)ARRAY_APPEND(s->message, s->messages, s->message_capacity) =
        (bmf_message){.from = bmf_partition_processor(c->partition, part),
                      .to = bmf_partition_processor(c->partition, bucket),
                      .bytes = (end - begin) * c->bytes,
                      .first = begin,
                      .count = end - begin};
}

static void cut_part(sending *s, int64_t part)
{
    const bmf_crossing *c = s->crossing;
    const int64_t end = c->partition->start[part + 1], last = c->partition->parts - 1;
    for (int64_t begin = c->partition->start[part], next; begin < end; begin = next) {
        const int64_t bucket = crossing_bucket(c, *record_of(c, part, begin), begin);
        next = bucket == last ? end : bucket_begin(c, part, begin, bucket + 1);
        add_run(s, part, bucket, begin, next);
    }
}

/* ---- on their way ---- */

static char *packed_at(const sending *s, int64_t element)
{
    const bmf_crossing *c = s->crossing;
    return (char *)s->packed->data + (element - bmf_partition_local_begin(c->partition)) * c->bytes;
}

static int pack_message(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const sending *s = state;
    const bmf_crossing *c = s->crossing;
    (void)index, (void)worker;
    order_pack(record_of(c, piece->part, piece->begin), piece->end - piece->begin, c->bytes,
               packed_at(s, piece->begin));
    return 0;
}

/* Keys that leave, in as many bytes as their elements have. */
static int pack(sending *s)
{
    const bmf_crossing *c = s->crossing;
    bmf_piece *piece = allocate(s->messages * (int64_t)sizeof *piece);
    const int64_t first = bmf_partition_local_begin(c->partition), end = bmf_partition_local_end(c->partition);
    s->packed = working_buffer((end - first) * c->bytes);
    for (int64_t k = 0; k < s->messages; k++)
        piece[k] = (bmf_piece){.part = bmf_partition_part_of(c->partition, s->message[k].first),
                               .processor = s->message[k].from,
                               .begin = s->message[k].first,
                               .end = s->message[k].first + s->message[k].count};
    const bmf_records_kernel packing = {
        "sort pack", {.operations = 1, .read = 8, .written = c->bytes}, pack_message, true};
    const int status = records_compute(c->records, &packing, piece, s->messages, s);
    free(piece);
    return status;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const sending *s = state;
    const int64_t part = bmf_partition_part_of(s->crossing->partition, message->first);
    void *from =
        s->packed ? (void *)packed_at(s, message->first) : (void *)record_of(s->crossing, part, message->first);
    segment[0] = (bmf_segment){from, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const sending *s = state;
    segment[0] = (bmf_segment){crossing_arrival(s->crossing, message), message->bytes};
    return 1;
}

static int exchange(sending *s)
{
    bmf_context *ctx = s->crossing->records->ctx;
    const bmf_round round = {s->message, s->messages, s->message_capacity};
    if (crossing_is_narrow(s->crossing))
        BMF_TRY(pack(s));
    /* Round 0 is that of the move to even parts. */
    return ctx->backend->exchange_sparse(ctx, &round, 1, &(bmf_transfer){outgoing, incoming, s});
}

void records_on(bmf_records *records, const bmf_partition *partition)
{
    records->segments = partition->local_parts;
    for (int64_t k = 0; k <= partition->local_parts; k++)
        records->start[k] = partition->start[partition->local_first + k] - bmf_partition_local_begin(partition);
    for (int64_t k = 0; k < partition->local_parts; k++)
        records->processor[k] = bmf_partition_processor(partition, partition->local_first + k);
}

int records_across(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bool together,
                   bmf_buffer *room[2], bmf_partition **target)
{
    bmf_crossing c = {.records = records, .partition = partition, .type = type, .together = together};
    sending s = {.crossing = &c};
    c.bytes = records->words == 1 ? (int64_t)type->size : 8 * records->words;
    crossing_release_idle(records->where, records->segments, room);
    int status = crossing_cut(&c, &(bmf_sampling){sample, &c, true});
    for (int64_t k = 0; k < partition->local_parts && status == BMF_OK; k++)
        cut_part(&s, partition->local_first + k);
    if (status == BMF_OK)
        status = exchange(&s);
    if (status == BMF_OK)
        status = crossing_receive(&c, room, target);
    crossing_close(&c);
    buffer_release(s.packed);
    free(s.message);
    return status;
}
