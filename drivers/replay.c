/* bmf replay: a recorded run on another machine, with the same processors. */
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "predict/machine/machine.h"
#include "predict/replay/recorded.h"
#include "predict/replay/replay.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/trace/expected_length.h"

enum { MAX_REMARKS = 64 };

typedef struct options {
    const char *trace, *machine, *output;
    int64_t samples, procs; /* procs 0: as many as recorded */
    bool json;
} options;

typedef struct replayed {
    bmf_trace *trace;
    bmf_machine *machine;
    bmf_network *network;
    bmf_actions *actions;
    int64_t remarks, outside; /* outside: of these, what was outside of a sheet; they come first */
    char **remark;
    bmf_prediction prediction;
    bmf_trace_run *predicted; /* of a recorded MPI program */
    bmf_recorded_replay counts;
} replayed;

/* ---- work ---- */

/* What is printed. */
static void keep_expected(const bmf_prediction *of, bmf_trace_run *run)
{
    expected_length_write(
        &(bmf_expected_length){.median = of->median, .low = of->low, .high = of->high, .files = of->loading}, run);
}

static int write_both(const options *o, replayed *r)
{
    bmf_trace both = {.runs = 2, .run = {r->trace->run[0], NULL}};
    BMF_TRY(replay_trace(both.run[0], r->machine, r->actions, r->network, &both.run[1]));
    keep_expected(&r->prediction, both.run[1]);
    const int status = trace_write(NULL, &both, o->output);
    run_free(both.run[1]);
    return status;
}

/* A recorded MPI program: remarks are the network's, and that receives keep the sources they had. */
static int work_recorded(const options *o, replayed *r)
{
    const bmf_network_type *type = r->network->type;
    char text[160];
    BMF_TRY(replay_recorded(r->trace->run[0], r->machine, r->network, &(bmf_recorded_options){.samples = o->samples},
                            &r->predicted, &r->counts));
    r->prediction = r->counts.time;
    r->remark = allocate_array(MAX_REMARKS, (int64_t)sizeof *r->remark);
    for (const char *said;
         type->remark && r->remarks < MAX_REMARKS - 1 && (said = type->remark(r->network, r->remarks));)
        r->remark[r->remarks++] = text_copy(said);
    r->outside = r->remarks;
    snprintf(text, sizeof text, "%lld receives were from any source: they keep the sources that they had",
             (long long)r->counts.wild);
    if (r->counts.wild > 0)
        r->remark[r->remarks++] = text_copy(text);
    if (!o->output)
        return BMF_OK;
    keep_expected(&r->prediction, r->predicted);
    return trace_write(NULL, &(bmf_trace){.runs = 2, .run = {r->trace->run[0], r->predicted}}, o->output);
}

static int replay(const options *o, replayed *r)
{
    bmf_trace_run *run = r->trace->run[0];
    if (is_recorded(run))
        return work_recorded(o, r);
    int status = replay_onto_machine(run, r->machine, true, &r->actions, &r->remarks, &r->remark);
    if (status == BMF_OK)
        status = simulate_interval(r->actions, r->network, o->samples, &r->prediction);
    r->outside = r->remarks;
    if (status == BMF_OK)
        actions_totals(r->actions, &r->counts.messages, &r->counts.bytes);
    if (status == BMF_OK && o->output)
        status = write_both(o, r);
    return status;
}

/* A recording says what its processors did, and not which data made them do so: on another number other elements are
 * sent and computed, which only the program knows. */
static int check_processors(const options *o, const bmf_trace_run *run)
{
    if (o->procs == 0 || o->procs == run->lanes)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                    is_recorded(run)
                        ? "trace '%s' has %d ranks; what %lld would send and compute is not in it: record "
                          "several numbers and fit them (`bmf model fit`)"
                        : "trace '%s' has %d processors; what %lld would send and compute follows from the "
                          "data, which are not in it: `bmf predict --procs` runs the program on as many",
                    o->trace, run->lanes, (long long)o->procs);
}

static int work(const options *o, replayed *r)
{
    BMF_TRY(bmf_trace_read(NULL, o->trace, &r->trace));
    BMF_TRY(machine_read(o->machine, &r->machine));
    bmf_trace_run *run = r->trace->run[0];
    BMF_TRY(check_processors(o, run));
    BMF_TRY(machine_network(r->machine, run->lanes, &r->network));
    const int status = replay(o, r);
    if (status == BMF_ERROR_ARGUMENT) { /* says what is wrong in the trace, but not which */
        char text[1024];
        snprintf(text, sizeof text, "%s", bmf_error_text(NULL));
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot replay trace '%s': %s", o->trace, text);
    }
    return status;
}

