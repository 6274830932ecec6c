/* COP programs on meshes of dynamic routers: the values of random programs against a sequential interpreter of their
 * operators, with e-cube and adaptive routers, small buffers and slow links; addresses of Figure 7-3; kernels by hand;
 * what programs do wrong. The routers themselves refuse words out of order. COP_PROGRAMS sets how many programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "ctest/support/cop_programs.h"
#include "ctest/support/cop_random.h"
#include "predict/cop/run.h"

enum { ROUTERS = 4, USUAL = 300 };

static bmf_dynamic_settings settings_of(int number)
{
    bmf_dynamic_settings s = cop_ecube();
    s.shared = true;
    if (number % 2) {
        s.routing = BMF_DYNAMIC_ADAPTIVE;
        s.channels = 5;
        s.atomic = true;
    }
    if (number >= 2) {
        s.buffer = 2;
        s.link = 3;
        s.credit = 2;
        s.header = number - 1;
        s.shared = false;
    }
    return s;
}

static bmf_cop_program *parse(const char *text, const char *size)
{
    return cop_program_for(text, size, true);
}

/* ---- addresses ---- */

static int address_at(const char *text, int64_t op, int64_t node)
{
    bmf_cop_program *program = parse(text, "2x2");
    bmf_cop_plan *plan = cop_plan_by_messages(program);
    int most;
    uint8_t *address = cop_colour_addresses(plan, &most);
    const int found = address[(op * BMF_COP_PARTS + BMF_COP_SINGLE) * 4 + node];
    free(address);
    cop_plan_free(plan);
    cop_free(program);
    return found;
}

/* Figure 7-3; in a loop a message of D may come while those of A and B of the next pass do. */
static void addresses(void **state)
{
    static const char *const once = "(sequential (stream 'A 1 3) (stream 'B 1 3) (stream 'C 3 2) (stream 'D 2 3))";
    static const char *const again = "(loop 'l 9 (stream 'A 1 3) (stream 'B 1 3) (stream 'C 3 2) (stream 'D 2 3))";
    static const char *const side = "(parallel (stream 'A 1 3) (stream 'B 2 3))";
    (void)state;
    assert_int_equal(address_at(once, 0, 3), 1);
    assert_int_equal(address_at(once, 1, 3), 2);
    assert_int_equal(address_at(once, 2, 2), 1);
    assert_int_equal(address_at(once, 3, 3), 1);
    assert_int_equal(address_at(once, 3, 1), 0);
    assert_int_equal(address_at(again, 3, 3), 3);
    assert_int_equal(address_at(side, 1, 3), 2);
}

/* ---- kernels ---- */

static int64_t kernel_cycles(const char *text, const char *size, int router)
{
    const bmf_dynamic_settings settings = settings_of(router);
    return cop_cycles_by_messages(text, size, &settings);
}

static void kernels(void **state)
{
    (void)state;
    for (int router = 0; router < 2; router++) {
        /* a word a cycle, a header, and the way: two links, into the first router and out of the last */
        assert_int_equal(kernel_cycles("(stream 's 0 2 :m 100)", "3x1", router), 100 + 1 + 2 + 2);
        /* everyone reads and writes each word: 2 cycles along x, then 2 along y */
        assert_in_range(kernel_cycles("(broadcast 'b 0 :m 1024 :impl dyn_bcast_dense)", "8x8", router), 3584, 4608);
        /* 63 messages of two words, one after the other; twice as long where channels must be empty between */
        assert_in_range(kernel_cycles("(broadcast 'b 0 :impl dyn_bcast)", "8x8", router), 126, router ? 280 : 150);
        assert_in_range(kernel_cycles("(cshift 'c 1 :m 1000)", "4x1", router), 2000, 2030);
    }
}

/* ---- random programs ---- */

static void try_program(cop_made *m, const char *size, int router)
{
    static cop_world w;
    cop_values expected[COP_NODES];
    const bmf_dynamic_settings settings = settings_of(router);
    bmf_cop_times times;
    cop_make_program(m);
    bmf_cop_program *program = parse(m->text, size);
    bmf_cop_plan *plan = cop_plan_by_messages(program);
    w.program = program;
    w.made = m;
    cop_expect(program, m, expected);
    if (cop_run_messages(plan, &settings, cop_world_body, &w, NULL, &times) != BMF_OK)
        fail_msg("%s on %s, router %d: %s", m->text, size, router, bmf_error_text(NULL));
    for (int64_t n = 0; n < program->settings.mesh.nodes; n++)
        if (memcmp(w.node[n], expected[n], sizeof expected[n]) != 0)
            fail_msg("%s on %s, router %d: node %d has other values", m->text, size, router, (int)n);
    free(times.time);
    cop_plan_free(plan);
    cop_free(program);
}

