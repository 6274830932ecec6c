/* What the forms of records share: B_Record, B_Field, B_With. */
#ifndef BMF_LANGUAGE_RECORD_H
#define BMF_LANGUAGE_RECORD_H

#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/fields.h"

/* The keyword and [x, y]. */
void record_print(const bmf_expression *expression, FILE *out);
/* The same names. */
bool record_equal(const bmf_expression *a, const bmf_expression *b);

/* The place of a field in a record, from 0 on; -1 after a message: it is no record, or has no such field. */
int record_place(bmf_checker *checker, const bmf_expression *expression, const bmf_type *record, const char *field,
                 int size);
/* Component `place`, from 0 on, of arguments of type in. */
bmf_expression *record_component(bmf_checker *checker, const bmf_expression *expression, int place, const bmf_type *in);

#endif
