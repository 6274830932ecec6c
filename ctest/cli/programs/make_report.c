/* Writes the report of a made-up run: usage: make_report OUT.html [CASE [LANES [EVENTS [SEED]]]].
 *
 * The program reads a file, splits it, and then relaxes a ring of blocks step by step: a kernel, an exchange with both
 * neighbours, every fourth step a tree reduction. Measured kernels take longer by a random factor each, predicted ones
 * the expected time with an interval. EVENTS is about the number of events of each run.
 *
 * CASE: full       two runs with everything a report can show
 *       single     the measured run only, without comparison
 *       lone       one processor: no messages
 *       different  the predicted run has twice the processors
 *       nasty      names that try to break out of the page
 *       empty      a run without events
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "predict/report/report.h"
#include "skeletons/skeleton_types.h"

typedef struct maker {
    bmf_trace_run *run;
    uint64_t state;
    int64_t *clock, *entered, *entered_step, *sent; /* by lane */
    uint32_t node, instance, round;
} maker;

static void add(maker *m, int32_t lane, bmf_event_kind kind, int64_t begin, int64_t end, int32_t peer, int64_t amount,
                uint16_t name)
{
    int64_t duration = end - begin, spread = m->run->predicted && kind >= BMF_EVENT_KERNEL ? duration / 6 : 0;
    run_add(m->run, &(bmf_event){.begin = begin,
                                 .end = end,
                                 .amount = amount,
                                 .low = duration - spread,
                                 .high = duration + spread,
                                 .node = m->node,
                                 .instance = m->instance,
                                 .round = m->round,
                                 .lane = lane,
                                 .peer = peer,
                                 .kind = (uint16_t)kind,
                                 .name = name});
}

/* Both runs draw the same numbers, so that they stay in step; only the measured one uses them. */
static int64_t noisy(maker *m, int64_t mean)
{
    double noise = 0.8 + 0.3 * random_unit(&m->state) + (test_below(&m->state, 40) == 0 ? 1.5 : 0.0);
    return m->run->predicted ? mean : (int64_t)((double)mean * noise);
}

static void enter(maker *m, uint32_t node, uint32_t instance, int64_t *entered)
{
    m->node = node;
    m->instance = instance;
    m->round = 0;
    memcpy(entered, m->clock, (size_t)m->run->lanes * sizeof *entered);
}

static void leave(maker *m, uint32_t node, uint32_t instance, bmf_event_kind kind, const int64_t *entered)
{
    m->node = node;
    m->instance = instance;
    m->round = 0;
    for (int32_t lane = 0; lane < m->run->lanes; lane++)
        add(m, lane, kind, entered[lane], m->clock[lane], -1, kind == BMF_EVENT_SKELETON ? 1000 : 0, 0);
}

static void compute(maker *m, int64_t mean, uint16_t name)
{
    for (int32_t lane = 0; lane < m->run->lanes; lane++) {
        int64_t begin = m->clock[lane], skew = mean + mean * (lane % 5) / 20;
        m->clock[lane] += noisy(m, skew);
        add(m, lane, BMF_EVENT_KERNEL, begin, m->clock[lane], -1, 4096, name);
    }
}

static int64_t send(maker *m, int32_t from, int32_t to, int64_t bytes)
{
    int64_t begin = m->clock[from];
    m->clock[from] += noisy(m, 600);
    add(m, from, BMF_EVENT_SEND, begin, m->clock[from], to, bytes, 0);
    return m->clock[from] + noisy(m, 3000 + bytes);
}

static void receive(maker *m, int32_t to, int32_t from, int64_t bytes, int64_t begin, int64_t arrival)
{
    int64_t end = arrival > begin ? arrival : begin + 50;
    add(m, to, BMF_EVENT_RECEIVE, begin, end, from, bytes, 0);
    m->clock[to] = end > m->clock[to] ? end : m->clock[to];
}

/* Every lane with both neighbours; the two receives are under way at once. */
static void exchange(maker *m, int64_t bytes)
{
    int32_t lanes = m->run->lanes;
    for (int32_t lane = 0; lane < lanes; lane++)
        for (int side = 0; side < 2; side++)
            m->sent[2 * lane + side] = send(m, lane, (lane + (side ? 1 : lanes - 1)) % lanes, bytes);
    for (int32_t lane = 0; lane < lanes; lane++) {
        int32_t left = (lane + lanes - 1) % lanes, right = (lane + 1) % lanes;
        int64_t begin = m->clock[lane];
        receive(m, lane, left, bytes, begin, m->sent[2 * left + 1]);
        receive(m, lane, right, bytes, begin, m->sent[2 * right]);
        int64_t received = m->clock[lane];
        m->clock[lane] += noisy(m, 200);
        add(m, lane, BMF_EVENT_WAIT, received, m->clock[lane], -1, 0, 0);
    }
}

