/* The path of a file that rank 0 has made and all ranks write to. */
#ifndef BMF_SHARED_PATH_H
#define BMF_SHARED_PATH_H

#include "bmf/status.h"

enum { BMF_SHARED_PATH = 4096 };

/* Collective. status: of rank 0's making the file, BMF_OK elsewhere; path: counts on rank 0, and all have it when
 * BMF_OK comes back. A path that is too long counts as a failure. Settles what ranks have failed in. Messages: a
 * broadcast. */
int share_path(bmf_context *ctx, int status, const char *path, char shared[BMF_SHARED_PATH]);

#endif
