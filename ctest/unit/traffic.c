/* The algebra between processors against the definition: for every small matrix and number of processors, packing, the
 * rounds and unpacking are followed element by element on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "permute/exchange/boxes.h"
#include "permute/traffic.h"
#include "runtime/data/partition.h"

enum { LARGEST = 1 << 10 };

/* Packs, sends block by block in rounds, unpacks; at every step a place holds the address the element came from. */
static void follow(const bmf_traffic *traffic, uint64_t result[LARGEST])
{
    static uint64_t packed[LARGEST], received[LARGEST];
    int m = traffic->place_bits, block = m - traffic->rank;
    uint64_t P = UINT64_C(1) << traffic->processor_bits, places = UINT64_C(1) << m;
    memset(received, 0xff, sizeof received);
    for (uint64_t s = 0; s < P; s++) {
        bmf_permutation packing = traffic_packing(traffic, s);
        assert_true(traffic->packs || bmf_permutation_classify(&packing) == BMF_CLASS_IDENTITY);
        for (uint64_t z = 0; z < places; z++)
            packed[s << m | bmf_permutation_apply(&packing, z)] = s << m | z;
    }
    for (uint64_t k = 0; k < UINT64_C(1) << traffic->rank; k++) {
        uint64_t heard = 0;
        for (uint64_t s = 0; s < P; s++) {
            uint64_t t = traffic_round_target(traffic, k, s), slot = traffic_slot(traffic, s, t);
            int64_t number = traffic_block(traffic, s, t);
            assert_true(number >= 0);
            assert_int_equal(traffic_target(traffic, s, (uint64_t)number), t);
            assert_int_equal(traffic_round_source(traffic, k, t), s);
            assert_int_equal(traffic_source(traffic, slot, t), s);
            assert_int_equal(heard >> t & 1, 0);
            heard |= UINT64_C(1) << t;
            for (uint64_t j = 0; j < UINT64_C(1) << block; j++) {
                assert_int_equal(received[t << m | slot << block | j], UINT64_MAX);
                received[t << m | slot << block | j] = packed[s << m | (uint64_t)number << block | j];
            }
        }
        assert_int_equal(__builtin_popcountll(heard), P);
    }
    for (uint64_t t = 0; t < P; t++) {
        bmf_permutation unpacking = traffic_unpacking(traffic, t);
        for (uint64_t z = 0; z < places; z++)
            result[t << m | bmf_permutation_apply(&unpacking, z)] = received[t << m | z];
        for (uint64_t j = 0; traffic->direct && j < places; j++)
            assert_int_equal(bmf_permutation_apply(&unpacking, j) ^
                                 bmf_permutation_apply(&unpacking, j >> block << block),
                             j & low_bits(block));
    }
}

/* In source order, elements of a block increase, and the pivots count them. */
static void expect_source_order(const bmf_traffic *traffic)
{
    int block = traffic->place_bits - traffic->rank;
    for (uint64_t z = 0; z < UINT64_C(1) << traffic->place_bits; z++) {
        uint64_t place = bmf_bit_matrix_apply(&traffic->pack_inverse, z), count = 0;
        for (int j = traffic->place_bits - 1; j >= 0; j--)
            if (traffic->pivots >> j & 1)
                count = count << 1 | (place >> j & 1);
        assert_int_equal(count, z & low_bits(block));
    }
}

static void expect_traffic(const bmf_permutation *p, int processor_bits, bmf_traffic_order order)
{
    static uint64_t result[LARGEST];
    static bool pair[64][64];
    bmf_traffic traffic;
    int m = p->bits - processor_bits;
    int64_t keepers = 0, pairs = 0;
    traffic_make(p, processor_bits, order, &traffic);
    follow(&traffic, result);
    memset(pair, 0, sizeof pair);
    for (uint64_t x = 0; x < UINT64_C(1) << p->bits; x++) {
        uint64_t y = bmf_permutation_apply(p, x);
        assert_int_equal(result[y], x);
        pair[x >> m][y >> m] = true;
    }
    for (int s = 0; s < 1 << processor_bits; s++)
        for (int t = 0; t < 1 << processor_bits; t++) {
            keepers += s == t && pair[s][t];
            pairs += pair[s][t];
        }
    assert_int_equal(keepers, traffic.keepers);
    assert_int_equal(pairs, 1 << (processor_bits + traffic.rank));
    if (order == BMF_TRAFFIC_SOURCE)
        expect_source_order(&traffic);
}

