/* Copying a file; see file_copy.h.
 *
 * Method: pieces of 4 MiB from front to back, by as many threads as permuting takes, into a file whose space is
 * reserved. */
#define _GNU_SOURCE
#include "drivers/permute/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"

enum { PIECE = 4 << 20, MIN_THREADS = 8 };

static int copy_piece(int from, int to, char *buffer, int64_t offset, int64_t bytes)
{
    while (bytes > 0) {
        const ssize_t got = pread(from, buffer, (size_t)bytes, offset);
        const ssize_t put = got > 0 ? pwrite(to, buffer, (size_t)got, offset) : got;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        offset += put;
        bytes -= put;
    }
    return 0;
}

static int copy(int from, int to, int64_t bytes, int threads)
{
    int failure = 0;
    (void)fallocate(to, 0, 0, bytes);
#pragma omp parallel num_threads(threads < MIN_THREADS ? MIN_THREADS : threads)
    {
        char *buffer = allocate(PIECE);
#pragma omp for schedule(dynamic)
        for (int64_t offset = 0; offset < bytes; offset += PIECE) {
            const int failed = copy_piece(from, to, buffer, offset, bytes - offset < PIECE ? bytes - offset : PIECE);
            if (failed)
#pragma omp atomic write
                failure = failed;
        }
        free(buffer);
    }
    return failure || fsync(to) == 0 ? failure : errno;
}

int file_copy_time(bmf_context *ctx, const char *in, const char *out, int64_t bytes, double *seconds)
{
    bmf_output_file output;
    const int from = open(in, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open: %s", in, strerror(errno));
    int failure = output_file_open_regular(&output, out);
    const double begin = bmf_seconds(ctx);
    if (!failure)
        failure = copy(from, output.file, bytes, bmf_threads(ctx));
    *seconds = bmf_seconds(ctx) - begin;
    output_file_close(&output, ECANCELED);
    close(from);
    return failure ? bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write a copy: %s", out, strerror(failure)) : BMF_OK;
}