/* Upwards in a binomial tree, or downwards. */
static void tree(maker *m, bool up, int64_t bytes)
{
    int32_t lanes = m->run->lanes, top = 1;
    while (top < lanes)
        top *= 2;
    for (int32_t hop = up ? 1 : top / 2; up ? hop < lanes : hop > 0; hop = up ? hop * 2 : hop / 2, m->round++)
        for (int32_t lane = 0; lane + hop < lanes; lane += 2 * hop) {
            int32_t from = up ? lane + hop : lane, to = up ? lane : lane + hop;
            int64_t begin = m->clock[to], arrival = send(m, from, to, bytes);
            receive(m, to, from, bytes, begin, arrival);
        }
}

typedef struct names {
    const char *program, *machine, *region, *map, *halo, *reduce, *kernel;
} names;
static const names plain = {"relax", "workstations", "$step", "map relax", "project halo", "reduce max", "relax"};
static const names nasty = {"</script><script>document.title='broken'</script>",
                            "\"quoted\" & <b>bold</b> 'single'",
                            "<!-- $step --> \xff\xfe \x01 \xe2\x80\xa8",
                            "map </SCRIPT ><img src=x onerror=\"document.title='broken'\">",
                            "project ]]> \\u003c \\ \"",
                            "reduce max\xc3\xa9 \xf0\x9f\x98\x80",
                            "<!--<script>"};

static void run_program(maker *m, const names *n, int64_t steps)
{
    bmf_trace_run *run = m->run;
    int32_t lanes = run->lanes;
    uint32_t read = run_call(run, 0, "read blocks", skeleton_read.id);
    uint32_t split = run_call(run, 0, "split", skeleton_split.id);
    uint32_t step = run_node(run, 0, n->region, BMF_EVENT_REGION);
    uint32_t map = run_call(run, step, n->map, skeleton_map.id);
    uint32_t halo = run_call(run, step, n->halo, skeleton_project.id);
    uint32_t reduce = run_call(run, step, n->reduce, skeleton_reduce.id);
    uint16_t kernel = (uint16_t)run_name(run, n->kernel), maximum = (uint16_t)run_name(run, "max");
    enter(m, read, 0, m->entered);
    m->clock[0] += noisy(m, 60000);
    add(m, 0, BMF_EVENT_FILE, m->entered[0], m->clock[0], -1, 4096 * 8 * (int64_t)lanes, 0);
    leave(m, read, 0, BMF_EVENT_SKELETON, m->entered);
    enter(m, split, 0, m->entered);
    tree(m, false, 16384);
    leave(m, split, 0, BMF_EVENT_SKELETON, m->entered);
    for (uint32_t k = 0; k < steps; k++) {
        enter(m, step, k, m->entered_step);
        enter(m, map, k, m->entered);
        compute(m, 25000, kernel);
        leave(m, map, k, BMF_EVENT_SKELETON, m->entered);
        enter(m, halo, k, m->entered);
        if (lanes > 2)
            exchange(m, 2048);
        leave(m, halo, k, BMF_EVENT_SKELETON, m->entered);
        if (k % 4 == 3) {
            enter(m, reduce, k / 4, m->entered);
            compute(m, 6000, maximum);
            tree(m, true, 8);
            leave(m, reduce, k / 4, BMF_EVENT_SKELETON, m->entered);
        }
        leave(m, step, k, BMF_EVENT_REGION, m->entered_step);
    }
    memset(m->entered, 0, (size_t)lanes * sizeof *m->entered);
    leave(m, 0, 0, BMF_EVENT_REGION, m->entered);
}

static bmf_trace_run *make_run(const names *n, int32_t lanes, int64_t events, uint64_t seed, int predicted)
{
    size_t size = (size_t)lanes * 2 * sizeof(int64_t);
    maker m = {.run = run_create(n->program, predicted ? "decmpp-2048" : n->machine, lanes, lanes > 2 ? 2 : 1, 1),
               .state = seed,
               .clock = calloc(1, size),
               .entered = calloc(1, size),
               .entered_step = calloc(1, size),
               .sent = calloc(1, size)};
    m.run->predicted = predicted;
    if (events > 0)
        run_program(&m, n, events / (10 * (int64_t)lanes) + 1);
    free(m.clock);
    free(m.entered);
    free(m.entered_step);
    free(m.sent);
    return m.run;
}

