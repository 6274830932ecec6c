/* Lists of lists of equal lengths as matrices: their shapes, transposes and products. Placed lists of a batch. */
#ifndef BMF_LANGUAGE_EVALUATE_MATRIX_H
#define BMF_LANGUAGE_EVALUATE_MATRIX_H

#include "skeletons/language/evaluate/operations.h"

typedef struct bmf_shape {
    int64_t rows, columns; /* columns 0 if there are no rows */
} bmf_shape;

/* The shape of each list of rows; the caller frees *shape, also after a failure: BMF_ERROR_SHAPE, with a message that
 * names the row that is longer or shorter than the first. matrix: 0, or which operand of `by` the lists are, from 1. */
int matrix_shapes(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, const bmf_value *lists,
                  int matrix, bmf_shape **shape);

/* Lists of count[i] lists of length[i] elements, for all instances: offsets of both levels, and how many elements there
 * are. BMF_ERROR_MEMORY if they are no reasonable number. */
typedef struct bmf_matrix_layout {
    bmf_buffer *rows, *elements;
    int64_t total;
    int64_t *begin; /* where the elements of each instance begin, and the end */
} bmf_matrix_layout;
int matrix_layout(bmf_context *ctx, int64_t instances, const bmf_shape *shape, bmf_matrix_layout *layout);
void matrix_layout_free(bmf_matrix_layout *layout);
/* The lists of lists over `elements`, taken over. */
void matrix_create(const bmf_matrix_layout *layout, int64_t instances, bmf_value *elements, bmf_value *out);

/* Row `row` of instance i: which of the rows of all, and where its elements begin. */
static inline int64_t matrix_row(const bmf_value *lists, int64_t i, int64_t row)
{
    const bmf_value *rows = &lists->child[0];
    return rows->begin[(lists->begin[i * lists->step] + row) * rows->step];
}

/* x stays the caller's, who frees it. */
int evaluate_transpose(bmf_evaluator *evaluator, const bmf_expression *transpose, const bmf_frame *frame, bmf_value *x,
                       bmf_value *out);
int evaluate_matmul(bmf_evaluator *evaluator, const bmf_expression *matmul, const bmf_frame *frame, bmf_value *x,
                    bmf_value *out);

#endif
