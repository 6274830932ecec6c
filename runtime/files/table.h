/* Rows of tables: where they begin, cutting them into cells, and cells as scalars. Internal. */
#ifndef BMF_FILES_TABLE_H
#define BMF_FILES_TABLE_H

#include "runtime/files/format.h"
#include "runtime/files/lines.h"

/* Cells of a line; quotes are left out. */
typedef struct table_cell {
    const char *text;
    int size;
} table_cell;

enum { TABLE_COLUMNS = 1 << 20 };

/* Whether a line is a row, and neither empty nor a comment (#). */
bool table_is_row(const char *line);
/* Behind the quote that ends a cell, from behind the one that begins it; NULL if there is none. */
const char *table_quote_end(const char *at);
/* Whether a cell in quotes goes on behind this line; quoted: one has begun before it. */
bool table_ends_quoted(const char *line, char separator, bool quoted);
/* The next row, with all lines that its cells in quotes have: up to the end of the file if a quote does not end. 1, 0
 * at the end, -1 with errno. *begin: where it begins in the file. */
int table_next_row(line_reader *lines, char separator, char **row, int64_t *length, int64_t *begin);
/* Makes the line that was returned last a row: joins the lines that its cells in quotes have. Returns what
 * table_next_row does. */
int table_complete_row(line_reader *lines, char separator, char **row, int64_t *length);
/* Cuts a row at the separator (' ': any white space); fills at most `room` cells and returns how many there are, or -1
 * if a quote does not end. The row may be changed. */
int64_t table_cut(char *row, char separator, table_cell *cell, int64_t room);
/* The cell as a scalar of that type (INT64, FLOAT64, BOOL); an empty cell is a NaN among reals. */
bool table_int(table_cell cell, int64_t *value);
bool table_real(table_cell cell, double *value);
bool table_bool(table_cell cell, uint8_t *value);

/* Finds out separator, columns, their names and types from the first rows, and what of them is wanted. Not collective.
 */
int table_find(bmf_context *ctx, data_file *file);
/* The reason in words why a cell is no scalar, for messages: "2.5, no int". */
int table_fail_cell(bmf_context *ctx, const data_file *file, int64_t row, int64_t column, table_cell cell,
                    bmf_stored_scalar scalar);

#endif
