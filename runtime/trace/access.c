/* What users see of a trace in memory. */
#include "runtime/trace/trace.h"

int bmf_trace_runs(const bmf_trace *trace)
{
    return trace->runs;
}

bool bmf_trace_is_predicted(const bmf_trace *trace, int run)
{
    return trace->run[run]->predicted;
}

int32_t bmf_trace_lanes(const bmf_trace *trace, int run)
{
    return trace->run[run]->lanes;
}

int32_t bmf_trace_lane_rank(const bmf_trace *trace, int run, int32_t lane)
{
    return trace->run[run]->lane_rank[lane];
}

const bmf_event *bmf_trace_events(const bmf_trace *trace, int run, int64_t *count)
{
    *count = trace->run[run]->events;
    return trace->run[run]->event;
}

const char *bmf_trace_name(const bmf_trace *trace, int run, uint32_t name)
{
    return trace->run[run]->name[name];
}

char *bmf_trace_path(const bmf_trace *trace, int run, uint32_t node, char *text, size_t size)
{
    return run_path(trace->run[run], node, text, size);
}
