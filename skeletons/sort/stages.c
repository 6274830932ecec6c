/* Sample sort in stages: records are on their way while others are sorted, and what has come is merged.
 *
 * Method: records are put into buckets (buckets.c), and bucket after bucket is sorted and sent: in stage k that of part
 * p to part p + k + 1, so that no processor has two messages to send or to receive in a stage. The first one leaves
 * before it is sorted, and its receiver sorts it while others come, if there are others. What stays is sorted last.
 * What has come is merged in the order of the stages (arrivals.c). All stages are under way together: with a few of
 * them only, a message that is held up leaves its link idle.
 * Cost: a pass over the records more than sorting parts whole; at most P - 1 messages a part. No kernel here fails: a
 * rank that returned before a stage would let others wait. */
#include "skeletons/sort/stages.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/sort/across.h"
#include "skeletons/sort/arrivals.h"
#include "skeletons/sort/buckets.h"
#include "skeletons/sort/order.h"
#include "skeletons/sort/radix.h"

enum {
    FEWEST_SENT = 2048,  /* records of a message, on average */
    ALIGNED_RECORDS = 8, /* so many begin at a multiple of 64 bytes */
};

typedef struct stages stages;

typedef struct one_stage {
    stages *all;
    int64_t number;
    bmf_message *message;
    int64_t messages, message_capacity;
    bmf_round round;
    bmf_transfer transfer;
    bmf_exchange *under_way;
    bool begun;
    bmf_run_set coming;
    bmf_buffer *packed; /* of `coming`: narrow keys as they arrive; or NULL */
} one_stage;

struct stages {
    bmf_crossing crossing;
    bmf_buckets buckets;
    bool sends_unsorted; /* in the first stage */
    bmf_buffer **room;   /* the two of the records */
    uint8_t *where;      /* by stage and local part: in which room the bucket is */
    bmf_buffer *packed;  /* narrow keys that leave, by record; or NULL */
    one_stage *stage;    /* all but the last one have messages */
    bmf_arrivals arrivals;
};

bool stages_can(const bmf_partition *partition)
{
    return partition->parts > 1 && partition->parts <= BUCKETS_MOST;
}

bool stages_suit(const bmf_partition *partition, int64_t records)
{
    const int64_t parts = partition->parts;
    return stages_can(partition) && records >= parts * parts * FEWEST_SENT;
}

/* ---- sorting ---- */

static uint64_t *bucket_at(const stages *s, int64_t segment)
{
    const bmf_records *records = s->crossing.records;
    return records->room[s->where[segment]] + s->buckets.start[segment] * records->words;
}

static void let_proceed(void *state)
{
    const stages *s = state;
    for (int64_t k = 0; k < s->buckets.parts; k++)
        if (s->stage[k].begun)
            backend_exchange_progress(s->crossing.records->ctx, s->stage[k].under_way);
}

/* The stage's buckets where they are. */
static bmf_run_set buckets_of(const stages *s, int64_t stage)
{
    const bmf_records *records = s->crossing.records;
    const int64_t segment = stage * s->buckets.local, *start = s->buckets.start + segment;
    const int64_t shift = start[0] / ALIGNED_RECORDS * ALIGNED_RECORDS;
    bmf_run_set set = run_set_create(records);
    for (int64_t k = 0; k <= s->buckets.local; k++)
        set.start[k] = start[k] - shift;
    for (int k = 0; k < 2; k++)
        set.room[k] = records->room[k] + shift * records->words;
    memcpy(set.where, s->where + segment, (size_t)s->buckets.local);
    return set;
}

static int sort_set(stages *s, const bmf_run_set *set)
{
    bmf_records *records = s->crossing.records, view = run_set_records(set, records);
    const int status = records_sort(&view);
    records->round = view.round;
    return status;
}

static int sort_stage(stages *s, int64_t stage)
{
    bmf_run_set set = buckets_of(s, stage);
    const int status = sort_set(s, &set);
    memcpy(s->where + stage * s->buckets.local, set.where, (size_t)s->buckets.local);
    run_set_free(&set);
    return status;
}

/* ---- narrow keys ---- */

/* Keys of a stage here and in as many bytes as their elements have. */
typedef struct packing {
    const stages *stages;
    const one_stage *stage;
} packing;

/* Pieces: the stage's runs, of which piece k begins at start[k]. */
static int compute_runs(stages *s, const one_stage *stage, const bmf_records_kernel *kernel, const int64_t *start)
{
    bmf_records *records = s->crossing.records;
    const int64_t local = s->buckets.local;
    packing p = {s, stage};
    bmf_piece *piece = allocate(local * (int64_t)sizeof *piece);
    for (int64_t k = 0; k < local; k++)
        piece[k] = (bmf_piece){.part = k, .processor = records->processor[k], .begin = start[k], .end = start[k + 1]};
    const int status = records_compute(records, kernel, piece, local, &p);
    free(piece);
    return status;
}

