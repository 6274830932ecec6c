/* Rows of tables: from lines to rows, from rows to cells.
 *
 * A cell whose first character is a quote ends at the next one that is not doubled, on its line or a later one; what
 * else stands before the separator is left out. Any other quote is a character. So whether a line ends within quotes
 * follows from the line and from whether it began within them.
 */
#include <string.h>

#include "runtime/files/table.h"

bool table_is_row(const char *line)
{
    while (*line == ' ' || *line == '\t')
        line++;
    return *line != '\0' && *line != '#';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Where the cell begins that comes next. */
static const char *cell_begin(const char *at, char separator)
{
    while (is_blank(*at) && (separator == ' ' || *at != separator))
        at++;
    return at;
}

/* The separator behind a cell or the end of the row. */
static const char *cell_end(const char *at, char separator)
{
    while (*at != '\0' && (separator == ' ' ? !is_blank(*at) : *at != separator))
        at++;
    return at;
}

const char *table_quote_end(const char *at)
{
    while ((at = strchr(at, '"')) && at[1] == '"')
        at += 2;
    return at ? at + 1 : NULL;
}

bool table_ends_quoted(const char *line, char separator, bool quoted)
{
    if (!quoted && !table_is_row(line))
        return false;
    if (!strchr(line, '"'))
        return quoted;
    for (const char *at = line;; at++) {
        if (!quoted)
            at = cell_begin(at, separator);
        if (quoted || *at == '"') {
            at = table_quote_end(quoted ? at : at + 1);
            if (!at)
                return true;
            quoted = false;
        }
        at = cell_end(at, separator);
        if (*at == '\0')
            return false;
    }
}

int table_complete_row(line_reader *lines, char separator, char **row, int64_t *length)
{
    int64_t added = 0;
    while (table_ends_quoted(*row + added, separator, added > 0)) {
        const int found = lines_join(lines, row, length, &added);
        if (found <= 0)
            return found < 0 ? -1 : 1;
    }
    return 1;
}

int table_next_row(line_reader *lines, char separator, char **row, int64_t *length, int64_t *begin)
{
    int found;
    while ((found = lines_next(lines, row, length, begin)) > 0)
        if (table_is_row(*row))
            return table_complete_row(lines, separator, row, length);
    return found;
}

/* ---- cells ---- */

static table_cell trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    return (table_cell){begin, (int)(end - begin)};
}

/* What is between the quote at the cell's beginning and `end`, behind the one at its end; doubled quotes become one. */
static table_cell unquoted(char *begin, const char *end)
{
    char *to = begin + 1;
    for (const char *at = to; at < end - 1; at++) {
        at += *at == '"';
        *to++ = *at;
    }
    return (table_cell){begin + 1, (int)(to - begin - 1)};
}

int64_t table_cut(char *row, char separator, table_cell *cell, int64_t room)
{
    int64_t cells = 0;
    for (char *at = row;; at++) {
        char *begin = row + (cell_begin(at, separator) - row);
        if (separator == ' ' && *begin == '\0')
            return cells;
        const char *end = *begin == '"' ? table_quote_end(begin + 1) : cell_end(begin, separator);
        if (!end)
            return -1;
        at = row + (cell_end(end, separator) - row);
        if (cells < room)
            cell[cells] = *begin == '"' ? unquoted(begin, end) : trimmed(begin, end);
        cells++;
        if (*at == '\0')
            return cells;
    }
}
