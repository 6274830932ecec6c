/* The stream router and the scheduled hardware against what document 004 says of them: rates, latencies, buffering,
 * forks, the bandwidths of Table 8.2; random streams with stalls; schedules that break rules; loading; kept
 * schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/mesh/phase.h"
#include "predict/mesh/router.h"
#include "predict/mesh/schedule_cache.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"
#include "runtime/base/output_file.h"

enum { LENGTH = 24, MAX = 400 };

/* Streams on a mesh, routed, with a script for each node. */
typedef struct world {
    bmf_scheduled_hardware hardware;
    bmf_stream stream[MAX];
    int64_t streams;
    bool *taken; /* links, NULL: none */
    bmf_stream_routes *routes;
    bmf_scheduled_machine *machine;
    bmf_processor_script *script;
    bmf_scheduled_simulation *simulation;
} world;

static world make_world(int64_t x, int64_t y, int length)
{
    world w = {.hardware = {.pipelines = 2, .length = length, .separate_wires = true}};
    assert_int_equal(mesh_make(2, (int64_t[]){x, y}, false, &w.hardware.mesh), BMF_OK);
    return w;
}

static void add_stream(world *w, int64_t from, int64_t destinations, const int64_t *to, double bandwidth)
{
    w->stream[w->streams++] =
        (bmf_stream){.from = from, .destinations = destinations, .to = to, .bandwidth = bandwidth};
}

static void add_traffic(world *w, const bmf_mesh_traffic *traffic, double bandwidth)
{
    for (int64_t k = 0; k < traffic->messages; k++)
        add_stream(w, traffic->message[k].from, traffic->message[k].destinations, traffic->message[k].to, bandwidth);
}

