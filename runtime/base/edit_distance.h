/* How much two names differ, for messages that suggest near ones. */
#ifndef BMF_EDIT_DISTANCE_H
#define BMF_EDIT_DISTANCE_H

#include <stdint.h>
#include <string.h>

/* The minimal number of letters to add, leave out or replace to get from one name to the other. Names have a_size and
 * b_size letters; of names of more than 64 letters it is the length of the longer one. */
int64_t edit_distance(const char *a, int64_t a_size, const char *b, int64_t b_size);
/* The same, where capital and small letters are the same. */
int64_t edit_distance_caseless(const char *a, int64_t a_size, const char *b, int64_t b_size);

/* edit_distance of two texts. */
static inline int name_distance(const char *a, const char *b)
{
    return (int)edit_distance(a, (int64_t)strlen(a), b, (int64_t)strlen(b));
}

#endif
