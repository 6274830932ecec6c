/* Sums instead of events. Method: a hash table by (phase, operation, kind, partner). */
#include "predict/record/sums.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/base/table.h"

typedef struct sum {
    uint32_t node;
    uint16_t name, kind;
    int32_t peer;
    int64_t calls, nanoseconds, amount;
} sum;

static struct {
    bmf_table table;
    sum *sum;
    int64_t count, capacity;
} sums;

static bool is_sum(const void *wanted, uint32_t number)
{
    const sum *w = wanted, *s = &sums.sum[number];
    return s->node == w->node && s->name == w->name && s->kind == w->kind && s->peer == w->peer;
}

void sums_add(uint32_t node, uint16_t name, const bmf_event_facts *facts, int64_t nanoseconds)
{
    const sum wanted = {.node = node, .name = name, .kind = (uint16_t)facts->kind, .peer = facts->peer};
    const uint64_t hash =
        hash_word((uint64_t)node << 32 | (uint32_t)facts->peer) ^ hash_word((uint64_t)name << 8 | wanted.kind);
    table_make_room(&sums.table, sums.count + 1);
    const uint32_t number = table_find_or_add(&sums.table, hash, is_sum, &wanted, (uint32_t)sums.count);
    if (number == sums.count)
        *ARRAY_APPEND(sums.sum, sums.count, sums.capacity) = wanted;
    sums.sum[number].calls++;
    sums.sum[number].nanoseconds += nanoseconds;
    sums.sum[number].amount += facts->amount;
}

void sums_write(void)
{
    for (int64_t k = 0; k < sums.count; k++) {
        const sum *s = &sums.sum[k];
        part_add(&(part_record){.event = {.end = s->nanoseconds,
                                          .amount = s->amount,
                                          .low = s->calls,
                                          .high = s->calls,
                                          .node = s->node,
                                          .lane = rec.rank,
                                          .peer = s->peer,
                                          .kind = s->kind,
                                          .name = s->name},
                                .detail = {0, -1, -1}});
    }
    sums.count = 0;
}

int sums_print(const bmf_trace_run *run, const char *path)
{
    bmf_output_file output;
    char phase[1024];
    int failure = output_file_open(&output, path);
    FILE *stream = failure ? NULL : output_file_stream(&output);
    if (stream)
        fputs("rank,phase,operation,kind,partner,calls,seconds,amount\n", stream);
    for (int64_t k = 0; stream && k < run->events; k++) {
        const bmf_event *e = &run->event[k];
        if (e->kind == BMF_EVENT_REGION && e->node == 0)
            continue;
        fprintf(stream, "%d,\"%s\",%s,%s,", e->lane, run_path(run, e->node, phase, sizeof phase), run->name[e->name],
                bmf_event_kind_name((bmf_event_kind)e->kind));
        if (e->peer >= 0)
            fprintf(stream, "%d", e->peer);
        fprintf(stream, ",%" PRId64 ",%.9f,%" PRId64 "\n", e->low, (double)(e->end - e->begin) * 1e-9, e->amount);
    }
    if (!failure)
        failure = output_file_close(&output, 0);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(failure)) : BMF_OK;
}
