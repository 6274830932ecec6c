/* bmf-bench predict: how fast the simulator and the writers of traces are.
 *
 * Method: logs of actions are made beforehand (bench/predict/logs.c); the time is that of a simulation from its
 * creation to its result, the median of several: processor time of its one thread, which other programs disturb less
 * than the clock. So is that of a writer, with what the system does in its name for memory and files, without waiting
 * for a disk; memory kept from the one before is given back first. Every simulation is checked: messages carried out,
 * and the same seconds each time. Memory is what malloc has given out for log and simulator after the run, without
 * what it had given out before. Writers write a recorded simulation to a temporary folder. Bars: the project's own;
 * rivals' figures are in docs/performance.md. Cost: less than a minute, and some hundred megabytes. */
#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/commands.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/predict/predict.h"
#include "runtime/convert/convert.h"
#include "predict/machine/machine.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/output_file.h"
#include "runtime/base/memory.h"

enum { REPEATS = 5, NAME = 40, MAX_ROWS = 32, PATH = 512 };

static const char hockney[] = "name = \"bench\"; network = { type = \"hockney\"; latency_us = 5.0;"
                              " bandwidth_mb_per_s = 1000.0; send_us = 1.0; receive_us = 1.0; };";
/* %d groups of 16 processors with links that are as fast above as all below together. */
static const char fat_tree[] =
    "name = \"bench\"; network = { type = \"graph\"; topology = \"fat-tree\"; size = [%d, 16];"
    " mode = \"%s\"; bandwidth_mb_per_s = 1000.0; latency_us = 5.0; };";

typedef struct row {
    char name[NAME];
    const char *unit;                           /* of what is counted */
    double count;                               /* in one run */
    double seconds;                             /* median */
    double bar;                                 /* units a second, 0: none */
    double messages, actions, bytes_per_action; /* of simulations, 0: a writer */
} row;

typedef struct rows {
    row row[MAX_ROWS];
    int count;
} rows;

