/* Data files: the table of formats, names, and reading.
 *
 * Method: rank 0 finds out what the file holds and tells the others; rows are counted by all ranks together where the
 * file does not say how many it has; then every rank reads the rows of its own parts. Failures are settled after each.
 * Cost: the bytes of a rank's rows; one broadcast, one allreduce of a word.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf/files.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/files/bytes.h"
#include "runtime/files/format.h"

static const data_format *const data_formats[] = {
#define ROW(format) &data_format_##format,
    BMF_DATA_FORMATS(ROW)
#undef ROW
};
enum { FORMATS = sizeof data_formats / sizeof data_formats[0] };

/* ---- names ---- */

const data_format *data_format_of(const data_file *file)
{
    return data_formats[file->format];
}

/* Where the file's own name ends: behind an ending that the text or a colon follows. NULL: not this ending. */
static const char *name_end(const char *name, const char *ending)
{
    const char *end = NULL;
    for (const char *at = strstr(name, ending); at; at = strstr(at + 1, ending)) {
        const char *behind = at + strlen(ending);
        if (at > name && (*behind == '\0' || *behind == ':'))
            end = behind;
    }
    return end;
}

bool data_file_named(const char *name, data_file *file)
{
    const char *end = NULL;
    *file = (data_file){.shape = {-1, 1, 1, 1}, .dimensions = 1};
    for (int k = 0; k < FORMATS; k++)
        for (const char *const *ending = data_formats[k]->endings; *ending; ending++) {
            const char *found = name_end(name, *ending);
            if (found && (!end || found > end)) {
                end = found;
                file->format = k;
            }
        }
    if (!end)
        return false;
    file->path = text_copy(name);
    file->path[end - name] = '\0';
    file->what = *end == ':' ? text_copy(end + 1) : NULL;
    return true;
}

bool data_file_named_to_write(const char *name, data_file *file)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (data_file_named(name, file))
        return true;
    if (!*last || strpbrk(last, ".:"))
        return false;
    file->path = text_copy(name);
    while (!data_formats[file->format]->bare)
        file->format++;
    return true;
}

void data_file_npy(const char *path, data_file *file)
{
    *file = (data_file){.shape = {-1, 1, 1, 1}, .dimensions = 1, .path = text_copy(path)};
    while (data_formats[file->format] != &data_format_npy)
        file->format++;
}

void data_file_free(data_file *file)
{
    free(file->path);
    free(file->what);
    free(file->rows_before);
    free(file->quoted);
    *file = (data_file){0};
}

void data_file_take(data_file *file, const void *bytes)
{
    data_file taken;
    memcpy(&taken, bytes, sizeof taken);
    taken.path = file->path;
    taken.what = file->what;
    taken.rows_before = NULL;
    taken.quoted = NULL;
    *file = taken;
}

