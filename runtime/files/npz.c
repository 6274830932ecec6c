/* .npz: NumPy's archive, a ZIP file of .npy files, stored or deflated.
 *
 * Method: the directory at the end of the file names the arrays and where they are. What is stored is read like a .npy
 * file. What is deflated can only be unpacked from its beginning: every rank does so up to its last row, in blocks, and
 * keeps its own rows; those that come to the end compare the checksum. One array is written, stored; ranks find the
 * checksums of their parts, which are combined.
 * Cost: stored, the rank's bytes; deflated, everything before their end.
 * Source: APPNOTE.TXT of PKWARE, 4.3 (layout), 4.5.3 (ZIP64).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/files/format.h"
#include "runtime/files/npy_private.h"

enum { END = 22, END_LOCATOR_64 = 20, END_64 = 56, ENTRY = 46, LOCAL = 30, LONGEST_COMMENT = 65535 };
enum { LARGEST_DIRECTORY = 1 << 26, STORED = 0, DEFLATED = 8, BLOCK = 1 << 18, ZIP64 = 1 };

static uint64_t little(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int k = count - 1; k >= 0; k--)
        value = value << 8 | bytes[k];
    return value;
}

typedef struct entry {
    const char *name;
    int name_size, method;
    uint32_t flags, check;
    uint64_t packed, size, offset;
} entry;

/* ---- the directory ---- */

static int broken(bmf_context *ctx, const data_file *file, const char *what)
{
    return data_fail(ctx, file, "no ZIP file, or a damaged one: %s", what);
}

/* Where the directory is, from the record at the file's end. */
static int find_directory(bmf_context *ctx, data_file *file, int opened, uint64_t *offset, uint64_t *size)
{
    const int64_t tail = file->size < END + LONGEST_COMMENT ? file->size : END + LONGEST_COMMENT;
    unsigned char *bytes = allocate(tail + 1), more[END_64];
    int64_t at = data_read_at(opened, bytes, tail, file->size - tail) - END;
    while (at >= 0 && memcmp(bytes + at, "PK\5\6", 4) != 0)
        at--;
    if (at >= 0) {
        *size = little(bytes + at + 12, 4);
        *offset = little(bytes + at + 16, 4);
    }
    const int64_t locator = file->size - tail + at - END_LOCATOR_64;
    free(bytes);
    if (at < 0)
        return broken(ctx, file, "it does not end with a directory");
    if (*offset == UINT32_MAX || *size == UINT32_MAX) {
        if (locator < 0 || data_read_at(opened, more, END_LOCATOR_64, locator) != END_LOCATOR_64 ||
            memcmp(more, "PK\6\7", 4) != 0)
            return broken(ctx, file, "the place of its directory is missing");
        const uint64_t end = little(more + 8, 8);
        if (end > (uint64_t)file->size || data_read_at(opened, more, END_64, (int64_t)end) != END_64 ||
            memcmp(more, "PK\6\6", 4) != 0)
            return broken(ctx, file, "the place of its directory is wrong");
        *size = little(more + 40, 8);
        *offset = little(more + 48, 8);
    }
    if (*size > LARGEST_DIRECTORY || *offset > (uint64_t)file->size || *size > (uint64_t)file->size - *offset)
        return broken(ctx, file, "its directory does not fit into it");
    return BMF_OK;
}

/* Numbers that do not fit 32 bits stand behind the name, in this order. */
static void take_long_numbers(const unsigned char *extra, int64_t size, entry *e)
{
    while (size >= 4) {
        const int64_t length = (int64_t)little(extra + 2, 2);
        if (length > size - 4)
            return;
        if (little(extra, 2) == ZIP64) {
            const unsigned char *at = extra + 4, *end = at + length;
            uint64_t *number[] = {&e->size, &e->packed, &e->offset};
            for (int k = 0; k < 3; k++)
                if (*number[k] == UINT32_MAX && end - at >= 8) {
                    *number[k] = little(at, 8);
                    at += 8;
                }
        }
        extra += 4 + length;
        size -= 4 + length;
    }
}

