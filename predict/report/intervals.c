/* Intervals: where a run's time went, region by region and call by call. Formulas and their sources: docs/intervals.md.
 *
 * Method: the intervals are the nodes of the run that anything happened in, as a tree. Lane by lane, the events give
 * what the processor did in every node itself (intervals_lane.c); sums from the leaves to the root give what it did in
 * every interval. A first pass finds the longest execution and computing of every interval, a second one what was lost.
 * Cost: a few passes over the events, hash lookups for messages; intervals x processors characteristics of about 400
 * bytes as long as they fit into BMF_INTERVALS_MEMORY, otherwise the lanes are walked twice and nothing is kept.
 */
#include "predict/report/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"

int64_t intervals_memory = BMF_INTERVALS_MEMORY;

/* ---- what is known of the run before its lanes are looked at ---- */

/* By node: is it the root or below it? To be freed. */
static bool *mark_inside(const bmf_trace_run *run, uint32_t root)
{
    bool *inside = allocate_clear(run->nodes, (int64_t)sizeof *inside);
    for (uint32_t k = root; k < run->nodes; k++)
        inside[k] = k == root || (k > 0 && inside[run->node[k].parent]);
    return inside;
}

/* By event: is it of the instance that is asked for? To be freed. */
static bool *mark_counted(const bmf_analysis *analysis)
{
    const bmf_trace_run *run = analysis->run;
    bool *counts = allocate_clear(run->events, (int64_t)sizeof *counts);
    int64_t *list = allocate_array(run->events, (int64_t)sizeof *list);
    for (int32_t lane = 0; lane < run->lanes; lane++)
        for (int64_t k = lane_events(analysis, lane, list); k-- > 0;)
            counts[list[k]] = true;
    free(list);
    return counts;
}

void analysis_create(const bmf_trace_run *run, uint32_t root, uint32_t instance, bmf_analysis *analysis)
{
    *analysis = (bmf_analysis){.run = run, .root = root, .instance = instance};
    analysis->kind = communication_kinds(run);
    analysis->lane_start = lane_starts(run);
    analysis->inside = mark_inside(run, root);
    analysis->copies = repeated_create(run);
    rounds_create(run, &analysis->rounds);
    analysis->came = recorded_arrivals(run);
    analysis->sent = receive_sends(run);
    receive_costs_read(run, &analysis->receives);
    serial_sections_create(run, &analysis->alone);
    analysis->counts = root == 0 ? NULL : mark_counted(analysis);
}

void analysis_free(bmf_analysis *analysis)
{
    free(analysis->kind);
    free(analysis->lane_start);
    free(analysis->inside);
    free(analysis->copies);
    free(analysis->came);
    free(analysis->sent);
    free(analysis->counts);
    rounds_free(&analysis->rounds);
    serial_sections_free(&analysis->alone);
    *analysis = (bmf_analysis){0};
}

/* ---- the tree ---- */

/* By node. */
typedef struct survey {
    int64_t *first;   /* begin of its first event or of one below it, INT64_MAX: none */
    int64_t *entered; /* how often, on the lane with most */
    int64_t *index;   /* number of its interval, -1: none */
    int64_t intervals;
} survey;

static void free_survey(survey *s)
{
    free(s->first);
    free(s->entered);
    free(s->index);
}

static void create_survey(const bmf_analysis *analysis, survey *s)
{
    int64_t nodes = analysis->run->nodes;
    *s = (survey){.first = allocate_array(nodes, (int64_t)sizeof *s->first),
                  .entered = allocate_clear(nodes, (int64_t)sizeof *s->entered),
                  .index = allocate_array(nodes, (int64_t)sizeof *s->index)};
    for (int64_t k = 0; k < nodes; k++) {
        s->first[k] = INT64_MAX;
        s->index[k] = -1;
    }
}

/* First events and numbers of instances; `now` counts one lane's instances. */
static void look_at_lanes(const bmf_analysis *analysis, bmf_lane_row *row, survey *s, int64_t *now)
{
    const bmf_trace_run *run = analysis->run;
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t events = lane_events(analysis, lane, row->event);
        memset(now, 0, run->nodes * sizeof *now);
        for (int64_t k = 0; k < events; k++) {
            const bmf_event *event = &run->event[row->event[k]];
            if (event->begin < s->first[event->node])
                s->first[event->node] = event->begin;
            if (event->kind <= BMF_EVENT_SKELETON && ++now[event->node] > s->entered[event->node])
                s->entered[event->node] = now[event->node];
        }
    }
    for (uint32_t k = run->nodes; k-- > analysis->root + 1;)
        if (analysis->inside[k] && s->first[k] < s->first[run->node[k].parent])
            s->first[run->node[k].parent] = s->first[k];
    if (s->first[analysis->root] == INT64_MAX)
        s->first[analysis->root] = 0;
}

