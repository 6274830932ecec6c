/* The versions side by side. */
#include "versions.h"

#include <string.h>

/* ---- input ---- */

static void open_nothing(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    (void)run, (void)second, (void)matrix;
}

static void open_cells(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    (void)second;
    matrix[0] = run->in ? matrix_read(run, run->in, INTS, 0) : random_matrix(run, run->n);
    run->n = matrix[0].rows;
}

static void open_board(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    open_cells(run, second, matrix);
    for (int64_t i = 0; i < (int64_t)matrix[0].count * matrix[0].columns; i++)
        matrix[0].ints[i] = run->in ? matrix[0].ints[i] != 0 : matrix[0].ints[i] >= RANDOM_VALUES / 2;
}

static void open_points(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    (void)second;
    matrix[0] = run->in ? matrix_read(run, run->in, REALS, 2) : random_reals(run, run->n, 2, (uint32_t)run->seed);
    run->n = matrix[0].rows;
}

static void open_system(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    system_open(run, second, &matrix[0], &matrix[1]);
}

static void open_vectors(struct run *run, const char *second, struct matrix matrix[INPUTS])
{
    const uint32_t seed = (uint32_t)run->seed;
    const int64_t m = vector_length(run->n);
    matrix[0] = run->in ? matrix_read(run, run->in, REALS, 1) : random_reals(run, m, 1, seed);
    matrix[1] = second ? matrix_read(run, second, REALS, 1) : random_reals(run, matrix[0].rows, 1, seed + 1);
    if (matrix[0].rows != matrix[1].rows)
        fail(run, 2, "one vector has %d elements, the other %d", matrix[0].rows, matrix[1].rows);
}

/* ---- both versions, called alike ---- */

static const struct view whole_set = {-2, -1.25, 2.5, 2.5, 150};
static const double fraction = 0.1, factor = 1.1, tolerance = 1e-10;
enum { LIFE_STEPS = 20, SOR_ITERATIONS = 100 };

#define PLAIN(name)                                                                                                    \
    static void plain_##name(const struct run *run, const struct matrix in[INPUTS], struct matrix out[RESULTS])
#define LISTS(name)                                                                                                    \
    static int lists_##name(bmf_context *ctx, const struct run *run, bmf_list *const in[INPUTS], bmf_list *out[RESULTS])

PLAIN(mandel)
{
    (void)in;
    out[0] = mandel(run, &whole_set);
}

LISTS(mandel)
{
    (void)in;
    return skeleton_mandel(ctx, run->n, &whole_set, &out[0]);
}

PLAIN(randmat)
{
    (void)in;
    out[0] = randmat(run);
}

LISTS(randmat)
{
    (void)in;
    return skeleton_randmat(ctx, run->n, (uint32_t)run->seed, &out[0]);
}

PLAIN(half)
{
    out[0] = half(run, &in[0]);
}

LISTS(half)
{
    (void)ctx, (void)run;
    return skeleton_half(in[0], &out[0]);
}

/* The same elements, dealt evenly. */
static struct matrix copied(const struct run *run, const struct matrix *in)
{
    struct matrix copy = matrix_make(run, in->rows, in->columns, in->ints ? INTS : REALS);
    const size_t cells = (size_t)in->count * (size_t)in->columns;
    if (in->ints)
        memcpy(copy.ints, in->ints, cells * sizeof *in->ints);
    else
        memcpy(copy.reals, in->reals, cells * sizeof *in->reals);
    return copy;
}

PLAIN(life)
{
    out[0] = copied(run, &in[0]);
    life(run, &out[0], LIFE_STEPS);
}

LISTS(life)
{
    (void)ctx, (void)run;
    return skeleton_life(in[0], LIFE_STEPS, &out[0]);
}

PLAIN(thresh)
{
    out[0] = thresh(run, &in[0], fraction);
}

LISTS(thresh)
{
    (void)ctx, (void)run;
    return skeleton_thresh(in[0], fraction, &out[0]);
}

PLAIN(outer)
{
    out[0] = outer(run, &in[0], false, &out[1]);
}

LISTS(outer)
{
    (void)ctx, (void)run;
    return skeleton_outer(in[0], &out[0], &out[1]);
}

PLAIN(product)
{
    out[0] = product(run, &in[0], &in[1]);
}

LISTS(product)
{
    (void)ctx, (void)run;
    return skeleton_product(in[0], in[1], &out[0]);
}

PLAIN(sor)
{
    out[0] = sor(run, &in[0], &in[1], factor, tolerance, SOR_ITERATIONS);
}

LISTS(sor)
{
    (void)ctx, (void)run;
    return skeleton_sor(in[0], in[1], factor, tolerance, SOR_ITERATIONS, &out[0]);
}

PLAIN(gauss)
{
    out[0] = gauss(run, &in[0], &in[1], false);
}

LISTS(gauss)
{
    (void)ctx, (void)run;
    return skeleton_gauss(in[0], in[1], &out[0]);
}

PLAIN(norm)
{
    out[0] = copied(run, &in[0]);
    norm(run, &out[0], 1);
}

LISTS(norm)
{
    (void)ctx, (void)run;
    return skeleton_norm(in[0], &out[0]);
}

PLAIN(vecdiff)
{
    out[0] = matrix_make(run, 1, 1, REALS);
    const double largest = vecdiff(run, &in[0], &in[1]);
    if (out[0].count > 0)
        out[0].reals[0] = largest;
}

LISTS(vecdiff)
{
    double largest;
    (void)run;
    BMF_TRY(skeleton_vecdiff(in[0], in[1], &largest));
    return bmf_spread(ctx, &bmf_type_real, 1, &largest, &out[0]);
}

