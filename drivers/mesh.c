/* bmf mesh: traffic on a mesh, router by router, cycle by cycle. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/json.h"
#include "predict/mesh/phase.h"
#include "predict/mesh/router.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"
#include "bmf/status.h"

enum { DEFAULT_WORDS = 512, DEFAULT_CYCLES = 10000, MOST_SETTINGS = 64 };
static const double DEFAULT_LOAD = 0.05;

typedef struct options {
    const char *pattern, *size, *router;
    bool torus, json, help;
    int64_t words;
    bmf_mesh_random random;
    double gigahertz; /* 0: the router's */
    int64_t draw;     /* this node's schedule; -1: none, -2: all */
    int settings;
    const char *setting[MOST_SETTINGS];
} options;

static void print_help(void)
{
    puts("usage: bmf mesh run PATTERN --size 8x8 [OPTION...]\n"
         "\n"
         "Sends traffic over a mesh and prints how long it takes, cycle by cycle exactly.\n"
         "\n"
         "PATTERN: bitrev, transpose, shift[:D[,AXIS]], broadcast[:NODE], neighbours[:AXIS], random, file:PATH. A file "
         "has\n"
         "a message a line, `FROM TO[,TO..] WORDS [at=CYCLE] [bandwidth=B]`; nodes are numbers or X:Y or X:Y:Z.\n"
         "\n"
         "  --size XxY[xZ]    nodes (default 8x8)\n"
         "  --torus           with links over the edges\n"
         "  --router R        default: scheduled\n"
         "  --words N         of a message (default 512)\n"
         "  --load L          random: words a node and cycle (default 0.05)\n"
         "  --cycles N        random: messages are made in so many cycles (default 10000)\n"
         "  --seed N          random: default 1\n"
         "  --itself          random: nodes may send to themselves\n"
         "  --ghz G           the router's clock; default: below\n"
         "  --set NAME=VALUE  a parameter of the router\n"
         "  --draw NODE|all   print the schedules of the phases at that node (scheduled router)\n"
         "  --json            one JSON object\n"
         "  --help            this text\n"
         "\n"
         "Routers and their parameters:");
    for (int k = 0; mesh_routers[k]; k++) {
        const bmf_mesh_router *router = mesh_routers[k];
        printf("  %s: %s; %g GHz\n", router->name, router->summary, router->gigahertz);
        for (int p = 0; router->parameter[p].name; p++)
            printf("    %-14s %s (%g)\n", router->parameter[p].name, router->parameter[p].what,
                   router->parameter[p].otherwise);
    }
    puts("\n"
         "Example: bmf mesh run bitrev --size 8x8 --words 512 --router scheduled --json");
}

/* ---- options ---- */

static int read_whole(const char *option, const char *text, int64_t least, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < least || *value > INT64_C(1) << 40)
        return bmf_usage_error("mesh", "%s needs a whole number from %lld on, not '%s'", option, (long long)least,
                               text);
    return 0;
}

static int read_real(const char *option, const char *text, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value > 0 && *value <= most))
        return bmf_usage_error("mesh", "%s needs a number above 0 and at most %g, not '%s'", option, most, text);
    return 0;
}

static int read_option(int c, const char *text, options *o)
{
    int64_t seed;
    switch (c) {
    case 's':
        o->size = text;
        return 0;
    case 't':
        o->torus = true;
        return 0;
    case 'r':
        o->router = text;
        return 0;
    case 'i':
        o->random.itself = true;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    case 'w':
        return read_whole("--words", text, 1, &o->words);
    case 'c':
        return read_whole("--cycles", text, 1, &o->random.cycles);
    case 'l':
        return read_real("--load", text, 1, &o->random.load);
    case 'g':
        return read_real("--ghz", text, 1000, &o->gigahertz);
    case 'e': {
        const int code = read_whole("--seed", text, 0, &seed);
        o->random.seed = (uint64_t)seed;
        return code;
    }
    case 'd':
        o->draw = -2;
        return strcmp(text, "all") == 0 ? 0 : read_whole("--draw", text, 0, &o->draw);
    case 'S':
        if (o->settings == MOST_SETTINGS)
            return bmf_usage_error("mesh", "more than %d --set", MOST_SETTINGS);
        o->setting[o->settings++] = text;
        return 0;
    default:
        return 2;
    }
}

