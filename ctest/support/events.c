/* Comparing runs of a program by structural ids: both lists of events sorted, and walked side by side. */
#include "ctest/support/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/hash.h"

enum { MAX_DIFFERENCES = 5, PATH = 1024 };

/* An event's structural id and what it is about; texts as hashes, because runs number them differently. */
typedef struct identity {
    uint64_t path, name;
    uint32_t instance, round;
    int32_t lane, peer, kind;
    int64_t amount;
    const bmf_event *event;
} identity;

static int by_identity(const void *a, const void *b)
{
    const identity *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->amount < y->amount ? -1 : x->amount > y->amount;
}

/* The events below the program itself, in the order of their ids. */
static identity *list_events(const bmf_trace_run *run, int64_t *count)
{
    char path[PATH];
    identity *listed = calloc((size_t)run->events + 1, sizeof *listed);
    *count = 0;
    for (int64_t i = 0; i < run->events; i++) {
        const bmf_event *e = &run->event[i];
        if (e->kind == BMF_EVENT_REGION && e->node == 0)
            continue;
        run_path(run, e->node, path, sizeof path);
        listed[(*count)++] = (identity){.path = hash_text(path),
                                        .name = hash_text(run->name[e->name]),
                                        .instance = e->instance,
                                        .round = e->round,
                                        .lane = e->lane,
                                        .peer = e->peer,
                                        .kind = e->kind,
                                        .amount = e->amount,
                                        .event = e};
    }
    qsort(listed, (size_t)*count, sizeof *listed, by_identity);
    return listed;
}

static void show(const char *what, const char *whose, const bmf_trace_run *run, const bmf_event *e)
{
    char path[PATH];
    fprintf(stderr,
            "%s: only %s: %s %s of %s, instance %" PRIu32 ", round %" PRIu32 ", lane %" PRId32 ", peer %" PRId32
            ", amount %" PRId64 "\n",
            what, whose, bmf_event_kind_name((bmf_event_kind)e->kind), run->name[e->name],
            run_path(run, e->node, path, sizeof path), e->instance, e->round, e->lane, e->peer, e->amount);
}

int64_t test_different_events(const char *what, const bmf_trace_run *measured, const bmf_trace_run *predicted)
{
    int64_t a_count, b_count, different = 0;
    identity *a = list_events(measured, &a_count), *b = list_events(predicted, &b_count);
    for (int64_t i = 0, j = 0; i < a_count || j < b_count;) {
        int order = i == a_count ? 1 : j == b_count ? -1 : by_identity(&a[i], &b[j]);
        if (order < 0 && different < MAX_DIFFERENCES)
            show(what, "measured", measured, a[i].event);
        if (order > 0 && different < MAX_DIFFERENCES)
            show(what, "predicted", predicted, b[j].event);
        different += order != 0;
        i += order <= 0;
        j += order >= 0;
    }
    free(a);
    free(b);
    return different;
}