#define VERSION(name, what, view, open)                                                                                \
    {                                                                                                                  \
#name, what, view, open, plain_##name, lists_##name                                                            \
    }
#define FORMS(first, second)                                                                                           \
    {                                                                                                                  \
        first, second                                                                                                  \
    }

const struct version versions[] = {
    VERSION(mandel, "Counts the steps in which z^2 + c leaves a circle, for n x n c.", FORMS(ROWS, ROWS), open_nothing),
    VERSION(randmat, "Makes an n x n matrix of random numbers from 0 to 255.", FORMS(ROWS, ROWS), open_nothing),
    VERSION(half, "Shuffles the rows and columns of an n x n matrix by halves.", FORMS(ROWS, ROWS), open_cells),
    VERSION(life, "Plays 20 steps of Conway's game of life on n x n cells.", FORMS(ROWS, ROWS), open_board),
    VERSION(thresh, "Marks the largest tenth of n x n cells.", FORMS(ELEMENTS, ROWS), open_cells),
    VERSION(outer, "Computes the distances of n points from each other.", FORMS(POINTS, ROWS), open_points),
    VERSION(product, "Multiplies a matrix of 2.5 n rows with a vector.", FORMS(ROWS, ELEMENTS), open_system),
    VERSION(sor, "Solves a linear system of 2.5 n unknowns by over-relaxation.", FORMS(ROWS, ELEMENTS), open_system),
    VERSION(gauss, "Solves a linear system of 2.5 n unknowns by elimination.", FORMS(ROWS, ELEMENTS), open_system),
    VERSION(norm, "Moves n points into the unit square.", FORMS(POINTS, ROWS), open_points),
    VERSION(vecdiff, "Finds the largest difference of two vectors of 2.5 n reals.", FORMS(ELEMENTS, ELEMENTS),
            open_vectors),
    {0}};

const struct version *find_version(const char *name)
{
    for (const struct version *v = versions; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

/* ---- matrices and lists ---- */

static const void *matrix_data(const struct matrix *matrix, size_t *size)
{
    *size = matrix->ints ? sizeof(int32_t) : sizeof(double);
    return matrix->ints ? (const void *)matrix->ints : matrix->reals;
}

/* Elements of the matrix on the ranks of their rows. */
static int partition_elements(bmf_context *ctx, const struct matrix *matrix, bmf_partition **partition)
{
    bmf_partition *rows;
    BMF_TRY(bmf_partition_even(ctx, matrix->rows, &rows));
    int64_t *const start = memory(matrix->deal.ranks + 1L, sizeof *start);
    for (int r = 0; r < matrix->deal.ranks; r++)
        start[r + 1] = start[r] + (int64_t)matrix->deal.count[r] * matrix->columns;
    const int status = bmf_partition_resized(ctx, rows, start, partition);
    free(start);
    bmf_partition_release(rows);
    return status;
}

static int list_of_matrix(bmf_context *ctx, const struct matrix *matrix, enum form form, bmf_list **list)
{
    size_t size;
    bmf_partition *partition;
    const void *const data = matrix_data(matrix, &size);
    const bmf_type *type = form == ROWS     ? row_type(matrix->columns, size)
                           : form == POINTS ? bmf_type_struct(sizeof(point), "point")
                           : matrix->ints   ? &bmf_type_int32
                                            : &bmf_type_real;
    if (form == ELEMENTS)
        BMF_TRY(partition_elements(ctx, matrix, &partition));
    else
        BMF_TRY(bmf_partition_even(ctx, matrix->rows, &partition));
    const int status = bmf_list_create(ctx, type, partition, list);
    bmf_partition_release(partition);
    BMF_TRY(status);
    if (matrix->count > 0)
        memcpy(bmf_list_data_writable(*list, 0), data, size * (size_t)matrix->count * (size_t)matrix->columns);
    return BMF_OK;
}

int input_open(bmf_context *ctx, const struct version *version, struct run *run, const char *second,
               struct input *input)
{
    *input = (struct input){0};
    version->open(run, second, input->matrix);
    for (int k = 0; k < INPUTS; k++)
        if (input->matrix[k].rows > 0)
            BMF_TRY(list_of_matrix(ctx, &input->matrix[k], version->form[k], &input->list[k]));
    return BMF_OK;
}

void input_close(struct input *input)
{
    for (int k = 0; k < INPUTS; k++) {
        matrix_free(&input->matrix[k]);
        bmf_list_free(input->list[k]);
    }
}

void results_of_lists(const struct run *run, bmf_list *const list[RESULTS], const struct matrix like[RESULTS],
                      struct matrix out[RESULTS])
{
    for (int k = 0; k < RESULTS; k++) {
        size_t size;
        int64_t stride;
        out[k] = (struct matrix){0};
        if (!list[k])
            continue;
        matrix_data(&like[k], &size);
        out[k] = matrix_make(run, like[k].rows, like[k].columns, like[k].ints ? INTS : REALS);
        if (out[k].count > 0)
            memcpy(out[k].ints ? (void *)out[k].ints : out[k].reals, bmf_list_data(list[k], 0, &stride),
                   size * (size_t)out[k].count * (size_t)out[k].columns);
    }
}

void results_close(struct matrix out[RESULTS])
{
    for (int k = 0; k < RESULTS; k++)
        matrix_free(&out[k]);
}

uint64_t results_checksum(const struct matrix out[RESULTS])
{
    uint64_t sum = 0;
    for (int k = 0; k < RESULTS; k++)
        if (out[k].rows > 0)
            sum += matrix_checksum(&out[k]);
    return sum;
}