/* The entry at `at`, and where the next one begins; NULL if it is broken. */
static const unsigned char *read_entry(const unsigned char *at, const unsigned char *end, entry *e)
{
    if (end - at < ENTRY || memcmp(at, "PK\1\2", 4) != 0)
        return NULL;
    const int64_t name = (int64_t)little(at + 28, 2), extra = (int64_t)little(at + 30, 2),
                  comment = (int64_t)little(at + 32, 2);
    if (end - at - ENTRY < name + extra + comment)
        return NULL;
    *e = (entry){.name = (const char *)at + ENTRY,
                 .name_size = (int)name,
                 .flags = (uint32_t)little(at + 8, 2),
                 .method = (int)little(at + 10, 2),
                 .check = (uint32_t)little(at + 16, 4),
                 .packed = little(at + 20, 4),
                 .size = little(at + 24, 4),
                 .offset = little(at + 42, 4)};
    take_long_numbers(at + ENTRY + name, extra, e);
    return at + ENTRY + name + extra + comment;
}

/* NAME or NAME.npy. */
static bool is_called(const entry *e, const char *name)
{
    const size_t size = strlen(name);
    return memcmp(e->name, name, size < (size_t)e->name_size ? size : (size_t)e->name_size) == 0 &&
           ((size_t)e->name_size == size ||
            ((size_t)e->name_size == size + 4 && memcmp(e->name + size, ".npy", 4) == 0));
}

static void add_name(char *names, size_t size, const entry *e)
{
    const size_t used = strlen(names);
    const int shown =
        e->name_size > 4 && memcmp(e->name + e->name_size - 4, ".npy", 4) == 0 ? e->name_size - 4 : e->name_size;
    snprintf(names + used, size - used, "%s%.*s", used ? ", " : "", shown < 48 ? shown : 48, e->name);
}

static int choose(bmf_context *ctx, const data_file *file, const unsigned char *directory, int64_t size, entry *chosen)
{
    char names[200] = "";
    int entries = 0, matches = 0;
    const unsigned char *end = directory + size;
    for (const unsigned char *at = directory; at < end; entries++) {
        entry e;
        at = read_entry(at, end, &e);
        if (!at)
            return broken(ctx, file, "its directory");
        add_name(names, sizeof names, &e);
        if (!file->what || is_called(&e, file->what)) {
            *chosen = e;
            matches++;
        }
    }
    if (matches == 1)
        return BMF_OK;
    if (file->what)
        return data_fail(ctx, file, "no array is called `%s`; there are %s", file->what, names);
    return entries == 0 ? data_fail(ctx, file, "no arrays")
                        : data_fail(ctx, file, "which array? name one behind the file's name: %s", names);
}

/* ---- an array ---- */

/* Unpacks from the beginning and hands blocks to `take`, until that returns false or the end. */
typedef bool taker(void *state, const unsigned char *bytes, int64_t count, int64_t offset);

static int unpack(bmf_context *ctx, const data_file *file, int opened, taker *take, void *state)
{
    unsigned char *in = allocate(BLOCK), *out = allocate(BLOCK);
    z_stream z = {0};
    uLong check = crc32(0, NULL, 0);
    int64_t read = 0, made = 0;
    int code = inflateInit2(&z, -MAX_WBITS);
    bool more = code == Z_OK;
    while (more && code == Z_OK) {
        if (z.avail_in == 0) {
            const int64_t left = file->packed_bytes - read, wanted = left < BLOCK ? left : BLOCK;
            const int64_t found = data_read_at(opened, in, wanted, file->packed_offset + read);
            if (found <= 0)
                break;
            read += found;
            z.next_in = in;
            z.avail_in = (uInt)found;
        }
        z.next_out = out;
        z.avail_out = BLOCK;
        code = inflate(&z, Z_NO_FLUSH);
        const int64_t count = BLOCK - (int64_t)z.avail_out;
        check = crc32(check, out, (uInt)count);
        if (count > 0)
            more = take(state, out, count, made);
        made += count;
        code = code == Z_BUF_ERROR ? Z_OK : code;
    }
    inflateEnd(&z);
    free(in);
    free(out);
    const bool ended = code == Z_STREAM_END && (uint32_t)check == file->check;
    return !more || ended ? BMF_OK : broken(ctx, file, "what is compressed in it");
}

