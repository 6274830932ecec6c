/* Fuzz target of what is made of traces that others wrote: intervals, the comparison with the run itself, the page. */
#include <stdlib.h>

#include "bmf/status.h"
#include "bmf/trace.h"
#include "ctest/fuzz/fuzz.h"
#include "predict/report/report.h"
#include "runtime/trace/trace.h"

static void write_page(bmf_trace_run *run, bmf_intervals *intervals, const bmf_comparison *comparison)
{
    const bmf_report_contents contents = {
        .title = "<b>&", .runs = 2, .run = {run, run}, .intervals = {intervals, intervals}, .comparison = comparison};
    const int status = report_write(&contents, "/dev/null");
    if (status != BMF_OK)
        demand_line(status);
}

static void compare(bmf_trace_run *run, bmf_intervals *intervals)
{
    bmf_comparison *comparison;
    const int status = compare_runs(run, run, &comparison);
    if (status != BMF_OK) {
        demand_line(status);
        return;
    }
    demand(comparison->only_measured == comparison->only_predicted, "a run has the events that it has");
    write_page(run, intervals, comparison);
    comparison_free(comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_trace *trace;
    bmf_trace_run *ideal = NULL;
    bmf_intervals *intervals;
    int status = bmf_trace_read(NULL, file_of(bytes, size), &trace);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    bmf_trace_run *run = trace->run[0];
    status = intervals_ideal(run, &ideal);
    if (status != BMF_OK) {
        demand_line(status);
        ideal = NULL;
    }
    status = intervals_create(run, ideal, &intervals);
    if (status != BMF_OK) {
        demand_line(status);
    } else {
        compare(run, intervals);
        intervals_free(intervals);
    }
    run_free(ideal);
    bmf_trace_free(trace);
    return 0;
}
