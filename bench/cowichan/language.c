/* The Cowichan programs in the language, run as `bmf run` does. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cowichan/cowichan.h"
#include "runtime/base/text.h"

enum { PATH_ROOM = 4096 };
static const double SUMS_TOLERANCE = 1e-9;

/* ---- the argument ---- */

/* Both matrices beside each other; the numbers [n, seed] where there is none. To be freed. */
static struct matrix joined(const struct run *run, const struct matrix matrix[INPUTS])
{
    const struct matrix *a = &matrix[0], *b = &matrix[1];
    if (a->rows == 0) {
        struct matrix numbers = matrix_make(run, 2, 1, INTS);
        for (int i = numbers.first; i < numbers.first + numbers.count; i++)
            *int_row(&numbers, i) = (int32_t)(i == 0 ? run->n : run->seed);
        return numbers;
    }
    struct matrix both = matrix_make(run, a->rows, a->columns + b->columns, a->ints ? INTS : REALS);
    const size_t size = a->ints ? sizeof(int32_t) : sizeof(double);
    char *to = both.ints ? (char *)both.ints : (char *)both.reals;
    for (int i = a->first; i < a->first + a->count; i++)
        for (int k = 0; k < INPUTS; k++) {
            const size_t bytes = size * (size_t)matrix[k].columns;
            if (bytes > 0)
                memcpy(to, matrix[k].ints ? (void *)int_row(&matrix[k], i) : real_row(&matrix[k], i), bytes);
            to += bytes;
        }
    return both;
}

int language_open(bmf_context *ctx, const char *sources, const char *directory, const struct version *version,
                  const struct run *run, const struct input *input, bmf_program *program)
{
    char path[PATH_ROOM], argument[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s.bmf", sources, version->name);
    snprintf(argument, sizeof argument, "%s/%s.npy", directory, version->name);
    struct matrix both = joined(run, input->matrix);
    matrix_write(run, argument, &both);
    matrix_free(&both);
    MPI_Barrier(MPI_COMM_WORLD);
    const bmf_program_options options = {.path = path, .argument = (const char *[]){argument}, .arguments = 1};
    BMF_TRY(program_load(ctx, &options, program));
    program_rewrite(program, &(bmf_rewriting){.laws = ~0u});
    return BMF_OK;
}

/* ---- running ---- */

int language_run(bmf_context *ctx, bmf_program *program, double *seconds)
{
    bmf_value result;
    program->keep_parts = true;
    BMF_TRY(program_run(ctx, program, &result));
    *seconds = program->seconds;
    value_free(&result);
    return BMF_OK;
}

/* The scalars of a value: those of a list of lists, of a list, or one. */
static const bmf_column *scalars_of(const bmf_column *column)
{
    while (column->type->kind == BMF_LIST)
        column = &column->child[0];
    return column;
}

static double scalar_at(const bmf_column *column, int64_t i)
{
    const char *at = (const char *)column->data + i * column->stride;
    return column->type->kind == BMF_INT ? (double)*(const int64_t *)at : *(const double *)at;
}

/* Element i of the value in plain MPI's results: outer's vector is the last column of its matrix. */
static double expected_at(const void *const whole[RESULTS], const struct matrix plain[RESULTS], int64_t i)
{
    const int64_t columns = plain[0].columns + plain[1].columns;
    const int64_t row = i / columns, column = i % columns;
    if (plain[0].ints)
        return ((const int32_t *)whole[0])[i];
    return column < plain[0].columns ? ((const double *)whole[0])[row * plain[0].columns + column]
                                     : ((const double *)whole[1])[row];
}

/* Elements that differ; -1: another number of them. Of rank 0. */
static int64_t count_wrong(const bmf_column *found, const void *const whole[RESULTS],
                           const struct matrix plain[RESULTS], double allowed)
{
    const int64_t count = (int64_t)plain[0].rows * (plain[0].columns + plain[1].columns);
    int64_t wrong = 0;
    double largest = 0;
    if (found->count != count)
        return -1;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected_at(whole, plain, i)));
    for (int64_t i = 0; i < count; i++)
        wrong += !(fabs(scalar_at(found, i) - expected_at(whole, plain, i)) <= allowed * largest);
    return wrong;
}

int language_verify(bmf_context *ctx, bmf_program *program, const struct version *version, const struct run *run,
                    const struct matrix plain[RESULTS])
{
    bmf_column column = {0};
    void *whole[RESULTS] = {NULL, NULL};
    int64_t wrong = 0;
    const bool sums = strcmp(version->name, "product") == 0 || strcmp(version->name, "sor") == 0;
    program->keep_parts = false;
    BMF_TRY(program_value(ctx, program, &column));
    for (int k = 0; k < RESULTS; k++)
        if (plain[k].rows > 0)
            whole[k] = matrix_gather(run, &plain[k]);
    if (bmf_is_root(ctx))
        wrong = count_wrong(scalars_of(&column), (const void *const *)whole, plain, sums ? SUMS_TOLERANCE : 0);
    for (int k = 0; k < RESULTS; k++)
        free(whole[k]);
    column_free(&column);
    MPI_Bcast(&wrong, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return wrong == 0 ? BMF_OK
                      : bmf_fail(ctx, BMF_ERROR_INTERNAL, "%s in the language: %lld results are wrong", version->name,
                                 (long long)wrong);
}
