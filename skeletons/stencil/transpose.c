/* transpose: the elements of a grid on another one, with dimensions in another order.
 *
 * Method, cost: skeletons/engine/regrid.c. */
#include "skeletons/stencil/stencil.h"

#include "skeletons/engine/regrid.h"
#include "skeletons/skeleton_types.h"

const bmf_skeleton_type skeleton_transpose = {
    .id = 45, .name = "transpose", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Transpose"};

/* Every dimension once. */
static int check_axes(bmf_context *ctx, int dimensions, const int *axis)
{
    bool used[BMF_MAX_DIMENSIONS] = {false};
    for (int d = 0; d < dimensions; d++) {
        if (axis[d] < 0 || axis[d] >= dimensions || used[axis[d]])
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "transpose: the axes are not 0 to %d in some order",
                            dimensions - 1);
        used[axis[d]] = true;
    }
    return BMF_OK;
}

static int check_grids(const bmf_list *xs, const bmf_grid *from, const bmf_grid *to, const int *axis,
                       const bmf_partition *source)
{
    char text[256];
    if (from->dimensions != to->dimensions)
        return bmf_fail(xs->context, BMF_ERROR_SHAPE, "transpose: a grid of %d dimensions cannot become one of %d",
                        from->dimensions, to->dimensions);
    BMF_TRY(check_axes(xs->context, to->dimensions, axis));
    for (int d = 0; d < to->dimensions; d++)
        if (to->extent[d] != from->extent[axis[d]])
            return bmf_fail(
                xs->context, BMF_ERROR_SHAPE,
                "transpose: dimension %d of the new grid has %lld elements, dimension %d of the old one %lld", d,
                (long long)to->extent[d], axis[d], (long long)from->extent[axis[d]]);
    if (bmf_partition_equal(xs->partition, source))
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_SHAPE, "transpose: %s is not on the grid",
                    bmf_list_print(xs, text, sizeof text));
}

static int move_elements_to(const bmf_list *xs, const bmf_grid *from, const bmf_grid *to, const int *axis,
                            const bmf_partition *source, bmf_partition *target, bmf_list **out)
{
    bmf_tiling tiling[2];
    bmf_column column;
    bmf_regrid move = {xs->context, &tiling[0], &tiling[1], source, target, {0}};
    for (int d = 0; d < to->dimensions; d++)
        move.axis[d] = axis[d];
    tiling_of_grid(from, &tiling[0]);
    tiling_of_grid(to, &tiling[1]);
    BMF_TRY(list_fits(xs->context, xs->type, target));
    skeleton_begin(xs->context, &skeleton_transpose, "transpose");
    const int status = regrid(&move, "transpose", &xs->column, &column);
    if (status == BMF_OK)
        list_adopt(xs->context, target, &column, out);
    for (int k = 0; k < 2; k++)
        tiling_free(&tiling[k]);
    return skeleton_end(xs->context, target, status);
}

int bmf_grid_transpose(const bmf_grid *grid, const bmf_list *xs, const int *axis, const bmf_grid *to, bmf_list **out)
{
    static const int same[BMF_MAX_DIMENSIONS] = {0, 1, 2};
    bmf_context *ctx = xs->context;
    bmf_partition *source = NULL, *target = NULL;
    axis = axis ? axis : same;
    int status = bmf_grid_partition(ctx, grid, &source);
    if (status == BMF_OK)
        status = bmf_grid_partition(ctx, to, &target);
    if (status == BMF_OK)
        status = check_grids(xs, grid, to, axis, source);
    if (status == BMF_OK)
        status = move_elements_to(xs, grid, to, axis, source, target, out);
    bmf_partition_release(source);
    bmf_partition_release(target);
    return status;
}
