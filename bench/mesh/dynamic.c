/* Dynamic routers beside BookSim 2, and words over links a second.
 *
 * Method: uniformly random traffic in packets of 20 words through e-cube routers with the pipeline that BookSim was
 * run with (4 virtual channels of 8 words, atomic; a cycle for a channel, one for the switch, three to the next
 * router; credits after 4 cycles; two words an input port and cycle; separate injection and ejection); its mean hops
 * (routers, so links plus one) and packet latencies, and the speeds of the simulator in seconds of one core. Cost:
 * seconds. */
#include "bench/mesh/dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "predict/mesh/router.h"
#include "bmf/status.h"

enum { PACKET = 20, REPEATS = 3 };

static const char *const pipeline[] = {
    "channels=4",      "inject_channels=4", "addresses=4", "header=0", "allocate=1", "link=3", "credit=4",
    "inject_credit=2", "eject_credit=6",    "speedup=2",   "atomic=1", "shared=0",   NULL};

typedef struct point {
    const char *size;
    double load, hops, latency, flit_hops_per_second; /* as measured with BookSim */
} point;

static const point points[] = {{"8x8", 0.05, 6.28, 50.2, 0.97e6},     {"8x8", 0.2, 6.26, 69.7, 1.10e6},
                               {"16x16", 0.05, 11.61, 76.2, 0.55e6},  {"16x16", 0.1, 11.62, 90.8, 0.60e6},
                               {"32x32", 0.02, 22.42, 116.3, 0.33e6}, {"32x32", 0.05, 22.31, 132.3, 0.45e6}};

static double core_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The fastest of some runs. */
static bmf_mesh_result run(const char *router, const char *const *setting, const point *at, int64_t cycles, int repeats,
                           double *seconds)
{
    const bmf_mesh_router *found = mesh_router_find(router);
    const bmf_mesh_random random = {.load = at->load, .cycles = cycles, .seed = 1, .itself = true};
    double *value = mesh_router_values(found);
    bmf_mesh mesh;
    bmf_mesh_traffic *traffic;
    bmf_mesh_result result;
    for (; setting && *setting; setting++)
        bmf_exit_on_error(mesh_router_set(found, value, *setting));
    bmf_exit_on_error(mesh_parse(at->size, false, &mesh));
    bmf_exit_on_error(mesh_traffic_make("random", &mesh, PACKET, &random, &traffic));
    for (int k = 0; k < repeats; k++) {
        const double begin = core_seconds();
        bmf_exit_on_error(found->run(&mesh, traffic, value, &result));
        const double taken = core_seconds() - begin;
        *seconds = k == 0 || taken < *seconds ? taken : *seconds;
    }
    mesh_traffic_free(traffic);
    free(value);
    return result;
}

static json_t *beside_booksim(void)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        double seconds;
        const bmf_mesh_result r = run("ecube", pipeline, &points[k], 20000, 1, &seconds);
        const double count = (double)r.deliveries;
        json_array_append_new(
            rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "size", points[k].size, "load", points[k].load,
                            "hops_booksim", points[k].hops, "hops", r.hops_total / count + 1, "latency_booksim",
                            points[k].latency, "latency", r.latency_total / count, "flit_hops_per_second_booksim",
                            points[k].flit_hops_per_second, "flit_hops_per_second", (double)r.flit_hops / seconds));
    }
    return rows;
}

static json_t *speeds(void)
{
    static const struct {
        const char *what, *router;
        const char *const *setting;
    } row[] = {
        {"e-cube", "ecube", NULL}, {"e-cube, BookSim's pipeline", "ecube", pipeline}, {"adaptive", "adaptive", NULL}};
    const point at = {.size = "32x32", .load = 0.05};
    json_t *rows = json_array();
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        double seconds;
        const bmf_mesh_result r = run(row[k].router, row[k].setting, &at, 5000, REPEATS, &seconds);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:I, s:f}", "router", row[k].what, "size", at.size,
                                              "load", at.load, "flit_hops", (json_int_t)r.flit_hops,
                                              "flit_hops_per_second", (double)r.flit_hops / seconds));
    }
    return rows;
}

json_t *bench_mesh_dynamic(void)
{
    return json_pack("{s:o, s:o}", "booksim", beside_booksim(), "speed", speeds());
}

static double real(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

void bench_mesh_print_dynamic(const json_t *object)
{
    size_t k;
    json_t *row;
    puts("\ne-cube routers with BookSim's pipeline, packets of 20 words to random nodes: routers passed, cycles of a "
         "packet");
    printf("%7s %6s %8s %8s %6s %8s %8s %6s %12s %12s\n", "size", "load", "BookSim", "here", "ratio", "BookSim", "here",
           "ratio", "words/s", "here");
    json_array_foreach(json_object_get(object, "booksim"), k, row)
        printf("%7s %6.2f %8.2f %8.2f %6.3f %8.1f %8.1f %6.3f %12.3g %12.3g\n", text(row, "size"), real(row, "load"),
               real(row, "hops_booksim"), real(row, "hops"), real(row, "hops") / real(row, "hops_booksim"),
               real(row, "latency_booksim"), real(row, "latency"), real(row, "latency") / real(row, "latency_booksim"),
               real(row, "flit_hops_per_second_booksim"), real(row, "flit_hops_per_second"));
    puts("\nwords over links a second of one core");
    json_array_foreach(json_object_get(object, "speed"), k, row)
        printf("%7s load %.2f, %-27s %12.3g\n", text(row, "size"), real(row, "load"), text(row, "router"),
               real(row, "flit_hops_per_second"));
}
