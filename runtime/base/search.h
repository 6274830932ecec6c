/* Binary search in what rises. Cost: log2 count steps. */
#ifndef BMF_SEARCH_H
#define BMF_SEARCH_H

#include <stdint.h>

/* The first k in [begin, end) for which `above`, an expression over k, holds, or end if there is none: where it holds,
 * it holds for all larger k. The macro declares k. */
#define SEARCH_FIRST(k, begin, end, above)                                                                             \
    __extension__({                                                                                                    \
        int64_t search_low_ = (begin), search_high_ = (end);                                                           \
        while (search_low_ < search_high_) {                                                                           \
            const int64_t k = search_low_ + (search_high_ - search_low_) / 2;                                          \
            if (above)                                                                                                 \
                search_high_ = k;                                                                                      \
            else                                                                                                       \
                search_low_ = k + 1;                                                                                   \
        }                                                                                                              \
        search_low_;                                                                                                   \
    })

/* The first k with value[k] >= x, or count. value[0, count) does not fall. */
static inline int64_t first_not_below(const int64_t *value, int64_t count, int64_t x)
{
    return SEARCH_FIRST(k, 0, count, value[k] >= x);
}

/* The first k from `begin` on with value[k] >= x, or count. Cost: log2 of how far it is from `begin`. */
static inline int64_t next_not_below(const int64_t *value, int64_t begin, int64_t count, int64_t x)
{
    int64_t step = 1;
    while (step <= count - begin && value[begin + step - 1] < x) {
        begin += step;
        step *= 2;
    }
    return SEARCH_FIRST(k, begin, step < count - begin ? begin + step : count, value[k] >= x);
}

/* The first k with value[k] > x, or count. value[0, count) does not fall. */
static inline int64_t first_above(const int64_t *value, int64_t count, int64_t x)
{
    return SEARCH_FIRST(k, 0, count, value[k] > x);
}

/* The last k with value[k] <= x, or -1. With the starts of parts: the part that holds x. */
static inline int64_t last_not_above(const int64_t *value, int64_t count, int64_t x)
{
    return first_above(value, count, x) - 1;
}

#endif
