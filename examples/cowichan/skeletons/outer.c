/* outer: everybody has all points; every part fills its rows and says its largest distance; a reduction finds that of
 * all. */
#include "../formulas.h"
#include "skeletons.h"

BMF_MAP_KERNEL(length_of, point, p, double, sqrt(p.x *p.x + p.y * p.y))

typedef struct filling {
    const double *points;
    bmf_list *rows, *largest; /* largest: one for each part */
    double diagonal;
} filling;

static int fill_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const filling *f = state;
    const int64_t n = bmf_length(f->rows), first = bmf_list_local_begin(f->rows);
    double *rows = bmf_list_data_writable(f->rows, 0), largest = 0;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < n; j++) {
            const double d = i == j ? 0 : distance(f->points, i, j);
            rows[(i - first) * n + j] = d;
            largest = d > largest ? d : largest;
        }
    double *all = bmf_list_data_writable(f->largest, 0);
    all[part - bmf_list_local_begin(f->largest)] = largest;
    return 0;
}

static int fill_diagonal(void *state, int64_t part, int64_t begin, int64_t end)
{
    const filling *f = state;
    const int64_t n = bmf_length(f->rows), first = bmf_list_local_begin(f->rows);
    double *rows = bmf_list_data_writable(f->rows, 0);
    (void)part;
    for (int64_t i = begin; i < end; i++)
        rows[(i - first) * n + i] = f->diagonal;
    return 0;
}

static int fill(bmf_context *ctx, filling *f)
{
    const bmf_partition *parts = bmf_list_partition(f->rows);
    BMF_TRY(list_on_parts(f->rows, &bmf_type_real, 1, &f->largest));
    double largest;
    int status = bmf_each_part(ctx, parts, "distances", fill_part, f);
    if (status == BMF_OK)
        status = bmf_reduce(f->largest, &bmf_max_real, &largest);
    bmf_list_free(f->largest);
    BMF_TRY(status);
    f->diagonal = (double)bmf_length(f->rows) * largest;
    return bmf_each_part(ctx, parts, "diagonal", fill_diagonal, f);
}

int skeleton_outer(const bmf_list *points, bmf_list **matrix, bmf_list **vector)
{
    bmf_context *ctx = bmf_list_context(points);
    const int64_t n = bmf_length(points);
    filling f = {0};
    double *const all = memory(2 * n, sizeof *all);
    f.points = all;
    int status = bmf_to_array(points, all);
    if (status == BMF_OK)
        status = bmf_list_create(ctx, row_type(n, sizeof(double)), bmf_list_partition(points), &f.rows);
    if (status == BMF_OK)
        status = fill(ctx, &f);
    free(all);
    if (status == BMF_OK)
        status = bmf_map(points, &length_of, vector);
    if (status == BMF_OK)
        *matrix = f.rows;
    else
        bmf_list_free(f.rows);
    return status;
}
