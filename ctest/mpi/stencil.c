/* stencil against a serial reference over random grids of one to three dimensions, windows, boundaries, numbers of
 * steps and of blocks, among them empty ones and ones shorter than the window; the reference also counts which blocks
 * need elements of which, for messages and bytes. Reals have the same bits in one block and in many. */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

enum { ROUNDS = 60, AXES = BMF_MAX_DIMENSIONS };

/* A window looked at element by element, in an order that the value depends on. */
typedef struct window {
    int dimensions, radius;
    bool box;
} window;

/* The distance to neighbour number k of the cube around an element, by axis; false: it is not in the window. */
static inline bool neighbour(const window *w, int64_t k, int64_t distance[AXES])
{
    int outside = 0;
    for (int a = AXES - 1; a >= 0; a--) {
        const int64_t side = a < AXES - w->dimensions ? 1 : 2 * w->radius + 1;
        distance[a] = k % side - side / 2;
        outside += distance[a] != 0;
        k /= side;
    }
    return w->box || outside <= 1;
}

static int64_t neighbours(const window *w)
{
    int64_t all = 1;
    for (int d = 0; d < w->dimensions; d++)
        all *= 2 * w->radius + 1;
    return all;
}

static inline int64_t mix(uint64_t value, uint64_t next)
{
    return (int64_t)(value * 6364136223846793005u + (next ^ value >> 7));
}

static inline int64_t look_around(const window *w, const int64_t *u, int64_t row, int64_t plane)
{
    int64_t value = 0;
    for (int64_t k = 0; k < neighbours(w); k++) {
        int64_t d[AXES];
        if (neighbour(w, k, d))
            value = mix((uint64_t)value, (uint64_t)u[d[0] * plane + d[1] * row + d[2]]);
    }
    return value;
}

BMF_STENCIL_KERNEL_WITH(looked, window, w, int64_t, u, 1, 1, BMF_WINDOW_STAR, look_around(w, u, bmf_row_, bmf_plane_))

/* One random case. axes: the grid's dimensions come last, as inside. */
typedef struct test_case {
    bmf_grid grid;
    window w;
    bmf_stencil_options options;
    int64_t outside[AXES][2];
    int64_t extent[AXES], blocks[AXES];
    bmf_boundary boundary[AXES];
    const int64_t *start; /* of a list without a grid */
} test_case;

static int64_t block_start(const test_case *t, int axis, int64_t block)
{
    return t->start ? (axis == AXES - 1 ? t->start[block] : block)
                    : bmf_split_start(t->extent[axis], t->blocks[axis], block);
}

/* The element that stands for `i` along an axis, by taking steps at the edges; -1: a fixed value. */
static int64_t inside(const test_case *t, int axis, int64_t i)
{
    const int64_t n = t->extent[axis];
    while (i < 0 || i >= n) {
        if (t->boundary[axis] == BMF_BOUNDARY_FIXED)
            return -1;
        if (t->boundary[axis] == BMF_BOUNDARY_PERIODIC)
            i += i < 0 ? n : -n;
        else
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    }
    return i;
}

/* The number of an element in rows, which may be beyond the edges; or -1 and the fixed value. */
static int64_t look_up(const test_case *t, const int64_t at[AXES], int64_t *fixed)
{
    int64_t number = 0;
    for (int a = 0; a < AXES; a++) {
        const int64_t i = inside(t, a, at[a]);
        if (i < 0) {
            *fixed = t->outside[a][at[a] >= t->extent[a]];
            return -1;
        }
        number = number * t->extent[a] + i;
    }
    return number;
}

static int64_t elements_of(const test_case *t)
{
    return t->extent[0] * t->extent[1] * t->extent[2];
}

static void position(const test_case *t, int64_t number, int64_t at[AXES])
{
    for (int a = AXES - 1; a >= 0; a--) {
        at[a] = number % t->extent[a];
        number /= t->extent[a];
    }
}

static void reference_step(const test_case *t, const int64_t *from, int64_t *to)
{
    for (int64_t i = 0; i < elements_of(t); i++) {
        int64_t at[AXES], d[AXES], fixed = 0;
        to[i] = 0;
        position(t, i, at);
        for (int64_t k = 0; k < neighbours(&t->w); k++) {
            if (!neighbour(&t->w, k, d))
                continue;
            const int64_t found = look_up(t, (int64_t[]){at[0] + d[0], at[1] + d[1], at[2] + d[2]}, &fixed);
            to[i] = mix((uint64_t)to[i], (uint64_t)(found < 0 ? fixed : from[found]));
        }
    }
}

