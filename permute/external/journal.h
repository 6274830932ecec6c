/* How far a permutation of a file has come, for a run that goes on where an earlier one ended. Internal. */
#ifndef BMF_EXTERNAL_JOURNAL_H
#define BMF_EXTERNAL_JOURNAL_H

#include <stdint.h>

#include "bmf/status.h"

/* Tiles [0, tile) of this rank's share of pass `pass`, and all of its shares of the passes before, are on the disk. */
typedef struct bmf_external_journal {
    uint64_t key; /* of everything that decides what is done in which order */
    int pass;
    int64_t tile;
} bmf_external_journal;

/* The state at `path`: a text of one line. No file: pass 0, tile 0, with the key. BMF_ERROR_FILE: unreadable, or of
 * another key. Not collective. */
int external_journal_read(bmf_context *ctx, const char *path, bmf_external_journal *journal);
/* Replaces the file in one step. Not collective. */
int external_journal_write(bmf_context *ctx, const char *path, const bmf_external_journal *journal);

#endif
