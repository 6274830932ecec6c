/* Data as text: literals of programs and .bmfdata files, and results.
 *
 *     [[1, 2], [3]]     {1, 2.5, true}     {x: 1, y: 2.5}     []     -7     1e-3     inf  -inf  nan  B_True
 *
 * An int among reals in a list is a real, also inside the components of tuples and inner lists: [{1, 2}, {1.5, 3}] is
 * [{real, int}]. Empty lists take their element type from their neighbours; [] alone is [?]. Reals print in the
 * shortest form that reads back as the same real, and always look like reals: 3.0, 1e+300. */
#ifndef BMF_LANGUAGE_DATA_H
#define BMF_LANGUAGE_DATA_H

#include <stdio.h>

#include "runtime/data/column.h"
#include "skeletons/language/front/text.h"

/* Parses all of a span (one datum, comments allowed) into a column of ONE element of *type, which is interned. A
 * column's type cannot be `nothing`: where *type says so the column has int, with no elements; and it has no names of
 * fields. One pass, no tree of
 * nodes: memory is at most about 3 times the columns, 100 MB of text take seconds. Errors (BMF_ERROR_TYPE or
 * BMF_ERROR_USAGE, with a caret): syntax; lists of mixed types (says both); ints that do not fit int64; reals that
 * overflow; nesting; text behind the datum. */
int data_parse(bmf_context *ctx, const bmf_texts *texts, bmf_span span, const bmf_type **type, bmf_column *column);

/* The smallest type that both convert to: equal, int with real, nothing with anything, records with tuples and those
 * of the same fields, componentwise. NULL: none. */
const bmf_type *bmf_type_join(const bmf_type *a, const bmf_type *b);

/* Prints element i. Returns 0, or -1 if the stream could not be written. */
int data_print(const bmf_column *column, int64_t i, FILE *stream);
/* The same with the names of fields that the type has. */
int data_print_as(const bmf_column *column, const bmf_type *type, int64_t i, FILE *stream);
/* A real in its shortest form, at most 32 bytes with the 0. */
char *real_print(double value, char text[32]);

#endif
