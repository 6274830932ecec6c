/* What rank 0 knows, on every rank. */
#ifndef BMF_SHARE_H
#define BMF_SHARE_H

#include "bmf/context.h"

/* Makes a block of bytes known whose size only rank 0 knows; the others get one of allocate's. Collective; settles what
 * rank 0 has failed in (ctx->backend->bcast). One broadcast of 4 KiB, and a second one for longer blocks. */
int share_block(bmf_context *ctx, char **block, int64_t *bytes);

#endif
