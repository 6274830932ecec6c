/* gauss: in every step everybody gets the pivot's row by bmf_index and scales it; a zip with the numbers of the rows
 * subtracts it from all others. */
#include "../formulas.h"
#include "skeletons.h"

#include <string.h>

typedef struct elimination {
    bmf_list *rows, *numbers; /* with b as their last element */
    double *pivot;
    int64_t k, end;
} elimination;

static int extend_rows(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t n = *(const int64_t *)context;
    for (int64_t i = 0; i < count; i++) {
        double *row = &BMF_AT(double, out[0], i);
        memcpy(row, &BMF_AT(const double, in[0], i), (size_t)n * sizeof *row);
        row[n] = BMF_AT(const double, in[1], i);
    }
    return 0;
}

static int last_elements(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t n = *(const int64_t *)context;
    for (int64_t i = 0; i < count; i++)
        BMF_AT(double, out[0], i) = (&BMF_AT(const double, in[0], i))[n];
    return 0;
}

static int subtract_pivot(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const elimination *e = context;
    for (int64_t i = 0; i < count; i++) {
        double *row = &BMF_AT(double, out[0], i);
        const double *before = &BMF_AT(const double, in[0], i);
        if (BMF_AT(const int64_t, in[1], i) == e->k) {
            memcpy(row, e->pivot, (size_t)e->end * sizeof *row);
            continue;
        }
        if (row != before)
            memcpy(row, before, (size_t)e->end * sizeof *row);
        subtract_row(row, e->pivot, e->k, e->end);
    }
    return 0;
}

static int eliminate(bmf_context *ctx, elimination *e)
{
    const bmf_type *type = bmf_list_type(e->rows);
    const bmf_kernel subtract = {.name = "subtract",
                                 .block = subtract_pivot,
                                 .context = e,
                                 .inputs = 2,
                                 .input = {type, &bmf_type_int},
                                 .output = type};
    for (e->k = 0; e->k < e->end - 1; e->k++) {
        BMF_TRY(bmf_index(e->rows, e->k, e->pivot));
        const double scale = e->pivot[e->k];
        if (scale == 0 || !isfinite(scale))
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "row %lld has no pivot", (long long)e->k);
        for (int64_t j = e->k; j < e->end; j++)
            e->pivot[j] /= scale;
        BMF_TRY(bmf_zip_in_place(e->rows, e->numbers, &subtract));
    }
    return BMF_OK;
}

int skeleton_gauss(const bmf_list *rows, const bmf_list *b, bmf_list **out)
{
    const int64_t n = bmf_length(b);
    const bmf_type *type = row_type(n + 1, sizeof(double));
    const bmf_kernel extend = {.name = "extend",
                               .block = extend_rows,
                               .context = &n,
                               .inputs = 2,
                               .input = {bmf_list_type(rows), &bmf_type_real},
                               .output = type};
    const bmf_kernel last = {
        .name = "last", .block = last_elements, .context = &n, .inputs = 1, .input = {type}, .output = &bmf_type_real};
    elimination e = {.end = n + 1};
    bmf_context *ctx = bmf_list_context(rows);
    BMF_TRY(bmf_iota(ctx, n, &e.numbers));
    int status = bmf_zip(rows, b, &extend, &e.rows);
    e.pivot = memory(e.end, sizeof *e.pivot);
    if (status == BMF_OK)
        status = eliminate(ctx, &e);
    free(e.pivot);
    bmf_list_free(e.numbers);
    if (status == BMF_OK)
        status = bmf_map(e.rows, &last, out);
    bmf_list_free(e.rows);
    return status;
}
