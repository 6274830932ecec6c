/* Tables as text: .csv, .tsv, .txt, .dat.
 *
 * Method: rows have any length, so the file is seen as chunks of 1 MiB. Every rank counts the rows that begin in its
 * share of the chunks: twice, as nobody knows yet whether a chunk begins within a cell in quotes, which may have
 * several lines. All ranks learn all counts and how chunks end in both cases; from the first chunk on this says which
 * case each is. Then a rank goes to the chunk that has its first row and reads on from there. What a rank writes it
 * prints twice: once to know how long it is, so that all ranks know where they begin, and once into the file.
 * Cost: the file once to count, by all ranks together, and a rank's rows once more; 8 bytes a chunk on every rank, an
 * allgather of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"
#include "runtime/files/bytes.h"
#include "runtime/files/lines.h"
#include "runtime/files/table.h"

/* ---- counting ---- */

static int64_t chunk_begin(const data_file *file, int64_t chunk)
{
    return file->offset + chunk * DATA_CHUNK;
}

/* A chunk whose first line begins outside [0] or inside [1] of a cell in quotes. */
typedef struct chunk_lines {
    int64_t rows[2]; /* that begin in it */
    bool quoted[2];  /* whether its last line ends inside */
} chunk_lines;

/* As one word, for a message: a chunk has at most 2^20 rows. */
enum { ROWS_BITS = 21 };
_Static_assert(DATA_CHUNK < 1 << ROWS_BITS, "the rows of a chunk fit");

static int64_t pack(const chunk_lines *chunk)
{
    return chunk->rows[0] | chunk->rows[1] << ROWS_BITS | (int64_t)chunk->quoted[0] << 2 * ROWS_BITS |
           (int64_t)chunk->quoted[1] << (2 * ROWS_BITS + 1);
}

static chunk_lines unpack(int64_t word)
{
    const int64_t mask = (1 << ROWS_BITS) - 1;
    return (chunk_lines){{word & mask, word >> ROWS_BITS & mask},
                         {word >> 2 * ROWS_BITS & 1, word >> (2 * ROWS_BITS + 1) & 1}};
}

static void count_line(const data_file *file, const char *line, chunk_lines *chunk)
{
    for (int k = 0; k < 2; k++) {
        chunk->rows[k] += !chunk->quoted[k] && table_is_row(line);
        chunk->quoted[k] = table_ends_quoted(line, file->separator, chunk->quoted[k]);
    }
}

/* Chunks [first, end), in packed[0 .. end - first). */
static int count_chunks(bmf_context *ctx, data_file *file, int64_t first, int64_t end, int64_t *packed)
{
    chunk_lines chunk = {.quoted = {false, true}};
    int64_t at = first;
    line_reader lines;
    char *line;
    int64_t length, begin = 0;
    int found = 1;
    const int opened = data_open(ctx, file);
    if (opened < 0)
        return BMF_ERROR_FILE;
    lines_open(&lines, opened, chunk_begin(file, first), first > 0);
    while ((found = lines_next(&lines, &line, &length, &begin)) > 0 && begin < chunk_begin(file, end)) {
        for (; at < (begin - file->offset) / DATA_CHUNK; at++) {
            packed[at - first] = pack(&chunk);
            chunk = (chunk_lines){.quoted = {false, true}};
        }
        count_line(file, line, &chunk);
    }
    for (; at < end; at++) {
        packed[at - first] = pack(&chunk);
        chunk = (chunk_lines){.quoted = {false, true}};
    }
    const int status = found < 0 ? data_fail(ctx, file, "cannot read behind byte %" PRId64 ": %s", begin,
                                             errno == EFBIG ? "a line of more than 256 MiB" : strerror(errno))
                                 : BMF_OK;
    lines_close(&lines);
    close(opened);
    return status;
}

static int64_t share_of(int64_t chunks, int rank, int ranks)
{
    return chunks * rank / ranks;
}

/* From what all chunks are, packed in rows_before[1 ..]: where their rows begin, and whether within quotes. */
static int add_chunks(bmf_context *ctx, data_file *file)
{
    bool quoted = false;
    for (int64_t c = 0; c < file->chunks; c++) {
        const chunk_lines chunk = unpack(file->rows_before[c + 1]);
        file->quoted[c] = quoted;
        file->rows_before[c + 1] = file->rows_before[c] + chunk.rows[quoted];
        quoted = chunk.quoted[quoted];
    }
    file->shape[0] = file->rows_before[file->chunks];
    return quoted ? data_fail(ctx, file, "row %" PRId64 ": a quote that does not end", file->shape[0]) : BMF_OK;
}

