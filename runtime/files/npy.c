/* .npy: NumPy's format, of numbers, truth values and structures of them, in both orders. npy_header.c reads headers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/files/format.h"
#include "runtime/files/npy_private.h"

int npy_find(bmf_context *ctx, const unsigned char *bytes, int64_t count, int64_t size, data_file *file)
{
    char why[BMF_MESSAGE_SIZE] = "";
    int64_t text_size, offset = npy_parse_prefix(bytes, count, &text_size, why, sizeof why);
    if (offset < 0)
        return data_fail(ctx, file, "%s", why);
    if (offset + text_size > count)
        return data_fail(ctx, file, "truncated header: %" PRId64 " bytes expected, %" PRId64 " found",
                         offset + text_size, count);
    if (!npy_parse_layout((const char *)bytes + offset, text_size, file, why, sizeof why))
        return data_fail(ctx, file, "%s", why);
    file->offset += offset + text_size;
    const int64_t expected = data_file_bytes(file), found = size - (offset + text_size);
    if (size >= 0 && found < expected)
        return data_fail(ctx, file, "truncated data: %" PRId64 " bytes expected, %" PRId64 " found", expected, found);
    return BMF_OK;
}

static int find(bmf_context *ctx, data_file *file)
{
    const int opened = data_open(ctx, file);
    if (opened < 0)
        return BMF_ERROR_FILE;
    const int64_t wanted = file->size < NPY_LONGEST_HEADER ? file->size : NPY_LONGEST_HEADER;
    const int64_t first = wanted < 4096 ? wanted : 4096;
    unsigned char *bytes = allocate(wanted + 1);
    int64_t text, found = data_read_at(opened, bytes, first, 0);
    char why[BMF_MESSAGE_SIZE];
    /* Most headers are in the first page. */
    if (found == first && npy_parse_prefix(bytes, found, &text, why, sizeof why) >= 0 && text + BMF_NPY_PREFIX > first)
        found = data_read_at(opened, bytes, wanted, 0);
    const int status =
        found < 0 ? data_fail(ctx, file, "%s", strerror(errno)) : npy_find(ctx, bytes, found, file->size, file);
    free(bytes);
    close(opened);
    return status;
}

/* ---- writing ---- */

/* A structure's fields without names are called f0, f1, .., as NumPy does. */
static void print_descr(const data_file *file, FILE *to)
{
    char code[8];
    if (file->fields == 1) {
        fprintf(to, "'%s'", stored_code(file->field[0].scalar, code));
        return;
    }
    for (int k = 0; k < file->fields; k++) {
        char made[16];
        snprintf(made, sizeof made, "f%d", k);
        fprintf(to, "%s('%s', '%s')", k == 0 ? "[" : ", ", *file->field[k].name ? file->field[k].name : made,
                stored_code(file->field[k].scalar, code));
    }
    fputc(']', to);
}

char *npy_header_of(const data_file *file, int64_t *bytes)
{
    enum { ALIGNMENT = 64, SMALLEST = 128 };
    char *text = NULL;
    size_t used = 0;
    FILE *to = open_memstream(&text, &used);
    if (!to)
        out_of_memory(0, "for a header");
    fputs("{'descr': ", to);
    print_descr(file, to);
    fputs(", 'fortran_order': False, 'shape': (", to);
    for (int d = 0; d < file->dimensions; d++)
        fprintf(to, "%s%" PRId64, d > 0 ? ", " : "", file->shape[d]);
    fputs(file->dimensions == 1 ? ",), }" : "), }", to);
    fclose(to);
    *bytes = ((int64_t)used + 1 + BMF_NPY_PREFIX_1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *bytes = *bytes < SMALLEST ? SMALLEST : *bytes; /* as NumPy leaves room for the shape to grow */
    char *header = allocate(*bytes);
    const int64_t size = *bytes - BMF_NPY_PREFIX_1;
    const char prefix[] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(size & 255), (char)(size >> 8)};
    memset(header, ' ', (size_t)*bytes);
    memcpy(header, prefix, sizeof prefix);
    memcpy(header + sizeof prefix, text, used);
    header[*bytes - 1] = '\n';
    free(text);
    return header;
}

static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    char *header = npy_header_of(file, &file->offset);
    const ssize_t written = write(output->file, header, (size_t)file->offset);
    free(header);
    if (written != file->offset)
        return data_fail(ctx, file, "cannot write: %s", strerror(errno ? errno : ENOSPC));
    return BMF_OK;
}

static const char *const endings[] = {".npy", NULL};
const data_format data_format_npy = {.name = ".npy",
                                     .endings = endings,
                                     .bare = true,
                                     .find = find,
                                     .read = data_read_binary,
                                     .join = data_join_binary,
                                     .begin = begin};
