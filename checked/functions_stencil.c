/* The functions of bmf/stencil.h. */
#include "bmf/stencil.h"
#include "checked/checked.h"

/* clang-format off */

STATUS_FUNCTION(bmf_grid_choose, (bmf_context *ctx, bmf_grid *grid), (ctx, grid),
                BMF_ANY_THREAD, CONTEXT(ctx), MEMORY(grid))
STATUS_FUNCTION(bmf_grid_partition, (bmf_context *ctx, const bmf_grid *grid, bmf_partition **partition),
                (ctx, grid, partition),
                BMF_OWN_THREAD, CONTEXT(ctx), MEMORY(grid), NEW_PARTITION(partition))
VOID_FUNCTION(bmf_grid_block, (const bmf_grid *grid, int64_t part, int64_t *begin, int64_t *end),
              (grid, part, begin, end),
              BMF_ANY_THREAD, MEMORY(grid), MEMORY(begin), MEMORY(end))
STATUS_FUNCTION(bmf_grid_spread, (const bmf_grid *grid, const bmf_list *xs, bmf_list **out), (grid, xs, out),
                BMF_COLLECTIVE, MEMORY(grid), LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_grid_collect, (const bmf_grid *grid, const bmf_list *xs, bmf_list **out), (grid, xs, out),
                BMF_COLLECTIVE, MEMORY(grid), LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_grid_transpose,
                (const bmf_grid *grid, const bmf_list *xs, const int *axis, const bmf_grid *to, bmf_list **out),
                (grid, xs, axis, to, out),
                BMF_COLLECTIVE, MEMORY(grid), LIST(xs), MEMORY(to), NEW_LIST(out))
STATUS_FUNCTION(bmf_stencil,
                (const bmf_list *xs, const bmf_grid *grid, const bmf_stencil_kernel *kernel,
                 const bmf_stencil_options *options, bmf_list **out),
                (xs, grid, kernel, options, out),
                BMF_COLLECTIVE, LIST(xs), KERNEL_OF(kernel), NUMBER(options ? options->steps : 1), NEW_LIST(out))
