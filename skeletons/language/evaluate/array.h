/* Arrays: lists of lists, or of lists of lists, of equal lengths. Their shapes, their blocks on a grid, and the whole
 * that blocks make. Placed lists of a batch. */
#ifndef BMF_LANGUAGE_EVALUATE_ARRAY_H
#define BMF_LANGUAGE_EVALUATE_ARRAY_H

#include "skeletons/language/evaluate/operations.h"

/* How many elements there are in each dimension, from the outermost; 0 where no list is. Those behind the last one that
 * is meant are 0. */
typedef struct bmf_array {
    int64_t extent[BMF_NUMBERS];
} bmf_array;

/* The blocks of a grid: how many in each dimension; block {b0, b1} is number b0 * blocks[1] + b1. */
typedef struct bmf_block_grid {
    int dimensions;
    int64_t blocks[BMF_NUMBERS];
} bmf_block_grid;

static inline int64_t block_grid_count(const bmf_block_grid *grid)
{
    int64_t count = 1;
    for (int d = 0; d < grid->dimensions; d++)
        count *= grid->blocks[d];
    return count;
}

/* Where block number `block` stands in dimension d. */
static inline int64_t block_grid_place(const bmf_block_grid *grid, int64_t block, int d)
{
    for (int e = grid->dimensions - 1; e > d; e--)
        block /= grid->blocks[e];
    return block % grid->blocks[d];
}

/* The numbers that a form has. */
bmf_block_grid block_grid_of(const bmf_expression *form);
/* The elements [begin[d], end[d]) of a block of an array that is cut as evenly as lists are split. */
void array_block(const bmf_array *whole, const bmf_block_grid *grid, int64_t block, int64_t *begin, int64_t *end);

/* The shape of each list; the caller frees *shape, also after a failure: BMF_ERROR_SHAPE, with a message that names the
 * list that is longer or shorter than the first. */
int array_shapes(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, const bmf_value *lists,
                 int dimensions, bmf_array **shape);

/* Elements of an array, or of one with less: its product. */
int64_t array_elements(const bmf_array *shape, int dimensions);

/* How many lists in each other the type is, at most so many: fewer where there is a list of nothing. */
int array_levels(const bmf_type *type, int dimensions);
/* `count` arrays of these shapes: so many levels of packed lists over what is inside of them, side by side, which is
 * taken over. */
int array_create(bmf_context *ctx, int levels, int64_t count, const bmf_array *shape, bmf_value *inside,
                 bmf_value *out);
/* The elements behind so many levels of lists, as a share: all there are, whatever the lists take of them. */
void array_share_elements(const bmf_value *lists, int levels, bmf_value *out);

/* The list of the blocks of every instance's list: views of its elements. */
int array_cut(bmf_context *ctx, const bmf_value *lists, const bmf_array *shape, const bmf_block_grid *grid,
              bmf_value *out);
/* The elements of the one list's blocks, block after block. */
int array_cut_elements(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *lists, const bmf_array *shape,
                       const bmf_block_grid *grid, bmf_value *elements);

/* Whether blocks of these shapes fit each other, and then what they make; otherwise *fault says why not. */
bool array_fit(const bmf_block_grid *grid, const bmf_array *block, bmf_array *whole, bmf_failure *fault);
/* Where the blocks in each place along dimension d begin, and the end, of blocks that fit: start has blocks[d] + 1. */
void array_starts(const bmf_block_grid *grid, const bmf_array *block, int d, int64_t *start);
/* The wholes of the blocks of all instances, which stand side by side, and fit. */
int array_join(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t instances, const bmf_value *blocks,
               const bmf_block_grid *grid, const bmf_array *block, const bmf_array *whole, bmf_value *out);

#endif
