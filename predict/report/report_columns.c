/* The events of a run, column by column.
 *
 * Method: a column holds one field of all events in the order of the run (lane, begin). Every number is the difference
 * to what the events before it let one expect, so that most are 0 and pack well: events begin where those before them
 * end, regions and calls end with the last event that they begin before, a message is received about as many events
 * into its lane as it was sent into its own. Only durations of leaves that vary cost more. Lanes do the same things, so
 * deflate finds most of a lane's columns in those of the lane before it. Cost: linear, and a binary search for every
 * region and call; no memory of its own.
 * page_data.js reads what is written here.
 */
#include <stdlib.h>

#include "predict/report/report_private.h"
#include "runtime/base/allocate.h"

typedef struct columns {
    bmf_pack *pack;
    const bmf_trace_run *run;
    const bmf_view *view;
} columns;

/* 0 stands for a negative value, which is none; the others are moved away from it. */
static void pack_optional(bmf_pack *pack, int64_t value, int64_t expected)
{
    pack_unsigned(pack, value < 0 ? 0 : 1 + fold_sign(value - expected));
}

/* Of any two numbers, as traces hold them. */
static int64_t difference_of(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool is_leaf(const bmf_event *event)
{
    return event->kind > BMF_EVENT_SKELETON;
}

static void pack_lanes_and_durations(const columns *c)
{
    const bmf_trace_run *run = c->run;
    for (int32_t lane = 0; lane < run->lanes; lane++)
        pack_unsigned(c->pack, (uint64_t)(c->view->lane_start[lane + 1] - c->view->lane_start[lane]));
    for (int64_t k = 0; k < run->events; k++)
        pack_unsigned(c->pack, run->event[k].kind);
    for (int64_t k = 0; k < run->events; k++)
        if (is_leaf(&run->event[k]))
            pack_unsigned(c->pack, (uint64_t)(run->event[k].end - run->event[k].begin));
}

/* 0: where the leaves before end, or the event before begins if that is later; 1: with the event before; otherwise how
 * far from the first. */
static void pack_begins(const columns *c)
{
    const bmf_trace_run *run = c->run;
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t reached = 0, before = 0;
        for (int64_t k = c->view->lane_start[lane]; k < c->view->lane_start[lane + 1]; k++) {
            const bmf_event *event = &run->event[k];
            if (event->begin == reached)
                pack_unsigned(c->pack, 0);
            else if (event->begin == before)
                pack_unsigned(c->pack, 1);
            else
                pack_unsigned(c->pack, 2 + fold_sign(difference_of(event->begin, reached)));
            before = event->begin;
            const int64_t until = is_leaf(event) ? event->end : event->begin;
            reached = until > reached ? until : reached;
        }
    }
}

/* The last event of the lane that begins before this one ends; itself if there is none. */
static int64_t last_inside(const columns *c, int64_t event)
{
    const bmf_event *all = c->run->event;
    int64_t low = event, high = c->view->lane_start[all[event].lane + 1];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (all[middle].begin < all[event].end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Regions and calls, the last first, so that the ends of those inside are known: how many events on the last inside
 * is, and how much later they end. */
static void pack_ends(const columns *c)
{
    const bmf_event *all = c->run->event;
    for (int64_t k = c->run->events - 1; k >= 0; k--) {
        if (is_leaf(&all[k]))
            continue;
        const int64_t last = last_inside(c, k);
        pack_unsigned(c->pack, (uint64_t)(last - k));
        pack_signed(c->pack, difference_of(all[k].end, last > k ? all[last].end : all[k].begin));
    }
}

static void pack_places(const columns *c)
{
    int64_t node = 0, instance = 0, round = 0;
    for (int64_t k = 0; k < c->run->events; node = c->run->event[k++].node)
        pack_signed(c->pack, c->run->event[k].node - node);
    for (int64_t k = 0; k < c->run->events; instance = c->run->event[k++].instance)
        pack_signed(c->pack, c->run->event[k].instance - instance);
    for (int64_t k = 0; k < c->run->events; round = c->run->event[k++].round)
        pack_signed(c->pack, c->run->event[k].round - round);
}

static void pack_contents(const columns *c)
{
    const bmf_trace_run *run = c->run;
    int64_t amount[BMF_EVENT_KINDS] = {0};
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        pack_signed(c->pack, event->amount - amount[event->kind]);
        amount[event->kind] = event->amount;
    }
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_KERNEL || run->event[k].kind == BMF_EVENT_COLLECTIVE)
            pack_unsigned(c->pack, run->event[k].name);
    for (int64_t k = 0; k < run->events; k++)
        if (is_message(&run->event[k]))
            pack_signed(c->pack, (int64_t)run->event[k].peer - run->event[k].lane);
}

