/* What one processor did in every interval.
 *
 * Method: every instant of a lane belongs to one event: to a kernel if one runs, otherwise to a file, otherwise to a
 * send, receive or wait, otherwise to nothing but the innermost region or call around it. Of several events of one
 * class at once the one that began first counts: their union, never their sum. So the lane is cut into stretches, four
 * lists in time order, that are walked together. An instant's node is its event's, so that children and the rest add
 * up to their parent exactly.
 *   What a lane lost because another one computed alone it lost in that one's call. So time in which it did nothing, or
 * waited for a partner who had not come, while another lane computed alone, is *claimed* by that call: it belongs to
 * the call and to nothing else, wherever the lane was. A first walk finds the claims, a second one adds up.
 * Cost: linear in the lane's events.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

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

/* Time that was lost to the kernel that ran alone on another lane. */
typedef struct bmf_claim {
    int64_t begin, end;
    int64_t owner; /* the kernel's event */
} bmf_claim;

typedef struct lane_walk {
    const bmf_analysis *analysis;
    const bmf_event *event; /* of the run */
    bmf_lane_row *row;
    const int64_t *list; /* numbers of the events that count */
    int64_t events;
    layer_list layer[LAYERS + 1];
    int32_t lane;
    int64_t next_claim;
} lane_walk;

void lane_row_create(const bmf_analysis *analysis, bmf_lane_row *row)
{
    int64_t nodes = analysis->run->nodes, max = 0;
    for (int32_t lane = 0; lane < analysis->run->lanes; lane++) {
        int64_t events = analysis->lane_start[lane + 1] - analysis->lane_start[lane];
        max = events > max ? events : max;
    }
    /* The innermost changes at most at both ends of every event; the other lists hold an event at most once. */
    *row = (bmf_lane_row){.capacity = 2 * max + 2};
    row->own = allocate_array(nodes, (int64_t)sizeof *row->own);
    row->stretch = allocate_array(row->capacity * (LAYERS + 1), (int64_t)sizeof *row->stretch);
    row->event = allocate_array(row->capacity * 2, (int64_t)sizeof *row->event);
}

void lane_row_free(bmf_lane_row *row)
{
    free(row->own);
    free(row->stretch);
    free(row->event);
    free(row->claim);
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

/* ---- adding up ---- */

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
    add_overlap(w, own, begin, end);
}

/* Of [begin, end), part of a receive or wait, the time before the partner came to the round. A receive knows its
 * partner; a wait is for the last of those the processor sends to, if it lasted until that one came. An agreement is
 * nothing else but waiting for all. */
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
    } else if (event->kind == BMF_EVENT_COLLECTIVE) {
        came = event->end;
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
    if (w->event[number].kind == BMF_EVENT_RECEIVE)
        receive_parts(w->analysis, number, begin, end, own);
}

/* A part of a stretch that nothing claims. */
static void add_part(lane_walk *w, layer of, int64_t owner, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    bmf_characteristics *own = &w->row->own[of == NOTHING ? (uint32_t)owner : w->event[owner].node];
    own->execution += end - begin;
    if (of == COMPUTE)
        add_compute(w, owner, begin, end);
    else if (of == FILES)
        own->file += end - begin;
    else if (of == COMMUNICATE)
        add_communication(w, owner, begin, end);
}

static void add_stretch(lane_walk *w, layer of, int64_t owner, int64_t begin, int64_t end)
{
    const bmf_lane_row *row = w->row;
    if (of == LAYERS)
        return;
    while (w->next_claim < row->claims && row->claim[w->next_claim].end <= begin)
        w->next_claim++;
    for (int64_t k = w->next_claim; k < row->claims && row->claim[k].begin < end; k++) {
        const bmf_claim *claim = &row->claim[k];
        add_part(w, of, owner, begin, claim->begin);
        begin = claim->end;
    }
    add_part(w, of, owner, begin, end);
}

/* ---- finding claims ---- */

