/* Marks of filters; see marks.h.
 *
 * Cost: about one operation for eight marks to count or pack, one move an element kept. */
#include "skeletons/engine/marks.h"
#include "skeletons/engine/scalar_size.h"

#include <string.h>

/* The sum of at most 255 times 8 bytes of 0 or 1: eight counters in a word. */
BMF_VECTORISE static int64_t count_words(int64_t words, const uint8_t *mark)
{
    uint64_t counters = 0, sum = 0;
    for (int64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, mark + 8 * i, sizeof word);
        counters += word;
    }
    for (; counters > 0; counters >>= 8)
        sum += counters & 255;
    return (int64_t)sum;
}

int64_t marks_count(int64_t count, const uint8_t *mark)
{
    int64_t words = count / 8, kept = words > 0 ? count_words(words, mark) : 0;
    for (int64_t i = 8 * words; i < count; i++)
        kept += mark[i];
    return kept;
}

/* Eight bytes of 0 or 1 become eight bits. */
static uint64_t pack_eight(const uint8_t *mark)
{
    uint64_t bytes;
    memcpy(&bytes, mark, sizeof bytes);
    return bytes * UINT64_C(0x0102040810204080) >> 56;
}

void marks_pack(int64_t count, const uint8_t *mark, uint64_t *word)
{
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        uint64_t bits = 0;
        for (int k = 0; k < 8; k++)
            bits |= pack_eight(mark + i + 8 * k) << (8 * k);
        *word++ = bits;
    }
    if (i < count) {
        uint64_t bits = 0;
        for (int64_t k = i; k < count; k++)
            bits |= (uint64_t)mark[k] << (k - i);
        *word = bits;
    }
}

#define KEEP(size)                                                                                                     \
    for (; bits; bits &= bits - 1, to += (size))                                                                       \
    memcpy(to, x + __builtin_ctzll(bits) * from->stride, (size_t)(size))

char *marks_keep(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    const char *x = from->data;
    for (int64_t i = 0; i < count; i += 64, x += 64 * from->stride) {
        uint64_t bits = word[i / 64];
        if (bits == ~UINT64_C(0) && from->stride == size) {
            memcpy(to, x, (size_t)(64 * size));
            to += 64 * size;
        } else {
            WITH_SCALAR_SIZE(size, KEEP);
        }
    }
    return to;
}

bool marks_any(int64_t count, const uint64_t *word)
{
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i += 64)
        any |= word[i / 64];
    return any != 0;
}
