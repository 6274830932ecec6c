/* What the printer shares with the forms that print themselves. Not for others. */
#ifndef BMF_LANGUAGE_PRINT_H
#define BMF_LANGUAGE_PRINT_H

#include <stdio.h>

#include "skeletons/language/front/expression.h"

/* On one line. */
void print_expression(const bmf_expression *expression, FILE *out);
/* " (f)" */
void print_operand(const bmf_expression *operand, FILE *out);
/* "B_Alltup [f, g]" */
void print_list(const bmf_expression *expression, FILE *out);

#endif
