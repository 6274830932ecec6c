/* The expanded delta network: the document's processor numbers, router counts and port serialisation (document 003,
 * 3.3 and 5.1), rounds against the definition of a passable set, and the network in lockstep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "permute/gf2.h"
#include "predict/machine/machine.h"
#include "predict/network/record_rounds.h"
#include "runtime/base/allocate.h"

static const bmf_edn_shape of_128 = {128, 64, 16, 4}, of_256 = {256, 64, 16, 4};

/* ---- numbers of processors ---- */

/* Document 003, 3.3: pi for 2048 processors; figure 3.4 (a), the first rows, the ends of the first and last. */
static void the_documents_orders(void **state)
{
    static const int pi[] = {0, 1, 4, 6, 8, 10, 2, 3, 5, 7, 9};
    static const uint64_t row[4][8] = {{0, 1, 2, 3, 16, 17, 18, 19},
                                       {4, 5, 6, 7, 20, 21, 22, 23},
                                       {8, 9, 10, 11, 24, 25, 26, 27},
                                       {12, 13, 14, 15, 28, 29, 30, 31}};
    int place[BMF_MAX_BITS];
    (void)state;
    edn_matrix_order(11, 4, place);
    assert_memory_equal(place, pi, sizeof pi);
    for (uint64_t i = 0; i < 4; i++)
        for (uint64_t j = 0; j < 8; j++)
            assert_int_equal(edn_move_bits(place, 11, 64 * i + j), row[i][j]);
    assert_int_equal(edn_move_bits(place, 11, 63), 1363);
    assert_int_equal(edn_move_bits(place, 11, 64 * 31), 684);
    assert_int_equal(edn_move_bits(place, 11, 2047), 2047);
}

/* Figure 3.4 (b), counted from 0: clusters of the 16 x 8 array, its first two rows and its last one. */
static void the_documents_clusters(void **state)
{
    static const uint64_t first[] = {0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85};
    static const uint64_t last[] = {42, 43, 46, 47, 58, 59, 62, 63, 106, 107, 110, 111, 122, 123, 126, 127};
    int place[BMF_MAX_BITS];
    (void)state;
    edn_matrix_order(11, 4, place);
    for (uint64_t k = 0; k < 16; k++) {
        assert_int_equal(edn_move_bits(place, 11, 4 * k) / 16, first[k]);
        assert_int_equal(edn_move_bits(place, 11, 64 * 4 + 4 * k) / 16, first[k] + 2);
        assert_int_equal(edn_move_bits(place, 11, 64 * 28 + 4 * k) / 16, last[k]);
    }
}

static void every_order_is_a_permutation(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 20; bits++)
        for (int cluster = 0; cluster <= bits; cluster++) {
            int place[BMF_MAX_BITS];
            uint64_t seen = 0;
            edn_matrix_order(bits, cluster, place);
            for (int j = 0; j < bits; j++)
                seen |= UINT64_C(1) << place[j];
            assert_int_equal(seen, low_bits(bits));
        }
}

/* ---- the router, against its definition ---- */

enum { MESSAGES = 300, PORTS = 32 };

/* Iteration by iteration: the waiting messages in order, each passes if its wires have room. */
static void route_by_definition(const bmf_edn_shape *s, const int64_t *from, const int64_t *to, int64_t *iteration)
{
    const int64_t hyperbars = s->ports / s->inputs;
    for (int k = 0; k < MESSAGES; k++)
        iteration[k] = -1;
    for (int64_t t = 0, left = MESSAGES; left > 0; t++) {
        int64_t in[PORTS] = {0}, out[PORTS] = {0}, thick[PORTS][PORTS] = {{0}};
        for (int k = 0; k < MESSAGES; k++) {
            int64_t *wire = &thick[from[k] % hyperbars][to[k] / (s->ports / s->buckets)];
            if (iteration[k] >= 0 || in[from[k]] || out[to[k]] || *wire == s->capacity)
                continue;
            in[from[k]] = out[to[k]] = 1;
            ++*wire;
            iteration[k] = t;
            left--;
        }
    }
}