static int pack_bucket(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const packing *p = state;
    const stages *s = p->stages;
    const int64_t bytes = s->crossing.bytes;
    (void)index, (void)worker;
    order_pack(bucket_at(s, p->stage->number * s->buckets.local + piece->part), piece->end - piece->begin, bytes,
               (char *)s->packed->data + piece->begin * bytes);
    return 0;
}

static int pack(stages *s, const one_stage *stage)
{
    const bmf_records_kernel kernel = {
        "sort pack", {.operations = 1, .read = 8, .written = s->crossing.bytes}, pack_bucket, true};
    return compute_runs(s, stage, &kernel, s->buckets.start + stage->number * s->buckets.local);
}

static int unpack_run(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const packing *p = state;
    const int64_t bytes = p->stages->crossing.bytes;
    (void)index, (void)worker;
    order_unpack((char *)p->stage->packed->data + piece->begin * bytes, piece->end - piece->begin, bytes,
                 p->stage->coming.room[0] + piece->begin);
    return 0;
}

static int unpack(stages *s, one_stage *stage)
{
    const bmf_records_kernel kernel = {
        "sort collect", {.operations = 1, .read = s->crossing.bytes, .written = 8}, unpack_run, true};
    const int status = compute_runs(s, stage, &kernel, stage->coming.start);
    buffer_release(stage->packed);
    stage->packed = NULL;
    return status;
}

/* ---- messages ---- */

static void list_messages(one_stage *stage)
{
    const stages *s = stage->all;
    const bmf_partition *partition = s->crossing.partition;
    const int64_t first = partition->local_first, local = s->buckets.local, parts = s->buckets.parts;
    for (int64_t from = 0; from < parts; from++) {
        const int64_t to = buckets_of_stage(&s->buckets, from, stage->number);
        const int64_t count = s->buckets.count[from * parts + to];
        const bool sends = from >= first && from < first + local, receives = to >= first && to < first + local;
        if (count == 0 || (!sends && !receives))
            continue;
        *(bmf_message *)ARRAY_APPEND(stage->message, stage->messages, stage->message_capacity) =
            (bmf_message){.from = bmf_partition_processor(partition, from),
                          .to = bmf_partition_processor(partition, to),
                          .bytes = count * s->crossing.bytes,
                          .first = sends ? stage->number * local + from - first : 0, /* its segment */
                          .count = count};
    }
    stage->round = (bmf_round){stage->message, stage->messages, stage->message_capacity};
}