static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"size", required_argument, NULL, 's'},   {"torus", no_argument, NULL, 't'},
        {"router", required_argument, NULL, 'r'}, {"words", required_argument, NULL, 'w'},
        {"load", required_argument, NULL, 'l'},   {"cycles", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 'e'},   {"itself", no_argument, NULL, 'i'},
        {"ghz", required_argument, NULL, 'g'},    {"set", required_argument, NULL, 'S'},
        {"draw", required_argument, NULL, 'd'},   {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {0}};
    opterr = 0;
    optind = 1;
    for (int c, code; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        if (c == ':' || c == '?')
            return bmf_usage_error("mesh", c == ':' ? "%s needs a value" : "unknown option '%s'", argv[optind - 1]);
        if ((code = read_option(c, optarg, o)) != 0)
            return code;
    }
    if (o->help)
        return 0;
    if (optind + 2 != argc || strcmp(argv[optind], "run") != 0)
        return bmf_usage_error("mesh", "'run' and a pattern are wanted");
    o->pattern = argv[optind + 1];
    return 0;
}

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
    return bmf_sheet_print_json(
        json_pack("{s:s, s:I, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "pattern", o->pattern, "nodes",
                  (json_int_t)out->mesh.nodes, "router", out->router->name, "words", (json_int_t)o->words, "cycles",
                  (json_int_t)r->cycles, "nanoseconds", out->nanoseconds, "accepted", r->accepted, "latency_mean",
                  mean(r->latency_total, r->deliveries), "hops_mean", mean(r->hops_total, r->deliveries),
                  "flit_hops_per_second", hops_a_second(out)));
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
    return bmf_finish_output();
}

static int draw_schedules(const options *o, const outcome *out)
{
    if (strcmp(out->router->name, mesh_routers[0]->name) != 0)
        return bmf_usage_error("mesh", "only the %s router has schedules to draw", mesh_routers[0]->name);
    if (o->draw >= out->mesh.nodes)
        return bmf_usage_error("mesh", "--draw: node %" PRId64 " is outside the mesh", o->draw);
    return bmf_report(mesh_draw_schedules(&out->mesh, out->traffic, out->value, o->draw, stdout));
}

static int run(const options *o, outcome *out)
{
    out->router = mesh_router_find(o->router);
    if (!out->router)
        return bmf_usage_error("mesh", "there is no router '%s'", o->router);
    out->value = mesh_router_values(out->router);
    for (int k = 0; k < o->settings; k++)
        BMF_TRY(bmf_report(mesh_router_set(out->router, out->value, o->setting[k])));
    BMF_TRY(bmf_report(mesh_parse(o->size, o->torus, &out->mesh)));
    BMF_TRY(bmf_report(mesh_traffic_make(o->pattern, &out->mesh, o->words, &o->random, &out->traffic)));
    if (o->draw != -1)
        return draw_schedules(o, out);
    const int64_t begin = monotonic_ns();
    BMF_TRY(bmf_report(out->router->run(&out->mesh, out->traffic, out->value, &out->result)));
    out->seconds = (double)(monotonic_ns() - begin) * 1e-9;
    const double gigahertz = o->gigahertz > 0 ? o->gigahertz : out->router->gigahertz;
    out->nanoseconds = (double)out->result.cycles / gigahertz;
    return o->json ? print_json(o, out) : print_text(o, out);
}

int bmf_command_mesh(int argc, char **argv)
{
    options o = {.size = "8x8",
                 .router = "scheduled",
                 .words = DEFAULT_WORDS,
                 .random = {.load = DEFAULT_LOAD, .cycles = DEFAULT_CYCLES, .seed = 1},
                 .draw = -1};
    int code = read_options(argc, argv, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    outcome out = {0};
    code = run(&o, &out);
    mesh_traffic_free(out.traffic);
    free(out.value);
    return code;
}
