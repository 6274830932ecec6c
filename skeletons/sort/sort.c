/* sort, sort_by, argsort.
 *
 * Method: elements become keys of 64 bits, for argsort with their numbers; every part is sorted (radix.c); between
 * processors records move to the part they belong to, about (across.c), and from there what is too much to neighbours,
 * so that parts are even. sort_by fetches the elements by the numbers that argsort of their keys gives.
 * Cost: see bmf/skeletons.h. */
#include <stdlib.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "runtime/base/memory.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/sort/across.h"
#include "skeletons/sort/elements.h"

typedef struct sort_call {
    const bmf_list *xs;
    bmf_records records;
    bmf_buffer *room[2];
    bmf_list *made;
    bmf_numbering numbering;
} sort_call;

/* The sorted list on `partition`, with the parts that the records have. */
static int make_list(sort_call *call, bmf_partition *partition)
{
    const bmf_type *type = call->numbering == BMF_NUMBERS_NONE ? call->xs->type : &bmf_type_int;
    BMF_TRY(bmf_list_create(call->xs->context, type, partition, &call->made));
    return records_read(&call->records, type, call->numbering, call->made->column.data);
}

static int even_out(const bmf_list *ragged, const bmf_list *xs, bmf_list **out)
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
    if (bmf_partition_equal(ragged->partition, target))
        relabel_partition(ragged, target, out);
    else
        status = repartition("sort", 1, &(bmf_move_source){ragged, 0}, target, out);
    bmf_partition_release(target);
    return status;
}

static int sort_records(sort_call *call, bmf_list **out)
{
    const bmf_list *xs = call->xs;
    bmf_partition *target = NULL;
    int status = records_make(&call->records, &xs->column, call->numbering, bmf_partition_local_begin(xs->partition));
    if (status == BMF_OK)
        status = records_sort(&call->records);
    if (status == BMF_OK && xs->partition->parts > 1)
        status = records_across(&call->records, xs->partition, call->room, &target);
    if (status == BMF_OK)
        status = make_list(call, target ? target : xs->partition);
    if (status == BMF_OK)
        status = even_out(call->made, xs, out);
    bmf_partition_release(target);
    bmf_list_free(call->made);
    return status;
}

static int sort_list(const bmf_list *xs, bool numbers, bmf_list **out)
{
    const int64_t parts = xs->partition->local_parts;
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    int64_t *processor = allocate(parts * (int64_t)sizeof *processor);
    uint8_t *where = allocate_clear(parts, 1);
    sort_call call = {.xs = xs, .numbering = numbers ? BMF_NUMBERS_ALL : BMF_NUMBERS_NONE};
    call.records = (bmf_records){
        .ctx = xs->context, .start = start, .processor = processor, .where = where, .words = numbers ? 2 : 1};
    records_on(&call.records, xs->partition);
    for (int k = 0; k < 2; k++) {
        call.room[k] = working_buffer(xs->column.count * 8 * call.records.words);
        call.records.room[k] = call.room[k]->data;
    }
    plan_title(xs->context, numbers ? "argsort" : "sort", xs);
    const int status = sort_records(&call, out);
    for (int k = 0; k < 2; k++)
        buffer_release(call.room[k]);
    free(start);
    free(processor);
    free(where);
    return status;
}

static int check_order(const char *skeleton, const bmf_list *xs)
{
    char text[128];
    if (order_has(xs->type))
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_TYPE, "%s: elements or keys are int, real, bool, int32 or float, not %s",
                    skeleton, bmf_type_print(xs->type, text, sizeof text));
}

const bmf_skeleton_type skeleton_sort = {
    .id = 38, .name = "sort", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Sort"};
const bmf_skeleton_type skeleton_argsort = {
    .id = 39, .name = "argsort", .communication = BMF_COMMUNICATION_PERMUTE, .keyword = "P_Argsort"};
const bmf_skeleton_type skeleton_sort_by = {.id = 40, .name = "sort_by", .communication = BMF_COMMUNICATION_PERMUTE};

int bmf_sort(const bmf_list *xs, bmf_list **out)
{
    BMF_TRY(check_order("sort", xs));
    skeleton_begin(xs->context, &skeleton_sort, "sort");
    return skeleton_end(xs->context, xs->partition, sort_list(xs, false, out));
}

int bmf_argsort(const bmf_list *xs, bmf_list **out)
{
    BMF_TRY(check_order("argsort", xs));
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
        status = check_order("sort_by", keys);
    if (status == BMF_OK)
        status = bmf_argsort(keys, &order);
    if (status == BMF_OK)
        status = bmf_project(xs, order, out);
    bmf_list_free(keys);
    bmf_list_free(order);
    return skeleton_end(ctx, xs->partition, status);
}
