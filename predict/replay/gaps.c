/* What processors did while nothing was recorded: they worked, or they waited for each other.
 *
 * No source has a rule for this; document 001 leaves such time out. Here it is decided as follows.
 * Runs that recorded their agreements, as events, leave nothing to decide but that idle time is work. In others:
 *   Idle. A moment is idle if no lane of the rank is in an event; in a predicted run every lane is its own rank. So of
 *   several processors on one rank none is charged with what another one did.
 * Meetings. At an agreement nobody goes on before the last one has come. So there is a moment at which the last one has
 * come and nobody is in an event or has gone on. What a lane was idle before it was waiting, which is not kept, because
 *   a machine waits by itself; what comes after it is the agreement.
 *     In a predicted run, which says what an agreement took, a meeting is an idle time of all lanes that is at least as
 *     long, if two lanes go on in the same nanosecond or it lasts a whole number of agreements (at most 4).
 *     In a measured run of several ranks it is an idle time of all before a call is entered or left, if their times of
 * coming (end of the last event, last boundary of a call) lie at least 4 times as far apart as their times of going on:
 *     the last one has worked, the others have waited. What an agreement took there is not known; it is taken for as
 * many of the quickest message of the run as go up and down a tree of the ranks, at most for the shortest time between
 *     the last one's coming and the first one's going on at a meeting.
 *   Work. All other idle time is work, and so is what a meeting took longer than its agreements.
 * What cannot be known: the last one's own work before an agreement (unpacking, say); it counts as everybody's after
 * it. Who waited for a message is in an event. Where all ranks came at once no meeting is seen, and nobody has waited.
 * A round of messages that lies on both sides of a meeting speaks against it: then it was no meeting.
 * Cost: sorting the events twice; memory 40 bytes an event, and 24 more for a while.
 */
#include "predict/replay/gaps.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"

enum { MAX_AGREEMENTS = 4, EVIDENCE = 4 };

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t unit_of(const bmf_trace_run *run, int32_t lane)
{
    return run->predicted ? lane : run->lane_rank[lane];
}

/* Copies on one processor are not replayed as messages, so their time is kept as work. */
static bool is_kept(const bmf_event *event)
{
    const bool is_message = event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE;
    return event->kind > BMF_EVENT_SKELETON && !(is_message && event->peer == event->lane);
}

/* ---- when ranks were in events ---- */

typedef struct key {
    int64_t unit;
    const bmf_event *event;
} key;

static int by_time(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->event->begin != y->event->begin)
        return x->event->begin < y->event->begin ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static key *list_events(const bmf_trace_run *run, int64_t *count)
{
    key *list = allocate(run->events * (int64_t)sizeof *list);
    *count = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (is_kept(&run->event[k]))
            list[(*count)++] = (key){unit_of(run, run->event[k].lane), &run->event[k]};
    qsort(list, (size_t)*count, sizeof *list, by_time);
    return list;
}

static void find_stretches(replay_gaps *g)
{
    int64_t count, made = 0, unit = -1;
    key *list = list_events(g->run, &count);
    g->units = g->run->predicted ? g->run->lanes : g->run->ranks;
    g->stretch = allocate(count * (int64_t)sizeof *g->stretch);
    g->first_stretch = allocate((g->units + 1) * (int64_t)sizeof *g->first_stretch);
    for (int64_t k = 0; k < count; k++) {
        const bmf_event *event = list[k].event;
        replay_stretch *open = unit == list[k].unit ? &g->stretch[made - 1] : NULL;
        while (unit < list[k].unit)
            g->first_stretch[++unit] = made;
        if (open && event->begin <= open->end) {
            open->last = event->end >= open->end ? event : open->last;
            open->end = largest(open->end, event->end);
        } else {
            const int64_t idle = event->begin - (open ? open->end - open->idle : 0);
            g->stretch[made++] = (replay_stretch){event->begin, event->end, idle, event, event};
        }
    }
    while (unit < g->units)
        g->first_stretch[++unit] = made;
    free(list);
}

