/* Networks of links: document 000's two examples, closed forms of every mode, and random messages against a reference
 * that is slow and plain: intervals that are never merged or dropped. More of the mode fluid: network_fluid.c;
 * time-lines by themselves: timeline.c.
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
#include "runtime/schedule/algorithms.h"

static const char *node_file = "unit_network_graph.net";

/* ---- closed forms ---- */

#define MESH "topology = \"mesh\"; size = [4, 4]; bandwidth_mb_per_s = 1.0; latency_us = 3;"

static void single_messages(void **state)
{
    (void)state;
    /* from corner to corner 6 links, 1000 bytes of 1 us */
    near(one(MESH, 16, 0, 15, 1000), 6 * (1000e-6 + 3e-6));
    near(one(MESH "mode = \"cut-through\";", 16, 0, 15, 1000), 6 * 3e-6 + 1000e-6);
    near(one(MESH "mode = \"fluid\";", 16, 0, 15, 1000), 6 * 3e-6 + 1000e-6);
    near(one(MESH, 16, 0, 15, 0), 6 * 3e-6);
    near(one(MESH "mode = \"fluid\";", 16, 0, 15, 0), 6 * 3e-6);
    bmf_transit message = message_of(0, 1, 1000, 0.5);
    near(carried(MESH "send_us = 7; send_us_per_byte = 0.5; receive_us = 11; receive_us_per_byte = 0.25;", 16, &message,
                 1),
         0.5 + 507e-6 + 1003e-6);
    near(message.sender_free, 0.5 + 507e-6);
    near(message.send_done, 0.5 + 507e-6 + 1000e-6);
    near(message.receive_overhead, 261e-6);
    message = message_of(0, 1, 1000, 0.5);
    carried(MESH "send_us = 7; buffered = true;", 16, &message, 1);
    near(message.send_done, 0.5 + 7e-6);
}

/* Document 000's figure 6-1: weights 1, 3, 3, 1 on the way from 0 to 3. Nothing overtakes its own bytes. */
static void unequal_links(void **state)
{
    (void)state;
    FILE *file = fopen(node_file, "w");
    assert_non_null(file);
    fputs("7\n0 4 1 -1\n1 4 1 -1\n2 5 1 -1\n3 5 1 -1\n4 0 1 1 1 6 3 -1\n5 2 1 3 1 6 3 -1\n6 4 3 5 3 -1\n", file);
    fclose(file);
#define TREE "file = \"unit_network_graph.net\"; bandwidth_mb_per_s = 1e-06; latency_us = 1e6;"
    near(one(TREE, 4, 0, 3, 6), 6 + 2 + 2 + 6 + 4);
    near(one(TREE "mode = \"cut-through\";", 4, 0, 3, 6), 6 + 4);
    near(one(TREE "mode = \"fluid\";", 4, 0, 3, 6), 6 + 4);
    unlink(node_file);
}

static int64_t all_to_all(bmf_transit *message, int64_t processors, int64_t bytes)
{
    int64_t count = 0;
    for (int64_t from = 0; from < processors; from++)
        for (int64_t k = 1; k < processors; k++)
            message[count++] = message_of(from, (from + k) % processors, bytes, 0.0);
    return count;
}

static int64_t shifted(bmf_transit *message, int64_t processors, int64_t by, int64_t bytes)
{
    for (int64_t from = 0; from < processors; from++)
        message[from] = message_of(from, (from + by) % processors, bytes, 0.0);
    return processors;
}

