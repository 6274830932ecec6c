/* Random COP programs, and what they compute by a sequential interpreter of their operators. */
#include "ctest/support/cop_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/random.h"

/* Associative, not commutative: affine maps x -> a x + b modulo 2^32, a pair of words each; a word alone is a sum. */
static void combine_words(int64_t words, const uint32_t *x, const uint32_t *y, uint32_t *out)
{
    uint32_t result[COP_WORDS + 1];
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

static int64_t choose(cop_made *m, int64_t count)
{
    return (int64_t)(random_bits(&m->seed) % (uint64_t)count);
}

static void put(cop_made *m, const char *text)
{
    const size_t used = strlen(m->text);
    if (used + strlen(text) + 1 >= sizeof m->text)
        abort();
    memcpy(m->text + used, text, strlen(text) + 1);
}

static void put_operator(cop_made *m)
{
    static const char *const subset[] = {
        "rows", "cols", "(list (all *nodes*))", "'((0 1))", "(list (reverse (all *nodes*)))", "'((0 3))", "'((3 1))"};
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
                                       "collect '%s 1",
                                       "broadcast '%s (runtime) :impl 'str_bcast_linear",
                                       "stream '%s (runtime) (runtime) :impl 'str_stream_dense",
                                       "barrier '%s :impl 'str_barrier",
                                       "gather '%s 1",
                                       "spread '%s 1",
                                       "permute '%s (reverse (all *nodes*))",
                                       "cshift '%s (runtime)",
                                       "eoshift '%s (runtime)",
                                       "permute '%s (runtime)"};
    enum { SUBSETS = sizeof subset / sizeof *subset, USUAL_SUBSETS = SUBSETS - 2 };
    enum { FORMS = sizeof form / sizeof *form, SCHEDULED = 18, LINEAR = SCHEDULED - 3 };
    char label[20], code[100], text[300];
    int which = (int)choose(m, m->dynamic || m->online ? FORMS : SCHEDULED);
    if (m->dynamic && which >= LINEAR && which < SCHEDULED)
        which = 0;
    if (which == SCHEDULED - 1 && (m->goes_on || m->apart)) /* not beside others, nor where boxes have gaps */
        which = 0;
    if (which == SCHEDULED - 2 && m->goes_on)
        which = 1;
    const int number = m->operators++;
    m->optional[number] = m->leaves_out && choose(m, 2);
    const char *group = m->optional[number] ? "(optional " : m->in_phases && choose(m, 4) > 0 ? "(phase " : "";
    snprintf(label, sizeof label, "o%d", number);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(code, sizeof code, form[which], label);
#pragma GCC diagnostic pop
    int64_t nodes = m->line ? 2 * choose(m, 3) : choose(m, m->apart ? SUBSETS : USUAL_SUBSETS);
    if (m->in_phases && nodes == 3 && choose(m, 4) > 0) /* mostly all nodes, so that most of these programs fit */
        nodes = 2;
    snprintf(text, sizeof text, "%s(subset %s (%s :m %d))%s\n", group, subset[nodes], code, lengths[choose(m, 5)].words,
             *group ? ")" : "");
    put(m, text);
}

/* Number 0, which goes on while the others are carried out. */
static void put_lasting(cop_made *m)
{
    static const char *const form[] = {"(broadcast 'o0 1", "(stream 'o0 1 0", "(cshift 'o0 1", "(allreduce 'o0 'f"};
    static const char *const subset[] = {"rows", "cols", "(list (all *nodes*))"};
    char text[200];
    snprintf(text, sizeof text, "(parallel (subset %s %s :m %d))\n(sequential\n", subset[choose(m, 3)],
             form[choose(m, 4)], lengths[choose(m, 5)].words);
    put(m, text);
    m->optional[m->operators++] = false;
}

void cop_make_program(cop_made *m)
{
    const int64_t operators = 1 + choose(m, 4);
    m->text[0] = '\0';
    m->operators = 0;
    put(m, "(loop 'l 3 ");
    if (m->goes_on)
        put_lasting(m);
    for (int64_t k = 0; k < operators; k++)
        put_operator(m);
    put(m, m->goes_on ? "))" : "");
    if (m->apart) { /* all nodes know how often the others come by */
        put(m, "(subset (list (all *nodes*)) (barrier 'all))");
        m->optional[m->operators++] = false;
    }
    put(m, ")");
}

static void start_value(int node, cop_values v)
{
    for (int k = 0; k <= COP_WORDS; k++)
        v[k] = (uint32_t)(node * 1000 + k) * 2654435761U | 1U;
}

