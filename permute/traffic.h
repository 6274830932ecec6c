/* How a BMMC permutation moves data between 2^p processors with 2^m elements each: who sends to whom, which elements
 * make up a message, and which local permutations put them there. Private to permute, and to its tests.
 *
 * An address is x = (processor s, place z), p bits above m. The processor rows of A are [beta | alpha]: element (s, z)
 * goes to processor beta s + alpha z + c. With r = rank alpha, s sends to 2^r processors, 2^(m - r) elements each.
 * A *block* are the elements from one processor to one other. Packed, block k of s stands at [k, k + 1) 2^(m - r) and
 * goes to beta s + c + g k, where g is a basis of the image of alpha; received, block k of t came in round k, from
 * s0(t) + w k, where w is a basis of the processors that beta takes into that image. Elements keep their order in a
 * block. */
#ifndef BMF_TRAFFIC_H
#define BMF_TRAFFIC_H

#include "bmf/permutation.h"
#include "permute/gf2.h"

/* BEST: where a received block is a run of its target, packing puts it into the target's order, so that nothing has to
 * be unpacked. SOURCE: always in order of source addresses. */
typedef enum bmf_traffic_order { BMF_TRAFFIC_BEST, BMF_TRAFFIC_SOURCE } bmf_traffic_order;

typedef struct bmf_traffic {
    bmf_permutation permutation;
    int processor_bits, place_bits, rank;                                /* p, m, r */
    uint64_t processor_column[BMF_MAX_BITS], place_column[BMF_MAX_BITS]; /* beta, alpha */
    uint64_t complement;                                                 /* the processor bits of c */
    uint64_t block_target[BMF_MAX_BITS];                                 /* g: r values */
    uint64_t block_source[BMF_MAX_BITS];                                 /* w: r values */
    bmf_span targets, sources;                                           /* of them, for coordinates */
    bmf_bit_matrix round, round_inverse; /* round 0 of the schedule: s -> round s + round_complement */
    uint64_t round_complement;
    int64_t keepers;                   /* processors that keep a block */
    uint64_t pivots;                   /* place bits that count the elements of a block in source order */
    bmf_bit_matrix pack, pack_inverse; /* place -> packed place, before complementing */
    bmf_bit_matrix unpack;             /* received place -> place, before complementing */
    bool packs;                        /* blocks do not stand one after another in the source */
    bool direct;                       /* received blocks are runs of the target: no unpacking */
} bmf_traffic;

/* 0 <= processor_bits <= p->bits and 31. */
void traffic_make(const bmf_permutation *p, int processor_bits, bmf_traffic_order order, bmf_traffic *traffic);

/* The target of block k of processor s; the block that goes from s to t, or -1. */
uint64_t traffic_target(const bmf_traffic *traffic, uint64_t s, uint64_t k);
int64_t traffic_block(const bmf_traffic *traffic, uint64_t s, uint64_t t);
/* The place among the blocks that t receives of the one from s, which must be one of its sources; and the source. */
uint64_t traffic_slot(const bmf_traffic *traffic, uint64_t s, uint64_t t);
uint64_t traffic_source(const bmf_traffic *traffic, uint64_t slot, uint64_t t);

/* Every 1-permutable round k, 0 <= k < 2^r, is a permutation of processors. */
static inline uint64_t traffic_round_target(const bmf_traffic *traffic, uint64_t k, uint64_t s)
{
    return bmf_bit_matrix_apply(&traffic->round, s) ^ traffic->round_complement ^
           columns_apply(traffic->block_target, k);
}
static inline uint64_t traffic_round_source(const bmf_traffic *traffic, uint64_t k, uint64_t t)
{
    return bmf_bit_matrix_apply(&traffic->round_inverse,
                                t ^ traffic->round_complement ^ columns_apply(traffic->block_target, k));
}

/* The local permutation that packs on s, and the one that unpacks on t. */
bmf_permutation traffic_packing(const bmf_traffic *traffic, uint64_t s);
bmf_permutation traffic_unpacking(const bmf_traffic *traffic, uint64_t t);

#endif
