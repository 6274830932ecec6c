/* sor: in every step each part relaxes its unknowns from all old ones, which everybody has, as all the new ones: so the
 * largest change needs no reduction. */
#include "../formulas.h"
#include "skeletons.h"

#include <string.h>

typedef struct relaxing {
    const bmf_list *rows, *b;
    bmf_list *x;
    double *old, *all;
    double factor;
} relaxing;

static int relax_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const relaxing *r = state;
    const int64_t n = bmf_length(r->b), first = bmf_list_local_begin(r->b);
    int64_t stride;
    const double *rows = bmf_list_data(r->rows, 0, &stride), *b = bmf_list_data(r->b, 0, &stride);
    double *x = bmf_list_data_writable(r->x, 0);
    (void)part;
    for (int64_t i = begin; i < end; i++)
        x[i - first] = relaxed(rows + (i - first) * n, r->old, i, n, b[i - first], r->factor);
    return 0;
}

static double largest_change(const relaxing *r, int64_t n)
{
    double change = 0;
    for (int64_t i = 0; i < n; i++)
        change = fabs(r->all[i] - r->old[i]) > change ? fabs(r->all[i] - r->old[i]) : change;
    return change;
}

/* Up to the step that changes less than the tolerance. */
static int relax(bmf_context *ctx, relaxing *r, double tolerance, int64_t max_iterations)
{
    const int64_t n = bmf_length(r->b);
    double change = INFINITY;
    for (int64_t k = 0; k < max_iterations && change >= tolerance; k++) {
        BMF_TRY(bmf_each_part(ctx, bmf_list_partition(r->rows), "relax", relax_part, r));
        BMF_TRY(bmf_to_array(r->x, r->all));
        change = largest_change(r, n);
        memcpy(r->old, r->all, (size_t)n * sizeof *r->old);
    }
    return change < tolerance ? BMF_OK : bmf_fail(ctx, BMF_ERROR_ARGUMENT, "does not converge: %g", change);
}

int skeleton_sor(const bmf_list *rows, const bmf_list *b, double factor, double tolerance, int64_t max_iterations,
                 bmf_list **out)
{
    bmf_context *ctx = bmf_list_context(rows);
    const int64_t n = bmf_length(b);
    relaxing r = {.rows = rows, .b = b, .factor = factor};
    BMF_TRY(bmf_list_create(ctx, &bmf_type_real, bmf_list_partition(b), &r.x));
    r.old = memory(n, sizeof *r.old);
    r.all = memory(n, sizeof *r.all);
    const int status = relax(ctx, &r, tolerance, max_iterations);
    free(r.old);
    free(r.all);
    if (status == BMF_OK)
        *out = r.x;
    else
        bmf_list_free(r.x);
    return status;
}
