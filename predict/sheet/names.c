/* Levenshtein's distance of names: one row of the table at a time. Cost: the product of the lengths. */
#include "predict/sheet/names.h"

#include <string.h>

enum { LONGEST = 64 };

static int smallest(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

int name_distance(const char *a, const char *b)
{
    int row[LONGEST + 1] = {0}, columns = (int)strnlen(b, LONGEST), rows = (int)strnlen(a, LONGEST);
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 0; i < rows; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < columns; j++) {
            int above = row[j + 1];
            row[j + 1] = smallest(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
            diagonal = above;
        }
    }
    return row[columns];
}
