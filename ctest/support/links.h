/* What tests of networks of links share: networks from settings, messages through them, random ones. For programs of
 * cmocka, whose header comes before this one. */
#ifndef BMF_TEST_LINKS_H
#define BMF_TEST_LINKS_H

#include <math.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "predict/network/graph/graph.h"
#include "predict/machine/machine.h"

enum { TEXT = 1024, MAX = 256, ROUNDS = 20 };

/* ---- networks and messages ---- */

__attribute__((unused)) static bmf_network *make(const char *settings, int64_t processors)
{
    char text[TEXT];
    bmf_machine *machine;
    bmf_network *network = NULL;
    snprintf(text, sizeof text, "processors = %lld; network = { type = \"graph\"; %s };", (long long)processors,
             settings);
    if (machine_parse(text, "unit_network_graph.machine", &machine) != BMF_OK ||
        machine_network(machine, processors, &network) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    machine_free(machine);
    return network;
}

__attribute__((unused)) static void count_complete(void *simulator, bmf_transit *message)
{
    CHECK(message->sender_free >= message->sent && message->arrived >= message->sender_free &&
              message->send_done >= message->sent && message->send_done <= fmax(message->arrived, message->sender_free),
          "%lld to %lld", (long long)message->from, (long long)message->to);
    ++*(int64_t *)simulator;
}

__attribute__((unused)) static bmf_transit message_of(int64_t from, int64_t to, int64_t bytes, double sent)
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

/* Carries messages, which are in the order of sending, from the start of a run. */
__attribute__((unused)) static void carry(bmf_network *network, bmf_transit *message, int64_t count)
{
    const bmf_network_type *type = network->type;
    int64_t complete = 0;
    network->simulator = &complete;
    network->complete = network->freed = count_complete;
    type->start(network, 0);
    for (int64_t k = 0; k < count; k++) {
        while (type->next(network) <= message[k].sent)
            type->advance(network);
        type->send(network, &message[k]);
    }
    while (isfinite(type->next(network)))
        type->advance(network);
    assert_int_equal(complete, count);
}

__attribute__((unused)) static double last_arrival(const bmf_transit *message, int64_t count)
{
    double last = 0.0;
    for (int64_t k = 0; k < count; k++)
        last = fmax(last, message[k].arrived);
    return last;
}

/* The arrival of the last of these messages in a network that is made for them. */
__attribute__((unused)) static double carried(const char *settings, int64_t processors, bmf_transit *message,
                                              int64_t count)
{
    bmf_network *network = make(settings, processors);
    carry(network, message, count);
    network->type->destroy(network);
    return last_arrival(message, count);
}

__attribute__((unused)) static double one(const char *settings, int64_t processors, int64_t from, int64_t to,
                                          int64_t bytes)
{
    bmf_transit message = message_of(from, to, bytes, 0.0);
    return carried(settings, processors, &message, 1);
}

__attribute__((unused)) static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%.15g, not %.15g", value, expected);
}

/* What random messages travel through: a fat tree and a mesh. */
__attribute__((unused)) static const char *const references[] = {
    "topology = \"fat-tree\"; size = [2, 2, 3]; growth = 1.7; bandwidth_mb_per_s = 1.0; latency_us = 40;",
    "topology = \"mesh\"; size = [3, 4]; bandwidth_mb_per_s = 1.0;",
};
__attribute__((unused)) static const struct {
    const char *name;
    int sizes;
    int64_t size[3];
    double growth, latency;
} reference_graphs[] = {{"fat-tree", 3, {2, 2, 3}, 1.7, 40e-6}, {"mesh", 2, {3, 4}, NAN, 0.0}};

__attribute__((unused)) static bmf_graph *reference_graph(int which)
{
    bmf_graph *graph;
    int topology = 0;
    while (strcmp(graph_topologies[topology], reference_graphs[which].name) != 0)
        topology++;
    assert_int_equal(graph_build(topology, reference_graphs[which].sizes, reference_graphs[which].size,
                                 reference_graphs[which].growth, &graph),
                     BMF_OK);
    return graph;
}

/* in_step: at times and of sizes that let messages start and end together. */
__attribute__((unused)) static int64_t random_messages(uint64_t *seed, bmf_transit *message, int64_t processors,
                                                       int64_t count, bool in_step)
{
    double sent = 0.0;
    for (int64_t k = 0; k < count; k++) {
        int64_t from = test_below(seed, processors), to = (from + 1 + test_below(seed, processors - 1)) % processors;
        double pause = in_step ? 1e-3 : 1e-3 * random_unit(seed);
        int64_t bytes = in_step ? 500 * (1 + test_below(seed, 3)) : 1 + test_below(seed, 2000);
        sent += test_below(seed, 3) == 0 ? pause : 0.0;
        message[k] = message_of(from, to, bytes, sent);
    }
    return count;
}

#endif
