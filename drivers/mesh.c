/* bmf mesh: traffic on a mesh, router by router, cycle by cycle. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "predict/mesh/phase.h"
#include "predict/mesh/router.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"
#include "bmf/status.h"

#define LARGEST    (INT64_C(1) << 40)
#define NO_PATTERN "'run' and a pattern are wanted"

enum { NO_NODE = -1, ALL_NODES = -2 };

typedef struct options {
    const char *pattern, *size, *router;
    bool torus, json;
    int64_t words;
    bmf_mesh_random random;
    double gigahertz; /* 0: the router's */
    int64_t draw;     /* whose schedule: a node, NO_NODE or ALL_NODES */
    bmf_strings setting;
} options;

/* ---- running ---- */

typedef struct outcome {
    const bmf_mesh_router *router;
    bmf_mesh mesh;
    bmf_mesh_traffic *traffic;
    double *value, seconds, nanoseconds;
    bmf_mesh_result result;
} outcome;

static double mean(double total, int64_t count)
{
    return count > 0 ? total / (double)count : 0;
}

static double hops_a_second(const outcome *out)
{
    return out->seconds > 0 ? (double)out->result.flit_hops / out->seconds : 0;
}

static int print_json(const options *o, const outcome *out)
{
    const bmf_mesh_result *r = &out->result;
    return json_print(json_pack("{s:s, s:I, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "pattern", o->pattern, "nodes",
                                (json_int_t)out->mesh.nodes, "router", out->router->name, "words", (json_int_t)o->words,
                                "cycles", (json_int_t)r->cycles, "nanoseconds", out->nanoseconds, "accepted",
                                r->accepted, "latency_mean", mean(r->latency_total, r->deliveries), "hops_mean",
                                mean(r->hops_total, r->deliveries), "flit_hops_per_second", hops_a_second(out)),
                      BMF_JSON_INDENT);
}

static int print_text(const options *o, const outcome *out)
{
    const bmf_mesh_result *r = &out->result;
    char size[BMF_MESH_TEXT];
    printf("%s on a %s %s, %s router%s%s\n", o->pattern, mesh_text(&out->mesh, size), o->torus ? "torus" : "mesh",
           out->router->name, r->note[0] ? ": " : "", r->note);
    printf("  messages      %12" PRId64 ", words delivered %" PRId64 "\n", out->traffic->messages, r->words);
    printf("  cycles        %12" PRId64 ", nanoseconds %.1f\n", r->cycles, out->nanoseconds);
    printf("  accepted      %12.4f words a node and cycle\n", r->accepted);
    printf("  mean latency  %12.1f cycles\n", mean(r->latency_total, r->deliveries));
    printf("  mean hops     %12.3f links\n", mean(r->hops_total, r->deliveries));
    printf("  simulated     %12.3g words over links a second, %.3g node-cycles a second\n", hops_a_second(out),
           out->seconds > 0 ? (double)r->node_cycles / out->seconds : 0);
    return finish_output();
}

static int draw_schedules(const options *o, const outcome *out)
{
    if (strcmp(out->router->name, mesh_routers[0]->name) != 0)
        return usage_error("only the %s router has schedules to draw", mesh_routers[0]->name);
    if (o->draw >= out->mesh.nodes)
        return usage_error("--draw: node %" PRId64 " is outside the mesh", o->draw);
    return report_status(NULL, mesh_draw_schedules(&out->mesh, out->traffic, out->value, o->draw, stdout));
}

static int simulate(const options *o, outcome *out)
{
    out->router = mesh_router_find(o->router);
    if (!out->router)
        return usage_error("there is no router '%s'", o->router);
    out->value = mesh_router_values(out->router);
    for (int k = 0; k < o->setting.count; k++)
        BMF_TRY(report_status(NULL, mesh_router_set(out->router, out->value, o->setting.text[k])));
    BMF_TRY(report_status(NULL, mesh_parse(o->size, o->torus, &out->mesh)));
    BMF_TRY(report_status(NULL, mesh_traffic_make(o->pattern, &out->mesh, o->words, &o->random, &out->traffic)));
    if (o->draw != NO_NODE)
        return draw_schedules(o, out);
    const int64_t begin = monotonic_ns();
    BMF_TRY(report_status(NULL, out->router->run(&out->mesh, out->traffic, out->value, &out->result)));
    out->seconds = (double)(monotonic_ns() - begin) * 1e-9;
    const double gigahertz = o->gigahertz > 0 ? o->gigahertz : out->router->gigahertz;
    out->nanoseconds = (double)out->result.cycles / gigahertz;
    return o->json ? print_json(o, out) : print_text(o, out);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    outcome out = {0};
    (void)ctx;
    if (strcmp(operands->text[0], "run") != 0)
        return usage_error(NO_PATTERN);
    o->pattern = operands->text[1];
    const int code = simulate(o, &out);
    mesh_traffic_free(out.traffic);
    free(out.value);
    return code;
}

