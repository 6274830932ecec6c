/* Plans of COP programs: the arithmetic of document 004's merge example (6.2), phases of Figure 6-3, which operators
 * are last, bandwidths of one interface worked out by hand, trees; the search against trying everything; and
 * schedules that the stream router finds for random programs against the rules of the hardware. */
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
#include "predict/cop/plan.h"
#include "runtime/base/random.h"

static bmf_cop_program *parse(const char *text, const char *size)
{
    return cop_program_for(text, size, false);
}

static bmf_cop_plan *plan_of(const bmf_cop_program *program, int64_t effort)
{
    const bmf_cop_plan_settings settings = {
        .hardware = {.pipelines = 2, .length = 24, .separate_wires = true}, .costs = cop_usual_costs, .effort = effort};
    bmf_cop_plan *plan = NULL;
    if (cop_plan_make(program, &settings, NULL, &plan) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return plan;
}

/* ---- costs ---- */

static const char *barrier_taken(double interface_word)
{
    bmf_cop_plan_settings settings = {
        .hardware = {.pipelines = 2, .length = 24, .separate_wires = true}, .costs = cop_usual_costs, .effort = 1000};
    bmf_cop_program *program = parse("(loop 'l 10 (barrier 'b))", "6x6");
    bmf_cop_plan *plan = NULL;
    settings.costs.interface_word = interface_word;
    assert_int_equal(cop_plan_make(program, &settings, NULL, &plan), BMF_OK);
    const char *name =
        plan->candidates[0].candidate[plan->phases->child[0]->phase.use[0].candidate].implementation->name;
    cop_plan_free(plan);
    cop_free(program);
    return name;
}

/* Barriers in the routers are for slow interfaces (document 004, appendix B). */
static void barriers_by_interface(void **state)
{
    (void)state;
    assert_string_equal(barrier_taken(1), "repl_allreduce_barrier");
    assert_string_equal(barrier_taken(40), "str_barrier");
}

/* Two operators of `words` each, 20 cycles for a change of phases. */
static double together(double words)
{
    const bmf_cop_cost_terms terms = {.calls = 1, .words = words, .messages = 1, .bandwidth = 0.5, .interface = 1};
    return 2 * cop_io_time(&terms);
}

static double apart(double words)
{
    const bmf_cop_cost_terms terms = {.calls = 1, .words = words, .messages = 1, .bandwidth = 2.0 / 3, .interface = 1};
    const bmf_cop_costs costs = {.reprogram_word = 2, .sync = 8};
    return 2 * cop_io_time(&terms) + cop_schedule_time(&costs, 1, 10, true);
}

static void merge_example(void **state)
{
    (void)state;
    assert_true(fabs(together(50) - 200) < 1e-9);
    assert_true(fabs(apart(50) - 170) < 1e-9);
    assert_true(together(19) < apart(19));
    assert_true(fabs(together(20) - apart(20)) < 1e-9);
    assert_true(together(21) > apart(21));
}

/* ---- phases ---- */

static void phases_of_the_figure(void **state)
{
    static const char program_text[] =
        "(define (s l a b) (stream l a b :impl 'str_stream))"
        "(sequential (s 'A 0 3)"
        "  (parallel (subset '((0 1)) (sequential (s 'B 0 1) (s 'C 0 1) (s 'D 0 1) (s 'E 0 1)))"
        "            (subset '((2 3)) (sequential (s 'F 0 1) (s 'G 0 1) (s 'H 0 1))))"
        "  (s 'I 0 3))";
    static const uint8_t decision[] = {0, 1, 1, 1, 1, 1, 1};
    (void)state;
    bmf_cop_program *program = parse(program_text, "4x1");
    bmf_cop_plan *plan = plan_of(program, 1000);
    const bmf_cop_operator *wanted;
    int choices;
    char text[200];
    bmf_cop_phases *phases = cop_build_phases(plan, sizeof decision, decision, &wanted, &choices);
    assert_int_equal(choices, 0);
    assert_string_equal(cop_phases_text(phases, text, sizeof text), "{A,B,F} pdisjoint({C;D}, {G}) {E,H} {I}");
    assert_true(cop_phases_time(plan, phases, true) >= plan->time);
    cop_phases_free(phases);
    cop_plan_free(plan);
    cop_free(program);
}

static void last_operators(void **state)
{
    static const struct {
        const char *program, *present, *last;
    } cases[] = {{"(sequential (barrier 'A) (barrier 'B))", "AB", "B"},
                 {"(sequential (barrier 'A) (optional (barrier 'B)))", "AB", "AB"},
                 {"(parallel (barrier 'A) (sequential (barrier 'B) (barrier 'C)))", "B", "B"},
                 {"(parallel (barrier 'A) (sequential (barrier 'B) (barrier 'C)))", "AC", "AC"},
                 {"(sequential (parallel (barrier 'A) (barrier 'B)) (barrier 'C))", "ABC", "C"},
                 {"(sequential (optional (barrier 'A)) (optional (barrier 'B)))", "AB", "AB"},
                 {"(loop 'l 3 (barrier 'A) (barrier 'B))", "AB", "B"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bmf_cop_program *program = parse(cases[k].program, "2x2");
        bool present[3] = {false}, last[3] = {false};
        for (int64_t n = 0; n < program->operators; n++)
            present[n] = strstr(cases[k].present, program->op[n]->label);
        cop_find_last(program->root, present, last);
        for (int64_t n = 0; n < program->operators; n++)
            assert_int_equal(last[n], strstr(cases[k].last, program->op[n]->label) ? 1 : 0);
        cop_free(program);
    }
}

/* A continuing operator is in every phase of its group's last child. */
static void operators_continue(void **state)
{
    static const uint8_t close[] = {1, 1};
    (void)state;
    bmf_cop_program *program = parse(
        "(parallel (broadcast 'A 0 :impl 'str_bcast) (sequential (cshift 'B 1) (cshift 'C 1) (cshift 'D 2)))", "4x4");
    bmf_cop_plan *plan = plan_of(program, 1000);
    const bmf_cop_operator *wanted;
    int choices;
    char text[100];
    bmf_cop_phases *phases = cop_build_phases(plan, 2, close, &wanted, &choices);
    assert_string_equal(cop_phases_text(phases, text, sizeof text), "{A,B} {A,C} {A,D}");
    cop_phases_time(plan, phases, true);
    for (int64_t p = 0; p < 3; p++) {
        assert_int_equal(phases->child[p]->phase.use[0].continues, p > 0);
        assert_int_equal(phases->child[p]->phase.use[0].terminating, p == 2);
    }
    cop_phases_free(phases);
    cop_plan_free(plan);
    cop_free(program);
}

/* ---- bandwidths ---- */

static void interface_is_shared(void **state)
{
    (void)state;
    bmf_cop_program *program = parse("(gather 's 0)", "6x1");
    assert_int_equal(program->operators, 1);
    bmf_cop_plan *plan = plan_of(program, 1000);
    bmf_cop_phase **phase;
    assert_int_equal(cop_list_phases(plan, &phase), 1);
    /* node 0 takes two words a cycle from five streams, 2/5; of them three cross the middle, whose link carries one */
    assert_true(fabs(phase[0]->use[0].bandwidth - 1.0 / 3) < 1e-9);
    free(phase);
    cop_plan_free(plan);
    cop_free(program);
}

/* ---- trees ---- */

static int64_t visit(int64_t nodes, const int64_t *parent, int64_t at, int64_t next)
{
    for (int64_t k = 0; k < at; k++)
        if (parent[k] == at)
            next = visit(nodes, parent, k, next);
    assert_int_equal(next, at);
    next++;
    for (int64_t k = at + 1; k < nodes; k++)
        if (parent[k] == at)
            next = visit(nodes, parent, k, next);
    return next;
}

static void trees_are_in_order(void **state)
{
    (void)state;
    for (int64_t nodes = 1; nodes < 40; nodes++)
        for (int64_t root = 0; root < nodes; root++) {
            int64_t parent[40];
            cop_balanced_tree(nodes, root, parent);
            assert_int_equal(visit(nodes, parent, root, 0), nodes);
        }
}

/* ---- the search ---- */

enum { TEXT = 2000, MAX_DECISIONS = 16 };

typedef struct made {
    uint64_t seed;
    char text[TEXT];
    int operators;
} made;

static int64_t choose(made *m, int64_t count)
{
    return (int64_t)(random_bits(&m->seed) % (uint64_t)count);
}

static void put(made *m, const char *text)
{
    const size_t used = strlen(m->text);
    assert_true(used + strlen(text) + 1 < sizeof m->text);
    memcpy(m->text + used, text, strlen(text) + 1);
}

static void put_operator(made *m)
{
    static const char *const form[] = {"(subset rows (broadcast 'o%d (runtime) :m %d))",
                                       "(subset cols (cshift 'o%d -1 :m %d))",
                                       "(broadcast 'o%d 0 :m %d)",
                                       "(stream 'o%d (runtime) 1 :m %d)",
                                       "(subset cols (allreduce 'o%d 'f :m %d))",
                                       "(subset '((0 1)) (stream 'o%d 0 1 :m %d))",
                                       "(subset '((2 3)) (stream 'o%d 1 0 :m %d))",
                                       "(prefix 'o%d 'f :m %d)"};
    char text[100];
    const int words = (int)(1 + choose(m, 60));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, form[choose(m, 8)], m->operators++, words);
#pragma GCC diagnostic pop
    put(m, text);
}

static void make_program(made *m)
{
    char text[40];
    const int64_t operators = 1 + choose(m, 4);
    m->text[0] = '\0';
    m->operators = 0;
    snprintf(text, sizeof text, "(loop 'l %d ", (int)(1 + choose(m, 50)));
    put(m, text);
    for (int64_t k = 0; k < operators; k++) {
        const bool optional = choose(m, 4) == 0;
        put(m, optional ? "(optional " : "");
        put_operator(m);
        put(m, optional ? ")" : "");
    }
    put(m, ")");
}

/* The least time of all complete plans. */
static double try_all(const bmf_cop_plan *plan, int64_t decisions, uint8_t *decision)
{
    const bmf_cop_operator *wanted;
    int choices;
    assert_true(decisions < MAX_DECISIONS);
    bmf_cop_phases *phases = cop_build_phases(plan, decisions, decision, &wanted, &choices);
    double best = choices == 0 ? cop_phases_time(plan, phases, true) : INFINITY;
    cop_phases_free(phases);
    for (int k = 0; k < choices; k++) {
        decision[decisions] = (uint8_t)k;
        best = fmin(best, try_all(plan, decisions + 1, decision));
    }
    return best;
}

static void search_finds_the_optimum(void **state)
{
    made m = {.seed = 20261122};
    uint8_t decision[MAX_DECISIONS];
    (void)state;
    for (int k = 0; k < 150; k++) {
        make_program(&m);
        bmf_cop_program *program = parse(m.text, k % 2 == 0 ? "4x2" : "3x3");
        bmf_cop_plan *plan = plan_of(program, 1000000);
        const double best = try_all(plan, 0, decision);
        if (!plan->optimal || fabs(plan->time - best) > 1e-9 * best)
            fail_msg("%s: %.17g, the best is %.17g", m.text, plan->time, best);
        cop_plan_free(plan);
        plan = plan_of(program, 2);
        assert_true(plan->time >= best * (1 - 1e-12));
        cop_plan_free(plan);
        cop_free(program);
    }
}

/* ---- schedules ---- */

static void schedules_keep_the_rules(void **state)
{
    made m = {.seed = 4711};
    (void)state;
    for (int k = 0; k < 40; k++) {
        make_program(&m);
        bmf_cop_program *program = parse(m.text, k % 2 == 0 ? "3x3" : "4x3");
        bmf_cop_plan *plan = plan_of(program, 1000);
        bmf_cop_phase **phase;
        if (cop_route_plan(plan) != BMF_OK)
            fail_msg("%s: %s", m.text, bmf_error_text(NULL));
        const int64_t phases = cop_list_phases(plan, &phase);
        for (int64_t p = 0; p < phases; p++) {
            bmf_scheduled_machine *machine;
            assert_int_equal(scheduled_create(&plan->settings.hardware, &machine), BMF_OK);
            if (phase[p]->routes && streams_emit(phase[p]->routes, machine, 1) != BMF_OK)
                fail_msg("%s: %s", m.text, bmf_error_text(NULL));
            scheduled_free(machine);
        }
        free(phase);
        cop_plan_free(plan);
        cop_free(program);
    }
}

/* Document 004, 8.4: the matrix product has two phases that end by their messages, with dense broadcasts. */
static void matrix_product(void **state)
{
    static const char *const size[] = {"3x3", "5x5", "6x6"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        bmf_cop_program *program = parse("(define tile (* 2 (/ 60 *xsize*) (/ 60 *xsize*)))"
                                         "(loop 'mul *xsize* (subset rows (broadcast 'b (runtime) :m tile))"
                                         "  (subset cols (cshift 'c -1 :m tile)))",
                                         size[k]);
        bmf_cop_plan *plan = plan_of(program, 100000);
        bmf_cop_phase **phase;
        assert_int_equal(cop_route_plan(plan), BMF_OK);
        assert_int_equal(cop_list_phases(plan, &phase), 2);
        for (int p = 0; p < 2; p++) {
            assert_int_equal(phase[p]->ending, BMF_COP_MSG_SYNC);
            assert_int_equal(phase[p]->uses, 1);
        }
        assert_true(phase[0]->use[0].bandwidth >= 11.0 / 24 - 1e-9);
        assert_true(phase[1]->use[0].bandwidth >= 8.0 / 24 - 1e-9);
        const bmf_cop_use *b = &phase[0]->use[0];
        assert_string_equal(plan->candidates[b->op->number].candidate[b->candidate].implementation->name,
                            "str_bcast_dense");
        free(phase);
        cop_plan_free(plan);
        cop_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_by_interface),    cmocka_unit_test(merge_example),
        cmocka_unit_test(phases_of_the_figure),     cmocka_unit_test(last_operators),
        cmocka_unit_test(operators_continue),       cmocka_unit_test(interface_is_shared),
        cmocka_unit_test(trees_are_in_order),       cmocka_unit_test(search_finds_the_optimum),
        cmocka_unit_test(schedules_keep_the_rules), cmocka_unit_test(matrix_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
