/* The lists that skeletons are measured on, evenly split over the group: d elements on every rank.
 *
 * Results are freed after every repetition, so that their memory comes from the pool (runtime/base/memory.h) as it does
 * in the steps of a program. */
#include "predict/measure/lists.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/data/list.h"

BMF_MAP_KERNEL(number, int64_t, i, double, (double)i)
BMF_MAP_KERNEL(row_length, int64_t, i, int64_t, ((void)i, MEASURE_ROW))

static measure_lists *create(measure_site *site)
{
    return site->state = allocate_clear(1, (int64_t)sizeof(measure_lists));
}

int measure_open_ints(measure_site *site)
{
    return bmf_iota(site->ctx, measure_length(site), &create(site)->xs);
}

int measure_open_reals(measure_site *site)
{
    return bmf_tabulate(site->ctx, measure_length(site), &number, &create(site)->xs);
}

int measure_open_two_reals(measure_site *site)
{
    BMF_TRY(measure_open_reals(site));
    measure_lists *lists = site->state;
    return bmf_tabulate(site->ctx, measure_length(site), &number, &lists->ys);
}

int measure_open_rows(measure_site *site)
{
    const int64_t rows = site->elements / MEASURE_ROW * site->ctx->ranks;
    measure_lists *lists = create(site);
    BMF_TRY(bmf_tabulate(site->ctx, rows * MEASURE_ROW, &number, &lists->ys));
    BMF_TRY(bmf_tabulate(site->ctx, rows, &row_length, &lists->zs));
    return bmf_nest(lists->ys, lists->zs, &lists->xs);
}

static void flush_column(const bmf_column *column)
{
    if (column->data && column->stride > 0)
        measure_flush(column->data, column->count * column->stride);
    if (column->offsets)
        measure_flush(column->offsets, (column->count + 1) * (int64_t)sizeof *column->offsets);
    for (int k = 0; column->child && k < column->type->components; k++)
        flush_column(&column->child[k]);
}

int measure_before_lists(measure_site *site)
{
    measure_lists *lists = site->state;
    bmf_list *const inputs[] = {lists->xs, lists->ys, lists->zs};
    for (int k = 0; k < 3; k++)
        if (inputs[k] && !site->cached)
            flush_column(&inputs[k]->column);
    return BMF_OK;
}

int measure_after_lists(measure_site *site)
{
    measure_lists *lists = site->state;
    bmf_list_free(lists->out);
    lists->out = NULL;
    return BMF_OK;
}

void measure_close_lists(measure_site *site)
{
    measure_lists *lists = site->state;
    if (!lists)
        return;
    bmf_list_free(lists->xs);
    bmf_list_free(lists->ys);
    bmf_list_free(lists->zs);
    bmf_list_free(lists->out);
    free(lists->data);
    free(lists);
}

int64_t measure_few_lists(int ranks)
{
    (void)ranks;
    return 6;
}

int64_t measure_whole_list(int ranks)
{
    return 6 + 2 * (int64_t)ranks;
}