/* The first bytes: enough for a header. */
typedef struct beginning {
    unsigned char *bytes;
    int64_t count;
} beginning;

static bool take_beginning(void *state, const unsigned char *bytes, int64_t count, int64_t offset)
{
    beginning *b = state;
    const int64_t room = NPY_LONGEST_HEADER - offset, taken = count < room ? count : room;
    b->bytes = reallocate(b->bytes, b->count + 1, b->count + taken + 1);
    memcpy(b->bytes + offset, bytes, (size_t)taken);
    b->count += taken;
    int64_t text;
    char why[BMF_MESSAGE_SIZE];
    const int64_t prefix = npy_parse_prefix(b->bytes, b->count, &text, why, sizeof why);
    return b->count < NPY_LONGEST_HEADER && (b->count < BMF_NPY_PREFIX || (prefix >= 0 && prefix + text > b->count));
}

static int find_array(bmf_context *ctx, data_file *file, int opened, const entry *e)
{
    unsigned char local[LOCAL];
    beginning first = {.bytes = allocate(1)};
    if (e->flags & 1 || (e->method != STORED && e->method != DEFLATED)) {
        free(first.bytes);
        return data_fail(ctx, file, "%.*s is %s; bmf reads what is stored or deflated",
                         e->name_size < 48 ? e->name_size : 48, e->name,
                         e->flags & 1 ? "encrypted" : "compressed in another way");
    }
    int status = BMF_OK;
    const uint64_t all = (uint64_t)file->size;
    if (e->offset > all || data_read_at(opened, local, LOCAL, (int64_t)e->offset) != LOCAL ||
        memcmp(local, "PK\3\4", 4) != 0)
        status = broken(ctx, file, "an array is not where its directory says");
    const uint64_t begin = e->offset + LOCAL + (status == BMF_OK ? little(local + 26, 2) + little(local + 28, 2) : 0);
    if (status == BMF_OK && (begin > all || e->packed > all - begin || e->size > INT64_MAX / 2 ||
                             (e->method == STORED && e->packed != e->size)))
        status = broken(ctx, file, "an array is longer than the file");
    file->packed_offset = (int64_t)begin;
    file->packed_bytes = (int64_t)e->packed;
    file->deflated = e->method == DEFLATED;
    file->check = e->check;
    file->offset = file->deflated ? 0 : file->packed_offset;
    if (status == BMF_OK && file->deflated) {
        status = unpack(ctx, file, opened, take_beginning, &first);
    } else if (status == BMF_OK) {
        const int64_t wanted = file->packed_bytes < NPY_LONGEST_HEADER ? file->packed_bytes : NPY_LONGEST_HEADER;
        first.bytes = reallocate(first.bytes, 1, wanted + 1);
        first.count = data_read_at(opened, first.bytes, wanted, file->packed_offset);
    }
    if (status == BMF_OK)
        status = npy_find(ctx, first.bytes, first.count, (int64_t)e->size, file);
    free(first.bytes);
    return status;
}

static int find(bmf_context *ctx, data_file *file)
{
    uint64_t offset = 0, size = 0;
    entry chosen = {0};
    const int opened = data_open(ctx, file);
    if (opened < 0)
        return BMF_ERROR_FILE;
    int status = find_directory(ctx, file, opened, &offset, &size);
    if (status == BMF_OK) {
        unsigned char *directory = allocate((int64_t)size + 1);
        if (data_read_at(opened, directory, (int64_t)size, (int64_t)offset) != (int64_t)size)
            status = broken(ctx, file, "its directory cannot be read");
        if (status == BMF_OK)
            status = choose(ctx, file, directory, (int64_t)size, &chosen);
        if (status == BMF_OK)
            status = find_array(ctx, file, opened, &chosen);
        free(directory);
    }
    close(opened);
    return status;
}

