/* Texts that are kept in files between runs: what was expensive to find. A file ends with a sum of the rest, so that a
 * damaged one is known. Several processes may share a directory. Not collective; needs no MPI. */
#ifndef BMF_MESH_KEPT_TEXT_H
#define BMF_MESH_KEPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The text of a file without its last line, the sum; NULL: it is not there, or damaged, which *damaged then says (NULL:
 * nobody wants to know). The caller frees. */
char *kept_text_read(const char *path, size_t *length, bool *damaged);
/* Writes text and sum, as a whole or not at all; makes the directory. That it cannot is no error. */
void kept_text_write(const char *directory, const char *path, const char *text, size_t length);

#endif
