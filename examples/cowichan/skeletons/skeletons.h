/** @file
 * Cowichan programs on bmf's skeletons. A matrix is a list of its rows, each a record; a vector a list of reals; points
 * are records of two. All are split evenly over the processors, as plain MPI deals rows to ranks, and values are the
 * same to the last bit. Every function is collective; results are the caller's. They return bmf's statuses. */
#ifndef COWICHAN_SKELETONS_H
#define COWICHAN_SKELETONS_H

#include <bmf.h>
#include <stdlib.h>

#include "../programs.h"

typedef struct point {
    double x, y;
} point;

int skeleton_mandel(bmf_context *ctx, int64_t n, const struct view *view, bmf_list **out);
int skeleton_randmat(bmf_context *ctx, int64_t n, uint32_t seed, bmf_list **out);
int skeleton_half(const bmf_list *rows, bmf_list **out);
int skeleton_life(const bmf_list *board, int64_t steps, bmf_list **out);
/** Of cells, split between rows. */
int skeleton_thresh(const bmf_list *cells, double fraction, bmf_list **out);
int skeleton_outer(const bmf_list *points, bmf_list **matrix, bmf_list **vector);
int skeleton_product(const bmf_list *rows, const bmf_list *x, bmf_list **out);
int skeleton_sor(const bmf_list *rows, const bmf_list *b, double factor, double tolerance, int64_t max_iterations,
                 bmf_list **out);
int skeleton_gauss(const bmf_list *rows, const bmf_list *b, bmf_list **out);
int skeleton_norm(const bmf_list *points, bmf_list **out);
int skeleton_vecdiff(const bmf_list *a, const bmf_list *b, double *largest);

/** The type of rows of so many elements of so many bytes. Not collective. */
static inline const bmf_type *row_type(int64_t columns, size_t size)
{
    return bmf_type_struct(columns * (int64_t)size, "row");
}

/** How many elements of so many bytes a row has. Not collective. */
static inline int64_t row_length(const bmf_list *rows, size_t size)
{
    return bmf_list_type(rows)->size / (int64_t)size;
}

/** A list with `each` elements on every part of another one, undefined. */
static inline int list_on_parts(const bmf_list *of, const bmf_type *type, int64_t each, bmf_list **out)
{
    const bmf_partition *parts = bmf_list_partition(of);
    const int64_t count = bmf_partition_parts(parts);
    bmf_partition *made;
    int64_t *const start = memory(count + 1, sizeof *start);
    for (int64_t k = 0; k <= count; k++)
        start[k] = each * k;
    int status = bmf_partition_resized(bmf_list_context(of), parts, start, &made);
    free(start);
    BMF_TRY(status);
    status = bmf_list_create(bmf_list_context(of), type, made, out);
    bmf_partition_release(made);
    return status;
}

#endif
