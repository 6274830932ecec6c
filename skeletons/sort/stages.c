/* Sample sort in stages: records are on their way while others are sorted.
 *
 * Method: some records of every part, at random places, are sorted; their samples say where to cut (cuts.c). Every
 * record is put into its bucket, and bucket after bucket is sorted and sent: in stage k that of part p to part p + k,
 * so that no processor has two messages to send or to receive in a stage. What stays is sorted last. What arrives is
 * sorted runs, see receive.c.
 * Cost: a pass over the records more than sorting parts whole; at most P - 1 messages a part. A bucket is off its share
 * by about 0.5 / sqrt (DRAWN P) of all records, and by what cuts.c says. No kernel here fails: a rank that returned
 * before a stage would let others wait.
 * Source: G. E. Blelloch et al., "A comparison of sorting algorithms for the Connection Machine CM-2", SPAA 1991, for
 * samples of unsorted lists. */
#include "skeletons/sort/stages.h"

#include <stdlib.h>
#include <string.h>

#include "bmf/kernel.h"
#include "bmf/random.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/sort/crossing.h"
#include "skeletons/sort/order.h"

enum {
    DRAWN = 1 << 14,     /* records of a part that samples are taken of, at most */
    FEWEST_SENT = 2048,  /* records of a message, on average */
    FEW_CUTS = 16,       /* with all of which a key is compared */
    BLOCK = 256,         /* records whose buckets are looked for at once */
    ALIGNED_RECORDS = 8, /* so many begin at a multiple of 64 bytes */
};

typedef struct stages stages;

/* Stage s: every part p sends bucket p + shift. */
typedef struct one_stage {
    stages *all;
    int64_t number, shift;
    bmf_message *message;
    int64_t messages, message_capacity;
    bmf_round round;
    bmf_transfer transfer;
    bmf_exchange *under_way;
    bool begun;
} one_stage;

struct stages {
    bmf_crossing crossing;
    int64_t parts, local; /* parts of all, and of this rank */
    uint64_t *drawn;      /* by local part: room for DRAWN records of two words, and as many to sort them */
    uint64_t **sorted;    /* by local part: those drawn, in their order */
    int64_t *count_drawn; /* by local part */
    int64_t cut_key[STAGES_MOST_PARTS]; /* `ordered`; behind the last one the largest */
    bmf_piece *piece;                   /* of the unsorted parts */
    int64_t pieces;
    uint8_t *bucket;    /* by record */
    int64_t *place;     /* by piece and bucket: how many there are, then where the next one goes */
    int64_t *count;     /* by part and bucket, of all parts */
    int64_t *start;     /* by stage and local part: where the bucket begins; and the end */
    uint8_t *where;     /* the same: in which room it is */
    bmf_buffer *packed; /* narrow keys, by record; or NULL */
    one_stage *stage;
};

bool stages_can(const bmf_partition *partition)
{
    return partition->parts > 1 && partition->parts <= STAGES_MOST_PARTS;
}

bool stages_suit(const bmf_partition *partition)
{
    const int64_t parts = partition->parts;
    return stages_can(partition) && partition->start[parts] >= parts * parts * FEWEST_SENT;
}

/* ---- samples of unsorted parts ---- */

/* Where the i-th of `shares` even shares of a length begins. */
static int64_t share_begin(int64_t length, int64_t shares, int64_t i)
{
    return length / shares * i + length % shares * i / shares;
}

/* Draws a record from each of equal shares of the part. */
static int draw(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    stages *s = state;
    const bmf_records *records = s->crossing.records;
    const int64_t part = piece->part, first = records->start[part], length = records->start[part + 1] - first;
    const int64_t count = s->count_drawn[part], before = bmf_partition_local_begin(s->crossing.partition);
    uint64_t *room[2] = {s->drawn + part * 4 * DRAWN, s->drawn + part * 4 * DRAWN + 2 * DRAWN};
    (void)index, (void)worker;
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = share_begin(length, count, i), width = share_begin(length, count, i + 1) - begin;
        const uint64_t bits = bmf_random_bits(before + first, i);
        const int64_t drawn = first + begin + (int64_t)(bits % (uint64_t)width);
        room[0][2 * i] = *records_at(records, part, drawn);
        room[0][2 * i + 1] = (uint64_t)(before + drawn);
    }
    s->sorted[part] = room[records_merge_sort(room[0], room[1], count)];
    return 0;
}

