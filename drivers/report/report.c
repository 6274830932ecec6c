/* bmf report: where the time of runs went. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/runs.h"
#include "predict/report/answer.h"
#include "runtime/base/allocate.h"

typedef struct options {
    int depth; /* 0: all */
    bool processors;
    const char *html;     /* file, or NULL */
    bmf_strings networks; /* under the runs on the page */
    const char *source;   /* directory, or NULL */
    const char *interval; /* path, or NULL: the program */
    int64_t instance;     /* -1: all */
    bool json;
} options;

/* All runs of all traces. */
typedef struct input {
    int traces, runs;
    bmf_trace **trace;
    bmf_trace_run **run;
} input;

static int read_traces(int count, char **path, input *in)
{
    *in = (input){.trace = allocate_clear(count, (int64_t)sizeof *in->trace),
                  .run = allocate_clear(2 * (int64_t)count, (int64_t)sizeof *in->run)};
    for (int k = 0; k < count; k++) {
        BMF_TRY(bmf_trace_read(NULL, path[k], &in->trace[k]));
        in->traces++;
        for (int r = 0; r < in->trace[k]->runs; r++)
            in->run[in->runs++] = in->trace[k]->run[r];
    }
    return BMF_OK;
}

static void free_input(input *in)
{
    for (int k = 0; k < in->traces; k++)
        bmf_trace_free(in->trace[k]);
    free(in->trace);
    free(in->run);
}

/* The node of a path, UINT32_MAX if the run has none. */
static uint32_t find_node(const bmf_trace_run *run, const char *wanted)
{
    char path[4096];
    for (uint32_t node = 0; node < run->nodes; node++)
        if (strcmp(run_path(run, node, path, sizeof path), wanted) == 0)
            return node;
    return UINT32_MAX;
}

/* The intervals that are asked for, and from which to which they are shown. */
static int make_intervals(bmf_trace_run *run, const options *o, bmf_intervals **intervals, char **why, bmf_shown *shown)
{
    uint32_t node = o->interval ? find_node(run, o->interval) : 0;
    *intervals = NULL;
    if (node == UINT32_MAX)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the %s run of '%s' has no interval '%s'",
                        run->predicted ? "predicted" : "measured", run->program, o->interval);
    BMF_TRY(make_run_intervals(run, node, o->instance, intervals, why));
    *shown = (bmf_shown){
        .intervals = *intervals, .depth = o->depth > 0 ? o->depth : INT_MAX, .processors = o->processors, .why = *why};
    const bmf_interval *interval = (*intervals)->interval;
    while (shown->from < (*intervals)->count && interval[shown->from].node != node)
        shown->from++;
    if (shown->from == (*intervals)->count || (o->instance >= 0 && interval[0].instances == 0))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the %s run of '%s' never entered '%s'%s",
                        run->predicted ? "predicted" : "measured", run->program, o->interval,
                        o->instance < 0 ? "" : " as often as that");
    shown->until = shown->from + 1;
    while (shown->until < (*intervals)->count && interval[shown->until].level > interval[shown->from].level)
        shown->until++;
    return BMF_OK;
}

static char *answer_about(bmf_trace_run *run, bmf_intervals *intervals)
{
    bmf_report_contents about = {.runs = 1, .run = {run}, .intervals = {intervals}};
    run_expect(run, &about.expected[0]);
    return report_answer(&about);
}

/* Prints one run, or adds it to the JSON. */
static int report_run(bmf_trace_run *run, const options *o, bool first, json_t *all)
{
    bmf_intervals *intervals;
    bmf_shown shown = {0};
    char *why = NULL;
    int status = make_intervals(run, o, &intervals, &why, &shown);
    char *answer = status == BMF_OK && !o->interval ? answer_about(run, intervals) : NULL;
    shown.answer = answer;
    if (status == BMF_OK && all) {
        json_array_append_new(all, report_json(&shown));
    } else if (status == BMF_OK) {
        if (!first)
            puts("");
        report_print(&shown);
    }
    intervals_free(intervals);
    free(answer);
    free(why);
    return status;
}

