/* Runs of traces for the commands that report and compare; private to drivers. */
#ifndef BMF_DRIVERS_RUNS_H
#define BMF_DRIVERS_RUNS_H

#include <jansson.h>

#include "drivers/command/command.h"
#include "predict/report/compare.h"
#include "predict/report/intervals.h"
#include "predict/report/numbers.h"

/* "measured: PROGRAM on MACHINE, 4 processors, 2 ranks, 1 thread", to be freed. */
char *text_run(const bmf_trace_run *run);
/* One line on standard output for everything about a run that makes its numbers less than they seem. */
void print_remarks(const bmf_trace_run *run);

/* Intervals with the efficiencies that need the ideal network, as far as the run can be replayed; if not, `why` (may be
 * NULL) gets a line to be freed. */
int make_run_intervals(bmf_trace_run *run, uint32_t node, int64_t instance, bmf_intervals **intervals, char **why);

/* The report about one run, or two side by side (second may be NULL); count runs of one program at different numbers of
 * processors make its speed-up curve. sources: see bmf_report_contents. */
int write_runs_html(bmf_trace_run *first, bmf_trace_run *second, bmf_trace_run *const *all, int count,
                    const bmf_strings *topologies, const char *sources, const char *path);

/* {"run": "measured", "program", "machine", "processors", "ranks", "threads", "seconds", "events", "lost_events"}. */
json_t *run_json(const bmf_trace_run *run);
/* The lines of a text as an array. */
json_t *json_lines(const char *text);

/* ---- bmf report ---- */

/* What is shown: an interval and those in it. */
typedef struct bmf_shown {
    const bmf_intervals *intervals;
    int64_t from, until; /* intervals [from, until) */
    int depth;           /* levels to show, INT_MAX: all */
    bool processors;     /* a table of the processors, too */
    const char *why;     /* serialisation and transfer are not known, or NULL */
    const char *answer;  /* what is said first; NULL: only a part of the run is shown */
} bmf_shown;

void report_print(const bmf_shown *shown);
json_t *report_json(const bmf_shown *shown);

/* ---- bmf compare ---- */

typedef struct bmf_compared {
    const bmf_trace_run *measured, *predicted;
    const bmf_comparison *comparison;
    bool processors;    /* level B, too */
    bool by_call;       /* states are operations */
    const char *answer; /* what is said first */
} bmf_compared;

void compare_print(const bmf_compared *of);
json_t *compare_json(const bmf_compared *of);
/* Level A: one line per event, as comma separated values. BMF_ERROR_FILE, BMF_ERROR_MEMORY, or BMF_ERROR_ARGUMENT at
 * different P. */
int compare_write_events(const bmf_compared *of, const char *path);

#endif
