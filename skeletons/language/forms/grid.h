/* What forms of grids share: their numbers, one for each dimension. */
#ifndef BMF_LANGUAGE_FORMS_GRID_H
#define BMF_LANGUAGE_FORMS_GRID_H

#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"

/* Behind a keyword: the form with (B_Num r) (B_Num c), and perhaps a third; or with none where `may_lack` them.
 * (B_Procs) stands for a number. NULL after a message. */
bmf_expression *grid_parse(bmf_parser *p, const bmf_keyword *keyword, bool may_lack);
/* The keyword and its numbers. */
void grid_print(const bmf_expression *form, FILE *out);
bool grid_equal(const bmf_expression *a, const bmf_expression *b);

/* How many blocks the form's numbers make, those that are 0 counted as 1; 0: more than 2^40. */
int64_t grid_blocks(const bmf_expression *form);
/* Whether every number is 1 or more, or 0 where that `may_be` for what is known later; false after a message. */
bool grid_check(bmf_checker *checker, const bmf_expression *form, bool may_be);
/* Placed lists of lists, of lists if there are three dimensions; what has no elements goes. */
bool grid_fits(const bmf_type *type, int dimensions);
/* What a form of so many dimensions needs: "a list of lists". */
const char *grid_words(int dimensions);

#endif
