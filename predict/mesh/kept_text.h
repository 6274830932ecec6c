/* Texts that are kept in files between runs: what was expensive to find, by what was asked for. A file has the request,
 * its key, then what was found, and ends with a sum of both, so that a damaged one is known. Several processes may
 * share a directory. Not collective; needs no MPI. */
#ifndef BMF_MESH_KEPT_TEXT_H
#define BMF_MESH_KEPT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct bmf_kept_text {
    const char *directory; /* it is made when the first file is written; NULL: nothing is kept */
    const char *ending;    /* files are NUMBER.ENDING, NUMBER a hash of the key */
    const char *key;       /* ends with a line feed */
} bmf_kept_text;

typedef enum bmf_kept { BMF_NOT_KEPT, BMF_KEPT, BMF_KEPT_DAMAGED } bmf_kept;

/* Takes what was found from a stream of so many bytes; false: it is not right. */
typedef bool bmf_kept_reader(void *state, FILE *stream, int64_t bytes);
/* Writes what is to be kept into a stream; errors stay with the stream. */
typedef void bmf_kept_writer(void *state, FILE *stream);

/* BMF_KEPT: there is such a text, and the reader has taken it. */
bmf_kept kept_text_read(const bmf_kept_text *kept, bmf_kept_reader *reader, void *state);
/* Writes key, what the writer has, and sum, as a whole or not at all. That it cannot is no error. */
void kept_text_write(const bmf_kept_text *kept, bmf_kept_writer *writer, void *state);

#endif
