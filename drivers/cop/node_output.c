/* Method: a stream of its own (fopencookie), whose writer hands on lines when they are whole. */
#define _GNU_SOURCE
#include "drivers/cop/node_output.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

typedef struct node_output {
    FILE *console;
    int64_t node;
    char *begun; /* of a line */
    int64_t length, capacity;
} node_output;

static int end_line(node_output *o)
{
    const bool good = (o->node == 0 || fprintf(o->console, "[%" PRId64 "] ", o->node) >= 0) &&
                      fwrite(o->begun, 1, (size_t)o->length, o->console) == (size_t)o->length &&
                      fputc('\n', o->console) != EOF;
    o->length = 0;
    return good ? 0 : EOF;
}

static ssize_t write_lines(void *state, const char *text, size_t length)
{
    node_output *o = state;
    for (const char *end = text + length, *next; text < end; text = next) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const int64_t size = (newline ? newline : end) - text;
        ARRAY_RESERVE(o->begun, o->capacity, o->length + size + 1);
        memcpy(o->begun + o->length, text, (size_t)size);
        o->length += size;
        if (newline && end_line(o) == EOF)
            return 0;
        next = newline ? newline + 1 : end;
    }
    return (ssize_t)length;
}

static int end_lines(void *state)
{
    node_output *o = state;
    const int result = o->length > 0 ? end_line(o) : 0;
    free(o->begun);
    free(o);
    return result;
}

FILE *node_output_open(FILE *console, int64_t node)
{
    node_output *o = allocate((int64_t)sizeof *o);
    *o = (node_output){.console = console, .node = node};
    FILE *made = fopencookie(o, "w", (cookie_io_functions_t){.write = write_lines, .close = end_lines});
    if (!made) {
        free(o);
        return NULL;
    }
    setvbuf(made, NULL, _IOLBF, BUFSIZ); /* so that lines keep the order in which nodes print them */
    return made;
}
