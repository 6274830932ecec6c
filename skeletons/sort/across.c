/* Sample sort: every record moves at most once.
 *
 * Method: every part gives its records at regular distances as samples; the samples of all, sorted, say where to cut
 * the records into one bucket for each processor. Equal keys are told apart by their places, so that a value that
 * occurs often is cut, too, unless it is to stay together. In a sorted part the records of a bucket are neighbours:
 * they are sent from where they are, to those only for whom there are some, keys alone in as many bytes as their
 * elements have. What arrives is sorted runs, which are merged in the order of their senders (merge.c): that keeps the
 * sort stable. Very many runs are sorted by radix again.
 * Cost: with S samples a part a bucket is off its share by P / S of it at most; P S keys are gathered; log2 P passes
 * over the records. Source: H. Shi, J. Schaeffer, "Parallel sorting by regular sampling", JPDC 14, 1992. */
#include "skeletons/sort/across.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/copy_nontemporal.h"
#include "runtime/base/memory.h"
#include "skeletons/sort/merge.h"
#include "skeletons/sort/order.h"

enum {
    SAMPLES_OF_PART = 256,
    FEWEST_SAMPLES_OF_PART = 16,
    MOST_SAMPLES = 1 << 22,
    MOST_PASSES = 6 /* of merging: more take longer than sorting by radix */
};

/* A stretch of one bucket in a part, here or on its way. */
typedef struct bucket_run {
    int64_t from, to; /* parts */
    const uint64_t *record;
    int64_t count;
    bmf_buffer *buffer; /* what arrived; NULL: what stays on its processor */
} bucket_run;

typedef struct crossing {
    bmf_records *records;
    const bmf_partition *partition;
    const bmf_type *type;      /* of the elements */
    bool together;             /* equal ones come to one part */
    int64_t distance, samples; /* of neighbouring samples in a part; how many there are */
    uint64_t *cut;             /* of bucket b > 0: the least record, {key, element number} at 2 b */
    bmf_message *message;
    int64_t messages, message_capacity;
    bucket_run *run;
    int64_t runs, run_capacity;
    int64_t bytes;      /* of a record on its way */
    bmf_buffer *packed; /* those that leave, if they take fewer there, each where its record stands here; or NULL */
    uint64_t *to;       /* where runs are laid out */
    const bmf_partition *target;
} crossing;

/* The record of an element of a part that is here. */
static uint64_t *record_of(const crossing *c, int64_t part, int64_t element)
{
    return records_at(c->records, part - c->partition->local_first, element - bmf_partition_local_begin(c->partition));
}

/* ---- samples ---- */

static int64_t part_length(const bmf_partition *partition, int64_t part)
{
    return partition->start[part + 1] - partition->start[part];
}

/* Sample i of a part is its element distance / 2 + i distance. */
static int64_t samples_of(const crossing *c, int64_t part)
{
    const int64_t length = part_length(c->partition, part), first = c->distance / 2;
    return length > first ? (length - first - 1) / c->distance + 1 : 0;
}

static void choose_distance(crossing *c)
{
    const int64_t parts = c->partition->parts, length = c->partition->start[parts];
    int64_t samples = MOST_SAMPLES / parts;
    samples = samples < SAMPLES_OF_PART ? samples : SAMPLES_OF_PART;
    samples = samples > FEWEST_SAMPLES_OF_PART ? samples : FEWEST_SAMPLES_OF_PART;
    c->distance = length / (parts * samples);
    c->distance = c->distance > 0 ? c->distance : 1;
    for (int64_t k = 0; k < parts; k++)
        c->samples += samples_of(c, k);
}

/* Keys of all parts' samples on every rank. */
static int gather_samples(const crossing *c, int64_t *all)
{
    bmf_context *ctx = c->records->ctx;
    const bmf_partition *partition = c->partition;
    const int64_t first = partition->local_first;
    int64_t *counts = allocate_clear(ctx->ranks, (int64_t)sizeof *counts), mine = 0;
    for (int rank = 0; rank < ctx->ranks; rank++) {
        const int64_t end = bmf_partition_part_from(partition, bmf_first_processor(ctx, rank + 1));
        for (int64_t k = bmf_partition_part_from(partition, bmf_first_processor(ctx, rank)); k < end; k++)
            counts[rank] += samples_of(c, k);
    }
    int64_t *key = allocate(counts[ctx->rank] * (int64_t)sizeof *key);
    for (int64_t k = first; k < first + partition->local_parts; k++)
        for (int64_t i = 0; i < samples_of(c, k); i++)
            key[mine++] = (int64_t)*record_of(c, k, partition->start[k] + c->distance / 2 + i * c->distance);
    const int status = ctx->backend->allgather(ctx, key, mine, counts, all);
    free(counts);
    free(key);
    return status;
}