/* What was received changes the node's values, so that an error is carried on. */
static void mix(cop_values v, const cop_values received, int64_t words)
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

/* Distances of shifts; targets of permutations. */
static int64_t distance_of(const bmf_cop_instance *instance, int pass)
{
    return instance->operand[0].runtime ? pass % instance->nodes : instance->operand[0].value;
}

static int64_t target_of(const bmf_cop_instance *instance, int pass, int64_t node)
{
    return instance->operand[0].runtime ? (instance->nodes - 1 - node + pass) % instance->nodes
                                        : instance->operand[0].values[node];
}

/* Of a collect: the same in every pass, since nothing keeps two of them apart in time. */
static int64_t writer_of(const bmf_cop_instance *instance)
{
    return (instance->operand[0].value + instance->nodes / 2) % instance->nodes;
}

/* What a spread's source writes for a node. */
static void make_part(const cop_values v, int64_t to, cop_values part)
{
    memcpy(part, v, sizeof(cop_values));
    part[0] += (uint32_t)to;
}

static int64_t destination_of(const bmf_cop_instance *instance, int pass)
{
    return instance->operand[1].runtime ? (2 * pass + 1) % instance->nodes : instance->operand[1].value;
}

static void run_functional(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance,
                           int own, int pass, cop_values v)
{
    cop_values out = {0};
    s->call(s->state, (int)op->number, v, out, op->function[0] ? combine_of(op->words) : NULL);
    const int64_t from = own - distance_of(instance, pass);
    const bool has = op->kind == BMF_COP_REDUCE    ? own == source_of(instance, pass)
                     : op->kind == BMF_COP_EOSHIFT ? from >= 0 && from < instance->nodes
                                                   : op->kind != BMF_COP_BARRIER;
    if (has)
        mix(v, out, op->words);
}

static void read_and_mix(const bmf_cop_services *s, const bmf_cop_operator *op, cop_values v)
{
    cop_values out = {0};
    s->read(s->state, (int)op->number, out);
    mix(v, out, op->words);
}

static void run_directional(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance,
                            int own, int pass, cop_values v)
{
    const int64_t source = source_of(instance, pass), destination = destination_of(instance, pass);
    const int id = (int)op->number;
    if (op->kind == BMF_COP_COLLECT) {
        if (own == writer_of(instance))
            s->write(s->state, id, v);
        if (own == source)
            read_and_mix(s, op, v);
    } else if (op->kind == BMF_COP_GATHER) {
        if (own != source)
            s->write(s->state, id, v);
        for (int64_t k = 0; own == source && k + 1 < instance->nodes; k++)
            read_and_mix(s, op, v);
    } else if (op->kind == BMF_COP_SPREAD) {
        for (int64_t k = 0; own == source && k < instance->nodes; k++) {
            cop_values part;
            make_part(v, k, part);
            if (k != own)
                s->write(s->state, id, part);
        }
        if (own != source)
            read_and_mix(s, op, v);
    } else {
        if (own == source)
            s->write(s->state, id, v);
        if (op->kind == BMF_COP_BROADCAST ? own != source : own == destination)
            read_and_mix(s, op, v);
    }
}

static void load_operator(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance,
                          int pass)
{
    int32_t operand[COP_NODES];
    int operands = 0;
    if (op->kind == BMF_COP_PERMUTE && instance->operand[0].runtime)
        for (int64_t k = 0; k < instance->nodes; k++)
            operand[operands++] = (int32_t)target_of(instance, pass, k);
    else if (instance->operand[0].runtime)
        operand[operands++] = (int32_t)source_of(instance, pass);
    if (op->kind == BMF_COP_STREAM && instance->operand[1].runtime)
        operand[operands++] = (int32_t)destination_of(instance, pass);
    s->load(s->state, (int)op->number, operands, operand);
}

static void use_operator(const bmf_cop_services *s, const bmf_cop_operator *op, const bmf_cop_instance *instance,
                         int own, int pass, cop_values v)
{
    if (cop_is_functional(op->kind))
        run_functional(s, op, instance, own, pass, v);
    else
        run_directional(s, op, instance, own, pass, v);
}

/* Optional operators are left out in every second pass, all of them by all nodes. */
static bool is_left_out(const cop_made *m, int64_t op, int pass)
{
    return m->optional[op] && (pass + op) % 2 == 0;
}

/* In the order of uses; what goes on is loaded first and used last. */
static int64_t operator_at(const cop_made *m, int64_t operators, int64_t k)
{
    return m->goes_on ? (k + 1) % operators : k;
}