static int64_t allocated(void)
{
    const struct mallinfo2 now = mallinfo2();
    return (int64_t)(now.uordblks + now.hblkhd);
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- simulations ---- */

/* Simulates once; *bytes: memory that the simulator has at its end. */
static int simulate_once(const bmf_actions *actions, bmf_network *network, bmf_simulation *result, double *seconds,
                         int64_t *bytes)
{
    const int64_t before = allocated();
    const double begin = thread_seconds();
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    const int status = simulator_run(simulator);
    simulator_result(simulator, result);
    *seconds = thread_seconds() - begin;
    *bytes = allocated() - before;
    simulator_free(simulator);
    return status;
}

static int measure(bmf_network *network, const bmf_actions *actions, int64_t log_bytes, row *to)
{
    double seconds[REPEATS], first = 0;
    for (int k = -1; k < REPEATS; k++) { /* one to warm up */
        bmf_simulation result;
        int64_t bytes;
        BMF_TRY(simulate_once(actions, network, &result, &seconds[k < 0 ? 0 : k], &bytes));
        if (k < 0)
            first = result.seconds;
        if (result.seconds != first || result.actions != actions->count || result.messages != actions->messages)
            return bmf_fail(NULL, BMF_ERROR_INTERNAL, "%s: two simulations differ", to->name);
        to->bytes_per_action = (double)(log_bytes + bytes) / (double)actions->count;
    }
    to->seconds = bench_median(REPEATS, seconds);
    to->messages = (double)actions->messages;
    to->actions = (double)actions->count;
    return BMF_OK;
}

typedef bmf_actions *make_log(int64_t processors, int repeats);

static bmf_actions *ring(int64_t processors, int repeats)
{
    return predict_ring(processors, repeats, true);
}

static bmf_actions *ring_and_reduction(int64_t processors, int repeats)
{
    return predict_ring(processors, repeats, false);
}

typedef struct simulation {
    const char *name;
    make_log *make;
    int64_t processors;
    int repeats;
    const char *mode; /* of the fat tree; NULL: Hockney's network */
    double bar;       /* millions a second: of messages, on the fat tree of actions */
} simulation;

static const simulation simulations[] = {
    {"binomial reduce, 65536", predict_binomial, 65536, 8, NULL, 2},
    {"dissemination, 65536", predict_dissemination, 65536, 1, NULL, 2},
    {"all to all, 512", predict_all_to_all, 512, 4, NULL, 1},
    {"ring on a fat tree, 64", ring, 64, 4000, "cut-through", 3},
    {"ring on a fat tree, 256", ring, 256, 1000, "cut-through", 3},
    {"ring on a fat tree, 1024", ring, 1024, 250, "cut-through", 3},
    {"ring and allreduce, 64", ring_and_reduction, 64, 600, "cut-through", 3},
    {"ring and allreduce, 256", ring_and_reduction, 256, 120, "cut-through", 3},
    {"ring and allreduce, 1024", ring_and_reduction, 1024, 24, "cut-through", 3},
    {"the same, fluid, 64", ring_and_reduction, 64, 60, "fluid", 0},
};
enum { SIMULATIONS = sizeof simulations / sizeof *simulations };

static int run_simulation(const simulation *of, row *to)
{
    char text[512];
    bmf_machine *machine;
    bmf_network *network;
    snprintf(to->name, sizeof to->name, "%s", of->name);
    if (of->mode)
        snprintf(text, sizeof text, fat_tree, (int)(of->processors / 16), of->mode);
    else
        snprintf(text, sizeof text, "%s", hockney);
    BMF_TRY(machine_parse(text, "bench.machine", &machine));
    int status = machine_network(machine, of->processors, &network);
    if (status == BMF_OK) {
        const int64_t before = allocated();
        bmf_actions *actions = of->make(of->processors, of->repeats);
        status = measure(network, actions, allocated() - before, to);
        actions_free(actions);
        network->type->destroy(network);
    }
    machine_free(machine);
    to->unit = of->mode ? "actions" : "messages";
    to->count = of->mode ? to->actions : to->messages;
    to->bar = 1e6 * of->bar;
    return status;
}

/* ---- writers ---- */

/* A recorded simulation as a trace of one run. */
static bmf_trace_run *recorded_run(void)
{
    bmf_actions *actions = predict_dissemination(4096, 8);
    bmf_network *network = network_ideal(actions->processors);
    bmf_trace_run *run = run_create("bench", "ideal", (int32_t)actions->processors, 1, 1);
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    run->predicted = 1;
    simulator_record(simulator, run);
    simulator_run(simulator);
    simulator_free(simulator);
    network->type->destroy(network);
    actions_free(actions);
    run_sort(run);
    return run;
}

static int run_writer(const char *name, bmf_converter *writer, const bmf_trace *trace, row *to)
{
    double seconds[REPEATS];
    snprintf(to->name, sizeof to->name, "write %s", name);
    for (int k = 0; k < REPEATS; k++) {
        char *folder = temporary_directory_create("bmf-bench"), path[PATH];
        if (!folder)
            return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory");
        snprintf(path, sizeof path, "%s/trace", folder);
        buffer_trim();
        const double begin = thread_seconds();
        const int status = writer(NULL, trace, path);
        seconds[k] = thread_seconds() - begin;
        temporary_directory_remove(folder);
        BMF_TRY(status);
    }
    to->seconds = bench_median(REPEATS, seconds);
    to->unit = "events";
    to->count = (double)trace->run[0]->events;
    return BMF_OK;
}

static double writer_bar(const char *name)
{
    static const struct bar {
        const char *name;
        double millions;
    } bars[] = {{"chrome", 5}, {"perfetto", 10}, {"paje", 5}, {"prv", 5}};
    for (size_t k = 0; k < sizeof bars / sizeof *bars; k++)
        if (strcmp(bars[k].name, name) == 0)
            return 1e6 * bars[k].millions;
    return 0;
}

static int run_writers(rows *all)
{
    bmf_trace trace = {.runs = 1, .run = {recorded_run(), NULL}};
    int status = run_writer("bmf", trace_write, &trace, &all->row[all->count++]);
    for (const bmf_format *format = formats; format->name && status == BMF_OK; format++) {
        if (strcmp(format->name, "svg") == 0) /* draws a selection */
            continue;
        row *to = &all->row[all->count++];
        status = run_writer(format->name, format->convert, &trace, to);
        to->bar = writer_bar(format->name);
    }
    run_free(trace.run[0]);
    return status;
}

/* ---- report ---- */

static double rate(const row *r)
{
    return r->seconds > 0 ? r->count / r->seconds : 0;
}

static void print_text(const rows *all)
{
    bench_machine_print(stdout);
    printf("%-26s %9s %-9s %9s %10s %6s %12s\n", "", "count", "", "ms", "M / s", "bar", "B / action");
    for (int k = 0; k < all->count; k++) {
        const row *r = &all->row[k];
        printf("%-26s %9.0f %-9s %9.2f %10.2f", r->name, r->count, r->unit, 1e3 * r->seconds, rate(r) * 1e-6);
        if (r->bar > 0)
            printf(" %6.1f", r->bar * 1e-6);
        else
            printf(" %6s", "-");
        if (r->actions > 0)
            printf(" %12.0f", r->bytes_per_action);
        else
            printf(" %12s", "-");
        printf("%s\n", r->bar > 0 && rate(r) < r->bar ? "  missed" : "");
    }
}

static int print_json(const rows *all)
{
    json_t *list = json_array();
    for (int k = 0; k < all->count; k++) {
        const row *r = &all->row[k];
        json_t *one = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "name", r->name, "unit", r->unit, "count",
                                r->count, "seconds", r->seconds, "per_second", rate(r), "bar_per_second", r->bar,
                                "meets_bar", r->bar <= 0 || rate(r) >= r->bar);
        if (r->actions > 0) {
            json_object_set_new(one, "messages", json_real(r->messages));
            json_object_set_new(one, "actions", json_real(r->actions));
            json_object_set_new(one, "bytes_per_action", json_real(r->bytes_per_action));
        }
        json_array_append_new(list, one);
    }
    json_t *root = json_pack("{s:o, s:o}", "machine", bench_machine_json(), "rows", list);
    return json_print(root, BMF_JSON_INDENT);
}

static int run_all(rows *all)
{
    for (int k = 0; k < SIMULATIONS; k++)
        BMF_TRY(run_simulation(&simulations[k], &all->row[all->count++]));
    return run_writers(all);
}

typedef struct options {
    bool json;
} options;

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    rows all = {.count = 0};
    (void)operands;
    if (!bmf_is_root(ctx))
        return 0;
    const int status = run_all(&all);
    if (status != BMF_OK)
        return report_status(NULL, status);
    if (o->json)
        return print_json(&all);
    print_text(&all);
    return 0;
}

static const bmf_option table[] = {
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"), BMF_OPTION_END};

const bmf_driver bench_predict = {
    .name = "predict",
    .summary = "the simulator and the writers of traces",
    .synopsis = "bmf-bench predict [--json]",
    .about =
        "Times the simulator on one thread: messages a second of collective operations on 65536 and 512 processors on "
        "Hockney's network, actions a second of a ring and a reduction on a fat tree with contention, and the bytes of "
        "memory that an action takes; and events a second of every writer of traces. All times are processor times. A "
        "missed bar is marked, and is no failure.",
    .example = "bmf-bench predict --json",
    .options = table,
    .parallel = true,
    .size = sizeof(options),
    .run = run};
