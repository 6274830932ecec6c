/* stencil: every element becomes a function of the window around it.
 *
 * Method: in every step the edges of the blocks set out (skeletons/stencil/halo.c), the inside is computed, the edges
 * arrive, the rest is computed (skeletons/stencil/blocks.c). Steps take turns between two lists.
 * Cost: a step moves 2 n w bytes of memory, and a message for each pair of neighbours and direction. No agreements.
 * Source: document 002, 4.3 (exchange of shadow edges beside computing). */
#include "skeletons/stencil/stencil.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/plan.h"
#include "skeletons/skeleton_types.h"

const bmf_skeleton_type skeleton_stencil = {.id = 36, .name = "stencil", .communication = BMF_COMMUNICATION_PERMUTE};

/* ---- checks ---- */

static int check_kernel(const bmf_list *xs, const bmf_stencil_kernel *kernel)
{
    char type[128], needed[128];
    const bmf_kernel *of = &kernel->kernel;
    const bmf_type *taken = bmf_type_intern(of->input[0]);
    if (kernel->dimensions < 1 || kernel->dimensions > BMF_MAX_DIMENSIONS || kernel->radius < 0 ||
        kernel->radius > BMF_MAX_STENCIL_RADIUS)
        return bmf_fail(xs->context, BMF_ERROR_ARGUMENT,
                        "stencil: kernel %s has %d dimensions and radius %lld, not 1 to %d and 0 to %d", of->name,
                        kernel->dimensions, (long long)kernel->radius, BMF_MAX_DIMENSIONS, BMF_MAX_STENCIL_RADIUS);
    if (of->inputs != 1 || of->may_fail || bmf_type_intern(of->output) != taken)
        return bmf_fail(xs->context, BMF_ERROR_TYPE,
                        "stencil: kernel %s must take one list, give the same type, and not fail", of->name);
    if (xs->type != taken)
        return bmf_fail(xs->context, BMF_ERROR_TYPE, "stencil: kernel %s takes %s, the list has %s", of->name,
                        bmf_type_print(taken, needed, sizeof needed), bmf_type_print(xs->type, type, sizeof type));
    if (taken->kind == BMF_TUPLE || taken->kind == BMF_LIST)
        return bmf_fail(xs->context, BMF_ERROR_TYPE, "stencil: elements are numbers or structs, not %s",
                        bmf_type_print(taken, needed, sizeof needed));
    return BMF_OK;
}

static int check_options(bmf_context *ctx, const bmf_stencil_kernel *kernel, const bmf_stencil_options *options)
{
    if (options->steps < 0 || options->steps > INT32_MAX)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "stencil: %lld steps; it takes 0 to %d", (long long)options->steps,
                        INT32_MAX);
    for (int k = 0; k < kernel->dimensions; k++)
        if ((int)options->boundary[k] < 0 || options->boundary[k] > BMF_BOUNDARY_MIRRORED)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "stencil: there is no boundary %d", (int)options->boundary[k]);
    return BMF_OK;
}

static int check_grid(const bmf_list *xs, const bmf_stencil_kernel *kernel, const bmf_grid *grid)
{
    char text[256];
    bmf_partition *partition;
    const int dimensions = grid ? grid->dimensions : 1;
    if (dimensions != kernel->dimensions)
        return bmf_fail(xs->context, BMF_ERROR_ARGUMENT, "stencil: kernel %s is for %d dimensions, not for %d",
                        kernel->kernel.name, kernel->dimensions, dimensions);
    if (!grid)
        return BMF_OK;
    BMF_TRY(bmf_grid_partition(xs->context, grid, &partition));
    const bool equal = bmf_partition_equal(partition, xs->partition);
    bmf_partition_release(partition);
    return equal ? BMF_OK
                 : bmf_fail(xs->context, BMF_ERROR_SHAPE, "stencil: %s is not on the grid",
                            bmf_list_print(xs, text, sizeof text));
}

/* ---- the call ---- */

/* The grid's dimensions are the last axes. */
static void make_axes(bmf_stencil_call *call, const bmf_grid *grid, const bmf_stencil_options *options)
{
    const int dimensions = call->kernel->dimensions, first = BMF_AXES - dimensions;
    for (int k = 0; k < BMF_AXES; k++) {
        bmf_axis *axis = &call->axis[k];
        const int d = k - first;
        axis->blocks = d < 0 ? 1 : grid ? grid->processors[d] : call->partition->parts;
        axis->start = allocate_array(axis->blocks + 1, (int64_t)sizeof *axis->start);
        for (int64_t b = 0; b <= axis->blocks; b++)
            axis->start[b] = d < 0  ? b
                             : grid ? bmf_split_start(grid->extent[d], axis->blocks, b)
                                    : call->partition->start[b];
        axis->radius = d < 0 ? 0 : call->kernel->radius;
        axis->boundary = d < 0 ? BMF_BOUNDARY_FIXED : options->boundary[d];
        for (int side = 0; side < 2; side++)
            axis->outside[side] = d < 0 ? NULL : options->outside[d][side];
        axis_make(axis);
    }
}

