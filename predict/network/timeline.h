/* Time-lines: when a channel is busy. Messages take the earliest gap that is long enough.
 *
 * Method: intervals in order, in blocks of up to 32 that know the widest gap before one of theirs, so that a search
 * passes blocks without looking inside. Intervals that touch are one, and what lies before the present is dropped,
 * because nothing starts there any more.
 * Cost: O(1) where messages come in order; otherwise O(log n + blocks passed + 32), n being the intervals that lie
 * ahead.
 * Source: document 000, 6.3.1, figures 6-2 and 6-3.
 */
#ifndef BMF_TIMELINE_H
#define BMF_TIMELINE_H

#include <stdint.h>

typedef struct bmf_busy {
    double begin, end; /* seconds */
} bmf_busy;

typedef struct bmf_busy_block {
    bmf_busy *busy; /* count of capacity */
    double end;     /* of the last one, -INFINITY if there is none */
    double widest;  /* gap before one of them, at least; INFINITY in the first block */
    int32_t count, capacity;
} bmf_busy_block;

/* All zero: never busy. */
typedef struct bmf_timeline {
    bmf_busy_block *block; /* [first, first + count) of capacity */
    int32_t first, count, capacity;
} bmf_timeline;

/* Marks the earliest `seconds` from `from` on in which the channel is free, and returns where they begin. Nobody will
 * ask for times before `present` <= from. */
double timeline_take(bmf_timeline *line, double present, double from, double seconds);
void timeline_clear(bmf_timeline *line);
void timeline_free(bmf_timeline *line);

#endif
