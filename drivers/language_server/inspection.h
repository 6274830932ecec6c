/* What bmf knows of a text: its syntax, what is wrong with it, the types of its expressions. */
#ifndef BMF_LANGUAGE_SERVER_INSPECTION_H
#define BMF_LANGUAGE_SERVER_INSPECTION_H

#include <jansson.h>

#include "drivers/language_server/shapes.h"
#include "drivers/notation/document.h"

/* An expression that was typed, or a name of a pattern. */
typedef struct inspection_type {
    bmf_span span;
    const bmf_expression *expression; /* NULL: the name of a pattern */
    const bmf_type *in, *out;         /* of a name: out */
} inspection_type;

typedef struct inspection {
    document document;
    bmf_text_failures failures; /* in texts */
    bool failed;                /* there is an error */
    bool typed;                 /* there was an argument to type the program with */
    bmf_expression *checked;    /* NULL: not typed, or an error */
    inspection_type *type;      /* in the order in which they were found */
    int types, capacity;
    shape_notes shapes;
} inspection;

/* Inspects a text; name: as in messages. NULL is never returned. */
inspection *inspection_create(const char *name, const char *bytes, int64_t size, const bmf_strings *libraries);
void inspection_free(inspection *made);

const bmf_text *inspection_text(const inspection *of);
/* The syntax of the text, definitions with an error without a body; NULL: it is core language. */
const notation_text *inspection_syntax(const inspection *of);
/* The diagnostics of the protocol, a new array: the errors, what is sent to all processors, what keeps types from being
 * known. */
json_t *inspection_diagnostics(const inspection *of);

/* The types of the name that a pattern binds there, or of the outermost expression whose word is there, as words:
 * "int", "int or real", "[real] -> real" (arrow); of expressions with the lengths of lists that are known, "[[real]] 3
 * x 2". NULL: not known. */
char *inspection_words(const inspection *of, bmf_span span, bool name, bool arrow, char *words, size_t size);

#endif