static void release(replayed *r)
{
    for (int64_t k = 0; k < r->remarks; k++)
        free(r->remark[k]);
    free(r->remark);
    actions_free(r->actions);
    run_free(r->predicted);
    if (r->network)
        r->network->type->destroy(r->network);
    machine_free(r->machine);
    bmf_trace_free(r->trace);
}

/* ---- results ---- */

static void print_text(const options *o, const replayed *r)
{
    const bmf_trace_run *run = r->trace->run[0];
    const double recorded = replay_length(run);
    const int64_t messages = r->counts.messages, bytes = r->counts.bytes;
    printf("%s, %s on %s: %d processor%s, %lld message%s, %lld byte%s\n", run->program,
           run->predicted ? "predicted" : "measured", run->machine, run->lanes, run->lanes == 1 ? "" : "s",
           (long long)messages, messages == 1 ? "" : "s", (long long)bytes, bytes == 1 ? "" : "s");
    printf("  recorded   %.9f s\n", recorded);
    printf("  predicted  %.9f s on %s, 95 %% interval ", r->prediction.median, r->machine->name);
    if (r->prediction.high > r->prediction.low)
        printf("%.9f .. %.9f s (%lld samples)\n", r->prediction.low, r->prediction.high,
               (long long)r->prediction.samples);
    else
        puts("not known: nothing of this machine has errors");
    for (int64_t k = 0; k < r->remarks; k++)
        printf("  %s%s\n", k < r->outside ? "outside the sheet: " : "", r->remark[k]);
    if (o->output)
        printf("  both runs are in %s\n", o->output);
}

static int print_json(const replayed *r)
{
    const bmf_trace_run *run = r->trace->run[0];
    const int64_t messages = r->counts.messages, bytes = r->counts.bytes;
    json_t *remarks = json_array();
    for (int64_t k = 0; k < r->remarks; k++)
        json_array_append_new(remarks, json_string(r->remark[k]));
    return json_print(json_pack("{s:s?, s:s?, s:i, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:b, s:o}", "program",
                                run->program, "machine", r->machine->name, "processors", (int)run->lanes, "recorded",
                                replay_length(run), "seconds", r->prediction.median, "lo", r->prediction.low, "hi",
                                r->prediction.high, "best", r->prediction.seconds, "samples",
                                (json_int_t)r->prediction.samples, "messages", (json_int_t)messages, "bytes",
                                (json_int_t)bytes, "in_domain", r->outside == 0, "remarks", remarks),
                      BMF_JSON_INDENT);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    replayed r = {0};
    o->trace = operands->text[0];
    const int status = work(o, &r);
    int code = report_status(ctx, status);
    if (status == BMF_OK && o->json)
        code = print_json(&r);
    else if (status == BMF_OK)
        print_text(o, &r);
    release(&r);
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("machine", "M", BMF_TEXT(options, machine),
               "machine file, or the name of an installed one (`bmf machine list`)",
               .missing = "no machine: give --machine"),
    BMF_OPTION("trace", "OUT", BMF_TEXT(options, output),
               "write both runs to one trace: the recorded one first, the predicted one second"),
    BMF_OPTION("procs", "P", BMF_WHOLE(options, procs, 1, INT32_MAX),
               "refuse the trace if it has not P processors, and say what to do instead"),
    BMF_OPTION("samples", "N", BMF_WHOLE(options, samples, 1, 1000000),
               "random samples for the interval; default: 20 to 200, as many as are cheap"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json),
               "one JSON object instead of text: program, machine, processors, recorded (seconds), seconds (predicted: "
               "the median of what one run may take), lo and hi (its 95 % interval), best (without any noise, as in "
               "--trace), samples, messages, bytes, in_domain (false if a kernel was asked for outside its sheet) and "
               "remarks (which)"),
    BMF_OPTION_END};

const bmf_driver replay_command = {
    .name = "replay",
    .summary = "time a recorded run on another machine",
    .synopsis = "bmf replay TRACE --machine M [OPTION]..",
    .about =
        "Times a recorded run on another machine with the same number of processors: the order of what every processor "
        "did and its messages are those of the trace, messages take the time of the machine's network, and computing "
        "what was recorded divided by the machine's power, or what its kernel sheet says, or nothing. Prints the "
        "recorded length and the predicted one with its 95 % interval. Time in which nothing was recorded is kept as "
        "work, and where all processors waited for the slowest they agree in the machine's time. Of a trace with two "
        "runs the first is taken.",
    .example = "bmf replay run.trace --machine workstations-16 --trace both.trace\nbmf compare both.trace",
    .exit_code = "2 is also a trace that cannot be replayed (events were lost, calls that not all processors took part "
                 "in, messages without a second end), or more processors than the machine has.",
    .see = "bmf-run, bmf-machine, bmf-convert",
    .options = table,
    .min_operands = 1,
    .max_operands = 1,
    .no_operand = "no trace to replay",
    .surplus = "more than one trace",
    .size = sizeof(options),
    .run = run};
