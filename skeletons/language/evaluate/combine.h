/* Operators of reductions and scans applied to batches: to all values, or to some while the others stay. Private to the
 * evaluator. */
#ifndef BMF_LANGUAGE_EVALUATE_COMBINE_H
#define BMF_LANGUAGE_EVALUATE_COMBINE_H

#include "skeletons/language/evaluate/evaluate.h"

/* B_Op (B_Conc) */
bool is_concatenation(const bmf_expression *operation);
/* The reduction's or scan's default for every instance (NULL type: it has none). x stays. */
int evaluate_default(bmf_evaluator *evaluator, const bmf_expression *fold, bmf_frame *frame, const bmf_value *x,
                     bmf_value *initial);

/* operator {a, b} on instances `picked` of a frame; a and b are taken over. */
int apply_operator(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame, const int64_t *picked,
                   int64_t count, bmf_value *a, bmf_value *b, bmf_value *out);
/* The same on all instances of the frame. */
int apply_operator_to_all(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame, bmf_value *a,
                          bmf_value *b, bmf_value *out);

/* Which values of a batch are combined with others, and which stay; some may be left out. */
typedef struct bmf_combination {
    int64_t results;
    uint8_t *combined;               /* by result */
    int64_t *pair, *instance, pairs; /* values that are combined; their instances in the frame */
    int64_t *single, singles;        /* values that stay */
} bmf_combination;

/* most: how many results there may be. On failure nothing is left to close. */
int combination_open(bmf_evaluator *evaluator, int64_t max, bmf_combination *combination);
void combination_close(bmf_combination *combination);
/* The next result is value `k`, or that one combined with the next other on an instance. */
void combination_add_single(bmf_combination *combination, int64_t k);
void combination_add_pair(bmf_combination *combination, int64_t k, int64_t instance);
/* All results: operator {value, other}, or {other, value}, where they are combined. values stay; others, one for every
 * pair, are taken over. */
int combination_apply(bmf_evaluator *evaluator, const bmf_expression *fold, const bmf_frame *frame,
                      const bmf_combination *combination, const bmf_value *values, bmf_value *others, bool others_first,
                      bmf_value *out);

/* Room for count numbers, or NULL after a message. */
int64_t *tree_numbers(bmf_evaluator *evaluator, int64_t count);

#endif