/* Whether they fit. */
static bool try_route(world *w, bool leaves)
{
    const bmf_stream_request request = {
        .hardware = w->hardware, .streams = w->streams, .stream = w->stream, .leaves = leaves, .taken = w->taken};
    if (numesh_route_streams(&request, &w->routes) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    if (!w->routes)
        return false;
    assert_int_equal(scheduled_create(&w->hardware, &w->machine), BMF_OK);
    if (streams_emit(w->routes, w->machine, 1) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    for (int64_t n = 0; n < w->hardware.mesh.nodes; n++)
        w->machine->node[n].pointer = (uint8_t)w->hardware.length;
    w->script = scripts_create(&w->hardware.mesh);
    return true;
}

static void route(world *w, bool leaves)
{
    assert_true(try_route(w, leaves));
}

static int reg_at(const world *w, int64_t stream, int64_t node)
{
    const bmf_stream_route *r = &w->routes->route[stream];
    for (int64_t h = 0; h < r->hops; h++)
        if (r->hop[h].node == node && r->hop[h].delivers)
            return r->hop[h].reg;
    fail_msg("stream %lld does not reach node %lld", (long long)stream, (long long)node);
    return -1;
}

static bool listens(const bmf_stream *stream, int64_t node)
{
    for (int64_t d = 0; d < stream->destinations; d++)
        if (stream->to[d] == node)
            return true;
    return false;
}

/* Every node: all its words of all streams, after waiting. */
static void add_transfers(world *w, int64_t words, uint64_t *state, int64_t max_wait)
{
    for (int64_t n = 0; n < w->hardware.mesh.nodes; n++) {
        bmf_interface_use use[MAX];
        int64_t uses = 0;
        for (int64_t k = 0; k < w->streams; k++) {
            if (w->stream[k].from == n)
                use[uses++] = (bmf_interface_use){.reg = w->routes->route[k].reg, .stream = k, .words = words};
            if (listens(&w->stream[k], n))
                use[uses++] = (bmf_interface_use){.reg = reg_at(w, k, n), .reads = true, .stream = k, .words = words};
        }
        if (state)
            script_wait(&w->script[n], BMF_TIME_CPU, test_below(state, max_wait));
        script_transfer(&w->script[n], false, uses, use);
    }
}

static void simulate(world *w)
{
    w->simulation = scheduled_simulation_create(w->machine, w->script, &(bmf_simulation_settings){0});
    if (scheduled_simulation_run(w->simulation) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
}

static void free_world(world *w)
{
    scheduled_simulation_free(w->simulation);
    scripts_free(&w->hardware.mesh, w->script);
    scheduled_free(w->machine);
    streams_free(w->routes);
}

static const bmf_interface_use *use_of(const world *w, int64_t node, int64_t stream, bool reads)
{
    for (int64_t u = 0; u < w->script[node].uses; u++)
        if (w->script[node].use[u].stream == stream && w->script[node].use[u].reads == reads)
            return &w->script[node].use[u];
    fail_msg("no such use");
    return NULL;
}

/* Cycles from the first to the last word of `words`. */
static int64_t span(const world *w, int64_t node, int64_t stream)
{
    const bmf_interface_use *use = use_of(w, node, stream, true);
    assert_int_equal(use->done, use->words);
    return use->last - use->first;
}

/* ---- the document's checks ---- */

/* A1: a cycle a link. A word that is written in a cycle is read from the register in the next slot of the stream, one
 * write stage and the links later the other processor has it. */
static void latency_is_a_cycle_a_link(void **unused)
{
    (void)unused;
    for (int64_t to = 1; to < 12; to++) {
        world w = make_world(4, 3, LENGTH);
        const int64_t distance = mesh_distance(&w.hardware.mesh, 0, to);
        add_stream(&w, 0, 1, &to, 0.25);
        route(&w, true);
        add_transfers(&w, 1, NULL, 0);
        simulate(&w);
        const int64_t written = use_of(&w, 0, 0, false)->last, read = use_of(&w, to, 0, true)->last;
        int64_t taken = written + 1;
        while (
            w.machine->node[0].entry[LENGTH + (taken - 2 + LENGTH) % LENGTH].vfsm[w.routes->route[0].hop[0].pipeline] <
                BMF_VFSM_FIRST ||
            taken < 2)
            taken++;
        assert_int_equal(read, taken + distance + 1);
        free_world(&w);
    }
}

/* A2: Figure 1-6. */
static void three_streams_have_their_rates(void **unused)
{
    (void)unused;
    world w = make_world(3, 1, 4);
    add_stream(&w, 0, 1, &(int64_t){2}, 0.5);
    add_stream(&w, 0, 1, &(int64_t){1}, 0.25);
    add_stream(&w, 1, 1, &(int64_t){2}, 0.25);
    route(&w, false);
    assert_true(w.routes->factor == 1);
    add_transfers(&w, 400, NULL, 0);
    simulate(&w);
    assert_int_equal(span(&w, 2, 0), 399 * 2);
    assert_int_equal(span(&w, 1, 1), 399 * 4);
    assert_int_equal(span(&w, 2, 2), 399 * 4);
    free_world(&w);
}

/* A3: 0.5 for one stream, however much is wished for; 1.0 for two interleaved ones. */
static void two_streams_fill_a_processor(void **unused)
{
    (void)unused;
    for (int64_t streams = 1; streams <= 2; streams++) {
        world w = make_world(2, 1, LENGTH);
        const int64_t one = 1;
        for (int64_t k = 0; k < streams; k++)
            add_stream(&w, 0, 1, &one, 1.0);
        route(&w, false);
        add_transfers(&w, 1000, NULL, 0);
        simulate(&w);
        for (int64_t k = 0; k < streams; k++)
            assert_int_equal(span(&w, 1, k), 999 * 2);
        free_world(&w);
    }
}

/* A4: a broadcast with forks of two takes 2 cycles a word. */
static void broadcast_takes_two_cycles_a_word(void **unused)
{
    (void)unused;
    for (int64_t source = 0; source < 16; source += 5) {
        world w = make_world(4, 4, LENGTH);
        int64_t to[15], count = 0;
        for (int64_t n = 0; n < 16; n++)
            if (n != source)
                to[count++] = n;
        add_stream(&w, source, count, to, 0.5);
        route(&w, true);
        add_transfers(&w, 1024, NULL, 0);
        simulate(&w);
        for (int64_t d = 0; d < count; d++)
            assert_int_equal(span(&w, to[d], 0), 1023 * 2);
        free_world(&w);
    }
}

/* A5: two opposite snakes whose VFSMs may all be told to read the interface: 0.5 is impossible, 0.25 takes 4 cycles. */
static void linear_broadcast_takes_four(void **unused)
{
    (void)unused;
    int64_t snake[16], back[16];
    for (int64_t k = 0; k < 16; k++)
        snake[k] = back[15 - k] = k / 4 % 2 ? k / 4 * 4 + 3 - k % 4 : k;
    for (int candidates = 1; candidates <= 2; candidates++) {
        world w = make_world(4, 4, LENGTH);
        add_stream(&w, snake[0], 15, snake + 1, 0.25 * candidates);
        add_stream(&w, back[0], 15, back + 1, 0.25 * candidates);
        w.stream[0].reprogrammed = w.stream[1].reprogrammed = true;
        route(&w, true);
        if (candidates == 1) {
            assert_true(w.routes->factor == 1);
            w.streams = 1;
            add_transfers(&w, 1024, NULL, 0);
            simulate(&w);
            for (int64_t n = 1; n < 16; n++)
                assert_int_equal(span(&w, n, 0), 1023 * 4);
        } else {
            assert_true(w.routes->route[0].slots < LENGTH / 2);
        }
        free_world(&w);
    }
}

/* Every link of a line is free in one slot only, which is no fixed distance behind the one before: a chain through all
 * nodes has one way, by a delay at every node, which no search from node to node finds. */
static void chains_find_the_only_way(void **unused)
{
    enum { NODES = 10, TRIES = 20, TOO_LATE = 2 /* a node reads and delivers its word in the last slots of a gap */ };
    uint64_t seed = 1997;
    (void)unused;
    for (int t = 0; t < TRIES; t++) {
        world w = make_world(NODES, 1, LENGTH);
        int64_t to[NODES - 1];
        int open[NODES - 1];
        w.taken = allocate(NODES * BMF_MESH_PORTS * LENGTH * (int64_t)sizeof *w.taken);
        memset(w.taken, 1, NODES * BMF_MESH_PORTS * LENGTH * sizeof *w.taken);
        for (int k = 0; k < NODES - 1; k++) {
            const int delay = (int)test_below(&seed, LENGTH - TOO_LATE);
            open[k] = k == 0 ? delay : (open[k - 1] + 1 + delay) % LENGTH;
            w.taken[streams_link_index(&w.hardware, k, 1, open[k])] = false;
            to[k] = k + 1;
        }
        add_stream(&w, 0, NODES - 1, to, 0.25);
        w.stream[0].reprogrammed = true;
        if (!try_route(&w, true))
            fail_msg("try %d of seed 1997: there is a way", t);
        const bmf_stream_route *made = &w.routes->route[0];
        assert_int_equal(made->hops, NODES);
        for (int k = 0; k < NODES - 1; k++)
            assert_int_equal((made->hop[k].slot + made->hop[k].delay + 1) % LENGTH, open[k]);
        add_transfers(&w, 20, &seed, 50);
        simulate(&w);
        free(w.taken);
        free_world(&w);
    }
}

/* A7: what a writer can write while nobody reads: a word in every VFSM and in both registers; nothing is lost. */
static void a_stalled_stream_backs_up(void **unused)
{
    (void)unused;
    for (int64_t to = 1; to < 8; to++) {
        world w = make_world(8, 1, LENGTH);
        add_stream(&w, 0, 1, &to, 0.5);
        route(&w, true);
        bmf_interface_use use = {.reg = w.routes->route[0].reg, .words = 50};
        script_transfer(&w.script[0], false, 1, &use);
        script_wait(&w.script[to], BMF_TIME_CPU, 5000);
        use = (bmf_interface_use){.reg = reg_at(&w, 0, to), .reads = true, .words = 50};
        script_transfer(&w.script[to], false, 1, &use);
        w.simulation = scheduled_simulation_create(w.machine, w.script, &(bmf_simulation_settings){0});
        while (scheduled_simulation_cycle(w.simulation) < 4000)
            assert_int_equal(scheduled_simulation_step(w.simulation), BMF_OK);
        assert_int_equal(use_of(&w, 0, 0, false)->done, to + 1 + 2);
        assert_int_equal(scheduled_simulation_run(w.simulation), BMF_OK);
        assert_int_equal(use_of(&w, to, 0, true)->done, 50);
        free_world(&w);
    }
}

/* A27: a cycle of 4.9 ns beside 9.8 and 11.4; 2 GHz stands beside 1 GHz. */
static void clocks_have_the_ratio(void **unused)
{
    (void)unused;
    const bmf_mesh_router *scheduled = mesh_router_find("scheduled");
    assert_true(scheduled->gigahertz == 2);
    for (int k = 0; mesh_routers[k]; k++)
        if (mesh_routers[k] != scheduled)
            assert_true(mesh_routers[k]->gigahertz / scheduled->gigahertz == 4.9 / 9.8);
}

/* A28: a source that reads its own words cannot go faster than 0.5. */
static void processor_bound_is_a_half(void **unused)
{
    (void)unused;
    world w = make_world(2, 1, LENGTH);
    add_stream(&w, 0, 2, (int64_t[]){0, 1}, 1.0);
    add_stream(&w, 0, 2, (int64_t[]){0, 1}, 1.0);
    route(&w, false);
    add_transfers(&w, 1000, NULL, 0);
    simulate(&w);
    /* 2000 words, each written and read by the same processor, one access a cycle */
    assert_in_range(scheduled_simulation_length(w.simulation), 4000, 4100);
    free_world(&w);
}

/* A15: at least the bandwidths of Table 8.2 in a phase that can be left; 0.5 where the text says that it is
 * possible. */
static void table_8_2_is_reached(void **unused)
{
    (void)unused;
    static const struct {
        int64_t size;
        double broadcast, shift;
    } row[] = {{2, 0.5, 0.5},     {3, 0.458, 0.333}, {4, 0.458, 0.333},
               {5, 0.458, 0.333}, {6, 0.25, 0.333},  {10, 0.25, 0.333}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int pattern = 0; pattern < 3; pattern++) {
            world w = make_world(row[k].size, row[k].size, LENGTH);
            bmf_mesh_traffic *traffic;
            assert_int_equal(
                mesh_traffic_make(pattern < 2 ? "neighbours" : "shift", &w.hardware.mesh, 1, NULL, &traffic), BMF_OK);
            add_traffic(&w, traffic, 0.5);
            route(&w, pattern != 1);
            for (int64_t s = 0; s < w.streams; s++) {
                const double bandwidth = (double)w.routes->route[s].slots / LENGTH;
                assert_true(bandwidth >= (pattern == 2 ? row[k].shift : row[k].broadcast) - 0.0005);
                if (pattern != 0 && bandwidth != 0.5)
                    fail_msg("%s on %lld nodes a side: %g", pattern == 2 ? "shift" : "broadcast",
                             (long long)row[k].size, bandwidth);
            }
            add_transfers(&w, 20, NULL, 0);
            simulate(&w);
            mesh_traffic_free(traffic);
            free_world(&w);
        }
}

/* ---- random streams ---- */

/* A phase uses all slots of a link between nodes 0 and 1, as node 0 sees it for writing or for reading; may the next
 * one use any of them, before node 1 has changed to it? */
static bool may_use_link(bool separate, bool wrote, bool goes_on, bool writes, bool barrier)
{
    static const int64_t node[] = {0, 1};
    world before = make_world(2, 1, LENGTH), now = before;
    before.hardware.separate_wires = now.hardware.separate_wires = separate;
    for (int k = 0; k < 2; k++)
        add_stream(&before, node[wrote ? 0 : 1], 1, &node[wrote ? 1 : 0], 0.5);
    route(&before, false);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(before.routes->route[k].slots, LENGTH / 2);
        if (goes_on) {
            now.stream[k] = before.stream[k];
            now.stream[k].given = &before.routes->route[k];
            now.streams++;
        }
    }
    add_stream(&now, node[writes ? 0 : 1], 1, &node[writes ? 1 : 0], 1.0 / LENGTH);
    bool *taken = allocate_clear(2 * BMF_MESH_PORTS * LENGTH, sizeof *taken);
    streams_mark_links(before.routes, taken);
    now.taken = goes_on || barrier ? NULL : taken;
    const bool may = try_route(&now, false);
    free_world(&now);
    free_world(&before);
    free(taken);
    return may;
}

/* Document 004, Table 5.2, seen from both ends of a link. Here what goes on keeps its slots, and a link has wires of
 * its own in each direction, or one for both (valid and accept share it): the way back is free but for that. */
static void table_5_2(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const bool wrote = k & 1, writes = k & 2, goes_on = k & 4, back = wrote != writes;
        assert_int_equal(may_use_link(true, wrote, goes_on, writes, false), back);
        assert_false(may_use_link(false, wrote, goes_on, writes, false));
        if (!goes_on) { /* behind a barrier nobody is left in the phase before */
            assert_true(may_use_link(true, wrote, false, writes, true));
            assert_true(may_use_link(false, wrote, false, writes, true));
        }
    }
}

static void random_streams_arrive(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    int fitted = 0;
    for (int turn = 0; turn < 120; turn++) {
        world w = make_world(1 + test_below(&state, 5), 1 + test_below(&state, 5), 6 + (int)test_below(&state, 30));
        const int64_t nodes = w.hardware.mesh.nodes;
        int64_t to[MAX][3];
        w.hardware.separate_wires = test_below(&state, 2);
        w.hardware.pipelines = 1 + (int)test_below(&state, 3);
        for (int64_t k = 0; k < 1 + nodes / 2; k++) {
            const int64_t from = test_below(&state, nodes);
            int64_t count = 0;
            for (int64_t d = 0; d < 3 && d < nodes; d++) {
                const int64_t node = (from + d * (1 + test_below(&state, 3))) % nodes;
                bool seen = false;
                for (int64_t e = 0; e < count; e++)
                    seen |= to[k][e] == node;
                if (!seen && test_below(&state, 2))
                    to[k][count++] = node;
            }
            if (count > 0)
                add_stream(&w, from, count, to[k], 0.05 + 0.4 * random_unit(&state));
            else
                memset(to[k], 0, sizeof to[k]);
        }
        if (w.streams == 0)
            continue;
        if (!try_route(&w, test_below(&state, 2)))
            continue;
        fitted++;
        add_transfers(&w, 1 + test_below(&state, 40), &state, 300);
        simulate(&w); /* fails unless every word comes once and in its turn */
        free_world(&w);
    }
    assert_true(fitted > 90);
}

/* ---- schedules that break rules ---- */

static bmf_scheduled_machine *empty_machine(bool separate_wires)
{
    bmf_scheduled_hardware hardware = {.pipelines = 2, .length = 8, .separate_wires = separate_wires};
    bmf_scheduled_machine *machine;
    assert_int_equal(mesh_make(2, (int64_t[]){2, 1}, false, &hardware.mesh), BMF_OK);
    assert_int_equal(scheduled_create(&hardware, &machine), BMF_OK);
    return machine;
}

static void put(bmf_scheduled_machine *machine, int64_t node, int pipeline, int slot, int vfsm, int source,
                int destination, bool copy)
{
    machine->node[node].annotation[pipeline][vfsm] = (bmf_annotation){(uint8_t)source, (uint8_t)destination, copy};
    machine->node[node].entry[8 + slot].vfsm[pipeline] = (uint8_t)vfsm;
}

static void expect_illegal(bmf_scheduled_machine *machine, const char *where, const char *what)
{
    assert_int_equal(scheduled_check(machine, 1), BMF_ERROR_ARGUMENT);
    if (!strstr(bmf_error_text(NULL), where) || !strstr(bmf_error_text(NULL), what))
        fail_msg("'%s' does not say '%s' and '%s'", bmf_error_text(NULL), where, what);
    scheduled_free(machine);
}

static void illegal_schedules_are_named(void **unused)
{
    (void)unused;
    enum { IN = BMF_PLACE_REGISTER, EAST = 1, WEST = 0, NOTHING = BMF_PLACE_NULL };
    bmf_scheduled_machine *m = empty_machine(true);
    assert_int_equal(scheduled_check(m, 1), BMF_OK);
    put(m, 0, 0, 3, 2, IN, IN, false);
    put(m, 0, 0, 4, 2, IN, IN, false);
    expect_illegal(m, "node 0, pipeline 0, slot 3: VFSM 2", "two slots in a row");
    m = empty_machine(true);
    put(m, 1, 1, 7, 2, NOTHING, IN, false);
    put(m, 1, 1, 0, 3, IN + 1, NOTHING, false);
    expect_illegal(m, "node 1, pipeline 1, slot 0: VFSM 3", "interface");
    m = empty_machine(true);
    put(m, 0, 0, 2, 2, IN, BMF_PLACE_BUFFER + 3, false);
    put(m, 0, 0, 3, 3, BMF_PLACE_NOP, NOTHING, false);
    expect_illegal(m, "node 0, pipeline 0, slot 2: VFSM 2", "buffer of VFSM 3");
    m = empty_machine(true);
    put(m, 0, 0, 2, 2, IN, EAST, false);
    expect_illegal(m, "node 0, pipeline 0, slot 2: VFSM 2", "node 1 does not read");
    m = empty_machine(true);
    put(m, 1, 0, 3, 2, WEST, IN, false);
    expect_illegal(m, "node 1, pipeline 0, slot 3: VFSM 2", "node 0 does not write");
    m = empty_machine(true);
    put(m, 0, 0, 2, 2, IN, WEST, false);
    expect_illegal(m, "node 0, pipeline 0, slot 2: VFSM 2", "no neighbour");
    m = empty_machine(true);
    put(m, 0, 0, 2, 2, NOTHING, IN + 5, false);
    put(m, 0, 1, 2, 2, NOTHING, IN + 5, false);
    expect_illegal(m, "node 0, pipeline 1, slot 2: VFSM 2", "register 5");
    m = empty_machine(true);
    put(m, 0, 0, 2, 2, EAST, IN, true);
    expect_illegal(m, "node 0, pipeline 0, slot 2: VFSM 2", "copies");
    for (int separate = 0; separate < 2; separate++) {
        m = empty_machine(separate);
        put(m, 0, 0, 2, 2, IN, EAST, false);
        put(m, 1, 0, 3, 2, WEST, IN, false);
        put(m, 1, 1, 2, 2, IN, WEST, false);
        put(m, 0, 1, 3, 2, EAST, IN, false);
        if (separate == 0) {
            expect_illegal(m, "slot 3", "the link is written");
        } else {
            assert_int_equal(scheduled_check(m, 1), BMF_OK);
            scheduled_free(m);
        }
    }
}

static void bad_streams_are_named(void **unused)
{
    (void)unused;
    world w = make_world(2, 2, LENGTH);
    bmf_stream_request request = {.hardware = w.hardware, .streams = 2, .stream = w.stream};
    add_stream(&w, 0, 1, &(int64_t){1}, 0.5);
    add_stream(&w, 0, 1, &(int64_t){4}, 0.5);
    assert_int_equal(numesh_route_streams(&request, &w.routes), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "stream 1: node 4 is outside the mesh"));
    w.stream[1] = w.stream[0];
    w.stream[1].bandwidth = 1.5;
    assert_int_equal(numesh_route_streams(&request, &w.routes), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "stream 1: a bandwidth of 1.5"));
}

