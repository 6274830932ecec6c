/* The algebra of a BMMC permutation between processors.
 *
 * Method: the kernel of alpha numbers the elements of a block, places outside its pivots number the blocks. The rounds
 * come from Cormen's 1-permutable sets (document 003, 4.2): set j sends from place M s + const + j of every processor
 * s, and all sets with the same alpha j go the same way, so they travel as one message. Cost: O(n^2) word operations
 * once. */
#include "permute/spread.h"
#include "permute/one_permutable.h"

static uint64_t address(const bmf_spread *spread, uint64_t processor, uint64_t place)
{
    return processor << spread->place_bits | place;
}
static uint64_t place_of(const bmf_spread *spread, uint64_t x)
{
    return x & bmf_low_bits(spread->place_bits);
}
/* Where the linear part sends (processor, place): the place there. */
static uint64_t linear_place(const bmf_spread *spread, uint64_t processor, uint64_t place)
{
    return place_of(spread, bmf_bit_matrix_apply(&spread->permutation.matrix, address(spread, processor, place)));
}
static int block_bits(const bmf_spread *spread)
{
    return spread->place_bits - spread->rank;
}

static void cut_matrix(const bmf_permutation *p, bmf_spread *spread)
{
    int m = spread->place_bits;
    for (int j = 0; j < m; j++)
        spread->place_column[j] = p->matrix.column[j] >> m;
    for (int j = 0; j < spread->processor_bits; j++)
        spread->processor_column[j] = p->matrix.column[m + j] >> m;
    spread->complement = p->complement >> m;
}

/* The place of processor s's record in set 0, from a list of the sets' sources by record. */
static void make_rounds(bmf_spread *spread)
{
    int p = spread->processor_bits, m = spread->place_bits;
    bmf_one_permutable set;
    bmf_bit_matrix processor_of = {.bits = p}, record_of;
    uint64_t place_column[BMF_MAX_BITS];
    bmf_one_permutable_make(&spread->permutation, m, p, &set);
    uint64_t x0 = bmf_one_permutable_source(&set, 0, 0);
    for (int j = 0; j < p; j++) {
        uint64_t x = bmf_one_permutable_source(&set, UINT64_C(1) << j, 0) ^ x0;
        processor_of.column[j] = x >> m;
        place_column[j] = place_of(spread, x);
    }
    bmf_bit_matrix_inverse(&processor_of, &record_of);
    uint64_t record0 = bmf_bit_matrix_apply(&record_of, x0 >> m);
    uint64_t place0 = place_of(spread, x0) ^ bmf_columns_apply(place_column, record0);
    spread->round.bits = p;
    spread->round_complement = bmf_columns_apply(spread->place_column, place0) ^ spread->complement;
    for (int j = 0; j < p; j++) {
        uint64_t place = bmf_columns_apply(place_column, record_of.column[j]);
        spread->round.column[j] = spread->processor_column[j] ^ bmf_columns_apply(spread->place_column, place);
    }
    bmf_bit_matrix_inverse(&spread->round, &spread->round_inverse);
}

/* Kernel vectors number the elements of a block; unit vectors at the other places number the blocks. */
static void order_by_source(bmf_spread *spread)
{
    uint64_t kernel[64];
    int count = bmf_columns_kernel(spread->place_column, spread->place_bits, kernel), blocks = 0;
    spread->rank = spread->place_bits - count;
    spread->pack_inverse.bits = spread->place_bits;
    for (int k = 0; k < count; k++) {
        spread->pack_inverse.column[k] = kernel[k];
        spread->pivots |= UINT64_C(1) << (63 - __builtin_clzll(kernel[k]));
    }
    for (int j = 0; j < spread->place_bits; j++)
        if (!(spread->pivots >> j & 1)) {
            spread->pack_inverse.column[count + blocks] = UINT64_C(1) << j;
            spread->block_target[blocks++] = spread->place_column[j];
        }
}

/* True if the elements of a block are a run at their target. */
static bool blocks_are_runs(const bmf_spread *spread)
{
    uint64_t places = 0;
    for (int k = 0; k < block_bits(spread); k++)
        places |= linear_place(spread, 0, spread->pack_inverse.column[k]);
    return (places & ~bmf_low_bits(block_bits(spread))) == 0;
}

/* Renumbers the elements of blocks that are runs by their target places. */
static void order_by_target(bmf_spread *spread)
{
    uint64_t kernel[64];
    int count = block_bits(spread);
    bmf_span places;
    bmf_span_clear(&places);
    for (int k = 0; k < count; k++)
        bmf_span_add(&places, linear_place(spread, 0, spread->pack_inverse.column[k]));
    for (int k = 0; k < count; k++) {
        uint64_t combination;
        bmf_span_reduce(&places, UINT64_C(1) << k, &combination);
        kernel[k] = bmf_columns_apply(spread->pack_inverse.column, combination);
    }
    for (int k = 0; k < count; k++)
        spread->pack_inverse.column[k] = kernel[k];
    for (int k = count; k < spread->place_bits; k++) {
        uint64_t place = linear_place(spread, 0, spread->pack_inverse.column[k]);
        spread->pack_inverse.column[k] ^= bmf_columns_apply(kernel, place & bmf_low_bits(count));
    }
    spread->direct = true;
}