static void routes_as_defined(void **state)
{
    static const bmf_edn_shape shape[] = {
        {PORTS, 8, 4, 2}, {PORTS, 32, 32, 1}, {PORTS, 1, 1, 3}, {6, 2, 3, 1}, {1, 1, 1, 1}};
    uint64_t seed = 7;
    (void)state;
    for (size_t n = 0; n < sizeof shape / sizeof *shape; n++) {
        bmf_edn *edn = edn_create(&shape[n]);
        for (int times = 0; times < 20; times++) {
            int64_t from[MESSAGES], to[MESSAGES], wanted[MESSAGES], last = 0;
            const int64_t hot = times % 4 == 0 ? 1 : shape[n].ports; /* all into one port, too */
            edn_clear(edn);
            for (int k = 0; k < MESSAGES; k++) {
                from[k] = test_below(&seed, shape[n].ports);
                to[k] = test_below(&seed, hot);
            }
            route_by_definition(&shape[n], from, to, wanted);
            for (int k = 0; k < MESSAGES; k++) {
                assert_int_equal(edn_route(edn, from[k], to[k]), wanted[k]);
                last = wanted[k] > last ? wanted[k] : last;
            }
            assert_int_equal(edn_iterations(edn), last + 1);
            assert_true(edn_bound(edn) <= last + 1 && edn_serialisation(edn) <= edn_bound(edn));
        }
        edn_free(edn);
    }
}

/* ---- more stages ---- */

/* A switch of 16 ports as figure 3.2 has, written down by hand: hyperbar and bucket of each stage for a message. Stage
 * 1: 4 hyperbars of 4 inputs, 2 buckets of capacity 2. Stage 2, in each half: 8 wires' worth at 2 hyperbars of 4, 2
 * buckets of capacity 2. Stage 3, in each quarter: 4 at 1 hyperbar, 4 buckets of capacity 1: its ports. */
static void three_stages(void **state)
{
    enum { PORTS_OF_16 = 16, COUNT = 40 };
    static const bmf_edn_shape shape = {16, 4, 2, 2};
    static const bmf_edn_stage further[] = {{4, 2, 2}, {4, 4, 1}};
    uint64_t seed = 21;
    (void)state;
    bmf_edn *edn = edn_create_stages(&shape, further, 2);
    assert_null(edn_stage_fault(&shape, further, 0));
    assert_null(edn_stage_fault(&shape, further, 1));
    for (int times = 0; times < 200; times++) {
        int64_t from[COUNT], to[COUNT], wanted[COUNT];
        for (int k = 0; k < COUNT; k++) {
            from[k] = test_below(&seed, PORTS_OF_16);
            to[k] = test_below(&seed, PORTS_OF_16);
            wanted[k] = -1;
        }
        for (int64_t t = 0, left = COUNT; left > 0; t++) {
            int in[16] = {0}, out[16] = {0}, one[4][2] = {{0}}, two[2][2][2] = {{{0}}}, three[4][4] = {{0}};
            for (int k = 0; k < COUNT; k++) {
                const int64_t half = to[k] / 8, quarter = to[k] / 4;
                int *first = &one[from[k] % 4][half], *second = &two[half][from[k] % 4 % 2][quarter % 2],
                    *third = &three[quarter][to[k] % 4];
                if (wanted[k] >= 0 || in[from[k]] || out[to[k]] || *first == 2 || *second == 2 || *third == 1)
                    continue;
                in[from[k]] = out[to[k]] = 1;
                ++*first;
                ++*second;
                ++*third;
                wanted[k] = t;
                left--;
            }
        }
        edn_clear(edn);
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(edn_route(edn, from[k], to[k]), wanted[k]);
        assert_true(edn_bound(edn) <= edn_iterations(edn));
    }
    edn_free(edn);
}

/* ---- router counts of figure 5.1 ---- */

