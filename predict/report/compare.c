/* Comparing two runs of one program. Source: document 001, cmptrace; docs/intervals.md.
 *
 * Method: events are paired by structural id (compare_match.c), steps by node path and instance; sums and relative
 * errors are collected by state, by processor and state, and by node. The time of a step is that of the processor it
 * took longest on (document 001, 2.4.1).
 * Cost: one hash table over the smaller run, one sort of each run's regions and calls.
 */
#include "predict/report/compare.h"

#include <math.h>
#include <stdlib.h>

#include "predict/report/compare_private.h"
#include "runtime/base/allocate.h"
#include "predict/report/run_match.h"

static const double second = 1e-9; /* in nanoseconds' count */

static int64_t duration_of(const bmf_event *event)
{
    return event->end - event->begin;
}

static bool is_leaf(const bmf_event *event)
{
    return event->kind > BMF_EVENT_SKELETON;
}

static bool has_interval(int64_t low, int64_t high)
{
    return low < high;
}

/* ---- sums ---- */

static void add_sums(bmf_comparison *c, const bmf_trace_run *run, bool predicted)
{
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        double seconds = (double)duration_of(event) * second;
        *(predicted ? &c->state[event->kind].predicted : &c->state[event->kind].measured) += seconds;
        if (c->lane_state) {
            bmf_ratio *of = &c->lane_state[(int64_t)event->lane * BMF_EVENT_KINDS + event->kind];
            *(predicted ? &of->predicted : &of->measured) += seconds;
        }
        if (event->kind == BMF_EVENT_SEND) {
            *(predicted ? &c->predicted_messages : &c->measured_messages) += 1;
            sum_add(predicted ? &c->predicted_bytes : &c->measured_bytes, event->amount);
        }
    }
}

static void clear_ratios(bmf_ratio *ratio, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        ratio[k] = (bmf_ratio){.median = NAN, .p90 = NAN};
}

/* ---- level A, and errors for levels B and C ---- */

static void count_leaves(bmf_comparison *c, const bmf_both *both)
{
    int64_t predicted = 0;
    for (int64_t k = 0; k < both->run[1]->events; k++)
        predicted += is_leaf(&both->run[1]->event[k]);
    for (int64_t k = 0; k < both->run[0]->events; k++) {
        const bmf_event *event = &both->run[0]->event[k];
        if (!is_leaf(event))
            continue;
        c->pairs += c->match[k] >= 0;
        c->only_measured += c->match[k] < 0;
        if (c->match[k] < 0)
            continue;
        const bmf_event *match = &both->run[1]->event[c->match[k]];
        int64_t duration = duration_of(event);
        c->with_interval += has_interval(match->low, match->high);
        c->covered += has_interval(match->low, match->high) && match->low <= duration && duration <= match->high;
    }
    c->only_predicted = predicted - c->pairs;
}

static void find_errors(bmf_comparison *c, const bmf_both *both)
{
    const bmf_event *measured = both->run[0]->event, *predicted = both->run[1]->event;
    int64_t events = both->run[0]->events, count = 0;
    double *error = allocate_array(events, (int64_t)sizeof *error);
    int64_t *group = allocate_array(events, (int64_t)sizeof *group);
    for (int64_t k = 0; k < events; k++)
        if (c->match[k] >= 0) {
            error[count] = relative_error(duration_of(&measured[k]), duration_of(&predicted[c->match[k]]));
            group[count++] = (int64_t)measured[k].lane * BMF_EVENT_KINDS + measured[k].kind;
        }
    ratio_quantiles(count, group, error, (int64_t)both->run[0]->lanes * BMF_EVENT_KINDS, c->lane_state);
    for (int64_t k = 0; k < count; k++)
        group[k] %= BMF_EVENT_KINDS;
    ratio_quantiles(count, group, error, BMF_EVENT_KINDS, c->state);
    free(error);
    free(group);
}

static void compare_events(bmf_comparison *c, const bmf_both *both)
{
    int64_t states = (int64_t)both->run[0]->lanes * BMF_EVENT_KINDS;
    c->lane_state = allocate_array(states, (int64_t)sizeof *c->lane_state);
    c->match = compare_matches(both);
    clear_ratios(c->lane_state, states);
    count_leaves(c, both);
    find_errors(c, both);
}

/* ---- steps ---- */

typedef struct step {
    uint32_t node, instance; /* node of the measured run */
    bool top;                /* right below the program */
    int64_t duration, low, high;
} step;

static int by_step(const void *a, const void *b)
{
    const step *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->duration > y->duration ? -1 : x->duration < y->duration;
}

static bool same_step(const step *a, const step *b)
{
    return a->node == b->node && a->instance == b->instance;
}

/* The steps of a run by node and instance, each from the processor it took longest on. Nodes the measured run lacks are
 * UINT32_MAX and come last. To be freed. */
static step *find_steps(const bmf_trace_run *run, const uint32_t *known, int64_t *steps)
{
    int64_t count = 0, kept = 0;
    for (int64_t k = 0; k < run->events; k++)
        count += !is_leaf(&run->event[k]);
    step *made = allocate_array(count, (int64_t)sizeof *made);
    count = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (!is_leaf(event))
            made[count++] = (step){.node = known[event->node],
                                   .instance = event->instance,
                                   .top = event->node != 0 && run->node[event->node].parent == 0,
                                   .duration = duration_of(event),
                                   .low = event->low,
                                   .high = event->high};
    }
    if (count > 0)
        qsort(made, (size_t)count, sizeof *made, by_step);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || !same_step(&made[k], &made[k - 1]))
            made[kept++] = made[k];
    *steps = kept;
    return made;
}

