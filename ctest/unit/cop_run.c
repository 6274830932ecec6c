/* COP programs on the simulated mesh: the values of random programs against a sequential interpreter of their
 * operators, on meshes of two and three dimensions; the matrix product against document 004's Table 8.3; kernels
 * against cycles a word that are worked out by hand; and what programs do wrong. The simulator itself refuses
 * garbage, lost and doubled words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "ctest/support/cop_programs.h"
#include "ctest/support/cop_random.h"
#include "ctest/support/testing.h"
#include "predict/cop/run.h"
#include "runtime/base/random.h"

static bmf_cop_program *parse(const char *text, const char *size)
{
    return cop_program_for(text, size, false);
}

/* Of what is in one phase only. */
static void mark_links(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_phase *other, bool *marked)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        bmf_stream_routes part = *phase->routes;
        part.route += cop_first_stream(plan, phase, use);
        part.streams = plan->candidates[use->op->number].candidate[use->candidate].streams.count;
        if (!cop_use_of(other, use->op))
            streams_mark_links(&part, marked);
    }
}

/* Phases between which no barriers are use a link in different slots. */
static void check_wires(const bmf_cop_plan *plan)
{
    const bmf_scheduled_hardware *hardware = &plan->settings.hardware;
    const int64_t links = hardware->mesh.nodes * BMF_MESH_PORTS * hardware->length;
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    for (int64_t p = 0; p < phases; p++)
        for (int64_t q = 0; q < p; q++) {
            bool *one = calloc((size_t)links, 1), *other = calloc((size_t)links, 1);
            assert_true(one && other);
            if (phase[p]->routes && phase[q]->routes && !cop_are_apart_in_time(phase[p], phase[q])) {
                mark_links(plan, phase[p], phase[q], one);
                mark_links(plan, phase[q], phase[p], other);
            }
            for (int64_t k = 0; k < links; k++)
                assert_false(one[k] && other[k]);
            free(one);
            free(other);
        }
    free(phase);
}

/* NULL: the phases do not fit. */
static bmf_cop_plan *routed(const bmf_cop_program *program)
{
    const bmf_cop_plan_settings settings = {.hardware = {.pipelines = 2, .length = 24, .separate_wires = true},
                                            .costs = cop_usual_costs,
                                            .effort = 2000,
                                            .optionals_apart = true,
                                            .may_take = cop_can_run};
    bmf_cop_plan *plan = NULL;
    if (cop_plan_with_schedules(program, &settings, true, &plan) != BMF_OK)
        return NULL;
    check_wires(plan);
    return plan;
}

/* ---- kernels ---- */