/* Affine maps of ports: the load of every used thick wire is the same power of two, and the count is load / K. */
static int64_t count_affine(bmf_edn *edn, const bmf_edn_shape *shape, const bmf_bit_matrix *a, uint64_t c)
{
    int64_t max = 0;
    edn_clear(edn);
    for (int64_t k = 0; k < shape->ports; k++)
        edn_route(edn, k, (int64_t)(bmf_bit_matrix_apply(a, (uint64_t)k) ^ c));
    for (int64_t h = 0; h < shape->ports / shape->inputs; h++)
        for (int64_t b = 0; b < shape->buckets; b++) {
            const int64_t load = edn_wire_load(edn, h, b);
            max = load > max ? load : max;
            assert_true((load & (load - 1)) == 0);
        }
    for (int64_t h = 0; h < shape->ports / shape->inputs; h++)
        for (int64_t b = 0; b < shape->buckets; b++)
            assert_true(edn_wire_load(edn, h, b) == 0 || edn_wire_load(edn, h, b) == max);
    const int64_t wanted = max / shape->capacity > 1 ? max / shape->capacity : 1;
    assert_int_equal(edn_iterations(edn), wanted);
    return wanted;
}

static void expect_counts(const bmf_edn_shape *shape, const double noted[3], const double published[3])
{
    enum { MATRICES = 20000 };
    const int bits = __builtin_ctzll((uint64_t)shape->ports);
    bmf_edn *edn = edn_create(shape);
    int64_t times[5] = {0};
    uint64_t seed = 2024;
    for (int k = 0; k < MATRICES; k++) {
        bmf_bit_matrix a;
        bmf_bit_matrix_random(bits, &seed, &a);
        const int64_t count = count_affine(edn, shape, &a, random_bits(&seed) & low_bits(bits));
        assert_in_range(count, 1, 4);
        times[count]++;
    }
    for (int k = 0; k < 3; k++) {
        const double percent = 100.0 * (double)times[1 << k] / MATRICES;
        assert_true(fabs(percent - noted[k]) < 1.0 && fabs(percent - published[k]) < 1.0);
    }
    edn_free(edn);
}

static void router_counts(void **state)
{
    (void)state;
    expect_counts(&of_128, (double[]){88.0, 12.0, 0.0}, (double[]){88.1, 11.9, 0.0});
    expect_counts(&of_256, (double[]){82.9, 16.8, 0.33}, (double[]){82.7, 17.0, 0.3});
}

/* ---- port serialisation ---- */

static int64_t rank_of_part(const bmf_bit_matrix *a, int row, int column)
{
    bmf_span span;
    span_clear(&span);
    for (int j = column; j < a->bits; j++)
        span_add(&span, a->column[j] >> row);
    return span.dimension;
}

static void route_round(bmf_edn *edn, const bmf_edn_place *place, const bmf_record_rounds *r, int64_t k,
                        bmf_message *message)
{
    record_round(r, k, 4, message);
    edn_clear(edn);
    for (int64_t i = 0; i < r->records; i++)
        edn_route(edn, edn_port_of(place, (uint64_t)message[i].from), edn_port_of(place, (uint64_t)message[i].to));
}

static bmf_edn_place place_of(const bmf_edn_shape *shape, bool matrix)
{
    bmf_edn_place place = {.shape = *shape, .processors_per_port = 16, .word_bytes = 4};
    if (matrix) {
        place.bits = __builtin_ctzll((uint64_t)shape->ports) + 4;
        edn_matrix_order(place.bits, 4, place.place);
    }
    return place;
}

