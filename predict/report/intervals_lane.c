/* What one processor did in every interval.
 *
 * Method: every instant of a lane belongs to one event: to a kernel if one runs, otherwise to a file, otherwise to a
 * send, receive or wait, otherwise to nothing but the innermost region or call around it. Of several events of one
 * class at once the one that began first counts: their union, never their sum. So the lane is cut into stretches, four
 * lists in time order, that are walked together. An instant's node is its event's, so that children and the rest add
 * up to their parent exactly.
 * Cost: linear in the lane's events.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"

/* In the order of precedence; windows only mark computing as overlapped. */
typedef enum layer { COMPUTE, FILES, COMMUNICATE, NOTHING, LAYERS, WINDOW = LAYERS } layer;

/* A piece of the lane that belongs to one event (or, in NOTHING, to one node). */
typedef struct bmf_stretch {
    int64_t begin, end;
    int64_t owner; /* event; NOTHING: node; WINDOW: part */
} bmf_stretch;

/* A list of stretches in time order, none overlapping. */
typedef struct layer_list {
    bmf_stretch *at;
    int64_t count, next;
    int64_t covered; /* everything before is decided */
} layer_list;

typedef struct lane_walk {
    const bmf_analysis *analysis;
    const bmf_event *event; /* of the run */
    bmf_lane_row *row;
    const int64_t *list; /* numbers of the events that count */
    int64_t events;
    layer_list layer[LAYERS + 1];
} lane_walk;

void lane_row_create(const bmf_analysis *analysis, bmf_lane_row *row)
{
    int64_t nodes = analysis->run->nodes, max = 0;
    for (int32_t lane = 0; lane < analysis->run->lanes; lane++) {
        int64_t events = analysis->lane_start[lane + 1] - analysis->lane_start[lane];
        max = events > max ? events : max;
    }
    /* The innermost changes at most at both ends of every event; the other lists hold an event at most once. */
    row->capacity = 2 * max + 2;
    row->own = allocate_array(nodes, (int64_t)sizeof *row->own);
    row->alone = allocate_array(nodes, (int64_t)sizeof *row->alone);
    row->stretch = allocate_array(row->capacity * (LAYERS + 1), (int64_t)sizeof *row->stretch);
    row->event = allocate_array(row->capacity * 2, (int64_t)sizeof *row->event);
}

void lane_row_free(bmf_lane_row *row)
{
    free(row->own);
    free(row->alone);
    free(row->stretch);
    free(row->event);
    *row = (bmf_lane_row){0};
}

/* ---- which events count ---- */

/* An instance reaches from its event on to the next of its node; what begins when it ends is of it only without
 * length. */
int64_t lane_events(const bmf_analysis *analysis, int32_t lane, int64_t *list)
{
    int64_t begin = analysis->lane_start[lane], end = analysis->lane_start[lane + 1], count = 0;
    const bmf_event *event = analysis->run->event;
    if (analysis->root == 0) {
        for (int64_t k = begin; k < end; k++)
            list[count++] = k;
        return count;
    }
    const bmf_event *around = NULL;
    for (int64_t k = begin; k < end; k++) {
        bool other = event[k].node == analysis->root && event[k].instance != analysis->instance;
        bool entry = event[k].node == analysis->root && event[k].kind <= BMF_EVENT_SKELETON;
        if (!around && entry && !other)
            around = &event[k];
        else if (around && (event[k].begin > around->end || (entry && event[k].begin >= around->end)))
            break;
        bool begins = around && (event[k].begin < around->end || event[k].end == around->end);
        if (begins && !other && analysis->inside[event[k].node])
            list[count++] = k;
    }
    return count;
}

/* ---- cutting the lane into stretches ---- */

static void push(layer_list *list, int64_t begin, int64_t end, int64_t owner)
{
    if (begin < list->covered)
        begin = list->covered;
    if (begin >= end)
        return;
    list->at[list->count++] = (bmf_stretch){begin, end, owner};
    list->covered = end;
}

/* The innermost region or call at every instant from the first event to the last. Where there is none it is the
 * program's time; an instance has no part in time outside of its events. */
