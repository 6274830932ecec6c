/* Grids: blocks of one to three dimensions on the processors, and bringing elements there and back.
 *
 * Method: a grid is a plain value; block b of dimension d begins where bmf_split_start says. Elements are brought by
 * projections, whose indices every processor computes a run of a row at a time.
 * Cost: of spread and collect 8 n bytes of indices and what bmf_project sends. */
#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/stencil/stencil.h"

#include "bmf/skeletons.h"

/* ---- choosing ---- */

static int64_t product_of(const bmf_grid *grid, const int64_t *factor)
{
    int64_t product = 1;
    for (int d = 0; d < grid->dimensions; d++)
        product *= factor[d];
    return product;
}

/* Elements of the largest block that are next to others. */
static double edges_of(const bmf_grid *grid)
{
    double edges = 0.0;
    for (int d = 0; d < grid->dimensions; d++) {
        double side = grid->processors[d] > 1 ? 1.0 : 0.0;
        for (int e = 0; e < grid->dimensions; e++)
            side *= e == d ? 1.0 : ceil((double)grid->extent[e] / (double)grid->processors[e]);
        edges += side;
    }
    return edges;
}

/* Blocks that are not empty. */
static double used_blocks(const bmf_grid *grid)
{
    double used = 1.0;
    for (int d = 0; d < grid->dimensions; d++)
        used *= (double)(grid->extent[d] < grid->processors[d] ? grid->extent[d] : grid->processors[d]);
    return used;
}

static bool is_better(const bmf_grid *a, const bmf_grid *b)
{
    if (used_blocks(a) != used_blocks(b))
        return used_blocks(a) > used_blocks(b);
    return edges_of(a) < edges_of(b);
}

/* Tries all divisors of `rest` for dimension d and those behind it; of equal choices the one with long rows wins. */
static void try_divisors(const bmf_grid *asked, bmf_grid *tried, int d, int64_t rest, bmf_grid *best)
{
    if (d == asked->dimensions) {
        if (rest == 1 && (best->dimensions == 0 || is_better(tried, best)))
            *best = *tried;
        return;
    }
    if (asked->processors[d] > 0) {
        try_divisors(asked, tried, d + 1, rest, best);
        return;
    }
    for (int64_t k = rest; k >= 1; k--)
        if (rest % k == 0) {
            tried->processors[d] = k;
            try_divisors(asked, tried, d + 1, rest / k, best);
        }
}

static int check_shape(bmf_context *ctx, const bmf_grid *grid)
{
    if (grid->dimensions < 1 || grid->dimensions > BMF_MAX_DIMENSIONS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a grid has 1 to %d dimensions, not %d", BMF_MAX_DIMENSIONS,
                        grid->dimensions);
    for (int d = 0; d < grid->dimensions; d++)
        if (grid->extent[d] < 0 || grid->processors[d] < 0)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a grid of %lld elements on %lld processors in dimension %d",
                            (long long)grid->extent[d], (long long)grid->processors[d], d);
    double elements = 1.0;
    for (int d = 0; d < grid->dimensions; d++)
        elements *= (double)grid->extent[d];
    return elements < 4e18 ? BMF_OK : bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a grid of %g elements", elements);
}

int bmf_grid_choose(bmf_context *ctx, bmf_grid *grid)
{
    bmf_grid tried = *grid, best = {0};
    BMF_TRY(check_shape(ctx, grid));
    int64_t given = 1;
    bool complete = true;
    for (int d = 0; d < grid->dimensions; d++) {
        given *= grid->processors[d] > 0 ? grid->processors[d] : 1;
        complete = complete && grid->processors[d] > 0;
    }
    if (complete)
        return BMF_OK;
    if (bmf_processors(ctx) % given != 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%lld processors cannot be cut into groups of %lld",
                        (long long)bmf_processors(ctx), (long long)given);
    try_divisors(grid, &tried, 0, bmf_processors(ctx) / given, &best);
    *grid = best;
    return BMF_OK;
}

/* ---- blocks ---- */

void bmf_grid_block(const bmf_grid *grid, int64_t part, int64_t *begin, int64_t *end)
{
    for (int d = grid->dimensions - 1; d >= 0; d--) {
        const int64_t block = part % grid->processors[d];
        part /= grid->processors[d];
        begin[d] = bmf_split_start(grid->extent[d], grid->processors[d], block);
        end[d] = bmf_split_start(grid->extent[d], grid->processors[d], block + 1);
    }
}

int bmf_grid_partition(bmf_context *ctx, const bmf_grid *grid, bmf_partition **partition)
{
    BMF_TRY(check_shape(ctx, grid));
    for (int d = 0; d < grid->dimensions; d++)
        if (grid->processors[d] < 1)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                            "a grid has no processors in dimension %d; bmf_grid_choose fills them in", d);
    double wanted = 1.0;
    for (int d = 0; d < grid->dimensions; d++)
        wanted *= (double)grid->processors[d];
    if (wanted > (double)bmf_processors(ctx))
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a grid of %.0f blocks needs as many processors; there are %lld",
                        wanted, (long long)bmf_processors(ctx));
    const int64_t blocks = product_of(grid, grid->processors);
    int64_t *start = allocate_array(blocks + 1, (int64_t)sizeof *start);
    start[0] = 0;
    for (int64_t part = 0; part < blocks; part++) {
        int64_t begin[BMF_AXES], end[BMF_AXES], elements = 1;
        bmf_grid_block(grid, part, begin, end);
        for (int d = 0; d < grid->dimensions; d++)
            elements *= end[d] - begin[d];
        start[part + 1] = start[part] + elements;
    }
    const int status = bmf_partition_create(ctx, 0, 1, &(bmf_level){blocks, 0}, start[blocks], start, partition);
    free(start);
    return status;
}