/* The last stretch of the unit that begins at `time` or before, -1: none. */
static int64_t find_stretch(const replay_gaps *g, int64_t unit, int64_t time)
{
    const int64_t first = g->first_stretch[unit];
    const int64_t behind = SEARCH_FIRST(k, first, g->first_stretch[unit + 1], g->stretch[k].begin > time);
    return behind > first ? behind - 1 : -1;
}

/* Idle nanoseconds of the unit up to `time`. */
static int64_t idle_until(const replay_gaps *g, int64_t unit, int64_t time)
{
    const int64_t at = find_stretch(g, unit, time);
    if (at < 0)
        return time;
    return g->stretch[at].idle + largest(0, time - g->stretch[at].end);
}

/* When the unit was in an event last, before `time`. */
static int64_t busy_until(const replay_gaps *g, int64_t unit, int64_t time)
{
    const int64_t at = find_stretch(g, unit, time - 1);
    return at < 0 ? 0 : smallest(time, g->stretch[at].end);
}

/* ---- meetings ---- */

static void add_barrier(replay_gaps *g, replay_barrier made)
{
    *ARRAY_APPEND(g->barrier, g->meetings, g->barrier_capacity) = made;
}

/* A lane comes to an event or to a boundary, and is in it until then. lane -1: the end of the program. */
typedef struct point {
    int64_t time, until;
    int32_t lane;
} point;

