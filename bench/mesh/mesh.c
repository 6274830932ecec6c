/* bmf-bench mesh: routers of a mesh beside document 004, and how fast they are found and simulated.
 *
 * Method: bandwidths that the stream router reaches beside Table 8.2; cycles of bit reversal and transpose with 512
 * words by every router (document 004, 8.2.1 shows them in figures only: scheduled below adaptive below e-cube is what
 * the text says); the time to route bit reversal; node-cycles a second of the scheduled simulator with and without
 * skipping. The simulator checks every word. Cost: minutes with --all. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/machine.h"
#include "bench/mesh/dynamic.h"
#include "predict/mesh/phase.h"
#include "predict/mesh/router.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"

enum { LENGTH = 24, WORDS = 512 };

typedef struct options {
    bool json, all;
} options;

static double now(void)
{
    return (double)monotonic_ns() * 1e-9;
}

/* ---- what is measured ---- */

static bmf_scheduled_hardware hardware_of(const char *size)
{
    bmf_scheduled_hardware hardware = {.pipelines = 2, .length = LENGTH, .separate_wires = true};
    bmf_exit_on_error(mesh_parse(size, false, &hardware.mesh));
    return hardware;
}

static bmf_mesh_traffic *traffic_of(const char *pattern, const bmf_mesh *mesh, int64_t words)
{
    bmf_mesh_traffic *traffic;
    bmf_exit_on_error(mesh_traffic_make(pattern, mesh, words, NULL, &traffic));
    return traffic;
}

/* Words a cycle of the slowest stream in one phase; seconds to find it. */
static double route(const char *pattern, const char *size, bool leaves, double *seconds, int64_t *streams)
{
    const bmf_scheduled_hardware hardware = hardware_of(size);
    bmf_mesh_traffic *traffic = traffic_of(pattern, &hardware.mesh, WORDS);
    bmf_mesh_plan *plan;
    const double begin = now();
    bmf_exit_on_error(mesh_plan_make(&hardware, leaves, traffic->messages, traffic->message, &plan));
    *seconds = now() - begin;
    *streams = traffic->messages;
    int slots = LENGTH;
    for (int64_t k = 0; k < plan->phase[0].messages; k++)
        if (plan->phase[0].routes->route[k].slots < slots)
            slots = plan->phase[0].routes->route[k].slots;
    const double bandwidth = plan->phases == 1 ? (double)slots / LENGTH : 0;
    mesh_plan_free(plan);
    mesh_traffic_free(traffic);
    return bandwidth;
}

static json_t *table_8_2(void)
{
    static const struct {
        const char *size;
        double broadcast, shift;
    } row[] = {{"2x2", 0.5, 0.5},     {"3x3", 0.458, 0.333}, {"4x4", 0.458, 0.333},
               {"5x5", 0.458, 0.333}, {"6x6", 0.25, 0.333},  {"10x10", 0.25, 0.333}};
    json_t *rows = json_array();
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        double seconds;
        int64_t streams;
        json_array_append_new(rows,
                              json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "size", row[k].size, "broadcast_document",
                                        row[k].broadcast, "broadcast",
                                        route("neighbours", row[k].size, true, &seconds, &streams), "broadcast_last",
                                        route("neighbours", row[k].size, false, &seconds, &streams), "shift_document",
                                        row[k].shift, "shift", route("shift", row[k].size, true, &seconds, &streams)));
    }
    return rows;
}

static json_t *run_pattern(const char *pattern, const char *size)
{
    bmf_mesh mesh;
    bmf_exit_on_error(mesh_parse(size, false, &mesh));
    bmf_mesh_traffic *traffic = traffic_of(pattern, &mesh, WORDS);
    json_t *row = json_pack("{s:s, s:s, s:I}", "pattern", pattern, "size", size, "nodes", (json_int_t)mesh.nodes);
    for (int k = 0; mesh_routers[k]; k++) {
        double *value = mesh_router_values(mesh_routers[k]);
        bmf_mesh_result result;
        bmf_exit_on_error(mesh_routers[k]->run(&mesh, traffic, value, &result));
        json_object_set_new(row, mesh_routers[k]->name, json_integer((json_int_t)result.cycles));
        free(value);
    }
    mesh_traffic_free(traffic);
    return row;
}

static json_t *hot_spots(bool all)
{
    static const char *const bitrev[] = {"4x4", "8x4", "8x8", "16x8", "16x16", "8x8x8", NULL};
    static const char *const transpose[] = {"3x3x3", "4x4x4", "5x5x5", "6x6x6", "8x8x8", NULL};
    json_t *rows = json_array();
    for (int k = 0; bitrev[k] && (all || k < 4); k++)
        json_array_append_new(rows, run_pattern("bitrev", bitrev[k]));
    for (int k = 0; transpose[k] && (all || k < 2); k++)
        json_array_append_new(rows, run_pattern("transpose", transpose[k]));
    return rows;
}

