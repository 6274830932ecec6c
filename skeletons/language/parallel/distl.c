/* P_Distl: a value of every instance brought to all elements of its distributed list. Document 000, 5.4.
 *
 * Method: the packed value goes down the split tree from the instance's processor; a rank that has the value for one
 * element shares it among all its elements of that instance, and lists are not copied for each.
 * Cost: count - 1 messages of the value's bytes a list, ceil(log2 count) rounds. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"

/* Packs the instances' values as parcels of their first elements. */
static int pack_values(bmf_evaluator *evaluator, const bmf_layout *instances, const bmf_distribution *spread,
                       bmf_value *x, bmf_parcels *parcels)
{
    bmf_column column;
    BMF_TRY(value_to_column(evaluator->ctx, x, &column));
    for (int64_t n = 0; n < x->count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        if (offset[1] > offset[0])
            parcels_pack(parcels, offset[0], &column, n, n + 1);
    }
    column_free(&column);
    return BMF_OK;
}

/* A message brings one value, which stands for all items it covers: the first one's parcel. Receivers pass it on. */
static int run_tree(bmf_parcels *parcels, const bmf_schedule *schedule, const bmf_distribution *spread)
{
    const int64_t *processor = spread->elements->processor;
    for (int r = 0; r < schedule->rounds; r++) {
        bmf_round *round = &schedule->round[r];
        for (int64_t m = 0; m < round->count; m++) {
            bmf_message *message = &round->message[m];
            message->count = 1;
            message->bytes = parcels->element_bytes;
            /* the sender's own item is the one it lies on: its parcel is lent to the receiver's item */
            if (is_local(parcels->ctx, message->from)) {
                int64_t own = message->first;
                while (processor[own] != message->from)
                    own--;
                parcels_copy(parcels, own, message->first);
            }
        }
        BMF_TRY(parcels_exchange(parcels, round, (uint32_t)r));
    }
    return BMF_OK;
}

/* One value per instance that has elements here, repeated for each of them. */
static int unpack_values(bmf_evaluator *evaluator, const bmf_distribution *spread, const bmf_type *type,
                         const bmf_parcels *parcels, bmf_value *out)
{
    bmf_item *item = distribution_items(spread);
    int64_t count = spread->elements->local_count, instances = 0, bytes = (count + 2) * (int64_t)sizeof(int64_t);
    int64_t *first = allocate(bytes), *offsets = allocate(bytes);
    bmf_value values;
    for (int64_t n = 0; n < count; n++)
        if (n == 0 || item[n].instance != item[n - 1].instance) {
            offsets[instances] = n;
            first[instances++] = spread->elements->local[n];
        }
    offsets[instances] = count;
    int status = value_from_parcels(parcels, type, first, instances, &values);
    if (status == BMF_OK) {
        status = value_repeat(evaluator->ctx, &values, offsets, out);
        value_free(&values);
    }
    free(first), free(offsets), free(item);
    return status;
}

int distribution_broadcast(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame,
                           const bmf_distribution *spread, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_layout *instances;
    bmf_parcels parcels;
    const bmf_type *type = x->type;
    BMF_TRY(frame_layout(evaluator, frame, &instances));
    parcels_open(&parcels, ctx, type, spread->elements->count);
    int status = ctx->sends_marks ? BMF_OK : pack_values(evaluator, instances, spread, x, &parcels);
    if (status == BMF_OK) {
        bmf_schedule *schedule = distribution_schedule(ctx, spread, &algorithm_split_tree);
        distribution_plan(evaluator, expression, spread, &algorithm_split_tree);
        status = run_tree(&parcels, schedule, spread);
        schedule_free(schedule);
    }
    if (status == BMF_OK)
        status = unpack_values(evaluator, spread, type, &parcels, out);
    parcels_close(&parcels);
    return status;
}

int evaluate_parallel_distl(bmf_evaluator *evaluator, bmf_expression *distl, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    bmf_value repeated = {0}, pairs = {0}, elements = {0}, value = {0};
    int64_t count = x->count;
    bmf_distribution *spread = distribution_retain(x->child[1].spread);
    bmf_buffer *starts = buffer_retain(x->child[1].buffer);
    value_move(&x->child[0], &value);
    value_move(&x->child[1].child[0], &elements);
    value_free(x);
    operation_begin(evaluator, distl);
    int status = distribution_broadcast(evaluator, distl, frame, spread, &value, &repeated);
    value_free(&value);
    if (status == BMF_OK)
        value_pair(&repeated, &elements, &pairs);
    value_free(&repeated);
    value_free(&elements);
    if (status == BMF_OK) {
        value_distribute(count, spread, &pairs, out);
        out->buffer = starts;
    } else {
        distribution_release(spread);
        buffer_release(starts);
    }
    return operation_end(evaluator, status);
}
