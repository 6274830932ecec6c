/* Moving the data of files: MPI-IO, every rank its own part.
 *
 * Method: every rank opens the file alone, so that nobody waits for anybody, and moves its bytes in pieces that an MPI
 * count can hold. A piece may come back short; the rest is asked for again until nothing moves. The calls block: they
 * wait in the kernel for the disk, not in MPI for another rank, and MPICH's non-blocking ones never finish when the
 * operating system reports an error such as a full disk (seen with 4.0.2).
 * Cost: every byte once, one call for each 256 MiB.
 */
#include <inttypes.h>

#include "runtime/backend/backend.h"
#include "runtime/base/progress.h"
#include "runtime/files/bytes.h"

static const int64_t largest_piece = (int64_t)1 << 28;

int bytes_open(bmf_context *ctx, const char *path, int mode, MPI_File *file)
{
    int error = MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, file), class;
    if (error == MPI_SUCCESS)
        return BMF_OK;
    MPI_Error_class(error, &class);
    const char *reason = class == MPI_ERR_NO_SUCH_FILE ? "it does not exist there"
                         : class == MPI_ERR_ACCESS     ? "permission denied"
                         : class == MPI_ERR_QUOTA      ? "quota exceeded"
                         : class == MPI_ERR_NO_SPACE   ? "no space left"
                         : class == MPI_ERR_READ_ONLY  ? "the file system is read-only"
                                                       : "MPI-IO refused";
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open on rank %d: %s", path, ctx->rank, reason);
}

/* The next piece of what is left, as an MPI count. */
static int piece_of(int64_t left)
{
    return (int)(left < largest_piece ? left : largest_piece);
}

static int64_t bytes_moved(const MPI_Status *status)
{
    MPI_Count moved = 0;
    MPI_Get_elements_x(status, MPI_BYTE, &moved);
    return moved;
}

static int read_pieces(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, void *data, int64_t bytes,
                       bmf_progress *progress)
{
    char *to = data;
    for (int64_t done = 0, moved; done < bytes; done += moved) {
        MPI_Status status;
        progress_tell(progress, (double)done / (double)bytes);
        int error = MPI_File_read_at(file, offset + done, to + done, piece_of(bytes - done), MPI_BYTE, &status);
        if (error != MPI_SUCCESS)
            return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot read at byte %" PRId64, path, offset + done);
        moved = bytes_moved(&status);
        if (moved == 0)
            return bmf_fail(ctx, BMF_ERROR_FILE, "%s: the file ends at byte %" PRId64 " while it is read", path,
                            offset + done);
    }
    return BMF_OK;
}

int bytes_read(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, void *data, int64_t bytes)
{
    bmf_progress progress;
    progress_begin(&progress, "reading");
    const int status = read_pieces(ctx, path, file, offset, data, bytes, &progress);
    progress_end(&progress);
    return status;
}

static int write_pieces(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, const void *data,
                        int64_t bytes, bmf_progress *progress)
{
    const char *from = data;
    for (int64_t done = 0, moved; done < bytes; done += moved) {
        MPI_Status status;
        progress_tell(progress, (double)done / (double)bytes);
        int error = MPI_File_write_at(file, offset + done, from + done, piece_of(bytes - done), MPI_BYTE, &status);
        moved = error == MPI_SUCCESS ? bytes_moved(&status) : 0;
        if (moved == 0)
            return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write at byte %" PRId64 ": is the disk full?", path,
                            offset + done);
    }
    return BMF_OK;
}

int bytes_write(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, const void *data, int64_t bytes)
{
    bmf_progress progress;
    progress_begin(&progress, "writing");
    const int status = write_pieces(ctx, path, file, offset, data, bytes, &progress);
    progress_end(&progress);
    return status;
}

void bytes_record(bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes, int64_t begin)
{
    int64_t end = context_now(ctx), duration = end - begin;
    if (ctx->backend->file)
        ctx->backend->file(ctx, partition, element_bytes, duration);
    if (!ctx->run || ctx->backend->file)
        return;
    const bmf_position *at = &ctx->position[ctx->depth < BMF_NODE_DEPTH ? ctx->depth : BMF_NODE_DEPTH - 1];
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++)
        run_add(ctx->run, &(bmf_event){.begin = begin,
                                       .end = end,
                                       .amount = (partition->start[k + 1] - partition->start[k]) * element_bytes,
                                       .low = duration,
                                       .high = duration,
                                       .node = at->node,
                                       .instance = at->instance,
                                       .lane = (int32_t)bmf_partition_processor(partition, k),
                                       .peer = -1,
                                       .kind = BMF_EVENT_FILE});
}
