/* The calls and regions of a recorded run, in the order of the program.
 *
 * Method: all processors run one program, so every lane has an event for every scope, and on every lane an earlier
 * scope neither begins nor ends later than a later one begins. So the sum of the begins over all lanes puts scopes in
 * order even where single lanes did nothing and their scopes have no length; of equal sums the longer scope is the
 * outer one, and one without any length comes before those that it does not lie in by its path.
 * Cost: sorting the scopes' events twice.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "predict/replay/replay_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "predict/replay/fail.h"

typedef struct scope_event {
    uint32_t node, instance;
    int32_t lane;
    int64_t event;
} scope_event;

typedef struct scope_sum {
    uint32_t node, instance;
    int64_t begin, end; /* sums over lanes */
    int64_t first;      /* of its events */
    int64_t level;      /* of those with this begin and a length, how many are it or around it */
} scope_sum;

const char *replay_place(const bmf_trace_run *run, uint32_t node, uint32_t instance, char *text, size_t size)
{
    char path[512];
    snprintf(text, size, "'%s' (instance %" PRIu32 ")", run_path(run, node, path, sizeof path), instance);
    return text;
}

static int by_id(const void *a, const void *b)
{
    const scope_event *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static int by_time(const void *a, const void *b)
{
    const scope_sum *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static bool is_scope(const bmf_event *event)
{
    return event->kind <= BMF_EVENT_SKELETON && event->node != 0;
}

static scope_event *list_events(const bmf_trace_run *run, int64_t *count)
{
    *count = 0;
    for (int64_t k = 0; k < run->events; k++)
        *count += is_scope(&run->event[k]);
    scope_event *list = allocate(*count * (int64_t)sizeof *list);
    for (int64_t k = 0, n = 0; k < run->events; k++)
        if (is_scope(&run->event[k]))
            list[n++] = (scope_event){run->event[k].node, run->event[k].instance, run->event[k].lane, k};
    qsort(list, (size_t)*count, sizeof *list, by_id);
    return list;
}

/* Every scope must have one event on every lane. */
static int check_lanes(const bmf_trace_run *run, const scope_event *list, int64_t count, int64_t first)
{
    char place[640];
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        const scope_event *at = first + lane < count ? &list[first + lane] : NULL;
        if (at && at->node == list[first].node && at->instance == list[first].instance && at->lane == lane)
            continue;
        replay_place(run, list[first].node, list[first].instance, place, sizeof place);
        if (at && at->node == list[first].node && at->instance == list[first].instance && at->lane < lane)
            return fail_line(BMF_ERROR_ARGUMENT, "processor %d has the call %s twice", at->lane, place);
        return fail_line(BMF_ERROR_ARGUMENT, "processor %d lacks the call %s that others have", lane, place);
    }
    return BMF_OK;
}

static int by_level(const void *a, const void *b)
{
    const scope_sum *x = a, *y = b;
    return x->level != y->level ? (x->level > y->level) - (x->level < y->level) : by_time(a, b);
}

static bool lies_in(const bmf_trace_run *run, uint32_t node, uint32_t around)
{
    while (node > around)
        node = run->node[node].parent;
    return node == around;
}

/* Scopes of one begin, by time: those with a length lie in each other and come first. */
static void order_one_begin(const bmf_trace_run *run, scope_sum *sum, int64_t count)
{
    int64_t long_ones = 0;
    for (int64_t k = 0; k < count; k++) {
        if (sum[k].end > sum[k].begin)
            sum[k].level = ++long_ones;
        for (int64_t outer = long_ones; sum[k].level == 0 && outer > 0; outer--)
            if (lies_in(run, sum[k].node, sum[outer - 1].node))
                sum[k].level = outer;
    }
    qsort(sum, (size_t)count, sizeof *sum, by_level);
}

static void order_scopes(const bmf_trace_run *run, scope_sum *sum, int64_t count)
{
    qsort(sum, (size_t)count, sizeof *sum, by_time);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && sum[end].begin == sum[begin].begin; end++) {
        }
        order_one_begin(run, sum + begin, end - begin);
    }
}

static int sum_scopes(const bmf_trace_run *run, const scope_event *list, int64_t count, scope_sum **sums,
                      int64_t *scopes)
{
    *scopes = 0;
    *sums = allocate((count / run->lanes + 1) * (int64_t)sizeof **sums);
    for (int64_t k = 0; k < count; k += run->lanes) {
        scope_sum sum = {.node = list[k].node, .instance = list[k].instance, .first = k};
        BMF_TRY(check_lanes(run, list, count, k));
        for (int64_t lane = 0; lane < run->lanes; lane++) {
            const bmf_event *event = &run->event[list[k + lane].event];
            if (event->end > INT64_MAX / run->lanes)
                return fail_line(BMF_ERROR_ARGUMENT, "event %" PRId64 " ends after %" PRId64 " s, later than any run",
                                 list[k + lane].event, event->end / 1000000000);
            sum.begin += event->begin;
            sum.end += event->end;
        }
        (*sums)[(*scopes)++] = sum;
    }
    order_scopes(run, *sums, *scopes);
    return BMF_OK;
}

