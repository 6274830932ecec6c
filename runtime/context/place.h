/* Places of calls in C: what bmf/places.h notes. */
#ifndef BMF_CONTEXT_PLACE_H
#define BMF_CONTEXT_PLACE_H

#include <stddef.h>

/* "file:line" of the call of this thread that is under way, into text; NULL if none is, or its place is not known. */
const char *place_of_call(char *text, size_t size);

#endif