static int64_t block_of(const test_case *t, const int64_t at[AXES])
{
    int64_t part = 0;
    for (int a = 0; a < AXES; a++) {
        int64_t block = 0;
        while (block_start(t, a, block + 1) <= at[a])
            block++;
        part = part * t->blocks[a] + block;
    }
    return part;
}

/* Whom a block needs something of, and how many elements of others. */
static void count_needs(const test_case *t, int64_t part, int64_t blocks, int64_t *messages, int64_t *elements)
{
    int64_t low[AXES], high[AXES], rest = part;
    bool *needed = calloc((size_t)blocks, 1);
    for (int a = AXES - 1; a >= 0; a--) {
        low[a] = block_start(t, a, rest % t->blocks[a]);
        high[a] = block_start(t, a, rest % t->blocks[a] + 1);
        rest /= t->blocks[a];
    }
    int64_t margin[AXES], at[AXES];
    for (int a = 0; a < AXES; a++)
        margin[a] = a < AXES - t->w.dimensions ? 0 : t->w.radius;
    const bool empty = low[0] == high[0] || low[1] == high[1] || low[2] == high[2];
    for (at[0] = low[0] - margin[0]; !empty && at[0] < high[0] + margin[0]; at[0]++)
        for (at[1] = low[1] - margin[1]; at[1] < high[1] + margin[1]; at[1]++)
            for (at[2] = low[2] - margin[2]; at[2] < high[2] + margin[2]; at[2]++) {
                int64_t fixed, source[AXES];
                int outside = 0;
                for (int a = 0; a < AXES; a++)
                    outside += at[a] < low[a] || at[a] >= high[a];
                const int64_t number = look_up(t, at, &fixed);
                if (outside == 0 || (outside > 1 && !t->w.box) || number < 0)
                    continue;
                position(t, number, source);
                const int64_t owner = block_of(t, source);
                if (owner == part)
                    continue;
                *messages += !needed[owner];
                needed[owner] = true;
                ++*elements;
            }
    free(needed);
}

static void draw_case(test_case *t, bmf_context *ctx, uint64_t *state)
{
    *t = (test_case){.w = {.dimensions = 1 + (int)test_below(state, 3),
                           .radius = (int)test_below(state, 4),
                           .box = test_below(state, 2) > 0}};
    t->grid.dimensions = t->w.dimensions;
    t->options.steps = test_below(state, 4);
    int64_t processors = bmf_processors(ctx);
    for (int a = 0; a < AXES; a++) {
        const int d = a - (AXES - t->w.dimensions);
        t->extent[a] = t->blocks[a] = 1;
        t->boundary[a] = (bmf_boundary)test_below(state, 3);
        t->outside[a][0] = test_below(state, 1000);
        t->outside[a][1] = test_below(state, 2) ? 0 : test_below(state, 1000);
        if (d < 0)
            continue;
        t->extent[a] = test_below(state, t->w.dimensions == 1 ? 200 : t->w.dimensions == 2 ? 30 : 11);
        t->blocks[a] = 1 + test_below(state, processors);
        processors /= t->blocks[a];
        t->grid.extent[d] = t->extent[a];
        t->grid.processors[d] = t->blocks[a];
        t->options.boundary[d] = t->boundary[a];
        t->options.outside[d][0] = &t->outside[a][0];
        t->options.outside[d][1] = t->outside[a][1] == 0 ? NULL : &t->outside[a][1];
    }
}

/* On `partition`, whose list is in the order of `xs` there. */
static bmf_list *run_case(bmf_context *ctx, const test_case *t, const bmf_list *xs)
{
    bmf_stencil_kernel kernel = bmf_stencil_bind(&looked, &t->w);
    bmf_list *out = NULL;
    bmf_statistics before, after;
    int64_t messages = 0, elements = 0, blocks = t->blocks[0] * t->blocks[1] * t->blocks[2];
    const int64_t steps = t->options.steps > 0 ? t->options.steps : 1;
    kernel.dimensions = t->w.dimensions;
    kernel.radius = t->w.radius;
    kernel.window = t->w.box ? BMF_WINDOW_BOX : BMF_WINDOW_STAR;
    BMF_CHECK(bmf_total_statistics(ctx, &before));
    CHECK(bmf_stencil(xs, t->start ? NULL : &t->grid, &kernel, &t->options, &out) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_total_statistics(ctx, &after));
    for (int64_t part = 0; part < blocks; part++)
        count_needs(t, part, blocks, &messages, &elements);
    CHECK(after.messages - before.messages == steps * messages, "%lld messages, expected %lld",
          (long long)(after.messages - before.messages), (long long)(steps * messages));
    CHECK(after.bytes - before.bytes == steps * elements * 8, "%lld bytes, expected %lld",
          (long long)(after.bytes - before.bytes), (long long)(steps * elements * 8));
    return out;
}