/* The round of one step, for the plan. */
static void print_plan(const bmf_stencil_call *call, const bmf_list *xs, int64_t steps)
{
    bmf_halo whole;
    if (!plan_wanted(call->ctx))
        return;
    halo_make(&whole, call, 0, call->ctx->processors, false);
    bmf_schedule *schedule = schedule_create("edges of blocks, in each step", 0, call->ctx->processors);
    schedule_extend(schedule, 1);
    for (int64_t k = 0; k < whole.round.count; k++)
        schedule_add(schedule, 0, whole.round.message[k]);
    plan_title(call->ctx, "stencil", xs);
    fprintf(call->ctx->plan, "  %s, %lld step%s\n", call->kernel->kernel.name, (long long)steps, steps == 1 ? "" : "s");
    schedule_print(schedule, 4, call->ctx->plan);
    fflush(call->ctx->plan);
    schedule_free(schedule);
    halo_free(&whole);
}

static char *elements_of(const bmf_list *list)
{
    return list->column.data;
}

static int take_step(bmf_halo *halo, bmf_blocks *blocks, uint32_t step, const bmf_list *from, const bmf_list *to)
{
    bmf_exchange *under_way;
    bmf_context *ctx = from->context;
    BMF_TRY(halo_begin(halo, step, elements_of(from), &under_way));
    const int inside = blocks_inside(blocks, step, elements_of(from), elements_of(to), under_way);
    const int ended = backend_exchange_end(ctx, under_way);
    if (inside != BMF_OK || ended != BMF_OK)
        return inside != BMF_OK ? inside : ended;
    return blocks_border(blocks, step, elements_of(from), elements_of(to));
}

/* made: two lists, of which the second is needed from two steps on. *last gets the one with the result. */
static int take_steps(const bmf_stencil_call *call, const bmf_list *xs, int64_t steps, bmf_list *made[2], int *last)
{
    bmf_halo halo;
    int status = BMF_OK;
    const bmf_list *from = xs;
    halo_make(&halo, call, call->ctx->first_processor, call->ctx->first_processor + call->ctx->local_processors, true);
    bmf_blocks *blocks = blocks_create(call, &halo);
    for (int64_t step = 0; step < steps && status == BMF_OK; step++) {
        *last = (int)(step % 2);
        status = take_step(&halo, blocks, (uint32_t)step, from, made[*last]);
        from = made[*last];
    }
    blocks_free(blocks);
    halo_free(&halo);
    return status;
}

static int run_stencil(const bmf_stencil_call *call, const bmf_list *xs, int64_t steps, bmf_list **out)
{
    bmf_list *made[2] = {NULL, NULL};
    int last = 0, status = BMF_OK;
    print_plan(call, xs, steps);
    for (int k = 0; k < 2 && k < steps && status == BMF_OK; k++)
        status = bmf_list_create(call->ctx, xs->type, xs->partition, &made[k]);
    if (status == BMF_OK)
        status = take_steps(call, xs, steps, made, &last);
    if (status == BMF_OK)
        *out = made[last];
    else
        bmf_list_free(made[last]);
    bmf_list_free(made[1 - last]);
    return status;
}

/* Windows read contiguous elements: a broadcast value is written out first. */
static int write_out(const bmf_list *xs, bmf_list **copy)
{
    bmf_column column;
    *copy = NULL;
    if (xs->column.stride != 0)
        return BMF_OK;
    BMF_TRY(column_share(&xs->column, &column));
    list_adopt(xs->context, xs->partition, &column, copy);
    bmf_list_make_writable(*copy);
    return BMF_OK;
}

int bmf_stencil(const bmf_list *xs, const bmf_grid *grid, const bmf_stencil_kernel *kernel,
                const bmf_stencil_options *options, bmf_list **out)
{
    static const bmf_stencil_options once = {0};
    bmf_list *copy;
    bmf_stencil_call call = {.ctx = xs->context, .partition = xs->partition, .kernel = kernel, .size = xs->type->size};
    options = options ? options : &once;
    BMF_TRY(check_kernel(xs, kernel));
    BMF_TRY(check_options(xs->context, kernel, options));
    BMF_TRY(check_grid(xs, kernel, grid));
    BMF_TRY(write_out(xs, &copy));
    skeleton_begin(call.ctx, &skeleton_stencil, "stencil %s", kernel->kernel.name);
    make_axes(&call, grid, options);
    int status = run_stencil(&call, copy ? copy : xs, options->steps > 0 ? options->steps : 1, out);
    for (int k = 0; k < BMF_AXES; k++)
        axis_free(&call.axis[k]);
    status = skeleton_end(call.ctx, xs->partition, status);
    bmf_list_free(copy);
    return status;
}