static void patterns(void **state)
{
    (void)state;
    bmf_transit message[MAX];
    /* all to all on a crossbar, partners in turn: nobody is in anybody's way, (P - 1) messages one after the other */
    int64_t count = all_to_all(message, 8, 500);
    near(carried("topology = \"crossbar\"; bandwidth_mb_per_s = 1.0; latency_us = 2;", 8, message, count),
         7 * 500e-6 + 2 * 2e-6);
    count = all_to_all(message, 8, 500);
    near(carried("topology = \"crossbar\"; bandwidth_mb_per_s = 1.0; latency_us = 2; mode = \"fluid\";", 8, message,
                 count),
         7 * 500e-6 + 2 * 2e-6);
    /* a bus carries everything one after the other */
    count = all_to_all(message, 8, 500);
    near(carried("topology = \"bus\"; bandwidth_mb_per_s = 1.0; latency_us = 2;", 8, message, count),
         56 * 500e-6 + 2e-6);
    count = all_to_all(message, 8, 500);
    near(carried("topology = \"bus\"; bandwidth_mb_per_s = 1.0; latency_us = 2; mode = \"fluid\";", 8, message, count),
         56 * 500e-6 + 2e-6);
    /* everybody three further round a ring: every link carries three messages */
#define RING "topology = \"ring\"; bandwidth_mb_per_s = 1.0; latency_us = 2;"
    count = shifted(message, 8, 3, 500);
    near(carried(RING, 8, message, count), 3 * (500e-6 + 2e-6));
    count = shifted(message, 8, 3, 500);
    near(carried(RING "mode = \"fluid\";", 8, message, count), 3 * 500e-6 + 3 * 2e-6);
    /* two that exchange */
    message[0] = message_of(0, 1, 500, 0.0);
    message[1] = message_of(1, 0, 500, 0.0);
    near(carried(RING, 8, message, 2), 502e-6);
    message[0] = message_of(0, 1, 500, 0.0);
    message[1] = message_of(1, 0, 500, 0.0);
    near(carried(RING "duplex = \"half\";", 8, message, 2), 1002e-6);
    /* an omega network passes a shift without conflict, but not everything */
#define OMEGA "topology = \"omega\"; bandwidth_mb_per_s = 1.0; mode = \"cut-through\";"
    count = shifted(message, 8, 1, 500);
    near(carried(OMEGA, 8, message, count), 500e-6);
    message[0] = message_of(0, 2, 500, 0.0); /* both by the upper output of the first switch of the first stage */
    message[1] = message_of(4, 3, 500, 0.0);
    near(carried(OMEGA, 8, message, 2), 1000e-6);
    assert_int_equal(test_failures, 0);
}

/* A binomial broadcast on a hypercube uses only links between neighbours: log2 P messages after each other. */
static void broadcast(void **state)
{
    (void)state;
    bmf_network *network = make("topology = \"hypercube\"; bandwidth_mb_per_s = 1.0; latency_us = 2;", 16);
    bmf_transit message[15];
    double ready[16] = {0.0};
    int64_t complete = 0;
    network->simulator = &complete;
    network->complete = count_complete;
    network->type->start(network, 0);
    for (int64_t step = 8, k = 0; step > 0; step /= 2)
        for (int64_t from = 0; from < 16; from += 2 * step, k++) {
            message[k] = message_of(from, from + step, 500, ready[from]);
            network->type->send(network, &message[k]);
            ready[from + step] = message[k].arrived;
            ready[from] = message[k].send_done + 2e-6; /* sent in step */
        }
    near(last_arrival(message, 15), 4 * 502e-6);
    network->type->destroy(network);
}

/* ---- a reference ---- */

/* Intervals of one link, kept for ever in the order of beginning. */
typedef struct plain_link {
    struct {
        double begin, end;
    } busy[MAX];
    int64_t count;
} plain_link;

static double plain_take(plain_link *link, double from, double seconds)
{
    double begin = from;
    int64_t k = 0;
    for (; k < link->count; k++) {
        if (link->busy[k].end <= begin)
            continue;
        if (begin + seconds <= link->busy[k].begin + 1e-12)
            break;
        begin = link->busy[k].end;
    }
    memmove(&link->busy[k + 1], &link->busy[k], (size_t)(link->count++ - k) * sizeof *link->busy);
    link->busy[k].begin = begin;
    link->busy[k].end = begin + seconds;
    return begin;
}

static void random_occupancy(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < ROUNDS; round++) {
        const int which = round % 2, cut = round / 2 % 2;
        const double latency = reference_graphs[which].latency;
        char settings[TEXT];
        bmf_transit message[MAX];
        bmf_graph *graph = reference_graph(which);
        plain_link *link = allocate_clear(graph->links, sizeof *link);
        int64_t count = random_messages(&seed, message, 12, MAX, round % 8 > 3);
        snprintf(settings, sizeof settings, "%s mode = \"%s\";", references[which],
                 cut ? "cut-through" : "store-and-forward");
        carried(settings, 12, message, count);
        for (int64_t k = 0; k < count; k++) {
            const int32_t *route;
            int64_t hops = graph_route(graph, message[k].from, message[k].to, &route);
            double head = message[k].sent, tail = message[k].sent;
            for (int64_t h = 0; h < hops; h++) {
                double seconds = (double)message[k].bytes / (1e6 * graph->link[route[h]].weight);
                double ready = cut ? fmax(head, tail - seconds) : tail,
                       begin = plain_take(&link[route[h]], ready, seconds);
                head += begin - ready + latency;
                tail = begin + seconds + latency;
            }
            CHECK(fabs(message[k].arrived - tail) < 1e-10, "round %d, message %lld: %.15g, not %.15g", round,
                  (long long)k, message[k].arrived, tail);
        }
        free(link);
        graph_free(graph);
    }
    assert_int_equal(test_failures, 0);
}

