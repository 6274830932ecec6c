/* What forms and operations evaluate with: one function for each, and what these share. */
#ifndef BMF_LANGUAGE_EVALUATE_OPERATIONS_H
#define BMF_LANGUAGE_EVALUATE_OPERATIONS_H

#include "skeletons/language/batches/operations.h"
#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/forms/form.h"

/* Applies `body` to all elements of the placed lists x, which are taken over; `by` names what does so in messages. */
int evaluate_elements(bmf_evaluator *evaluator, const bmf_expression *by, bmf_expression *body, bmf_frame *frame,
                      bmf_value *x, bmf_value *out);

/* f . g, B_Alltup and B_Allvec. */
bmf_evaluate_function evaluate_composition, evaluate_tuple, evaluate_vector;

/* Operations on placed lists; x stays the caller's, who frees it. */
int evaluate_length(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *x, bmf_value *out);
int evaluate_index(bmf_evaluator *evaluator, const bmf_expression *index, const bmf_frame *frame, bmf_value *x,
                   bmf_value *out);
int evaluate_slice(bmf_evaluator *evaluator, const bmf_expression *slice, const bmf_frame *frame, bmf_value *x,
                   bmf_value *out);
int evaluate_iota(bmf_evaluator *evaluator, const bmf_expression *iota, const bmf_frame *frame, const bmf_value *x,
                  bmf_value *out);
int evaluate_distl(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out);

/* evaluate_batch without the regions of the expression's own names. */
int evaluate_unnamed(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                     bmf_value *out);

/* Whether the expression is to be applied processor by processor, and doing so. x is taken over. */
bool emulates_ranks(const bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_frame *frame);
int evaluate_per_rank(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                      bmf_value *out);

/* The operation's list of instances in which its lists have unequal lengths is checked; pairs; then the operator, if
 * any. */
int evaluate_zip(bmf_evaluator *evaluator, bmf_expression *zip, bmf_frame *frame, bmf_value *x, bmf_value *out);
int evaluate_split(bmf_evaluator *evaluator, const bmf_expression *split, bmf_value *x, bmf_value *out);
bmf_evaluate_function evaluate_blocks, evaluate_join;
int evaluate_filter(bmf_evaluator *evaluator, bmf_expression *filter, bmf_frame *frame, bmf_value *x, bmf_value *out);
int evaluate_project(bmf_evaluator *evaluator, bmf_expression *project, const bmf_frame *frame, bmf_value *x,
                     bmf_value *out);
int evaluate_concatenation(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out);
/* Reductions and scans with B_Conc: offsets only. */
int evaluate_reduce_lists(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x,
                          bmf_value *out);
int evaluate_scan_lists(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x, bmf_value *out);

/* The elements of packed lists k places on, k not 0, lists staying what they are; x stays. Where nothing moves to, what
 * `beyond` makes of the element that is there; NULL: what leaves comes back at the other end. */
int shift_elements(bmf_evaluator *evaluator, const bmf_expression *by, int64_t k, bmf_expression *beyond,
                   const bmf_frame *frame, const bmf_value *x, bmf_value *out);

/* Fails if a list is empty. */
int check_not_empty(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame,
                    const bmf_value *lists);
/* Keeps the failure of the lower element; for passes, whose threads call it at once. `first` begins with kind
 * BMF_FAILURE_NONE. */
void note_first_failure(bmf_failure *first, int64_t element, int64_t value, int64_t other);
/* BMF_OK if nothing was noted, otherwise the failure of the frame's instance. */
int noted_failure(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_expression *expression,
                  bmf_failure_kind kind, bmf_failure *first);

#endif
