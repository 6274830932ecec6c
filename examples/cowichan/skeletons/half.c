/* half: a projection brings the rows in their new order, a map puts their columns in order. */
#include "../formulas.h"
#include "skeletons.h"

BMF_MAP_KERNEL_WITH(source, int64_t, n, int64_t, i, int64_t, half_source(i, *n))

static int shuffle_rows(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t n = *(const int64_t *)context, evens = (n + 1) / 2;
    for (int64_t k = 0; k < count; k++) {
        const int32_t *row = &BMF_AT(const int32_t, in[0], k);
        int32_t *shuffled = &BMF_AT(int32_t, out[0], k);
        for (int64_t j = 0; j < evens; j++)
            shuffled[j] = row[2 * j];
        for (int64_t j = evens; j < n; j++)
            shuffled[j] = row[2 * (j - evens) + 1];
    }
    return 0;
}

int skeleton_half(const bmf_list *rows, bmf_list **out)
{
    bmf_context *ctx = bmf_list_context(rows);
    const int64_t height = bmf_length(rows), width = row_length(rows, sizeof(int32_t));
    const bmf_kernel order = bmf_kernel_bind(&source, &height);
    const bmf_kernel shuffle = {.name = "shuffle",
                                .block = shuffle_rows,
                                .context = &width,
                                .inputs = 1,
                                .input = {bmf_list_type(rows)},
                                .output = bmf_list_type(rows)};
    bmf_list *indices, *moved;
    BMF_TRY(bmf_tabulate(ctx, height, &order, &indices));
    int status = bmf_project(rows, indices, &moved);
    bmf_list_free(indices);
    BMF_TRY(status);
    status = bmf_map(moved, &shuffle, out);
    bmf_list_free(moved);
    return status;
}
