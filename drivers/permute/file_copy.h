/* Copying a file: the limit that permuting one is measured against. */
#ifndef BMF_PERMUTE_FILE_COPY_H
#define BMF_PERMUTE_FILE_COPY_H

#include "bmf/context.h"

/* Seconds of copying `bytes` bytes of `in` to a file beside `out`, which is synced and removed. Of one process. */
int file_copy_time(bmf_context *ctx, const char *in, const char *out, int64_t bytes, double *seconds);

#endif