/* How far the interval reaches below the duration, and how much further above it; measured runs have none. */
static void pack_intervals(const columns *c)
{
    const bmf_trace_run *run = c->run;
    bool some = false;
    for (int64_t k = 0; k < run->events && !some; k++)
        some = run->event[k].high != run->event[k].low;
    pack_unsigned(c->pack, some);
    for (int64_t k = 0; some && k < run->events; k++)
        pack_signed(c->pack, difference_of(run->event[k].end - run->event[k].begin, run->event[k].low));
    for (int64_t k = 0; some && k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        const int64_t duration = event->end - event->begin;
        pack_signed(c->pack, difference_of(difference_of(event->high, duration), difference_of(duration, event->low)));
    }
}

/* The receive of every send, which is about as many events into its lane as the send into its own, and the matches of
 * measured events, which mostly follow that of the one before. */
static void pack_others(const columns *c, const int64_t *match)
{
    for (int64_t k = 0; k < c->run->events; k++) {
        const bmf_event *event = &c->run->event[k];
        const int64_t *start = c->view->lane_start, partner = c->view->partner[k];
        if (event->kind == BMF_EVENT_SEND)
            pack_optional(c->pack, partner, partner < 0 ? 0 : k - start[event->lane] + start[event->peer]);
    }
    pack_unsigned(c->pack, match ? 1 : 0);
    int64_t expected = 0;
    for (int64_t k = 0; match && k < c->run->events; k++) {
        pack_optional(c->pack, match[k], expected);
        expected = match[k] >= 0 ? match[k] + 1 : expected;
    }
}

int64_t report_detailed(const bmf_intervals *intervals)
{
    if (!intervals || intervals->processors < 2)
        return 0;
    int64_t max = BMF_REPORT_EACH / intervals->processors;
    return intervals->count < max ? intervals->count : max;
}

/* Idling is what the other parts leave of the longest execution (docs/intervals.md). */
static void pack_each(bmf_pack *pack, const bmf_intervals *intervals)
{
    int64_t detailed = report_detailed(intervals);
    if (detailed == 0)
        return;
    bmf_characteristics *each = allocate_array(intervals->processors, (int64_t)sizeof *each);
    for (int64_t k = 0; k < detailed; k++) {
        intervals_each(intervals, k, each);
        for (int32_t p = 0; p < intervals->processors; p++) {
            pack_signed(pack, each[p].productive);
            pack_signed(pack, each[p].insufficient);
            pack_signed(pack, each[p].communication);
            pack_signed(pack, each[p].idle - (intervals->interval[k].all.execution - each[p].productive -
                                              each[p].insufficient - each[p].communication));
        }
    }
    free(each);
}

/* What the processors hold, lane by lane: numbers of records, then their times and bytes. */
static void pack_held(const columns *c)
{
    const bmf_trace_run *run = c->run;
    pack_unsigned(c->pack, (uint64_t)run->helds);
    for (int64_t k = 0; k < run->helds; k++) {
        const bool first = k == 0 || run->held[k].lane != run->held[k - 1].lane;
        pack_unsigned(c->pack, (uint64_t)run->held[k].lane);
        pack_unsigned(c->pack, (uint64_t)(run->held[k].time - (first ? 0 : run->held[k - 1].time)));
        pack_signed(c->pack, run->held[k].bytes - (first ? 0 : run->held[k - 1].bytes));
    }
}

int report_put_columns(bmf_output *out, const bmf_report_contents *report, const bmf_view *view, int number)
{
    bmf_pack *pack = allocate((int64_t)sizeof *pack);
    int status = pack_begin(pack, out);
    if (status == BMF_OK) {
        columns c = {pack, view->run, view};
        pack_lanes_and_durations(&c);
        pack_begins(&c);
        pack_ends(&c);
        pack_places(&c);
        pack_contents(&c);
        pack_intervals(&c);
        pack_others(&c, number == 0 && report->comparison ? report->comparison->match : NULL);
        pack_each(pack, report->intervals[number]);
        pack_held(&c);
        pack_end(pack);
    }
    free(pack);
    return status;
}