/* Pairs of steps as errors by node, and those of the top level that took time in both as errors of one group. */
typedef struct step_errors {
    int64_t count, common;
    int64_t *group, *one_group;
    double *error, *common_error;
} step_errors;

static void add_pair(bmf_comparison *c, const step *measured, const step *predicted, step_errors *errors)
{
    bool interval = has_interval(predicted->low, predicted->high);
    c->steps++;
    c->steps_with_interval += interval;
    c->covered_steps += interval && predicted->low <= measured->duration && measured->duration <= predicted->high;
    errors->group[errors->count] = measured->node;
    errors->error[errors->count++] = relative_error(measured->duration, predicted->duration);
    if (!measured->top || measured->duration == 0 || predicted->duration == 0)
        return;
    c->common.measured += (double)measured->duration * second;
    c->common.predicted += (double)predicted->duration * second;
    errors->common_error[errors->common++] = errors->error[errors->count - 1];
}

static void join_steps(bmf_comparison *c, const step *measured, int64_t count, const step *predicted,
                       int64_t predicted_count, step_errors *errors)
{
    int64_t i = 0, j = 0;
    while (i < count || j < predicted_count) {
        bool pair = i < count && j < predicted_count && same_step(&measured[i], &predicted[j]);
        bool first = pair || j == predicted_count || (i < count && by_step(&measured[i], &predicted[j]) < 0);
        if (pair)
            add_pair(c, &measured[i], &predicted[j], errors);
        c->only_measured_steps += first && !pair;
        c->only_predicted_steps += !first;
        if (first)
            c->node[measured[i].node].measured += (double)measured[i].duration * second;
        if ((pair || !first) && predicted[j].node != UINT32_MAX)
            c->node[predicted[j].node].predicted += (double)predicted[j].duration * second;
        j += pair || !first;
        i += first;
    }
}

static void compare_steps(bmf_comparison *c, const bmf_both *both)
{
    int64_t count[2];
    step *of[2] = {find_steps(both->run[0], both->known[0], &count[0]),
                   find_steps(both->run[1], both->known[1], &count[1])};
    step_errors errors = {.group = allocate_array(count[0], (int64_t)sizeof(int64_t)),
                          .one_group = allocate_clear(count[0], (int64_t)sizeof(int64_t)),
                          .error = allocate_array(count[0], (int64_t)sizeof(double)),
                          .common_error = allocate_array(count[0], (int64_t)sizeof(double))};
    c->nodes = both->run[0]->nodes;
    c->node = allocate_array(c->nodes, (int64_t)sizeof *c->node);
    clear_ratios(c->node, c->nodes);
    join_steps(c, of[0], count[0], of[1], count[1], &errors);
    ratio_quantiles(errors.count, errors.group, errors.error, c->nodes, c->node);
    ratio_quantiles(errors.common, errors.one_group, errors.common_error, 1, &c->common);
    free(of[0]);
    free(of[1]);
    free(errors.group);
    free(errors.one_group);
    free(errors.error);
    free(errors.common_error);
}

/* ---- together ---- */

static void compare_all(bmf_comparison *c, const bmf_both *both)
{
    c->same_processors = both->run[0]->lanes == both->run[1]->lanes;
    c->total = (bmf_ratio){(double)run_latest_end(both->run[0]) * second, (double)run_latest_end(both->run[1]) * second,
                           0, NAN, NAN};
    clear_ratios(&c->common, 1);
    clear_ratios(c->state, BMF_EVENT_KINDS);
    if (c->same_processors)
        compare_events(c, both);
    add_sums(c, both->run[0], false);
    add_sums(c, both->run[1], true);
    compare_steps(c, both);
}

/* The nodes of the measured run that the predicted run's nodes are, and the measured run's own. */
static uint32_t *known_nodes(const bmf_trace_run *measured, const bmf_trace_run *predicted, const uint32_t *match)
{
    uint32_t *known = allocate_array((int64_t)measured->nodes + predicted->nodes, (int64_t)sizeof *known);
    for (uint32_t k = 0; k < measured->nodes; k++)
        known[k] = k;
    for (uint32_t k = 0; k < predicted->nodes; k++)
        known[measured->nodes + k] = UINT32_MAX;
    for (uint32_t k = 0; k < measured->nodes; k++)
        if (match[k] != UINT32_MAX)
            known[measured->nodes + match[k]] = k;
    return known;
}

int compare_runs(bmf_trace_run *measured, bmf_trace_run *predicted, bmf_comparison **comparison)
{
    *comparison = NULL;
    if (run_sort(measured) != BMF_OK || run_sort(predicted) != BMF_OK)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to compare two runs");
    bmf_comparison *c = allocate_clear(1, (int64_t)sizeof *c);
    c->node_match = node_matches(measured, predicted);
    BMF_TRY_OR(same_program(measured, predicted, c->node_match), comparison_free(c));
    uint32_t *known = known_nodes(measured, predicted, c->node_match);
    compare_all(c, &(bmf_both){{measured, predicted}, {known, known + measured->nodes}});
    free(known);
    *comparison = c;
    return BMF_OK;
}

void comparison_free(bmf_comparison *comparison)
{
    if (!comparison)
        return;
    free(comparison->lane_state);
    free(comparison->match);
    free(comparison->node);
    free(comparison->node_match);
    free(comparison);
}
