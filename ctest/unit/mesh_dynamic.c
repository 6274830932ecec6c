/* Dynamic routers: cycle for cycle as the reference that does everything in every cycle, on random meshes, tori,
 * settings and traffic; closed forms; nothing lost or out of order and nothing blocked for ever at saturation;
 * published points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctest/reference/reference_dynamic.h"
#include "ctest/support/testing.h"
#include "predict/mesh/dynamic_run.h"
#include "predict/mesh/routers.h"
#include "bmf/status.h"

enum { PATTERNS = 2500, MAX_MESSAGES = 24, LIMIT = 100000 };

typedef struct world {
    bmf_mesh mesh;
    bmf_dynamic_settings settings;
    int64_t messages;
    reference_message message[MAX_MESSAGES];
    int64_t sent[MAX_MESSAGES], arrived[MAX_MESSAGES], hops[MAX_MESSAGES], reports;
} world;

static int between(uint64_t *state, int min, int max)
{
    return min + (int)test_below(state, max - min + 1);
}

static void random_mesh(uint64_t *state, world *w)
{
    const int64_t size[3] = {between(state, 1, 5), between(state, 1, 3), test_below(state, 4) == 0 ? 2 : 1};
    assert_int_equal(mesh_make(3, size, test_below(state, 2) == 0, &w->mesh), BMF_OK);
}

static void random_settings(uint64_t *state, world *w)
{
    bmf_dynamic_settings *s = &w->settings;
    const bool reassociate = test_below(state, 2) == 0; /* no delays */
    const bool adaptive = test_below(state, 2) == 0;
    *s = (bmf_dynamic_settings){
        .routing = adaptive ? BMF_DYNAMIC_ADAPTIVE : BMF_DYNAMIC_ECUBE,
        .channels = between(state, (w->mesh.torus ? 2 : 1) + adaptive, adaptive ? 5 : 4),
        .buffer = between(state, 1, 9),
        .addresses = between(state, 1, 4),
        .header = between(state, 0, 2),
        .route = reassociate ? 0 : between(state, 0, 3),
        .allocate = reassociate ? 0 : between(state, 0, 2),
        .link = reassociate ? 1 : between(state, 1, 4),
        .inject = reassociate ? 1 : between(state, 1, 4),
        .credit = reassociate ? 1 : between(state, 1, 5),
        .inject_credit = reassociate ? 1 : between(state, 1, 5),
        .eject_credit = reassociate ? 1 : between(state, 1, 5),
        .atomic = adaptive || test_below(state, 2) == 0,
        .shared = test_below(state, 2) == 0,
        .misroutes = between(state, 0, 3),
    };
    s->inject_channels = between(state, 1, s->channels);
    s->speedup = between(state, 1, s->channels);
}

static void random_messages(uint64_t *state, world *w)
{
    const int64_t max_words = between(state, 1, 30), max_gap = between(state, 1, 12);
    const bool hot = test_below(state, 4) == 0; /* many to one node */
    int64_t cycle = 0;
    w->messages = between(state, 1, MAX_MESSAGES);
    for (int64_t k = 0; k < w->messages; k++) {
        cycle += test_below(state, 40) == 0 ? 300 : test_below(state, max_gap);
        w->message[k] =
            (reference_message){.from = test_below(state, w->mesh.nodes),
                                .to = hot && test_below(state, 3) > 0 ? 0 : test_below(state, w->mesh.nodes),
                                .words = 1 + test_below(state, max_words),
                                .cycle = cycle,
                                .address = between(state, 0, w->settings.addresses)};
        w->sent[k] = w->arrived[k] = w->hops[k] = -1;
    }
}

static void note_sent(void *state, const bmf_dynamic_report *report, int64_t time)
{
    ((world *)state)->sent[report->message] = time;
}

static void note_arrived(void *state, const bmf_dynamic_report *report, int64_t time)
{
    world *w = state;
    w->arrived[report->message] = time;
    w->hops[report->message] = report->hops;
    w->reports++;
}

