/* P_Split: every instance's list spread over processors. Document 000, 5.3.
 *
 * Method: part k of an instance on processor q goes to processor q + k 2^s, by the split tree or directly. The
 * program's own list goes through the skeleton in C, which sends from and to the columns; lists of several instances
 * (nested splits) travel packed, all in the same rounds.
 * Cost: parts - 1 messages a list; parts that stay on a rank are copied once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/engine/plan.h"
#include "bmf/skeletons.h"

int split_spread(bmf_evaluator *evaluator, const bmf_expression *split, int64_t parts, int log2_stride,
                 const bmf_layout *instances, bmf_distribution **made)
{
    const int64_t stride = log2_stride, processors = evaluator->ctx->processors;
    int64_t *processor = allocate((instances->count * parts + 1) * (int64_t)sizeof *processor);
    int64_t *offsets = allocate((instances->count + 1) * (int64_t)sizeof *offsets);
    int64_t last = stride < 62 && parts - 1 <= INT64_MAX >> stride ? (parts - 1) << stride : INT64_MAX;
    int status = BMF_OK;
    for (int64_t c = 0; status == BMF_OK && c < instances->count; c++) {
        offsets[c] = c * parts;
        if (last >= processors - instances->processor[c])
            status = text_fail(evaluator->texts, evaluator->ctx, split->span, BMF_ERROR_SHAPE,
                               "%s over %" PRId64 " processors with stride 2^%" PRId64 " from processor %" PRId64
                               " goes beyond the machine's %" PRId64 " processors",
                               expression_keyword(split), parts, stride, instances->processor[c], processors);
        for (int64_t k = 0; status == BMF_OK && k < parts; k++)
            processor[c * parts + k] = instances->processor[c] + (k << stride);
    }
    offsets[instances->count] = instances->count * parts;
    if (status == BMF_OK)
        *made = distribution_create(instances->count, offsets,
                                    layout_create(evaluator->ctx, instances->count * parts, processor));
    free(offsets);
    free(processor);
    return status;
}

/* ---- one list: the skeleton in C ---- */

/* The list of the only instance, which lies on processor `on`, as a list in C; x is taken over. */
static int list_of_value(bmf_evaluator *evaluator, int64_t on, bmf_value *x, bmf_list **list)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_column column = {0};
    const bmf_type *element = x->type->component[0];
    int64_t length = 0;
    int status = is_local(ctx, on) ? value_pack(ctx, x) : BMF_OK;
    if (status == BMF_OK && is_local(ctx, on)) {
        length = value_length(x, 0);
        status = value_to_column(ctx, &x->child[0], &column);
    } else if (status == BMF_OK) {
        bmf_value none;
        status = value_empty(ctx, element, 0, &none);
        if (status == BMF_OK)
            status = value_to_column(ctx, &none, &column);
        value_free(&none);
    }
    value_free(x);
    require_memory(status, length);
    bmf_partition *partition;
    status = ctx->backend->bcast(ctx, on, &length, (int64_t)sizeof length);
    if (status == BMF_OK)
        status = bmf_partition_placed(ctx, on, length, &partition);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    list_adopt(ctx, partition, &column, list);
    bmf_partition_release(partition);
    return status;
}

/* The list comes from a rank that has not failed: others pass on what they get, even if they have. */
static int pass_on_split(const bmf_list *whole, const bmf_expression *split, bmf_list **spread)
{
    bmf_context *ctx = bmf_list_context(whole);
    const bool sends_marks = ctx->sends_marks;
    ctx->sends_marks = false;
    const int status = bmf_split(whole, split->number[0], (int)split->number[1], spread);
    ctx->sends_marks = sends_marks;
    return status;
}

static int split_one(bmf_evaluator *evaluator, const bmf_expression *split, int64_t on, bmf_value *x, bmf_value *parts,
                     bmf_partition **partition)
{
    bmf_list *whole = NULL, *spread = NULL;
    int status = list_of_value(evaluator, on, x, &whole);
    if (status == BMF_OK)
        status = pass_on_split(whole, split, &spread);
    bmf_list_free(whole);
    if (status == BMF_OK)
        status = value_from_parts(spread, parts);
    if (status == BMF_OK)
        *partition = bmf_partition_retain(spread->partition);
    bmf_list_free(spread);
    return status;
}

/* ---- many lists, packed ---- */

/* Packs the parts of this rank's lists. A part is a list: packed as one element of a column of lists. */
static int pack_parts(bmf_evaluator *evaluator, const bmf_layout *instances, int64_t parts, bmf_value *x,
                      bmf_parcels *parcels)
{
    bmf_column whole, part = {0};
    int64_t offsets[2] = {0, 0};
    BMF_TRY(value_to_column(evaluator->ctx, x, &whole));
    for (int64_t n = 0; n < x->count; n++) {
        int64_t first = whole.offsets[n], length = whole.offsets[n + 1] - first;
        for (int64_t k = 0; k < parts; k++) {
            int64_t begin = bmf_split_start(length, parts, k), end = bmf_split_start(length, parts, k + 1);
            BMF_TRY(column_view(&whole.child[0], first + begin, end - begin, &part));
            offsets[1] = end - begin;
            bmf_column list = {.type = whole.type, .count = 1, .offsets = offsets, .child = &part};
            parcels_pack(parcels, instances->local[n] * parts + k, &list, 0, 1);
            column_free(&part);
        }
    }
    column_free(&whole);
    return BMF_OK;
}

static int split_many(bmf_evaluator *evaluator, const bmf_expression *split, const bmf_layout *instances,
                      const bmf_distribution *spread, bmf_value *x, bmf_value *parts)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = x->type;
    bmf_parcels parcels;
    const bmf_algorithm *chosen = choose_algorithm(ctx, &(bmf_choice){.skeleton = "split", .count = split->number[0]});
    parcels_open(&parcels, ctx, type, spread->elements->count);
    int status = ctx->sends_marks ? BMF_OK : pack_parts(evaluator, instances, split->number[0], x, &parcels);
    value_free(x);
    if (status == BMF_OK) {
        bmf_schedule *schedule = distribution_schedule(ctx, spread, chosen);
        distribution_plan(evaluator, split, spread, chosen);
        for (int r = 0; status == BMF_OK && r < schedule->rounds; r++)
            status = parcels_exchange(&parcels, &schedule->round[r], (uint32_t)r);
        schedule_free(schedule);
    }
    if (status == BMF_OK)
        status = value_from_parcels(&parcels, type, spread->elements->local, spread->elements->local_count, parts);
    parcels_close(&parcels);
    return status;
}

int evaluate_parallel_split(bmf_evaluator *evaluator, bmf_expression *split, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    bmf_layout *instances;
    bmf_distribution *spread = NULL;
    bmf_partition *partition = NULL; /* of a single list */
    bmf_value parts;
    int64_t count = x->count;
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK)
        status = split_spread(evaluator, split, split->number[0], (int)split->number[1], instances, &spread);
    if (status != BMF_OK) {
        value_free(x);
        return status;
    }
    operation_begin(evaluator, split);
    status = instances->count == 1 ? split_one(evaluator, split, instances->processor[0], x, &parts, &partition)
                                   : split_many(evaluator, split, instances, spread, x, &parts);
    if (status == BMF_OK)
        value_distribute(count, spread, &parts, out);
    else
        distribution_release(spread);
    if (partition) {
        lengths_keep(partition, out);
        bmf_partition_release(partition);
    }
    return operation_end(evaluator, status);
}