static int64_t kernel_cycles(const char *text, const char *size)
{
    bmf_cop_program *program = parse(text, size);
    bmf_cop_plan *plan = routed(program);
    bmf_cop_times times;
    assert_non_null(plan);
    if (cop_run(plan, &(bmf_simulation_settings){0}, true, cop_kernel, plan, NULL, &times) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    free(times.time);
    cop_plan_free(plan);
    cop_free(program);
    return times.cycles;
}

static void kernels(void **state)
{
    (void)state;
    /* two cycles a word, and the way through the mesh */
    const int64_t multicast = kernel_cycles("(broadcast 'b 0 :m 1024 :impl str_bcast)", "8x8");
    assert_in_range(multicast, 2048, 2048 + 200);
    assert_in_range(kernel_cycles("(bitreverse 'r :m 512)", "4x4"), 1024, 1050);
    /* a word, dense: in proportion to the square root of the nodes */
    const double small = (double)kernel_cycles("(broadcast 'b (runtime) :impl str_bcast_dense)", "4x4"),
                 large = (double)kernel_cycles("(broadcast 'b (runtime) :impl str_bcast_dense)", "8x8");
    assert_true(large / small > 1.6 && large / small < 2.8);
    assert_true(kernel_cycles("(broadcast 'b 0 :impl str_bcast)", "8x8") < (int64_t)large);
    /* along a snake: faster below about 100 nodes, slower above (document 004, 8.3.1); 4 cycles a word at most */
    assert_true(kernel_cycles("(broadcast 'b (runtime) :impl str_bcast_linear)", "8x8") < (int64_t)large);
    assert_true(kernel_cycles("(broadcast 'b (runtime) :impl str_bcast_linear)", "12x12") >
                kernel_cycles("(broadcast 'b (runtime) :impl str_bcast_dense)", "12x12"));
    assert_in_range(kernel_cycles("(broadcast 'b (runtime) :m 1024 :impl str_bcast_linear)", "8x8"), 3 * 1024,
                    4 * 1024 + 200);
}

static int64_t message_cycles(const char *text, const char *size)
{
    const bmf_dynamic_settings ecube = cop_ecube();
    return cop_cycles_by_messages(text, size, &ecube);
}

/* A word up a tree and down again finds its slots: at every mesh it is sooner there than on dynamic routers, on larger
 * ones by more (document 004, 8.2.2), and a level with a link takes what the hardware takes at least: four cycles. */
static void words_find_their_slots(void **state)
{
    (void)state;
    double ratio = 1;
    for (int k = 4; k <= 8; k *= 2) {
        const char *size = k == 4 ? "4x4" : "8x8";
        const int64_t slots = kernel_cycles("(prefix 'p 'f)", size);
        const double now = (double)message_cycles("(prefix 'p 'f)", size) / (double)slots;
        assert_true(now > ratio);
        ratio = now;
    }
    assert_in_range(kernel_cycles("(prefix 'p 'f)", "4"), 12, 15);
}

/* ---- memories ---- */

/* Five phases in four blocks: in the elimination's loops {0,1,2} and {3,4}, phase 4 takes the block of a phase that is
 * three changes away, not that of phase 2, which is two. */
static void phases_take_the_furthest_block(void **state)
{
    (void)state;
    bmf_cop_program *program = parse("(loop 'a 9 (phase (barrier 'p)) (phase (barrier 'q)) (phase (barrier 'r)))"
                                     "(loop 'b 9 (phase (barrier 's)) (phase (barrier 't)))",
                                     "2x2");
    bmf_cop_plan *plan = routed(program);
    assert_non_null(plan);
    int64_t *block = cop_map_phases(plan, 5);
    static const int64_t expected[] = {1, 2, 3, 4, 1};
    for (int p = 0; p < 5; p++)
        assert_int_equal(block[p], expected[p]);
    free(block);
    block = cop_map_phases(plan, 2);
    for (int p = 0; p < 5; p++)
        assert_int_equal(block[p], 1);
    free(block);
    cop_plan_free(plan);
    cop_free(program);
}

/* ---- random programs ---- */

/* Why programs do not fit, without their names and numbers. */
enum { REASONS = 20, REASON = 200 };

typedef struct refusals {
    int count[REASONS];
    char reason[REASONS][REASON];
} refusals;

static void note_refusal(refusals *r, const char *text)
{
    char reason[REASON] = "";
    size_t used = 0;
    const char *said = strstr(text, ": ");
    assert_true(*text && !strchr(text, '\n'));
    for (const char *c = said && strncmp(text, "test.cop:", 9) == 0 ? said + 2 : text; *c && used + 2 < REASON; c++) {
        if (*c == '\'')
            while (c[1] && *++c != '\'')
                ;
        if (*c < '0' || *c > '9')
            reason[used++] = *c;
    }
    int k = 0;
    while (k + 1 < REASONS && r->count[k] > 0 && strcmp(r->reason[k], reason) != 0)
        k++;
    r->count[k]++;
    memcpy(r->reason[k], reason, sizeof reason);
}

static bool try_program(cop_made *m, const char *size, refusals *refused)
{
    cop_world w;
    cop_values expected[COP_NODES];
    bmf_cop_times times;
    cop_make_program(m);
    bmf_cop_program *program = parse(m->text, size);
    bmf_cop_plan *plan = routed(program);
    w.program = program;
    w.made = m;
    if (!plan) {
        note_refusal(refused, bmf_error_text(NULL));
        cop_free(program);
        return false;
    }
    cop_expect(program, m, expected);
    const int status = cop_run(plan, &(bmf_simulation_settings){0}, false, cop_world_body, &w, NULL, &times);
    const bool fits = status != BMF_ERROR_ARGUMENT || !strstr(bmf_error_text(NULL), "fit");
    if (fits && status != BMF_OK)
        fail_msg("%s on %s: %s", m->text, size, bmf_error_text(NULL));
    if (!fits)
        note_refusal(refused, bmf_error_text(NULL));
    if (status == BMF_OK) {
        for (int64_t n = 0; n < program->settings.mesh.nodes; n++)
            if (memcmp(w.node[n], expected[n], sizeof expected[n]) != 0)
                fail_msg("%s on %s: node %d has other values", m->text, size, (int)n);
        free(times.time);
    }
    cop_plan_free(plan);
    cop_free(program);
    return status == BMF_OK;
}

/* least: of the programs, the share that must fit. */
static void try_programs(cop_made *m, int usual, double least)
{
    static const char *const size[] = {"2x2", "3x3", "4x3", "5x4", "3x3x2"};
    const char *programs = getenv("COP_PROGRAMS");
    const int count = programs ? atoi(programs) : (int)test_cases((uint64_t)usual);
    int done = 0;
    refusals refused = {0};
    for (int k = 0; k < count; k++)
        done += try_program(m, size[k % 5], &refused);
    print_message("%d of %d programs ran, the others do not fit\n", done, count);
    for (int k = 0; k < REASONS && refused.count[k] > 0; k++)
        print_message("  %d: %s\n", refused.count[k], refused.reason[k]);
    assert_true(done >= least * count);
}

static void random_programs(void **state)
{
    (void)state;
    try_programs(&(cop_made){.seed = 19970101}, 60, 0.95);
}

/* Operators that are left out in some passes. */
static void optional_operators(void **state)
{
    (void)state;
    try_programs(&(cop_made){.seed = 19970103, .leaves_out = true}, 40, 0.95);
}

/* What scheduled routers do by online routing, beside operators that have schedules. */
static void online_operators(void **state)
{
    (void)state;
    try_programs(&(cop_made){.seed = 19970104, .online = true}, 40, 0.95);
}

/* Nodes between those of a subset pass words on in phases in which they have no operator. */
static void subsets_with_others_between(void **state)
{
    (void)state;
    try_programs(&(cop_made){.seed = 19970105, .apart = true, .online = true}, 40, 0.95);
}

/* An operator that is loaded before others and used behind them. */
static void operators_that_go_on(void **state)
{
    (void)state;
    try_programs(&(cop_made){.seed = 19970106, .goes_on = true}, 40, 0.95);
}

/* ... and goes on through several phases. In the first program two nodes end a phase by a barrier while others, which
 * have nothing to do there, are still in the one before, whose links the next phase uses. */
static void operators_in_several_phases(void **state)
{
    refusals refused = {0};
    (void)state;
    assert_true(try_program(&(cop_made){.seed = UINT64_C(1200621213424610829), .goes_on = true, .in_phases = true},
                            "3x3x2", &refused));
    try_programs(&(cop_made){.seed = 19970107, .goes_on = true, .in_phases = true}, 40, 0.75);
}

/* ---- barriers and collects ---- */

enum { ROUNDS = 12, MOST_NODES = 36 };

typedef struct meeting {
    uint64_t seed;
    int64_t entered[ROUNDS][MOST_NODES], left[ROUNDS][MOST_NODES];
} meeting;

/* Nodes come at random times; some rounds follow each other at once. */
static int meet(void *state, const bmf_cop_services *s)
{
    meeting *m = state;
    int32_t in = 0, out = 0;
    s->init(s->state);
    for (int k = 0; k < ROUNDS; k++) {
        uint64_t own = m->seed + (uint64_t)(k * MOST_NODES + s->node) * 0x9e3779b97f4a7c15U;
        s->delay(s->state, k % 3 == 0 ? 0 : (double)(random_bits(&own) % 300));
        s->load(s->state, 0, 0, NULL);
        m->entered[k][s->node] = s->cycle(s->state);
        s->call(s->state, 0, &in, &out, NULL);
        m->left[k][s->node] = s->cycle(s->state);
    }
    s->fini(s->state);
    return 0;
}

static void expect_meetings(const char *text, const char *size, const bmf_simulation_settings *settings)
{
    bmf_cop_program *program = parse(text, size);
    bmf_cop_plan *plan = routed(program);
    meeting *m = calloc(1, sizeof *m);
    bmf_cop_times times;
    assert_true(plan && m);
    m->seed = 19970301;
    if (cop_run(plan, settings, false, meet, m, NULL, &times) != BMF_OK)
        fail_msg("%s on %s: %s", text, size, bmf_error_text(NULL));
    for (int k = 0; k < ROUNDS; k++)
        for (int64_t a = 0; a < program->settings.mesh.nodes; a++)
            for (int64_t b = 0; b < program->settings.mesh.nodes; b++)
                if (m->left[k][a] < m->entered[k][b])
                    fail_msg("%s on %s: node %d leaves barrier %d before node %d has entered", text, size, (int)a, k,
                             (int)b);
    free(times.time);
    free(m);
    cop_plan_free(plan);
    cop_free(program);
}

/* Nobody leaves before all have entered, with fast and slow processors. */
static void barriers_hold_everybody(void **state)
{
    static const char *const size[] = {"2", "2x2", "3x3", "5x4", "6x6", "3x3x2"};
    (void)state;
    for (int k = 0; k < 6; k++)
        for (int slow = 0; slow < 2; slow++) {
            const bmf_simulation_settings settings = {.read_cycles = 1 + 9 * slow, .write_cycles = 1 + 6 * slow};
            expect_meetings("(barrier 'b :impl 'str_barrier)", size[k], &settings);
            expect_meetings("(barrier 'b :impl 'repl_allreduce_barrier)", size[k], &settings);
        }
}

enum { WRITERS = 11, LONG = 40 };

/* Every node in turn writes to node 5, which tells all by a broadcast that it has read. */
static int take_turns(void *state, const bmf_cop_services *s)
{
    int32_t *read = state, word[LONG], done = 0;
    s->init(s->state);
    for (int32_t writer = 0; writer <= WRITERS; writer++) {
        if (writer == 5)
            continue;
        s->load(s->state, 0, 0, NULL);
        for (int32_t k = 0; k < LONG; k++)
            word[k] = writer * LONG + k;
        if (s->node == writer)
            s->write(s->state, 0, word);
        if (s->node == 5)
            s->read(s->state, 0, read + (ptrdiff_t)writer * LONG);
        s->load(s->state, 1, 0, NULL);
        if (s->node == 5)
            s->write(s->state, 1, &done);
        else
            s->read(s->state, 1, &done);
    }
    s->fini(s->state);
    return 0;
}

static void collects_take_turns(void **state)
{
    int32_t read[(WRITERS + 1) * LONG] = {0};
    bmf_cop_times times;
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        bmf_cop_program *program = parse(apart ? "(loop 'l 11 (phase (collect 'c 5 :m 40)) (broadcast 'b 5))"
                                               : "(phase (loop 'l 11 (collect 'c 5 :m 40) (broadcast 'b 5)))",
                                         "4x3");
        bmf_cop_plan *plan = routed(program);
        assert_non_null(plan);
        if (cop_run(plan, &(bmf_simulation_settings){0}, false, take_turns, read, NULL, &times) != BMF_OK)
            fail_msg("%s", bmf_error_text(NULL));
        for (int k = 0; k < (WRITERS + 1) * LONG; k++)
            assert_int_equal(read[k], k / LONG == 5 ? 0 : k);
        free(times.time);
        cop_plan_free(plan);
        cop_free(program);
    }
}