/* Lets the fast simulator catch up to the reference's time, skipping what it may. */
static void follow(bmf_wormhole_mesh *d, world *w, int64_t *handed_over, int64_t until)
{
    for (;;) {
        int64_t next = dynamic_next(d);
        if (*handed_over < w->messages && w->message[*handed_over].cycle < next)
            next = w->message[*handed_over].cycle;
        if (next >= until)
            break;
        dynamic_skip(d, next);
        for (; *handed_over < w->messages && w->message[*handed_over].cycle == next; (*handed_over)++) {
            const reference_message *m = &w->message[*handed_over];
            dynamic_send(d, *handed_over, m->from, m->to, m->words, m->address);
        }
        dynamic_step(d);
    }
}

static bool all_arrived(const world *w)
{
    for (int64_t k = 0; k < w->messages; k++)
        if (w->message[k].arrived < 0)
            return false;
    return true;
}

static void compare_results(const world *w, uint64_t seed)
{
    for (int64_t k = 0; k < w->messages; k++) {
        const reference_message *m = &w->message[k];
        if (m->sent != w->sent[k] || m->arrived != w->arrived[k] || m->hops != w->hops[k] ||
            m->words_arrived != m->words + w->settings.header)
            fail_msg("seed %llu: message %lld: sent %lld, arrived %lld, hops %lld; reference %lld, %lld, %lld",
                     (unsigned long long)seed, (long long)k, (long long)w->sent[k], (long long)w->arrived[k],
                     (long long)w->hops[k], (long long)m->sent, (long long)m->arrived, (long long)m->hops);
    }
}

static void agree_on(uint64_t seed)
{
    uint64_t state = seed;
    world w = {0};
    bmf_wormhole_mesh *d;
    int64_t handed_over = 0;
    random_mesh(&state, &w);
    random_settings(&state, &w);
    random_messages(&state, &w);
    assert_int_equal(dynamic_create(&w.mesh, &w.settings, note_arrived, note_sent, &w, &d), BMF_OK);
    reference_dynamic *r = reference_dynamic_create(&w.mesh, &w.settings, w.messages, w.message);
    while (!all_arrived(&w) && reference_dynamic_time(r) < LIMIT) {
        reference_dynamic_step(r);
        follow(d, &w, &handed_over, reference_dynamic_time(r));
        if (reference_dynamic_flit_hops(r) != dynamic_flit_hops(d))
            fail_msg("seed %llu: cycle %lld: %lld words over links, reference %lld", (unsigned long long)seed,
                     (long long)reference_dynamic_time(r) - 1, (long long)dynamic_flit_hops(d),
                     (long long)reference_dynamic_flit_hops(r));
    }
    compare_results(&w, seed);
    assert_int_equal(w.reports, w.messages);
    assert_int_equal(reference_dynamic_under_way(r), 0);
    assert_int_equal(dynamic_disordered(d), 0);
    assert_int_equal(dynamic_pending(d), 0);
    dynamic_free(d);
    reference_dynamic_free(r);
}

static void every_cycle_agrees(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= PATTERNS; seed++)
        agree_on(seed);
}

/* ---- closed forms ---- */

static void run_with(const bmf_mesh_router *router, const char *size, bool torus, const bmf_mesh_traffic *traffic,
                     const char *const *setting, bmf_mesh_result *result)
{
    bmf_mesh mesh;
    double *value = mesh_router_values(router);
    assert_int_equal(mesh_parse(size, torus, &mesh), BMF_OK);
    for (; setting && *setting; setting++)
        assert_int_equal(mesh_router_set(router, value, *setting), BMF_OK);
    assert_int_equal(router->run(&mesh, traffic, value, result), BMF_OK);
    free(value);
}

