/* A comparison as JSON; numbers that are not finite are null. */
#include <stdlib.h>

#include "drivers/runs.h"
#include "predict/report/compare_calls.h"
#include "drivers/command/json.h"

static json_t *ratio_json(const bmf_ratio *r)
{
    return json_pack("{s:f, s:f, s:o, s:I, s:o, s:o}", "measured", r->measured, "predicted", r->predicted, "ratio",
                     json_finite(r->predicted / r->measured), "pairs", (json_int_t)r->events, "median",
                     json_finite(r->median), "p90", json_finite(r->p90));
}

static bool is_empty(const bmf_ratio *r)
{
    return !(r->measured > 0) && !(r->predicted > 0) && r->events == 0;
}

static json_t *states_json(const bmf_ratio *state)
{
    json_t *made = json_object();
    for (int k = 0; k < BMF_EVENT_KINDS; k++)
        if (!is_empty(&state[k]))
            json_object_set_new(made, bmf_event_kind_name((bmf_event_kind)k), ratio_json(&state[k]));
    return made;
}

/* Sums by operation, and by processor and operation if these are asked for. */
static json_t *calls_json(const bmf_compared *of)
{
    bmf_call_comparison calls;
    json_t *all = json_object();
    compare_calls(of->measured, of->predicted, &calls);
    for (int64_t k = 0; k < calls.states; k++) {
        json_t *row = json_pack("{s:f, s:f, s:o}", "measured", calls.all[k][0], "predicted", calls.all[k][1], "ratio",
                                json_finite(calls.all[k][1] / calls.all[k][0]));
        json_t *lanes = of->processors && calls.lanes ? json_array() : NULL;
        for (int64_t lane = 0; lanes && lane < calls.lanes; lane++) {
            const double *seconds = calls.lane[lane * calls.states + k];
            json_array_append_new(lanes, json_pack("[f, f]", seconds[0], seconds[1]));
        }
        if (lanes)
            json_object_set_new(row, "processors", lanes);
        json_object_set_new(all, calls.name[k], row);
    }
    call_comparison_free(&calls);
    return all;
}

static json_t *processors_json(const bmf_compared *of)
{
    json_t *rows = json_array();
    for (int64_t lane = 0; lane < of->measured->lanes; lane++)
        json_array_append_new(rows, states_json(&of->comparison->lane_state[lane * BMF_EVENT_KINDS]));
    return rows;
}

static json_t *steps_json(const bmf_compared *of)
{
    const bmf_comparison *c = of->comparison;
    json_t *rows = json_array();
    char path[4096];
    uint32_t *place = first_places(of->measured);
    for (uint32_t node = 0; node < (uint32_t)c->nodes; node++) {
        if (is_empty(&c->node[node]))
            continue;
        json_t *row = ratio_json(&c->node[node]);
        if (place[node])
            json_object_set_new(row, "place", json_text(of->measured->name[place[node]]));
        json_object_set_new(row, "path", json_text(run_path(of->measured, node, path, sizeof path)));
        json_array_append_new(rows, row);
    }
    free(place);
    return rows;
}

static json_t *counts_json(int64_t measured, int64_t predicted)
{
    return json_pack("{s:I, s:I, s:b}", "measured", (json_int_t)measured, "predicted", (json_int_t)predicted, "equal",
                     measured == predicted);
}

static json_t *pairs_json(int64_t pairs, int64_t only_measured, int64_t only_predicted, int64_t with_interval,
                          int64_t covered)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "pairs", (json_int_t)pairs, "only_measured",
                     (json_int_t)only_measured, "only_predicted", (json_int_t)only_predicted, "with_interval",
                     (json_int_t)with_interval, "covered", (json_int_t)covered);
}

json_t *compare_json(const bmf_compared *of)
{
    const bmf_comparison *c = of->comparison;
    json_t *made = json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "measured", run_json(of->measured),
                             "predicted", run_json(of->predicted), "same_processors", c->same_processors, "common",
                             ratio_json(&c->common), "seconds", ratio_json(&c->total), "messages",
                             counts_json(c->measured_messages, c->predicted_messages), "bytes",
                             counts_json(c->measured_bytes, c->predicted_bytes), "states", states_json(c->state),
                             "steps", steps_json(of), "step_pairs",
                             pairs_json(c->steps, c->only_measured_steps, c->only_predicted_steps,
                                        c->steps_with_interval, c->covered_steps));
    json_object_set_new(made, "answer", json_lines(of->answer));
    if (c->same_processors)
        json_object_set_new(made, "events",
                            pairs_json(c->pairs, c->only_measured, c->only_predicted, c->with_interval, c->covered));
    if (of->by_call)
        json_object_set_new(made, "calls", calls_json(of));
    if (of->processors && c->lane_state)
        json_object_set_new(made, "processors", processors_json(of));
    return made;
}