typedef struct entry {
    int64_t first;
    uint32_t node;
} entry;

static int by_entry(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Children of a node in the order of first entry, as a chain. */
typedef struct family {
    uint32_t child, sibling; /* 0: none, as the root is neither */
} family;

static family *make_families(const bmf_analysis *analysis, const survey *s)
{
    const bmf_trace_run *run = analysis->run;
    family *of = allocate_clear(run->nodes, (int64_t)sizeof *of);
    entry *sorted = allocate_array(run->nodes, (int64_t)sizeof *sorted);
    int64_t count = 0;
    for (uint32_t k = analysis->root + 1; k < run->nodes; k++)
        if (analysis->inside[k] && s->first[k] != INT64_MAX)
            sorted[count++] = (entry){s->first[k], k};
    if (count > 0)
        qsort(sorted, (size_t)count, sizeof *sorted, by_entry);
    while (count-- > 0) {
        uint32_t node = sorted[count].node, parent = run->node[node].parent;
        of[node].sibling = of[parent].child;
        of[parent].child = node;
    }
    free(sorted);
    return of;
}

/* Depth first, so that every interval is followed by what is in it. */
static void make_tree(const bmf_analysis *analysis, survey *s, bmf_intervals *intervals)
{
    const bmf_trace_run *run = analysis->run;
    family *of = make_families(analysis, s);
    intervals->interval = allocate_clear(run->nodes, (int64_t)sizeof *intervals->interval);
    int32_t level = 0;
    for (uint32_t node = analysis->root;;) {
        bool top = node == analysis->root;
        s->index[node] = intervals->count;
        intervals->interval[intervals->count++] = (bmf_interval){.node = node,
                                                                 .level = level,
                                                                 .instances = s->entered[node],
                                                                 .parent = top ? -1 : s->index[run->node[node].parent]};
        if (of[node].child) {
            node = of[node].child;
            level++;
            continue;
        }
        for (; node != analysis->root && !of[node].sibling; level--)
            node = run->node[node].parent;
        if (node == analysis->root)
            break;
        node = of[node].sibling;
    }
    free(of);
}

/* ---- the two passes ---- */

/* By interval: the longest of all processors. */
typedef struct extremes {
    int64_t execution, compute;
} extremes;

static void add_characteristics(bmf_characteristics *to, const bmf_characteristics *from)
{
    int64_t *sum = (int64_t *)to;
    const int64_t *value = (const int64_t *)from;
    for (int k = 0; k < BMF_CHARACTERISTICS; k++)
        sum_add(&sum[k], value[k]);
}

/* A lane's row by interval, children included. */
static void sum_row(const bmf_analysis *analysis, const bmf_intervals *intervals, bmf_lane_row *row,
                    bmf_characteristics *to, int64_t stride)
{
    const bmf_trace_run *run = analysis->run;
    for (uint32_t k = run->nodes; k-- > analysis->root;) {
        if (analysis->inside[k] && k != analysis->root)
            add_characteristics(&row->own[run->node[k].parent], &row->own[k]);
    }
    for (int64_t i = 0; i < intervals->count; i++)
        to[i * stride] = row->own[intervals->interval[i].node];
}

/* What was lost, on one processor. */
static void finish(bmf_characteristics *c, const extremes *over)
{
    c->total = over->execution;
    c->productive = c->compute + c->file - c->repeated;
    c->idle = over->execution - c->compute - c->file - c->communication - c->insufficient;
    c->insufficient += c->repeated;
    c->lost = c->insufficient + c->communication + c->idle;
    c->imbalance = over->compute - c->compute;
}

static void include(bmf_interval *interval, const bmf_characteristics *c, bool first)
{
    const int64_t *value = (const int64_t *)c;
    int64_t *min = (int64_t *)&interval->min, *max = (int64_t *)&interval->max;
    add_characteristics(&interval->all, c);
    for (int k = 0; k < BMF_CHARACTERISTICS; k++) {
        min[k] = first || value[k] < min[k] ? value[k] : min[k];
        max[k] = first || value[k] > max[k] ? value[k] : max[k];
    }
}

static void note_extremes(extremes *over, const bmf_characteristics *c)
{
    over->execution = c->execution > over->execution ? c->execution : over->execution;
    over->compute = c->compute > over->compute ? c->compute : over->compute;
}

typedef struct passes {
    const bmf_analysis *analysis;
    bmf_intervals *intervals;
    bmf_lane_row *row;
    bmf_characteristics *lane; /* one value per interval, used when not everything is kept */
    extremes *over;
} passes;

/* Where a lane's values are, and how far apart. */
static bmf_characteristics *place_of(const passes *p, int32_t lane, int64_t *stride)
{
    *stride = p->intervals->each ? p->intervals->processors : 1;
    return p->intervals->each ? p->intervals->each + lane : p->lane;
}

static void run_passes(const passes *p)
{
    bmf_intervals *intervals = p->intervals;
    int64_t stride;
    for (int32_t lane = 0; lane < intervals->processors; lane++) {
        bmf_characteristics *of = place_of(p, lane, &stride);
        lane_row_fill(p->analysis, lane, p->row);
        sum_row(p->analysis, intervals, p->row, of, stride);
        for (int64_t i = 0; i < intervals->count; i++)
            note_extremes(&p->over[i], &of[i * stride]);
    }
    for (int32_t lane = 0; lane < intervals->processors; lane++) {
        bmf_characteristics *of = place_of(p, lane, &stride);
        if (!intervals->each) {
            lane_row_fill(p->analysis, lane, p->row);
            sum_row(p->analysis, intervals, p->row, of, stride);
        }
        for (int64_t i = 0; i < intervals->count; i++) {
            finish(&of[i * stride], &p->over[i]);
            include(&intervals->interval[i], &of[i * stride], lane == 0);
        }
    }
    for (int64_t i = 0; i < intervals->count; i++)
        intervals->interval[i].all.execution = p->over[i].execution;
}

static void make_characteristics(const bmf_analysis *analysis, bmf_lane_row *row, bmf_intervals *intervals)
{
    int64_t size = (int64_t)sizeof(bmf_characteristics), count = intervals->count;
    if (count <= intervals_memory / size / intervals->processors)
        intervals->each = allocate_array(count * intervals->processors, size);
    passes p = {analysis, intervals, row, allocate_array(count, size), allocate_clear(count, (int64_t)sizeof *p.over)};
    run_passes(&p);
    free(p.lane);
    free(p.over);
}

/* ---- efficiencies ---- */

static double ratio(int64_t part, double whole)
{
    return whole > 0 ? (double)part / whole : NAN;
}

static void find_efficiencies(bmf_interval *interval, int32_t processors, const bmf_interval *ideal)
{
    const bmf_characteristics *all = &interval->all;
    bmf_efficiencies *e = &interval->efficiency;
    double longest_compute = (double)interval->max.compute;
    e->efficiency = ratio(all->productive, (double)all->total);
    e->parallel = ratio(all->compute, (double)all->total);
    e->load_balance = ratio(all->compute, longest_compute * processors);
    e->communication = ratio(interval->max.compute, (double)all->execution);
    e->replication = ratio(all->compute - all->repeated, (double)all->compute);
    e->serialisation = ideal ? ratio(interval->max.compute, (double)ideal->all.execution) : NAN;
    e->transfer = ideal ? ratio(ideal->all.execution, (double)all->execution) : NAN;
}

/* ---- everything together ---- */

/* Sums over all processors must not overflow; no real run comes near. */
static int check_times(const bmf_trace_run *run)
{
    int64_t end = run_latest_end(run);
    if (end <= INT64_MAX / 4 / run->lanes)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                    "the times of the trace of '%s' are too large to be added up over its %d processors", run->program,
                    run->lanes);
}

