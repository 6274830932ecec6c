/* Cells of tables as scalars.
 *
 * Numbers are read by strtoll and strtod in the C locale; a comma as the decimal sign is not understood. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/files/table.h"

enum { LONGEST_NUMBER = 400 };

/* A copy that ends with a NUL, for strtod; false if no number is so long. */
static bool copy_cell(table_cell cell, char text[LONGEST_NUMBER])
{
    if (cell.size == 0 || cell.size >= LONGEST_NUMBER || isspace((unsigned char)cell.text[0]))
        return false;
    memcpy(text, cell.text, (size_t)cell.size);
    text[cell.size] = '\0';
    return true;
}

bool table_int(table_cell cell, int64_t *value)
{
    int k = cell.size > 0 && (cell.text[0] == '-' || cell.text[0] == '+');
    const bool negative = k > 0 && cell.text[0] == '-';
    *value = 0;
    if (k == cell.size)
        return false;
    for (; k < cell.size; k++) {
        const int digit = cell.text[k] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*value, 10, value) ||
            (negative ? __builtin_sub_overflow(*value, digit, value) : __builtin_add_overflow(*value, digit, value)))
            return false;
    }
    return true;
}

bool table_real(table_cell cell, double *value)
{
    char text[LONGEST_NUMBER], *end;
    if (cell.size == 0) {
        *value = __builtin_nan("");
        return true;
    }
    if (!copy_cell(cell, text) || memchr(text, 'x', (size_t)cell.size) || memchr(text, 'X', (size_t)cell.size))
        return false;
    *value = strtod(text, &end);
    return end == text + cell.size;
}

bool table_bool(table_cell cell, uint8_t *value)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE", "0", "1"};
    for (int k = 0; k < 8; k++)
        if (strlen(words[k]) == (size_t)cell.size && memcmp(words[k], cell.text, (size_t)cell.size) == 0) {
            *value = (uint8_t)(k & 1);
            return true;
        }
    return false;
}

int table_fail_cell(bmf_context *ctx, const data_file *file, int64_t row, int64_t column, table_cell cell,
                    bmf_stored_scalar scalar)
{
    const char *word = scalar == STORED_INT64 ? "int" : scalar == STORED_BOOL ? "bool" : "real";
    const int size = cell.size < 48 ? cell.size : 48;
    int64_t whole;
    double value;
    if (cell.size == 0)
        return data_fail(ctx, file, "row %" PRId64 ", column %" PRId64 " is empty, where a column of %ss is read", row,
                         column, word);
    if (scalar == STORED_INT64 && !table_int(cell, &whole) && table_real(cell, &value))
        return data_fail(ctx, file,
                         "row %" PRId64 ", column %" PRId64 " is %.*s, no int; read the column as reals: `:%" PRId64
                         ":real` behind the name",
                         row, column, size, cell.text, column);
    return data_fail(ctx, file, "row %" PRId64 ", column %" PRId64 " is `%.*s`, no %s", row, column, size, cell.text,
                     word);
}