/* The buckets' first records: those of about the ranks at which an even split cuts. */
static int choose_cuts(crossing *c)
{
    const int64_t parts = c->partition->parts, length = c->partition->start[parts];
    int64_t *key = allocate(c->samples * (int64_t)sizeof *key), n = 0;
    uint64_t *room[2] = {allocate(c->samples * 16), allocate(c->samples * 16)};
    const int status = gather_samples(c, key);
    for (int64_t k = 0; k < parts && status == BMF_OK; k++)
        for (int64_t i = 0; i < samples_of(c, k); i++, n++) {
            room[0][2 * n] = (uint64_t)key[n];
            room[0][2 * n + 1] = (uint64_t)(c->partition->start[k] + c->distance / 2 + i * c->distance);
        }
    const uint64_t *sorted = room[status == BMF_OK ? records_merge_sort(room[0], room[1], c->samples) : 0];
    for (int64_t b = 1; b < parts && c->samples > 0 && status == BMF_OK; b++) { /* no samples: no elements */
        const int64_t rank = length / parts * b + (b < length % parts ? b : length % parts);
        const int64_t sample = rank / c->distance < c->samples ? rank / c->distance : c->samples - 1;
        memcpy(c->cut + 2 * b, sorted + 2 * sample, 16);
        if (c->together) {
            c->cut[2 * b] = order_floor(c->type, sorted[2 * sample]);
            c->cut[2 * b + 1] = 0;
        }
    }
    free(key);
    free(room[0]);
    free(room[1]);
    return status;
}

/* ---- buckets ---- */

/* Whether the record of a key and an element number comes before the bucket. */
static bool is_before(const crossing *c, uint64_t key, int64_t element, int64_t bucket)
{
    const uint64_t *cut = c->cut + 2 * bucket;
    return key < cut[0] || (key == cut[0] && (uint64_t)element < cut[1]);
}