static void build(const bmf_trace_run *run, uint32_t root, uint32_t instance, bmf_intervals *intervals)
{
    bmf_analysis analysis;
    bmf_lane_row row;
    survey s;
    analysis_create(run, root, instance, &analysis);
    int64_t *now = allocate_array(run->nodes, (int64_t)sizeof *now);
    lane_row_create(&analysis, &row);
    create_survey(&analysis, &s);
    look_at_lanes(&analysis, &row, &s, now);
    make_tree(&analysis, &s, intervals);
    make_characteristics(&analysis, &row, intervals);
    intervals_find_places(&analysis, intervals);
    free(now);
    free_survey(&s);
    lane_row_free(&row);
    analysis_free(&analysis);
}

static int create(bmf_trace_run *run, uint32_t root, uint32_t instance, bmf_intervals **intervals)
{
    *intervals = NULL;
    if (run_sort(run) != BMF_OK)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the intervals of a run");
    BMF_TRY(check_times(run));
    bmf_intervals *made = allocate((int64_t)sizeof *made);
    *made =
        (bmf_intervals){.run = run, .processors = run->lanes, .node = root ? root : UINT32_MAX, .instance = instance};
    build(run, root, instance, made);
    for (int64_t i = 0; i < made->count; i++)
        find_efficiencies(&made->interval[i], made->processors, NULL);
    intervals_classify(made);
    *intervals = made;
    return BMF_OK;
}

