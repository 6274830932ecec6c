/* Lists of numbers on the command line: 1,2,4 or 1..32 or 20..100+20, of times with units. */
#ifndef BMF_DRIVERS_NUMBER_LIST_H
#define BMF_DRIVERS_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bmf_number_list {
    int64_t count;
    double *number; /* no number twice, in the order given; free() releases it */
} bmf_number_list;

enum { BMF_NUMBER_LIST_MAX = 1 << 20 };

typedef struct bmf_number_rule {
    double min, max;
    bool whole; /* only whole numbers */
    bool times; /* microseconds; with us, ms or s behind a number */
    bool every; /* A..B: all whole numbers from A to B; otherwise A, 2 A, 4 A, .. and B */
} bmf_number_rule;

/* Adds what the text says. A..B+S: from A to B in steps of S. False if it is no list of such numbers, or one of more
 * than BMF_NUMBER_LIST_MAX. Cost: O(numbers), expected. */
bool number_list_read(const char *text, const bmf_number_rule *rule, bmf_number_list *list);

#endif