/* ---- document 000, 6.4 ---- */

#define DOCUMENT_MESH "topology = \"mesh\"; size = [4, 4]; bandwidth_mb_per_s = 1e-06; buffered = true;"

static int64_t eight_bytes(const void *state, int64_t first, int64_t count)
{
    (void)state;
    (void)first;
    (void)count;
    return 8;
}

/* The messages of one level of the scan over 16 processors, all sent at once. */
static int64_t scan_level(bmf_transit *message, int level)
{
    bmf_schedule *schedule = schedule_create("scan", 0, 16);
    const bmf_group group = {.base = 0, .log2_stride = 0, .count = 16};
    algorithm_scan_levels.generate(schedule, 0, &(bmf_schedule_request){&group, eight_bytes, NULL, NULL});
    const bmf_round *round = &schedule->round[level];
    for (int64_t k = 0; k < round->count; k++)
        message[k] = message_of(round->message[k].from, round->message[k].to, round->message[k].bytes, 0.0);
    int64_t count = round->count;
    schedule_free(schedule);
    return count;
}

/* A binary tree with 16 processors in the document's format; it prints one with 4, whose upper links have weight 3. */
static void write_tree(double upper)
{
    FILE *file = fopen(node_file, "w");
    assert_non_null(file);
    fputs("31\n", file);
    for (int n = 0, level = 0, width = 16; width > 0; level += width, width /= 2)
        for (; n < level + width; n++) {
            fprintf(file, "%d", n);
            for (int k = 0; n > 15 && k < 2; k++)
                fprintf(file, " %d %g", level - 2 * width + 2 * (n - level) + k, width == 8 ? 1.0 : upper);
            if (width > 1)
                fprintf(file, " %d %g", level + width + (n - level) / 2, n < 16 ? 1.0 : upper);
            fputs(" -1\n", file);
        }
    fclose(file);
}

#define DOCUMENT_TREE "file = \"unit_network_graph.net\"; bandwidth_mb_per_s = 1e-06; buffered = true;"

static const double upper_weights[] = {1.0, 3.0};

/* "Three messages arrive later than all the others: 3 to 4, 7 to 8, 11 to 12." */
static void document_scan_first(void **state)
{
    (void)state;
    for (int w = 0; w < 2; w++) {
        bmf_transit message[16];
        double late = INFINITY, others = 0.0;
        write_tree(upper_weights[w]);
        assert_int_equal(scan_level(message, 0), 15);
        carried(DOCUMENT_TREE, 16, message, 15);
        for (int k = 0; k < 15; k++) {
            int64_t from = message[k].from;
            if (from == 3 || from == 7 || from == 11)
                late = fmin(late, message[k].arrived);
            else
                others = fmax(others, message[k].arrived);
        }
        CHECK(late > others, "3 to 4, 7 to 8, 11 to 12 from %g on, the others until %g", late, others);
    }
    unlink(node_file);
    assert_int_equal(test_failures, 0);
}

/* The last level is staggered "due purely to congestion": alone a message passes 2 links of 8 time units and 6 of 8
 * over the upper weight; those to the root carry 8 messages one after the other. */
static void document_scan_last(void **state)
{
    (void)state;
    for (int w = 0; w < 2; w++) {
        bmf_transit message[16];
        bool met[8] = {false};
        const double step = 8.0 / upper_weights[w];
        write_tree(upper_weights[w]);
        assert_int_equal(scan_level(message, 3), 8);
        carried(DOCUMENT_TREE, 16, message, 8);
        for (int k = 0; k < 8; k++) {
            double behind = (message[k].arrived - 2 * 8.0 - 6 * step) / step;
            int place = (int)lround(behind);
            if (CHECK(place >= 0 && place < 8 && fabs(behind - place) < 1e-9, "arrives at %g", message[k].arrived))
                met[place] = true;
        }
        for (int k = 0; k < 8; k++)
            CHECK(met[k], "nobody arrives as number %d", k);
    }
    unlink(node_file);
    assert_int_equal(test_failures, 0);
}

