/* Boxed values of the naive evaluator (reference_language.h), and what it computes of numbers. */
#ifndef BMF_REFERENCE_VALUES_H
#define BMF_REFERENCE_VALUES_H

#include "ctest/reference/reference_language.h"

typedef const reference_value *value;

/* Memory of the machine, aligned to 16 bytes. */
void *naive_claim(reference_machine *m, int64_t size);
/* NULL, and the machine knows why. */
value naive_fail(reference_machine *m, const char *why);
/* NULL when the budget is spent, as of all boxes. */
reference_value *naive_box(reference_machine *m, bmf_type_kind kind, int64_t count);
value naive_box_int(reference_machine *m, int64_t integer);
value naive_box_bool(reference_machine *m, bool truth);
value naive_box_real(reference_machine *m, double real);
value naive_box_pair(reference_machine *m, value a, value b);
/* For so many items, with the kind of another. */
reference_value *naive_box_like(reference_machine *m, value like, int64_t count);
/* The processor of item i; place: of a list that lies on one. */
int64_t naive_place_of(value list, int64_t i, int64_t place);
/* Element i of a column. */
value naive_from_column(reference_machine *m, const bmf_column *column, int64_t i);
/* An int or a real. */
double naive_real_of(value x);
/* Operations on numbers; NULL where the language fails. */
value naive_int_arithmetic(reference_machine *m, bmf_operation operation, int64_t a, int64_t b);
value naive_real_arithmetic(reference_machine *m, bmf_operation operation, double a, double b);
value naive_compare(reference_machine *m, bmf_operation operation, value a, value b);
value naive_unary(reference_machine *m, bmf_operation operation, value x);

#endif