static int64_t *draw_elements(int64_t n, uint64_t *state)
{
    int64_t *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = test_below(state, 100000);
    return x;
}

static int64_t *expect(const test_case *t, const int64_t *x)
{
    const int64_t n = elements_of(t);
    int64_t *from = malloc((size_t)(n + 1) * sizeof *from), *to = malloc((size_t)(n + 1) * sizeof *to);
    memcpy(to, x, (size_t)n * sizeof *x);
    for (int64_t step = 0; step < (t->options.steps > 0 ? t->options.steps : 1); step++) {
        int64_t *swap = from;
        from = to;
        to = swap;
        reference_step(t, from, to);
    }
    free(from);
    return to;
}

static void try_grid(bmf_context *ctx, uint64_t *state)
{
    test_case t;
    bmf_list *rows, *xs, *back;
    char what[128];
    draw_case(&t, ctx, state);
    snprintf(what, sizeof what, "%lld x %lld x %lld in %lld x %lld x %lld, radius %d, %d %d %d", (long long)t.extent[0],
             (long long)t.extent[1], (long long)t.extent[2], (long long)t.blocks[0], (long long)t.blocks[1],
             (long long)t.blocks[2], t.w.radius, (int)t.boundary[0], (int)t.boundary[1], (int)t.boundary[2]);
    const int64_t n = elements_of(&t);
    int64_t *x = draw_elements(n, state), *expected = expect(&t, x);
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, n, x, &rows));
    BMF_CHECK(bmf_grid_spread(&t.grid, rows, &xs));
    bmf_list *out = run_case(ctx, &t, xs);
    BMF_CHECK(bmf_grid_collect(&t.grid, out, &back));
    test_equal(back, NULL, n, expected, what);
    bmf_list_free(back);
    BMF_CHECK(bmf_grid_collect(&t.grid, xs, &back));
    test_equal(back, NULL, n, x, "the input afterwards");
    bmf_list_free(back);
    bmf_list_free(out);
    bmf_list_free(xs);
    bmf_list_free(rows);
    free(x);
    free(expected);
}

static void try_list(bmf_context *ctx, uint64_t *state)
{
    test_case t;
    do
        draw_case(&t, ctx, state);
    while (t.w.dimensions != 1);
    const int64_t n = elements_of(&t);
    bmf_partition *partition = test_partition(ctx, state, n);
    t.start = partition->start;
    t.blocks[AXES - 1] = partition->parts;
    int64_t *x = draw_elements(n, state), *expected = expect(&t, x);
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x), *out = run_case(ctx, &t, xs);
    test_equal(out, partition, n, expected, "a list");
    bmf_list_free(out);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

/* ---- reals, structs, long lists ---- */

typedef struct cell {
    double heat, source;
    float weight[2];
} cell;

static inline cell spread_heat(const cell *u, int64_t row)
{
    cell made = u[0];
    made.heat = 0.3 * u[0].heat + 0.2 * u[-row].heat * u[row].heat - u[0].source * (u[-1].heat - 1.7 * u[1].heat);
    made.weight[1] = u[1].weight[0] * 3.0f + u[-1].weight[1] * u[row].weight[0];
    return made;
}

BMF_STENCIL_KERNEL(relaxed, double, u, 2, 1, BMF_WINDOW_STAR,
                   0.2 * BMF_NEAR_2D(u, -1, 0) + 0.3 * BMF_NEAR_2D(u, 1, 0) +
                       BMF_NEAR_2D(u, 0, -1) * BMF_NEAR_2D(u, 0, 1) - 0.7 * u[0])