/* ---- there and back ---- */

/* What the processors write down: for elements in the order of the blocks, or of the rows, where they are in the
 * other. */
typedef struct numbering {
    const bmf_grid *grid;
    const bmf_partition *blocks;
    int64_t *number, first; /* number: of elements `first` and on */
} numbering;

static int64_t number_in_rows(const bmf_grid *grid, const int64_t *at)
{
    int64_t number = 0;
    for (int d = 0; d < grid->dimensions; d++)
        number = number * grid->extent[d] + at[d];
    return number;
}

/* Moves on to the next row of a box, along the last dimension but one; at[last] goes back to its beginning. */
static void next_row(const bmf_grid *grid, const int64_t *begin, const int64_t *end, int64_t *at)
{
    const int last = grid->dimensions - 1;
    at[last] = begin[last];
    for (int d = last - 1; d >= 0; d--) {
        if (++at[d] < end[d])
            return;
        at[d] = begin[d];
    }
}

static int number_block(void *state, int64_t part, int64_t begin, int64_t end)
{
    const numbering *all = state;
    const int last = all->grid->dimensions - 1;
    int64_t low[BMF_AXES], high[BMF_AXES], at[BMF_AXES];
    bmf_grid_block(all->grid, part, low, high);
    for (int d = 0; d <= last; d++)
        at[d] = low[d];
    for (int64_t i = begin; i < end; next_row(all->grid, low, high, at)) {
        const int64_t number = number_in_rows(all->grid, at), count = high[last] - low[last];
        for (int64_t k = 0; k < count; k++)
            all->number[i - all->first + k] = number + k;
        i += count;
    }
    return 0;
}

/* The block that has element i of a dimension. */
static int64_t block_with(int64_t extent, int64_t blocks, int64_t i)
{
    const int64_t shorter = extent / blocks, longer = extent % blocks, in_longer = longer * (shorter + 1);
    return i < in_longer ? i / (shorter + 1) : longer + (i - in_longer) / shorter;
}

/* The run of elements from `at` on that are in one row of one block: its number there, and how many. */
static int64_t run_in_block(const numbering *all, const int64_t *at, int64_t *count)
{
    const bmf_grid *grid = all->grid;
    int64_t part = 0, begin[BMF_AXES], end[BMF_AXES], inside = 0;
    for (int d = 0; d < grid->dimensions; d++)
        part = part * grid->processors[d] + block_with(grid->extent[d], grid->processors[d], at[d]);
    bmf_grid_block(grid, part, begin, end);
    for (int d = 0; d < grid->dimensions; d++)
        inside = inside * (end[d] - begin[d]) + at[d] - begin[d];
    *count = end[grid->dimensions - 1] - at[grid->dimensions - 1];
    return bmf_partition_start(all->blocks, part) + inside;
}

static int number_rows(void *state, int64_t part, int64_t begin, int64_t end)
{
    const numbering *all = state;
    const bmf_grid *grid = all->grid;
    (void)part;
    for (int64_t i = begin, count; i < end; i += count) {
        int64_t at[BMF_AXES], rest = i;
        for (int d = grid->dimensions - 1; d >= 0; d--) {
            at[d] = rest % grid->extent[d];
            rest /= grid->extent[d];
        }
        const int64_t number = run_in_block(all, at, &count);
        count = count < end - i ? count : end - i;
        for (int64_t k = 0; k < count; k++)
            all->number[i - all->first + k] = number + k;
    }
    return 0;
}

/* Projects xs to `partition` by what `number` writes down. */
static int project_by(const bmf_grid *grid, const bmf_list *xs, const bmf_partition *blocks, bmf_partition *partition,
                      bmf_part_function *number, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_list *indices = NULL;
    BMF_TRY(bmf_list_create(ctx, &bmf_type_int, partition, &indices));
    numbering all = {grid, blocks, bmf_list_data_writable(indices, 0), bmf_partition_local_begin(partition)};
    int status = bmf_each_part(ctx, partition, "number_elements", number, &all);
    if (status == BMF_OK)
        status = bmf_project(xs, indices, out);
    bmf_list_free(indices);
    return status;
}

static int check_length(const bmf_grid *grid, const bmf_list *xs)
{
    const int64_t elements = product_of(grid, grid->extent);
    if (elements == bmf_length(xs))
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_SHAPE, "the grid has %lld elements, the list %lld", (long long)elements,
                    (long long)bmf_length(xs));
}

int bmf_grid_spread(const bmf_grid *grid, const bmf_list *xs, bmf_list **out)
{
    bmf_partition *blocks;
    BMF_TRY(bmf_grid_partition(xs->context, grid, &blocks));
    int status = check_length(grid, xs);
    if (status == BMF_OK)
        status = project_by(grid, xs, blocks, blocks, number_block, out);
    bmf_partition_release(blocks);
    return status;
}

int bmf_grid_collect(const bmf_grid *grid, const bmf_list *xs, bmf_list **out)
{
    bmf_partition *blocks, *even;
    BMF_TRY(bmf_grid_partition(xs->context, grid, &blocks));
    int status = check_length(grid, xs);
    if (status == BMF_OK && !bmf_partition_equal(blocks, xs->partition))
        status = bmf_fail(xs->context, BMF_ERROR_SHAPE, "the list is not on the grid");
    if (status == BMF_OK)
        status = bmf_partition_even(xs->context, bmf_length(xs), &even);
    if (status == BMF_OK) {
        status = project_by(grid, xs, blocks, even, number_rows, out);
        bmf_partition_release(even);
    }
    bmf_partition_release(blocks);
    return status;
}
