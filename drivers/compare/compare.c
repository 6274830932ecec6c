/* bmf compare: a measured and a predicted run, or any two runs of one program. Document 001's cmptrace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/runs.h"
#include "predict/report/answer.h"
#include "predict/report/compare_calls.h"
#include "runtime/base/output_file.h"

typedef struct options {
    const char *events, *html, *table; /* files, or NULL */
    const char *source;                /* directory, or NULL */
    bmf_strings networks;              /* under the runs on the page */
    bool json, processors;
    int by, digits;
} options;

/* The measured or predicted run of a trace; its first or last run if all are of one sort. */
static bmf_trace_run *choose_run(const bmf_trace *trace, bool predicted)
{
    for (int k = 0; k < trace->runs; k++)
        if ((trace->run[k]->predicted != 0) == predicted)
            return trace->run[k];
    return trace->run[predicted ? trace->runs - 1 : 0];
}

enum { BY_KIND, BY_CALL };

static const char *by_name(int number, const char **about)
{
    static const char *const name[] = {"kind", "call", NULL};
    static const char *const text[] = {"kernel, send, receive, wait, file, collective",
                                       "MPI calls of recorded programs, skeletons of bmf's own", NULL};
    *about = text[number];
    return name[number];
}

/* cmptrace's output. */
static int write_table(const bmf_compared *of, const options *o)
{
    bmf_output_file output;
    bmf_call_comparison calls;
    int failure = output_file_open(&output, strcmp(o->table, "-") == 0 ? "/dev/stdout" : o->table);
    FILE *stream = failure ? NULL : output_file_stream(&output);
    if (stream) {
        compare_calls(of->measured, of->predicted, &calls);
        compare_calls_print(of->measured, of->predicted, &calls, of->comparison->match, o->digits, stream);
        call_comparison_free(&calls);
    }
    if (!failure)
        failure = output_file_close(&output, stream ? 0 : ENOMEM);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", o->table, strerror(failure)) : BMF_OK;
}

/* Intervals without the efficiencies that need the ideal network: the paragraph does not say them. */
static int make_answer(bmf_trace_run *measured, bmf_trace_run *predicted, const bmf_comparison *comparison,
                       char **answer)
{
    bmf_report_contents about = {.runs = 2, .run = {measured, predicted}, .comparison = comparison};
    BMF_TRY(intervals_create(measured, NULL, &about.intervals[0]));
    for (int k = 0; k < 2; k++)
        run_expect(about.run[k], &about.expected[k]);
    *answer = report_answer(&about);
    intervals_free(about.intervals[0]);
    return BMF_OK;
}

static int show(bmf_trace_run *measured, bmf_trace_run *predicted, const options *o)
{
    bmf_comparison *comparison;
    BMF_TRY(compare_runs(measured, predicted, &comparison));
    char *answer = NULL;
    int status = make_answer(measured, predicted, comparison, &answer);
    bmf_compared of = {measured, predicted, comparison, o->processors, o->by == BY_CALL, answer};
    if (status == BMF_OK && o->events)
        status = compare_write_events(&of, o->events);
    if (status == BMF_OK && o->html)
        status = write_runs_html(measured, predicted, (bmf_trace_run *[]){measured, predicted}, 2, &o->networks,
                                 o->source, o->html);
    if (status == BMF_OK && o->table)
        status = write_table(&of, o);
    bool quiet = (o->events && strcmp(o->events, "-") == 0) || (o->table && strcmp(o->table, "-") == 0);
    if (status == BMF_OK && o->json)
        json_print(compare_json(&of), BMF_JSON_INDENT);
    else if (status == BMF_OK && !quiet)
        compare_print(&of);
    free(answer);
    comparison_free(comparison);
    return status;
}

static int compare_traces(int count, char **path, const options *o)
{
    bmf_trace *first, *second = NULL;
    BMF_TRY(bmf_trace_read(NULL, path[0], &first));
    int status = count == 2 ? bmf_trace_read(NULL, path[1], &second) : BMF_OK;
    if (status == BMF_OK && count == 1 && first->runs < 2)
        status = bmf_fail(NULL, BMF_ERROR_ARGUMENT, "trace '%s' holds one run; give a second trace to compare it with",
                          path[0]);
    if (status == BMF_OK)
        status = show(count == 2 ? choose_run(first, false) : first->run[0],
                      count == 2 ? choose_run(second, true) : first->run[1], o);
    bmf_trace_free(second);
    bmf_trace_free(first);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    if (o->json && o->events && strcmp(o->events, "-") == 0)
        return usage_error("--json and --events - both go to standard output");
    return report_status(ctx, compare_traces(operands->count, operands->text, o));
}

static const options defaults = {.digits = 2};

static const bmf_option table[] = {
    BMF_OPTION("html", "FILE", BMF_TEXT(options, html), "write both runs to one self-contained page with charts, too"),
    BMF_OPTION("network", "N", BMF_LIST(options, networks),
               "lay this topology under the runs on the page: mesh, torus, hypercube, binary-tree, .. (the smallest "
               "that is large enough), or a machine with a network of links; may be given several times"),
    BMF_OPTION("source", "DIR", BMF_TEXT(options, source),
               "take the source texts that the page quotes from DIR if they are not where the traces say"),
    BMF_OPTION(
        "events", "FILE", BMF_TEXT(options, events),
        "write every event and its match, as comma separated values; - is standard output, which then holds nothing "
        "else"),
    BMF_OPTION("by", "WHAT", BMF_CHOICE(options, by, by_name), "what states are, one of:"),
    BMF_OPTION("table", "FILE", BMF_TEXT(options, table),
               "write document 001's tables: every event, every processor and state, every state, each with both times "
               "in seconds and their ratio; - is standard output"),
    BMF_OPTION("digits", "N", BMF_WHOLE(options, digits, 0, 15), "decimals in these tables"),
    BMF_OPTION("processors", NULL, BMF_FLAG(options, processors), "show every processor's states, too"),
    BMF_OPTION(
        "json", NULL, BMF_FLAG(options, json),
        "print one JSON object: answer (how long, where the time goes, what limits it, what would help, how sure: "
        "five texts), measured and predicted (the runs), "
        "same_processors, common, seconds, messages, "
        "bytes, states, steps, step_pairs, and with equal numbers of processors events and, with --processors, "
        "processors; ratios are predicted / measured"),
    BMF_OPTION_END};

const bmf_driver compare_command = {
    .name = "compare",
    .summary = "set a measured and a predicted run side by side",
    .synopsis = "bmf compare MEASURED PREDICTED [OPTION]..\nbmf compare TRACE [OPTION]..",
    .about =
        "Sets two runs of one program side by side, event by event: how long they are, by state, by step (a region or "
        "skeleton call), messages and bytes, and whether measured times are inside of the predicted intervals. First "
        "comes the length of what both runs have: the sum over the steps of the top level that took time in both, "
        "without what came before the program and reading files, which predictions do not have. One trace that holds "
        "both runs may be given alone; of two traces the measured run of the first (if it has one) is compared with "
        "the predicted run of the second. With different numbers of processors steps are compared.",
    .example = BMF_MPIRUN_NAME
    " -n 4 ./program --bmf-trace run.trace\nbmf compare run.trace predicted.trace --events events.csv",
    .exit_code = "2 is also traces of different programs; differences between the runs are none.",
    .see = "bmf-report, bmf-convert",
    .options = table,
    .min_operands = 1,
    .max_operands = 2,
    .no_operand = "no traces",
    .surplus = "more than two traces",
    .defaults = &defaults,
    .size = sizeof(options),
    .run = run};