static int count_rows(bmf_context *ctx, data_file *file)
{
    const int64_t size = file->size; /* what rank 0 has seen, should the file grow */
    const int ranks = ctx ? ctx->ranks : 1, rank = ctx ? ctx->rank : 0;
    file->chunks = size > file->offset ? (size - file->offset + DATA_CHUNK - 1) / DATA_CHUNK : 0;
    const int64_t first = share_of(file->chunks, rank, ranks), end = share_of(file->chunks, rank + 1, ranks);
    int64_t *mine = allocate_clear(end - first + 1, sizeof *mine);
    int64_t *counts = allocate_array(ranks, sizeof *counts);
    free(file->rows_before);
    free(file->quoted);
    file->rows_before = allocate_clear(file->chunks + 1, sizeof *file->rows_before);
    file->quoted = allocate_clear(file->chunks + 1, sizeof *file->quoted);
    for (int r = 0; r < ranks; r++)
        counts[r] = share_of(file->chunks, r + 1, ranks) - share_of(file->chunks, r, ranks);
    int status = BMF_OK;
    if (end > first)
        status = count_chunks(ctx, file, first, end, mine);
    if (ranks == 1)
        memcpy(file->rows_before + 1, mine, (size_t)file->chunks * sizeof *mine);
    else if ((status = failure_defer(ctx, status)) == BMF_OK)
        status = ctx->backend->allgather(ctx, mine, end - first, counts, file->rows_before + 1);
    file->size = size;
    if (status == BMF_OK)
        status = add_chunks(ctx, file);
    free(mine);
    free(counts);
    return status;
}

/* ---- reading ---- */

/* The last chunk before which there are at most `row` rows. */
static int64_t chunk_of(const data_file *file, int64_t row)
{
    int64_t low = 0, high = file->chunks;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(file->rows_before[middle] <= row ? &low : &high) = middle;
    }
    return low;
}

static bool put_cell(table_cell cell, const bmf_column *column, int64_t at)
{
    if (column->type == &bmf_type_int)
        return table_int(cell, (int64_t *)column->data + at);
    if (column->type == &bmf_type_real)
        return table_real(cell, (double *)column->data + at);
    return table_bool(cell, (uint8_t *)column->data + at);
}

/* Row `row` of the file, number `at` of the column. */
static int put_row(bmf_context *ctx, const data_file *file, char *line, int64_t row, int64_t at, table_cell *cell,
                   const bmf_column *items)
{
    const int64_t cells = table_cut(line, file->separator, cell, file->columns);
    const bool all = file->dimensions == 2;
    if (cells != file->columns)
        return data_fail(ctx, file,
                         cells < 0 ? "row %" PRId64 ": a quote that does not end"
                                   : "row %" PRId64 " has %" PRId64 " cells; the first rows have %d",
                         row + 1, cells, file->columns);
    for (int k = 0; k < (all ? file->columns : file->fields); k++) {
        const int64_t column = all ? k : file->field[k].offset;
        const bmf_column *to = items->type->kind == BMF_TUPLE ? &items->child[k] : items;
        if (!put_cell(cell[column], to, all ? at * file->columns + k : at))
            return table_fail_cell(ctx, file, row + 1, column + 1, cell[column], file->field[all ? 0 : k].scalar);
    }
    return BMF_OK;
}

/* All columns, each a field of its own. */
static bool join(data_file *file)
{
    for (int k = 0; k < file->columns; k++)
        file->field[k] = (data_field){.scalar = file->field[0].scalar, .offset = k};
    file->fields = file->columns;
    file->dimensions = 1;
    file->shape[1] = 1;
    return true;
}

/* The lines of a row that has begun before the chunk. */
static void skip_quoted(line_reader *lines, const data_file *file, int64_t chunk)
{
    char *line;
    int64_t length, begin;
    bool quoted = file->quoted[chunk];
    while (quoted && lines_next(lines, &line, &length, &begin) > 0)
        quoted = table_ends_quoted(line, file->separator, true);
}

static int read_rows(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items)
{
    data_file own = *file;
    line_reader lines;
    const int64_t chunk = chunk_of(file, first);
    int64_t row = file->rows_before[chunk];
    int status = BMF_OK;
    const int opened = data_open(ctx, &own);
    if (opened < 0)
        return BMF_ERROR_FILE;
    table_cell *cell = allocate_array(file->columns, sizeof *cell);
    bmf_progress progress;
    progress_begin(&progress, "reading");
    lines_open(&lines, opened, chunk_begin(file, chunk), chunk > 0);
    skip_quoted(&lines, file, chunk);
    while (status == BMF_OK && row < first + rows) {
        char *line;
        int64_t length, begin;
        const int found = table_next_row(&lines, file->separator, &line, &length, &begin);
        if (progress_due(&progress))
            progress_tell(&progress, (double)(row - first) / (double)rows);
        if (found <= 0)
            status = data_fail(ctx, file, found < 0 ? "cannot read: %s" : "the file changed while it was read",
                               errno == EFBIG ? "a row of more than 256 MiB" : strerror(errno));
        else if (row++ >= first)
            status = put_row(ctx, file, line, row - 1, row - 1 - first, cell, items);
    }
    progress_end(&progress);
    lines_close(&lines);
    free(cell);
    close(opened);
    return status;
}

/* ---- writing ---- */