/* Of [begin, end), in which the lane did nothing: what others computed alone. */
static void claim_lost(lane_walk *w, int64_t begin, int64_t end)
{
    const bmf_serial_sections *alone = &w->analysis->alone;
    bmf_lane_row *row = w->row;
    for (int64_t k = alone_after(alone, begin); k < alone->pieces && alone->begin[k] < end; k++) {
        const int64_t from = alone->begin[k] > begin ? alone->begin[k] : begin,
                      to = alone->end[k] < end ? alone->end[k] : end;
        if (from < to && w->event[alone->owner[k]].lane != w->lane)
            *ARRAY_APPEND(row->claim, row->claims, row->claims_capacity) = (bmf_claim){from, to, alone->owner[k]};
    }
}

static void claim_stretch(lane_walk *w, layer of, int64_t owner, int64_t begin, int64_t end)
{
    if (of == COMMUNICATE)
        claim_lost(w, begin, begin + late_partner(w->analysis, owner, begin, end));
    else if (of == NOTHING)
        claim_lost(w, begin, end);
}

/* What other lanes' calls claimed of this one, if they count. */
static void add_claims(lane_walk *w)
{
    const bmf_analysis *analysis = w->analysis;
    for (int64_t k = 0; k < w->row->claims; k++) {
        const bmf_claim *claim = &w->row->claim[k];
        if (analysis->counts && !analysis->counts[claim->owner])
            continue;
        bmf_characteristics *own = &w->row->own[w->event[claim->owner].node];
        own->execution += claim->end - claim->begin;
        own->insufficient += claim->end - claim->begin;
    }
}

/* ---- walking ---- */

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

typedef void walker(lane_walk *w, layer of, int64_t owner, int64_t begin, int64_t end);

static void walk_lane(lane_walk *w, int64_t first, int64_t last, walker *visit)
{
    for (int k = 0; k <= LAYERS; k++)
        w->layer[k].next = 0;
    for (int64_t time = first; time < last;) {
        int64_t until = last;
        const layer of = layer_at(w, time, &until);
        visit(w, of, of < LAYERS ? w->layer[of].at[w->layer[of].next].owner : 0, time, until);
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

/* Cuts the events of the list into stretches; false: there are none. */
static bool cut_lane(lane_walk *w, int64_t *first, int64_t *last)
{
    for (int k = 0; k <= LAYERS; k++)
        w->layer[k] = (layer_list){.at = w->row->stretch + k * w->row->capacity};
    if (w->events == 0)
        return false;
    *first = *last = w->event[w->list[0]].begin;
    for (int64_t k = 0; k < w->events; k++)
        *last = w->event[w->list[k]].end > *last ? w->event[w->list[k]].end : *last;
    cut_containers(w, *first, *last);
    cut_leaves(w);
    return true;
}

/* Of all events of the lane, also those that do not count: what it did elsewhere is not lost. */
static void find_claims(lane_walk *w)
{
    const bmf_analysis *analysis = w->analysis;
    int64_t first = INT64_MAX, last = INT64_MAX;
    w->row->claims = 0;
    if (analysis->alone.pieces == 0)
        return;
    for (int64_t k = w->events = 0; k < analysis->lane_start[w->lane + 1] - analysis->lane_start[w->lane]; k++)
        w->row->event[w->events++] = analysis->lane_start[w->lane] + k;
    const bool any = cut_lane(w, &first, &last);
    claim_lost(w, 0, first);
    if (any) {
        walk_lane(w, first, last, claim_stretch);
        claim_lost(w, last, INT64_MAX);
    }
}

void lane_row_fill(const bmf_analysis *analysis, int32_t lane, bmf_lane_row *row)
{
    lane_walk w = {.analysis = analysis, .event = analysis->run->event, .row = row, .list = row->event, .lane = lane};
    int64_t first, last;
    memset(row->own, 0, analysis->run->nodes * sizeof *row->own);
    find_claims(&w);
    add_claims(&w);
    w.events = lane_events(analysis, lane, row->event);
    if (!cut_lane(&w, &first, &last))
        return;
    walk_lane(&w, first, last, add_stretch);
    count_events(&w);
}
