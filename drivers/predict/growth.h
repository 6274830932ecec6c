/* How counts, bytes and times grow with the elements of an argument: from four small sizes to any.
 *
 * Method: of sizes that lie on a line, Newton's forward differences. Where the third one is 0, numbers are constant, on
 * a line, or of pairs of elements (a polynomial of the second degree, at least half of all pairs), and follow for any
 * size. Others depend on the data or have another form: they are taken in proportion to the nearest power of the size,
 * or, between two powers, to both of them (if they hardly grow, to its logarithm), and are between the least and the
 * most that the sizes show.
 * Cost: constant. */
#ifndef BMF_DRIVERS_GROWTH_H
#define BMF_DRIVERS_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_GROWTH_SIZES = 4 };

typedef struct bmf_growth {
    int64_t each[BMF_GROWTH_SIZES]; /* elements; each is as many more than the one before */
    int64_t wanted;
} bmf_growth;

/* The least and the most that something may be. */
typedef struct bmf_growth_range {
    double low, high;
    bool follows; /* both are the same, and certain */
} bmf_growth_range;

/* Of numbers that are whole, and of those that have been rounded. Both are at least 0. */
bmf_growth_range growth_of_counts(const bmf_growth *growth, const int64_t number[BMF_GROWTH_SIZES]);
bmf_growth_range growth_of_seconds(const bmf_growth *growth, const double number[BMF_GROWTH_SIZES]);

#endif
