/* The heat of a plate whose upper edge is hot, by Jacobi's iteration.
 *
 *     mpirun.mpich -n 4 07-heat ROWS COLUMNS STEPS [OUT.npy]
 *
 * A stencil on a grid of two dimensions: every step exchanges the edges of neighbouring blocks while it computes what
 * is inside of them. Between 50 steps a reduction says how much the last one has changed. bmf_grid_choose cuts the
 * plate so that the edges are short; bmf_grid_collect brings it into rows for the file.
 */
#include <bmf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_BETWEEN = 50 };

BMF_STENCIL_KERNEL(relax, double, u, 2, 1, BMF_WINDOW_STAR,
                   0.25 * ((BMF_NEAR_2D(u, -1, 0) + BMF_NEAR_2D(u, 1, 0)) +
                           (BMF_NEAR_2D(u, 0, -1) + BMF_NEAR_2D(u, 0, 1))))
BMF_MAP_KERNEL(cold, int64_t, i, double, (double)(0 * i))
BMF_ZIP_KERNEL(change, double, a, double, b, double, fabs(a - b))

static const double hot = 100.0;

static const char usage[] =
    "usage: mpirun.mpich -n RANKS 07-heat ROWS COLUMNS STEPS [OUT.npy]\n"
    "Heats a plate of ROWS x COLUMNS points from above: the upper edge has 100 degrees, the other\n"
    "three 0. Prints the largest change of a step every 50 steps, and the mean at the end;\n"
    "OUT.npy gets the temperatures row by row.\n"
    "Example: mpirun.mpich -n 2 07-heat 200 300 500 plate.npy\n";

/* Rank 0 speaks for all. */
static int explain(bmf_context *ctx, int exit_code)
{
    if (bmf_is_root(ctx))
        fputs(usage, exit_code == 0 ? stdout : stderr);
    bmf_close(ctx);
    return exit_code;
}

/* A whole number from 1 on; 0: none. */
static int64_t read_count(const char *text)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    return *text && !*end && value > 0 && value <= 1000000000 ? value : 0;
}

/* Takes `steps` steps; *largest: the change of the last one. */
static int heat(const bmf_grid *grid, bmf_list **plate, int64_t steps, double *largest)
{
    const bmf_stencil_options before = {.steps = steps - 1, .outside = {{&hot, NULL}}},
                              last = {.steps = 1, .outside = {{&hot, NULL}}};
    bmf_list *next;
    if (steps > 1) {
        BMF_TRY(bmf_stencil(*plate, grid, &relax, &before, &next));
        bmf_list_free(*plate);
        *plate = next;
    }
    BMF_TRY(bmf_stencil(*plate, grid, &relax, &last, &next));
    const int status = bmf_zip_map_reduce(*plate, next, &change, &bmf_max_real, largest);
    bmf_list_free(*plate);
    *plate = next;
    return status;
}

static int create_plate(bmf_context *ctx, bmf_grid *grid, bmf_list **plate)
{
    bmf_list *rows;
    BMF_TRY(bmf_grid_choose(ctx, grid));
    BMF_TRY(bmf_tabulate(ctx, grid->extent[0] * grid->extent[1], &cold, &rows));
    const int status = bmf_grid_spread(grid, rows, plate);
    bmf_list_free(rows);
    return status;
}

static int write_plate(const bmf_grid *grid, const bmf_list *plate, const char *path)
{
    bmf_list *rows;
    BMF_TRY(bmf_grid_collect(grid, plate, &rows));
    const int status = bmf_npy_write(rows, path);
    bmf_list_free(rows);
    return status;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return explain(ctx, 0);
    if (argc < 4 || argc > 5)
        return explain(ctx, 2);
    bmf_grid grid = {.dimensions = 2, .extent = {read_count(argv[1]), read_count(argv[2])}};
    const int64_t steps = read_count(argv[3]);
    if (grid.extent[0] == 0 || grid.extent[1] == 0 || steps == 0)
        return explain(ctx, 2);

    bmf_list *plate;
    double sum, largest;
    BMF_CHECK(create_plate(ctx, &grid, &plate));
    for (int64_t done = 0, now; done < steps; done += now) {
        now = steps - done < STEPS_BETWEEN ? steps - done : STEPS_BETWEEN;
        BMF_CHECK(heat(&grid, &plate, now, &largest));
        if (bmf_is_root(ctx))
            printf("change after %lld: %.9g\n", (long long)(done + now), largest);
    }
    BMF_CHECK(bmf_reduce(plate, &bmf_plus_real, &sum));
    if (bmf_is_root(ctx))
        printf("mean: %.12g\n", sum / (double)bmf_length(plate));
    if (argc == 5)
        BMF_CHECK(write_plate(&grid, plate, argv[4]));
    bmf_list_free(plate);
    return bmf_close(ctx);
}