/* Efficiencies that need the ideal run, of all intervals that it has too. */
static int compare_with_ideal(bmf_intervals *intervals, bmf_trace_run *ideal, uint32_t root, const uint32_t *match)
{
    bmf_intervals *other;
    if (match[root] == UINT32_MAX)
        return BMF_OK;
    BMF_TRY(create(ideal, match[root], intervals->instance, &other));
    int64_t *index = allocate_array(ideal->nodes, (int64_t)sizeof *index);
    for (uint32_t k = 0; k < ideal->nodes; k++)
        index[k] = -1;
    for (int64_t i = 0; i < other->count; i++)
        index[other->interval[i].node] = i;
    for (int64_t i = 0; i < intervals->count; i++) {
        uint32_t node = match[intervals->interval[i].node];
        int64_t of = node == UINT32_MAX ? -1 : index[node];
        find_efficiencies(&intervals->interval[i], intervals->processors, of < 0 ? NULL : &other->interval[of]);
    }
    free(index);
    intervals_free(other);
    return BMF_OK;
}

static int use_ideal(bmf_intervals *intervals, bmf_trace_run *ideal, uint32_t root)
{
    const bmf_trace_run *run = intervals->run;
    if (ideal->lanes != run->lanes)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the run on the ideal network has %d processors, not %d",
                        ideal->lanes, run->lanes);
    uint32_t *match = node_matches(run, ideal);
    int status = same_program(run, ideal, match);
    if (status == BMF_OK)
        status = compare_with_ideal(intervals, ideal, root, match);
    free(match);
    return status;
}

int intervals_instance(bmf_trace_run *run, bmf_trace_run *ideal, uint32_t node, uint32_t instance,
                       bmf_intervals **intervals)
{
    *intervals = NULL;
    if (node >= run->nodes)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the run has %u nodes, none of number %u", run->nodes, node);
    BMF_TRY(create(run, node, instance, intervals));
    int status = ideal ? use_ideal(*intervals, ideal, node) : BMF_OK;
    if (status != BMF_OK) {
        intervals_free(*intervals);
        *intervals = NULL;
    }
    return status;
}

int intervals_create(bmf_trace_run *run, bmf_trace_run *ideal, bmf_intervals **intervals)
{
    return intervals_instance(run, ideal, 0, 0, intervals);
}

/* ---- one interval on every processor ---- */

/* Walks the lanes once more for one interval; the longest and the sum are known from before. */
static void walk_again(const bmf_intervals *intervals, const bmf_analysis *analysis, int64_t interval,
                       bmf_characteristics *each)
{
    bmf_lane_row row;
    uint32_t node = intervals->interval[interval].node;
    extremes over = {0};
    lane_row_create(analysis, &row);
    bmf_intervals single = {.count = 1, .interval = &(bmf_interval){.node = node}};
    for (int32_t lane = 0; lane < intervals->processors; lane++) {
        lane_row_fill(analysis, lane, &row);
        sum_row(analysis, &single, &row, &each[lane], 1);
        note_extremes(&over, &each[lane]);
    }
    for (int32_t lane = 0; lane < intervals->processors; lane++)
        finish(&each[lane], &over);
    lane_row_free(&row);
}

void intervals_each(const bmf_intervals *intervals, int64_t interval, bmf_characteristics *each)
{
    if (intervals->each) {
        memcpy(each, intervals->each + interval * intervals->processors, (size_t)intervals->processors * sizeof *each);
        return;
    }
    bmf_analysis analysis;
    uint32_t root = intervals->node == UINT32_MAX ? 0 : intervals->node;
    analysis_create(intervals->run, root, intervals->instance, &analysis);
    walk_again(intervals, &analysis, interval, each);
    analysis_free(&analysis);
}

void intervals_free(bmf_intervals *intervals)
{
    if (!intervals)
        return;
    free(intervals->interval);
    free(intervals->place);
    free(intervals->each);
    free(intervals);
}