/* ---- reading what is deflated ---- */

typedef struct wanted {
    char *to;
    int64_t begin, end, done, all; /* in what is unpacked */
} wanted;

static bool take_rows(void *state, const unsigned char *bytes, int64_t count, int64_t offset)
{
    wanted *w = state;
    const int64_t from = w->begin > offset ? w->begin : offset;
    const int64_t end = w->end < offset + count ? w->end : offset + count;
    if (from < end) {
        memcpy(w->to + (from - w->begin), bytes + (from - offset), (size_t)(end - from));
        w->done += end - from;
    }
    return offset + count < w->end || w->end == w->all; /* to the end, where the checksum is compared */
}

/* Unpacked into a file of this rank's own, which is then read like a .npy file's items. */
static int read_rows(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items)
{
    if (!file->deflated)
        return data_read_binary(ctx, file, first, rows, items);
    const int64_t row = data_file_width(file) * file->item_bytes;
    const bool spread = file->fortran && data_file_width(file) > 1; /* then rows are everywhere */
    wanted w = {.begin = file->offset + (spread ? 0 : first * row)};
    w.end = spread ? file->offset + data_file_bytes(file) : w.begin + rows * row;
    w.all = file->offset + data_file_bytes(file);
    data_file own = *file;
    const int opened = data_open(ctx, &own);
    if (opened < 0)
        return BMF_ERROR_FILE;
    w.to = malloc((size_t)(w.end - w.begin) + 1);
    int status = w.to ? unpack(ctx, file, opened, take_rows, &w)
                      : bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory: no %" PRId64 " bytes to unpack %s on rank %d",
                                 w.end - w.begin, file->path, ctx->rank);
    if (status == BMF_OK && w.done != w.end - w.begin)
        status = broken(ctx, file, "what is compressed in it ends early");
    if (status == BMF_OK)
        status = data_read_memory(ctx, file, w.to, spread ? first : 0, rows, items);
    free(w.to);
    close(opened);
    return status;
}

/* ---- writing ---- */

static void put(unsigned char **at, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *(*at)++ = (unsigned char)(value >> 8 * k);
}

/* NAME.npy */
static int name_of(const data_file *file, char *name, size_t size)
{
    return snprintf(name, size, "%.200s.npy", file->what && *file->what ? file->what : "arr_0");
}

enum { LOCAL_EXTRA = 20, LONGEST_NAME = 256, HEADER_ROOM = 4096 };

/* The array's own header: always with ZIP64's numbers. */
static int64_t print_local(const data_file *file, uint32_t check, uint64_t size, unsigned char *to)
{
    char name[LONGEST_NAME];
    const int length = name_of(file, name, sizeof name);
    unsigned char *at = to;
    put(&at, 0x04034b50, 4);
    put(&at, 45, 2); /* the version that reads ZIP64 */
    put(&at, 0, 2);
    put(&at, STORED, 2);
    put(&at, 0, 2);
    put(&at, 0x21, 2); /* 1 January 1980, as NumPy writes */
    put(&at, check, 4);
    put(&at, UINT32_MAX, 4);
    put(&at, UINT32_MAX, 4);
    put(&at, (uint64_t)length, 2);
    put(&at, LOCAL_EXTRA, 2);
    memcpy(at, name, (size_t)length);
    at += length;
    put(&at, ZIP64, 2);
    put(&at, 16, 2);
    put(&at, size, 8);
    put(&at, size, 8);
    return at - to;
}