/* ---- phases ---- */

/* Two neighbours that run different schedules and both read: each takes the other's accept for a valid word. */
static void garbage_is_detected(void **unused)
{
    (void)unused;
    enum { IN = BMF_PLACE_REGISTER, EAST = 1, WEST = 0 };
    bmf_scheduled_machine *m = empty_machine(false);
    put(m, 0, 0, 2, 2, IN, EAST, false);
    put(m, 1, 0, 3, 2, WEST, IN, false);
    assert_int_equal(scheduled_check(m, 1), BMF_OK);
    m->node[1].annotation[0][3] = (bmf_annotation){IN, WEST, false};
    m->node[0].annotation[0][3] = (bmf_annotation){EAST, IN, false};
    m->node[1].entry[16 + 2].vfsm[0] = 3;
    m->node[0].entry[16 + 3].vfsm[0] = 3;
    assert_int_equal(scheduled_check(m, 2), BMF_OK);
    m->node[0].pointer = 16;
    m->node[1].pointer = 8;
    bmf_processor_script *script = scripts_create(&m->hardware.mesh);
    script_wait(&script[0], BMF_TIME_CPU, 100);
    bmf_scheduled_simulation *s = scheduled_simulation_create(m, script, &(bmf_simulation_settings){0});
    assert_int_equal(scheduled_simulation_run(s), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "nodes 0 and 1 both read"));
    scheduled_simulation_free(s);
    scripts_free(&m->hardware.mesh, script);
    scheduled_free(m);
}

