/* The permutation inside a tile, in the cache, vector by vector. Private to permute/local/.
 *
 * A tile of whole runs is again a BMMC permutation of local addresses, so its vectors fall into micro tiles of 2^rank
 * vectors on either side (permute/local/tiling.h with a vector as the run), and the registers of one micro tile are
 * exchanged by a butterfly network. With source vector i and lane u, target vector j and lane v:
 *
 *   j = G u + K i,   v = F u + H i           (blocks of `inside`; G has full rank)
 *
 * Choose lanes p_0 .. p_(rank-1) on which G is regular and number the target vectors so that G e_(p_s) = e_s. Then
 *   1. before:  lane u of register i goes to lane u + (K i at the lanes p): now j = G u for every register
 *   2. stage s: of the two registers that differ in bit s, the one with bit q gets all lanes with (G u)_s = q; an
 *               element that changes registers takes with it, at lane bit p_s, the number of the register it came from
 *   3. after:   a linear permutation of lanes, the same for all registers, is part of the last stage; what is left is
 *               to add F (j at the lanes p) and the complement of the tile to the lane
 * Every stage has the same two lane selections for all its pairs of registers, so they stay in registers; steps 1 and 3
 * are skipped where there is nothing to add, as in every BPC without low complement bits. */
#ifndef BMF_LOCAL_NETWORK_H
#define BMF_LOCAL_NETWORK_H

#include "permute/local/tiling.h"

enum {
    NETWORK_RANK = 6,
    NETWORK_VECTOR = 64,
    NETWORK_STEPS = 24 /* one more than there can be, for the step after the last */
};

/* Positions of vectors are counted in bytes: of targets in the tile, of sources in the tile, or in memory if tiles are
 * read straight from there. */
typedef struct bmf_network {
    int lane_bits, element_bits; /* 2^lane_bits lanes of 2^element_bits bytes make a vector */
    int rank, steps;             /* 2^rank registers, 2^steps micro tiles */
    int turn_steps;              /* 2^turn_steps micro tiles at a time */
    bool exchanges;              /* rank > 0 or the lanes of a vector are permuted */
    bool before, after;          /* some register needs step 1; step 3, even if the complement has no low bits */
    uint64_t source_vector[1 << NETWORK_RANK]; /* of register r */
    uint32_t target_vector[1 << NETWORK_RANK];
    uint8_t before_lane[1 << NETWORK_RANK], after_lane[1 << NETWORK_RANK];
    uint64_t source_step[NETWORK_STEPS]; /* of a micro tile */
    uint32_t target_step[NETWORK_STEPS];
    uint8_t lane_step[NETWORK_STEPS]; /* what a step adds to the lane */
    /* Lane l of the register with bit q of stage s is lane selection[s][q][l] of the two, counted through. With rank 0
     * there is one stage on one register. */
    uint8_t selection[NETWORK_RANK][2][NETWORK_VECTOR];
} bmf_network;

/* A turn of a tile: some of its elements from `source` in the order of `target`, not overlapping. */
typedef struct bmf_tile {
    const char *source; /* if positions are in the tile, 64-byte aligned like the target */
    char *target;
    uint64_t complement; /* low(y) of permute/local/tiling.h, below 2^run_bits */
    uint64_t turn;
    uint64_t from;  /* position of the tile at `source` */
    uint64_t ahead; /* the turn to prefetch is at the position that differs from this turn's by this exclusive or */
} bmf_tile;

/* Prepares the network for vectors of 2^lane_bits elements of 2^element_bits bytes, at most NETWORK_VECTOR bytes;
 * lane_bits <= tiling->run_bits. direct: sources are read from memory, in their own order. One turn is all. */
void network_make(const bmf_tiling *tiling, int lane_bits, int element_bits, bool direct, bmf_network *network);
/* How many of the lines that one micro tile reads fall into the same set of a cache of 2^set_bits sets. */
int network_conflicts(const bmf_network *network, int set_bits);

/* The difference of the source positions of turn 0 and this one. */
static inline uint64_t network_turn(const bmf_network *network, uint64_t turn)
{
    return tiling_begin(network->source_step, turn << network->turn_steps);
}

#endif