int data_fail(bmf_context *ctx, const data_file *file, const char *format, ...)
{
    char why[BMF_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    text_make_line(why);
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: %s", file->path, why);
}

/* ---- what it holds ---- */

int data_open(bmf_context *ctx, data_file *file)
{
    struct stat about;
    int opened = -1;
    if (stat(file->path, &about) != 0) { /* before open, which would wait for ever on a pipe */
        data_fail(ctx, file, "cannot open: %s", strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        data_fail(ctx, file, S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
    } else if ((opened = open(file->path, O_RDONLY | O_CLOEXEC)) < 0) {
        data_fail(ctx, file, "cannot open: %s", strerror(errno));
    }
    file->size = opened < 0 ? 0 : about.st_size;
    return opened;
}

int64_t data_read_at(int file, void *to, int64_t count, int64_t offset)
{
    int64_t done = 0;
    while (done < count) {
        const ssize_t moved = pread(file, (char *)to + done, (size_t)(count - done), offset + done);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            return -1;
        if (moved == 0)
            break;
        done += moved;
    }
    return done;
}

int64_t data_file_width(const data_file *file)
{
    int64_t width = 1;
    for (int d = 1; d < DATA_DIMENSIONS; d++)
        if (__builtin_mul_overflow(width, file->shape[d], &width))
            return -1;
    return width;
}

int64_t data_file_bytes(const data_file *file)
{
    int64_t bytes = data_file_width(file);
    const bool fits = bytes >= 0 && !__builtin_mul_overflow(bytes, file->item_bytes, &bytes) &&
                      !__builtin_mul_overflow(bytes, file->shape[0], &bytes);
    return fits ? bytes : -1;
}

const bmf_type *data_file_element(const data_file *file, bool wide)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    for (int k = 0; k < file->fields; k++)
        component[k] = stored_type(file->field[k].scalar, wide);
    return file->fields == 1 ? component[0] : bmf_type_tuple(file->fields, component);
}

void data_field_call(data_field *field, const char *name, int64_t size)
{
    const bool fits = size < FIELD_BYTES;
    memcpy(field->name, name, fits ? (size_t)size : 0);
    field->name[fits ? size : 0] = '\0';
}

const bmf_type *data_file_type(const data_file *file, const bmf_type *item)
{
    for (int d = 1; d < file->dimensions; d++)
        item = bmf_type_list(item);
    return item;
}

bool data_file_join(data_file *file, int fields)
{
    const data_format *format = data_format_of(file);
    return file->dimensions > 1 && file->fields == 1 && file->shape[file->dimensions - 1] == fields && format->join &&
           format->join(file);
}

int data_file_find(bmf_context *ctx, data_file *file)
{
    const data_format *format = data_format_of(file);
    if (file->what && !format->what)
        return data_fail(ctx, file, "nothing is known behind the name of a %s file, not `:%s`", format->name,
                         file->what);
    if (format->always && (!file->what || !*file->what))
        return data_fail(ctx, file, "which data of it? %s", format->what);
    return format->find(ctx, file);
}

int data_file_count(bmf_context *ctx, data_file *file)
{
    const data_format *format = data_format_of(file);
    return format->count ? format->count(ctx, file) : BMF_OK;
}

/* ---- reading ---- */

int data_file_converts(bmf_context *ctx, const data_file *file, const bmf_type *item)
{
    char text[128], from[128];
    bool converts = item->kind == BMF_STRUCT && file->item_bytes == item->size;
    if (item->kind == BMF_TUPLE && item->components == file->fields) {
        converts = true;
        for (int k = 0; k < file->fields; k++)
            converts = converts && stored_converts(file->field[k].scalar, item->component[k]);
    } else if (file->fields == 1 && item->kind != BMF_STRUCT) {
        converts = stored_converts(file->field[0].scalar, item);
    }
    if (converts)
        return BMF_OK;
    return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: cannot read %s as %s", file->path,
                    file->fields == 1 ? stored_word(file->field[0].scalar)
                                      : bmf_type_print(data_file_element(file, false), from, sizeof from),
                    bmf_type_print(item, text, sizeof text));
}

/* A column of `count` lists of shape[d], .. items, with offsets set and the items undefined. */
static int create_column(const data_file *file, int d, const bmf_type *type, int64_t count, bmf_column *column)
{
    if (d == file->dimensions)
        return column_create(type, count, column);
    int64_t children;
    if (__builtin_mul_overflow(count, file->shape[d], &children))
        return BMF_ERROR_MEMORY;
    const bool last = d == file->dimensions - 1;
    BMF_TRY(column_create_list(type, count, last ? children : 0, column));
    for (int64_t i = 0; i <= count; i++)
        column->offsets[i] = i * file->shape[d];
    if (last)
        return BMF_OK;
    column_free(column->child);
    const int status = create_column(file, d + 1, type->component[0], children, column->child);
    if (status != BMF_OK)
        column_free(column);
    return status;
}

int data_file_read_part(bmf_context *ctx, const data_file *file, const bmf_type *item, bmf_partition *partition,
                        bmf_list **list)
{
    const int64_t begin = bmf_partition_local_begin(partition), count = bmf_partition_local_end(partition) - begin;
    const int64_t started = context_now(ctx), width = data_file_width(file);
    const int64_t stored = file->item_bytes > 0 ? file->item_bytes : 8 * file->fields;
    bmf_column column, *items = &column;
    int status = create_column(file, 1, data_file_type(file, item), count, &column);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "out of memory: no %" PRId64 " rows of %" PRId64 " bytes on rank %d", count,
                        width * stored, ctx->rank);
    for (int d = 1; d < file->dimensions; d++)
        items = items->child;
    if (count > 0)
        status = data_format_of(file)->read(ctx, file, begin, count, items);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    bytes_record(ctx, partition, width * stored, started);
    list_adopt(ctx, partition, &column, list);
    return BMF_OK;
}

