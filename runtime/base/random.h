/* Random numbers: splitmix64. Every seed is a good one, and equal seeds give equal sequences everywhere.
 *
 * Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
#ifndef BMF_RANDOM_H
#define BMF_RANDOM_H

#include "runtime/base/hash.h"

/* 64 random bits; the state starts as the seed. */
static inline uint64_t random_bits(uint64_t *state)
{
    return hash_word(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* A real in [0, 1). */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
