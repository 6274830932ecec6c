/* sort, sort_by, argsort.
 *
 * Method: see sorting.c; sort_by fetches the elements by the numbers that argsort of their keys gives.
 * Cost: see bmf/skeletons.h. */
#include "bmf/skeletons.h"
#include "skeletons/engine/plan.h"
#include "skeletons/sort/sorting.h"

static int sort_list(const bmf_list *xs, bool numbers, bmf_list **out)
{
    bmf_list *ragged = NULL;
    bmf_sorting sorting;
    plan_title(xs->context, numbers ? "argsort" : "sort", xs);
    sorting_open(&sorting, xs, numbers ? BMF_NUMBERS_ALL : BMF_NUMBERS_NONE);
    int status = sorting_all(&sorting);
    if (status == BMF_OK)
        status = sorting_read(&sorting, &ragged);
    sorting_close(&sorting);
    if (status == BMF_OK)
        status = split_evenly(ragged, out);
    bmf_list_free(ragged);
    return status;
}

const bmf_skeleton_type skeleton_sort = {
    .id = 38, .name = "sort", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Sort"};
const bmf_skeleton_type skeleton_argsort = {
    .id = 39, .name = "argsort", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Argsort"};
const bmf_skeleton_type skeleton_sort_by = {.id = 40, .name = "sort_by", .communication = BMF_COMMUNICATION_PERMUTE};

int bmf_sort(const bmf_list *xs, bmf_list **out)
{
    BMF_TRY(sorting_check("sort", xs));
    skeleton_begin(xs->context, &skeleton_sort, "sort");
    return skeleton_end(xs->context, xs->partition, sort_list(xs, false, out));
}

int bmf_argsort(const bmf_list *xs, bmf_list **out)
{
    BMF_TRY(sorting_check("argsort", xs));
    skeleton_begin(xs->context, &skeleton_argsort, "argsort");
    return skeleton_end(xs->context, xs->partition, sort_list(xs, true, out));
}

int bmf_sort_by(const bmf_list *xs, const bmf_kernel *key, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_list *keys = NULL, *order = NULL;
    skeleton_begin(ctx, &skeleton_sort_by, "sort_by %s", key->name);
    int status = bmf_map(xs, key, &keys);
    if (status == BMF_OK)
        status = sorting_check("sort_by", keys);
    if (status == BMF_OK)
        status = bmf_argsort(keys, &order);
    if (status == BMF_OK)
        status = bmf_project(xs, order, out);
    bmf_list_free(keys);
    bmf_list_free(order);
    return skeleton_end(ctx, xs->partition, status);
}