static void cut_containers(lane_walk *w, int64_t first, int64_t last)
{
    layer_list *list = &w->layer[NOTHING];
    int64_t *stack = w->row->event + w->row->capacity, depth = 0;
    list->covered = first;
    for (int64_t k = 0; k < w->events; k++) {
        const bmf_event *event = &w->event[w->list[k]];
        if (event->kind > BMF_EVENT_SKELETON)
            continue;
        for (; depth > 0 && w->event[stack[depth - 1]].end <= event->begin; depth--)
            push(list, list->covered, w->event[stack[depth - 1]].end, w->event[stack[depth - 1]].node);
        if (depth > 0 || w->analysis->root == 0)
            push(list, list->covered, event->begin, depth ? w->event[stack[depth - 1]].node : 0);
        list->covered = event->begin > list->covered ? event->begin : list->covered;
        stack[depth++] = w->list[k];
    }
    for (; depth > 0; depth--)
        push(list, list->covered, w->event[stack[depth - 1]].end, w->event[stack[depth - 1]].node);
    if (w->analysis->root == 0)
        push(list, list->covered, last, 0);
}

static void cut_leaves(lane_walk *w)
{
    static const layer of_kind[BMF_EVENT_KINDS] = {
        [BMF_EVENT_KERNEL] = COMPUTE,   [BMF_EVENT_FILE] = FILES,
        [BMF_EVENT_SEND] = COMMUNICATE, [BMF_EVENT_RECEIVE] = COMMUNICATE,
        [BMF_EVENT_WAIT] = COMMUNICATE, [BMF_EVENT_REGION] = NOTHING,
        [BMF_EVENT_SKELETON] = NOTHING, [BMF_EVENT_COLLECTIVE] = COMMUNICATE};
    int64_t last_part = -1;
    for (int64_t k = 0; k < w->events; k++) {
        int64_t number = w->list[k], part = w->analysis->rounds.part_of[number];
        const bmf_event *event = &w->event[number];
        if (of_kind[event->kind] != NOTHING)
            push(&w->layer[of_kind[event->kind]], event->begin, event->end, number);
        /* Parts are numbered by their first events. */
        if (part > last_part) {
            push(&w->layer[WINDOW], w->analysis->rounds.part[part].begin, w->analysis->rounds.part[part].end, part);
            last_part = part;
        }
    }
}

/* ---- walking them ---- */

/* Computing while a round is under way. */
static void add_overlap(lane_walk *w, bmf_characteristics *own, int64_t begin, int64_t end)
{
    layer_list *windows = &w->layer[WINDOW];
    while (windows->next < windows->count && windows->at[windows->next].end <= begin)
        windows->next++;
    for (int64_t k = windows->next; k < windows->count && windows->at[k].begin < end; k++) {
        const bmf_stretch *window = &windows->at[k];
        int64_t from = window->begin > begin ? window->begin : begin, to = window->end < end ? window->end : end;
        own->overlap += to - from;
        own->kind_overlap[w->analysis->kind[w->analysis->rounds.part[window->owner].node]] += to - from;
    }
}

static void add_compute(lane_walk *w, int64_t number, int64_t begin, int64_t end)
{
    const bmf_analysis *analysis = w->analysis;
    uint32_t node = w->event[number].node;
    bmf_characteristics *own = &w->row->own[node];
    own->compute += end - begin;
    if (analysis->copies && analysis->copies[number] > 1)
        own->repeated += end - begin - (end - begin) / analysis->copies[number];
    w->row->alone[node] += alone_within(&analysis->alone, begin, end);
    add_overlap(w, own, begin, end);
}

/* Of [begin, end), part of a receive or wait, the time before the partner came to the round. A receive knows its
 * partner; a wait is for the last of those the processor sends to, if it lasted until that one came. */
static int64_t late_partner(const bmf_analysis *analysis, int64_t number, int64_t begin, int64_t end)
{
    const bmf_event *event = &analysis->run->event[number];
    int64_t came = -1;
    if (analysis->came) {
        came = analysis->came[number];
    } else if (event->kind == BMF_EVENT_RECEIVE) {
        const bmf_round_part *partner = rounds_find(&analysis->rounds, event, event->peer);
        came = partner ? partner->begin : -1;
    } else if (event->kind == BMF_EVENT_WAIT) {
        came = analysis->rounds.part[analysis->rounds.part_of[number]].latest;
    }
    if (came <= begin || came > event->end)
        return 0;
    return (came < end ? came : end) - begin;
}

