/* Names of the components of records. Types carry them (runtime/data/type.h) until a program is typed: what runs has
 * tuples. */
#ifndef BMF_LANGUAGE_FIELDS_H
#define BMF_LANGUAGE_FIELDS_H

#include "runtime/data/type.h"
#include "skeletons/language/front/expression.h"

enum { FIELDS_BYTES = BMF_MAX_LEAVES * FIELD_BYTES };

/* NULL if the bytes can be the name of a field; otherwise why not: "is a word of the notation". */
const char *field_fault(const char *name, int64_t size);
/* Adds a name behind those in the text, which begins empty; or returns why it cannot be added. */
const char *fields_add(char fields[FIELDS_BYTES], const char *name, int64_t size);
/* How many names there are. */
int fields_count(const char *fields);

/* A record or tuple without the names of fields, and what is inside of it, in all nodes of an arena. Typed expressions
 * are rewritten and run so. */
void expressions_forget_fields(bmf_expressions *arena);

#endif
