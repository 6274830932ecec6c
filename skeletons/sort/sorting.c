/* A list that is being sorted; see sorting.h.
 *
 * Method: elements become keys of 64 bits, alone or with their numbers; every part is sorted (radix.c); between
 * processors records move to the part they belong to, about (across.c), and from there what is too much to neighbours,
 * so that parts are even.
 * Cost: see bmf/skeletons.h. */
#include "skeletons/sort/sorting.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/context/sizes.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/sort/across.h"
#include "skeletons/sort/radix.h"
#include "skeletons/sort/stages.h"

int sorting_check(const char *skeleton, const bmf_list *xs)
{
    char text[128];
    if (order_has(xs->type))
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_TYPE, "%s: elements or keys are int, real, bool, int32 or float, not %s",
                    skeleton, bmf_type_print(xs->type, text, sizeof text));
}

void sorting_open(bmf_sorting *sorting, const bmf_list *xs, bmf_numbering numbering)
{
    const int64_t parts = xs->partition->local_parts;
    *sorting = (bmf_sorting){.xs = xs, .numbering = numbering, .partition = bmf_partition_retain(xs->partition)};
    sorting->records = (bmf_records){.ctx = xs->context,
                                     .start = allocate((parts + 1) * (int64_t)sizeof(int64_t)),
                                     .processor = allocate(parts * (int64_t)sizeof(int64_t)),
                                     .where = allocate_clear(parts, 1),
                                     .words = numbering == BMF_NUMBERS_NONE ? 1 : 2};
    records_on(&sorting->records, xs->partition);
    for (int k = 0; k < 2; k++) {
        sorting->room[k] = working_buffer(xs->column.count * 8 * sorting->records.words);
        sorting->records.room[k] = sorting->room[k]->data;
    }
}

void sorting_close(bmf_sorting *sorting)
{
    for (int k = 0; k < 2; k++)
        buffer_release(sorting->room[k]);
    bmf_partition_release(sorting->partition);
    free(sorting->records.start);
    free(sorting->records.processor);
    free(sorting->records.where);
}

static int make_records(bmf_sorting *sorting)
{
    return records_make(&sorting->records, &sorting->xs->column, sorting->numbering,
                        bmf_partition_local_begin(sorting->partition));
}

int sorting_parts(bmf_sorting *sorting)
{
    BMF_TRY(make_records(sorting));
    return records_sort(&sorting->records);
}

static void stand_on(bmf_sorting *sorting, bmf_partition *target)
{
    bmf_partition_release(sorting->partition);
    sorting->partition = target;
}

int sorting_across(bmf_sorting *sorting, bool together)
{
    bmf_partition *target;
    if (sorting->partition->parts <= 1)
        return BMF_OK;
    BMF_TRY(records_across(&sorting->records, sorting->partition, sorting->xs->type, together, sorting->room, &target));
    stand_on(sorting, target);
    return BMF_OK;
}

static bool goes_in_stages(const bmf_sorting *sorting, int64_t length)
{
    const char *forced = method_forced(sorting->xs->context, "sort");
    if (!forced)
        return stages_suit(sorting->partition, length);
    return strcmp(forced, "stages") == 0 && stages_can(sorting->partition);
}

/* What is done is to be the same for the larger argument that a prediction is for. */
static int refuse_other_stages(const bmf_sorting *sorting)
{
    if (!sorting->xs->context->sizes)
        return BMF_OK;
    const int64_t length = bmf_length(sorting->xs);
    const bmf_size_range grown = size_grown(sorting->xs->context, length);
    const bool stages = goes_in_stages(sorting, length);
    if (goes_in_stages(sorting, grown.low) == stages && goes_in_stages(sorting, grown.high) == stages)
        return BMF_OK;
    return sizes_refuse(sorting->xs->context, "sort", "longer lists are sorted in stages");
}

int sorting_all(bmf_sorting *sorting)
{
    bmf_partition *target;
    BMF_TRY(refuse_other_stages(sorting));
    if (!goes_in_stages(sorting, bmf_length(sorting->xs))) {
        BMF_TRY(sorting_parts(sorting));
        return sorting_across(sorting, false);
    }
    BMF_TRY(make_records(sorting));
    BMF_TRY(records_in_stages(&sorting->records, sorting->partition, sorting->xs->type, sorting->room, &target));
    stand_on(sorting, target);
    return BMF_OK;
}

int sorting_read(const bmf_sorting *sorting, bmf_list **out)
{
    const bmf_list *xs = sorting->xs;
    const bmf_type *type = sorting->numbering == BMF_NUMBERS_NONE ? xs->type : &bmf_type_int;
    bmf_records records = sorting->records;
    bmf_list *made;
    BMF_TRY(bmf_list_create(xs->context, type, sorting->partition, &made));
    const int status = records_read(&records, type, sorting->numbering, made->column.data);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}

int split_evenly(const bmf_list *xs, bmf_list **out)
{
    const int64_t parts = xs->partition->parts, length = bmf_length(xs);
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    bmf_partition *target;
    for (int64_t k = 0; k <= parts; k++)
        start[k] = length / parts * k + (k < length % parts ? k : length % parts);
    int status = bmf_partition_resized(xs->context, xs->partition, start, &target);
    free(start);
    if (status != BMF_OK)
        return status;
    if (bmf_partition_equal(xs->partition, target))
        relabel_partition(xs, target, out);
    else
        status = repartition("sort", 1, &(bmf_move_source){xs, 0}, target, out);
    bmf_partition_release(target);
    return status;
}