static int by_moment(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

static point *list_points(const replay_gaps *g, int64_t *count)
{
    point *list = allocate((2 * g->run->events + 1) * (int64_t)sizeof *list);
    *count = 0;
    for (int64_t k = 0; k < g->run->events; k++) {
        const bmf_event *event = &g->run->event[k];
        if (is_kept(event)) {
            list[(*count)++] = (point){event->begin, event->end, event->lane};
        } else if (event->kind <= BMF_EVENT_SKELETON) {
            const bool program = event->node == 0;
            if (!program)
                list[(*count)++] = (point){event->begin, event->begin, event->lane};
            list[(*count)++] = (point){event->end, event->end, program ? -1 : event->lane};
        }
    }
    qsort(list, (size_t)*count, sizeof *list, by_moment);
    return list;
}

/* How many agreements a time is, if it is nothing else but for rounding; otherwise 0. */
static int64_t whole_agreements(int64_t time, int64_t agreement)
{
    const int64_t times = (time + agreement / 2) / agreement;
    const bool is_sure = times <= MAX_AGREEMENTS && agreement > 8 * (times + 1);
    return is_sure && llabs(time - times * agreement) <= times + 1 ? times : 0;
}

static void find_predicted_meetings(replay_gaps *g)
{
    const int64_t agreement = g->run->agreement;
    int64_t count, from = 0;
    if (agreement <= 0 || g->run->lanes < 2)
        return;
    point *list = list_points(g, &count);
    for (int64_t k = 0; k < count;) {
        const int64_t first = k, time = list[k].time - from;
        int64_t lanes = 0, until = from, times = 0, rest = 0;
        for (; k < count && list[k].time == list[first].time; k++) {
            lanes += list[k].lane >= 0 && (k == first || list[k].lane != list[k - 1].lane);
            until = largest(until, list[k].until);
        }
        if (time + 1 >= agreement)
            times = whole_agreements(time, agreement);
        if (time + 1 >= agreement && times == 0 && lanes > 1) {
            times = 1;
            rest = largest(0, time - agreement);
        }
        if (times > 0)
            add_barrier(g, (replay_barrier){from, list[first].time, times, rest});
        from = until;
    }
    free(list);
}

/* clock: the last boundary. */
static int look_at_boundary(void *state, int64_t scope, bool leaves)
{
    replay_gaps *g = state;
    int64_t came[2] = {INT64_MAX, 0}, went[2] = {INT64_MAX, 0};
    for (int32_t lane = 0; lane < g->run->lanes; lane++) {
        const int64_t time = replay_gaps_boundary(g, scope, leaves, lane);
        if (time < 0)
            return BMF_OK;
        const int64_t last = largest(g->clock[lane], busy_until(g, unit_of(g->run, lane), time));
        came[0] = smallest(came[0], last);
        came[1] = largest(came[1], last);
        went[0] = smallest(went[0], time);
        went[1] = largest(went[1], time);
        g->clock[lane] = largest(g->clock[lane], time);
    }
    if (came[1] < went[0] && (came[1] - came[0]) / EVIDENCE >= went[1] - went[0] && came[1] - came[0] >= EVIDENCE)
        add_barrier(g, (replay_barrier){came[1], went[0], 1, went[0] - came[1]});
    return BMF_OK;
}

/* There and back in a tree of ranks. */
static int64_t likely_agreement(const bmf_trace_run *run, int64_t quickest)
{
    int64_t levels = 0;
    while (INT64_C(1) << levels < run->ranks)
        levels++;
    return quickest > INT64_MAX / 64 ? 0 : 2 * levels * quickest;
}

static void find_measured_meetings(replay_gaps *g, int64_t quickest)
{
    int64_t agreement = likely_agreement(g->run, quickest);
    if (g->run->ranks < 2)
        return;
    replay_scopes_walk(g->scopes, look_at_boundary, g);
    for (int64_t k = 0; k < g->meetings; k++)
        agreement = smallest(agreement, g->barrier[k].rest);
    for (int64_t k = 0; k < g->meetings; k++)
        g->barrier[k].rest -= agreement;
    for (int32_t lane = 0; lane < g->run->lanes; lane++)
        g->clock[lane] = 0;
}

/* ---- rounds across meetings ---- */

/* A leaf of a round, after so many meetings. */
typedef struct placed {
    const replay_leaf *leaf;
    int64_t meetings;
} placed;

static int64_t meetings_until(const replay_gaps *g, int64_t time)
{
    return SEARCH_FIRST(k, 0, g->meetings, g->barrier[k].to > time);
}

/* Leaves are replayed in their segment, even if they were recorded before it. */
static int64_t begin_of(const replay_gaps *g, const replay_leaf *leaf)
{
    const replay_scopes *s = g->scopes;
    const int32_t lane = leaf->event->lane;
    const bool first = leaf->segment == 0;
    const int64_t boundary = first ? leaf->scope : s->child[s->first_child[leaf->scope] + leaf->segment - 1];
    return largest(leaf->event->begin, replay_gaps_boundary(g, boundary, !first, lane));
}

static int by_round(const void *a, const void *b)
{
    const replay_leaf *x = ((const placed *)a)->leaf, *y = ((const placed *)b)->leaf;
    const int64_t of_x[] = {x->scope, x->pass, x->event->round}, of_y[] = {y->scope, y->pass, y->event->round};
    for (int k = 0; k < 3; k++)
        if (of_x[k] != of_y[k])
            return of_x[k] < of_y[k] ? -1 : 1;
    return 0;
}

static void remove_crossed(replay_gaps *g, const int64_t *crossed)
{
    int64_t kept = 0, open = 0;
    for (int64_t k = 0; k < g->meetings; k++) {
        open += crossed[k];
        if (open == 0)
            g->barrier[kept++] = g->barrier[k];
    }
    g->meetings = kept;
}

/* Processors would wait for each other without end. */
static void remove_meetings_inside_rounds(replay_gaps *g, const replay_leaf *leaf, int64_t leaves)
{
    placed *list = allocate(leaves * (int64_t)sizeof *list);
    int64_t *crossed = allocate_clear(g->meetings + 1, (int64_t)sizeof *crossed), count = 0;
    for (int64_t k = 0; k < leaves; k++)
        if (leaf[k].event->kind >= BMF_EVENT_SEND && leaf[k].event->kind <= BMF_EVENT_WAIT)
            list[count++] = (placed){&leaf[k], meetings_until(g, begin_of(g, &leaf[k]))};
    qsort(list, (size_t)count, sizeof *list, by_round);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        int64_t low = INT64_MAX, high = 0;
        for (end = begin; end < count && by_round(&list[begin], &list[end]) == 0; end++) {
            low = smallest(low, list[end].meetings);
            high = largest(high, list[end].meetings);
        }
        if (low < high) {
            crossed[low]++;
            crossed[high]--;
        }
    }
    remove_crossed(g, crossed);
    free(crossed);
    free(list);
}