/* Room for what will come, one part's run behind the other's. */
static void expect(stages *s, one_stage *stage)
{
    const bmf_records *records = s->crossing.records;
    const int64_t parts = s->buckets.parts, first = s->crossing.partition->local_first;
    bmf_run_set *set = &stage->coming;
    *set = run_set_create(records);
    for (int64_t k = 0; k < s->buckets.local; k++) {
        const int64_t to = first + k, from = (to + parts - stage->number - 1) % parts;
        set->start[k + 1] = set->start[k] + s->buckets.count[from * parts + to];
    }
    const int64_t count = set->start[s->buckets.local];
    set->buffer[0] = working_buffer(count * 8 * records->words);
    set->room[0] = set->buffer[0]->data;
    if (crossing_is_narrow(&s->crossing))
        stage->packed = working_buffer(count * s->crossing.bytes);
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const stages *s = ((const one_stage *)state)->all;
    void *from = s->packed ? (char *)s->packed->data + s->buckets.start[message->first] * s->crossing.bytes
                           : (char *)bucket_at(s, message->first);
    segment[0] = (bmf_segment){from, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const one_stage *stage = state;
    const bmf_crossing *c = &stage->all->crossing;
    const int64_t part = bmf_partition_part_from(c->partition, message->to) - c->partition->local_first;
    char *to = stage->packed ? stage->packed->data : stage->coming.buffer[0]->data;
    segment[0] = (bmf_segment){to + stage->coming.start[part] * c->bytes, message->bytes};
    return 1;
}

static int begin_stage(stages *s, one_stage *stage)
{
    list_messages(stage);
    expect(s, stage);
    stage->transfer = (bmf_transfer){outgoing, incoming, stage};
    /* Round 0 is that of the move to even parts. */
    BMF_TRY(backend_exchange_begin(s->crossing.records->ctx, &stage->round, (uint32_t)stage->number + 1,
                                   &stage->transfer, &stage->under_way));
    stage->begun = true;
    return BMF_OK;
}

static int end_exchange(stages *s, one_stage *stage)
{
    stage->begun = false;
    return backend_exchange_end(s->crossing.records->ctx, stage->under_way);
}

/* What came unsorted becomes sorted. */
static int sort_first(stages *s, bmf_run_set *set)
{
    set->buffer[1] = working_buffer(set->start[s->buckets.local] * 8 * s->crossing.records->words);
    set->room[1] = set->buffer[1]->data;
    return sort_set(s, set);
}

/* What was sent makes place. What stays has been merged with what came in the first stage, unless that is the last. */
static void release_sent(stages *s)
{
    const int64_t local = s->buckets.local, kept = s->buckets.parts > 2 ? 0 : local;
    crossing_release_idle(s->where + (s->buckets.parts - 1) * local, kept, s->room);
    buffer_release(s->packed);
    s->packed = NULL;
}

static int end_stage(stages *s, one_stage *stage)
{
    BMF_TRY(end_exchange(s, stage));
    if (stage->number == s->buckets.parts - 2)
        release_sent(s);
    if (stage->packed)
        BMF_TRY(unpack(s, stage));
    if (stage->number == 0 && s->sends_unsorted)
        BMF_TRY(sort_first(s, &stage->coming));
    return arrivals_add(&s->arrivals, &stage->coming);
}

/* ---- all together ---- */

static int keep_own(stages *s)
{
    bmf_run_set own = buckets_of(s, s->buckets.parts - 1);
    return arrivals_add(&s->arrivals, &own);
}

static int run_stages(stages *s)
{
    const int64_t last = s->buckets.parts - 1; /* what stays */
    for (int64_t k = 0; k <= last; k++) {
        if (k > 0 || !s->sends_unsorted)
            BMF_TRY(sort_stage(s, k));
        if (s->packed && k < last)
            BMF_TRY(pack(s, &s->stage[k]));
        if (k < last)
            BMF_TRY(begin_stage(s, &s->stage[k]));
    }
    BMF_TRY(keep_own(s));
    for (int64_t k = 0; k < last; k++)
        BMF_TRY(end_stage(s, &s->stage[k]));
    return arrivals_join(&s->arrivals);
}

/* Every part has what all have of its bucket. */
static int make_target(const stages *s, bmf_partition **target)
{
    const int64_t parts = s->buckets.parts;
    int64_t *start = allocate_clear(parts + 1, (int64_t)sizeof *start);
    for (int64_t k = 0; k < parts; k++) {
        start[k + 1] = start[k];
        for (int64_t from = 0; from < parts; from++)
            start[k + 1] += s->buckets.count[from * parts + k];
    }
    const int status = bmf_partition_resized(s->crossing.records->ctx, s->crossing.partition, start, target);
    free(start);
    return status;
}

/* The only set becomes the records. */
static void take_result(stages *s, const bmf_partition *target)
{
    bmf_records *records = s->crossing.records;
    bmf_run_set *set = &s->arrivals.set[0];
    for (int k = 0; k < 2; k++) {
        buffer_release(s->room[k]);
        s->room[k] = set->buffer[k];
        records->room[k] = set->room[k];
        set->buffer[k] = NULL;
    }
    memcpy(records->where, set->where, (size_t)s->buckets.local);
    records_on(records, target);
}

static void open_stages(stages *s)
{
    bmf_records *records = s->crossing.records;
    const int64_t parts = s->crossing.partition->parts;
    buckets_open(&s->buckets, &s->crossing);
    s->where = allocate(parts * s->buckets.local);
    memset(s->where, 1, (size_t)(parts * s->buckets.local));
    s->stage = allocate_clear(parts, (int64_t)sizeof *s->stage);
    for (int64_t k = 0; k < parts; k++)
        s->stage[k] = (one_stage){.all = s, .number = k};
    if (crossing_is_narrow(&s->crossing))
        s->packed = working_buffer(records->start[s->buckets.local] * s->crossing.bytes);
    s->arrivals.records = records;
    records->between = let_proceed;
    records->between_state = s;
}

static void close_stages(stages *s)
{
    for (int64_t k = 0; k < s->buckets.parts; k++) {
        if (s->stage[k].begun)
            end_exchange(s, &s->stage[k]);
        run_set_free(&s->stage[k].coming);
        buffer_release(s->stage[k].packed);
        free(s->stage[k].message);
    }
    s->crossing.records->between = NULL;
    arrivals_close(&s->arrivals);
    buffer_release(s->packed);
    buckets_close(&s->buckets);
    crossing_close(&s->crossing);
    free(s->where);
    free(s->stage);
}

int records_in_stages(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bmf_buffer *room[2],
                      bmf_partition **target)
{
    stages s = {.crossing = {.records = records, .partition = partition, .type = type},
                .sends_unsorted = partition->parts > 2,
                .room = room};
    s.crossing.bytes = records->words == 1 ? (int64_t)type->size : 8 * records->words;
    open_stages(&s);
    int status = buckets_fill(&s.buckets);
    if (status == BMF_OK)
        status = run_stages(&s);
    if (status == BMF_OK)
        status = make_target(&s, target);
    if (status == BMF_OK)
        take_result(&s, *target);
    close_stages(&s);
    return status;
}
