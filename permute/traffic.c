/* The algebra of a BMMC permutation between processors.
 *
 * Method: the kernel of alpha numbers the elements of a block, places outside its pivots number the blocks. The rounds
 * come from Cormen's 1-permutable sets (document 003, 4.2): set j sends from place M s + const + j of every processor
 * s, and all sets with the same alpha j go the same way, so they travel as one message. The document leaves M open. If
 * every processor can keep a block, M is such that all keep theirs in round 0: otherwise some would have nothing to
 * send in each of several rounds, and all would wait for that. Cost: O(n^2) word operations once. */
#include "permute/traffic.h"
#include "permute/one_permutable.h"

static uint64_t address(const bmf_traffic *traffic, uint64_t processor, uint64_t place)
{
    return processor << traffic->place_bits | place;
}
static uint64_t place_of(const bmf_traffic *traffic, uint64_t x)
{
    return x & low_bits(traffic->place_bits);
}
/* Where the linear part sends (processor, place): the place there. */
static uint64_t linear_place(const bmf_traffic *traffic, uint64_t processor, uint64_t place)
{
    return place_of(traffic, bmf_bit_matrix_apply(&traffic->permutation.matrix, address(traffic, processor, place)));
}
static int block_bits(const bmf_traffic *traffic)
{
    return traffic->place_bits - traffic->rank;
}

static void cut_matrix(const bmf_permutation *p, bmf_traffic *traffic)
{
    int m = traffic->place_bits;
    for (int j = 0; j < m; j++)
        traffic->place_column[j] = p->matrix.column[j] >> m;
    for (int j = 0; j < traffic->processor_bits; j++)
        traffic->processor_column[j] = p->matrix.column[m + j] >> m;
    traffic->complement = p->complement >> m;
}

/* (beta + I) s + c lies in the image of alpha for every s. */
static bool all_can_keep(const bmf_traffic *traffic)
{
    bmf_span image;
    span_clear(&image);
    for (int j = 0; j < traffic->place_bits; j++)
        span_add(&image, traffic->place_column[j]);
    bool all = span_reduce(&image, traffic->complement, NULL) == 0;
    for (int j = 0; j < traffic->processor_bits && all; j++)
        all = span_reduce(&image, traffic->processor_column[j] ^ UINT64_C(1) << j, NULL) == 0;
    return all;
}

/* The place of processor s's record in set 0, from a list of the sets' sources by record. */
static void make_rounds_of_sets(bmf_traffic *traffic)
{
    int p = traffic->processor_bits, m = traffic->place_bits;
    bmf_one_permutable set;
    bmf_bit_matrix processor_of = {.bits = p}, record_of;
    uint64_t place_column[BMF_MAX_BITS];
    one_permutable_make(&traffic->permutation, m, p, &set);
    uint64_t x0 = one_permutable_source(&set, 0, 0);
    for (int j = 0; j < p; j++) {
        uint64_t x = one_permutable_source(&set, UINT64_C(1) << j, 0) ^ x0;
        processor_of.column[j] = x >> m;
        place_column[j] = place_of(traffic, x);
    }
    bmf_bit_matrix_inverse(&processor_of, &record_of);
    uint64_t record0 = bmf_bit_matrix_apply(&record_of, x0 >> m);
    uint64_t place0 = place_of(traffic, x0) ^ columns_apply(place_column, record0);
    traffic->round_complement = columns_apply(traffic->place_column, place0) ^ traffic->complement;
    for (int j = 0; j < p; j++) {
        uint64_t place = columns_apply(place_column, record_of.column[j]);
        traffic->round.column[j] = traffic->processor_column[j] ^ columns_apply(traffic->place_column, place);
    }
}

static void make_rounds(bmf_traffic *traffic)
{
    traffic->round.bits = traffic->processor_bits;
    if (all_can_keep(traffic))
        for (int j = 0; j < traffic->processor_bits; j++)
            traffic->round.column[j] = UINT64_C(1) << j;
    else
        make_rounds_of_sets(traffic);
    bmf_bit_matrix_inverse(&traffic->round, &traffic->round_inverse);
}

/* Kernel vectors number the elements of a block; unit vectors at the other places number the blocks. */
static void order_by_source(bmf_traffic *traffic)
{
    uint64_t kernel[64];
    int count = columns_kernel(traffic->place_column, traffic->place_bits, kernel), blocks = 0;
    traffic->rank = traffic->place_bits - count;
    traffic->pack_inverse.bits = traffic->place_bits;
    for (int k = 0; k < count; k++) {
        traffic->pack_inverse.column[k] = kernel[k];
        traffic->pivots |= UINT64_C(1) << (63 - __builtin_clzll(kernel[k]));
    }
    for (int j = 0; j < traffic->place_bits; j++)
        if (!(traffic->pivots >> j & 1)) {
            traffic->pack_inverse.column[count + blocks] = UINT64_C(1) << j;
            traffic->block_target[blocks++] = traffic->place_column[j];
        }
}

/* True if the elements of a block are a run at their target. */
static bool blocks_are_runs(const bmf_traffic *traffic)
{
    uint64_t places = 0;
    for (int k = 0; k < block_bits(traffic); k++)
        places |= linear_place(traffic, 0, traffic->pack_inverse.column[k]);
    return (places & ~low_bits(block_bits(traffic))) == 0;
}

