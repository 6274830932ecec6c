/* Growing arrays: a pointer, how many elements are in use and how many there is room for; room doubles. count and
 * capacity may be of any integer type. Memory is from allocate.h, free() releases it; an empty array is NULL, 0, 0.
 *
 *     int64_t *number = NULL, count = 0, capacity = 0;
 *     *ARRAY_APPEND(number, count, capacity) = 7;
 *     free(number);
 */
#ifndef BMF_ARRAY_H
#define BMF_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { ARRAY_FIRST = 16 };

/* How many elements there should be room for, when `wanted` are more than `capacity`. */
static inline int64_t array_room(int64_t capacity, int64_t wanted)
{
    const int64_t doubled = capacity < ARRAY_FIRST / 2 ? ARRAY_FIRST : 2 * capacity;
    return doubled > wanted ? doubled : wanted;
}

/* Makes room for `wanted` elements in all. Arguments may be evaluated several times. */
#define ARRAY_RESERVE(array, capacity, wanted)                                                                         \
    ((int64_t)(wanted) <= (int64_t)(capacity)                                                                          \
         ? (void)0                                                                                                     \
         : (void)((array) = reallocate_array((array), (capacity), array_room((capacity), (wanted)),                    \
                                             (int64_t)sizeof *(array)),                                                \
                  (capacity) = (__typeof__(capacity))array_room((capacity), (wanted))))

/* A pointer to one more element, with undefined contents, behind the others; count is one more. An assignment to it
 * must not mention count, array or capacity: it may be evaluated before or after. */
#define ARRAY_APPEND(array, count, capacity) (ARRAY_RESERVE(array, capacity, (int64_t)(count) + 1), &(array)[(count)++])

/* ---- for arrays as large as the user's data: without memory they stay as they are ---- */

/* Makes room for `wanted` elements in an array from malloc; `array` is the address of the pointer to it. Use
 * ARRAY_TRY_RESERVE. */
static inline bool array_try_grow(void *array, int64_t room, int64_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = room > PTRDIFF_MAX / size ? NULL : realloc(old, (size_t)(room * size));
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown;
}

/* Makes room for `wanted` elements in all; false if there is no memory. Memory is realloc's. */
#define ARRAY_TRY_RESERVE(array, capacity, wanted)                                                                     \
    ((int64_t)(wanted) <= (int64_t)(capacity) ||                                                                       \
     (array_try_grow(&(array), array_room((capacity), (wanted)), (int64_t)sizeof *(array)) &&                          \
      ((capacity) = (__typeof__(capacity))array_room((capacity), (wanted)), true)))

#endif