static void every_small_matrix(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 512; code++) {
        bmf_permutation p = {.bits = 3, .matrix = {3, {code & 7, code >> 3 & 7, code >> 6}}};
        if (bmf_bit_matrix_rank(&p.matrix) < 3)
            continue;
        for (p.complement = 0; p.complement < 8; p.complement++)
            for (int bits = 0; bits <= 3; bits++) {
                expect_traffic(&p, bits, BMF_TRAFFIC_BEST);
                expect_traffic(&p, bits, BMF_TRAFFIC_SOURCE);
            }
    }
}

static bmf_permutation any(int kind, int bits, uint64_t *seed)
{
    bmf_permutation p;
    if (kind == 0)
        bmf_permutation_rotation(bits, (int)test_below(seed, bits + 1), &p);
    else if (kind == 1)
        bmf_permutation_gray(bits, &p);
    else {
        p.bits = bits;
        if (kind == 2)
            bmf_bit_matrix_random_permutation(bits, seed, &p.matrix);
        else
            bmf_bit_matrix_random(bits, seed, &p.matrix);
    }
    p.complement = random_bits(seed) & low_bits(bits);
    return p;
}

static void random_matrices(void **state)
{
    uint64_t seed = 12;
    (void)state;
    for (int times = 0; times < 400; times++) {
        int bits = 1 + (int)test_below(&seed, 10), processors = (int)test_below(&seed, (bits < 6 ? bits : 6) + 1);
        bmf_permutation p = any(times % 4, bits, &seed);
        expect_traffic(&p, processors, BMF_TRAFFIC_BEST);
        expect_traffic(&p, processors, BMF_TRAFFIC_SOURCE);
    }
}

/* What the notes say needs no packing or no unpacking. */
static void free_sides(void **state)
{
    bmf_permutation p;
    bmf_traffic traffic;
    (void)state;
    bmf_permutation_identity(10, &p);
    traffic_make(&p, 3, BMF_TRAFFIC_BEST, &traffic);
    assert_true(!traffic.packs && traffic.direct && traffic.rank == 0 && traffic.keepers == 8);
    p.complement = 1 << 9; /* whole parts change places */
    traffic_make(&p, 3, BMF_TRAFFIC_BEST, &traffic);
    assert_true(!traffic.packs && traffic.direct && traffic.keepers == 0);
    bmf_permutation_reblocking(10, 0, 7, 3,
                               &p); /* whole rows of 8 from every processor: received in place after packing */
    traffic_make(&p, 3, BMF_TRAFFIC_BEST, &traffic);
    assert_int_equal(traffic.rank, 3);
    assert_true(!traffic.packs || traffic.direct);
    bmf_permutation_reblocking(10, 4, 3, 3, &p); /* runs of 16 stay together, and a processor's go to all */
    traffic_make(&p, 3, BMF_TRAFFIC_BEST, &traffic);
    assert_true(!traffic.packs && traffic.direct && traffic.rank == 3);
}

/* ---- boxes ---- */

typedef struct visited {
    const bmf_permutation *p;
    int64_t begin_x, end_x, begin_y, end_y, count;
    bool seen[LARGEST];
} visited;

static void visit(void *state, const bmf_subspace *box)
{
    visited *v = state;
    for (uint64_t j = 0; j < UINT64_C(1) << box->dimension; j++) {
        uint64_t x = box->x ^ columns_apply(box->step_x, j), y = box->y ^ columns_apply(box->step_y, j);
        assert_int_equal(bmf_permutation_apply(v->p, x), y);
        assert_true((int64_t)x >= v->begin_x && (int64_t)x < v->end_x);
        assert_true((int64_t)y >= v->begin_y && (int64_t)y < v->end_y);
        assert_false(v->seen[x]);
        v->seen[x] = true;
        v->count++;
    }
}

static void boxes(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int times = 0; times < 100; times++) {
        int bits = (int)test_below(&seed, 10);
        int64_t parts = 1 + test_below(&seed, 13), length = INT64_C(1) << bits, all = 0;
        bmf_permutation p = any(bits ? times % 4 : 3, bits, &seed);
        bmf_boxes *made = boxes_create(&p, parts);
        visited v = {.p = &p};
        for (int64_t s = 0; s < parts; s++)
            for (int64_t t = 0; t < parts; t++) {
                v.begin_x = bmf_split_start(length, parts, s);
                v.end_x = bmf_split_start(length, parts, s + 1);
                v.begin_y = bmf_split_start(length, parts, t);
                v.end_y = bmf_split_start(length, parts, t + 1);
                v.count = 0;
                int64_t count = boxes_visit(made, s, t, visit, &v);
                assert_int_equal(count, v.count);
                all += v.count;
            }
        assert_int_equal(all, length);
        boxes_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_small_matrix), cmocka_unit_test(random_matrices),
                                       cmocka_unit_test(free_sides), cmocka_unit_test(boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
