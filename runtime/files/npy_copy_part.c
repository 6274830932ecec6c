/* A part of a .npy file as a file of its own.
 *
 * Method: row by row, or, where whole rows are wanted, in blocks. Cost: the part's bytes, read and written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/files/npy_part.h"
#include "runtime/files/npy_private.h"

enum { BLOCK = 1 << 20 };

/* Where a row begins, and what is wanted of the rows. */
typedef struct stretch {
    int64_t offset, stride, bytes, count;
} stretch;

static stretch find_stretch(const bmf_npy_header *header, int64_t first, int64_t rows, int64_t columns)
{
    const int64_t size = header->scalar->size, row = header->shape[1] * size;
    const stretch whole = {header->data_offset + first * row, row, rows * row, 1};
    return columns == header->shape[1] ? whole : (stretch){whole.offset, row, columns * size, rows};
}

static int copy_bytes(FILE *from, FILE *to, int64_t bytes, char *block)
{
    while (bytes > 0) {
        const size_t part = bytes < BLOCK ? (size_t)bytes : BLOCK;
        errno = 0;
        if (fread(block, 1, part, from) != part || fwrite(block, 1, part, to) != part)
            return errno ? errno : EIO;
        bytes -= (int64_t)part;
    }
    return 0;
}

static int copy_rows(FILE *from, FILE *to, stretch rows)
{
    char *block = allocate(BLOCK);
    int failure = 0;
    for (int64_t k = 0; k < rows.count && failure == 0; k++)
        failure = fseeko(from, (off_t)(rows.offset + k * rows.stride), SEEK_SET) != 0
                      ? errno
                      : copy_bytes(from, to, rows.bytes, block);
    free(block);
    return failure;
}

int npy_copy_part(const char *path, const bmf_npy_header *header, int64_t first, int64_t rows, int64_t columns,
                  const char *to)
{
    bmf_npy_header part = *header;
    char bytes[NPY_HEADER_SIZE];
    bmf_output_file output;
    FILE *from = fopen(path, "rb");
    if (!from)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    part.shape[0] = rows;
    part.shape[1] = columns;
    npy_print_header(&part, bytes);
    int failure = output_file_open_regular(&output, to);
    if (failure == 0) {
        output.unsynced = true;
        FILE *stream = output_file_stream(&output);
        failure = fwrite(bytes, 1, NPY_HEADER_SIZE, stream) == NPY_HEADER_SIZE ? 0 : errno;
        if (failure == 0)
            failure = copy_rows(from, stream, find_stretch(header, first, rows, columns));
        failure = output_file_close(&output, failure);
    }
    fclose(from);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot copy a part of %s: %s", to, path, strerror(failure))
                   : BMF_OK;
}
