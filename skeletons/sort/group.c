/* group: the elements by their keys.
 *
 * Method: keys are sorted with the numbers of their elements, equal ones on one part (sorting.c); runs of equal keys
 * are the groups. Their lengths are split evenly, and the numbers moved to where the lengths then are; the elements are
 * fetched by these numbers, and of every group the key of its first element.
 * Cost: that of argsort, then 8 bytes a group and an element where parts of groups move on, and project of the elements
 * and of a key a group. */
#include "skeletons/sort/group.h"

#include <stdlib.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/skeleton_types.h"
#include "skeletons/sort/runs.h"

const bmf_skeleton_type skeleton_group = {
    .id = 44, .name = "group", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Group"};

/* Numbers of elements in the order of their keys; lengths of the runs of equal keys, on the parts where they are. */
typedef struct ordered {
    bmf_list *numbers, *lengths;
} ordered;

static int make_lengths(const bmf_sorting *sorting, const bmf_runs *runs, bmf_list **out)
{
    bmf_partition *partition;
    BMF_TRY(runs_partition(sorting, runs, &partition));
    const int status = bmf_list_create(sorting->xs->context, &bmf_type_int, partition, out);
    bmf_partition_release(partition);
    if (status != BMF_OK)
        return status;
    int64_t *length = (*out)->column.data;
    for (int64_t i = 0; i < runs->count; i++)
        length[i] = runs->first[i + 1] - runs->first[i];
    return BMF_OK;
}

static int order_keys_of_groups(const bmf_list *keys, ordered *made)
{
    bmf_sorting sorting;
    bmf_runs runs = {0};
    sorting_open(&sorting, keys, BMF_NUMBERS_ALL);
    int status = sorting_parts(&sorting);
    if (status == BMF_OK)
        status = sorting_across(&sorting, true);
    if (status == BMF_OK)
        status = runs_find(&sorting, &runs);
    if (status == BMF_OK)
        status = make_lengths(&sorting, &runs, &made->lengths);
    if (status == BMF_OK)
        status = sorting_read(&sorting, &made->numbers);
    runs_close(&runs);
    sorting_close(&sorting);
    return status;
}

/* Where the elements of the groups are, if their lengths are there. */
static int members_partition(const bmf_list *lengths, bmf_partition **out)
{
    const bmf_partition *partition = lengths->partition;
    const int64_t first = bmf_partition_local_begin(partition), *length = lengths->column.data;
    int64_t *sum = allocate_clear(partition->local_parts, (int64_t)sizeof *sum);
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k < partition->local_parts; k++) {
        const int64_t *part = partition->start + partition->local_first + k;
        for (int64_t i = part[0]; i < part[1]; i++)
            sum[k] += length[i - first];
    }
    int status = partition_allgather(lengths->context, partition, sum, start + 1);
    start[0] = 0;
    for (int64_t k = 0; k < partition->parts && status == BMF_OK; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(lengths->context, partition, start, out);
    free(sum);
    free(start);
    return status;
}

static int move_numbers(const bmf_list *numbers, const bmf_list *lengths, bmf_list **out)
{
    bmf_partition *partition;
    BMF_TRY(members_partition(lengths, &partition));
    skeleton_begin(numbers->context, &skeleton_redistribute, "redistribute");
    int status = BMF_OK;
    if (bmf_partition_equal(numbers->partition, partition))
        relabel_partition(numbers, partition, out);
    else
        status = repartition("redistribute", 1, &(bmf_move_source){numbers, 0}, partition, out);
    status = skeleton_end(numbers->context, partition, status);
    bmf_partition_release(partition);
    return status;
}

/* Of every group the number of its first element. */
static int take_firsts(const bmf_list *numbers, const bmf_list *lengths, bmf_list **out)
{
    BMF_TRY(bmf_list_create(numbers->context, &bmf_type_int, lengths->partition, out));
    const int64_t *number = numbers->column.data, *length = lengths->column.data;
    int64_t *first = (*out)->column.data;
    for (int64_t i = 0, at = 0; i < lengths->column.count; at += length[i++])
        first[i] = number[at];
    return BMF_OK;
}

static int fetch(const bmf_list *xs, const bmf_list *keys, const bmf_list *numbers, const bmf_list *lengths,
                 bmf_list **found, bmf_list **groups)
{
    bmf_list *firsts = NULL, *members = NULL, *key = NULL;
    int status = take_firsts(numbers, lengths, &firsts);
    if (status == BMF_OK)
        status = bmf_project(keys, firsts, &key);
    if (status == BMF_OK)
        status = bmf_project(xs, numbers, &members);
    if (status == BMF_OK)
        status = bmf_nest(members, lengths, groups);
    if (status == BMF_OK)
        *found = key;
    else
        bmf_list_free(key);
    bmf_list_free(firsts);
    bmf_list_free(members);
    return status;
}

int group_by_keys(const bmf_list *xs, const bmf_list *keys, bmf_list **found, bmf_list **groups)
{
    ordered o = {0};
    bmf_list *lengths = NULL, *numbers = NULL;
    plan_title(xs->context, "group", keys);
    int status = order_keys_of_groups(keys, &o);
    if (status == BMF_OK)
        status = split_evenly(o.lengths, &lengths);
    if (status == BMF_OK)
        status = move_numbers(o.numbers, lengths, &numbers);
    bmf_list_free(o.numbers);
    bmf_list_free(o.lengths);
    if (status == BMF_OK)
        status = fetch(xs, keys, numbers, lengths, found, groups);
    bmf_list_free(lengths);
    bmf_list_free(numbers);
    return status;
}

int bmf_group_by(const bmf_list *xs, const bmf_kernel *kernel, bmf_list **keys, bmf_list **groups)
{
    bmf_context *ctx = xs->context;
    bmf_list *made = NULL;
    skeleton_begin(ctx, &skeleton_group, "group %s", kernel->name);
    int status = bmf_map(xs, kernel, &made);
    if (status == BMF_OK)
        status = sorting_check("group", made);
    if (status == BMF_OK)
        status = group_by_keys(xs, made, keys, groups);
    bmf_list_free(made);
    return skeleton_end(ctx, xs->partition, status);
}
