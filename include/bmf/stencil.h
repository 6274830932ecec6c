/** @file
 * Stencils: every element becomes a function of its neighbourhood, on a list or on a grid of one to three dimensions.
 *
 * A grid is cut into blocks, one on each processor. A step exchanges the edges of neighbouring blocks and computes the
 * inside meanwhile. A kernel is an expression over the window around an element:
 *
 *     BMF_STENCIL_KERNEL(relax, double, u, 2, 1, BMF_WINDOW_STAR,
 *                        0.25 * (BMF_NEAR_2D(u, -1, 0) + BMF_NEAR_2D(u, 1, 0) +
 *                                BMF_NEAR_2D(u, 0, -1) + BMF_NEAR_2D(u, 0, 1)))
 */
#ifndef BMF_STENCIL_H
#define BMF_STENCIL_H

#include <bmf/export.h>
#include <bmf/kernel.h>
#include <bmf/list.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of stencils. */
enum {
    BMF_MAX_DIMENSIONS = 3,       /**< of a grid */
    BMF_MAX_STENCIL_RADIUS = 4096 /**< of a window */
};

/** A grid: extent[0] x .. elements, row by row (the last dimension is contiguous), in processors[0] x .. blocks. A
 * plain value; both arrays count dimensions from the outermost. Block (b0, b1, ..) is part b0 * processors[1] + b1 ..
 * of a list and lives on the processor of that number; in dimension d it has elements bmf_split_start(extent[d],
 * processors[d], b_d) and on, so that blocks may be empty. A list on a grid holds block after block, each row by row.
 */
typedef struct bmf_grid {
    int dimensions;                         /**< 1 .. BMF_MAX_DIMENSIONS */
    int64_t extent[BMF_MAX_DIMENSIONS];     /**< elements */
    int64_t processors[BMF_MAX_DIMENSIONS]; /**< blocks; 0: bmf_grid_choose is to say */
} bmf_grid;

/** Fills in the processors that are 0, so that all processors of the context have a block and the edges are the
 * shortest. Not collective. Errors: no dimensions, a negative extent, given processors that do not divide those of the
 * context. */
BMF_API int bmf_grid_choose(bmf_context *ctx, bmf_grid *grid);
/** The partition of lists on the grid; the caller releases it. Nothing is moved. Errors: processors that are 0, more
 * blocks than processors. */
BMF_API int bmf_grid_partition(bmf_context *ctx, const bmf_grid *grid, bmf_partition **partition);
/** The elements of a block: [begin[d], end[d]) in dimension d. 0 <= part < blocks. Not collective. */
BMF_API void bmf_grid_block(const bmf_grid *grid, int64_t part, int64_t *begin, int64_t *end);
/** From the elements of the whole grid row by row, on any processors, to the blocks of the grid. Messages as of
 * bmf_project with one index for every element. Errors: BMF_ERROR_SHAPE, another number of elements. */
BMF_API int bmf_grid_spread(const bmf_grid *grid, const bmf_list *xs, bmf_list **out);
/** The inverse: row by row, evenly split over all processors. Messages as above. */
BMF_API int bmf_grid_collect(const bmf_grid *grid, const bmf_list *xs, bmf_list **out);

/** The elements of a grid on another one, with its dimensions in another order: dimension d of the result is dimension
 * axis[d] of xs, as of NumPy's transpose; axis NULL: the order stays, and only the blocks change. xs is on `grid`, the
 * result on `to`, whose extents are those of `grid` in their new order.
 *
 * One round: for each pair of blocks that have elements in common and lie on different processors one message of
 * exactly these elements (of elements with inner lists as packed: 8 bytes a list more). Each element that moves is
 * copied once into the message, and once from it; the others once, while messages are on their way. Any elements. No
 * agreement.
 *
 * Collective. Errors: BMF_ERROR_SHAPE, xs is not on the grid, other extents or numbers of dimensions;
 * BMF_ERROR_ARGUMENT, axes that are not every dimension once, grids with processors that are 0 or too many. */