const bmf_skeleton_type skeleton_read = {.id = 32, .name = "read", .communication = BMF_COMMUNICATION_OTHER};

static int read_onto(bmf_context *ctx, const data_file *file, const bmf_type *item, bmf_partition *partition,
                     bmf_list **list)
{
    BMF_TRY(data_file_converts(ctx, file, item));
    if (file->shape[0] != bmf_partition_length(partition))
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "%s: %" PRId64 " elements for a partition of %" PRId64, file->path,
                        file->shape[0], bmf_partition_length(partition));
    bmf_list *part = NULL;
    skeleton_begin(ctx, &skeleton_read, "read");
    const int status = bmf_agree(ctx, data_file_read_part(ctx, file, item, partition, &part));
    if (status == BMF_OK)
        *list = part;
    else
        bmf_list_free(part);
    return skeleton_end(ctx, partition, status);
}

static int find_together(bmf_context *ctx, data_file *file)
{
    if (ctx->rank == 0)
        BMF_TRY(failure_defer(ctx, data_file_find(ctx, file)));
    data_file found = *file;
    BMF_TRY(ctx->backend->bcast(ctx, 0, &found, sizeof found));
    data_file_take(file, &found);
    return data_file_count(ctx, file);
}

static int read_found(bmf_context *ctx, data_file *file, const bmf_type *item, bmf_partition *partition,
                      bmf_list **list)
{
    item = item ? bmf_type_intern(item) : data_file_element(file, false);
    if (partition)
        return read_onto(ctx, file, item, partition, list);
    BMF_TRY(bmf_partition_even(ctx, file->shape[0], &partition));
    const int status = read_onto(ctx, file, item, partition, list);
    bmf_partition_release(partition);
    return status;
}

int data_file_read(bmf_context *ctx, data_file *file, const bmf_type *item, bmf_partition *partition, bmf_list **list)
{
    int status = find_together(ctx, file);
    if (status == BMF_OK)
        status = read_found(ctx, file, item, partition, list);
    data_file_free(file);
    return status;
}

static int unknown_format(bmf_context *ctx, const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (int k = 0; k < FORMATS; k++)
        for (const char *const *ending = data_formats[k]->endings; *ending && used < sizeof known; ending++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", *ending);
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: which format? names of data files end with %s", name, known);
}

int bmf_file_read(bmf_context *ctx, const char *name, const bmf_type *item, bmf_partition *partition, bmf_list **list)
{
    data_file file;
    if (!data_file_named(name, &file))
        return unknown_format(ctx, name);
    return data_file_read(ctx, &file, item, partition, list);
}

int data_file_write_as(const bmf_list *list, const char *name, const bmf_type *type)
{
    data_file file;
    int size;
    if (!data_file_named_to_write(name, &file))
        return unknown_format(bmf_list_context(list), name);
    while (type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED)
        type = type->component[0];
    for (int k = 0; type->kind == BMF_TUPLE && type->name && k < type->components; k++) {
        const char *field = field_in(type->name, k, &size);
        data_field_call(&file.field[k], field, size);
    }
    return data_file_write(list, &file);
}

int data_file_convert(bmf_context *ctx, const char *name, const char *to, int64_t *rows)
{
    data_file from, made;
    bmf_list *list = NULL;
    if (!data_file_named(name, &from))
        return unknown_format(ctx, name);
    int status = find_together(ctx, &from);
    if (status == BMF_OK)
        status = read_found(ctx, &from, NULL, NULL, &list);
    if (status == BMF_OK) {
        data_file_npy(to, &made);
        for (int k = 0; k < from.fields; k++)
            if (!strpbrk(from.field[k].name, "'\\"))
                data_field_call(&made.field[k], from.field[k].name, (int64_t)strlen(from.field[k].name));
        *rows = bmf_length(list);
        status = data_file_write(list, &made);
    }
    bmf_list_free(list);
    data_file_free(&from);
    return status;
}

int bmf_file_write(const bmf_list *list, const char *name)
{
    return data_file_write_as(list, name, &bmf_type_int);
}
