/* Arguments as a program declares them: main(points: [{real, real}], k: int) in the notation, : {[{real, real}], int}
 * behind the expression of the core. */
#ifndef BMF_LANGUAGE_ARGUMENT_DECLARED_H
#define BMF_LANGUAGE_ARGUMENT_DECLARED_H

#include "skeletons/language/argument.h"
#include "skeletons/language/front/parse.h"

/* Makes arguments be of the types that the program declares: ints are read as reals; the rows of a file's array, of as
 * many numbers as a tuple has components, as tuples; components get the names of declared fields. What has no declared
 * type stays as it was found. given: the names of the files; NULL: the data are in the program. Every process calls it,
 * with what it or another process has found. Errors: BMF_ERROR_TYPE, at the declared type, with both types. Not
 * collective. */
int arguments_declare(bmf_context *ctx, const bmf_texts *texts, const bmf_parsed *parsed, const char *const *given,
                      bmf_argument *argument, int arguments);

/* The type of the argument that a program declares, nothing standing for any; NULL: it declares none. */
const bmf_type *declared_argument(const bmf_parsed *parsed);
/* The same if it says all; otherwise NULL. */
const bmf_type *declared_whole(const bmf_parsed *parsed);

#endif