static int draw_samples(stages *s)
{
    bmf_records *records = s->crossing.records;
    bmf_piece *piece = allocate(s->local * (int64_t)sizeof *piece);
    for (int64_t k = 0; k < s->local; k++) {
        const int64_t length = records->start[k + 1] - records->start[k];
        s->count_drawn[k] = length < DRAWN ? length : DRAWN;
        piece[k] = (bmf_piece){.part = k,
                               .processor = records->processor[k],
                               .begin = records->start[k],
                               .end = records->start[k] + s->count_drawn[k]};
    }
    const int status = backend_compute(records->ctx, &(bmf_work){.kernel = "sort draw",
                                                                 .round = records->round++,
                                                                 .piece = piece,
                                                                 .pieces = s->local,
                                                                 .dynamic = true,
                                                                 .each = {.operations = 60, .read = 8, .written = 16},
                                                                 .run = draw,
                                                                 .state = s});
    free(piece);
    return status;
}

/* About the record of that rank. */
static void sample(const void *state, int64_t part, int64_t rank, uint64_t record[2])
{
    const stages *s = state;
    const bmf_records *records = s->crossing.records;
    const int64_t length = records->start[part + 1] - records->start[part];
    memcpy(record, s->sorted[part] + 2 * (rank * s->count_drawn[part] / length), 16);
}

/* ---- buckets ---- */

/* As an int that has the order of the key among those of all keys: vectors compare ints. */
static inline int64_t ordered(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

/* at[i] = how many of the cuts, from cut[1] on, are not behind key i: by comparing with all of a few, otherwise by
 * bisection; `cuts` is a power of two. */
BMF_VECTORISE static void find_cuts(const int64_t *cut, int64_t cuts, const int64_t *key, int64_t count, int64_t *at)
{
    for (int64_t i = 0; i < count; i++)
        at[i] = 0;
    if (cuts <= FEW_CUTS)
        for (int64_t k = 1; k < cuts; k++)
            for (int64_t i = 0; i < count; i++)
                at[i] += cut[k] <= key[i];
    else
        for (int64_t half = cuts / 2; half > 0; half /= 2)
            for (int64_t i = 0; i < count; i++)
                at[i] += cut[at[i] + half] <= key[i] ? half : 0;
}

static int find_buckets(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const stages *s = state;
    const bmf_crossing *c = &s->crossing;
    const int64_t words = c->records->words, before = bmf_partition_local_begin(c->partition);
    int64_t *place = s->place + index * s->parts, key[BLOCK], at[BLOCK], cuts = 2;
    (void)worker;
    while (cuts < s->parts)
        cuts *= 2;
    memset(place, 0, (size_t)s->parts * sizeof *place);
    for (int64_t begin = piece->begin; begin < piece->end; begin += BLOCK) {
        const int64_t count = piece->end - begin < BLOCK ? piece->end - begin : BLOCK;
        const uint64_t *record = records_at(c->records, piece->part, begin);
        for (int64_t i = 0; i < count; i++)
            key[i] = ordered(record[i * words]);
        find_cuts(s->cut_key, cuts, key, count, at);
        for (int64_t i = 0; i < count; i++) {
            /* what is equal to a cut is before or behind it by its number */
            if (s->cut_key[at[i]] == key[i])
                at[i] = crossing_bucket(c, record[i * words], before + begin + i);
            s->bucket[begin + i] = (uint8_t)at[i];
            place[at[i]]++;
        }
    }
    return 0;
}

/* Counts become places: stage by stage, in a stage part by part. */
static void place_buckets(stages *s)
{
    const int64_t first = s->crossing.partition->local_first;
    int64_t at = 0, segment = 0;
    for (int64_t number = 0; number < s->parts; number++)
        for (int64_t part = 0, k = 0; part < s->local; part++) {
            const int64_t bucket = (first + part + s->stage[number].shift) % s->parts;
            s->start[segment++] = at;
            for (; k < s->pieces && s->piece[k].part == part; k++) {
                int64_t *place = &s->place[k * s->parts + bucket];
                const int64_t count = *place;
                *place = at;
                at += count;
            }
        }
    s->start[segment] = at;
}

static int distribute(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const stages *s = state;
    const bmf_records *records = s->crossing.records;
    const uint64_t *from = records_at(records, piece->part, piece->begin);
    const uint8_t *bucket = s->bucket + piece->begin;
    const int64_t count = piece->end - piece->begin;
    int64_t place[STAGES_MOST_PARTS];
    uint64_t *to = records->room[1];
    (void)worker;
    memcpy(place, s->place + index * s->parts, (size_t)s->parts * sizeof *place);
    if (records->words == 1)
        for (int64_t i = 0; i < count; i++)
            to[place[bucket[i]]++] = from[i];
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + 2 * place[bucket[i]]++, from + 2 * i, 16);
    return 0;
}

