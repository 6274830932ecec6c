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
#include "runtime/files/format.h"
#include "runtime/files/npy_part.h"

bool npy_repeats(const data_file *file)
{
    int64_t bytes = 0;
    bool swapped = false;
    for (int k = 0; k < file->fields; k++) {
        bytes += stored_size(file->field[k].scalar);
        swapped = swapped || file->field[k].swapped;
    }
    return data_format_of(file) == &data_format_npy && bytes == file->item_bytes && !swapped && !file->fortran;
}

/* The rows of the file; NULL, and errno: they cannot be read. The caller frees. */
static char *read_rows(const data_file *file, int64_t bytes)
{
    FILE *from = fopen(file->path, "rb");
    if (!from)
        return NULL;
    char *rows = allocate(bytes);
    errno = 0;
    const bool read =
        fseeko(from, (off_t)file->offset, SEEK_SET) == 0 && fread(rows, 1, (size_t)bytes, from) == (size_t)bytes;
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

/* The header for so many rows, and the rows. */
static int write_file(FILE *to, data_file *file, const char *rows, int64_t bytes, int64_t wanted)
{
    int64_t size;
    const int64_t row = bytes / file->shape[0];
    file->shape[0] = wanted;
    char *header = npy_header_of(file, &size);
    const int failure =
        fwrite(header, 1, (size_t)size, to) == (size_t)size ? write_rows(to, rows, bytes, wanted * row) : errno;
    free(header);
    return failure;
}

static int repeat_rows(data_file *file, int64_t rows, const char *to)
{
    bmf_output_file output;
    BMF_TRY(data_file_find(NULL, file));
    const int64_t bytes = data_file_bytes(file);
    char *data = read_rows(file, bytes);
    if (!data)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot read: %s", file->path, strerror(errno));
    int failure = output_file_open_regular(&output, to);
    if (failure == 0) {
        output.unsynced = true;
        failure = output_file_close(&output, write_file(output_file_stream(&output), file, data, bytes, rows));
    }
    free(data);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot write: %s", to, strerror(failure)) : BMF_OK;
}

int npy_repeat_rows(const char *path, int64_t rows, const char *to)
{
    data_file file;
    data_file_npy(path, &file);
    const int status = repeat_rows(&file, rows, to);
    data_file_free(&file);
    return status;
}