/* The first measured and the first predicted run, or the first two of one sort. */
static int write_html(const input *in, const options *o)
{
    bmf_trace_run *first = in->run[0], *second = NULL;
    for (int k = 0; k < in->runs; k++)
        if (!in->run[k]->predicted) {
            first = in->run[k];
            break;
        }
    for (int k = 0; k < in->runs; k++)
        if (in->run[k] != first && (!second || (in->run[k]->predicted && !second->predicted)))
            second = in->run[k];
    return write_runs_html(first, second, in->run, in->runs, &o->networks, o->source, o->html);
}

/* What is left to say on standard output: everything if there is no page. */
static int print_all(const input *in, const options *o)
{
    json_t *all = o->json ? json_array() : NULL;
    int status = BMF_OK;
    for (int k = 0; status == BMF_OK && k < in->runs && (o->json || !o->html); k++)
        status = report_run(in->run[k], o, k == 0, all);
    if (status == BMF_OK && all)
        json_print(json_pack("{s:o}", "runs", all), BMF_JSON_INDENT);
    else
        json_decref(all);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    input in;
    if (o->instance >= 0 && !o->interval)
        return usage_error("--instance needs an --interval");
    int status = read_traces(operands->count, operands->text, &in);
    if (status == BMF_OK && o->html)
        status = write_html(&in, o);
    if (status == BMF_OK)
        status = print_all(&in, o);
    free_input(&in);
    return report_status(ctx, status);
}

static const bmf_option table[] = {
    BMF_OPTION("html", "FILE", BMF_TEXT(options, html),
               "write one self-contained page with charts instead; of several runs the first measured and the first "
               "predicted one stand side by side, and runs with different numbers of processors make a speed-up curve"),
    BMF_OPTION("network", "N", BMF_LIST(options, networks),
               "lay this topology under the runs on the page: mesh, torus, hypercube, binary-tree, .. (the smallest "
               "that is large enough), or a machine with a network of links; may be given several times"),
    BMF_OPTION("source", "DIR", BMF_TEXT(options, source),
               "take the source texts that the page quotes from DIR if they are not where the traces say"),
    BMF_OPTION("depth", "N", BMF_WHOLE(options, depth, 1, INT_MAX), "show N levels of intervals (1: the program)"),
    BMF_OPTION("interval", "PATH", BMF_TEXT(options, interval), "begin with this interval, such as main/steps/scan"),
    BMF_OPTION("instance", "K", BMF_WHOLE(options, instance, 0, UINT32_MAX),
               "of that interval only the K-th time it was entered, from 0"),
    BMF_OPTION("processors", NULL, BMF_FLAG(options, processors), "every processor, too"),
    BMF_OPTION(
        "json", NULL, BMF_FLAG(options, json),
        "print one JSON object: runs, each with run, program, machine, processors, ranks, threads, seconds, events, "
        "lost_events, answer (how long, where the time goes, what limits it, what would help, how sure: five texts), "
        "and intervals: "
        "path, level, instances, type, places (in the source), operations, all (over all "
        "processors), least, most "
        "(of one "
        "processor) in nanoseconds, and efficiencies"),
    BMF_OPTION_END};

static const options defaults = {.instance = -1};

const bmf_driver report_command = {
    .name = "report",
    .summary = "say where the time of runs went",
    .synopsis = "bmf report TRACE.. [OPTION]..",
    .about =
        "Says where the time of the runs in some traces went: for the program, its regions and skeleton calls how much "
        "of all processors' time was productive, what was lost and why, the efficiencies, and how far processors are "
        "apart. docs/intervals.md explains every number.",
    .example =
        BMF_MPIRUN_NAME " -n 4 ./program --bmf-trace run.trace\nbmf report run.trace --depth 2\nbmf report run.trace "
                        "predicted.trace --html report.html",
    .see = "bmf-compare, bmf-convert",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no trace",
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