/* How many records every part has of every bucket. */
static int gather_counts(stages *s)
{
    bmf_context *ctx = s->crossing.records->ctx;
    const bmf_partition *partition = s->crossing.partition;
    int64_t *counts = allocate(ctx->ranks * (int64_t)sizeof *counts);
    int64_t *mine = allocate_clear(s->local * s->parts, (int64_t)sizeof *mine);
    for (int rank = 0; rank < ctx->ranks; rank++)
        counts[rank] = s->parts * (bmf_partition_part_from(partition, bmf_first_processor(ctx, rank + 1)) -
                                   bmf_partition_part_from(partition, bmf_first_processor(ctx, rank)));
    for (int64_t k = 0; k < s->pieces; k++)
        for (int64_t b = 0; b < s->parts; b++)
            mine[s->piece[k].part * s->parts + b] += s->place[k * s->parts + b];
    const int status = ctx->backend->allgather(ctx, mine, s->local * s->parts, counts, s->count);
    free(counts);
    free(mine);
    return status;
}

static int run_pieces(stages *s, const char *kernel, const bmf_kernel_work *each,
                      int (*run)(void *, int64_t, const bmf_piece *, int))
{
    bmf_records *records = s->crossing.records;
    return backend_compute(records->ctx, &(bmf_work){.kernel = kernel,
                                                     .round = records->round++,
                                                     .piece = s->piece,
                                                     .pieces = s->pieces,
                                                     .each = *each,
                                                     .run = run,
                                                     .state = s});
}

/* The records into their buckets, in room 1. */
static int fill_buckets(stages *s)
{
    bmf_records *records = s->crossing.records;
    const int64_t bytes = 8 * records->words;
    records_cut(records, &s->piece, &s->pieces);
    s->place = allocate(s->pieces * s->parts * (int64_t)sizeof *s->place);
    for (int64_t b = 0; b < STAGES_MOST_PARTS; b++)
        s->cut_key[b] = b < s->parts ? ordered(s->crossing.cut[2 * b]) : INT64_MAX;
    BMF_TRY(run_pieces(s, "sort bucket", &(bmf_kernel_work){.operations = 8, .read = 8, .written = 1}, find_buckets));
    BMF_TRY(gather_counts(s));
    place_buckets(s);
    memset(s->where, 1, (size_t)(s->parts * s->local));
    return run_pieces(s, "sort distribute", &(bmf_kernel_work){.operations = 2, .read = bytes + 1, .written = bytes},
                      distribute);
}

/* ---- a stage ---- */

static uint64_t *bucket_at(const stages *s, int64_t segment)
{
    const bmf_records *records = s->crossing.records;
    return records->room[s->where[segment]] + s->start[segment] * records->words;
}

