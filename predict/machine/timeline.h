/* Time-lines: when a channel is busy. Messages take the earliest gap that is long enough.
 *
 * Method: intervals in order; those that touch are one, those that lie before the present are dropped, because nothing
 * starts there any more. A message looks from the first interval that ends behind its coming on.
 * Cost: O(1) where messages come in order; O(log n + gaps passed + intervals moved) otherwise, n being the intervals that
 * lie ahead. Source: document 000, 6.3.1, figures 6-2 and 6-3.
 */
#ifndef BMF_TIMELINE_H
#define BMF_TIMELINE_H

#include <stdint.h>

typedef struct bmf_busy {
    double begin, end; /* seconds */
} bmf_busy;

/* All zero: never busy. */
typedef struct bmf_timeline {
    bmf_busy *busy; /* [first, first + count) of capacity */
    int32_t first, count, capacity;
} bmf_timeline;

/* Marks the earliest `seconds` from `from` on in which the channel is free, and returns where they begin. Nobody will ask
 * for times before `present` <= from. */
double bmf_timeline_take(bmf_timeline *line, double present, double from, double seconds);
void bmf_timeline_clear(bmf_timeline *line);
void bmf_timeline_free(bmf_timeline *line);

#endif