/* Processors w that beta takes into the image of alpha: with g k, a kernel. */
static void find_sources(bmf_spread *spread)
{
    uint64_t column[64], kernel[64];
    int p = spread->processor_bits;
    for (int j = 0; j < p; j++)
        column[j] = spread->processor_column[j];
    for (int k = 0; k < spread->rank; k++)
        column[p + k] = spread->block_target[k];
    int count = bmf_columns_kernel(column, p + spread->rank, kernel);
    bmf_span_clear(&spread->sources);
    bmf_span_clear(&spread->targets);
    for (int k = 0; k < count; k++) {
        spread->block_source[k] = kernel[k] & bmf_low_bits(p);
        bmf_span_add(&spread->sources, spread->block_source[k]);
        bmf_span_add(&spread->targets, spread->block_target[k]);
    }
}

/* s keeps a block if (beta + I) s + c lies in the image of alpha. */
static void count_keepers(bmf_spread *spread)
{
    bmf_span moves = spread->targets;
    for (int j = 0; j < spread->processor_bits; j++)
        bmf_span_add(&moves, spread->processor_column[j] ^ UINT64_C(1) << j);
    if (bmf_span_reduce(&moves, spread->complement, NULL) == 0)
        spread->keepers = INT64_C(1) << (spread->processor_bits - (moves.dimension - spread->rank));
}

/* The complement that packing on s needs, so that blocks arrive in the order of their targets. */
static uint64_t packing_complement(const bmf_spread *spread, uint64_t s)
{
    if (!spread->direct)
        return 0;
    return (linear_place(spread, s, 0) ^ spread->permutation.complement) & bmf_low_bits(block_bits(spread));
}

/* The target place of element 0 of block k of s, and its change when s and k change. */
static uint64_t block_place(const bmf_spread *spread, uint64_t s, uint64_t k, uint64_t packing)
{
    uint64_t packed = k << block_bits(spread) ^ packing;
    return linear_place(spread, s, bmf_bit_matrix_apply(&spread->pack_inverse, packed));
}

static void make_unpacking(bmf_spread *spread)
{
    int count = block_bits(spread);
    spread->unpack.bits = spread->place_bits;
    for (int k = 0; k < count; k++)
        spread->unpack.column[k] = linear_place(spread, 0, spread->pack_inverse.column[k]);
    for (int k = 0; k < spread->rank; k++) {
        uint64_t w = spread->block_source[k], block;
        bmf_span_reduce(&spread->targets, bmf_columns_apply(spread->processor_column, w), &block);
        uint64_t packing = packing_complement(spread, w) ^ packing_complement(spread, 0);
        spread->unpack.column[count + k] = block_place(spread, w, block, packing);
    }
}

/* Whether any processor has to move anything before it sends. */
static bool has_to_pack(const bmf_spread *spread)
{
    uint64_t complements = packing_complement(spread, 0);
    for (int j = 0; j < spread->processor_bits; j++)
        complements |= packing_complement(spread, UINT64_C(1) << j);
    return complements != 0 || !bmf_bit_matrix_is_identity(&spread->pack);
}

void bmf_spread_make(const bmf_permutation *p, int processor_bits, bmf_spread_order order, bmf_spread *spread)
{
    *spread = (bmf_spread){.permutation = *p, .processor_bits = processor_bits, .place_bits = p->bits - processor_bits};
    cut_matrix(p, spread);
    make_rounds(spread);
    order_by_source(spread);
    if (order == BMF_SPREAD_BEST && blocks_are_runs(spread))
        order_by_target(spread);
    bmf_bit_matrix_inverse(&spread->pack_inverse, &spread->pack);
    find_sources(spread);
    count_keepers(spread);
    make_unpacking(spread);
    spread->packs = has_to_pack(spread);
}

uint64_t bmf_spread_target(const bmf_spread *spread, uint64_t s, uint64_t k)
{
    return bmf_columns_apply(spread->processor_column, s) ^ spread->complement ^
           bmf_columns_apply(spread->block_target, k);
}

int64_t bmf_spread_block(const bmf_spread *spread, uint64_t s, uint64_t t)
{
    uint64_t k;
    return bmf_span_reduce(&spread->targets, t ^ bmf_spread_target(spread, s, 0), &k) == 0 ? (int64_t)k : -1;
}

uint64_t bmf_spread_slot(const bmf_spread *spread, uint64_t s, uint64_t t)
{
    uint64_t slot;
    bmf_span_reduce(&spread->sources, s ^ bmf_spread_round_source(spread, 0, t), &slot);
    return slot;
}

uint64_t bmf_spread_source(const bmf_spread *spread, uint64_t slot, uint64_t t)
{
    return bmf_spread_round_source(spread, 0, t) ^ bmf_columns_apply(spread->block_source, slot);
}

bmf_permutation bmf_spread_packing(const bmf_spread *spread, uint64_t s)
{
    return (bmf_permutation){spread->place_bits, spread->pack, packing_complement(spread, s)};
}

bmf_permutation bmf_spread_unpacking(const bmf_spread *spread, uint64_t t)
{
    uint64_t s = bmf_spread_round_source(spread, 0, t), k = (uint64_t)bmf_spread_block(spread, s, t);
    uint64_t complement =
        block_place(spread, s, k, packing_complement(spread, s)) ^ place_of(spread, spread->permutation.complement);
    return (bmf_permutation){spread->place_bits, spread->unpack, complement};
}