static void let_proceed(void *state)
{
    const stages *s = state;
    for (int64_t k = 0; k < s->parts; k++)
        if (s->stage[k].begun)
            backend_exchange_progress(s->crossing.records->ctx, s->stage[k].under_way);
}

/* The stage's buckets, as records of their own. */
static int sort_stage(stages *s, int64_t number)
{
    bmf_records *records = s->crossing.records, view = *records;
    const int64_t segment = number * s->local, shift = s->start[segment] / ALIGNED_RECORDS * ALIGNED_RECORDS;
    view.start = allocate((s->local + 1) * (int64_t)sizeof *view.start);
    for (int64_t k = 0; k <= s->local; k++)
        view.start[k] = s->start[segment + k] - shift;
    for (int k = 0; k < 2; k++)
        view.room[k] = records->room[k] + shift * records->words;
    view.where = s->where + segment;
    view.between = let_proceed;
    view.between_state = s;
    const int status = records_sort(&view);
    records->round = view.round;
    free(view.start);
    return status;
}

static void list_messages(one_stage *stage)
{
    const stages *s = stage->all;
    const bmf_partition *partition = s->crossing.partition;
    const int64_t first = partition->local_first;
    for (int64_t from = 0; from < s->parts; from++) {
        const int64_t to = (from + stage->shift) % s->parts, count = s->count[from * s->parts + to];
        const bool sends = from >= first && from < first + s->local, receives = to >= first && to < first + s->local;
        if (count == 0 || (!sends && !receives))
            continue;
        *(bmf_message *)ARRAY_APPEND(stage->message, stage->messages, stage->message_capacity) =
            (bmf_message){.from = bmf_partition_processor(partition, from),
                          .to = bmf_partition_processor(partition, to),
                          .bytes = count * s->crossing.bytes,
                          .first = sends ? stage->number * s->local + from - first : 0, /* its segment */
                          .count = count};
    }
    stage->round = (bmf_round){stage->message, stage->messages, stage->message_capacity};
}

static int pack_segment(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const stages *s = state;
    (void)index, (void)worker;
    order_pack(bucket_at(s, piece->part), piece->end - piece->begin, s->crossing.bytes,
               (char *)s->packed->data + piece->begin * s->crossing.bytes);
    return 0;
}

