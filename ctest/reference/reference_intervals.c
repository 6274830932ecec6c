/* What a processor did in an interval, nanosecond by nanosecond and event by event: obviously right, and slow. */
#include "ctest/reference/reference_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "predict/report/intervals_private.h"
#include "skeletons/skeleton_types.h"

enum { SPAN = 48 }; /* nanoseconds of a random run */

bmf_trace_run *reference_empty_run(int32_t lanes)
{
    bmf_trace_run *run = run_create("program", "here", lanes, 1, 1);
    if (!run)
        abort();
    return run;
}

void reference_event(bmf_trace_run *run, bmf_event_kind kind, int32_t lane, int64_t begin, int64_t end, uint32_t node,
                     uint32_t instance, uint32_t round, int32_t peer, int64_t amount)
{
    run_add(run, &(bmf_event){.begin = begin,
                              .end = end,
                              .amount = amount,
                              .low = end - begin,
                              .high = end - begin,
                              .node = node,
                              .instance = instance,
                              .round = round,
                              .lane = lane,
                              .peer = peer,
                              .kind = (uint16_t)kind});
}

/* ---- random runs ---- */

static uint32_t make_nodes(bmf_trace_run *run, uint64_t *random)
{
    static const struct {
        const char *text;
        const bmf_skeleton_type *skeleton;
    } node[] = {{"scan plus", &skeleton_scan},
                {"split", &skeleton_split},
                {"P_Project", &skeleton_project},
                {"region", NULL},
                {"reduce_each max", &skeleton_reduce_each},
                {"pair", &skeleton_pair}};
    uint32_t wanted = 1 + (uint32_t)test_below(random, 6);
    for (uint32_t k = 0; k < wanted; k++) {
        int64_t which = test_below(random, 6);
        uint32_t parent = (uint32_t)test_below(random, run->nodes);
        if (node[which].skeleton)
            run_call(run, parent, node[which].text, node[which].skeleton->id);
        else
            run_node(run, parent, node[which].text, BMF_EVENT_REGION);
    }
    return run->nodes;
}

bmf_trace_run *reference_wild_run(uint64_t *random)
{
    bmf_trace_run *run = reference_empty_run(1 + (int32_t)test_below(random, 5));
    int64_t events = test_below(random, 40);
    make_nodes(run, random);
    for (int64_t k = 0; k < events; k++) {
        bmf_event_kind kind = (bmf_event_kind)test_below(random, BMF_EVENT_KINDS);
        bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
        int64_t begin = test_below(random, SPAN - 12);
        reference_event(run, kind, (int32_t)test_below(random, run->lanes), begin, begin + test_below(random, 12),
                        (uint32_t)test_below(random, run->nodes), (uint32_t)test_below(random, 2),
                        (uint32_t)test_below(random, 2), message ? (int32_t)test_below(random, run->lanes) : -1,
                        test_below(random, 100));
    }
    return run;
}

/* A lane's part in a call and in everything below it: kernels, messages, calls one after the other. */
static int64_t fill_node(bmf_trace_run *run, uint64_t *random, int32_t lane, uint32_t node, uint32_t instance,
                         int64_t clock)
{
    int64_t entered = clock;
    for (int64_t k = test_below(random, 3); k > 0; k--) {
        clock += test_below(random, 2);
        int64_t end = clock + test_below(random, 4);
        bmf_event_kind kind =
            (bmf_event_kind)(BMF_EVENT_KERNEL + test_below(random, BMF_EVENT_KINDS - BMF_EVENT_KERNEL));
        bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
        reference_event(run, kind, lane, clock, end, node, instance, (uint32_t)test_below(random, 3),
                        message ? (int32_t)test_below(random, run->lanes) : -1, 8);
        clock = end;
    }
    for (uint32_t child = node + 1; child < run->nodes; child++)
        if (run->node[child].parent == node && clock < SPAN - 24 && test_below(random, 4) > 0)
            clock = fill_node(run, random, lane, child, instance, clock);
    clock += test_below(random, 3);
    reference_event(run, (bmf_event_kind)run->node[node].kind, lane, entered, clock, node, instance, 0, -1, 3);
    return clock;
}

bmf_trace_run *reference_tidy_run(uint64_t *random)
{
    bmf_trace_run *run = reference_empty_run(1 + (int32_t)test_below(random, 6));
    make_nodes(run, random);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t clock = test_below(random, 3), begin = clock;
        for (uint32_t instance = 0; instance < 2; instance++)
            for (uint32_t node = 1; node < run->nodes; node++)
                if (run->node[node].parent == 0 && clock < SPAN - 24)
                    clock = fill_node(run, random, lane, node, instance, clock);
        reference_event(run, BMF_EVENT_REGION, lane, begin, clock, 0, 0, 0, -1, 0);
    }
    return run;
}

/* ---- the reference ---- */

static bool below(const bmf_trace_run *run, uint32_t node, uint32_t root)
{
    while (node != root && node != 0)
        node = run->node[node].parent;
    return node == root;
}

static bool runs_at(const bmf_event *event, int32_t lane, int64_t time)
{
    return event->lane == lane && event->begin <= time && time < event->end;
}

/* The first event of some kinds (a bit each) that runs on a lane, or the last; -1. */
static int64_t running(const bmf_trace_run *run, unsigned kinds, int32_t lane, int64_t time, bool last)
{
    int64_t found = -1;
    for (int64_t k = 0; k < run->events; k++)
        if ((kinds >> run->event[k].kind & 1) && runs_at(&run->event[k], lane, time) && (last || found < 0))
            found = k;
    return found;
}