/* Sets of processors 16, of clusters 1, rows 2^(d - rank) but at least 16; all rounds of a method alike. */
static void expect_serialisation(const bmf_permutation *p, bool matrix)
{
    enum { D = 11, CHECKED = 3 };
    const bmf_edn_place place = place_of(&of_128, matrix);
    bmf_edn *edn = edn_create(&of_128);
    bmf_message message[1 << D];
    for (int method = 0; method <= BMF_RECORDS_CLUSTERS; method++) {
        bmf_record_rounds r;
        int64_t count = 0;
        assert_int_equal(record_rounds_make(p, D, (bmf_record_method)method, &place, &r), BMF_OK);
        for (int64_t n = 0; n < CHECKED; n++) {
            int64_t wanted = method == BMF_RECORDS_SETS ? 16 : 1;
            route_round(edn, &place, &r, n * (r.rounds - 1) / (CHECKED - 1), message);
            if (method == BMF_RECORDS_ROWS) {
                bmf_bit_matrix g = {.bits = p->bits};
                for (int j = 0; j < p->bits; j++) /* clusters of the targets, the senders' bits as they are */
                    g.column[j] = edn_place_of(&place, p->matrix.column[j] >> (p->bits - D));
                wanted = INT64_C(1) << (D - rank_of_part(&g, 4, p->bits - D));
                wanted = wanted < 16 ? 16 : wanted;
            }
            assert_int_equal(edn_serialisation(edn), wanted);
            assert_true(n == 0 || edn_iterations(edn) == count);
            count = edn_iterations(edn);
        }
    }
    edn_free(edn);
}

static void serialisation(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++)
        for (int m = 0; m <= 10; m++) {
            bmf_permutation p;
            bmf_permutation_identity(11 + m, &p);
            expect_serialisation(&p, matrix);
            bmf_permutation_rotation(11 + m, 11, &p);
            expect_serialisation(&p, matrix);
            bmf_bit_matrix_random(11 + m, &seed, &p.matrix);
            p.complement = random_bits(&seed) & low_bits(p.bits);
            expect_serialisation(&p, matrix);
        }
}

/* Document 003, 5.1: the identity needs 16 iterations a row; a transposition sends a row to few clusters. */
static void rows_of_document(void **state)
{
    static const int64_t wanted[2][11] = {{16, 32, 64, 128, 256, 512, 1024, 2048, 2048, 2048, 2048},
                                          {16, 32, 64, 128, 128, 128, 256, 512, 1024, 2048, 2048}};
    bmf_edn *edn = edn_create(&of_128);
    bmf_message message[2048];
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++)
        for (int m = 0; m <= 10; m++) {
            const bmf_edn_place place = place_of(&of_128, matrix);
            bmf_permutation p;
            bmf_record_rounds r;
            bmf_permutation_identity(11 + m, &p);
            assert_int_equal(record_rounds_make(&p, 11, BMF_RECORDS_ROWS, &place, &r), BMF_OK);
            route_round(edn, &place, &r, 0, message);
            assert_int_equal(edn_iterations(edn), 16);
            bmf_permutation_rotation(11 + m, 11, &p);
            assert_int_equal(record_rounds_make(&p, 11, BMF_RECORDS_ROWS, &place, &r), BMF_OK);
            route_round(edn, &place, &r, 0, message);
            assert_int_equal(edn_iterations(edn), wanted[matrix][m]);
        }
    edn_free(edn);
}

/* ---- rounds of records ---- */

/* Every record is in one round, at its place; in a round no device sends or receives two (rows: none sends two). */
static void expect_rounds(const bmf_permutation *p, int processor_bits, bmf_record_method method,
                          const bmf_edn_place *place)
{
    const int m = p->bits - processor_bits;
    bmf_record_rounds r;
    assert_int_equal(record_rounds_make(p, processor_bits, method, place, &r), BMF_OK);
    bmf_message *message = allocate(r.records * (int64_t)sizeof *message);
    char *seen = allocate_clear(INT64_C(1) << p->bits, 1);
    for (int64_t k = 0; k < r.rounds; k++) {
        char sends[64] = {0}, receives[64] = {0};
        record_round(&r, k, 8, message);
        for (int64_t i = 0; i < r.records; i++) {
            const uint64_t x = (uint64_t)message[i].from << m | (uint64_t)message[i].first;
            const bool clusters = method == BMF_RECORDS_CLUSTERS;
            const int64_t from = clusters ? edn_port_of(place, (uint64_t)message[i].from) : message[i].from;
            const int64_t to = clusters ? edn_port_of(place, (uint64_t)message[i].to) : message[i].to;
            assert_int_equal(message[i].to, bmf_permutation_apply(p, x) >> m);
            assert_int_equal(message[i].bytes, 8);
            assert_true(i == 0 || message[i - 1].from < message[i].from);
            assert_int_equal(sends[from]++, 0);
            assert_true(receives[to]++ == 0 || method == BMF_RECORDS_ROWS);
            assert_int_equal(seen[x]++, 0);
        }
    }
    assert_int_equal(r.rounds * r.records, INT64_C(1) << p->bits);
    free(seen);
    free(message);
}

