/* bmf report: where the time of runs went. */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/runs.h"
#include "drivers/sheet/json.h"

typedef struct options {
    int depth;
    bool processors;
    const char *html;     /* file, or NULL */
    const char *interval; /* path, or NULL: the program */
    int64_t instance;     /* -1: all */
    bool json, help;
} options;

/* All runs of all traces. */
typedef struct input {
    int traces, runs;
    bmf_trace **trace;
    bmf_run **run;
} input;

static void print_help(void)
{
    puts("usage: bmf report TRACE.. [OPTION..]\n"
         "\n"
         "Says where the time of the runs in some traces went: for the program, its regions and skeleton calls how "
         "much\n"
         "of all processors' time was productive, what was lost and why, the efficiencies, and how far processors are\n"
         "apart. docs/intervals.md explains every number.\n"
         "\n"
         "  --html F         write one self-contained page with charts instead; of two runs side by side\n"
         "  --depth N        show N levels of intervals (1: the program)\n"
         "  --interval PATH  begin with this interval, such as main/steps/scan\n"
         "  --instance K     only the K-th time it was entered, from 0\n"
         "  --processors     every processor, too\n"
         "  --json           print one JSON object, times in nanoseconds\n"
         "  --help           this text\n"
         "\n"
         "Examples: bmf report run.trace --depth 2\n"
         "          bmf report run.trace predicted.trace --html report.html");
}

static bool read_number(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    *value = number;
    return end != text && *end == '\0' && number >= least && number <= most;
}

/* 0, or the exit code of bad usage. */
static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"html", required_argument, NULL, 'w'},     {"depth", required_argument, NULL, 'd'},
        {"interval", required_argument, NULL, 'i'}, {"instance", required_argument, NULL, 'k'},
        {"processors", no_argument, NULL, 'p'},     {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},           {0}};
    int64_t depth = INT_MAX;
    *o = (options){.instance = -1};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        if (c == 'd' && !read_number(optarg, 1, INT_MAX, &depth))
            return bmf_usage_error("report", "--depth is a number of levels from 1 on, not '%s'", optarg);
        if (c == 'k' && !read_number(optarg, 0, UINT32_MAX, &o->instance))
            return bmf_usage_error("report", "--instance is a number from 0 on, not '%s'", optarg);
        if (c == ':')
            return bmf_usage_error("report", "option '%s' needs a value", argv[optind - 1]);
        if (c == '?')
            return bmf_usage_error("report", "unknown option '%s'", argv[optind - 1]);
        o->html = c == 'w' ? optarg : o->html;
        o->interval = c == 'i' ? optarg : o->interval;
        o->processors = o->processors || c == 'p';
        o->json = o->json || c == 'j';
        o->help = o->help || c == 'h';
    }
    o->depth = (int)depth;
    if (o->help)
        return 0;
    if (optind == argc)
        return bmf_usage_error("report", "no trace");
    if (o->instance >= 0 && !o->interval)
        return bmf_usage_error("report", "--instance needs an --interval");
    return 0;
}

static int read_traces(int count, char **path, input *in)
{
    *in = (input){.trace = calloc((size_t)count, sizeof *in->trace), .run = calloc((size_t)count * 2, sizeof *in->run)};
    if (!in->trace || !in->run)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for %d traces", count);
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
static uint32_t find_node(const bmf_run *run, const char *wanted)
{
    char path[4096];
    for (uint32_t node = 0; node < run->nodes; node++)
        if (strcmp(run_path(run, node, path, sizeof path), wanted) == 0)
            return node;
    return UINT32_MAX;
}

/* The intervals that are asked for, and from which to which they are shown. */
static int make_intervals(bmf_run *run, const options *o, bmf_intervals **intervals, char **why, bmf_shown *shown)
{
    uint32_t node = o->interval ? find_node(run, o->interval) : 0;
    *intervals = NULL;
    if (node == UINT32_MAX)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the %s run of '%s' has no interval '%s'",
                        run->predicted ? "predicted" : "measured", run->program, o->interval);
    BMF_TRY(bmf_make_intervals(run, node, o->instance, intervals, why));
    *shown = (bmf_shown){.intervals = *intervals, .depth = o->depth, .processors = o->processors, .why = *why};
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

/* Prints one run, or adds it to the JSON. */
static int report_run(bmf_run *run, const options *o, bool first, json_t *all)
{
    bmf_intervals *intervals;
    bmf_shown shown;
    char *why = NULL;
    int status = make_intervals(run, o, &intervals, &why, &shown);
    if (status == BMF_OK && all) {
        json_array_append_new(all, bmf_report_json(&shown));
    } else if (status == BMF_OK) {
        if (!first)
            puts("");
        status = bmf_report_print(&shown);
    }
    intervals_free(intervals);
    free(why);
    return status;
}

/* The first measured and the first predicted run, or the first two of one sort. */
static int write_html(const input *in, const char *path)
{
    bmf_run *first = in->run[0], *second = NULL;
    for (int k = 0; k < in->runs; k++)
        if (!in->run[k]->predicted) {
            first = in->run[k];
            break;
        }
    for (int k = 0; k < in->runs; k++)
        if (in->run[k] != first && (!second || (in->run[k]->predicted && !second->predicted)))
            second = in->run[k];
    return bmf_write_html(first, second, in->run, in->runs, path);
}

/* What is left to say on standard output: everything if there is no page. */
static int print_all(const input *in, const options *o)
{
    json_t *all = o->json ? json_array() : NULL;
    int status = BMF_OK;
    for (int k = 0; status == BMF_OK && k < in->runs && (o->json || !o->html); k++)
        status = report_run(in->run[k], o, k == 0, all);
    if (status == BMF_OK && all)
        bmf_sheet_print_json(json_pack("{s:o}", "runs", all));
    else
        json_decref(all);
    return status;
}

int bmf_command_report(int argc, char **argv)
{
    options o;
    input in;
    int code = read_options(argc, argv, &o);
    if (code)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    int status = read_traces(argc - optind, argv + optind, &in);
    if (status == BMF_OK && o.html)
        status = write_html(&in, o.html);
    if (status == BMF_OK)
        status = print_all(&in, &o);
    free_input(&in);
    return status != BMF_OK ? bmf_report(status) : bmf_finish_output();
}