/* A torus as square as can be, every link busy for a time that differs. */
static int64_t make_links(int32_t lanes, uint64_t seed, bmf_link_load **load)
{
    int32_t wide = (int32_t)sqrt((double)lanes);
    while (lanes % wide)
        wide--;
    *load = calloc((size_t)lanes * 2, sizeof **load);
    for (int32_t k = 0; k < 2 * lanes; k++) {
        int32_t from = k / 2, x = from % wide, y = from / wide, high = lanes / wide;
        int32_t nx = k % 2 ? x : (x + 1) % wide, ny = k % 2 ? (y + 1) % high : y;
        bmf_link_load *l = &(*load)[k];
        snprintf(l->from, sizeof l->from, "switch %d", from);
        snprintf(l->to, sizeof l->to, "switch %d", ny * wide + nx);
        l->x0 = x, l->y0 = y, l->x1 = nx, l->y1 = ny;
        l->messages = test_below(&seed, 400);
        l->bytes = l->messages * 2048;
        l->busy = (double)l->bytes * 1e-9;
    }
    return 2 * (int64_t)lanes;
}

static int64_t make_scaling(bmf_scaling point[24])
{
    int64_t points = 0;
    for (int64_t p = 1; p <= 4096; p *= 2) {
        double seconds = 2.0 / (double)p + 0.004 * log2((double)p) + 0.001, spread = 0.04 + 0.03 * log2((double)p);
        point[points++] =
            (bmf_scaling){p, seconds, seconds * (1 - spread / 2), seconds * (1 + spread), false, p <= 1024};
        if (p <= 8)
            point[points++] = (bmf_scaling){p, seconds * 1.06, seconds * 1.06, seconds * 1.06, true, true};
    }
    return points;
}

static double length_of(const bmf_trace_run *run)
{
    int64_t end = 0;
    for (int64_t k = 0; k < run->events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    return (double)end * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_report OUT.html [CASE [LANES [EVENTS [SEED]]]]\n");
        return 2;
    }
    const char *kind = argc > 2 ? argv[2] : "full";
    int32_t lanes = argc > 3 ? atoi(argv[3]) : 8;
    int64_t events = argc > 4 ? atoll(argv[4]) : 2000;
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    bool lone = strcmp(kind, "lone") == 0, different = strcmp(kind, "different") == 0;
    const names *n = strcmp(kind, "nasty") == 0 ? &nasty : &plain;
    lanes = lone ? 1 : lanes;
    events = strcmp(kind, "empty") == 0 ? 0 : events;
    bmf_report_contents report = {.title = n == &nasty ? nasty.program : "relax on 8 workstations and on the DECmpp",
                                  .runs = strcmp(kind, "single") == 0 || events == 0 ? 1 : 2};
    for (int k = 0; k < report.runs; k++)
        report.run[k] = make_run(n, k && different ? 2 * lanes : lanes, events, seed, k);
    int status = BMF_OK;
    for (int k = 0; k < report.runs && status == BMF_OK; k++)
        status = intervals_create(report.run[k], NULL, &report.intervals[k]);
    bmf_comparison *comparison = NULL;
    bmf_link_load *load = NULL;
    bmf_scaling scaling[24];
    if (status == BMF_OK && report.runs == 2) {
        status = compare_runs(report.run[0], report.run[1], &comparison);
        report.comparison = comparison;
        const double length = length_of(report.run[1]);
        report.expected[1] =
            (bmf_expected_length){.median = 1.02 * length, .low = 0.98 * length, .high = 1.09 * length};
    }
    if (strcmp(kind, "full") == 0 || n == &nasty) {
        report.loads[1] = make_links(lanes, seed, &load);
        report.load[1] = load;
        if (n == &nasty)
            snprintf(load->from, sizeof load->from, "%s", "</script><i>");
        report.points = make_scaling(scaling);
        report.scaling = scaling;
    }
    if (lone) { /* one processor costs nothing: there is no speed-up over it */
        scaling[0] = (bmf_scaling){1, 0.0, 0.0, 0.0, false, true};
        scaling[1] = (bmf_scaling){2, 1e-4, 1e-4, 1e-4, false, true};
        report.points = 2;
        report.scaling = scaling;
    }
    bmf_topologies topologies = {0};
    topologies_add_usual(&topologies, different ? 2 * lanes : lanes);
    report.topologies = &topologies;
    if (status == BMF_OK)
        status = report_write(&report, argv[1]);
    topologies_free(&topologies);
    if (status != BMF_OK)
        fprintf(stderr, "make_report: %s\n", bmf_error_text(NULL));
    for (int k = 0; k < report.runs; k++) {
        intervals_free(report.intervals[k]);
        run_free(report.run[k]);
    }
    comparison_free(comparison);
    free(load);
    return bmf_exit_code(status);
}
