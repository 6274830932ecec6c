/* The table of costs by which a context chooses: read by rank 0, and the same on all ranks.
 *
 * Method: rank 0 reads the file and broadcasts its text, so that all ranks have the same table or fail with the same
 * message. Cost: one agreement and two broadcasts, when the context is opened. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/context/host_file.h"

/* A table has a line for a time: larger files are something else. */
enum { MOST_BYTES = 16 << 20 };

int costs_load(const char *path, char **text, int64_t *size)
{
    FILE *file = fopen(path, "r");
    *text = NULL;
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read table of costs '%.400s': %s", path, strerror(errno));
    int64_t room = 1 << 12;
    char *bytes = allocate(room);
    *size = 0;
    for (size_t got; *size <= MOST_BYTES && (got = fread(bytes + *size, 1, (size_t)(room - *size), file)) > 0;) {
        *size += (int64_t)got;
        if (*size == room) {
            bytes = reallocate(bytes, room, 2 * room);
            room *= 2;
        }
    }
    const int failure = ferror(file) ? errno : 0;
    fclose(file);
    if (!failure && *size <= MOST_BYTES) {
        *text = bytes;
        return BMF_OK;
    }
    free(bytes);
    if (failure)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read table of costs '%.400s': %s", path, strerror(failure));
    return bmf_fail(NULL, BMF_ERROR_FILE, "%.400s: no table of costs: it has more than %d bytes", path, MOST_BYTES);
}

int costs_share(bmf_context *ctx, int status, const char *name, const char *text, int64_t size)
{
    char message[BMF_MESSAGE_SIZE];
    BMF_TRY(bmf_agree(ctx, status));
    BMF_TRY(ctx->backend->bcast(ctx, 0, &size, (int64_t)sizeof size));
    char *copy = allocate(size + 1);
    if (ctx->rank == 0)
        memcpy(copy, text, (size_t)size);
    status = ctx->backend->bcast(ctx, 0, copy, size);
    if (status == BMF_OK) {
        bmf_cost_table *table = cost_table_read(name, copy, size, message, sizeof message);
        if (table)
            costs_take(ctx, table, ctx->ranks);
        else
            status = bmf_fail(ctx, BMF_ERROR_FILE, "%s", message);
    }
    free(copy);
    return status;
}

/* Of this host, as `bmf calibrate --schedules` keeps it. */
static int load_kept(char path[PATH_MAX], char **text, int64_t *size)
{
    host_file_path(host_file_costs, path);
    if (access(path, F_OK) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE,
                        "no costs of algorithms were measured on this host with this MPI: there is no '%.400s', which "
                        "`bmf calibrate --schedules` makes",
                        path);
    return costs_load(path, text, size);
}

int costs_read(bmf_context *ctx, const char *path)
{
    char *text = NULL, kept[PATH_MAX];
    int64_t size = 0;
    int status = BMF_OK;
    if (ctx->rank == 0 && strcmp(path, "host") == 0) {
        status = load_kept(kept, &text, &size);
        path = kept;
    } else if (ctx->rank == 0) {
        status = costs_load(path, &text, &size);
    }
    if (status != BMF_OK)
        status = bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    status = costs_share(ctx, status, path, text, size);
    free(text);
    return status;
}

void costs_take(bmf_context *ctx, bmf_cost_table *table, int64_t ranks)
{
    const bmf_cost_model *message = table ? cost_table_message(table) : NULL;
    cost_table_free(ctx->costs);
    ctx->costs = table;
    ctx->costs_ranks = ranks;
    if (message)
        ctx->cost = *message;
    memset(ctx->chosen, 0, sizeof ctx->chosen);
}
