/* The ground under the operations on distributed lists.
 *
 * Method: the lists of all instances use one schedule, generated list by list into the same rounds. Elements travel in
 * parcels (skeletons/engine/parcels.h), one each. */
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/language/operations/operation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/skeleton_types.h"

/* ---- schedules over spreads ---- */

bmf_item *distribution_items(const bmf_distribution *spread)
{
    const bmf_layout *layout = spread->elements;
    bmf_item *item = allocate((layout->local_count + 1) * (int64_t)sizeof *item);
    for (int64_t n = 0, c = 0; n < layout->local_count; n++) {
        while (layout->local[n] >= spread->offsets[c + 1])
            c++;
        item[n] = (bmf_item){c, layout->local[n] - spread->offsets[c], spread->offsets[c + 1] - spread->offsets[c]};
    }
    return item;
}

/* The items of one instance's list: processors are an arithmetic series, because only splits make spreads. */
static bmf_group group_of(const bmf_distribution *spread, int64_t c)
{
    const int64_t *processor = spread->elements->processor + spread->offsets[c];
    bmf_group group = {.base = processor[0], .count = spread->offsets[c + 1] - spread->offsets[c]};
    if (group.count > 1)
        while (processor[0] + ((int64_t)1 << group.log2_stride) < processor[1])
            group.log2_stride++;
    return group;
}

static bmf_schedule *generate_all(const bmf_distribution *spread, const bmf_algorithm *algorithm, int64_t low,
                                  int64_t high)
{
    bmf_schedule *schedule = schedule_create(algorithm->name, low, high);
    int64_t *before = allocate(64 * (int64_t)sizeof *before);
    for (int64_t c = 0; c < spread->instances; c++) {
        if (spread->offsets[c + 1] == spread->offsets[c])
            continue;
        bmf_group group = group_of(spread, c);
        for (int r = 0; r < 64; r++)
            before[r] = r < schedule->rounds ? schedule->round[r].count : 0;
        algorithm->generate(schedule, 0, &(bmf_schedule_request){.group = &group});
        for (int r = 0; r < schedule->rounds; r++)
            for (int64_t m = before[r]; m < schedule->round[r].count; m++)
                schedule->round[r].message[m].first += spread->offsets[c];
    }
    free(before);
    return schedule;
}

bmf_schedule *distribution_schedule(bmf_context *ctx, const bmf_distribution *spread, const bmf_algorithm *algorithm)
{
    return generate_all(spread, algorithm, ctx->first_processor, ctx->first_processor + ctx->local_processors);
}

void distribution_plan(bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_distribution *spread,
                       const bmf_algorithm *algorithm)
{
    bmf_context *ctx = evaluator->ctx;
    char type[200];
    if (!ctx->plan || ctx->rank != 0)
        return;
    bmf_schedule *whole = generate_all(spread, algorithm, 0, ctx->processors);
    fprintf(ctx->plan, "%s of %s, %" PRId64 " element%s of %" PRId64 " list%s\n", expression_keyword(expression),
            bmf_type_print(expression->in, type, sizeof type), spread->elements->count,
            spread->elements->count == 1 ? "" : "s", spread->instances, spread->instances == 1 ? "" : "s");
    schedule_print(whole, 4, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

/* ---- parcels ---- */

int value_from_parcels(const bmf_parcels *parcels, const bmf_type *type, const int64_t *element, int64_t count,
                       bmf_value *out)
{
    bmf_column column;
    if (parcels->ctx->sends_marks) { /* some may be missing */
        value_default(parcels->ctx, type, count, out);
        return BMF_OK;
    }
    bmf_column_builder *builder = column_builder_create(type);
    bool whole = builder;
    for (int64_t k = 0; whole && k < count; k++)
        whole = column_builder_append(builder, parcel_data(parcels, element[k]), 1);
    if (builder && column_builder_finish(builder, &column) == BMF_OK) {
        if (whole) {
            value_from_column(&column, out);
            return BMF_OK;
        }
        column_free(&column);
    }
    return bmf_fail(parcels->ctx, BMF_ERROR_MEMORY, "out of memory for received elements on rank %d",
                    parcels->ctx->rank);
}

/* ---- small parts ---- */

/* The skeleton that an expression is a call of where it communicates. */
static const bmf_skeleton_type *skeleton_of(const bmf_expression *expression)
{
    bool is_operation = expression->kind == BMF_EXPRESSION_OP;
    return is_operation ? operation_descriptor(expression->operation)->skeleton : form_of(expression)->skeleton;
}

void operation_begin(bmf_evaluator *evaluator, const bmf_expression *expression)
{
    if (evaluator->quiet > 0)
        return;
    evaluator_place(evaluator, expression->span);
    skeleton_begin(evaluator->ctx, skeleton_of(expression), "%s", expression_keyword(expression));
}

int operation_end(bmf_evaluator *evaluator, int status)
{
    return evaluator->quiet == 0 ? skeleton_end(evaluator->ctx, NULL, status) : status;
}

void value_distribute(int64_t count, bmf_distribution *spread, bmf_value *child, bmf_value *out)
{
    *out = (bmf_value){.type = bmf_type_distributed(child->type), .count = count, .spread = spread};
    out->child = allocate_clear(1, (int64_t)sizeof *out->child);
    value_move(child, out->child);
}

int distribute_nothing(bmf_evaluator *evaluator, const bmf_expression *expression, bmf_value *x, bmf_value *out)
{
    bmf_value none;
    const int64_t count = x->count;
    bmf_distribution *spread = distribution_retain(x->spread);
    value_free(x);
    const int status = value_empty(evaluator->ctx, expression->out->component[0], 0, &none);
    if (status == BMF_OK)
        value_distribute(count, spread, &none, out);
    else
        distribution_release(spread);
    return status;
}

int value_from_parts(bmf_list *list, bmf_value *parts)
{
    const bmf_partition *partition = list->partition;
    int64_t local = partition->local_parts, first = bmf_partition_local_begin(partition);
    bmf_buffer *offsets = buffer_create((local + 1) * (int64_t)sizeof(int64_t));
    bmf_column column = list->column;
    bmf_value child;
    list->column = (bmf_column){0};
    if (!offsets) {
        column_free(&column);
        return bmf_fail(list->context, BMF_ERROR_MEMORY, "out of memory for %" PRId64 " lists", local);
    }
    for (int64_t k = 0; k <= local; k++)
        ((int64_t *)offsets->data)[k] = partition->start[partition->local_first + k] - first;
    value_from_column(&column, &child);
    value_create_list(local, offsets, &child, parts);
    return BMF_OK;
}

void value_pair(bmf_value *a, bmf_value *b, bmf_value *out)
{
    bmf_value component[2] = {{0}, {0}};
    value_move(a, &component[0]);
    value_move(b, &component[1]);
    value_create_tuple(2, component, out);
}
