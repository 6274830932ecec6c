/* What tests of networks share: networks from a line of settings, messages handed over without a simulator, and small
 * programs whose length has a closed form. Include after cmocka.h. */
#ifndef BMF_TEST_NETWORKS_H
#define BMF_TEST_NETWORKS_H

#include "ctest/support/testing.h"
#include "predict/machine/machine.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/allocate.h"

enum { TEXT = 4096 };

/* ---- networks and messages ---- */

/* A network of that group of settings; its machine is left to the caller. */
static inline bmf_network *make(bmf_machine **machine, const char *settings, int64_t processors)
{
    char text[TEXT + 64];
    bmf_network *network;
    snprintf(text, sizeof text, "network = { %s };", settings);
    if (machine_parse(text, "unit_networks.machine", machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    if (machine_network(*machine, processors, &network) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return network;
}

static inline void unmake(bmf_machine *machine, bmf_network *network)
{
    network->type->destroy(network);
    machine_free(machine);
}

static inline void count_complete(void *simulator, bmf_transit *message)
{
    (void)message;
    if (simulator)
        ++*(int64_t *)simulator;
}

static inline void ignore(void *simulator, bmf_transit *message)
{
    (void)simulator;
    (void)message;
}

static inline void start(bmf_network *network, int64_t sample, int64_t *complete)
{
    network->simulator = complete;
    network->complete = count_complete;
    network->freed = ignore;
    network->type->start(network, sample);
}

static inline bmf_transit message_of(int64_t from, int64_t to, int64_t bytes, double sent)
{
    return (bmf_transit){.from = from,
                         .to = to,
                         .bytes = bytes,
                         .sent = sent,
                         .posted = INFINITY,
                         .sender_free = NAN,
                         .send_done = NAN,
                         .arrived = NAN};
}

static inline void advance_until(bmf_network *network, double time)
{
    const bmf_network_type *type = network->type;
    while (type->next && type->next(network) <= time && isfinite(type->next(network)))
        type->advance(network);
}

/* Hands the messages over, which are in the order of their times. */
static inline void deliver(bmf_network *network, bmf_transit *message, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        advance_until(network, message[k].sent);
        network->type->send(network, &message[k]);
    }
    advance_until(network, INFINITY);
}

static inline void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

/* As another program printed it. */
static inline void assert_printed(double seconds, const char *text)
{
    char got[64];
    snprintf(got, sizeof got, "%.6f", seconds);
    assert_string_equal(got, text);
}

static inline bmf_transit send_one(const char *settings, int64_t bytes, double posted)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, 2);
    bmf_transit one = message_of(0, 1, bytes, 0.0);
    int64_t complete = 0;
    start(network, 0, &complete);
    network->type->send(network, &one);
    if (network->type->post) {
        advance_until(network, posted);
        one.posted = posted;
        network->type->post(network, &one);
    }
    advance_until(network, INFINITY);
    assert_int_equal(complete, 1);
    unmake(machine, network);
    return one;
}

/* ---- sheets ---- */

static inline void write_sheet(const char *path, const char *entries)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "format = \"bmf sheet 1\"; title = \"t\"; units = \"us\"; logarithm = \"natural\";\nentries = (\n%s);\n",
            entries);
    assert_int_equal(fclose(file), 0);
}

/* An entry of 1 to 1000 elements of 8 bytes: c + k d. */
#define PAIR(name, c, k, more)                                                                                         \
    "{ operation = \"" name "\"; family = \"point-to-point\"; element_bytes = 8; d = [1, 1000]; c = " c                \
    "; size = \"d\"; k = " k "; " more "}"

/* ---- programs ---- */

/* A round of messages that begins when the processors are there; all of it is taken before it ends. */
static inline void add_round(bmf_actions *actions, const bmf_message *message, int64_t count)
{
    const int64_t number = actions_round_begin(actions, 0, message, count);
    actions_round_end(actions, 0, number);
}

static inline double length_of(const bmf_actions *actions, bmf_network *network)
{
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    assert_int_equal(simulator_run(simulator), BMF_OK);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    return result.seconds;
}

/* A token through all processors and back to the first. */
static inline void add_ring(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    for (int64_t k = 0; k < p; k++) {
        const bmf_message message = {.from = k, .to = (k + 1) % p, .bytes = bytes};
        add_round(actions, &message, 1);
    }
}

/* From processor 0 over a binomial tree; p is a power of two. */
static inline void add_broadcast(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    bmf_message *message = allocate(p * (int64_t)sizeof *message);
    for (int64_t half = p / 2; half >= 1; half /= 2) {
        int64_t count = 0;
        for (int64_t from = 0; from < p; from += 2 * half)
            message[count++] = (bmf_message){.from = from, .to = from + half, .bytes = bytes};
        add_round(actions, message, count);
    }
    free(message);
}

/* Everybody to processor 0, and one after the other back. */
static inline void add_star(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    bmf_message *message = allocate(p * (int64_t)sizeof *message);
    for (int64_t k = 1; k < p; k++)
        message[k - 1] = (bmf_message){.from = k, .to = 0, .bytes = bytes};
    add_round(actions, message, p - 1);
    for (int64_t k = 1; k < p; k++)
        message[k - 1] = (bmf_message){.from = 0, .to = k, .bytes = bytes};
    add_round(actions, message, p - 1);
    free(message);
}

static inline double run(const char *settings, int64_t processors, void (*add)(bmf_actions *, int64_t), int64_t bytes)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, processors);
    bmf_actions *actions = actions_create(processors, NULL);
    add(actions, bytes);
    const double seconds = length_of(actions, network);
    actions_free(actions);
    unmake(machine, network);
    return seconds;
}

/* The same calls give the same bits, also after a run that was left in the middle. */
static inline void check_repetition(const char *settings)
{
    enum { MESSAGES = 200, PROCESSORS = 9 };
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, PROCESSORS);
    double before[MESSAGES];
    for (int again = 0; again < 2; again++) {
        bmf_transit message[MESSAGES];
        uint64_t random = 11;
        double now = 0.0;
        int64_t complete = 0;
        start(network, 5, &complete);
        for (int k = 0; k < MESSAGES; k++) {
            const int64_t from = test_below(&random, PROCESSORS);
            now += 1e-6 * random_unit(&random);
            message[k] = message_of(from, (from + 1 + test_below(&random, PROCESSORS - 1)) % PROCESSORS,
                                    test_below(&random, 300), now);
            message[k].posted = network->type->post ? 0.0 : INFINITY;
        }
        deliver(network, message, MESSAGES);
        assert_int_equal(complete, MESSAGES);
        for (int k = 0; k < MESSAGES; k++) {
            assert_true(again == 0 || message[k].arrived == before[k]);
            assert_true(message[k].arrived >= message[k].sent);
            before[k] = message[k].arrived;
        }
        start(network, 0, &complete);
        bmf_transit left = message_of(0, 1, 50, 0.0);
        left.posted = 0.0;
        network->type->send(network, &left);
    }
    unmake(machine, network);
}

#endif
