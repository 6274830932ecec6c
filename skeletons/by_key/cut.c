/* Cutting keys among processors; see cut.h.
 *
 * Method: shares are those of an even split; a band is as long as the second-level cache has room for, unless there
 * would be more bands than lines that a core can write to at once. Then the members have more than half of so many
 * together, which bounds the keys of a band whatever their number. Finding takes two or three multiplications. */
#include "skeletons/by_key/cut.h"

enum { BAND_BYTES = 128 << 10, MOST_BANDS = 512 };
#define LONGEST_SHORT_BAND (INT64_C(1) << 16)
#define LONGEST_WORD_BAND  (INT64_C(1) << 32)

/* For numerators below `end`. */
static bmf_divisor make_divisor(int64_t divisor, int64_t end)
{
    const uint64_t by = divisor > 0 ? (uint64_t)divisor : 1;
    const bmf_uint128 most = (bmf_uint128)(end > 0 ? end : 0) * by;
    return (bmf_divisor){by, by > 1 && most < UINT64_MAX ? UINT64_MAX / by + 1 : 0};
}

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

/* Of a key in its band, for any number of members; fitting: keys of a band that is no longer than it needs to be. */
static int bytes_of_key(int64_t count, int64_t fitting)
{
    const int64_t bands = MOST_BANDS / 2 + 1, capped = (count + bands - 1) / bands;
    const int64_t short_one = count < fitting ? count : fitting, longest = capped > short_one ? capped : short_one;
    return longest <= LONGEST_SHORT_BAND ? 2 : longest <= LONGEST_WORD_BAND ? 4 : 8;
}

void key_cut_make(bmf_key_cut *cut, int64_t count, int64_t members, int64_t entry_bytes)
{
    const int64_t share = count / members, longer = count % members, longest = share + (longer > 0);
    const int64_t fitting = at_least_one(BAND_BYTES / entry_bytes), most = at_least_one(MOST_BANDS / members);
    int64_t bands = (longest + fitting - 1) / fitting;
    bands = bands < most ? bands : most;
    const int64_t band = at_least_one((longest + at_least_one(bands) - 1) / at_least_one(bands));
    *cut = (bmf_key_cut){.count = count,
                         .members = members,
                         .member = {0, longer},
                         .key = {0, longer * (share + 1)},
                         .share = {make_divisor(share + 1, count), make_divisor(share, count)},
                         .band = make_divisor(band, longest),
                         .bands = at_least_one((longest + band - 1) / band),
                         .key_bytes = bytes_of_key(count, fitting)};
}

int64_t key_cut_share(const bmf_key_cut *cut, int64_t member)
{
    return cut->count / cut->members * member + (member < cut->member[1] ? member : cut->member[1]);
}

int64_t key_cut_band(const bmf_key_cut *cut, int64_t band, int64_t *keys)
{
    const int64_t member = band / cut->bands, length = (int64_t)cut->band.divisor;
    const int64_t begin = key_cut_share(cut, member), end = key_cut_share(cut, member + 1);
    const int64_t first = begin + band % cut->bands * length, rest = end - first;
    *keys = rest <= 0 ? 0 : rest < length ? rest : length;
    return rest <= 0 ? end : first;
}