static int collect_badly(void *state, const bmf_cop_services *s)
{
    const int mistake = *(const int *)state;
    int32_t word[LONG] = {0};
    s->init(s->state);
    s->load(s->state, 0, 0, NULL);
    if (s->node == (mistake == 1 ? 0 : 1))
        s->write(s->state, 0, word);
    if (mistake == 0 && s->node == 3) {
        s->delay(s->state, 5);
        s->write(s->state, 0, word);
    }
    if (s->node == (mistake == 2 ? 2 : 0))
        s->read(s->state, 0, word);
    return 0;
}

static void mistakes_of_collects(void **state)
{
    static const char *const says[] = {"node 3, operator 'c', cycle", "it is written by its destination",
                                       "it is read by a node that is not its destination",
                                       "it is written by a node that is not :valid"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        bmf_cop_program *program = parse(k == 3 ? "(collect 'c 0 :m 40 :valid '(2))" : "(collect 'c 0 :m 40)", "4");
        bmf_cop_plan *plan = routed(program);
        bmf_cop_times times;
        assert_non_null(plan);
        assert_int_not_equal(cop_run(plan, &(bmf_simulation_settings){0}, false, collect_badly, &k, NULL, &times),
                             BMF_OK);
        if (!strstr(bmf_error_text(NULL), says[k]) ||
            (k == 0 && !strstr(bmf_error_text(NULL), "it has two writers: the message of node 1")))
            fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), says[k]);
        cop_plan_free(plan);
        cop_free(program);
    }
}

