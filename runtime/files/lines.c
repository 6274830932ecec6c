/* The lines of a file: a buffer of 1 MiB, which grows for longer lines. */
#include "runtime/files/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/files/format.h"

enum { FIRST_SIZE = 1 << 20 };

void lines_open(line_reader *lines, int file, int64_t offset, bool behind_newline)
{
    *lines = (line_reader){.file = file, .offset = offset - behind_newline, .size = FIRST_SIZE};
    lines->buffer = allocate(lines->size + 1);
    if (behind_newline) { /* what ends in the byte before, or is in its middle, belongs to another */
        char *line;
        int64_t length, begin;
        lines_next(lines, &line, &length, &begin);
    }
}

void lines_close(line_reader *lines)
{
    free(lines->buffer);
    *lines = (line_reader){.file = -1};
}

/* More bytes behind those of the line under way. */
static int refill(line_reader *lines)
{
    const int64_t kept = lines->filled - lines->next;
    memmove(lines->buffer, lines->buffer + lines->next, (size_t)kept);
    lines->offset += lines->next;
    lines->next = 0;
    if (kept == lines->size) {
        if (lines->size >= LINE_LONGEST) {
            errno = EFBIG;
            return -1;
        }
        lines->buffer = reallocate(lines->buffer, lines->size + 1, 2 * lines->size + 1);
        lines->size *= 2;
    }
    const int64_t found = data_read_at(lines->file, lines->buffer + kept, lines->size - kept, lines->offset + kept);
    lines->filled = kept + (found < 0 ? 0 : found);
    lines->ended = found >= 0 && lines->filled < lines->size;
    return found < 0 ? -1 : 0;
}

/* What is from `next` on, up to the first newline behind `kept` bytes. */
static int take_line(line_reader *lines, int64_t kept, char **line, int64_t *length)
{
    for (int64_t seen = kept;;) {
        char *from = lines->buffer + lines->next;
        const int64_t left = lines->filled - lines->next;
        char *newline = memchr(from + seen, '\n', (size_t)(left - seen));
        if (newline || (lines->ended && left > kept)) {
            char *end = newline ? newline : from + left;
            *line = from;
            lines->begin = lines->next;
            lines->next += end - from + (newline ? 1 : 0);
            if (end > from + kept && end[-1] == '\r')
                end--;
            lines->cut = end - lines->buffer;
            lines->replaced = *end;
            *end = '\0';
            *length = end - from;
            return 1;
        }
        if (lines->ended)
            return 0;
        seen = left;
        if (refill(lines) != 0)
            return -1;
    }
}

int lines_next(line_reader *lines, char **line, int64_t *length, int64_t *begin)
{
    const int found = take_line(lines, 0, line, length);
    if (found > 0)
        *begin = lines->offset + lines->begin;
    return found;
}

int lines_join(line_reader *lines, char **line, int64_t *length, int64_t *added)
{
    const int64_t kept = lines->next - lines->begin, cut = lines->cut - lines->begin;
    lines->buffer[lines->cut] = lines->replaced;
    lines->next = lines->begin;
    const int found = take_line(lines, kept, line, length);
    *added = kept;
    if (found == 0) {
        lines->begin = lines->next;
        lines->cut = lines->begin + cut;
        lines->buffer[lines->cut] = '\0';
        lines->next += kept;
        *line = lines->buffer + lines->begin;
        *length = cut;
    }
    return found;
}
