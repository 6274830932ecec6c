/* Runs that have arrived become sorted parts; see crossing.h.
 *
 * Method: runs are merged in the order of their senders (merge.c): that keeps the sort stable. Very many are sorted by
 * radix again. Narrow keys are made records first.
 * Cost: log2 P passes over the records. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/copy_nontemporal.h"
#include "skeletons/sort/across.h"
#include "skeletons/sort/crossing.h"
#include "skeletons/sort/merge.h"
#include "skeletons/sort/order.h"
#include "skeletons/sort/radix.h"

enum { MOST_PASSES = 6 /* of merging: more take longer than sorting by radix */ };

/* Runs that are laid out side by side. */
typedef struct layout {
    const bmf_crossing *crossing;
    uint64_t *to;
    const bmf_partition *target;
} layout;

void *crossing_arrival(bmf_crossing *c, const bmf_message *message)
{
    bmf_buffer *buffer = working_buffer(message->bytes);
    *(bucket_run *)ARRAY_APPEND(c->run, c->runs, c->run_capacity) =
        (bucket_run){.from = bmf_partition_part_from(c->partition, message->from),
                     .to = bmf_partition_part_from(c->partition, message->to),
                     .record = buffer->data,
                     .count = message->bytes / c->bytes,
                     .buffer = buffer};
    return buffer->data;
}

static int by_ends(const void *a, const void *b)
{
    const bucket_run *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int make_target(const bmf_crossing *c, bmf_partition **target)
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

static int lay_out(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const layout *l = state;
    const bmf_crossing *c = l->crossing;
    const int words = c->records->words;
    const int64_t offset = piece->begin - bmf_partition_local_begin(l->target);
    const bucket_run *run = &c->run[index];
    (void)worker;
    if (run->buffer && crossing_is_narrow(c))
        order_unpack(run->record, run->count, c->bytes, l->to + offset * words);
    else
        copy_nontemporal(l->to + offset * words, run->record, run->count * 8 * words);
    return 0;
}

/* The runs as records side by side. */
static int lay_out_runs(bmf_crossing *c, uint64_t *to, const bmf_partition *target)
{
    layout l = {c, to, target};
    bmf_piece *piece = allocate(c->runs * (int64_t)sizeof *piece);
    int64_t at = bmf_partition_local_begin(target);
    for (int64_t k = 0; k < c->runs; k++) {
        piece[k] = (bmf_piece){.part = c->run[k].to,
                               .processor = bmf_partition_processor(target, c->run[k].to),
                               .begin = at,
                               .end = at + c->run[k].count};
        at += c->run[k].count;
    }
    const int64_t bytes = 8 * c->records->words;
    const bmf_records_kernel collecting = {
        "sort collect", {.operations = 1, .read = bytes, .written = bytes}, lay_out, true};
    const int status = records_compute(c->records, &collecting, piece, c->runs, &l);
    free(piece);
    return status;
}

/* laid_out: where they were, otherwise where they arrived. */
static bmf_sorted_run *list_runs(const bmf_crossing *c, const uint64_t *laid_out)
{
    bmf_sorted_run *run = allocate(c->runs * (int64_t)sizeof *run);
    for (int64_t k = 0, at = 0; k < c->runs; at += c->run[k++].count)
        run[k] = (bmf_sorted_run){.segment = c->run[k].to - c->partition->local_first,
                                  .from = laid_out ? laid_out + at * c->records->words : c->run[k].record,
                                  .count = c->run[k].count};
    return run;
}

/* The runs become sorted records on the target. The rooms of before are released after that: some runs lie there. */
static int receive(bmf_crossing *c, bmf_buffer *room[2], const bmf_partition *target)
{
    bmf_records *records = c->records;
    const int64_t bytes = (bmf_partition_local_end(target) - bmf_partition_local_begin(target)) * 8 * records->words;
    bmf_sorted_run *run = list_runs(c, NULL);
    const int passes = merge_passes(c->runs, run);
    const bool sorted_again = passes > MOST_PASSES, laid_out = sorted_again || crossing_is_narrow(c);
    bmf_buffer *fresh[2] = {working_buffer(bytes), working_buffer(passes > 1 || laid_out ? bytes : 0)};
    int status = BMF_OK;
    if (laid_out) {
        free(run);
        run = list_runs(c, fresh[0]->data);
        status = lay_out_runs(c, fresh[0]->data, target);
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

void crossing_release_idle(const uint8_t *where, int64_t segments, bmf_buffer *room[2])
{
    bool used[2] = {false, false};
    for (int64_t k = 0; k < segments; k++)
        used[where[k]] = true;
    for (int k = 0; k < 2; k++)
        if (!used[k]) {
            buffer_release(room[k]);
            room[k] = NULL;
        }
}

int crossing_receive(bmf_crossing *c, bmf_buffer *room[2], bmf_partition **target)
{
    bmf_partition *made = NULL;
    if (c->runs > 0)
        qsort(c->run, (size_t)c->runs, sizeof *c->run, by_ends);
    int status = make_target(c, &made);
    if (status == BMF_OK)
        status = receive(c, room, made);
    if (status == BMF_OK)
        *target = made;
    else
        bmf_partition_release(made);
    return status;
}

void crossing_close(bmf_crossing *c)
{
    for (int64_t k = 0; k < c->runs; k++)
        buffer_release(c->run[k].buffer);
    free(c->run);
    free(c->cut);
}
