/* Programs of the language from text to a typed expression, for the tests of what comes behind the parser. */
#ifndef BMF_TEST_TYPED_H
#define BMF_TEST_TYPED_H

#include "skeletons/language/types/check.h"

typedef struct typed_program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    const bmf_type *argument, *value; /* with the names of fields, and grids */
    bmf_expression *checked;          /* NULL if it has an error; the message stands in the process-wide slot */
} typed_program;

/* Parses and types definitions, an expression and data, as a file called t.bmf. Returns the status. */
int typed_program_open(const char *text, typed_program *program);
void typed_program_close(typed_program *program);

#endif
