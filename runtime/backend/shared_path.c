/* The path of a file that rank 0 has made and all ranks write to. */
#include "runtime/backend/shared_path.h"

#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/context/failure.h"

int share_path(bmf_context *ctx, int status, const char *path, char shared[BMF_SHARED_PATH])
{
    memset(shared, 0, BMF_SHARED_PATH);
    if (ctx->rank == 0 && status == BMF_OK) {
        if (strlen(path) < BMF_SHARED_PATH)
            strcpy(shared, path);
        else
            status = bmf_fail(ctx, BMF_ERROR_FILE, "%.200s..: the name is too long", path);
    }
    if (status != BMF_OK)
        failure_note(ctx, status);
    return ctx->backend->bcast(ctx, 0, shared, BMF_SHARED_PATH);
}