/* One message alone: header through every router, then a word a cycle. */
static void idle_times(void **unused)
{
    static const char *const slow[] = {"route=2", "allocate=1", "link=3", "inject=2", "credit=4", "header=2", NULL};
    const bmf_mesh_router *const router[] = {&mesh_router_ecube, &mesh_router_adaptive};
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int64_t to = 0; to < 60; to++) {
            if (to == 17) /* what a node sends to itself takes turns with what it reads */
                continue;
            bmf_mesh mesh;
            bmf_mesh_result result;
            assert_int_equal(mesh_parse("5x4x3", k >= 2, &mesh), BMF_OK);
            bmf_mesh_traffic *traffic = mesh_traffic_create("one", &mesh);
            mesh_traffic_add(traffic, 17, 1, &to, 100, 50, 0);
            const int64_t links = mesh_distance(&mesh, 17, to);
            run_with(router[k % 2], "5x4x3", k >= 2, traffic, NULL, &result);
            assert_int_equal(result.cycles, 50 + 1 + (links + 1) + 100);
            assert_int_equal(result.flit_hops, links * 101);
            run_with(router[k % 2], "5x4x3", k >= 2, traffic, slow, &result);
            assert_int_equal(result.cycles, 50 + 2 + (links + 1) * (2 + 1 + 3) + 101);
            assert_int_equal((int64_t)result.hops_total, links);
            mesh_traffic_free(traffic);
        }
}

/* Buffers that are too small for the way there and back of a credit: `buffer` words in link + credit cycles. */
static void small_buffers_throttle(void **unused)
{
    static const char *const small[] = {"buffer=2", "link=3", "credit=4", "inject_credit=1", "eject_credit=1", NULL};
    enum { WORDS = 701 };
    bmf_mesh mesh;
    bmf_mesh_result result;
    const int64_t to = 1;
    (void)unused;
    assert_int_equal(mesh_parse("2", false, &mesh), BMF_OK);
    bmf_mesh_traffic *traffic = mesh_traffic_create("one", &mesh);
    mesh_traffic_add(traffic, 0, 1, &to, WORDS, 0, 0);
    run_with(&mesh_router_ecube, "2", false, traffic, small, &result);
    /* word k wins the first switch in cycle 1 + 7 (k / 2) + k % 2, and is read 2 * 3 cycles later; k = WORDS with
     * header */
    assert_int_equal(result.cycles, 1 + 7 * (WORDS / 2) + WORDS % 2 + 6);
    mesh_traffic_free(traffic);
}

/* All nodes of a line to its end: the last link carries all of it, one message after the other without a gap. */
static void a_link_is_never_idle(void **unused)
{
    enum { NODES = 9, WORDS = 40 };
    bmf_mesh mesh;
    bmf_mesh_result result;
    (void)unused;
    assert_int_equal(mesh_parse("9", false, &mesh), BMF_OK);
    bmf_mesh_traffic *traffic = mesh_traffic_create("line", &mesh);
    const int64_t to = NODES - 1;
    for (int64_t from = 0; from < NODES - 1; from++)
        mesh_traffic_add(traffic, from, 1, &to, WORDS, 0, 0);
    run_with(&mesh_router_ecube, "9", false, traffic, NULL, &result);
    assert_int_equal(result.cycles, 1 + 2 + (NODES - 1) * (WORDS + 1) - 1);
    assert_int_equal(result.flit_hops, (WORDS + 1) * NODES * (NODES - 1) / 2);
    mesh_traffic_free(traffic);
}

/* ---- long runs ---- */

static int64_t distances(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic)
{
    int64_t links = 0;
    for (int64_t k = 0; k < traffic->messages; k++)
        links += mesh_distance(mesh, traffic->message[k].from, *traffic->message[k].to);
    return links;
}

/* Far more than the network carries, for thousands of cycles; everything arrives. */
static void saturate(const bmf_mesh_router *router, const char *size, bool torus, const char *const *setting,
                     int64_t words)
{
    const bmf_mesh_random random = {.load = 1, .cycles = 1000, .seed = 7, .itself = true};
    bmf_mesh mesh;
    bmf_mesh_traffic *traffic;
    bmf_mesh_result result;
    assert_int_equal(mesh_parse(size, torus, &mesh), BMF_OK);
    assert_int_equal(mesh_traffic_make("random", &mesh, words, &random, &traffic), BMF_OK);
    run_with(router, size, torus, traffic, setting, &result);
    assert_int_equal(result.deliveries, traffic->messages);
    assert_int_equal(result.words, traffic->messages * words);
    assert_true((int64_t)result.hops_total >= distances(&mesh, traffic));
    if (router == &mesh_router_ecube) {
        assert_int_equal((int64_t)result.hops_total, distances(&mesh, traffic));
        assert_int_equal(result.flit_hops, distances(&mesh, traffic) * (words + 1));
    }
    mesh_traffic_free(traffic);
}

