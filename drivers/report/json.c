/* Intervals as JSON: every characteristic in nanoseconds, every efficiency as a number or null. */
#include <stdlib.h>
#include <string.h>

#include "drivers/runs.h"
#include "predict/report/peaks.h"
#include "drivers/command/json.h"
#include "runtime/base/allocate.h"

static void set_nanos(json_t *to, const char *key, int64_t nanos)
{
    json_object_set_new(to, key, json_integer(nanos));
}

static json_t *kinds_json(const bmf_characteristics *c)
{
    json_t *kinds = json_object();
    for (int k = 0; k < BMF_COMMUNICATIONS; k++)
        if (c->kind_rounds[k] || c->kind[k] || c->kind_overlap[k])
            json_object_set_new(kinds, communication_name((bmf_communication)k),
                                json_pack("{s:I, s:I, s:I, s:I}", "rounds", (json_int_t)c->kind_rounds[k],
                                          "nanoseconds", (json_int_t)c->kind[k], "synchronisation",
                                          (json_int_t)c->kind_synchronisation[k], "overlap",
                                          (json_int_t)c->kind_overlap[k]));
    return kinds;
}

static json_t *characteristics_json(const bmf_characteristics *c, bool with_kinds)
{
    json_t *made = json_object();
    set_nanos(made, "execution", c->execution);
    set_nanos(made, "total", c->total);
    set_nanos(made, "productive", c->productive);
    set_nanos(made, "compute", c->compute);
    set_nanos(made, "file", c->file);
    set_nanos(made, "lost", c->lost);
    set_nanos(made, "insufficient", c->insufficient);
    set_nanos(made, "repeated", c->repeated);
    set_nanos(made, "communication", c->communication);
    set_nanos(made, "idle", c->idle);
    set_nanos(made, "synchronisation", c->synchronisation);
    set_nanos(made, "variation", c->variation);
    set_nanos(made, "imbalance", c->imbalance);
    set_nanos(made, "overlap", c->overlap);
    set_nanos(made, "messages", c->messages);
    set_nanos(made, "bytes", c->bytes);
    json_object_set_new(made, "receives",
                        json_pack("{s:I, s:I, s:I}", "waiting", (json_int_t)c->receive_waiting, "transport",
                                  (json_int_t)c->receive_transport, "overhead", (json_int_t)c->receive_overhead));
    if (with_kinds)
        json_object_set_new(made, "kinds", kinds_json(c));
    return made;
}

static json_t *efficiencies_json(const bmf_efficiencies *e)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "efficiency", json_finite(e->efficiency), "parallel",
                     json_finite(e->parallel), "load_balance", json_finite(e->load_balance), "communication",
                     json_finite(e->communication), "serialisation", json_finite(e->serialisation), "transfer",
                     json_finite(e->transfer), "replication", json_finite(e->replication));
}

/* By kind, those that there are. */
static json_t *operations_json(const bmf_interval *interval)
{
    json_t *made = json_object();
    for (int k = 0; k < BMF_COMMUNICATIONS; k++)
        if (interval->operations[k] > 0)
            json_object_set_new(made, communication_name((bmf_communication)k),
                                json_integer((json_int_t)interval->operations[k]));
    return made;
}

/* Where the interval is entered in the source. */
static json_t *places_json(const bmf_intervals *intervals, const bmf_interval *interval)
{
    json_t *made = json_array();
    for (int64_t k = 0; k < interval->places; k++)
        json_array_append_new(made, json_text(intervals->run->name[intervals->place[interval->first_place + k]]));
    return made;
}

static json_t *interval_json(const bmf_intervals *intervals, const bmf_interval *interval)
{
    char path[4096];
    return json_pack("{s:o, s:i, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
                     json_text(run_path(intervals->run, interval->node, path, sizeof path)), "level", interval->level,
                     "node", (json_int_t)interval->node, "instances", (json_int_t)interval->instances, "type",
                     interval_type_name(interval->type), "places", places_json(intervals, interval), "operations",
                     operations_json(interval), "all", characteristics_json(&interval->all, true), "least",
                     characteristics_json(&interval->min, false), "most", characteristics_json(&interval->max, false),
                     "efficiencies", efficiencies_json(&interval->efficiency));
}

static json_t *processors_json(const bmf_shown *shown)
{
    int32_t processors = shown->intervals->processors;
    json_t *rows = json_array();
    bmf_characteristics *each = allocate_array(processors, (int64_t)sizeof *each);
    intervals_each(shown->intervals, shown->from, each);
    bmf_held_peak *peak = allocate_array(processors, (int64_t)sizeof *peak);
    const bool known = held_peaks(shown->intervals->run, peak) >= 0;
    for (int32_t p = 0; p < processors; p++) {
        json_t *row = characteristics_json(&each[p], true);
        if (known)
            set_nanos(row, "memory_bytes", peak[p].bytes);
        json_array_append_new(rows, row);
    }
    free(peak);
    free(each);
    return rows;
}

json_t *report_json(const bmf_shown *shown)
{
    const bmf_interval *interval = shown->intervals->interval;
    json_t *made = run_json(shown->intervals->run), *rows = json_array();
    for (int64_t i = shown->from; i < shown->until; i++)
        if (interval[i].level - interval[shown->from].level < shown->depth)
            json_array_append_new(rows, interval_json(shown->intervals, &interval[i]));
    if (shown->answer)
        json_object_set_new(made, "answer", json_lines(shown->answer));
    bmf_held_peak peak;
    if (held_peak(shown->intervals->run, &peak))
        json_object_set_new(made, "memory",
                            json_pack("{s:I, s:i, s:I}", "bytes", (json_int_t)peak.bytes, "processor", peak.lane,
                                      "nanoseconds", (json_int_t)peak.time));
    json_object_set_new(made, "intervals", rows);
    if (shown->processors)
        json_object_set_new(made, "each_processor", processors_json(shown));
    return made;
}
