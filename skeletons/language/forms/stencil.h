/* The operands of B_Stencil: how far its windows reach in each dimension, its function, and its edges. */
#ifndef BMF_LANGUAGE_FORM_STENCIL_H
#define BMF_LANGUAGE_FORM_STENCIL_H

#include "skeletons/language/front/expression.h"

/* Function, and at most two edges a dimension. */
enum { BMF_STENCIL_OPERANDS = 1 + 2 * BMF_NUMBERS };

/* Of a list 1, of rows 2, of planes of rows 3: number[d] is the reach in dimension d, from the outermost on. */
static inline int stencil_dimensions(const bmf_expression *stencil)
{
    int dimensions = 1;
    while (dimensions < BMF_NUMBERS && stencil->number[dimensions] > 0)
        dimensions++;
    return dimensions;
}

/* Which child is the edge before (side 0) or behind (side 1) dimension d: behind the function stands one for all edges,
 * or each; 0: none, all dimensions are rings. */
static inline int stencil_edge_child(const bmf_expression *stencil, int d, int side)
{
    return stencil->children <= 2 ? stencil->children - 1 : 1 + 2 * d + side;
}

#endif