static void rounds_of_records(void **state)
{
    bmf_edn_place place = {.shape = {8, 4, 4, 2}, .processors_per_port = 4};
    uint64_t seed = 3;
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++) {
        place.bits = matrix ? 5 : 0;
        edn_matrix_order(5, 2, place.place);
        for (int bits = 5; bits <= 9; bits++)
            for (int times = 0; times < 10; times++) {
                bmf_permutation p = {.bits = bits};
                bmf_bit_matrix_random(bits, &seed, &p.matrix);
                p.complement = random_bits(&seed) & low_bits(bits);
                for (int method = 0; method <= BMF_RECORDS_CLUSTERS; method++)
                    expect_rounds(&p, 5, (bmf_record_method)method, &place);
            }
    }
    place.bits = 0;
    bmf_permutation p;
    bmf_permutation_bit_reversal(6, &p);
    expect_rounds(&p, 1, BMF_RECORDS_CLUSTERS, &place); /* fewer processors than a cluster has */
    expect_rounds(&p, 3, BMF_RECORDS_CLUSTERS, &place);
}

/* ---- the network ---- */

static const char small_machine[] = "processors = 8;\n"
                                    "network = { type = \"edn\"; ports = 4; inputs = 2; buckets = 2; capacity = 1;\n"
                                    "  processors_per_port = 2; iteration_us = 10.0; word_bytes = 4; send_us = 3.0;\n"
                                    "  receive_us = 1.0; };\n";

typedef struct counting {
    int64_t complete;
} counting;

static void told(void *simulator, bmf_transit *message)
{
    counting *c = simulator;
    (void)message;
    c->complete++;
}

static bmf_network *open_network(const char *text, bmf_machine **machine, counting *count)
{
    bmf_network *network;
    assert_int_equal(machine_parse(text, "small.machine", machine), BMF_OK);
    assert_int_equal(machine_network(*machine, 8, &network), BMF_OK);
    network->complete = network->freed = told;
    network->simulator = count;
    network->type->start(network, 0);
    return network;
}

static bmf_transit transit(int64_t from, int64_t to, int64_t bytes, double sent)
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

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

/* Ports 0 and 2 are hyperbar 0's. By hand: 0 -> 7 (port 0 to 3, 2 words) goes first; 5 -> 6 (port 2 to 3) waits for
 * port 3, 1 -> 2 (port 0 to 1) for port 0, and both can go then: one iteration of 2 words, one of 3. */
static void lockstep(void **state)
{
    counting count = {0};
    bmf_machine *machine;
    bmf_network *network = open_network(small_machine, &machine, &count);
    bmf_transit a = transit(0, 7, 8, 1e-6), b = transit(1, 2, 4, 2e-6), c = transit(5, 6, 9, 0.0),
                d = transit(3, 0, 0, 0.0);
    bmf_transit *round[] = {&a, &b, &c};
    (void)state;
    network->type->send_round(network, round, 3);
    assert_int_equal(count.complete, 3);
    NEAR(a.arrived, 2e-6 + 3e-6 + 20e-6);
    NEAR(b.arrived, 2e-6 + 3e-6 + 50e-6);
    NEAR(c.arrived, b.arrived);
    NEAR(a.sender_free, b.arrived);
    NEAR(a.send_done, b.arrived);
    NEAR(a.receive_overhead, 1e-6);
    round[0] = &d; /* begins when the first round has been received; nothing still takes an iteration */
    network->type->send_round(network, round, 1);
    NEAR(d.arrived, b.arrived + 1e-6 + 3e-6 + 10e-6);
    NEAR(network->type->agreement(network, 8), 14e-6);
    NEAR(network->type->agreement(network, 1), 0.0);
    network->type->destroy(network);
    machine_free(machine);
}