/* A router that is loaded by commands ends up with the memories it should have, and carries the words. */
static void loading_works(void **unused)
{
    (void)unused;
    world w = make_world(3, 3, LENGTH);
    bmf_mesh_traffic *traffic;
    assert_int_equal(mesh_traffic_make("transpose", &w.hardware.mesh, 1, NULL, &traffic), BMF_OK);
    add_traffic(&w, traffic, 0.25);
    route(&w, true);
    bmf_scheduled_machine *ready = w.machine;
    assert_int_equal(scheduled_create(&w.hardware, &w.machine), BMF_OK);
    for (int64_t n = 0; n < 9; n++) {
        script_wait(&w.script[n], BMF_TIME_CPU, 7 * n);
        script_load(&w.script[n], ready, n, 1);
        script_change_phase(&w.script[n], &w.hardware, 0, 1);
    }
    add_transfers(&w, 30, NULL, 0);
    simulate(&w);
    for (int64_t n = 0; n < 9; n++) {
        int64_t time[BMF_TIMES];
        assert_memory_equal(w.machine->node[n].entry, ready->node[n].entry, sizeof ready->node[n].entry);
        assert_memory_equal(w.machine->node[n].annotation, ready->node[n].annotation, sizeof ready->node[n].annotation);
        scheduled_simulation_times(w.simulation, n, time);
        assert_int_equal(time[BMF_TIME_CPU], 7 * n);
        /* a word a cycle: the entries and at most 6 VFSMs, where Table 8.3 has 64 to 69 for two phases */
        assert_in_range(time[BMF_TIME_ROUTER], LENGTH, LENGTH + 8);
        assert_in_range(time[BMF_TIME_PSYNC], 5, 8);
    }
    scheduled_free(ready);
    mesh_traffic_free(traffic);
    free_world(&w);
}

