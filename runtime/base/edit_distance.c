/* Levenshtein's distance of names.
 *
 * Method: the table of distances of all beginnings, one row at a time. Cost: the product of the lengths.
 * Source: R. Wagner, M. Fischer, "The string-to-string correction problem", Journal of the ACM 21, 1974. */
#include "runtime/base/edit_distance.h"

#include <ctype.h>
#include <stdbool.h>

enum { LONGEST = 64 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b, bool caseless)
{
    return caseless ? tolower((unsigned char)a) == tolower((unsigned char)b) : a == b;
}

static int64_t distance(const char *a, int64_t a_size, const char *b, int64_t b_size, bool caseless)
{
    int64_t row[LONGEST + 1];
    if (a_size > LONGEST || b_size > LONGEST)
        return a_size > b_size ? a_size : b_size;
    for (int64_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (int64_t i = 0; i < a_size; i++) {
        int64_t diagonal = row[0];
        row[0] = i + 1;
        for (int64_t j = 0; j < b_size; j++) {
            const int64_t replaced = diagonal + !is_same(a[i], b[j], caseless);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, smaller(row[j], diagonal) + 1);
        }
    }
    return row[b_size];
}

int64_t edit_distance(const char *a, int64_t a_size, const char *b, int64_t b_size)
{
    return distance(a, a_size, b, b_size, false);
}

int64_t edit_distance_caseless(const char *a, int64_t a_size, const char *b, int64_t b_size)
{
    return distance(a, a_size, b, b_size, true);
}
