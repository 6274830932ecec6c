/* Planning of the butterfly network that permutes a tile in the cache.
 *
 * Method: see permute/local/network.h. Cost: O(n^2 + rank 2^lane_bits) operations, once per permutation. Source: own
 * derivation; for the transposition of a square block it is the well-known exchange of index bits with lane bits. */
#include "permute/local/network.h"

/* The blocks of the map inside a micro tile, and its pivot lanes. Columns are words; unit[s] is e_(p_s). */
typedef struct blocks {
    int lane_bits, rank;
    uint64_t g[NETWORK_RANK], f[NETWORK_RANK]; /* lane_bits columns: target vector, target lane of a source lane */
    uint64_t k[NETWORK_RANK], h[NETWORK_RANK]; /* rank columns: the same of a source vector */
    uint64_t unit[NETWORK_RANK];
} blocks;

/* Splits `inside` and renumbers target vectors, and target_run with them, so that G e_(p_s) = e_s. */
static void split_blocks(bmf_tiling *micro, blocks *b)
{
    const int lane_bits = micro->run_bits, rank = micro->rank;
    bmf_bit_matrix renumber = {.bits = rank};
    bmf_span pivots;
    uint64_t run[NETWORK_RANK];
    span_clear(&pivots);
    *b = (blocks){.lane_bits = lane_bits, .rank = rank};
    for (int u = 0; u < lane_bits; u++) {
        const uint64_t to = micro->inside.column[u] >> lane_bits;
        if (!span_add(&pivots, to))
            continue;
        const int s = pivots.dimension - 1;
        b->unit[s] = UINT64_C(1) << u;
        renumber.column[s] = to;
        run[s] = columns_apply(micro->target_run, to);
    }
    for (int s = 0; s < rank; s++)
        micro->target_run[s] = run[s];
    bmf_bit_matrix_inverse(&renumber, &renumber);
    for (int j = 0; j < lane_bits + rank; j++) {
        const uint64_t to = micro->inside.column[j];
        const uint64_t vector = bmf_bit_matrix_apply(&renumber, to >> lane_bits), lane = to & low_bits(lane_bits);
        *(j < lane_bits ? &b->g[j] : &b->k[j - lane_bits]) = vector;
        *(j < lane_bits ? &b->f[j] : &b->h[j - lane_bits]) = lane;
    }
}

/* The lane that the last stage's permutation of lanes moves lane m to. */
static uint64_t last_lane(const blocks *b, uint64_t m)
{
    const uint64_t from = columns_apply(b->g, m), at_pivots = columns_apply(b->unit, from);
    const uint64_t carried = columns_apply(b->unit, columns_apply(b->k, from));
    return columns_apply(b->f, m ^ at_pivots ^ carried) ^ columns_apply(b->h, from);
}

static void make_selections(const blocks *b, bmf_network *network)
{
    const uint64_t lanes = UINT64_C(1) << b->lane_bits;
    const int last = b->rank > 0 ? b->rank - 1 : 0;
    for (int s = 0; s <= last; s++)
        for (uint64_t q = 0; q < 2; q++)
            for (uint64_t m = 0; m < lanes; m++) {
                const uint64_t from = b->rank > 0 ? columns_apply(b->g, m) >> s & 1 : 0;
                const uint64_t lane = b->rank > 0 && from != q ? m ^ b->unit[s] : m;
                const uint64_t to = s == last ? last_lane(b, m) : m;
                network->selection[s][q][to] = (uint8_t)(lane | from << b->lane_bits);
                network->exchanges |= b->rank > 0 || to != m;
            }
}

/* The position of a local address of the tile. */
static uint64_t source_position(const bmf_tiling *tiling, bool direct, const bmf_network *network, uint64_t local)
{
    return (direct ? tiling_source(tiling, local) : local) << network->element_bits;
}

static void make_registers(const bmf_tiling *micro, const blocks *b, bmf_network *network)
{
    for (uint64_t r = 0; r < UINT64_C(1) << b->rank; r++) {
        network->target_vector[r] = (uint32_t)columns_apply(micro->target_run, r) << network->element_bits;
        network->before_lane[r] = (uint8_t)columns_apply(b->unit, columns_apply(b->k, r));
        network->after_lane[r] = (uint8_t)columns_apply(b->f, columns_apply(b->unit, r));
        network->before |= network->before_lane[r] != 0;
        network->after |= network->after_lane[r] != 0;
    }
}

static void make_steps(const bmf_tiling *micro, bmf_network *network)
{
    const uint64_t lanes = low_bits(micro->run_bits);
    for (int s = 0; s < micro->steps; s++) {
        network->target_step[s] = (uint32_t)(micro->target_step[s] & ~lanes) << network->element_bits;
        network->lane_step[s] = (uint8_t)(micro->target_step[s] & lanes);
        network->after |= network->lane_step[s] != 0;
    }
}

static void make_sources(const bmf_tiling *tiling, bool direct, const bmf_tiling *micro, bmf_network *network)
{
    for (uint64_t r = 0; r < UINT64_C(1) << micro->rank; r++)
        network->source_vector[r] = source_position(tiling, direct, network, columns_apply(micro->source_run, r));
    for (int s = 0; s < micro->steps; s++)
        network->source_step[s] = source_position(tiling, direct, network, micro->source_step[s]);
}

int network_conflicts(const bmf_network *network, int set_bits)
{
    uint64_t set[NETWORK_RANK];
    for (int s = 0; s < network->rank; s++)
        set[s] = network->source_vector[1 << s] / NETWORK_VECTOR & low_bits(set_bits);
    return 1 << (network->rank - words_rank(set, network->rank));
}

void network_make(const bmf_tiling *tiling, int lane_bits, int element_bits, bool direct, bmf_network *network)
{
    bmf_tiling micro;
    blocks b;
    tiling_make(&tiling->inside, lane_bits, direct ? TILING_BY_SOURCE : TILING_NESTED, &micro);
    split_blocks(&micro, &b);
    *network = (bmf_network){.lane_bits = lane_bits,
                             .element_bits = element_bits,
                             .rank = micro.rank,
                             .steps = micro.steps,
                             .turn_steps = micro.steps};
    make_sources(tiling, direct, &micro, network);
    make_selections(&b, network);
    make_registers(&micro, &b, network);
    make_steps(&micro, network);
}