static int64_t print_directory(const data_file *file, uint32_t check, uint64_t size, uint64_t offset, unsigned char *to)
{
    char name[LONGEST_NAME];
    const int length = name_of(file, name, sizeof name);
    unsigned char *at = to;
    put(&at, 0x02014b50, 4);
    put(&at, 45, 2);
    put(&at, 45, 2);
    put(&at, 0, 2);
    put(&at, STORED, 2);
    put(&at, 0, 2);
    put(&at, 0x21, 2);
    put(&at, check, 4);
    put(&at, UINT32_MAX, 4);
    put(&at, UINT32_MAX, 4);
    put(&at, (uint64_t)length, 2);
    put(&at, LOCAL_EXTRA, 2);
    put(&at, 0, 2);
    put(&at, 0, 2);
    put(&at, 0, 2);
    put(&at, 0, 4);
    put(&at, 0, 4);
    memcpy(at, name, (size_t)length);
    at += length;
    put(&at, ZIP64, 2);
    put(&at, 16, 2);
    put(&at, size, 8);
    put(&at, size, 8);
    const uint64_t bytes = (uint64_t)(at - to), end = offset + bytes;
    put(&at, 0x06064b50, 4);
    put(&at, END_64 - 12, 8);
    put(&at, 45, 2);
    put(&at, 45, 2);
    put(&at, 0, 8);
    put(&at, 1, 8);
    put(&at, 1, 8);
    put(&at, bytes, 8);
    put(&at, offset, 8);
    put(&at, 0x07064b50, 4);
    put(&at, 0, 4);
    put(&at, end, 8);
    put(&at, 1, 4);
    put(&at, 0x06054b50, 4);
    put(&at, 0, 4);
    put(&at, 1, 2);
    put(&at, 1, 2);
    put(&at, UINT32_MAX, 4);
    put(&at, UINT32_MAX, 4);
    put(&at, 0, 2);
    return at - to;
}

static int write_at(bmf_context *ctx, const data_file *file, const bmf_output_file *output, const void *bytes,
                    int64_t count, int64_t offset)
{
    errno = 0;
    return pwrite(output->file, bytes, (size_t)count, offset) == count
               ? BMF_OK
               : data_fail(ctx, file, "cannot write: %s", strerror(errno ? errno : ENOSPC));
}

static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    unsigned char local[HEADER_ROOM];
    int64_t header_bytes;
    char *header = npy_header_of(file, &header_bytes);
    const int64_t local_bytes = print_local(file, 0, 0, local);
    const int status = write_at(ctx, file, output, header, header_bytes, local_bytes);
    free(header);
    file->offset = local_bytes + header_bytes;
    return status;
}

static int end(bmf_context *ctx, const bmf_output_file *output, const data_file *file, const uint32_t *check,
               const int64_t *bytes)
{
    unsigned char local[HEADER_ROOM], directory[HEADER_ROOM];
    int64_t header_bytes;
    char *header = npy_header_of(file, &header_bytes);
    uLong whole = crc32(0, (const Bytef *)header, (uInt)header_bytes);
    uint64_t size = (uint64_t)header_bytes;
    free(header);
    for (int r = 0; r < bmf_ranks(ctx); r++) {
        whole = crc32_combine(whole, check[r], bytes[r]);
        size += (uint64_t)bytes[r];
    }
    const int64_t local_bytes = print_local(file, (uint32_t)whole, size, local);
    const uint64_t offset = (uint64_t)local_bytes + size;
    const int64_t count = print_directory(file, (uint32_t)whole, size, offset, directory);
    BMF_TRY(write_at(ctx, file, output, local, local_bytes, 0));
    return write_at(ctx, file, output, directory, count, (int64_t)offset);
}

static const char *const endings[] = {".npz", NULL};
const data_format data_format_npz = {.name = ".npz",
                                     .endings = endings,
                                     .what = "an array's name, as in x.npz:weights",
                                     .checks = true,
                                     .find = find,
                                     .read = read_rows,
                                     .join = data_join_binary,
                                     .begin = begin,
                                     .end = end};
