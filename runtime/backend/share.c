/* One broadcast for everything that a program begins with: most programs are short. */
#include "runtime/backend/share.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"

/* With the status that travels before it, 4 KiB. */
typedef struct beginning {
    int64_t bytes; /* of the whole block */
    char first[4096 - 2 * sizeof(int64_t)];
} beginning;

int share_block(bmf_context *ctx, char **block, int64_t *bytes)
{
    beginning shared = {0};
    const int64_t room = (int64_t)sizeof shared.first;
    if (bmf_is_root(ctx)) {
        shared.bytes = *bytes;
        memcpy(shared.first, *block, (size_t)(*bytes < room ? *bytes : room));
    }
    BMF_TRY(ctx->backend->bcast(ctx, 0, &shared, (int64_t)sizeof shared));
    *bytes = shared.bytes;
    const int64_t rest = *bytes - room;
    if (!bmf_is_root(ctx)) {
        *block = allocate(*bytes);
        memcpy(*block, shared.first, (size_t)(rest < 0 ? *bytes : room));
    }
    return rest > 0 ? ctx->backend->bcast(ctx, 0, *block + room, rest) : BMF_OK;
}
