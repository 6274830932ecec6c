/* The language, evaluated naively: the reference for property tests. Element by element, on boxed values, straight from
 * the definitions of docs/language.md; nothing is shared with the evaluator but the checked tree. */
#ifndef BMF_REFERENCE_LANGUAGE_H
#define BMF_REFERENCE_LANGUAGE_H

#include <stdio.h>

#include "runtime/data/column.h"
#include "skeletons/language/front/expression.h"

typedef struct reference_value reference_value;
struct reference_value {
    bmf_type_kind kind; /* BMF_DISTRIBUTED: processor[i] is that of item i */
    int64_t integer;    /* also bools */
    double real;
    int64_t count; /* items of lists and tuples */
    const reference_value **item;
    int64_t *processor;
    int dimensions; /* of distributed lists: the items are the blocks of a grid; 0: they are not */
    int64_t blocks[BMF_NUMBERS];
};

typedef enum reference_outcome { REFERENCE_VALUE, REFERENCE_FAILURE, REFERENCE_TOO_MUCH } reference_outcome;

/* Holds all values made; freed at once. */
typedef struct reference_machine {
    int64_t processors;
    int64_t budget;      /* values that may still be made; then the outcome is REFERENCE_TOO_MUCH */
    const char *failure; /* why it failed, in words */
    struct reference_block *block;
} reference_machine;

/* Applies an expression as check_types leaves it (not rewritten) to element 0 of a column. */
reference_outcome reference_evaluate(reference_machine *machine, const bmf_expression *checked,
                                     const bmf_column *argument, const reference_value **result);
void reference_free(reference_machine *machine);

/* True if element i of the column is the value: the same bits, but any NaN is every NaN. A distributed list is equal to
 * a list. */
bool reference_same(const reference_value *value, const bmf_column *column, int64_t i);
/* Prints at most `most` items of every list. */
void reference_print(const reference_value *value, int64_t max, FILE *stream);

#endif