static void damage(const char *directory)
{
    char command[512];
    snprintf(command, sizeof command, "for f in %s/*.schedule; do sed -i 's/^phase .*/phase 1/' $f; done", directory);
    assert_int_equal(system(command), 0);
}

static void schedules_are_kept(void **unused)
{
    (void)unused;
    world w = make_world(4, 4, LENGTH);
    char *directory = temporary_directory_create("bmf-schedules");
    assert_non_null(directory);
    bmf_mesh_traffic *traffic;
    assert_int_equal(mesh_traffic_make("bitrev", &w.hardware.mesh, 64, NULL, &traffic), BMF_OK);
    for (int turn = 0; turn < 3; turn++) {
        const bmf_mesh_plan *plan, *again;
        bmf_schedule_cache *cache = schedule_cache_create(directory);
        assert_int_equal(schedule_cache_plan(cache, &w.hardware, traffic->messages, traffic->message, &plan), BMF_OK);
        assert_int_equal(schedule_cache_plan(cache, &w.hardware, traffic->messages, traffic->message, &again), BMF_OK);
        assert_ptr_equal(plan, again);
        const bmf_schedule_cache_counts counts = schedule_cache_count(cache);
        assert_int_equal(counts.made, turn != 1);
        assert_int_equal(counts.read, turn == 1);
        assert_int_equal(counts.remembered, 1);
        bmf_phase_times times;
        assert_int_equal(mesh_phase_run(&plan->phase[0], traffic->message, &(bmf_phase_setting){0}, &times), BMF_OK);
        phase_times_free(&times);
        schedule_cache_free(cache);
        if (turn == 1)
            damage(directory);
    }
    temporary_directory_remove(directory);
    mesh_traffic_free(traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(latency_is_a_cycle_a_link),
                                       cmocka_unit_test(three_streams_have_their_rates),
                                       cmocka_unit_test(two_streams_fill_a_processor),
                                       cmocka_unit_test(broadcast_takes_two_cycles_a_word),
                                       cmocka_unit_test(linear_broadcast_takes_four),
                                       cmocka_unit_test(chains_find_the_only_way),
                                       cmocka_unit_test(a_stalled_stream_backs_up),
                                       cmocka_unit_test(clocks_have_the_ratio),
                                       cmocka_unit_test(processor_bound_is_a_half),
                                       cmocka_unit_test(table_8_2_is_reached),
                                       cmocka_unit_test(table_5_2),
                                       cmocka_unit_test(random_streams_arrive),
                                       cmocka_unit_test(illegal_schedules_are_named),
                                       cmocka_unit_test(bad_streams_are_named),
                                       cmocka_unit_test(garbage_is_detected),
                                       cmocka_unit_test(loading_works),
                                       cmocka_unit_test(schedules_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
