/* One pass over a file: every tile is read, permuted in memory, and written. Internal. */
#ifndef BMF_EXTERNAL_PASS_H
#define BMF_EXTERNAL_PASS_H

#include "permute/external/plan.h"

/* A file with records from byte `offset` on; open for reading or writing. */
typedef struct bmf_external_file {
    int file;
    int64_t offset;
} bmf_external_file;

/* Why a pass ended early. */
typedef struct bmf_external_failure {
    int error;      /* errno; 0: the file ended before its records */
    bool writing;   /* or reading */
    int64_t offset; /* in that file */
} bmf_external_failure;

typedef struct bmf_external_work {
    const bmf_external_pass *pass;
    int64_t record_bytes;
    bmf_external_file source, target;
    int64_t first, end;    /* tiles of this pass: their order is part of the plan */
    char *read, *permuted; /* 2^tile_bits records each */
    int threads;
    /* Called when tiles below `tile` are in the target, but not yet synced; false: stop here. NULL: not wanted. */
    bool (*done)(void *state, int64_t tile);
    void *state;
} bmf_external_work;

/* Tiles of a pass: 2^(n - tile_bits). */
int64_t external_tiles(const bmf_external_pass *pass);

/* BMF_OK; BMF_ERROR_FILE with the failure; BMF_ERROR_MEMORY. Stopping is no failure. Not collective: ranks may take
 * tiles of the same pass at the same time. */
int external_pass_run(const bmf_external_work *work, bmf_external_failure *failure);

#endif