/* The innermost scope that is open is the parent, after those are closed that are not of the parent's node. */
static int find_parents(replay_scopes *s)
{
    char place[640];
    int64_t open = 0;
    for (int64_t k = 1; k < s->count; k++) {
        const uint32_t parent = s->run->node[s->scope[k].node].parent;
        while (open > 0 && s->scope[open].node != parent)
            open = s->scope[open].parent;
        if (s->scope[open].node != parent)
            return fail_line(BMF_ERROR_ARGUMENT, "the call %s lies in a region that was never left",
                             replay_place(s->run, s->scope[k].node, s->scope[k].instance, place, sizeof place));
        s->scope[k].parent = open;
        s->scope[k].ordinal = s->scope[open].children++;
        open = k;
    }
    return BMF_OK;
}

static void list_children(replay_scopes *s)
{
    s->first_child = allocate((s->count + 1) * (int64_t)sizeof *s->first_child);
    s->child = allocate(s->count * (int64_t)sizeof *s->child);
    s->first_child[0] = 0;
    for (int64_t k = 0; k < s->count; k++)
        s->first_child[k + 1] = s->first_child[k] + s->scope[k].children;
    for (int64_t k = 1; k < s->count; k++)
        s->child[s->first_child[s->scope[k].parent] + s->scope[k].ordinal] = k;
}

/* Scopes are found by bisection of those sorted by id: `sums` knows where each one's events begin in that order. */
static void enter_scopes(replay_scopes *s, const scope_event *list, int64_t count, const scope_sum *sums)
{
    const int64_t lanes = s->run->lanes;
    s->scope = allocate_clear(s->count, (int64_t)sizeof *s->scope);
    s->events = allocate(count * (int64_t)sizeof *s->events);
    s->by_id = allocate(s->count * (int64_t)sizeof *s->by_id);
    for (int64_t k = 0; k < count; k++)
        s->events[k] = list[k].event;
    for (int64_t k = 1; k < s->count; k++) {
        s->scope[k] = (replay_scope){
            .node = sums[k - 1].node, .instance = sums[k - 1].instance, .event = s->events + sums[k - 1].first};
        s->by_id[sums[k - 1].first / lanes] = k;
    }
}

int replay_scopes_read(const bmf_trace_run *run, replay_scopes *s)
{
    int64_t count, scopes = 0;
    scope_sum *sums = NULL;
    scope_event *list = list_events(run, &count);
    *s = (replay_scopes){.run = run};
    int status = sum_scopes(run, list, count, &sums, &scopes);
    if (status == BMF_OK) {
        s->count = scopes + 1;
        enter_scopes(s, list, count, sums);
        status = find_parents(s);
    }
    if (status == BMF_OK)
        list_children(s);
    free(list);
    free(sums);
    return status;
}

void replay_scopes_free(replay_scopes *s)
{
    free(s->scope);
    free(s->child);
    free(s->first_child);
    free(s->events);
    free(s->by_id);
}

static bool is_before(const replay_scope *scope, uint32_t node, uint32_t instance)
{
    return scope->node < node || (scope->node == node && scope->instance < instance);
}

int64_t replay_scopes_find(const replay_scopes *s, uint32_t node, uint32_t instance)
{
    if (node == 0)
        return 0;
    const int64_t at = SEARCH_FIRST(k, 0, s->count - 1, !is_before(&s->scope[s->by_id[k]], node, instance));
    if (at >= s->count - 1)
        return -1;
    const replay_scope *found = &s->scope[s->by_id[at]];
    return found->node == node && found->instance == instance ? s->by_id[at] : -1;
}

/* The event of a child scope on the lane of another event. */
static const bmf_event *child_event(const replay_scopes *s, int64_t k, const bmf_event *beside)
{
    return &s->run->event[s->scope[s->child[k]].event[beside->lane]];
}

/* A child without length at the event's begin may stand before or behind it; it is taken to stand behind. */
int64_t replay_scopes_before(const replay_scopes *s, int64_t scope, const bmf_event *event)
{
    const int64_t first = s->first_child[scope];
    return SEARCH_FIRST(k, first, s->first_child[scope + 1],
                        child_event(s, k, event)->end > event->begin ||
                            child_event(s, k, event)->begin >= event->begin) -
           first;
}

int replay_scopes_walk(const replay_scopes *s, int (*visit)(void *state, int64_t scope, bool leaves), void *state)
{
    int64_t open = 0;
    for (int64_t k = 1; k < s->count; k++) {
        for (; open != s->scope[k].parent; open = s->scope[open].parent)
            BMF_TRY(visit(state, open, true));
        BMF_TRY(visit(state, k, false));
        open = k;
    }
    for (; open != 0; open = s->scope[open].parent)
        BMF_TRY(visit(state, open, true));
    return visit(state, 0, true);
}