/* All 16 messages cross the root, 8 in each direction; on the mesh they do not meet. */
static void document_reversal(void **state)
{
    (void)state;
    for (int w = 0; w < 2; w++) {
        bmf_transit tree[16], mesh[16];
        const double step = 8.0 / upper_weights[w];
        for (int64_t k = 0; k < 16; k++)
            tree[k] = mesh[k] = message_of(k, 15 - k, 8, 0.0);
        write_tree(upper_weights[w]);
        double on_tree = carried(DOCUMENT_TREE, 16, tree, 16), on_mesh = carried(DOCUMENT_MESH, 16, mesh, 16);
        near(on_tree, 2 * 8.0 + (6 + 7) * step);
        assert_true(on_mesh < on_tree);
    }
    unlink(node_file);
}

/* ---- the rest of the interface ---- */

static void link_loads(void **state)
{
    (void)state;
    bmf_transit message[MAX];
    static const char *const mode[] = {"store-and-forward", "cut-through", "fluid"};
    for (int m = 0; m < 3; m++) {
        char settings[TEXT];
        bmf_link_load *load;
        snprintf(settings, sizeof settings, MESH "mode = \"%s\";", mode[m]);
        bmf_network *network = make(settings, 16);
        int64_t count = all_to_all(message, 16, 10), messages = 0;
        carry(network, message, count);
        int64_t links = network->type->loads(network, &load);
        assert_int_equal(links, 48);
        for (int64_t k = 0; k < links; k++) {
            messages += load[k].messages;
            assert_int_equal(load[k].bytes, 10 * load[k].messages);
            near(load[k].busy, 1e-6 * (double)load[k].bytes);
            assert_float_equal(hypot(load[k].x1 - load[k].x0, load[k].y1 - load[k].y0), 1.0, 0.0);
            assert_int_equal(strncmp(load[k].from, "processor ", 10), 0);
        }
        /* hops between all pairs of a line of 4: 20; in each dimension of 16 x 16 pairs 20 x 16 */
        assert_int_equal(messages, 2 * 20 * 16);
        free(load);
        network->type->destroy(network);
    }
    bmf_link_load *load;
    bmf_network *bus = make("topology = \"bus\"; bandwidth_mb_per_s = 1;", 4);
    bus->type->start(bus, 0);
    assert_int_equal(bus->type->loads(bus, &load), 4); /* joints are no links */
    assert_string_equal(load[2].from, "processor 2");
    assert_string_equal(load[2].to, "switch 4");
    free(load);
    bus->type->destroy(bus);
}

/* A second run of the same network gives the same bits. */
static void repeatable(void **state)
{
    (void)state;
    static const char *const mode[] = {"store-and-forward", "cut-through", "fluid"};
    for (int m = 0; m < 3; m++) {
        char settings[TEXT];
        uint64_t seed = 17, again = 17;
        bmf_transit first[MAX], second[MAX];
        snprintf(settings, sizeof settings, MESH "mode = \"%s\";", mode[m]);
        bmf_network *network = make(settings, 16);
        carry(network, first, random_messages(&seed, first, 16, MAX, false));
        carry(network, second, random_messages(&again, second, 16, MAX, false));
        for (int k = 0; k < MAX; k++)
            assert_memory_equal(&first[k].arrived, &second[k].arrived, sizeof(double));
        network->type->destroy(network);
    }
}

static void described(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    bmf_network *network = make("topology = \"torus\"; size = [8, 4, 8]; bandwidth_mb_per_s = 300.0; latency_us = 0.02;"
                                "mode = \"cut-through\"; duplex = \"half\"; send_us = 3;",
                                256);
    network->type->describe(network, stream);
    fclose(stream);
    assert_string_equal(
        text, "torus 8 x 4 x 8: 256 processors, 1536 links\n"
              "a link of weight 1 carries 300 MB/s, its latency is 0.02 us; both directions of a link share it\n"
              "cut-through: a link carries one message at a time, in the earliest gap that is long enough\n"
              "sending keeps a processor busy for 3 us and 0 us a byte, receiving for 0 us and 0 us a byte\n"
              "a sender's wait ends when the message has left its first link\n");
    free(text);
    network->type->destroy(network);
}

