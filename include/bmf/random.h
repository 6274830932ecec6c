/** @file
 * Random numbers by their number: bmf_random(seed, i) is the i-th number of the sequence `seed`, whoever asks for it.
 *
 * Counter-based: no state, so kernels call it for any element on any rank and thread, and a list of random numbers
 * has the same bits on any number of processors. It is Philox-4x32-10, a bijection of 128 bits for each key of
 * 64 bits: ten rounds of two products of 32 bits; the counter is i, the key is the seed. Cost: 20 products a number.
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11. */
#ifndef BMF_PUBLIC_RANDOM_H
#define BMF_PUBLIC_RANDOM_H

#include <stdint.h>

/** Philox-4x32-10 of a counter of four words, lowest first, and a key of two; `out` may be `counter`. Local. */
static inline void bmf_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k = key[0], l = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t first = (uint64_t)UINT32_C(0xd2511f53) * a, second = (uint64_t)UINT32_C(0xcd9e8d57) * c;
        a = (uint32_t)(second >> 32) ^ b ^ k;
        b = (uint32_t)second;
        c = (uint32_t)(first >> 32) ^ d ^ l;
        d = (uint32_t)first;
        k += UINT32_C(0x9e3779b9);
        l += UINT32_C(0xbb67ae85);
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/** 64 random bits: number i of the sequence `seed`. Any seed and any i, negative ones as well. Local. */
static inline uint64_t bmf_random_bits(int64_t seed, int64_t i)
{
    const uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)((uint64_t)seed >> 32)};
    uint32_t out[4];
    bmf_philox(counter, key, out);
    return (uint64_t)out[1] << 32 | out[0];
}

/** A real in [0, 1), a multiple of 2^-53: number i of the sequence `seed`. Local. */
static inline double bmf_random(int64_t seed, int64_t i)
{
    return (double)(bmf_random_bits(seed, i) >> 11) * 0x1p-53;
}

#endif
