/* Distributed lists as placed lists on their instances' processors: how results are printed.
 *
 * Method: every element straight to its instance's processor, in one sparse round, from the innermost lists out.
 * Cost: one message for every element that is not there already. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"

static bool has_distributed(const bmf_type *type)
{
    bool found = type->kind == BMF_DISTRIBUTED;
    for (int k = 0; k < type->components && !found; k++)
        found = has_distributed(type->component[k]);
    return found;
}

/* Packs this rank's elements and says where they go; the instance of element local[n] is item[n].instance. */
static int send_elements(bmf_evaluator *evaluator, const bmf_layout *instances, const bmf_distribution *spread,
                         bmf_value *values, bmf_parcels *parcels, bmf_schedule *schedule)
{
    const bmf_layout *elements = spread->elements;
    bmf_column column;
    BMF_TRY(value_to_column(evaluator->ctx, values, &column));
    bmf_item *item = distribution_items(spread);
    schedule_extend(schedule, 1);
    for (int64_t n = 0; n < elements->local_count; n++) {
        int64_t e = elements->local[n], from = elements->processor[e], to = instances->processor[item[n].instance];
        parcels_pack(parcels, e, &column, n, n + 1);
        if (from != to)
            schedule_add(
                schedule, 0,
                (bmf_message){.from = from, .to = to, .bytes = parcels->parcel[e].bytes, .first = e, .count = 1});
    }
    free(item);
    column_free(&column);
    return BMF_OK;
}

/* The lists of this rank's instances from the parcels of their elements. */
static int build_lists(bmf_evaluator *evaluator, const bmf_layout *instances, const bmf_distribution *spread,
                       const bmf_type *type, const bmf_parcels *parcels, bmf_value *out)
{
    int64_t total = 0, count = instances->local_count;
    bmf_buffer *offsets = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    bmf_value child;
    if (!offsets)
        return bmf_fail(evaluator->ctx, BMF_ERROR_MEMORY, "out of memory for a result");
    for (int64_t n = 0; n <= count; n++) {
        ((int64_t *)offsets->data)[n] = total;
        if (n < count)
            total += spread->offsets[instances->local[n] + 1] - spread->offsets[instances->local[n]];
    }
    int64_t *element = allocate((total + 1) * (int64_t)sizeof *element);
    for (int64_t n = 0, k = 0; n < count; n++)
        for (int64_t e = spread->offsets[instances->local[n]]; e < spread->offsets[instances->local[n] + 1]; e++)
            element[k++] = e;
    int status = value_from_parcels(parcels, type, element, total, &child);
    free(element);
    if (status == BMF_OK) {
        value_create_list(count, offsets, &child, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}

static int collect_list(bmf_evaluator *evaluator, bmf_frame *frame, bmf_distribution *spread, bmf_value *values,
                        bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = values->type;
    bmf_layout *instances;
    bmf_parcels parcels;
    BMF_TRY(frame_layout(evaluator, frame, &instances));
    bmf_schedule *schedule =
        schedule_create("direct", ctx->first_processor, ctx->first_processor + ctx->local_processors);
    parcels_open(&parcels, ctx, type, spread->elements->count);
    int status = BMF_OK;
    if (ctx->sends_marks)
        schedule_extend(schedule, 1);
    else
        status = send_elements(evaluator, instances, spread, values, &parcels, schedule);
    if (status == BMF_OK)
        status = parcels_deliver(&parcels, &schedule->round[0], 0);
    if (status == BMF_OK)
        status = build_lists(evaluator, instances, spread, type, &parcels, out);
    parcels_close(&parcels);
    schedule_free(schedule);
    return status;
}

static int collect_spread(bmf_evaluator *evaluator, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value values, inner_values;
    bmf_frame inner;
    bmf_distribution *spread = distribution_retain(x->spread);
    value_move(&x->child[0], &values);
    value_free(x);
    frame_open_spread(frame, NULL, spread, &inner);
    int status = collect_distributed(evaluator, &inner, &values, &inner_values);
    frame_close(&inner);
    if (status == BMF_OK) {
        status = collect_list(evaluator, frame, spread, &inner_values, out);
        value_free(&inner_values);
    }
    distribution_release(spread);
    return status;
}

static int collect_tuple(bmf_evaluator *evaluator, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES] = {0};
    int components = x->type->components, status = BMF_OK;
    for (int k = 0; status == BMF_OK && k < components; k++)
        status = collect_distributed(evaluator, frame, &x->child[k], &component[k]);
    if (status == BMF_OK)
        value_create_tuple(components, component, out);
    for (int k = 0; status != BMF_OK && k < components; k++)
        value_free(&component[k]);
    value_free(x);
    return status;
}

/* Lists whose elements have distributed lists in them. */
static int collect_elements(bmf_evaluator *evaluator, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    int64_t count = x->count;
    bmf_buffer *offsets = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    bmf_value child, collected;
    bmf_frame inner;
    if (!offsets)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory for a result");
    int64_t *offset = offsets->data;
    offset[0] = 0;
    for (int64_t n = 0; n < count; n++)
        offset[n + 1] = offset[n] + value_length(x, n);
    value_move(&x->child[0], &child);
    value_free(x);
    frame_open_elements(frame, NULL, offset, &inner);
    int status = collect_distributed(evaluator, &inner, &child, &collected);
    frame_close(&inner);
    value_free(&child);
    if (status == BMF_OK) {
        value_create_list(count, offsets, &collected, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}

int collect_distributed(bmf_evaluator *evaluator, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    if (!has_distributed(x->type)) {
        value_move(x, out);
        return BMF_OK;
    }
    if (x->type->kind == BMF_DISTRIBUTED)
        return collect_spread(evaluator, frame, x, out);
    if (x->type->kind == BMF_TUPLE)
        return collect_tuple(evaluator, frame, x, out);
    return collect_elements(evaluator, frame, x, out);
}
