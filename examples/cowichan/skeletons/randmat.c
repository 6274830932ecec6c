/* randmat: every part goes to the number before its first row by random_jump, and on from there. */
#include "skeletons.h"

typedef struct sequence {
    bmf_list *rows;
    uint32_t seed;
} sequence;

static int fill_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const sequence *s = state;
    const int64_t n = bmf_length(s->rows);
    int32_t *cells = bmf_list_data_writable(s->rows, 0);
    uint32_t r = random_jump(s->seed, (uint64_t)begin * (uint64_t)n);
    (void)part;
    cells += (begin - bmf_list_local_begin(s->rows)) * n;
    for (int64_t i = 0; i < (end - begin) * n; i++) {
        r = random_next(r);
        cells[i] = (int32_t)((uint64_t)r * RANDOM_VALUES >> 32);
    }
    return 0;
}

int skeleton_randmat(bmf_context *ctx, int64_t n, uint32_t seed, bmf_list **out)
{
    sequence s = {.seed = seed};
    bmf_partition *partition;
    BMF_TRY(bmf_partition_even(ctx, n, &partition));
    int status = bmf_list_create(ctx, row_type(n, sizeof(int32_t)), partition, &s.rows);
    if (status == BMF_OK)
        status = bmf_each_part(ctx, partition, "randmat", fill_part, &s);
    bmf_partition_release(partition);
    if (status == BMF_OK)
        *out = s.rows;
    else
        bmf_list_free(s.rows);
    return status;
}