BMF_STENCIL_KERNEL(heated, cell, u, 2, 1, BMF_WINDOW_STAR, spread_heat(u, bmf_row_))
BMF_STENCIL_KERNEL(smoothed, double, u, 3, 1, BMF_WINDOW_STAR,
                   0.1 * (BMF_NEAR_3D(u, -1, 0, 0) + BMF_NEAR_3D(u, 1, 0, 0)) + BMF_NEAR_3D(u, 0, -1, 0) * 0.3 +
                       BMF_NEAR_3D(u, 0, 1, 0) * BMF_NEAR_3D(u, 0, 0, 1) - BMF_NEAR_3D(u, 0, 0, -1) * 0.25)

/* The same elements in one block and in many, after some steps: the same bits. */
static void compare_blocks(bmf_context *ctx, const bmf_type *type, const void *x, bmf_grid *grid,
                           const bmf_stencil_kernel *kernel, int64_t steps)
{
    bmf_grid one = *grid;
    bmf_stencil_options options = {.steps = steps, .boundary = {BMF_BOUNDARY_MIRRORED, BMF_BOUNDARY_PERIODIC}};
    bmf_list *rows, *xs, *ys, *out[2];
    int64_t n = 1;
    for (int d = 0; d < grid->dimensions; d++) {
        one.processors[d] = 1;
        n *= grid->extent[d];
    }
    BMF_CHECK(bmf_grid_choose(ctx, grid));
    BMF_CHECK(bmf_spread(ctx, type, n, x, &rows));
    for (int k = 0; k < 2; k++) {
        BMF_CHECK(bmf_grid_spread(k ? grid : &one, rows, &xs));
        CHECK(bmf_stencil(xs, k ? grid : &one, kernel, &options, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
        BMF_CHECK(bmf_grid_collect(k ? grid : &one, ys, &out[k]));
        bmf_list_free(xs);
        bmf_list_free(ys);
    }
    char *first = malloc((size_t)(n * type->size));
    BMF_CHECK(bmf_to_array(out[0], first));
    test_equal(out[1], NULL, n, first, kernel->kernel.name);
    free(first);
    bmf_list_free(out[0]);
    bmf_list_free(out[1]);
    bmf_list_free(rows);
}

static void try_reals(bmf_context *ctx, int64_t rows, int64_t columns, uint64_t *state)
{
    bmf_grid grid = {.dimensions = 2, .extent = {rows, columns}};
    bmf_grid cube = {.dimensions = 3, .extent = {7, rows / 7, columns}};
    double *x = malloc((size_t)(rows * columns) * sizeof *x);
    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = (double)test_below(state, 1000000) * 1e-6;
    compare_blocks(ctx, &bmf_type_real, x, &grid, &relaxed, 3);
    compare_blocks(ctx, &bmf_type_real, x, &cube, &smoothed, 2);
    free(x);
}

static void try_structs(bmf_context *ctx, uint64_t *state)
{
    bmf_grid grid = {.dimensions = 2, .extent = {23, 31}};
    cell *x = calloc(23 * 31, sizeof *x);
    for (int64_t i = 0; i < 23 * 31; i++)
        x[i] = (cell){(double)test_below(state, 1000) * 1e-3, (double)test_below(state, 1000) * 1e-3, {(float)i, 0.5f}};
    compare_blocks(ctx, heated.kernel.output, x, &grid, &heated, 4);
    free(x);
}

/* ---- what is refused, and small things ---- */

static void try_wrong_calls(bmf_context *ctx)
{
    bmf_list *ints, *reals, *pairs, *out = NULL;
    bmf_grid grid = {.dimensions = 2, .extent = {2, 5}, .processors = {1, 1}};
    bmf_stencil_kernel wide = looked;
    const window w = {1, 1, false};
    const bmf_stencil_kernel bound = bmf_stencil_bind(&looked, &w);
    wide.radius = -1;
    BMF_CHECK(bmf_iota(ctx, 10, &ints));
    BMF_CHECK(bmf_iota_real(ctx, 10, &reals));
    BMF_CHECK(bmf_pair(ints, ints, &pairs));
    const bmf_stencil_options backwards = {.steps = -1}, strange = {.boundary = {(bmf_boundary)7}};
    test_refused(ctx, bmf_stencil(reals, NULL, &bound, NULL, &out), BMF_ERROR_TYPE, "takes int", "another type");
    test_refused(ctx, bmf_stencil(pairs, NULL, &bound, NULL, &out), BMF_ERROR_TYPE, "takes int", "tuples");
    test_refused(ctx, bmf_stencil(reals, NULL, &relaxed, NULL, &out), BMF_ERROR_ARGUMENT, "2 dimensions", "dimensions");
    test_refused(ctx, bmf_stencil(ints, NULL, &wide, NULL, &out), BMF_ERROR_ARGUMENT, "radius -1", "a radius");
    test_refused(ctx, bmf_stencil(ints, NULL, &bound, &backwards, &out), BMF_ERROR_ARGUMENT, "-1 steps", "steps");
    test_refused(ctx, bmf_stencil(ints, NULL, &bound, &strange, &out), BMF_ERROR_ARGUMENT, "boundary 7", "a boundary");
    if (bmf_processors(ctx) > 1)
        test_refused(ctx, bmf_stencil(reals, &grid, &relaxed, NULL, &out), BMF_ERROR_SHAPE, "not on the grid",
                     "a grid");
    grid.extent[1] = 4;
    test_refused(ctx, bmf_grid_spread(&grid, ints, &out), BMF_ERROR_SHAPE, "8 elements, the list 10", "a length");
    grid.processors[0] = bmf_processors(ctx) + 1;
    test_refused(ctx, bmf_grid_spread(&grid, ints, &out), BMF_ERROR_ARGUMENT, "as many processors", "blocks");
    grid.dimensions = 4;
    test_refused(ctx, bmf_grid_choose(ctx, &grid), BMF_ERROR_ARGUMENT, "1 to 3 dimensions", "dimensions of a grid");
    CHECK(!out, "an output after failures");
    bmf_list_free(ints);
    bmf_list_free(reals);
    bmf_list_free(pairs);
}

/* The cheapest of all ways to cut. */
static void try_choosing(bmf_context *ctx)
{
    const int64_t P = bmf_processors(ctx);
    bmf_grid square = {.dimensions = 2, .extent = {1000, 1000}}, wide = {.dimensions = 2, .extent = {10, 100000}};
    BMF_CHECK(bmf_grid_choose(ctx, &square));
    BMF_CHECK(bmf_grid_choose(ctx, &wide));
    CHECK(square.processors[0] * square.processors[1] == P, "%lld processors", (long long)P);
    for (int64_t k = 1; k <= P; k++)
        if (P % k == 0) {
            const double chosen = (square.processors[0] > 1) * 1000.0 / (double)square.processors[1] +
                                  (square.processors[1] > 1) * 1000.0 / (double)square.processors[0];
            const double other = (k > 1) * 1000.0 / (double)(P / k) + (P / k > 1) * 1000.0 / (double)k;
            CHECK(chosen <= other + 2.0, "%lld x %lld", (long long)square.processors[0],
                  (long long)square.processors[1]);
        }
    CHECK(P > 8 || wide.processors[1] == P, "a wide grid is cut along its rows");
}

/* A broadcast value has no elements of its own. */
static void try_broadcast(bmf_context *ctx)
{
    const window w = {1, 2, false};
    const int64_t seven = 7;
    const bmf_stencil_options around = {.steps = 2, .boundary = {BMF_BOUNDARY_PERIODIC}};
    bmf_stencil_kernel kernel = bmf_stencil_bind(&looked, &w);
    bmf_list *numbers, *pairs, *sevens, *out;
    int64_t expected[50];
    kernel.radius = 2;
    BMF_CHECK(bmf_iota(ctx, 50, &numbers));
    BMF_CHECK(bmf_distl_value(&bmf_type_int, &seven, numbers, &pairs));
    BMF_CHECK(bmf_component(pairs, 0, &sevens));
    BMF_CHECK(bmf_stencil(sevens, NULL, &kernel, &around, &out));
    int64_t once = 0, twice = 0;
    for (int k = 0; k < 5; k++)
        once = mix((uint64_t)once, 7);
    for (int k = 0; k < 5; k++)
        twice = mix((uint64_t)twice, (uint64_t)once);
    for (int i = 0; i < 50; i++)
        expected[i] = twice;
    test_equal(out, NULL, 50, expected, "a broadcast value");
    bmf_list_free(out);
    bmf_list_free(sevens);
    bmf_list_free(pairs);
    bmf_list_free(numbers);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 17112026;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int round = 0; round < ROUNDS; round++)
            try_grid(ctx, &state);
        for (int round = 0; round < ROUNDS / 3; round++)
            try_list(ctx, &state);
        try_reals(ctx, 35, 67, &state);
        try_structs(ctx, &state);
        try_wrong_calls(ctx);
        try_choosing(ctx);
        try_broadcast(ctx);
    }
    try_reals(ctx, 1057, 1053, &state); /* past the caches; four rows go together, and the inside has three more */
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
