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
#include "predict/cop/run.h"
#include "runtime/base/random.h"

enum { TEXT = 3000, MAX_NODES = 36, MAX_WORDS = 40, PASSES = 3 };

static bmf_cop_program *parse(const char *text, const char *size)
{
    bmf_cop_settings settings = {.length = 24};
    bmf_cop_program *program = NULL;
    assert_int_equal(mesh_parse(size, false, &settings.mesh), BMF_OK);
    if (cop_parse(text, (int64_t)strlen(text), "test.cop", &settings, &program) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    return program;
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
                streams_mark_links(phase[p]->routes, one);
                streams_mark_links(phase[q]->routes, other);
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
                                            .may_take = cop_can_run};
    bmf_cop_plan *plan = NULL;
    if (cop_plan_make(program, &settings, NULL, &plan) != BMF_OK)
        return NULL;
    if (cop_route_to_run(plan) == BMF_OK) {
        check_wires(plan);
        return plan;
    }
    cop_plan_free(plan);
    return NULL;
}

/* ---- kernels ---- */

static int64_t kernel_cycles(const char *text, const char *size)
{
    bmf_cop_program *program = parse(text, size);
    bmf_cop_plan *plan = routed(program);
    bmf_cop_times times;
    assert_non_null(plan);
    if (cop_run(plan, &(bmf_simulation_settings){0}, true, cop_kernel, plan, &times) != BMF_OK)
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

typedef struct made {
    uint64_t seed;
    char text[TEXT];
    int operators;
} made;

/* Associative, not commutative: affine maps x -> a x + b modulo 2^32, a pair of words each; a word alone is a sum. */
static void combine_words(int64_t words, const uint32_t *x, const uint32_t *y, uint32_t *out)
{
    uint32_t result[MAX_WORDS + 1];
    for (int64_t k = 0; k < words; k += 2) {
        const bool pair = k + 1 < words;
        const uint32_t factor = x[k], offset = pair ? x[k + 1] : 0;
        result[k] = pair ? factor * y[k] : x[k] + y[k];
        if (pair)
            result[k + 1] = offset + factor * y[k + 1];
    }
    memcpy(out, result, (size_t)words * sizeof *result);
}

#define COMBINE(words)                                                                                                 \
    static void combine_##words(const void *a, const void *b, void *out)                                               \
    {                                                                                                                  \
        combine_words(words, a, b, out);                                                                               \
    }
COMBINE(1)
COMBINE(2)
COMBINE(7)
COMBINE(24)
COMBINE(40)

static const struct {
    int words;
    bmf_cop_combine *combine;
} lengths[] = {{1, combine_1}, {2, combine_2}, {7, combine_7}, {24, combine_24}, {40, combine_40}};

static bmf_cop_combine *combine_of(int64_t words)
{
    for (int k = 0; k < 5; k++)
        if (lengths[k].words == words)
            return lengths[k].combine;
    return NULL;
}

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
    static const char *const subset[] = {"rows", "cols", "(list (all *nodes*))", "'((0 1))",
                                         "(list (reverse (all *nodes*)))"};
    static const char *const form[] = {"broadcast '%s (runtime)",
                                       "broadcast '%s 1",
                                       "stream '%s 1 0",
                                       "cshift '%s -1",
                                       "eoshift '%s 1",
                                       "reduce '%s 'f 1",
                                       "allreduce '%s 'f",
                                       "prefix '%s 'f",
                                       "cshift '%s 2",
                                       "barrier '%s",
                                       "stream '%s (runtime) (runtime)",
                                       "stream '%s 0 (runtime)",
                                       "reduce '%s 'f (runtime)",
                                       "stream '%s (runtime) 1",
                                       "broadcast '%s (runtime) :impl 'str_bcast_linear"};
    char label[20], code[100], text[300];
    const int which = (int)choose(m, 15);
    snprintf(label, sizeof label, "o%d", m->operators++);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(code, sizeof code, form[which], label);
#pragma GCC diagnostic pop
    snprintf(text, sizeof text, "(subset %s (%s :m %d))\n", subset[choose(m, 5)], code, lengths[choose(m, 5)].words);
    put(m, text);
}

