/* Binary search in what rises. Cost: log2 count steps. */
#ifndef BMF_SEARCH_H
#define BMF_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The first k in [0, count) for which above(state, k) holds, or count if there is none: where it holds, it holds for
 * all larger k. Compilers inline `above`. */
static inline int64_t search_first(int64_t count, bool (*above)(const void *state, int64_t k), const void *state)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (above(state, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first k with value[k] >= x, or count. value[0, count) does not fall. */
static inline int64_t first_not_below(const int64_t *value, int64_t count, int64_t x)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (value[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first k with value[k] > x, or count. value[0, count) does not fall. */
static inline int64_t first_above(const int64_t *value, int64_t count, int64_t x)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (value[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last k with value[k] <= x, or -1. With the starts of parts: the part that holds x. */
static inline int64_t last_not_above(const int64_t *value, int64_t count, int64_t x)
{
    return first_above(value, count, x) - 1;
}

#endif
