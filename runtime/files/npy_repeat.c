/* A .npy file of more rows than there are, made of those that there are, one after the other and again from the first.
 *
 * Method: the rows are read once and written as often as it takes. Cost: memory for the rows, and the bytes written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/files/npy_part.h"

/* The rows of the file; NULL, and errno: they cannot be read. The caller frees. */
static char *read_rows(const char *path, const bmf_npy_header *header, int64_t bytes)
{
    FILE *from = fopen(path, "rb");
    if (!from)
        return NULL;
    char *rows = allocate(bytes);
    errno = 0;
    const bool read =
        fseeko(from, (off_t)header->data_offset, SEEK_SET) == 0 && fread(rows, 1, (size_t)bytes, from) == (size_t)bytes;
    const int failure = errno ? errno : EIO;
    fclose(from);
    if (read)
        return rows;
    free(rows);
    errno = failure;
    return NULL;
}

static int write_rows(FILE *to, const char *rows, int64_t bytes, int64_t wanted)
{
    for (int64_t part; wanted > 0; wanted -= part) {
        part = wanted < bytes ? wanted : bytes;
        if (fwrite(rows, 1, (size_t)part, to) != (size_t)part)
            return errno;
    }
    return 0;
}

int npy_repeat_rows(const char *path, const bmf_npy_header *header, int64_t rows, const char *to)
{
    bmf_npy_header repeated = *header;
    char bytes[NPY_HEADER_SIZE];
    bmf_output_file output;
    const int64_t row = header->shape[1] * header->scalar->size;
    char *data = read_rows(path, header, header->shape[0] * row);
    if (!data)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot read: %s", path, strerror(errno));
    repeated.shape[0] = rows;
    npy_print_header(&repeated, bytes);
    int failure = output_file_open_regular(&output, to);
    if (failure == 0) {
        output.unsynced = true;
        FILE *stream = output_file_stream(&output);
        failure = fwrite(bytes, 1, NPY_HEADER_SIZE, stream) == NPY_HEADER_SIZE
                      ? write_rows(stream, data, header->shape[0] * row, rows * row)
                      : errno;
        failure = output_file_close(&output, failure);
    }
    free(data);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot write: %s", to, strerror(failure)) : BMF_OK;
}