/* Keys that leave, in as many bytes as their elements have. */
static int pack(stages *s, const one_stage *stage)
{
    bmf_records *records = s->crossing.records;
    bmf_piece *piece = allocate(s->local * (int64_t)sizeof *piece);
    for (int64_t k = 0, segment = stage->number * s->local; k < s->local; k++, segment++)
        piece[k] = (bmf_piece){.part = segment,
                               .processor = records->processor[k],
                               .begin = s->start[segment],
                               .end = s->start[segment + 1]};
    const int status =
        backend_compute(records->ctx, &(bmf_work){.kernel = "sort pack",
                                                  .round = records->round++,
                                                  .piece = piece,
                                                  .pieces = s->local,
                                                  .dynamic = true,
                                                  .each = {.operations = 1, .read = 8, .written = s->crossing.bytes},
                                                  .run = pack_segment,
                                                  .state = s});
    free(piece);
    return status;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const stages *s = ((const one_stage *)state)->all;
    void *from = s->packed ? (char *)s->packed->data + s->start[message->first] * s->crossing.bytes
                           : (char *)bucket_at(s, message->first);
    segment[0] = (bmf_segment){from, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    stages *s = ((const one_stage *)state)->all;
    segment[0] = (bmf_segment){crossing_arrival(&s->crossing, message), message->bytes};
    return 1;
}

static int send_stage(stages *s, one_stage *stage)
{
    list_messages(stage);
    if (s->packed)
        BMF_TRY(pack(s, stage));
    stage->transfer = (bmf_transfer){outgoing, incoming, stage};
    /* Round 0 is that of the move to even parts. */
    BMF_TRY(backend_exchange_begin(s->crossing.records->ctx, &stage->round, (uint32_t)stage->shift, &stage->transfer,
                                   &stage->under_way));
    stage->begun = true;
    return BMF_OK;
}

/* What stays on its processor, from the last stage. */
static void keep_own(stages *s)
{
    const int64_t first = s->crossing.partition->local_first;
    for (int64_t k = 0, segment = (s->parts - 1) * s->local; k < s->local; k++, segment++)
        if (s->start[segment + 1] > s->start[segment])
            *(bucket_run *)ARRAY_APPEND(s->crossing.run, s->crossing.runs, s->crossing.run_capacity) =
                (bucket_run){.from = first + k,
                             .to = first + k,
                             .record = bucket_at(s, segment),
                             .count = s->start[segment + 1] - s->start[segment]};
}

static int run_stages(stages *s)
{
    int status = BMF_OK;
    for (int64_t k = 0; k < s->parts && status == BMF_OK; k++) {
        status = sort_stage(s, k);
        if (status == BMF_OK && s->stage[k].shift > 0)
            status = send_stage(s, &s->stage[k]);
    }
    for (int64_t k = 0; k < s->parts; k++)
        if (s->stage[k].begun) {
            const int ended = backend_exchange_end(s->crossing.records->ctx, s->stage[k].under_way);
            s->stage[k].begun = false;
            status = status == BMF_OK ? ended : status;
        }
    if (status == BMF_OK)
        keep_own(s);
    return status;
}

/* ---- all together ---- */

static void open_stages(stages *s)
{
    const int64_t records = s->crossing.records->start[s->local];
    s->count_drawn = allocate(s->local * (int64_t)sizeof *s->count_drawn);
    s->sorted = allocate(s->local * (int64_t)sizeof *s->sorted);
    s->bucket = allocate(records);
    s->count = allocate(s->parts * s->parts * (int64_t)sizeof *s->count);
    s->start = allocate((s->parts * s->local + 1) * (int64_t)sizeof *s->start);
    s->where = allocate(s->parts * s->local);
    s->stage = allocate_clear(s->parts, (int64_t)sizeof *s->stage);
    for (int64_t k = 0; k < s->parts; k++)
        s->stage[k] = (one_stage){.all = s, .number = k, .shift = (k + 1) % s->parts};
    if (crossing_is_narrow(&s->crossing))
        s->packed = working_buffer(records * s->crossing.bytes);
}

static void close_stages(stages *s)
{
    crossing_close(&s->crossing);
    buffer_release(s->packed);
    for (int64_t k = 0; k < s->parts; k++)
        free(s->stage[k].message);
    free(s->count_drawn);
    free(s->sorted);
    free(s->bucket);
    free(s->piece);
    free(s->place);
    free(s->count);
    free(s->start);
    free(s->where);
    free(s->stage);
}

/* What was sent makes place: of the rooms only the buckets of the last stage are needed still. */
static void release_sent(stages *s, bmf_buffer *room[2])
{
    crossing_release_idle(s->where + (s->parts - 1) * s->local, s->local, room);
    buffer_release(s->packed);
    s->packed = NULL;
    free(s->bucket);
    s->bucket = NULL;
}

static int cut_at_samples(stages *s)
{
    bmf_buffer *drawn = working_buffer(s->local * DRAWN * 32);
    s->drawn = drawn->data;
    int status = draw_samples(s);
    if (status == BMF_OK)
        status = crossing_cut(&s->crossing, &(bmf_sampling){sample, s});
    buffer_release(drawn);
    return status;
}

int records_in_stages(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bmf_buffer *room[2],
                      bmf_partition **target)
{
    stages s = {.crossing = {.records = records, .partition = partition, .type = type},
                .parts = partition->parts,
                .local = partition->local_parts};
    s.crossing.bytes = records->words == 1 ? (int64_t)type->size : 8 * records->words;
    open_stages(&s);
    int status = cut_at_samples(&s);
    if (status == BMF_OK)
        status = fill_buckets(&s);
    if (status == BMF_OK)
        status = run_stages(&s);
    if (status == BMF_OK) {
        release_sent(&s, room);
        status = crossing_receive(&s.crossing, room, target);
    }
    close_stages(&s);
    return status;
}
