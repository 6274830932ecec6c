/* bmf compare: a measured and a predicted run, or any two runs of one program. Document 001's cmptrace. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/runs.h"
#include "drivers/sheet/json.h"

typedef struct options {
    const char *events, *html; /* files, or NULL */
    bool json, processors, help;
} options;

static void print_help(void)
{
    puts(
        "usage: bmf compare MEASURED PREDICTED [OPTION..]\n"
        "       bmf compare TRACE [OPTION..]\n"
        "\n"
        "Sets two runs of one program side by side, event by event: how long they are, by state, by step (a region or\n"
        "skeleton call), messages and bytes, and whether measured times are inside of the predicted intervals. First "
        "comes\n"
        "the length of what both runs have: the sum over the steps of the top level that took time in both, without\n"
        "what came before the program and reading files, which predictions do not have. One trace that holds both "
        "runs\n"
        "may be given alone; of two traces the measured run of the first (if it has one) is compared with the "
        "predicted\n"
        "run of the second. With different numbers of processors steps are compared.\n"
        "\n"
        "  --events F    write every event and its twin to F, as comma separated values; - is standard output\n"
        "  --processors  show every processor's states, too\n"
        "  --json        print one JSON object\n"
        "  --help        this text\n"
        "\n"
        "Example: bmf compare run.trace predicted.trace");
}

/* 0, or the exit code of bad usage. */
static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"html", required_argument, NULL, 'w'}, {"events", required_argument, NULL, 'e'},
        {"processors", no_argument, NULL, 'p'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},       {0}};
    *o = (options){0};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        if (c == ':')
            return bmf_usage_error("compare", "option '%s' needs a value", argv[optind - 1]);
        if (c == '?')
            return bmf_usage_error("compare", "unknown option '%s'", argv[optind - 1]);
        o->html = c == 'w' ? optarg : o->html;
        o->events = c == 'e' ? optarg : o->events;
        o->processors = o->processors || c == 'p';
        o->json = o->json || c == 'j';
        o->help = o->help || c == 'h';
    }
    if (o->help)
        return 0;
    if (argc - optind < 1 || argc - optind > 2)
        return bmf_usage_error("compare", optind == argc ? "no traces" : "more than two traces");
    if (o->json && o->events && strcmp(o->events, "-") == 0)
        return bmf_usage_error("compare", "--json and --events - both go to standard output");
    return 0;
}

/* The measured or predicted run of a trace; its first or last run if all are of one sort. */
static bmf_run *choose_run(const bmf_trace *trace, bool predicted)
{
    for (int k = 0; k < trace->runs; k++)
        if ((trace->run[k]->predicted != 0) == predicted)
            return trace->run[k];
    return trace->run[predicted ? trace->runs - 1 : 0];
}

static int show(bmf_run *measured, bmf_run *predicted, const options *o)
{
    bmf_comparison *comparison;
    BMF_TRY(compare_runs(measured, predicted, &comparison));
    bmf_compared of = {measured, predicted, comparison, o->processors};
    int status = o->events ? bmf_compare_write_events(&of, o->events) : BMF_OK;
    if (status == BMF_OK && o->html)
        status = bmf_write_html(measured, predicted, (bmf_run *[]){measured, predicted}, 2, o->html);
    bool quiet = o->events && strcmp(o->events, "-") == 0;
    if (status == BMF_OK && o->json)
        bmf_sheet_print_json(bmf_compare_json(&of));
    else if (status == BMF_OK && !quiet)
        bmf_compare_print(&of);
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

int bmf_command_compare(int argc, char **argv)
{
    options o;
    int code = read_options(argc, argv, &o);
    if (code)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    int status = compare_traces(argc - optind, argv + optind, &o);
    return status != BMF_OK ? bmf_report(status) : bmf_finish_output();
}
