/* bmf replay: a recorded run on another machine, with the same processors. */
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/json.h"
#include "predict/machine/machine.h"
#include "predict/replay/replay.h"
#include "predict/simulate/simulate.h"

typedef struct options {
    const char *trace, *machine, *output;
    int64_t samples;
    bool json, help;
} options;

typedef struct replayed {
    bmf_trace *trace;
    bmf_machine *machine;
    bmf_network *network;
    bmf_actions *actions;
    int64_t remarks;
    char **remark;
    bmf_prediction prediction;
} replayed;

static void print_help(void)
{
    puts(
        "usage: bmf replay TRACE --machine M [OPTION...]\n"
        "\n"
        "Times a recorded run on another machine with the same number of processors: the order of what every processor "
        "did\n"
        "and its messages are those of the trace, messages take the time of the machine's network, and computing what\n"
        "was recorded divided by the machine's power, or what its kernel sheet says, or nothing. Prints the recorded "
        "length\n"
        "and the predicted one with its 95 % interval. Time in which nothing was recorded is kept as work, and where "
        "all\n"
        "processors waited for the slowest they agree in the machine's time. Of a trace with two runs the first is "
        "taken.\n"
        "\n"
        "  --machine M    machine file, or the name of an installed one (bmf machine list)\n"
        "  --trace OUT    write both runs to one trace: the recorded one first, the predicted one second\n"
        "  --samples N    random samples for the interval; default: 20 to 200, as many as are cheap\n"
        "  --json         one JSON object instead of text\n"
        "  --help         this text\n"
        "\n"
        "Example: bmf replay run.trace --machine workstations-16 --trace both.trace");
}

static bool read_samples(const char *text, int64_t *samples)
{
    char *end;
    *samples = strtoll(text, &end, 10);
    return *text && *end == '\0' && *samples >= 1 && *samples <= 1000000;
}

/* 0, or the exit code of bad usage. */
static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"machine", required_argument, NULL, 'm'}, {"trace", required_argument, NULL, 't'},
        {"samples", required_argument, NULL, 's'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},          {0}};
    *o = (options){0};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        if (c == 'h')
            o->help = true;
        else if (c == 'm')
            o->machine = optarg;
        else if (c == 't')
            o->output = optarg;
        else if (c == 'j')
            o->json = true;
        else if (c == 's' && !read_samples(optarg, &o->samples))
            return bmf_usage_error("replay", "'%s' is not a number of samples", optarg);
        else if (c == ':')
            return bmf_usage_error("replay", "option '%s' needs a value", argv[optind - 1]);
        else if (c == '?')
            return bmf_usage_error("replay", "unknown option '%s'", argv[optind - 1]);
    }
    if (o->help)
        return 0;
    if (optind + 1 != argc)
        return bmf_usage_error("replay", optind == argc ? "no trace to replay" : "more than one trace");
    o->trace = argv[optind];
    return o->machine ? 0 : bmf_usage_error("replay", "no machine: give --machine");
}

/* ---- work ---- */

static int write_both(const options *o, replayed *r)
{
    bmf_trace both = {.runs = 2, .run = {r->trace->run[0], NULL}};
    BMF_TRY(replay_trace(both.run[0], r->machine, r->actions, r->network, &both.run[1]));
    const int status = trace_write(NULL, &both, o->output);
    run_free(both.run[1]);
    return status;
}

static int work(const options *o, replayed *r)
{
    BMF_TRY(bmf_trace_read(NULL, o->trace, &r->trace));
    BMF_TRY(machine_read(o->machine, &r->machine));
    bmf_run *run = r->trace->run[0];
    BMF_TRY(machine_network(r->machine, run->lanes, &r->network));
    int status = replay_onto_machine(run, r->machine, true, &r->actions, &r->remarks, &r->remark);
    if (status == BMF_OK)
        status = simulate_interval(r->actions, r->network, o->samples, &r->prediction);
    if (status == BMF_ERROR_ARGUMENT) { /* says what is wrong in the trace, but not which */
        char text[1024];
        snprintf(text, sizeof text, "%s", bmf_error_text(NULL));
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot replay trace '%s': %s", o->trace, text);
    }
    if (status == BMF_OK && o->output)
        status = write_both(o, r);
    return status;
}

static void release(replayed *r)
{
    for (int64_t k = 0; k < r->remarks; k++)
        free(r->remark[k]);
    free(r->remark);
    actions_free(r->actions);
    if (r->network)
        r->network->type->destroy(r->network);
    machine_free(r->machine);
    bmf_trace_free(r->trace);
}

/* ---- results ---- */

static void print_text(const options *o, const replayed *r)
{
    const bmf_run *run = r->trace->run[0];
    const double recorded = replay_length(run);
    int64_t messages, bytes;
    actions_totals(r->actions, &messages, &bytes);
    printf("%s, %s on %s: %d processors, %lld messages, %lld bytes\n", run->program,
           run->predicted ? "predicted" : "measured", run->machine, run->lanes, (long long)messages, (long long)bytes);
    printf("  recorded   %.9f s\n", recorded);
    printf("  predicted  %.9f s on %s, 95 %% interval ", r->prediction.seconds, r->machine->name);
    if (r->prediction.high > r->prediction.low)
        printf("%.9f .. %.9f s (%lld samples)\n", r->prediction.low, r->prediction.high,
               (long long)r->prediction.samples);
    else
        puts("not known: nothing of this machine has errors");
    for (int64_t k = 0; k < r->remarks; k++)
        printf("  outside the sheet: %s\n", r->remark[k]);
    if (o->output)
        printf("  both runs are in %s\n", o->output);
}

static int print_json(const replayed *r)
{
    const bmf_run *run = r->trace->run[0];
    int64_t messages, bytes;
    json_t *remarks = json_array();
    actions_totals(r->actions, &messages, &bytes);
    for (int64_t k = 0; k < r->remarks; k++)
        json_array_append_new(remarks, json_string(r->remark[k]));
    return bmf_sheet_print_json(json_pack("{s:s?, s:s?, s:i, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:b, s:o}", "program",
                                          run->program, "machine", r->machine->name, "processors", (int)run->lanes,
                                          "recorded", replay_length(run), "seconds", r->prediction.seconds, "lo",
                                          r->prediction.low, "hi", r->prediction.high, "samples",
                                          (json_int_t)r->prediction.samples, "messages", (json_int_t)messages, "bytes",
                                          (json_int_t)bytes, "in_domain", r->remarks == 0, "remarks", remarks));
}

int bmf_command_replay(int argc, char **argv)
{
    options o;
    replayed r = {0};
    const int code = read_options(argc, argv, &o);
    if (code)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    const int status = work(&o, &r);
    int result = bmf_report(status);
    if (status == BMF_OK && o.json)
        result = print_json(&r);
    else if (status == BMF_OK)
        print_text(&o, &r);
    release(&r);
    return result ? result : bmf_finish_output();
}
