/* The names nearest to one that is not known, for messages that suggest what was meant.
 *
 *     near_names near = {.max = 3, .limit = 2};
 *     for (int k = 0; known[k]; k++)
 *         near_names_offer(&near, known[k], name_distance(unknown, known[k]));
 */
#ifndef BMF_NEAR_NAMES_H
#define BMF_NEAR_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { NEAR_NAMES_MAX = 5 };

typedef struct near_names {
    int max;       /* names that are kept, at most NEAR_NAMES_MAX */
    int64_t limit; /* names further away are not near */
    int count;
    const char *name[NEAR_NAMES_MAX]; /* the nearest first; of equally near ones that which was offered first */
    int64_t distance[NEAR_NAMES_MAX];
} near_names;

/* Keeps the name, which is not copied, if it is among the nearest so far. */
void near_names_offer(near_names *near, const char *name, int64_t distance);
/* "one, two, three", as far as it fits; returns text. */
char *near_names_text(const near_names *near, char *text, size_t size);

#endif
