/* Cutting keys among processors, and finding where a key belongs; private to skeletons/by_key.
 *
 * Keys 0 .. count - 1 are split evenly among `members`, and each member's share into bands whose entries the caches of
 * a core hold. Bands are numbered through: those of member m are [m bands, (m + 1) bands). */
#ifndef BMF_BY_KEY_CUT_H
#define BMF_BY_KEY_CUT_H

#include <stdint.h>

__extension__ typedef unsigned __int128 bmf_uint128;

/* Division by a number that does not change: exact while x * divisor stays below 2^64. */
typedef struct bmf_divisor {
    uint64_t divisor, inverse; /* inverse: ceil (2^64 / divisor), or 0: divide */
} bmf_divisor;

typedef struct bmf_key_cut {
    int64_t count, members;
    /* The first members have one key more than the others. Of both kinds: the first member, its first key, the keys of
     * a share. */
    int64_t member[2], key[2];
    bmf_divisor share[2];
    bmf_divisor band; /* keys of a band, but for the last one of a share */
    int64_t bands;    /* of a share */
    int key_bytes;    /* 2, 4 or 8: of a key counted from its band's first; the same for any number of members */
} bmf_key_cut;

/* entry_bytes: of a table's entry. Depends on nothing but these. */
void key_cut_make(bmf_key_cut *cut, int64_t count, int64_t members, int64_t entry_bytes);

/* The first key of a member; of member `members`, count. */
int64_t key_cut_share(const bmf_key_cut *cut, int64_t member);
/* The first key of a band, and how many it has; possibly none. */
int64_t key_cut_band(const bmf_key_cut *cut, int64_t band, int64_t *keys);

static inline int64_t divide(const bmf_divisor *by, int64_t x)
{
    const uint64_t numerator = (uint64_t)x;
    return (int64_t)(by->inverse ? (uint64_t)((bmf_uint128)numerator * by->inverse >> 64) : numerator / by->divisor);
}

/* The band of a key, and in *inside its number there. Without branches that depend on the key. */
static inline int64_t key_cut_find(const bmf_key_cut *cut, int64_t key, int64_t *inside)
{
    const int kind = key >= cut->key[1];
    const int64_t share = divide(&cut->share[kind], key - cut->key[kind]);
    const int64_t rest = key - cut->key[kind] - share * (int64_t)cut->share[kind].divisor;
    const int64_t band = cut->bands > 1 ? divide(&cut->band, rest) : 0;
    *inside = rest - band * (int64_t)cut->band.divisor;
    return (cut->member[kind] + share) * cut->bands + band;
}

#endif