static void nothing_blocks_for_ever(void **unused)
{
    static const char *const few[] = {"buffer=1", "channels=3", NULL}, *const misrouting[] = {"misroutes=5", NULL};
    static const char *const one[] = {"buffer=1", "addresses=1", NULL};
    const bmf_mesh_router *const router[] = {&mesh_router_ecube, &mesh_router_adaptive};
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int64_t words = 3; words <= 60; words += 57) {
            saturate(router[k % 2], "7x6", k >= 2, NULL, words);
            saturate(router[k % 2], "4x4x4", k >= 2, few, words);
            saturate(router[k % 2], "2x9", k >= 2, one, words);
            if (router[k % 2] == &mesh_router_adaptive)
                saturate(router[k % 2], "6x6", k >= 2, misrouting, words);
        }
}

/* ---- published points ---- */

/* BookSim 2, measured with the pipeline below: links crossed plus one, and cycles of a packet. */
typedef struct point {
    const char *size;
    double load, hops, latency;
    int64_t cycles;
} point;

static void matches_booksim(void **unused)
{
    static const char *const pipeline[] = {
        "channels=4",      "inject_channels=4", "addresses=4", "header=0", "allocate=1", "link=3", "credit=4",
        "inject_credit=2", "eject_credit=6",    "speedup=2",   "shared=0", "atomic=1",   NULL};
    static const point points[] = {{"8x8", 0.05, 6.28, 50.2, 20000},
                                   {"8x8", 0.2, 6.26, 69.7, 10000},
                                   {"16x16", 0.05, 11.61, 76.2, 5000},
                                   {"16x16", 0.1, 11.62, 90.8, 5000}};
    (void)unused;
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        const bmf_mesh_random random = {.load = points[k].load, .cycles = points[k].cycles, .seed = 1, .itself = true};
        bmf_mesh mesh;
        bmf_mesh_traffic *traffic;
        bmf_mesh_result result;
        assert_int_equal(mesh_parse(points[k].size, false, &mesh), BMF_OK);
        assert_int_equal(mesh_traffic_make("random", &mesh, 20, &random, &traffic), BMF_OK);
        run_with(&mesh_router_ecube, points[k].size, false, traffic, pipeline, &result);
        const double hops = result.hops_total / (double)result.deliveries + 1;
        const double latency = result.latency_total / (double)result.deliveries;
        assert_true(fabs(hops / points[k].hops - 1) < 0.01);
        assert_true(fabs(latency / points[k].latency - 1) < 0.05);
        mesh_traffic_free(traffic);
    }
}

static void refuses_what_would_block(void **unused)
{
    bmf_mesh torus;
    bmf_wormhole_mesh *d;
    bmf_dynamic_settings settings;
    (void)unused;
    assert_int_equal(mesh_parse("4x4", true, &torus), BMF_OK);
    double *value = mesh_router_values(&mesh_router_adaptive);
    dynamic_settings_of(BMF_DYNAMIC_ADAPTIVE, &torus, value, &settings);
    free(value);
    settings.channels = 2;
    assert_int_equal(dynamic_create(&torus, &settings, NULL, NULL, NULL, &d), BMF_ERROR_ARGUMENT);
    settings.channels = 3;
    settings.atomic = false;
    assert_int_equal(dynamic_create(&torus, &settings, NULL, NULL, NULL, &d), BMF_ERROR_ARGUMENT);
    settings.routing = BMF_DYNAMIC_ECUBE;
    settings.channels = 1;
    assert_int_equal(dynamic_create(&torus, &settings, NULL, NULL, NULL, &d), BMF_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cycle_agrees),      cmocka_unit_test(idle_times),
        cmocka_unit_test(small_buffers_throttle),  cmocka_unit_test(a_link_is_never_idle),
        cmocka_unit_test(nothing_blocks_for_ever), cmocka_unit_test(matches_booksim),
        cmocka_unit_test(refuses_what_would_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
