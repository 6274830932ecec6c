/* Rows of tables: cutting lines into cells, and cells as scalars. Internal. */
#ifndef BMF_FILES_TABLE_H
#define BMF_FILES_TABLE_H

#include "runtime/files/format.h"

/* Cells of a line; quotes are left out. */
typedef struct table_cell {
    const char *text;
    int size;
} table_cell;

enum { TABLE_COLUMNS = 1 << 20 };

/* Whether a line is a row, and neither empty nor a comment (#). */
bool table_is_row(const char *line);
/* Cuts a line of `length` bytes at the separator (' ': any white space); fills at most `room` cells and returns how
 * many there are, or -1 if a quote does not end. The line may be changed. */
int64_t table_cut(char *line, char separator, table_cell *cell, int64_t room);
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