static bool same_round(const bmf_event *a, const bmf_event *b)
{
    return is_communication(a) && is_communication(b) && a->node == b->node && a->instance == b->instance &&
           a->round == b->round;
}

/* When a lane came to the round of an event, or left it; -1 if it did not. */
static int64_t round_bound(const bmf_trace_run *run, const bmf_event *event, int32_t lane, bool end)
{
    int64_t bound = -1;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *other = &run->event[k];
        if (other->lane != lane || !same_round(event, other))
            continue;
        if (end ? other->end > bound : bound < 0 || other->begin < bound)
            bound = end ? other->end : other->begin;
    }
    return bound;
}

static bool waits_for_late(const bmf_trace_run *run, const bmf_event *event, int64_t time)
{
    int64_t came = event->kind == BMF_EVENT_COLLECTIVE ? event->end : -1;
    if (event->kind == BMF_EVENT_RECEIVE)
        came = round_bound(run, event, event->peer, false);
    for (int64_t k = 0; event->kind == BMF_EVENT_WAIT && k < run->events; k++) {
        const bmf_event *send = &run->event[k];
        if (send->kind == BMF_EVENT_SEND && send->lane == event->lane && same_round(send, event)) {
            int64_t other = round_bound(run, event, send->peer, false);
            came = other > came ? other : came;
        }
    }
    return time < came && came <= event->end;
}

/* The kernel of a processor that computes and no other does, in a call that computes nowhere else; -1. */
static int64_t alone_at(const bmf_trace_run *run, int64_t time)
{
    int64_t only = -1, count = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_KERNEL && runs_at(&run->event[k], run->event[k].lane, time)) {
            only = k;
            count++;
        }
    for (int64_t k = 0; count == 1 && k < run->events; k++) {
        const bmf_event *other = &run->event[k], *event = &run->event[only];
        if (other->kind == BMF_EVENT_KERNEL && other->end > other->begin && other->node == event->node &&
            other->instance == event->instance && other->lane != event->lane)
            return -1;
    }
    return count == 1 ? only : -1;
}

static bool in_window(const bmf_trace_run *run, int32_t lane, int64_t time)
{
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->lane == lane && is_communication(event) && event->begin <= time &&
            time < round_bound(run, event, lane, true))
            return true;
    }
    return false;
}

bmf_characteristics reference_lane(const bmf_trace_run *run, uint32_t root, int32_t lane)
{
    bmf_characteristics c = {0};
    int64_t first = INT64_MAX, last = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].lane == lane) {
            first = run->event[k].begin < first ? run->event[k].begin : first;
            last = run->event[k].end > last ? run->event[k].end : last;
        }
    for (int64_t time = 0; time < run_latest_end(run); time++) {
        int64_t alone = alone_at(run, time);
        int64_t kernel = running(run, 1U << BMF_EVENT_KERNEL, lane, time, false);
        int64_t file = running(run, 1U << BMF_EVENT_FILE, lane, time, false);
        int64_t message = running(
            run, 1U << BMF_EVENT_SEND | 1U << BMF_EVENT_RECEIVE | 1U << BMF_EVENT_WAIT | 1U << BMF_EVENT_COLLECTIVE,
            lane, time, false);
        int64_t around = running(run, 1U << BMF_EVENT_REGION | 1U << BMF_EVENT_SKELETON, lane, time, true);
        int64_t owner = kernel >= 0 ? kernel : file >= 0 ? file : message >= 0 ? message : around;
        bool idle = kernel < 0 && file < 0 && (message < 0 || waits_for_late(run, &run->event[message], time));
        /* What is lost while another processor computes alone is lost in that one's call. */
        if (alone >= 0 && run->event[alone].lane != lane && idle) {
            c.execution += below(run, run->event[alone].node, root);
            c.insufficient += below(run, run->event[alone].node, root);
            continue;
        }
        if (time < first || time >= last)
            continue;
        if (!below(run, owner < 0 ? 0 : run->event[owner].node, root))
            continue;
        c.execution++;
        c.compute += kernel >= 0;
        c.overlap += kernel >= 0 && in_window(run, lane, time);
        c.file += owner >= 0 && owner == file;
        c.communication += owner >= 0 && owner == message;
        c.synchronisation += owner >= 0 && owner == message && waits_for_late(run, &run->event[owner], time);
    }
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        bool counts = event->lane == lane && below(run, event->node, root), new_round = is_communication(event);
        if (!counts)
            continue;
        c.messages += event->kind == BMF_EVENT_SEND;
        c.bytes += event->kind == BMF_EVENT_SEND ? event->amount : 0;
        for (int64_t j = 0; j < k; j++)
            new_round = new_round && !(run->event[j].lane == lane && same_round(&run->event[j], event));
        int64_t end = 0;
        for (int32_t other = 0; new_round && other < run->lanes; other++) {
            int64_t left = round_bound(run, event, other, true);
            end = left > end ? left : end;
        }
        c.variation += new_round ? end - round_bound(run, event, lane, true) : 0;
    }
    return c;
}

/* ---- intervals of a run ---- */

bmf_intervals *checked_intervals(bmf_trace_run *run, bmf_trace_run *ideal)
{
    bmf_intervals *made;
    if (intervals_create(run, ideal, &made) != BMF_OK)
        abort();
    return made;
}

const bmf_interval *interval_of_node(const bmf_intervals *intervals, uint32_t node)
{
    for (int64_t i = 0; i < intervals->count; i++)
        if (intervals->interval[i].node == node)
            return &intervals->interval[i];
    return NULL;
}
