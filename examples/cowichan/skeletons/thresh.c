/* thresh: the largest value is a reduction, the histogram a reduction of one histogram a part, the mask a map. */
#include "../formulas.h"
#include "skeletons.h"

enum { MAX_VALUE = 1 << 24 };

/* The largest as unsigned numbers, of which negative ones are the largest. */
BMF_COMMUTATIVE_OPERATOR(unsigned_max, int32_t, a, b, (uint32_t)a > (uint32_t)b ? a : b, 0)
BMF_MAP_KERNEL_WITH(reaches, int32_t, least, int32_t, x, int32_t, x >= *least)

typedef struct counting {
    const bmf_list *cells;
    bmf_list *counts;
    int64_t values;
} counting;

static int count_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const counting *c = state;
    int64_t stride, *count = bmf_list_data_writable(c->counts, 0);
    const int32_t *cell = bmf_list_data(c->cells, 0, &stride);
    const int64_t first = bmf_list_local_begin(c->cells);
    count += (part - bmf_list_local_begin(c->counts)) * c->values;
    for (int64_t v = 0; v < c->values; v++)
        count[v] = 0;
    for (int64_t i = begin; i < end; i++)
        count[cell[i - first]]++;
    return 0;
}

static int add_counts(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t values = *(const int64_t *)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t *a = &BMF_AT(const int64_t, in[0], i), *b = &BMF_AT(const int64_t, in[1], i);
        int64_t *sum = &BMF_AT(int64_t, out[0], i);
        for (int64_t v = 0; v < values; v++)
            sum[v] = a[v] + b[v];
    }
    return 0;
}

/* count[v]: cells of value v, on every rank. */
static int count_cells(const bmf_list *cells, int64_t values, int64_t *count)
{
    bmf_context *ctx = bmf_list_context(cells);
    const bmf_type *type = bmf_type_struct(values * (int64_t)sizeof *count, "counts");
    const bmf_operator add = {.name = "add_counts",
                              .type = type,
                              .combine = add_counts,
                              .context = &values,
                              .identity = count,
                              .flags = BMF_EXACT | BMF_COMMUTATIVE};
    counting c = {.cells = cells, .values = values};
    BMF_TRY(list_on_parts(cells, type, 1, &c.counts));
    int status = bmf_each_part(ctx, bmf_list_partition(cells), "histogram", count_part, &c);
    if (status == BMF_OK)
        status = bmf_reduce(c.counts, &add, count);
    bmf_list_free(c.counts);
    return status;
}

int skeleton_thresh(const bmf_list *cells, double fraction, bmf_list **out)
{
    int32_t most;
    BMF_TRY(bmf_reduce(cells, &unsigned_max, &most));
    const int64_t largest = (uint32_t)most;
    if (largest > MAX_VALUE)
        return bmf_fail(bmf_list_context(cells), BMF_ERROR_ARGUMENT, "values are from 0 to %d", MAX_VALUE);
    int64_t *const count = memory(largest + 1, sizeof *count);
    const int status = count_cells(cells, largest + 1, count);
    const int32_t least =
        status == BMF_OK ? threshold(count, (int32_t)largest, fraction * (double)bmf_length(cells)) : 0;
    free(count);
    BMF_TRY(status);
    const bmf_kernel mark = bmf_kernel_bind(&reaches, &least);
    return bmf_map(cells, &mark, out);
}