static void random_programs(void **state)
{
    static const char *const size[] = {"2x2", "3x3", "4x3", "5x4", "3x3x2"};
    const char *programs = getenv("COP_PROGRAMS");
    const int count = programs ? atoi(programs) : USUAL;
    cop_made m = {.seed = 19970102, .dynamic = true, .leaves_out = true};
    (void)state;
    for (int k = 0; k < count; k++)
        try_program(&m, size[k % 5], k % ROUTERS);
}

/* ---- mistakes ---- */

static int wrong_body(void *state, const bmf_cop_services *s)
{
    const int mistake = *(const int *)state;
    int32_t word[64] = {0}, source = mistake == 1 ? s->node % 2 : mistake == 2 ? 9 : 0;
    s->init(s->state);
    if (mistake != 0)
        s->load(s->state, 0, 1, &source);
    if (mistake == 3 || s->node == source)
        s->write(s->state, 0, word);
    else
        s->read(s->state, 0, word);
    if (mistake == 4 && s->node == 2)
        s->read(s->state, 0, word);
    return 0;
}

static void mistakes_at_run_time(void **state)
{
    static const char *const says[] = {"node 0, operator 'b', cycle 0: it has not been loaded",
                                       "load 1 has the operand", "operand 1 is 9, outside the subset of 4 nodes",
                                       "it is written by a node that is not its source, which is node 0",
                                       "every node waits for ever: node 2 reads operator 'b'"};
    const bmf_dynamic_settings settings = settings_of(0);
    (void)state;
    for (int k = 0; k < 5; k++) {
        bmf_cop_program *program = parse("(broadcast 'b (runtime) :m 64)", "2x2");
        bmf_cop_plan *plan = cop_plan_by_messages(program);
        bmf_cop_times times;
        assert_int_equal(cop_run_messages(plan, &settings, wrong_body, &k, NULL, &times), BMF_ERROR_KERNEL);
        if (!strstr(bmf_error_text(NULL), says[k]))
            fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), says[k]);
        cop_plan_free(plan);
        cop_free(program);
    }
}

/* Nodes 1 and 2 write to node 0, the second one before or after the first one's message has been read. */
static int two_writers(void *state, const bmf_cop_services *s)
{
    const bool waits = *(const bool *)state;
    int32_t word = s->node;
    s->init(s->state);
    s->load(s->state, 0, 0, NULL);
    s->load(s->state, 1, 0, NULL);
    if (s->node == 1)
        s->write(s->state, 0, &word);
    if (s->node == 0)
        s->read(s->state, 0, &word);
    if (waits)
        s->call(s->state, 1, &word, &word, NULL);
    if (s->node == 2)
        s->write(s->state, 0, &word);
    if (s->node == 0 && waits)
        s->read(s->state, 0, &word);
    return s->node == 0 ? word : 0;
}

static void a_collect_has_one_writer(void **state)
{
    const bmf_dynamic_settings settings = settings_of(0);
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        bmf_cop_program *program = parse("(parallel (collect 'c 0) (barrier 'b))", "2x2");
        bmf_cop_plan *plan = cop_plan_by_messages(program);
        bmf_cop_times times;
        bool before = waits;
        const int status = cop_run_messages(plan, &settings, two_writers, &before, NULL, &times);
        assert_int_equal(status, waits ? BMF_OK : BMF_ERROR_KERNEL);
        if (waits) {
            assert_int_equal(times.exit_code, 2);
            free(times.time);
        } else if (!strstr(bmf_error_text(NULL), "operator 'c', cycle") ||
                   !strstr(bmf_error_text(NULL), "two writers of a collect: a message of node ")) {
            fail_msg("'%s' does not name the writers", bmf_error_text(NULL));
        }
        cop_plan_free(plan);
        cop_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses), cmocka_unit_test(kernels),
                                       cmocka_unit_test(random_programs), cmocka_unit_test(mistakes_at_run_time),
                                       cmocka_unit_test(a_collect_has_one_writer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