/* ---- options ---- */

static int read_node(const char *text, void *field)
{
    char *end;
    int64_t *node = field;
    *node = strcmp(text, "all") == 0 ? ALL_NODES : strtoll(text, &end, 10);
    if (*node == ALL_NODES || (end != text && *end == '\0' && *node >= 0 && *node <= LARGEST))
        return 0;
    return usage_error("--draw needs a whole number from 0 to %" PRId64 " or 'all', not '%s'", LARGEST, text);
}

static void print_routers(FILE *to)
{
    fputs("Routers and their parameters:\n", to);
    for (int k = 0; mesh_routers[k]; k++) {
        const bmf_mesh_router *router = mesh_routers[k];
        fprintf(to, "  %s: %s; %g GHz\n", router->name, router->summary, router->gigahertz);
        for (int p = 0; router->parameter[p].name; p++)
            fprintf(to, "    %-14s %s (%g)\n", router->parameter[p].name, router->parameter[p].what,
                    router->parameter[p].otherwise);
    }
}

static const bmf_option table[] = {
    BMF_OPTION("size", "XxY[xZ]", BMF_TEXT(options, size), "nodes"),
    BMF_OPTION("torus", NULL, BMF_FLAG(options, torus), "with links over the edges"),
    BMF_OPTION("router", "ROUTER", BMF_TEXT(options, router), "one of those below"),
    BMF_OPTION("words", "N", BMF_WHOLE(options, words, 1, LARGEST), "words of a message"),
    BMF_OPTION("load", "L", BMF_REAL(options, random.load, 1), "random: words a node and cycle"),
    BMF_OPTION("cycles", "N", BMF_WHOLE(options, random.cycles, 1, LARGEST),
               "random: messages are made in so many cycles"),
    BMF_OPTION("seed", "N", BMF_WHOLE(options, random.seed, 0, LARGEST), "random: of the random numbers"),
    BMF_OPTION("itself", NULL, BMF_FLAG(options, random.itself), "random: nodes may send to themselves"),
    BMF_OPTION("ghz", "G", BMF_REAL(options, gigahertz, 1000), "the router's clock; default: below"),
    BMF_OPTION("set", "NAME=VALUE", BMF_LIST(options, setting),
               "a parameter of the router, of those below; may be given several times"),
    BMF_OPTION("draw", "NODE|all", BMF_OTHER(options, draw, read_node),
               "print the schedules of the phases at that node, or at all (scheduled router)"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object"),
    BMF_OPTION_END};

static const options defaults = {.size = "8x8",
                                 .router = "scheduled",
                                 .words = 512,
                                 .random = {.load = 0.05, .cycles = 10000, .seed = 1},
                                 .draw = NO_NODE};

const bmf_driver mesh_command = {
    .name = "mesh",
    .summary = "traffic on a mesh, scheduled or dynamic, cycle by cycle",
    .synopsis = "bmf mesh run PATTERN [OPTION]..",
    .about =
        "Sends traffic over a mesh and prints how long it takes, cycle by cycle exactly.\n\n"
        "PATTERN: bitrev, transpose, shift[:D[,AXIS]], broadcast[:NODE], neighbours[:AXIS], random, file:PATH. A file "
        "has a message a line, `FROM TO[,TO..] WORDS [at=CYCLE] [bandwidth=B]`; nodes are numbers or X:Y or X:Y:Z.",
    .example = "bmf mesh run bitrev --size 8x8 --words 512 --router scheduled --json",
    .see = "bmf-machine",
    .more = print_routers,
    .options = table,
    .min_operands = 2,
    .max_operands = 2,
    .no_operand = NO_PATTERN,
    .surplus = NO_PATTERN,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