static json_t *routing(bool all)
{
    static const char *const size[] = {"8x8", "16x16", "32x32", NULL};
    json_t *rows = json_array();
    for (int k = 0; size[k] && (all || k < 2); k++) {
        double seconds;
        int64_t streams;
        const double bandwidth = route("bitrev", size[k], false, &seconds, &streams);
        json_array_append_new(rows, json_pack("{s:s, s:I, s:f, s:f}", "size", size[k], "streams", (json_int_t)streams,
                                              "bandwidth", bandwidth, "seconds", seconds));
    }
    return rows;
}

static json_t *simulating(const char *size, int64_t words)
{
    const bmf_scheduled_hardware hardware = hardware_of(size);
    bmf_mesh_traffic *traffic = traffic_of("bitrev", &hardware.mesh, words);
    bmf_mesh_plan *plan;
    bmf_exit_on_error(mesh_plan_make(&hardware, false, traffic->messages, traffic->message, &plan));
    double rate[2], carried_out = 0;
    int64_t cycles = 0;
    for (int skipping = 0; skipping < 2; skipping++) {
        const bmf_phase_setting setting = {.simulation = {.every_cycle = !skipping}};
        bmf_phase_times times;
        const double begin = now();
        bmf_exit_on_error(mesh_phase_run(&plan->phase[0], traffic->message, &setting, &times));
        cycles = times.cycles;
        carried_out = (double)times.carried_out / (double)times.cycles;
        rate[skipping] = (double)cycles * (double)hardware.mesh.nodes / (now() - begin);
        phase_times_free(&times);
    }
    mesh_plan_free(plan);
    mesh_traffic_free(traffic);
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "size", size, "words", (json_int_t)words, "cycles",
                     (json_int_t)cycles, "every_cycle", rate[0], "skipping", rate[1], "carried_out", carried_out);
}

/* ---- printing ---- */

static double real(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static void print_hot_spots(const json_t *rows)
{
    size_t k;
    json_t *row;
    printf("\ncycles with %d words (document 004, 8.2.1: scheduled below adaptive below e-cube)\n%-10s %7s %6s", WORDS,
           "pattern", "size", "nodes");
    for (int r = 0; mesh_routers[r]; r++)
        printf(" %10s", mesh_routers[r]->name);
    puts("");
    json_array_foreach(rows, k, row)
    {
        printf("%-10s %7s %6.0f", text(row, "pattern"), text(row, "size"), real(row, "nodes"));
        for (int r = 0; mesh_routers[r]; r++)
            printf(" %10.0f", real(row, mesh_routers[r]->name));
        puts("");
    }
}

static void print_tables(const json_t *root)
{
    size_t k;
    json_t *row;
    puts("bandwidths in words a cycle beside Table 8.2 of document 004 (broadcast: phase with / without a successor)");
    printf("%7s %10s %10s %10s %10s %10s\n", "size", "broadcast", "here", "here, last", "shift", "here");
    json_array_foreach(json_object_get(root, "table_8_2"), k, row)
        printf("%7s %10.3f %10.3f %10.3f %10.3f %10.3f\n", text(row, "size"), real(row, "broadcast_document"),
               real(row, "broadcast"), real(row, "broadcast_last"), real(row, "shift_document"), real(row, "shift"));
    print_hot_spots(json_object_get(root, "hot_spots"));
    puts("\nfinding the schedule of bit reversal");
    json_array_foreach(json_object_get(root, "routing"), k, row)
        printf("%7s %6.0f streams %8.3f words a cycle %10.2f s\n", text(row, "size"), real(row, "streams"),
               real(row, "bandwidth"), real(row, "seconds"));
    puts("\nsimulating it: node-cycles a second");
    json_array_foreach(json_object_get(root, "simulating"), k, row)
        printf("%7s %8.0f words %12.3g every cycle %12.3g skipping; carried out %.4f of %.0f cycles\n",
               text(row, "size"), real(row, "words"), real(row, "every_cycle"), real(row, "skipping"),
               real(row, "carried_out"), real(row, "cycles"));
    bench_mesh_print_dynamic(json_object_get(root, "dynamic"));
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    (void)operands;
    if (!bmf_is_root(ctx))
        return 0;
    json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:[o, o], s:o}", "machine", bench_machine_json(), "table_8_2",
                             table_8_2(), "hot_spots", hot_spots(o->all), "routing", routing(o->all), "simulating",
                             simulating("8x8", 512), simulating("8x8", 100000), "dynamic", bench_mesh_dynamic());
    if (o->json)
        return json_print(root, BMF_JSON_INDENT);
    bench_machine_print(stdout);
    print_tables(root);
    json_decref(root);
    return 0;
}

static const bmf_option table[] = {
    BMF_OPTION("all", NULL, BMF_FLAG(options, all), "also meshes of 216 to 1024 nodes: minutes"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the tables"), BMF_OPTION_END};

const bmf_driver bench_mesh = {
    .name = "mesh",
    .summary = "routers of a mesh beside document 004; finding and simulating schedules",
    .synopsis = "bmf-bench mesh [--all] [--json]",
    .about =
        "Bandwidths of scheduled streams beside Table 8.2 of document 004; cycles of bit reversal and transpose by "
        "every router of a mesh; how long schedules take to find and to simulate; dynamic routers beside BookSim.",
    .example = "bmf-bench mesh --json",
    .options = table,
    .parallel = true,
    .size = sizeof(options),
    .run = run};