BMF_API int bmf_grid_transpose(const bmf_grid *grid, const bmf_list *xs, const int *axis, const bmf_grid *to,
                               bmf_list **out);

/** What a kernel looks at: elements at most `radius` away in every dimension. */
typedef enum bmf_window {
    BMF_WINDOW_STAR, /**< in one dimension at a time: a block needs edges of those beside it only */
    BMF_WINDOW_BOX   /**< in several at once: also of those at its corners */
} bmf_window;

/** A kernel over windows. In `kernel`: one input and one output of the same type without tuples (a struct counts as one
 * element); block(context, count, in, out) computes count elements next to each other in the last dimension. in[0] is
 * the first one, in[0].stride bytes from one to the next; in[1].stride are the bytes between neighbours in the
 * dimension before, in[2].stride in the one before that. It cannot fail. Made by BMF_STENCIL_KERNEL. */
typedef struct bmf_stencil_kernel {
    bmf_kernel kernel; /**< what computes */
    int dimensions;    /**< of grids it is for */
    int64_t radius;    /**< of the window, 0 .. BMF_MAX_STENCIL_RADIUS */
    bmf_window window; /**< its shape */
} bmf_stencil_kernel;

/** What there is beyond the edge of a grid, in a dimension of n elements. */
typedef enum bmf_boundary {
    BMF_BOUNDARY_FIXED,    /**< a value: see bmf_stencil_options */
    BMF_BOUNDARY_PERIODIC, /**< element i - n or i + n: the grid is a ring */
    BMF_BOUNDARY_MIRRORED  /**< elements 0, 1, .. again before 0, and n - 1, n - 2, .. behind n - 1 */
} bmf_boundary;

/** How a stencil is applied. Members that are not named are 0: one step, fixed, zeros outside. */
typedef struct bmf_stencil_options {
    int64_t steps;                             /**< how often; 0 counts as 1 */
    bmf_boundary boundary[BMF_MAX_DIMENSIONS]; /**< in each dimension of the grid */
    /** Of fixed boundaries: a record for what is before the first element of a dimension, and for what is behind the
     * last; NULL: all bytes zero. Where an element is outside in several dimensions, the first of them says. */
    const void *outside[BMF_MAX_DIMENSIONS][2];
} bmf_stencil_options;

/** The kernel over the window of every element, `steps` times; on the processors of xs. grid: that of xs, or NULL for a
 * list of one dimension on any parts. options: NULL for one step with zeros outside.
 *
 * A step sends every block the elements of others that its window needs: one message for each block it needs any of,
 * with all that it needs of it. With blocks of at least `radius` elements in each dimension these are neighbours, 2 per
 * dimension (star) or 3^dimensions - 1 (box), of radius times the elements of the common side each. While messages are
 * on their way the inside is computed, of which every window is in the block. No agreement of all, whatever the number
 * of steps. Every element is computed by the same expression wherever it is: the same bits for every number of ranks,
 * threads and processors. Needs memory for the result, and from 2 steps on for another one.
 *
 * Collective. Document 002, 4.3 (shadow edges). Errors: BMF_ERROR_TYPE, the list is not of the kernel's type, or has
 * tuples or lists in it; BMF_ERROR_SHAPE, xs is not on the grid; BMF_ERROR_ARGUMENT, a kernel for another number of
 * dimensions, no such boundary, steps < 0. */
BMF_API int bmf_stencil(const bmf_list *xs, const bmf_grid *grid, const bmf_stencil_kernel *kernel,
                        const bmf_stencil_options *options, bmf_list **out);

/** The same kernel with another context. */
static inline bmf_stencil_kernel bmf_stencil_bind(const bmf_stencil_kernel *kernel, const void *context)
{
    bmf_stencil_kernel bound = *kernel;
    bound.kernel.context = context;
    return bound;
}

