/* Places of calls in C.
 *
 * Method: a stack for every thread, since the arguments of a call may contain calls, which begin after it and end
 * before it. Calls that are deeper inside of each other than the stack are counted, and have no place. */
#include "runtime/context/place.h"

#include <stdio.h>

#define BMF_NO_PLACES
#include "bmf/places.h"

enum { DEPTH = 16 };

static _Thread_local struct {
    const char *file;
    int line;
} stack[DEPTH];
static _Thread_local int depth;

void bmf_place_enter(const char *file, int line)
{
    if (depth < DEPTH) {
        stack[depth].file = file;
        stack[depth].line = line;
    }
    depth++;
}

int bmf_place_leave(int status)
{
    if (depth > 0)
        depth--;
    return status;
}

const char *place_of_call(char *text, size_t size)
{
    if (depth == 0 || depth > DEPTH)
        return NULL;
    snprintf(text, size, "%s:%d", stack[depth - 1].file, stack[depth - 1].line);
    return text;
}