static void add_communication(lane_walk *w, int64_t number, int64_t begin, int64_t end)
{
    uint32_t node = w->event[number].node;
    bmf_characteristics *own = &w->row->own[node];
    bmf_communication kind = w->analysis->kind[node];
    int64_t late = late_partner(w->analysis, number, begin, end);
    own->communication += end - begin;
    own->kind[kind] += end - begin;
    own->synchronisation += late;
    own->kind_synchronisation[kind] += late;
}

static void add_stretch(lane_walk *w, layer of, int64_t owner, int64_t begin, int64_t end)
{
    uint32_t node = of == NOTHING ? (uint32_t)owner : w->event[owner].node;
    bmf_characteristics *own = &w->row->own[node];
    own->execution += end - begin;
    if (of == COMPUTE)
        add_compute(w, owner, begin, end);
    else if (of == FILES)
        own->file += end - begin;
    else if (of == COMMUNICATE)
        add_communication(w, owner, begin, end);
}

/* The layer an instant belongs to, and until when at most; LAYERS if to none. */
static layer layer_at(lane_walk *w, int64_t time, int64_t *until)
{
    for (layer of = COMPUTE; of < LAYERS; of++) {
        layer_list *list = &w->layer[of];
        while (list->next < list->count && list->at[list->next].end <= time)
            list->next++;
        if (list->next == list->count)
            continue;
        const bmf_stretch *stretch = &list->at[list->next];
        int64_t bound = stretch->begin <= time ? stretch->end : stretch->begin;
        *until = bound < *until ? bound : *until;
        if (stretch->begin <= time)
            return of;
    }
    return LAYERS;
}

static void walk_lane(lane_walk *w, int64_t first, int64_t last)
{
    for (int64_t time = first; time < last;) {
        int64_t until = last;
        layer of = layer_at(w, time, &until);
        if (of < LAYERS)
            add_stretch(w, of, w->layer[of].at[w->layer[of].next].owner, time, until);
        time = until;
    }
}

/* ---- counting ---- */

static void count_round(const bmf_analysis *analysis, const bmf_round_part *part, bmf_characteristics *own)
{
    sum_add(&own->variation, analysis->rounds.group_end[part->group] - part->end);
    own->kind_rounds[analysis->kind[part->node]]++;
}

static void count_events(lane_walk *w)
{
    const bmf_analysis *analysis = w->analysis;
    int64_t last_part = -1;
    for (int64_t k = 0; k < w->events; k++) {
        int64_t number = w->list[k], part = analysis->rounds.part_of[number];
        const bmf_event *event = &w->event[number];
        bmf_characteristics *own = &w->row->own[event->node];
        if (event->kind == BMF_EVENT_SEND) {
            own->messages++;
            sum_add(&own->bytes, event->amount);
        }
        if (part > last_part) {
            count_round(analysis, &analysis->rounds.part[part], own);
            last_part = part;
        }
    }
}

static void clear_row(const bmf_analysis *analysis, bmf_lane_row *row)
{
    size_t nodes = analysis->run->nodes;
    memset(row->own, 0, nodes * sizeof *row->own);
    memset(row->alone, 0, nodes * sizeof *row->alone);
}

void lane_row_fill(const bmf_analysis *analysis, int32_t lane, bmf_lane_row *row)
{
    lane_walk w = {.analysis = analysis, .event = analysis->run->event, .row = row, .list = row->event};
    clear_row(analysis, row);
    w.events = lane_events(analysis, lane, row->event);
    if (w.events == 0)
        return;
    for (int k = 0; k <= LAYERS; k++)
        w.layer[k] = (layer_list){.at = row->stretch + k * row->capacity};
    int64_t first = w.event[w.list[0]].begin, last = first;
    for (int64_t k = 0; k < w.events; k++)
        last = w.event[w.list[k]].end > last ? w.event[w.list[k]].end : last;
    cut_containers(&w, first, last);
    cut_leaves(&w);
    walk_lane(&w, first, last);
    count_events(&w);
}
