/* A stencil and what it is applied to: what placed lists, lists in parts, and blocks of a grid share. Private to the
 * stencils. */
#ifndef BMF_LANGUAGE_STENCILS_CALL_H
#define BMF_LANGUAGE_STENCILS_CALL_H

#include "skeletons/language/stencils/points.h"

/* A stencil of some lists, which are packed. */
typedef struct stencil_call {
    bmf_evaluator *evaluator;
    bmf_expression *expression;
    bmf_frame *frame;
    const bmf_value *handed, *lists;
    bool of_points;
    bmf_points points;
} stencil_call;

/* argument: lists, or pairs of what is handed on to one and the list. */
stencil_call stencil_call_of(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame,
                             const bmf_value *argument);
/* What is left to do, when all that stands around parts is there. begun: the status of what was done before. A rank
 * that fails goes on with default values. */
int stencil_end_parts(stencil_call *s, const bmf_around *around, int begun, bmf_value *out);

/* Of the blocks of a grid, packed lists or pairs with such, on all ranks. *known: what ranks know of their sizes, which
 * is told if it is not enough. Collective. */
int stencil_of_blocks(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_distribution *spread,
                      bmf_value *blocks, bmf_buffer **known, bmf_value *out);

#endif