static void visit_operator(const bmf_cop_services *s, const bmf_cop_operator *op, int pass, bool loads, bool uses,
                           cop_values v)
{
    for (int64_t i = 0; i < op->instances; i++) {
        const int own = number_of(&op->instance[i], s->node);
        if (own >= 0 && loads)
            load_operator(s, op, &op->instance[i], pass);
        if (own >= 0 && uses)
            use_operator(s, op, &op->instance[i], own, pass, v);
    }
}

int cop_world_body(void *state, const bmf_cop_services *s)
{
    cop_world *w = state;
    const int64_t operators = w->program->operators;
    cop_values v;
    start_value(s->node, v);
    s->init(s->state);
    for (int pass = 0; pass < COP_PASSES; pass++) {
        if (w->made->goes_on)
            visit_operator(s, w->program->op[0], pass, true, false, v);
        for (int64_t at = 0; at < operators; at++) {
            const int64_t k = operator_at(w->made, operators, at);
            if (is_left_out(w->made, k, pass))
                continue;
            s->delay(s->state, (double)((s->node * 7 + pass * 13 + (int)k) % 29));
            visit_operator(s, w->program->op[k], pass, !w->made->goes_on || k > 0, true, v);
        }
    }
    s->fini(s->state);
    memcpy(w->node[s->node], v, sizeof v);
    return 0;
}

/* The same for one instance, all nodes at once. */
static void interpret_functional(const bmf_cop_operator *op, const bmf_cop_instance *in, int pass,
                                 cop_values before[COP_NODES], cop_values *node)
{
    const int64_t n = in->nodes, by = distance_of(in, pass);
    cop_values fold;
    memcpy(fold, before[0], sizeof fold);
    for (int64_t k = 0; k < n; k++) {
        uint32_t *own = node[in->node[k]];
        if (k > 0)
            combine_words(op->words, fold, before[k], fold);
        if (op->kind == BMF_COP_PREFIX)
            mix(own, fold, op->words);
        else if (op->kind == BMF_COP_CSHIFT)
            mix(own, before[((k - by) % n + n) % n], op->words);
        else if (op->kind == BMF_COP_EOSHIFT && k - by >= 0 && k - by < n)
            mix(own, before[k - by], op->words);
        else if (op->kind == BMF_COP_PERMUTE)
            mix(node[in->node[target_of(in, pass, k)]], before[k], op->words);
    }
    for (int64_t k = 0; k < n; k++)
        if (op->kind == BMF_COP_ALLREDUCE || (op->kind == BMF_COP_REDUCE && k == source_of(in, pass)))
            mix(node[in->node[k]], fold, op->words);
}

static void interpret_directional(const bmf_cop_operator *op, const bmf_cop_instance *in, int pass,
                                  cop_values before[COP_NODES], cop_values *node)
{
    const int64_t source = source_of(in, pass);
    for (int64_t k = 0; k < in->nodes; k++) {
        uint32_t *own = node[in->node[k]];
        cop_values part;
        make_part(before[source], k, part);
        if (op->kind == BMF_COP_BROADCAST && k != source)
            mix(own, before[source], op->words);
        else if (op->kind == BMF_COP_STREAM && k == destination_of(in, pass))
            mix(own, before[source], op->words);
        else if (op->kind == BMF_COP_SPREAD && k != source)
            mix(own, part, op->words);
        else if (op->kind == BMF_COP_GATHER && k != source)
            mix(node[in->node[source]], before[k], op->words);
        else if (op->kind == BMF_COP_COLLECT && k == writer_of(in))
            mix(node[in->node[source]], before[k], op->words);
    }
}

static void interpret(const bmf_cop_operator *op, const bmf_cop_instance *in, int pass, cop_values *node)
{
    cop_values before[COP_NODES];
    for (int64_t k = 0; k < in->nodes; k++)
        memcpy(before[k], node[in->node[k]], sizeof before[k]);
    if (cop_is_functional(op->kind))
        interpret_functional(op, in, pass, before, node);
    else
        interpret_directional(op, in, pass, before, node);
}

void cop_expect(const bmf_cop_program *program, const cop_made *made, cop_values *node)
{
    for (int n = 0; n < program->settings.mesh.nodes; n++)
        start_value(n, node[n]);
    for (int pass = 0; pass < COP_PASSES; pass++)
        for (int64_t at = 0; at < program->operators; at++) {
            const int64_t k = operator_at(made, program->operators, at);
            for (int64_t i = 0; i < program->op[k]->instances && !is_left_out(made, k, pass); i++)
                interpret(program->op[k], &program->op[k]->instance[i], pass, node);
        }
}