/** The element i further on, of one dimension. */
#define BMF_NEAR_1D(u, i) ((u)[(i)])
/** The element i rows and j columns further on. */
#define BMF_NEAR_2D(u, i, j) ((u)[(i)*bmf_row_ + (j)])
/** The element i planes, j rows and k columns further on. */
#define BMF_NEAR_3D(u, i, j, k) ((u)[(i)*bmf_plane_ + (j)*bmf_row_ + (k)])

/** name(window of u) = expression, in which BMF_NEAR_1D, 2D or 3D of u, or u[0], are elements. dimensions, radius and
 * window as in bmf_stencil_kernel. */
#define BMF_STENCIL_KERNEL(name, type, u, dimensions, radius, window, expression)                                      \
    BMF_STENCIL_KERNEL_WITH(name, char, name##_unused, type, u, dimensions, radius, window, expression)

/** The same with a context: `context` is a const context_type * inside the expression; see bmf_stencil_bind. */
#define BMF_STENCIL_KERNEL_WITH(name, context_type, context, type, u, dimensions, radius, window, expression)          \
    BMF_INLINE type name##_element(const context_type *context, const type *u, int64_t bmf_row_, int64_t bmf_plane_)   \
    {                                                                                                                  \
        (void)context, (void)bmf_row_, (void)bmf_plane_;                                                               \
        return __extension__(type)(expression);                                                                        \
    }                                                                                                                  \
    BMF_STENCIL_ROW_(BMF_VECTORISE, name, block, context_type, type)                                                   \
    BMF_STENCIL_ROW_(BMF_VECTORISE_UNFUSED, name, unfused, context_type, type)                                         \
    BMF_STREAM_(name, type, BMF_KEEP_LOOP_, BMF_STENCIL_ARGUMENTS_(context_type, type),                                \
                name##_element(bmf_c_, bmf_x_ + bmf_i_, bmf_r_, bmf_p_))                                               \
    static const bmf_type name##_type = BMF_TYPE_OF(type);                                                             \
    static const bmf_stencil_kernel name __attribute__((unused)) = {{#name,                                            \
                                                                     BMF_BLOCK_OF_(name, type),                        \
                                                                     0,                                                \
                                                                     1,                                                \
                                                                     {&name##_type},                                   \
                                                                     &name##_type,                                     \
                                                                     false,                                            \
                                                                     BMF_KERNEL_VERSION,                               \
                                                                     BMF_STREAM_OF_(name, type),                       \
                                                                     0},                                               \
                                                                    dimensions,                                        \
                                                                    radius,                                            \
                                                                    window};

/** @cond internal */
#define BMF_STENCIL_ARGUMENTS_(context_type, type)                                                                     \
    const context_type *bmf_c_ = (const context_type *)bmf_context_;                                                   \
    const type *bmf_x_ = (const type *)bmf_in_[0].data;                                                                \
    const int64_t bmf_r_ = bmf_in_[1].stride / (int64_t)sizeof(type);                                                  \
    const int64_t bmf_p_ = bmf_in_[2].stride / (int64_t)sizeof(type)
#define BMF_STENCIL_ROW_(vectorise, name, suffix, context_type, type)                                                  \
    vectorise static int name##_##suffix(const void *bmf_context_, int64_t bmf_count_, const bmf_slice *bmf_in_,       \
                                         const bmf_slice *bmf_out_)                                                    \
    {                                                                                                                  \
        BMF_STENCIL_ARGUMENTS_(context_type, type);                                                                    \
        type *__restrict bmf_y_ = (type *)bmf_out_[0].data;                                                            \
        for (int64_t bmf_i_ = 0; bmf_i_ < bmf_count_; bmf_i_++)                                                        \
            bmf_y_[bmf_i_] = name##_element(bmf_c_, bmf_x_ + bmf_i_, bmf_r_, bmf_p_);                                  \
        return 0;                                                                                                      \
    }
/** @endcond */

#ifdef __cplusplus
}
#endif
#endif
