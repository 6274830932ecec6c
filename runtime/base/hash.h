/* Hashes of bytes and of words; the same on all hosts and in all runs.
 *
 * Source: G. Fowler, L. C. Noll, P. Vo, FNV-1a for bytes; the last step of splitmix64 (random.h) for words. */
#ifndef BMF_HASH_H
#define BMF_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a of more bytes; of the first ones with hash HASH_START. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = HASH_START;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Every bit of the result depends on every bit of the word. One to one. */
static inline uint64_t hash_word(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* A hash of one more word; of the first one with hash 0. */
static inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
    return hash_word((hash ^ word) + UINT64_C(0x9e3779b97f4a7c15));
}

#endif