static void loads_of_wires(void **state)
{
    counting count = {0};
    bmf_machine *machine;
    bmf_network *network = open_network(small_machine, &machine, &count);
    bmf_transit a = transit(0, 7, 8, 0.0), b = transit(4, 6, 4, 0.0);
    bmf_transit *round[] = {&a, &b};
    bmf_link_load *load;
    int64_t messages[4] = {0};
    (void)state;
    network->type->send_round(network, round, 2);
    const int64_t links = network->type->loads(network, &load);
    assert_int_equal(links, 4 + 2 * 2 + 4);
    for (int64_t k = 0; k < links; k++) {
        const int column = (int)load[k].x0;
        messages[column] += load[k].messages;
        if (strcmp(load[k].from, "hyperbar 0") == 0 && strcmp(load[k].to, "bucket 1") == 0) {
            assert_int_equal(load[k].messages, 2);
            assert_int_equal(load[k].bytes, 12);
            NEAR(load[k].busy, 30e-6);
        }
    }
    for (int column = 0; column < 3; column++)
        assert_int_equal(messages[column], 2);
    free(load);
    network->type->start(network, 0);
    assert_int_equal(network->type->loads(network, &load), links);
    for (int64_t k = 0; k < links; k++)
        assert_int_equal(load[k].messages, 0);
    free(load);
    network->type->destroy(network);
    machine_free(machine);
}

static void expect_refused(const char *network, const char *wanted)
{
    char text[512];
    bmf_machine *machine;
    snprintf(text, sizeof text, "processors = 8;\nnetwork = { type = \"edn\"; %s };\n", network);
    assert_int_not_equal(machine_parse(text, "bad.machine", &machine), BMF_OK);
    if (!strstr(bmf_error_text(NULL), wanted))
        fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), wanted);
}

static void bad_settings(void **state)
{
    (void)state;
    expect_refused("ports = 4; inputs = 3; buckets = 2; capacity = 1; iteration_us = 1.0; processors_per_port = 2;",
                   "bad.machine:2: 4 ports cannot be divided by 3 inputs");
    expect_refused("ports = 4; inputs = 2; buckets = 3; capacity = 1; iteration_us = 1.0; processors_per_port = 2;",
                   "4 ports cannot be divided by 3 buckets");
    expect_refused("ports = 4; inputs = 2; buckets = 2; capacity = 1; processors_per_port = 2;", "iteration_us");
    expect_refused("ports = 4; inputs = 2; buckets = 2; capacity = 1; iteration_us = -1.0; processors_per_port = 2;",
                   "iteration_us");
    expect_refused("ports = 4; inputs = 2; buckets = 2; capacity = 0; iteration_us = 1.0;", "capacity");
    expect_refused("ports = 4; inputs = 2; buckets = 2; capacity = 1; iteration_us = 1.0;",
                   "8 processors do not fit: 4 ports with 1 each");
    expect_refused("ports = 3; inputs = 3; buckets = 3; capacity = 1; iteration_us = 1.0; processors_per_port = 3; "
                   "map = \"matrix\";",
                   "matrix order needs powers of two");
    expect_refused("ports = 4; inputs = 2; buckets = 2; capacity = 1; iteration_us = 1.0; processors_per_port = 2; "
                   "map = \"rows\";",
                   "cluster or matrix");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_documents_orders),
                                       cmocka_unit_test(the_documents_clusters),
                                       cmocka_unit_test(every_order_is_a_permutation),
                                       cmocka_unit_test(routes_as_defined),
                                       cmocka_unit_test(three_stages),
                                       cmocka_unit_test(router_counts),
                                       cmocka_unit_test(serialisation),
                                       cmocka_unit_test(rows_of_document),
                                       cmocka_unit_test(rounds_of_records),
                                       cmocka_unit_test(lockstep),
                                       cmocka_unit_test(loads_of_wires),
                                       cmocka_unit_test(bad_settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