/* A real as text that reads as the same real. */
static int print_real(double value, char *text, size_t size)
{
    int used = 0;
    if (__builtin_isnan(value))
        return snprintf(text, size, "nan");
    for (int digits = 15; digits <= 17; digits++) {
        used = snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return used;
}

static int print_cell(const bmf_column *column, int64_t at, char *text, size_t size)
{
    const char *from = (const char *)column->data + at * column->stride;
    if (column->type == &bmf_type_int)
        return snprintf(text, size, "%" PRId64, *(const int64_t *)from);
    if (column->type == &bmf_type_int32)
        return snprintf(text, size, "%" PRId32, *(const int32_t *)from);
    if (column->type == &bmf_type_bool)
        return snprintf(text, size, *(const uint8_t *)from ? "true" : "false");
    if (column->type == &bmf_type_float)
        return snprintf(text, size, "%.9g", (double)*(const float *)from);
    return print_real(*(const double *)from, text, size);
}

/* Prints rows [first, ..) until the text is full or none is left; returns the bytes, and in *next where to go on. */
static int64_t print_rows(const data_file *file, const bmf_column *items, int64_t first, int64_t rows, char *text,
                          int64_t room, int64_t *next)
{
    enum { CELL = 40 };
    const int64_t width = file->shape[1], cells = width * file->fields;
    int64_t used = 0, row = first;
    for (; row < rows && (row == first || used + cells * CELL <= room); row++)
        for (int64_t c = 0; c < cells; c++) {
            const bmf_column *column = items->type->kind == BMF_TUPLE ? &items->child[c % file->fields] : items;
            used += print_cell(column, row * width + c / file->fields, text + used, CELL);
            text[used++] = c < cells - 1 ? file->separator : '\n';
        }
    *next = row;
    return used;
}

static int write_rows(bmf_context *ctx, const data_file *file, data_writing *writing)
{
    const bmf_column *items = writing->rows;
    const int64_t width = file->shape[1], cells = width * file->fields, rows = width > 0 ? items->count / width : 0;
    const int64_t room = cells * 40 > DATA_CHUNK ? cells * 40 : DATA_CHUNK;
    char *text = allocate(room);
    bmf_progress progress;
    int64_t next, bytes = 0, offset = file->offset, *all = allocate_array(bmf_ranks(ctx), sizeof *all);
    MPI_File to;
    progress_begin(&progress, "writing");
    for (int64_t row = 0; row < rows; row = next) {
        progress_tell(&progress, 0.5 * (double)row / (double)rows);
        bytes += print_rows(file, items, row, rows, text, room, &next);
    }
    int status = ctx->backend->allgather(ctx, &bytes, 1, NULL, all);
    for (int r = 0; r < ctx->rank && status == BMF_OK; r++)
        offset += all[r];
    if (status == BMF_OK && rows > 0 && (status = bytes_open(ctx, writing->written, MPI_MODE_WRONLY, &to)) == BMF_OK) {
        for (int64_t row = 0; row < rows && status == BMF_OK; row = next) {
            const int64_t size = print_rows(file, items, row, rows, text, room, &next);
            status = bytes_write(ctx, writing->path, to, offset, text, size);
            offset += size;
            progress_tell(&progress, 0.5 + 0.5 * (double)row / (double)rows);
        }
        if (MPI_File_close(&to) != MPI_SUCCESS && status == BMF_OK)
            status = data_fail(ctx, file, "cannot close: is the disk full?");
    }
    progress_end(&progress);
    writing->bytes = bytes;
    free(all);
    free(text);
    return status;
}

/* A first row of the columns' names. */
static int write_names(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    char line[BMF_MAX_LEAVES * (FIELD_BYTES + 1)];
    int64_t used = 0;
    for (int k = 0; k < file->fields; k++) {
        const size_t size = strlen(file->field[k].name);
        memcpy(line + used, file->field[k].name, size);
        used += (int64_t)size;
        line[used++] = k < file->fields - 1 ? file->separator : '\n';
    }
    file->offset = used;
    return write(output->file, line, (size_t)used) == used
               ? BMF_OK
               : data_fail(ctx, file, "cannot write: %s", strerror(errno ? errno : ENOSPC));
}

static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    const size_t length = strlen(file->path);
    file->offset = 0;
    file->item_bytes = 0;
    file->separator = strcmp(file->path + length - 4, ".csv") == 0   ? ','
                      : strcmp(file->path + length - 4, ".tsv") == 0 ? '\t'
                                                                     : ' ';
    if (file->what)
        return data_fail(ctx, file, "columns are named where a table is read, not where it is written");
    if (file->dimensions > 2)
        return data_fail(ctx, file, "a table has rows and columns, not %d dimensions", file->dimensions);
    for (int k = 0; k < file->fields; k++)
        if (file->field[k].scalar == STORED_COMPLEX128)
            return data_fail(ctx, file, "complex numbers; tables have int, real and bool");
    return file->dimensions == 1 && *file->field[0].name ? write_names(ctx, output, file) : BMF_OK;
}

static const char *const endings[] = {".csv", ".tsv", ".txt", ".dat", NULL};
const data_format data_format_table = {.name = "table",
                                       .endings = endings,
                                       .what = "columns, as in x.csv:3, x.csv:1,2 or x.csv:2-4:real",
                                       .find = table_find,
                                       .count = count_rows,
                                       .read = read_rows,
                                       .join = join,
                                       .begin = begin,
                                       .write = write_rows};