static void make_program(made *m)
{
    const int64_t operators = 1 + choose(m, 4);
    m->text[0] = '\0';
    m->operators = 0;
    put(m, "(loop 'l 3 ");
    for (int64_t k = 0; k < operators; k++)
        put_operator(m);
    put(m, ")");
}

typedef uint32_t values[MAX_WORDS + 1];

typedef struct world {
    const bmf_cop_program *program;
    made *made;
    values node[MAX_NODES];
} world;

static void start_value(int node, values v)
{
    for (int k = 0; k <= MAX_WORDS; k++)
        v[k] = (uint32_t)(node * 1000 + k) * 2654435761U | 1U;
}

/* What was received changes the node's values, so that an error is carried on. */
static void mix(values v, const values received, int64_t words)
{
    for (int64_t k = 0; k < words; k++)
        v[k] = v[k] * 31U + received[k];
}

static int number_of(const bmf_cop_instance *instance, int64_t node)
{
    for (int64_t k = 0; k < instance->nodes; k++)
        if (instance->node[k] == node)
            return (int)k;
    return -1;
}

/* Sources and destinations that are known at run time differ from pass to pass, and are equal in some. */
static int64_t source_of(const bmf_cop_instance *instance, int pass)
{
    return instance->operand[0].runtime ? pass % instance->nodes : instance->operand[0].value;
}

static int64_t destination_of(const bmf_cop_instance *instance, int pass)
{
    return instance->operand[1].runtime ? (2 * pass + 1) % instance->nodes : instance->operand[1].value;
}

static void run_operator(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance,
                         int own, int pass, values v)
{
    const int id = (int)op->number;
    const int32_t source = (int32_t)source_of(instance, pass), destination = (int32_t)destination_of(instance, pass);
    int32_t operand[BMF_COP_OPERANDS];
    int operands = 0;
    values out = {0};
    if (instance->operand[0].runtime)
        operand[operands++] = source;
    if (op->kind == BMF_COP_STREAM && instance->operand[1].runtime)
        operand[operands++] = destination;
    s->load(s->state, id, operands, operand);
    if (op->kind == BMF_COP_BARRIER) {
        s->call(s->state, id, v, out, NULL);
    } else if (cop_is_functional(op->kind)) {
        s->call(s->state, id, v, out, op->function[0] ? combine_of(op->words) : NULL);
        const int64_t from = own - instance->operand[0].value;
        const bool has = op->kind == BMF_COP_REDUCE    ? own == source
                         : op->kind == BMF_COP_EOSHIFT ? from >= 0 && from < instance->nodes
                                                       : true;
        if (has)
            mix(v, out, op->words);
    } else {
        if (own == source)
            s->write(s->state, id, v);
        if (op->kind == BMF_COP_BROADCAST ? own != source : own == destination) {
            s->read(s->state, id, out);
            mix(v, out, op->words);
        }
    }
}

static int node_body(void *state, const bmf_cop_services *s)
{
    world *w = state;
    values v;
    start_value(s->node, v);
    s->init(s->state);
    for (int pass = 0; pass < PASSES; pass++)
        for (int64_t k = 0; k < w->program->operators; k++) {
            const bmf_cop_operator *op = w->program->op[k];
            s->delay(s->state, (double)((s->node * 7 + pass * 13 + (int)k) % 29));
            for (int64_t i = 0; i < op->instances; i++) {
                const int own = number_of(&op->instance[i], s->node);
                if (own >= 0)
                    run_operator(s, op, &op->instance[i], own, pass, v);
            }
        }
    s->fini(s->state);
    memcpy(w->node[s->node], v, sizeof v);
    return 0;
}

