/* product: everybody has the vector; a map makes every row its sum. */
#include "../formulas.h"
#include "skeletons.h"

typedef struct operand {
    const double *x;
    int64_t n;
} operand;

static int sum_rows(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const operand *o = context;
    for (int64_t i = 0; i < count; i++)
        BMF_AT(double, out[0], i) = row_sum(&BMF_AT(const double, in[0], i), o->x, o->n);
    return 0;
}

int skeleton_product(const bmf_list *rows, const bmf_list *x, bmf_list **out)
{
    const int64_t n = bmf_length(x);
    double *const all = memory(n, sizeof *all);
    const operand o = {all, n};
    const bmf_kernel dot = {.name = "product",
                            .block = sum_rows,
                            .context = &o,
                            .inputs = 1,
                            .input = {bmf_list_type(rows)},
                            .output = &bmf_type_real};
    int status = bmf_to_array(x, all);
    if (status == BMF_OK)
        status = bmf_map(rows, &dot, out);
    free(all);
    return status;
}