static int64_t bucket_of(const crossing *c, uint64_t key, int64_t element)
{
    int64_t low = 0, high = c->partition->parts;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(c, key, element, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The first element from `begin` on in the part that is not before the bucket. */
static int64_t bucket_begin(const crossing *c, int64_t part, int64_t begin, int64_t bucket)
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

static void add_run(crossing *c, int64_t part, int64_t bucket, int64_t begin, int64_t end)
{
    if (bucket == part) {
        *(bucket_run *)ARRAY_APPEND(c->run, c->runs, c->run_capacity) =
            (bucket_run){.from = part, .to = part, .record = record_of(c, part, begin), .count = end - begin};
        return;
    }
    *(bmf_message *)ARRAY_APPEND(c->message, c->messages, c->message_capacity) =
        (bmf_message){.from = bmf_partition_processor(c->partition, part),
                      .to = bmf_partition_processor(c->partition, bucket),
                      .bytes = (end - begin) * c->bytes,
                      .first = begin,
                      .count = end - begin};
}

static void cut_part(crossing *c, int64_t part)
{
    const int64_t end = c->partition->start[part + 1], last = c->partition->parts - 1;
    for (int64_t begin = c->partition->start[part], next; begin < end; begin = next) {
        const int64_t bucket = bucket_of(c, *record_of(c, part, begin), begin);
        next = bucket == last ? end : bucket_begin(c, part, begin, bucket + 1);
        add_run(c, part, bucket, begin, next);
    }
}

/* ---- on their way ---- */

static bool is_narrow(const crossing *c)
{
    return c->bytes < 8 * c->records->words;
}

static char *packed_at(const crossing *c, int64_t element)
{
    return (char *)c->packed->data + (element - bmf_partition_local_begin(c->partition)) * c->bytes;
}

static int pack_message(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const crossing *c = state;
    (void)index, (void)worker;
    order_pack(record_of(c, piece->part, piece->begin), piece->end - piece->begin, c->bytes,
               packed_at(c, piece->begin));
    return 0;
}

/* Keys that leave, in as many bytes as their elements have. */
static int pack(crossing *c)
{
    bmf_piece *piece = allocate(c->messages * (int64_t)sizeof *piece);
    const int64_t first = bmf_partition_local_begin(c->partition), end = bmf_partition_local_end(c->partition);
    c->packed = working_buffer((end - first) * c->bytes);
    for (int64_t k = 0; k < c->messages; k++)
        piece[k] = (bmf_piece){.part = bmf_partition_part_of(c->partition, c->message[k].first),
                               .processor = c->message[k].from,
                               .begin = c->message[k].first,
                               .end = c->message[k].first + c->message[k].count};
    const int status =
        backend_compute(c->records->ctx, &(bmf_work){.kernel = "sort pack",
                                                     .round = c->records->round++,
                                                     .piece = piece,
                                                     .pieces = c->messages,
                                                     .dynamic = true,
                                                     .each = {.operations = 1, .read = 8, .written = c->bytes},
                                                     .run = pack_message,
                                                     .state = c});
    free(piece);
    return status;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const crossing *c = state;
    const int64_t part = bmf_partition_part_of(c->partition, message->first);
    void *from = c->packed ? (void *)packed_at(c, message->first) : (void *)record_of(c, part, message->first);
    segment[0] = (bmf_segment){from, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    crossing *c = state;
    bmf_buffer *buffer = working_buffer(message->bytes);
    *(bucket_run *)ARRAY_APPEND(c->run, c->runs, c->run_capacity) =
        (bucket_run){.from = bmf_partition_part_from(c->partition, message->from),
                     .to = bmf_partition_part_from(c->partition, message->to),
                     .record = buffer->data,
                     .count = message->bytes / c->bytes,
                     .buffer = buffer};
    segment[0] = (bmf_segment){buffer->data, message->bytes};
    return 1;
}

static int by_ends(const void *a, const void *b)
{
    const bucket_run *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int exchange(crossing *c)
{
    bmf_context *ctx = c->records->ctx;
    const bmf_round round = {c->message, c->messages, c->message_capacity};
    const bmf_transfer transfer = {outgoing, incoming, c};
    if (is_narrow(c))
        BMF_TRY(pack(c));
    /* Round 0 is that of the move to even parts. */
    const int status = ctx->backend->exchange_sparse(ctx, &round, 1, &transfer);
    if (c->runs > 0)
        qsort(c->run, (size_t)c->runs, sizeof *c->run, by_ends);
    return status;
}

/* ---- what has arrived ---- */

static int make_target(const crossing *c, bmf_partition **target)
{
    bmf_context *ctx = c->records->ctx;
    const bmf_partition *partition = c->partition;
    int64_t *count = allocate_clear(partition->local_parts, (int64_t)sizeof *count);
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k < c->runs; k++)
        count[c->run[k].to - partition->local_first] += c->run[k].count;
    int status = partition_allgather(ctx, partition, count, start + 1);
    start[0] = 0;
    for (int64_t k = 0; k < partition->parts && status == BMF_OK; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(ctx, partition, start, target);
    free(count);
    free(start);
    return status;
}

/* ---- what has arrived, side by side ---- */

static int lay_out(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const crossing *c = state;
    const int words = c->records->words;
    const int64_t offset = piece->begin - bmf_partition_local_begin(c->target);
    const bucket_run *run = &c->run[index];
    (void)worker;
    if (run->buffer && is_narrow(c))
        order_unpack(run->record, run->count, c->bytes, c->to + offset * words);
    else
        copy_nontemporal(c->to + offset * words, run->record, run->count * 8 * words);
    return 0;
}

/* The runs as records side by side. */
static int lay_out_runs(crossing *c)
{
    bmf_piece *piece = allocate(c->runs * (int64_t)sizeof *piece);
    int64_t at = bmf_partition_local_begin(c->target);
    for (int64_t k = 0; k < c->runs; k++) {
        piece[k] = (bmf_piece){.part = c->run[k].to,
                               .processor = bmf_partition_processor(c->target, c->run[k].to),
                               .begin = at,
                               .end = at + c->run[k].count};
        at += c->run[k].count;
    }
    const int64_t bytes = 8 * c->records->words;
    const int status =
        backend_compute(c->records->ctx, &(bmf_work){.kernel = "sort collect",
                                                     .round = c->records->round++,
                                                     .piece = piece,
                                                     .pieces = c->runs,
                                                     .dynamic = true,
                                                     .each = {.operations = 1, .read = bytes, .written = bytes},
                                                     .run = lay_out,
                                                     .state = c});
    free(piece);
    return status;
}

void records_on(bmf_records *records, const bmf_partition *partition)
{
    records->segments = partition->local_parts;
    for (int64_t k = 0; k <= partition->local_parts; k++)
        records->start[k] = partition->start[partition->local_first + k] - bmf_partition_local_begin(partition);
    for (int64_t k = 0; k < partition->local_parts; k++)
        records->processor[k] = bmf_partition_processor(partition, partition->local_first + k);
}

static bmf_sorted_run *list_runs(const crossing *c, bool laid_out)
{
    bmf_sorted_run *run = allocate(c->runs * (int64_t)sizeof *run);
    for (int64_t k = 0, at = 0; k < c->runs; at += c->run[k++].count)
        run[k] = (bmf_sorted_run){.segment = c->run[k].to - c->partition->local_first,
                                  .from = laid_out ? c->to + at * c->records->words : c->run[k].record,
                                  .count = c->run[k].count};
    return run;
}

/* The runs become sorted records on the target. The rooms of before are released after that: some runs lie there. */
static int receive(crossing *c, bmf_buffer *room[2], const bmf_partition *target)
{
    bmf_records *records = c->records;
    const int64_t bytes = (bmf_partition_local_end(target) - bmf_partition_local_begin(target)) * 8 * records->words;
    bmf_sorted_run *run = list_runs(c, false);
    const int passes = merge_passes(c->runs, run);
    const bool sorted_again = passes > MOST_PASSES, laid_out = sorted_again || is_narrow(c);
    bmf_buffer *fresh[2] = {working_buffer(bytes), working_buffer(passes > 1 || laid_out ? bytes : 0)};
    int status = BMF_OK;
    c->to = fresh[0]->data;
    c->target = target;
    if (laid_out) {
        free(run);
        run = list_runs(c, true);
        status = lay_out_runs(c);
    }
    for (int k = 0; k < 2; k++)
        records->room[k] = fresh[k]->data;
    memset(records->where, 0, (size_t)target->local_parts);
    records_on(records, target);
    if (status == BMF_OK)
        status = sorted_again ? records_sort(records) : records_merge(records, laid_out ? 1 : 0, c->runs, run);
    for (int k = 0; k < 2; k++) {
        buffer_release(room[k]);
        room[k] = fresh[k];
    }
    free(run);
    return status;
}

/* A room where no part's records are makes place for what arrives. */
static void release_idle(const bmf_records *records, bmf_buffer *room[2])
{
    bool used[2] = {false, false};
    for (int64_t k = 0; k < records->segments; k++)
        used[records->where[k]] = true;
    for (int k = 0; k < 2; k++)
        if (!used[k]) {
            buffer_release(room[k]);
            room[k] = NULL;
        }
}

int records_across(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bool together,
                   bmf_buffer *room[2], bmf_partition **target)
{
    crossing c = {.records = records, .partition = partition, .type = type, .together = together};
    bmf_partition *made = NULL;
    c.bytes = records->words == 1 ? (int64_t)type->size : 8 * records->words;
    release_idle(records, room);
    choose_distance(&c);
    c.cut = allocate_clear(c.partition->parts, 16);
    int status = choose_cuts(&c);
    for (int64_t k = 0; k < c.partition->local_parts && status == BMF_OK; k++)
        cut_part(&c, c.partition->local_first + k);
    if (status == BMF_OK)
        status = exchange(&c);
    if (status == BMF_OK)
        status = make_target(&c, &made);
    if (status == BMF_OK)
        status = receive(&c, room, made);
    for (int64_t k = 0; k < c.runs; k++)
        buffer_release(c.run[k].buffer);
    buffer_release(c.packed);
    free(c.cut);
    free(c.message);
    free(c.run);
    if (status == BMF_OK)
        *target = made;
    else
        bmf_partition_release(made);
    return status;
}