/* The same for one instance, all nodes at once. */
static void interpret(const bmf_cop_operator *op, const bmf_cop_instance *in, int pass, values *node)
{
    values before[MAX_NODES], fold;
    const int64_t n = in->nodes, source = source_of(in, pass), by = in->operand[0].value;
    for (int64_t k = 0; k < n; k++)
        memcpy(before[k], node[in->node[k]], sizeof before[k]);
    memcpy(fold, before[0], sizeof fold);
    for (int64_t k = 0; k < n; k++) {
        uint32_t *own = node[in->node[k]];
        if (k > 0)
            combine_words(op->words, fold, before[k], fold);
        if (op->kind == BMF_COP_PREFIX)
            mix(own, fold, op->words);
        else if (op->kind == BMF_COP_BROADCAST && k != source)
            mix(own, before[source], op->words);
        else if (op->kind == BMF_COP_STREAM && k == destination_of(in, pass))
            mix(own, before[source], op->words);
        else if (op->kind == BMF_COP_CSHIFT)
            mix(own, before[((k - by) % n + n) % n], op->words);
        else if (op->kind == BMF_COP_EOSHIFT && k - by >= 0 && k - by < n)
            mix(own, before[k - by], op->words);
    }
    for (int64_t k = 0; k < n; k++)
        if (op->kind == BMF_COP_ALLREDUCE || (op->kind == BMF_COP_REDUCE && k == source))
            mix(node[in->node[k]], fold, op->words);
}

static bool try_program(made *m, const char *size)
{
    world w = {.made = m};
    values expected[MAX_NODES];
    bmf_cop_times times;
    make_program(m);
    bmf_cop_program *program = parse(m->text, size);
    bmf_cop_plan *plan = routed(program);
    w.program = program;
    if (!plan) {
        cop_free(program);
        return false;
    }
    const int64_t nodes = program->settings.mesh.nodes;
    for (int n = 0; n < nodes; n++)
        start_value(n, expected[n]);
    for (int pass = 0; pass < PASSES; pass++)
        for (int64_t k = 0; k < program->operators; k++)
            for (int64_t i = 0; i < program->op[k]->instances; i++)
                interpret(program->op[k], &program->op[k]->instance[i], pass, expected);
    const int status = cop_run(plan, &(bmf_simulation_settings){0}, false, node_body, &w, &times);
    const bool fits = status != BMF_ERROR_ARGUMENT || !strstr(bmf_error_text(NULL), "fit");
    if (fits && status != BMF_OK)
        fail_msg("%s on %s: %s", m->text, size, bmf_error_text(NULL));
    if (status == BMF_OK) {
        for (int64_t n = 0; n < nodes; n++)
            if (memcmp(w.node[n], expected[n], sizeof expected[n]) != 0)
                fail_msg("%s on %s: node %d has other values", m->text, size, (int)n);
        free(times.time);
    }
    cop_plan_free(plan);
    cop_free(program);
    return status == BMF_OK;
}

static void random_programs(void **state)
{
    static const char *const size[] = {"2x2", "3x3", "4x3", "5x4", "3x3x2"};
    const char *programs = getenv("COP_PROGRAMS");
    const int count = programs ? atoi(programs) : 60;
    made m = {.seed = 19970101};
    int done = 0;
    (void)state;
    for (int k = 0; k < count; k++)
        done += try_program(&m, size[k % 5]);
    print_message("%d of %d programs ran, the others do not fit\n", done, count);
    assert_true(done > count / 2);
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
        assert_int_not_equal(cop_run(plan, &(bmf_simulation_settings){0}, false, wrong_body, &k, &times), BMF_OK);
        if (!strstr(bmf_error_text(NULL), says[k]))
            fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), says[k]);
        cop_plan_free(plan);
        cop_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(phases_take_the_furthest_block),
                                       cmocka_unit_test(random_programs), cmocka_unit_test(mistakes_at_run_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
