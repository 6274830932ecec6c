/* Document 001's level A: every event with its match, one line each.
 *
 * Columns: processor, kind, path, instance, round, peer (-1: none), begin and duration in both runs, ratio, the bounds
 * of the predicted 95 % interval, and whether the measured duration is inside. What only one run has leaves the
 * other's columns empty. Events stand in the order of the measured run, then those of the predicted run alone.
 */
#include <stdlib.h>

#include "runtime/convert/output.h"
#include "runtime/convert/view.h"
#include "drivers/runs.h"

static const char heading[] =
    "processor,kind,path,instance,round,peer,measured_begin_ns,measured_ns,predicted_begin_ns,"
    "predicted_ns,ratio,low_ns,high_ns,inside\n";

static void put_id(bmf_output *out, const bmf_trace_run *run, const bmf_event *event)
{
    char path[2048];
    char *quoted = style_text(run_path(run, event->node, path, sizeof path), BMF_STYLE_CSV);
    output_print(out, "%d,%s,\"", event->lane, bmf_event_kind_name((bmf_event_kind)event->kind));
    output_text(out, quoted ? quoted : "");
    output_print(out, "\",%u,%u,%d,", event->instance, event->round, event->peer);
    free(quoted);
}

static void put_times(bmf_output *out, const bmf_event *event)
{
    if (event)
        output_print(out, "%lld,%lld,", (long long)event->begin, (long long)(event->end - event->begin));
    else
        output_text(out, ",,");
}

static void put_pair(bmf_output *out, const bmf_event *measured, const bmf_event *predicted)
{
    put_times(out, measured);
    put_times(out, predicted);
    if (!measured || !predicted) {
        output_text(out, ",,,\n");
        return;
    }
    int64_t duration = measured->end - measured->begin;
    if (duration > 0)
        output_print(out, "%.6g", (double)(predicted->end - predicted->begin) / (double)duration);
    output_print(out, ",%lld,%lld,%d\n", (long long)predicted->low, (long long)predicted->high,
                 predicted->low <= duration && duration <= predicted->high);
}

static void put_events(bmf_output *out, const bmf_compared *of, bool *has_match)
{
    const int64_t *match = of->comparison->match;
    output_text(out, heading);
    for (int64_t k = 0; k < of->measured->events; k++) {
        const bmf_event *event = &of->measured->event[k];
        put_id(out, of->measured, event);
        put_pair(out, event, match[k] < 0 ? NULL : &of->predicted->event[match[k]]);
        if (match[k] >= 0)
            has_match[match[k]] = true;
    }
    for (int64_t k = 0; k < of->predicted->events; k++)
        if (!has_match[k]) {
            put_id(out, of->predicted, &of->predicted->event[k]);
            put_pair(out, NULL, &of->predicted->event[k]);
        }
}

int compare_write_events(const bmf_compared *of, const char *path)
{
    bmf_output out = {0};
    if (!of->comparison->match)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "events have no matches in a run with another number of processors (%d and %d)",
                        of->measured->lanes, of->predicted->lanes);
    bool *has_match = calloc((size_t)of->predicted->events + 1, sizeof *has_match);
    if (!has_match)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to compare events");
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK)
        put_events(&out, of, has_match);
    free(has_match);
    return output_close(NULL, &out, status);
}