/* ---- mistakes at run time ---- */

static int wrong_body(void *state, const bmf_cop_services *s)
{
    const int mistake = *(const int *)state;
    int32_t word[64] = {0}, source = mistake == 1 ? s->node % 2 : mistake == 2 ? 9 : 0;
    s->init(s->state);
    if (mistake != 0)
        s->load(s->state, 0, 1, &source);
    if (mistake == 3 || s->node == source) {
        s->write(s->state, 0, word);
    } else if (mistake != 4 || s->node != 1) {
        s->read(s->state, 0, word);
        if (mistake == 5)
            s->read(s->state, 0, word);
    }
    return 0;
}

static void mistakes_at_run_time(void **state)
{
    static const char *const says[] = {"it has not been loaded",
                                       "load 1 has the operand",
                                       "operand 1 is 9, outside the subset of 4 nodes",
                                       "it is written by a node that is not its source, which is node 0",
                                       "waits for ever",
                                       "waits for ever"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        bmf_cop_program *program = parse("(broadcast 'b (runtime) :m 64)", "2x2");
        bmf_cop_plan *plan = routed(program);
        bmf_cop_times times;
        assert_non_null(plan);
        assert_int_not_equal(cop_run(plan, &(bmf_simulation_settings){0}, false, wrong_body, &k, NULL, &times), BMF_OK);
        if (!strstr(bmf_error_text(NULL), says[k]))
            fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), says[k]);
        cop_plan_free(plan);
        cop_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels),
                                       cmocka_unit_test(words_find_their_slots),
                                       cmocka_unit_test(phases_take_the_furthest_block),
                                       cmocka_unit_test(random_programs),
                                       cmocka_unit_test(optional_operators),
                                       cmocka_unit_test(online_operators),
                                       cmocka_unit_test(barriers_hold_everybody),
                                       cmocka_unit_test(collects_take_turns),
                                       cmocka_unit_test(mistakes_of_collects),
                                       cmocka_unit_test(subsets_with_others_between),
                                       cmocka_unit_test(operators_that_go_on),
                                       cmocka_unit_test(operators_in_several_phases),
                                       cmocka_unit_test(mistakes_at_run_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