static void wrong_settings(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *message;
    } wrong[] = {
        {"bandwidth_mb_per_s = 1;", "'file' or 'topology' is missing"},
        {"topology = \"mesh\"; size = [4, 4];", "'bandwidth_mb_per_s' is missing"},
        {"topology = \"mesh\"; size = [4, 4]; bandwidth_mb_per_s = -1;",
         "'bandwidth_mb_per_s' must be a number above 0, not -1"},
        {"topology = \"mesh\"; size = [4, 4]; bandwidth_mb_per_s = 1; latency_us = -1;",
         "'latency_us' must be a number of at least 0, not -1"},
        {"topology = \"mesh\"; bandwidth_mb_per_s = 1;", "a mesh needs 'size'"},
        {"topology = \"mesh\"; bandwidth_mb_per_s = 1; size = [2, 2];", "the network has 4 processors, not 16"},
        {"topology = \"mesh\"; bandwidth_mb_per_s = 1; size = (4, 0.5);", "'size' is a whole number or a list of them"},
        {"topology = \"mesh\"; bandwidth_mb_per_s = 1; size = \"4\";", "'size' is a whole number or a list of them"},
        {"topology = \"mesh\"; bandwidth_mb_per_s = 1; size = [];", "'size' has 1 to 24 numbers"},
        {"topology = \"ring\"; bandwidth_mb_per_s = 1; size = [4, 4];",
         "a ring has one size, its number of processors"},
        {"topology = \"omega\"; bandwidth_mb_per_s = 1; size = 20;",
         "an omega has a power of two of processors, not 20"},
        {"topology = \"ring\"; bandwidth_mb_per_s = 1; growth = 2.0;", "'growth' goes with fat trees"},
        {"topology = \"ring\"; bandwidth_mb_per_s = 1; file = \"a.net\";", "'topology' does not go with 'file'"},
        {"topology = \"moebius\"; bandwidth_mb_per_s = 1;",
         "'topology' is mesh, torus, hypercube, binary-tree, fat-tree, ring, "
         "star, bus, crossbar or omega, not 'moebius'"},
        {"topology = \"ring\"; bandwidth_mb_per_s = 1; mode = \"worm\";",
         "'mode' is store-and-forward, cut-through or fluid, not 'worm'"},
        {"topology = \"ring\"; bandwidth_mb_per_s = 1; duplex = \"both\";", "'duplex' is full or half, not 'both'"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[TEXT], message[TEXT];
        bmf_machine *machine;
        snprintf(text, sizeof text, "processors = 16;\nnetwork = { type = \"graph\"; %s };", wrong[k].settings);
        snprintf(message, sizeof message, "graph.machine:2: %s", wrong[k].message);
        int status = machine_parse(text, "graph.machine", &machine);
        assert_true(status == BMF_ERROR_FILE || status == BMF_ERROR_ARGUMENT);
        assert_string_equal(bmf_error_text(NULL), message);
    }
    bmf_machine *machine;
    assert_int_not_equal(machine_parse("network = { type = \"graph\"; file = \"a.net\"; bandwidth_mb_per_s = 1e-06; };",
                                       "graph.machine", &machine),
                         BMF_OK);
    assert_string_equal(bmf_error_text(NULL),
                        "graph.machine:1: 'processors' of the machine must say how many nodes of the "
                        "file are processors");
}

/* Without a size a network grows with what is asked for. */
static void growing(void **state)
{
    (void)state;
    bmf_machine *machine;
    assert_int_equal(
        machine_parse("network = { type = \"graph\"; topology = \"hypercube\"; bandwidth_mb_per_s = 1e-06; };",
                      "graph.machine", &machine),
        BMF_OK);
    for (int64_t p = 1; p <= 1000; p = 3 * p + 1) {
        bmf_network *network;
        char *text;
        size_t size;
        int64_t min = 1;
        int dimensions = 0;
        for (; min < p; min *= 2)
            dimensions++;
        assert_int_equal(machine_network(machine, p, &network), BMF_OK);
        FILE *stream = open_memstream(&text, &size);
        network->type->describe(network, stream);
        fclose(stream);
        char expected[TEXT];
        snprintf(expected, sizeof expected, ": %lld processors, %lld links\n", (long long)min,
                 (long long)min * dimensions);
        assert_non_null(strstr(text, expected));
        free(text);
        network->type->destroy(network);
    }
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_messages),
        cmocka_unit_test(unequal_links),
        cmocka_unit_test(patterns),
        cmocka_unit_test(broadcast),
        cmocka_unit_test(random_occupancy),
        cmocka_unit_test(document_scan_first),
        cmocka_unit_test(document_scan_last),
        cmocka_unit_test(document_reversal),
        cmocka_unit_test(link_loads),
        cmocka_unit_test(repeatable),
        cmocka_unit_test(described),
        cmocka_unit_test(wrong_settings),
        cmocka_unit_test(growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
