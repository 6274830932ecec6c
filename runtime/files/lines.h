/* The lines of a file from any place on, without reading the rest. Internal. */
#ifndef BMF_FILES_LINES_H
#define BMF_FILES_LINES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct line_reader {
    int file;
    int64_t offset; /* of the buffer's first byte in the file */
    int64_t size, filled, next;
    int64_t begin, cut; /* in the buffer: the line that was returned last, and its NUL; */
    char replaced;      /* what stood there */
    char *buffer;
    bool ended;
} line_reader;

enum { LINE_LONGEST = 1 << 28 };

/* From `offset` on; behind_newline: from the first line that begins there or later (offset > 0). */
void lines_open(line_reader *lines, int file, int64_t offset, bool behind_newline);
void lines_close(line_reader *lines);
/* The next line, with a NUL in place of its end, until the next call; *begin: where it begins in the file. 1, 0 at
 * the end, -1 with errno. */
int lines_next(line_reader *lines, char **line, int64_t *length, int64_t *begin);
/* The line that was returned last and the next one, with the end of line between them; *added: where the next one
 * begins in *line. 1; 0 if there is no next one, and the line stays as it was; -1 with errno. */
int lines_join(line_reader *lines, char **line, int64_t *length, int64_t *added);

#endif
