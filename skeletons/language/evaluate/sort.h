/* Sorting, of placed lists and of one list in parts on several processors. */
#ifndef BMF_LANGUAGE_EVALUATE_SORT_H
#define BMF_LANGUAGE_EVALUATE_SORT_H

#include "bmf/list.h"
#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/types/checker.h"

/* Whether lists of the type can be sorted: [int], [real], [bool], or distributed lists of these; false after a
 * message. */
bool checker_sortable(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);

/* The elements of each list ascending, or their numbers in it; x stays the caller's, who frees it. */
int evaluate_sort(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bool numbers, bmf_value *out);
/* What `sort` makes of all parts of the program's one distributed list. Takes x over. */
int evaluate_parallel_sort(bmf_evaluator *evaluator, bmf_expression *expression, bmf_value *x,
                           int (*sort)(const bmf_list *xs, bmf_list **out), bmf_value *out);

/* The elements of each list in the order of keys that are made of them; equal ones stay in their order. */
bmf_evaluate_function evaluate_sort_by, evaluate_parallel_sort_by;
/* {key, elements} for every key of each list's elements, ascending. */
bmf_evaluate_function evaluate_group, evaluate_parallel_group;
/* The numbers of each list once, ascending; x stays the caller's, who frees it. */
int evaluate_unique(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out);

#endif
