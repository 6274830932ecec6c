/* life: in every step a projection fetches the rows above and below each part, its halo, and each part computes its
 * rows.
 *
 * The halo is a list of two rows a part, and so are the numbers of its rows, which are made once. */
#include "../formulas.h"
#include "skeletons.h"

typedef struct boards {
    const bmf_list *now, *halo;
    bmf_list *next;
    int columns;
} boards;

static int step_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    const boards *b = state;
    const int64_t n = b->columns, first = bmf_list_local_begin(b->now);
    int64_t stride;
    const int32_t *rows = bmf_list_data(b->now, 0, &stride), *halo = bmf_list_data(b->halo, 0, &stride);
    halo += (2 * part - bmf_list_local_begin(b->halo)) * n;
    int32_t *next = bmf_list_data_writable(b->next, 0);
    for (int64_t i = begin; i < end; i++) {
        const int32_t *here = rows + (i - first) * n;
        life_row(i == begin ? halo : here - n, here, i == end - 1 ? halo + n : here + n, next + (i - first) * n,
                 b->columns);
    }
    return 0;
}

/* The numbers of the rows around a part. */
typedef struct borders {
    bmf_list *number;
    int64_t rows;
} borders;

static int number_borders(void *state, int64_t part, int64_t begin, int64_t end)
{
    const borders *b = state;
    int64_t *number = bmf_list_data_writable(b->number, 0);
    number += 2 * part - bmf_list_local_begin(b->number);
    number[0] = (begin + b->rows - 1) % b->rows;
    number[1] = end % b->rows;
    return 0;
}

static int step(boards *b, const bmf_list *numbers)
{
    bmf_list *halo;
    BMF_TRY(bmf_project(b->now, numbers, &halo));
    b->halo = halo;
    const int status = bmf_each_part(bmf_list_context(b->now), bmf_list_partition(b->now), "life", step_part, b);
    bmf_list_free(halo);
    return status;
}

/* Boards take turns in two lists; the last one is *out. */
static int all_steps(const bmf_list *board, const bmf_list *numbers, int64_t count, bmf_list **out)
{
    bmf_list *pair[2] = {NULL, NULL};
    boards b = {.now = board, .columns = (int)row_length(board, sizeof(int32_t))};
    int status = BMF_OK;
    for (int k = 0; k < 2 && status == BMF_OK; k++)
        status = bmf_list_create(bmf_list_context(board), bmf_list_type(board), bmf_list_partition(board), &pair[k]);
    for (int64_t k = 0; k < count && status == BMF_OK; k++) {
        b.next = pair[k % 2];
        status = step(&b, numbers);
        b.now = b.next;
    }
    const int64_t last = (count + 1) % 2;
    bmf_list_free(pair[1 - last]);
    if (status == BMF_OK)
        *out = pair[last];
    else
        bmf_list_free(pair[last]);
    return status;
}

int skeleton_life(const bmf_list *board, int64_t count, bmf_list **out)
{
    bmf_context *ctx = bmf_list_context(board);
    borders b = {.rows = bmf_length(board)};
    if (count == 0)
        return bmf_redistribute(board, board, out);
    BMF_TRY(list_on_parts(board, &bmf_type_int, 2, &b.number));
    int status = bmf_each_part(ctx, bmf_list_partition(board), "borders", number_borders, &b);
    if (status == BMF_OK)
        status = all_steps(board, b.number, count, out);
    bmf_list_free(b.number);
    return status;
}