/* Renumbers the elements of blocks that are runs by their target places. */
static void order_by_target(bmf_traffic *traffic)
{
    uint64_t kernel[64];
    int count = block_bits(traffic);
    bmf_span places;
    span_clear(&places);
    for (int k = 0; k < count; k++)
        span_add(&places, linear_place(traffic, 0, traffic->pack_inverse.column[k]));
    for (int k = 0; k < count; k++) {
        uint64_t combination;
        span_reduce(&places, UINT64_C(1) << k, &combination);
        kernel[k] = columns_apply(traffic->pack_inverse.column, combination);
    }
    for (int k = 0; k < count; k++)
        traffic->pack_inverse.column[k] = kernel[k];
    for (int k = count; k < traffic->place_bits; k++) {
        uint64_t place = linear_place(traffic, 0, traffic->pack_inverse.column[k]);
        traffic->pack_inverse.column[k] ^= columns_apply(kernel, place & low_bits(count));
    }
    traffic->direct = true;
}

/* The processors that round k hears from: beta takes them into the image of alpha, because round does and differs from
 * beta by it. */
static void find_sources(bmf_traffic *traffic)
{
    span_clear(&traffic->sources);
    span_clear(&traffic->targets);
    for (int k = 0; k < traffic->rank; k++) {
        traffic->block_source[k] = bmf_bit_matrix_apply(&traffic->round_inverse, traffic->block_target[k]);
        span_add(&traffic->sources, traffic->block_source[k]);
        span_add(&traffic->targets, traffic->block_target[k]);
    }
}

/* s keeps a block if (beta + I) s + c lies in the image of alpha. */
static void count_keepers(bmf_traffic *traffic)
{
    bmf_span moves = traffic->targets;
    for (int j = 0; j < traffic->processor_bits; j++)
        span_add(&moves, traffic->processor_column[j] ^ UINT64_C(1) << j);
    if (span_reduce(&moves, traffic->complement, NULL) == 0)
        traffic->keepers = INT64_C(1) << (traffic->processor_bits - (moves.dimension - traffic->rank));
}

/* The complement that packing on s needs, so that blocks arrive in the order of their targets. */
static uint64_t packing_complement(const bmf_traffic *traffic, uint64_t s)
{
    if (!traffic->direct)
        return 0;
    return (linear_place(traffic, s, 0) ^ traffic->permutation.complement) & low_bits(block_bits(traffic));
}

/* The target place of element 0 of block k of s, and its change when s and k change. */
static uint64_t block_place(const bmf_traffic *traffic, uint64_t s, uint64_t k, uint64_t packing)
{
    uint64_t packed = k << block_bits(traffic) ^ packing;
    return linear_place(traffic, s, bmf_bit_matrix_apply(&traffic->pack_inverse, packed));
}

static void make_unpacking(bmf_traffic *traffic)
{
    int count = block_bits(traffic);
    traffic->unpack.bits = traffic->place_bits;
    for (int k = 0; k < count; k++)
        traffic->unpack.column[k] = linear_place(traffic, 0, traffic->pack_inverse.column[k]);
    for (int k = 0; k < traffic->rank; k++) {
        uint64_t w = traffic->block_source[k], block;
        span_reduce(&traffic->targets, columns_apply(traffic->processor_column, w), &block);
        uint64_t packing = packing_complement(traffic, w) ^ packing_complement(traffic, 0);
        traffic->unpack.column[count + k] = block_place(traffic, w, block, packing);
    }
}

/* Whether any processor has to move anything before it sends. */
static bool has_to_pack(const bmf_traffic *traffic)
{
    uint64_t complements = packing_complement(traffic, 0);
    for (int j = 0; j < traffic->processor_bits; j++)
        complements |= packing_complement(traffic, UINT64_C(1) << j);
    return complements != 0 || !bmf_bit_matrix_is_identity(&traffic->pack);
}

void traffic_make(const bmf_permutation *p, int processor_bits, bmf_traffic_order order, bmf_traffic *traffic)
{
    *traffic =
        (bmf_traffic){.permutation = *p, .processor_bits = processor_bits, .place_bits = p->bits - processor_bits};
    cut_matrix(p, traffic);
    make_rounds(traffic);
    order_by_source(traffic);
    if (order == BMF_TRAFFIC_BEST && blocks_are_runs(traffic))
        order_by_target(traffic);
    bmf_bit_matrix_inverse(&traffic->pack_inverse, &traffic->pack);
    find_sources(traffic);
    count_keepers(traffic);
    make_unpacking(traffic);
    traffic->packs = has_to_pack(traffic);
}

uint64_t traffic_target(const bmf_traffic *traffic, uint64_t s, uint64_t k)
{
    return columns_apply(traffic->processor_column, s) ^ traffic->complement ^ columns_apply(traffic->block_target, k);
}

int64_t traffic_block(const bmf_traffic *traffic, uint64_t s, uint64_t t)
{
    uint64_t k;
    return span_reduce(&traffic->targets, t ^ traffic_target(traffic, s, 0), &k) == 0 ? (int64_t)k : -1;
}

uint64_t traffic_slot(const bmf_traffic *traffic, uint64_t s, uint64_t t)
{
    uint64_t slot;
    span_reduce(&traffic->sources, s ^ traffic_round_source(traffic, 0, t), &slot);
    return slot;
}

uint64_t traffic_source(const bmf_traffic *traffic, uint64_t slot, uint64_t t)
{
    return traffic_round_source(traffic, 0, t) ^ columns_apply(traffic->block_source, slot);
}

bmf_permutation traffic_packing(const bmf_traffic *traffic, uint64_t s)
{
    return (bmf_permutation){traffic->place_bits, traffic->pack, packing_complement(traffic, s)};
}

bmf_permutation traffic_unpacking(const bmf_traffic *traffic, uint64_t t)
{
    uint64_t s = traffic_round_source(traffic, 0, t), k = (uint64_t)traffic_block(traffic, s, t);
    uint64_t complement =
        block_place(traffic, s, k, packing_complement(traffic, s)) ^ place_of(traffic, traffic->permutation.complement);
    return (bmf_permutation){traffic->place_bits, traffic->unpack, complement};
}
