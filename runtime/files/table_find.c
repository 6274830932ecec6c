/* What a table holds: separator, columns, their names and types.
 *
 * Method: the first lines, at most 1000 rows of 1 MiB, are cut into cells. The separator is the first of comma,
 * semicolon and tab that the first row holds outside of quotes (.csv: or else within them), otherwise white space. A
 * first row without a single number names the columns. A column is of ints, of reals, or of truth values, if all its
 * cells in the first rows are.
 * Cost: 1 MiB read on one process. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/files/lines.h"
#include "runtime/files/table.h"

enum { SAMPLE_ROWS = 1000, SAMPLE_BYTES = 1 << 20 };

/* What the cells of a column all are, so far. */
typedef struct kinds {
    bool whole, real, truth, filled;
} kinds;

typedef struct sample {
    bmf_context *ctx;
    data_file *file;
    table_cell *cell;
    char *names; /* the line of names, cut; NULL: there is none */
    table_cell *name;
    kinds *column;
    int64_t columns, rows;
} sample;

/* Whether the character stands outside of quotes, which begin cells whatever the separator is. */
static bool stands_outside(const char *row, char wanted)
{
    bool begins = true;
    for (const char *at = row; *at != '\0'; at++) {
        if (*at == wanted)
            return true;
        if (begins && *at == '"') {
            const char *behind = table_quote_end(at + 1);
            if (!behind)
                return false;
            at = behind - 1;
        }
        begins = strchr(",;\t ", *at);
    }
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static char separator_of(const data_file *file, const char *row)
{
    if (ends_with(file->path, ".tsv"))
        return '\t';
    for (const char *at = ",;\t"; *at != '\0'; at++)
        if (stands_outside(row, *at))
            return *at;
    /* Quotes within text may hide it; between white space, cells in quotes may hold any character. */
    return !ends_with(file->path, ".csv") ? ' ' : strchr(row, ',') ? ',' : strchr(row, ';') ? ';' : ' ';
}

/* The first row, as far as the separator, which follows from it, lets it have several lines. */
static int complete_first(sample *s, line_reader *lines, char **row, int64_t *length)
{
    char before;
    int found;
    do {
        before = s->file->separator;
        s->file->separator = separator_of(s->file, *row);
        found = table_complete_row(lines, s->file->separator, row, length);
    } while (found > 0 && s->file->separator != before);
    return found;
}

static void look(kinds *column, table_cell cell)
{
    int64_t whole;
    double real;
    uint8_t truth;
    column->filled |= cell.size > 0;
    column->whole &= table_int(cell, &whole);
    column->real &= table_real(cell, &real);
    column->truth &= table_bool(cell, &truth) && !table_int(cell, &whole);
}

static bool names_columns(const table_cell *cell, int64_t cells)
{
    for (int64_t k = 0; k < cells; k++) {
        double real;
        uint8_t truth;
        if ((cell[k].size > 0 && table_real(cell[k], &real)) || table_bool(cell[k], &truth))
            return false;
    }
    return true;
}

/* The first row: how many columns there are, and perhaps their names. */
static int look_at_first(sample *s, char *line, int64_t length, int64_t behind)
{
    char *copy = allocate(length + 1);
    memcpy(copy, line, (size_t)length + 1);
    s->columns = table_cut(copy, s->file->separator, NULL, 0);
    if (s->columns < 0 || s->columns > TABLE_COLUMNS) {
        free(copy);
        return data_fail(s->ctx, s->file,
                         s->columns < 0 ? "row 1: a quote that does not end" : "a row of more than 1048576 cells");
    }
    s->cell = allocate_array(s->columns, sizeof *s->cell);
    s->name = allocate_array(s->columns, sizeof *s->name);
    s->column = allocate_array(s->columns, sizeof *s->column);
    for (int64_t k = 0; k < s->columns; k++)
        s->column[k] = (kinds){.whole = true, .real = true, .truth = true};
    memcpy(copy, line, (size_t)length + 1);
    table_cut(copy, s->file->separator, s->name, s->columns);
    if (names_columns(s->name, s->columns)) {
        s->names = copy;
        s->file->offset = behind;
        return BMF_OK;
    }
    free(copy);
    return BMF_OK;
}

static int look_at_row(sample *s, char *line)
{
    const int64_t cells = table_cut(line, s->file->separator, s->cell, s->columns);
    s->rows++;
    if (cells != s->columns)
        return data_fail(s->ctx, s->file,
                         cells < 0 ? "row %" PRId64 ": a quote that does not end"
                                   : "row %" PRId64 " has %" PRId64 " cells; those before it have %" PRId64,
                         s->rows, cells, s->columns);
    for (int64_t k = 0; k < cells; k++)
        look(&s->column[k], s->cell[k]);
    return BMF_OK;
}

static int look_at_rows(sample *s, line_reader *lines)
{
    char *line;
    int64_t length, begin;
    int status = BMF_OK, found;
    while (status == BMF_OK && s->rows < SAMPLE_ROWS && (found = lines_next(lines, &line, &length, &begin)) != 0) {
        const bool is_text = found > 0 && (int64_t)strlen(line) == length, is_row = is_text && table_is_row(line);
        if (found > 0 && begin > SAMPLE_BYTES && s->rows > 0)
            break;
        if (is_row)
            found = s->column ? table_complete_row(lines, s->file->separator, &line, &length)
                              : complete_first(s, lines, &line, &length);
        if (found < 0)
            return data_fail(s->ctx, s->file, "cannot read: %s",
                             errno == EFBIG ? "a row of more than 256 MiB" : strerror(errno));
        if (!is_text || (int64_t)strlen(line) != length)
            return data_fail(s->ctx, s->file, "no text: a zero byte behind byte %" PRId64, begin);
        if (!is_row)
            continue;
        if (!s->column) {
            status = look_at_first(s, line, length, lines->offset + lines->next);
            if (s->names)
                continue;
        }
        if (status == BMF_OK)
            status = look_at_row(s, line);
    }
    if (status == BMF_OK && !s->column)
        status = data_fail(s->ctx, s->file, "no rows");
    return status;
}

/* ---- which columns ---- */

static int add_column(sample *s, int64_t column)
{
    data_file *file = s->file;
    if (file->fields == BMF_MAX_LEAVES)
        return data_fail(s->ctx, file, "more than %d columns are named; without names all come as rows",
                         BMF_MAX_LEAVES);
    data_field *field = &file->field[file->fields++];
    *field = (data_field){.scalar = STORED_FLOAT64, .offset = column};
    if (s->names)
        data_field_call(field, s->name[column].text, s->name[column].size);
    return BMF_OK;
}

/* The column that a text of `size` bytes is the number or the name of, from 0. */
static int find_column(sample *s, const char *text, int size, int64_t *column)
{
    if (table_int((table_cell){text, size}, column)) {
        --*column;
        if (*column >= 0 && *column < s->columns)
            return BMF_OK;
        return data_fail(s->ctx, s->file, "there is no column %.*s; rows have %" PRId64, size, text, s->columns);
    }
    for (*column = 0; s->names && *column < s->columns; ++*column)
        if (s->name[*column].size == size && memcmp(s->name[*column].text, text, (size_t)size) == 0)
            return BMF_OK;
    return data_fail(s->ctx, s->file,
                     s->names ? "no column is called `%.*s`"
                              : "no column is called `%.*s`: no row "
                                "names them",
                     size < 48 ? size : 48, text);
}

/* 3, 2-4, or a name. */
static int add_columns(sample *s, const char *text, int size)
{
    const char *dash = memchr(text, '-', (size_t)size);
    int64_t first, last, number;
    if (dash && dash > text && table_int((table_cell){text, (int)(dash - text)}, &number)) {
        BMF_TRY(find_column(s, text, (int)(dash - text), &first));
        BMF_TRY(find_column(s, dash + 1, size - (int)(dash + 1 - text), &last));
    } else {
        BMF_TRY(find_column(s, text, size, &first));
        last = first;
    }
    for (int64_t k = first; k <= last; k++)
        BMF_TRY(add_column(s, k));
    return first <= last ? BMF_OK : data_fail(s->ctx, s->file, "columns `%.*s` are none", size, text);
}

/* COLUMN,..[:TYPE]; returns the type asked for, STORED_SCALARS if none. */
static int parse_columns(sample *s, const char *text, bmf_stored_scalar *asked)
{
    *asked = STORED_SCALARS;
    while (*text != '\0') {
        const int size = (int)strcspn(text, ",:");
        if (size > 0)
            BMF_TRY(add_columns(s, text, size));
        text += size;
        if (*text == ':') {
            bool swapped;
            *asked = stored_named(text + 1, (int)strlen(text + 1), &swapped);
            if (swapped || (*asked != STORED_INT64 && *asked != STORED_FLOAT64 && *asked != STORED_BOOL))
                return data_fail(s->ctx, s->file, "`%s` is no type; columns are int, real or bool", text + 1);
            return BMF_OK;
        }
        text += *text == ',';
    }
    return BMF_OK;
}

static int type_of_column(sample *s, int64_t column, bmf_stored_scalar *scalar)
{
    const kinds *seen = &s->column[column];
    *scalar = seen->whole && seen->filled ? STORED_INT64 : seen->real ? STORED_FLOAT64 : STORED_BOOL;
    return seen->real || seen->truth ? BMF_OK
                                     : data_fail(s->ctx, s->file,
                                                 "column %" PRId64 " holds text; name the columns that "
                                                 "are numbers, such as `%s:1,2`",
                                                 column + 1, s->file->path);
}

/* All columns: a list, or rows of what all columns can be. */
static int take_all(sample *s)
{
    data_file *file = s->file;
    bmf_stored_scalar all;
    BMF_TRY(type_of_column(s, 0, &all));
    for (int64_t k = 1; k < s->columns; k++) {
        bmf_stored_scalar one;
        BMF_TRY(type_of_column(s, k, &one));
        if ((one == STORED_BOOL) != (all == STORED_BOOL))
            return data_fail(s->ctx, file,
                             "columns 1 and %" PRId64 " are numbers and truth values; name those "
                             "that are wanted",
                             k + 1);
        all = one == STORED_FLOAT64 ? one : all;
    }
    file->dimensions = s->columns > 1 ? 2 : 1;
    file->shape[1] = s->columns;
    BMF_TRY(add_column(s, 0));
    file->field[0].scalar = all;
    return BMF_OK;
}

static int choose(sample *s)
{
    data_file *file = s->file;
    bmf_stored_scalar asked = STORED_SCALARS, scalar;
    file->columns = (int)s->columns;
    if (file->what)
        BMF_TRY(parse_columns(s, file->what, &asked));
    if (file->fields == 0 && asked == STORED_SCALARS)
        return take_all(s);
    if (file->fields == 0) {
        file->dimensions = s->columns > 1 ? 2 : 1;
        file->shape[1] = s->columns;
        BMF_TRY(add_column(s, 0));
    }
    for (int k = 0; k < file->fields; k++) {
        if (asked == STORED_SCALARS)
            BMF_TRY(type_of_column(s, file->field[k].offset, &scalar));
        file->field[k].scalar = asked == STORED_SCALARS ? scalar : asked;
    }
    return BMF_OK;
}

int table_find(bmf_context *ctx, data_file *file)
{
    static const unsigned char mark[] = {0xEF, 0xBB, 0xBF}; /* UTF-8's */
    unsigned char begin[3];
    line_reader lines;
    sample s = {.ctx = ctx, .file = file};
    const int opened = data_open(ctx, file);
    if (opened < 0)
        return BMF_ERROR_FILE;
    const bool marked = data_read_at(opened, begin, 3, 0) == 3 && memcmp(begin, mark, 3) == 0;
    file->offset = marked ? 3 : 0;
    lines_open(&lines, opened, file->offset, false);
    int status = look_at_rows(&s, &lines);
    if (status == BMF_OK)
        status = choose(&s);
    lines_close(&lines);
    close(opened);
    free(s.cell);
    free(s.name);
    free(s.names);
    free(s.column);
    return status;
}
