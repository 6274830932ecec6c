/* .raw, .bin: items one after the other and nothing else; the name says what they are: x.raw:float32,
 * x.raw:float64:100 (rows of 100), x.raw:int32,float64 (structures without padding). Little-endian, but for
 * what has a `>` before NumPy's code: x.raw:>f8. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/files/format.h"

int data_parse_fields(bmf_context *ctx, const char *text, data_file *file)
{
    char known[512];
    file->fields = 0;
    file->item_bytes = 0;
    for (const char *at = text;; at++) {
        const int size = (int)strcspn(at, ",:");
        bool swapped;
        const bmf_stored_scalar scalar = stored_named(at, size, &swapped);
        if (scalar == STORED_SCALARS) {
            stored_list(known, sizeof known);
            return data_fail(ctx, file, "`%.*s` is no type; bmf takes %s", size < 48 ? size : 48, at, known);
        }
        if (file->fields == BMF_MAX_LEAVES)
            return data_fail(ctx, file, "items of more than %d scalars", BMF_MAX_LEAVES);
        file->field[file->fields++] = (data_field){.scalar = scalar, .offset = file->item_bytes, .swapped = swapped};
        file->item_bytes += stored_size(scalar);
        at += size;
        if (*at != ',')
            return BMF_OK;
    }
}

static int find(bmf_context *ctx, data_file *file)
{
    BMF_TRY(data_parse_fields(ctx, file->what, file));
    const char *rows = strchr(file->what, ':');
    char *end = NULL;
    if (rows) {
        file->shape[1] = strtoll(rows + 1, &end, 10);
        file->dimensions = 2;
        if (end == rows + 1 || *end != '\0' || file->shape[1] < 1 || file->shape[1] > INT64_MAX / file->item_bytes)
            return data_fail(ctx, file, "`%s` is no length of rows", rows + 1);
    }
    const int opened = data_open(ctx, file);
    if (opened < 0)
        return BMF_ERROR_FILE;
    close(opened);
    const int64_t row = file->shape[1] * file->item_bytes;
    if (file->size % row != 0)
        return data_fail(ctx, file, "%" PRId64 " bytes are no whole number of %s of %" PRId64 " bytes", file->size,
                         rows ? "rows" : "items", row);
    file->shape[0] = file->size / row;
    return BMF_OK;
}

/* What is written has its list's own scalars; the name may say the same, or nothing. */
static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    data_file named = *file;
    (void)output;
    file->offset = 0;
    if (!file->what)
        return BMF_OK;
    BMF_TRY(data_parse_fields(ctx, file->what, &named));
    bool same = named.fields == file->fields;
    for (int k = 0; same && k < file->fields; k++)
        same = named.field[k].scalar == file->field[k].scalar && !named.field[k].swapped;
    return same ? BMF_OK : data_fail(ctx, file, "the list's scalars are not `%s`", file->what);
}

static const char *const endings[] = {".raw", ".bin", NULL};
const data_format data_format_raw = {.name = "raw",
                                     .endings = endings,
                                     .what = "a type, as in x.raw:float64, or x.raw:float32:100 for rows of 100",
                                     .always = true,
                                     .find = find,
                                     .read = data_read_binary,
                                     .join = data_join_binary,
                                     .begin = begin};
