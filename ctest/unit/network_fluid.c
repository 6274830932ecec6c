/* Links that are shared max-min fairly: the table of replays by another simulator (half-duplex links), cases with known
 * times, and random flows against rates that are found from scratch for all flows at every event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/links.h"
#include "runtime/base/allocate.h"

static const char *node_file = "unit_network_fluid.net";

/* ---- known times ---- */

#define SMPI "topology = \"star\"; bandwidth_mb_per_s = 1000.0; latency_us = 5; duplex = \"half\"; mode = \"fluid\";"

static void replays(void **state)
{
    (void)state;
    bmf_transit message[5];
    near(one(SMPI, 5, 1, 0, 100000000), 0.100010);
    for (int k = 0; k < 4; k++)
        message[k] = message_of(k + 1, 0, 100000000, 0.0);
    near(carried(SMPI, 5, message, 4), 0.400010);
    for (int k = 0; k < 5; k++)
        message[k] = message_of(k, (k + 1) % 5, 100000000, 0.0);
    near(carried(SMPI, 5, message, 5), 0.200010);
    near(one(SMPI, 5, 1, 0, 60000), 0.000070);
    for (int n = 1; n <= 5; n++) { /* n flows on one link */
        for (int k = 0; k < n; k++)
            message[k] = message_of(0, 1, 1000000, 0.0);
        near(carried(SMPI, 5, message, n), n * 1e-3 + 10e-6);
    }
}

/* Links of 1 and 2 bytes a second after each other; flows over the first (of 1 byte), both (1) and the second (4.5).
 * The first link gives 1/2 to each of its two until 2, the second its other 3/2 to the third flow, which then gets all
 * 2. */
static void two_bottlenecks(void **state)
{
    (void)state;
    FILE *file = fopen(node_file, "w");
    assert_non_null(file);
    fputs("3\n0 1 1 -1\n1 0 1 2 2 -1\n2 1 2 -1\n", file);
    fclose(file);
    bmf_transit message[3] = {message_of(0, 1, 100, 0.0), message_of(0, 2, 100, 0.0), message_of(1, 2, 450, 0.0)};
    carried("file = \"unit_network_fluid.net\"; bandwidth_mb_per_s = 0.0001; mode = \"fluid\";", 3, message, 3);
    unlink(node_file);
    near(message[0].arrived, 2.0);
    near(message[1].arrived, 2.0);
    near(message[2].arrived, 2.75);
}

/* A flow that comes later: alone, 1/2 each, alone. 300 bytes from 0, 100 from 1, 100 a second: 1 + 2 + 1. */
static void late_flow(void **state)
{
    (void)state;
    bmf_transit message[2] = {message_of(0, 1, 300, 0.0), message_of(0, 1, 100, 1.0)};
    carried("topology = \"ring\"; bandwidth_mb_per_s = 0.0001; mode = \"fluid\";", 4, message, 2);
    near(message[0].arrived, 4.0);
    near(message[1].arrived, 3.0);
}

/* ---- a reference ---- */

typedef struct plain_flow {
    double start, left, rate;
    int64_t hops;
    int32_t route[16];
    bool over;
} plain_flow;

/* Rates of all flows under way, from scratch: all grow together until a link is full, whose flows then stay. */
static void plain_rates(const bmf_graph *graph, double bandwidth, plain_flow *flow, int64_t count, double now)
{
    bool fixed[MAX];
    double *left = allocate(graph->links * (int64_t)sizeof *left);
    for (int64_t l = 0; l < graph->links; l++)
        left[l] = graph->link[l].weight * bandwidth;
    for (int64_t k = 0; k < count; k++) {
        flow[k].rate = 0.0;
        fixed[k] = flow[k].over || flow[k].start > now;
    }
    for (;;) {
        double min = INFINITY;
        int64_t full = -1;
        for (int64_t l = 0; l < graph->links; l++) {
            int64_t open = 0;
            for (int64_t k = 0; k < count; k++)
                for (int64_t h = 0; !fixed[k] && h < flow[k].hops; h++)
                    open += flow[k].route[h] == l;
            if (open > 0 && left[l] / (double)open < min) {
                min = left[l] / (double)open;
                full = l;
            }
        }
        if (full < 0)
            break;
        for (int64_t k = 0; k < count; k++) {
            bool passes = false;
            for (int64_t h = 0; !fixed[k] && h < flow[k].hops; h++)
                passes = passes || flow[k].route[h] == full;
            if (!passes)
                continue;
            fixed[k] = true;
            flow[k].rate = min;
            for (int64_t h = 0; h < flow[k].hops; h++)
                left[flow[k].route[h]] -= min;
        }
    }
    free(left);
}

/* When each flow ends. */
static void plain_fluid(const bmf_graph *graph, double bandwidth, plain_flow *flow, int64_t count, double *end)
{
    double now = 0.0;
    for (int64_t over = 0; over < count;) {
        plain_rates(graph, bandwidth, flow, count, now);
        double next = INFINITY;
        for (int64_t k = 0; k < count; k++) {
            if (!flow[k].over && flow[k].start > now)
                next = fmin(next, flow[k].start);
            if (!flow[k].over && flow[k].rate > 0.0)
                next = fmin(next, now + flow[k].left / flow[k].rate);
        }
        for (int64_t k = 0; k < count; k++) {
            if (flow[k].over || flow[k].start > now)
                continue;
            flow[k].left -= flow[k].rate * (next - now);
            if (flow[k].left > 1e-6) /* of bytes */
                continue;
            flow[k].over = true;
            end[k] = next;
            over++;
        }
        now = next;
    }
}

static void random_flows(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < ROUNDS; round++) {
        const int which = round % 2;
        char settings[TEXT];
        bmf_transit message[60];
        plain_flow flow[60] = {0};
        double end[60];
        bmf_graph *graph = reference_graph(which);
        int64_t count = random_messages(&seed, message, 12, 10 + test_below(&seed, 50), round % 4 > 1);
        for (int64_t k = 0; k < count; k++) {
            const int32_t *route;
            flow[k].hops = graph_route(graph, message[k].from, message[k].to, &route);
            memcpy(flow[k].route, route, (size_t)flow[k].hops * sizeof *route);
            flow[k].start = message[k].sent + (double)flow[k].hops * reference_graphs[which].latency;
            flow[k].left = (double)message[k].bytes;
        }
        plain_fluid(graph, 1e6, flow, count, end);
        snprintf(settings, sizeof settings, "%s mode = \"fluid\";", references[which]);
        carried(settings, 12, message, count);
        for (int64_t k = 0; k < count; k++)
            CHECK(fabs(message[k].arrived - end[k]) < 1e-8 * end[k] + 1e-11, "round %d, flow %lld: %.15g, not %.15g",
                  round, (long long)k, message[k].arrived, end[k]);
        graph_free(graph);
    }
    assert_int_equal(test_failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays),
        cmocka_unit_test(two_bottlenecks),
        cmocka_unit_test(late_flow),
        cmocka_unit_test(random_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
