/* Routing in two passes: even splits of graphs against counting, every permutation of ports in two iterations, and the
 * rounds of records made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "permute/gf2.h"
#include "predict/network/edge_split.h"
#include "predict/network/record_rounds.h"
#include "predict/network/two_passes.h"
#include "runtime/base/allocate.h"

/* Of every node's edges each part has as many as any other, or one more. */
static void check_even(const int64_t *edges_of, const int64_t *in_part, int64_t nodes, int64_t parts)
{
    for (int64_t n = 0; n < nodes; n++)
        for (int64_t p = 0; p < parts; p++) {
            const int64_t has = in_part[n * parts + p];
            assert_true(has >= edges_of[n] / parts && has <= (edges_of[n] + parts - 1) / parts);
        }
}

static void try_split(uint64_t *seed, int32_t lefts, int32_t rights, int64_t edges, int64_t parts)
{
    bmf_edge *edge = allocate_array(edges, (int64_t)sizeof *edge);
    int64_t *part = allocate_array(edges, (int64_t)sizeof *part);
    int64_t *of[2] = {allocate_clear(lefts, 8), allocate_clear(rights, 8)};
    int64_t *in[2] = {allocate_clear(lefts * parts, 8), allocate_clear(rights * parts, 8)};
    for (int64_t e = 0; e < edges; e++)
        edge[e] = (bmf_edge){(int32_t)test_below(seed, lefts), (int32_t)test_below(seed, rights)};
    edge_split(edge, edges, lefts, rights, parts, part);
    for (int64_t e = 0; e < edges; e++) {
        assert_true(part[e] >= 0 && part[e] < parts);
        of[0][edge[e].left]++;
        of[1][edge[e].right]++;
        in[0][edge[e].left * parts + part[e]]++;
        in[1][edge[e].right * parts + part[e]]++;
    }
    check_even(of[0], in[0], lefts, parts);
    check_even(of[1], in[1], rights, parts);
    free(edge);
    free(part);
    for (int side = 0; side < 2; side++) {
        free(of[side]);
        free(in[side]);
    }
}

static void graphs_are_split_evenly(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int times = 0; times < 400; times++)
        try_split(&seed, 1 + (int32_t)test_below(&seed, 9), 1 + (int32_t)test_below(&seed, 9), test_below(&seed, 200),
                  INT64_C(1) << test_below(&seed, 6));
    try_split(&seed, 1, 1, 0, 8);
}

static void shuffle(uint64_t *seed, int64_t *to, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t other = test_below(seed, k + 1);
        to[k] = to[other];
        to[other] = k;
    }
}

static int64_t iterations(bmf_edn *edn, const int64_t *from, const int64_t *to, int64_t ports)
{
    edn_clear(edn);
    for (int64_t p = 0; p < ports; p++)
        edn_route(edn, from ? from[p] : p, to[p]);
    return edn_iterations(edn);
}

static void every_permutation_takes_two_iterations(void **state)
{
    static const bmf_edn_shape shape[] = {{128, 64, 16, 4}, {256, 64, 16, 4}, {16, 8, 4, 2}, {16, 4, 4, 1},
                                          {64, 8, 8, 1},    {32, 32, 8, 4},   {8, 4, 2, 2},  {1, 1, 1, 1}};
    uint64_t seed = 12;
    int64_t to[256], between[256], slower = 0;
    (void)state;
    for (size_t n = 0; n < sizeof shape / sizeof *shape; n++) {
        const int64_t ports = shape[n].ports;
        bmf_edn *edn = edn_create(&shape[n]);
        assert_true(two_passes_fit(&shape[n]));
        for (int times = 0; times < 100; times++) {
            char met[256] = {0};
            shuffle(&seed, to, ports);
            two_passes_find(&shape[n], to, between);
            for (int64_t p = 0; p < ports; p++)
                assert_int_equal(met[between[p]]++, 0);
            assert_int_equal(iterations(edn, NULL, between, ports), 1);
            assert_int_equal(iterations(edn, between, to, ports), 1);
            slower += iterations(edn, NULL, to, ports) > 1;
        }
        edn_free(edn);
    }
    assert_true(slower > 100);
    assert_false(two_passes_fit(&(bmf_edn_shape){128, 64, 8, 4})); /* wires for half of the inputs */
    assert_false(two_passes_fit(&(bmf_edn_shape){24, 12, 12, 1})); /* no powers of two */
    assert_false(two_passes_fit(&(bmf_edn_shape){16, 2, 16, 16})); /* no port for a hyperbar and a bucket */
}