/* ---- the whole ---- */

static bool records_collectives(const bmf_trace_run *run)
{
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_COLLECTIVE)
            return true;
    return false;
}

int64_t replay_gaps_boundary(const replay_gaps *g, int64_t scope, bool leaves, int32_t lane)
{
    if (scope == 0)
        return leaves ? g->program_end[lane] : 0;
    const bmf_event *event = &g->run->event[g->scopes->scope[scope].event[lane]];
    return leaves ? event->end : event->begin;
}

void replay_gaps_find(replay_gaps *g, const replay_scopes *scopes, const replay_leaf *leaf, int64_t leaves,
                      int64_t quickest)
{
    const bmf_trace_run *run = scopes->run;
    *g = (replay_gaps){.run = run, .scopes = scopes};
    g->clock = allocate_clear(3 * (int64_t)run->lanes, (int64_t)sizeof *g->clock);
    g->met = g->clock + run->lanes;
    g->program_end = g->met + run->lanes;
    for (int32_t lane = 0; lane < run->lanes; lane++)
        g->program_end[lane] = -1;
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind <= BMF_EVENT_SKELETON && run->event[k].node == 0)
            g->program_end[run->event[k].lane] = largest(g->program_end[run->event[k].lane], run->event[k].end);
    find_stretches(g);
    if (records_collectives(run))
        return;
    if (run->predicted)
        find_predicted_meetings(g);
    else
        find_measured_meetings(g, quickest);
    remove_meetings_inside_rounds(g, leaf, leaves);
}

void replay_gaps_free(replay_gaps *g)
{
    free(g->stretch);
    free(g->first_stretch);
    free(g->barrier);
    free(g->clock);
}

bool replay_gaps_next(replay_gaps *g, int32_t lane, int64_t until, replay_gap *gap)
{
    const int64_t unit = unit_of(g->run, lane);
    int64_t *clock = &g->clock[lane], *met = &g->met[lane], end = until;
    *gap = (replay_gap){0};
    if (*met < g->meetings && g->barrier[*met].to <= until) {
        const replay_barrier *barrier = &g->barrier[(*met)++];
        gap->meetings = barrier->times;
        gap->begin = barrier->from;
        gap->idle = barrier->rest;
        end = barrier->to;
    } else {
        if (until <= *clock)
            return false;
        gap->begin = *clock;
        gap->idle = idle_until(g, unit, until) - idle_until(g, unit, *clock);
    }
    const int64_t before = find_stretch(g, unit, gap->begin), first = g->first_stretch[unit];
    const int64_t after = before < 0 ? first : before + 1;
    gap->end = end;
    gap->before = before < 0 ? NULL : g->stretch[before].last;
    gap->after = after < g->first_stretch[unit + 1] ? g->stretch[after].first : NULL;
    *clock = largest(*clock, end);
    return true;
}

void replay_gaps_ends(const replay_gaps *g, int64_t *until)
{
    const int64_t met = g->meetings > 0 ? g->barrier[g->meetings - 1].to : 0;
    int64_t latest = 0;
    for (int32_t lane = 0; lane < g->run->lanes; lane++) {
        until[lane] = largest(g->clock[lane], busy_until(g, unit_of(g->run, lane), INT64_MAX));
        until[lane] = largest(until[lane], met);
        latest = largest(latest, until[lane]);
    }
    for (int32_t lane = 0; lane < g->run->lanes; lane++)
        until[lane] = largest(met, !g->run->predicted || until[lane] == latest ? g->program_end[lane] : 0);
}