/* Every record comes to its target over one intermediate processor; every pass is one iteration. */
static void expect_passes(const bmf_permutation *p, bmf_record_method method, const bmf_edn_place *place)
{
    enum { PROCESSOR_BITS = 6, PORTS = 16 };
    const int m = p->bits - PROCESSOR_BITS;
    bmf_record_rounds r;
    bmf_message first[PORTS], second[PORTS];
    int64_t from[PORTS], to[PORTS];
    assert_int_equal(record_rounds_make(p, PROCESSOR_BITS, method, place, &r), BMF_OK);
    assert_int_equal(r.records, PORTS);
    assert_int_equal(r.rounds * PORTS, INT64_C(2) << p->bits);
    char *seen = allocate_clear(INT64_C(1) << p->bits, 1);
    bmf_edn *edn = edn_create(&place->shape);
    for (int64_t k = 0; k < r.rounds; k += 2) {
        record_round(&r, k, 8, first);
        record_round(&r, k + 1, 8, second);
        for (int64_t i = 0; i < PORTS; i++) {
            int64_t next = 0;
            while (next < PORTS && second[next].from != first[i].to)
                next++;
            assert_true(next < PORTS && second[next].first == first[i].first);
            const uint64_t x = (uint64_t)first[i].from << m | (uint64_t)first[i].first;
            assert_int_equal(second[next].to, bmf_permutation_apply(p, x) >> m);
            assert_int_equal(seen[x]++, 0);
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = 0; i < PORTS; i++) {
                const bmf_message *message = pass ? &second[i] : &first[i];
                from[i] = edn_port_of(place, (uint64_t)message->from);
                to[i] = edn_port_of(place, (uint64_t)message->to);
            }
            assert_int_equal(iterations(edn, from, to, PORTS), 1);
        }
    }
    edn_free(edn);
    free(seen);
    record_rounds_free(&r);
}

static void records_in_two_passes(void **state)
{
    bmf_edn_place place = {.shape = {16, 8, 4, 2}, .processors_per_port = 4};
    uint64_t seed = 13;
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++) {
        place.bits = matrix ? 6 : 0;
        edn_matrix_order(6, 2, place.place);
        for (int bits = 6; bits <= 10; bits++)
            for (int times = 0; times < 10; times++) {
                bmf_permutation p = {.bits = bits};
                bmf_bit_matrix_random(bits, &seed, &p.matrix);
                p.complement = random_bits(&seed) & low_bits(bits);
                expect_passes(&p, BMF_RECORDS_TWO_PASS, &place);
                expect_passes(&p, BMF_RECORDS_COLOURED, &place);
            }
    }
    bmf_permutation p;
    bmf_record_rounds r;
    bmf_permutation_bit_reversal(6, &p);
    assert_int_equal(record_rounds_make(&p, 5, BMF_RECORDS_COLOURED, &place, &r), BMF_ERROR_ARGUMENT);
    place.shape.capacity = 1;
    assert_int_equal(record_rounds_make(&p, 6, BMF_RECORDS_TWO_PASS, &place, &r), BMF_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_are_split_evenly),
                                       cmocka_unit_test(every_permutation_takes_two_iterations),
                                       cmocka_unit_test(records_in_two_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
