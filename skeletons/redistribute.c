/* rebalance and redistribute: the same elements on other parts.
 *
 * Method: one round with a message for every overlap of a source part with a target part on another processor; no
 * element moves twice, none that is in place already moves. Equal partitions share the column. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_redistribute = {
    .id = 15, .name = "redistribute", .communication = BMF_COMMUNICATION_PERMUTE};
const bmf_skeleton_type skeleton_rebalance = {
    .id = 16, .name = "rebalance", .communication = BMF_COMMUNICATION_PERMUTE};

typedef struct recut {
    int sources;
    const bmf_move_source *source;
    const bmf_partition *target;
    int64_t element_bytes;
} recut;

static int64_t *processors_of(const bmf_partition *partition)
{
    int64_t *processor = allocate(partition->parts * (int64_t)sizeof *processor);
    for (int64_t k = 0; k < partition->parts; k++)
        processor[k] = bmf_partition_processor(partition, k);
    return processor;
}

static void generate_source(bmf_schedule *schedule, const recut *all, const bmf_move_source *source,
                            const int64_t *target_processor)
{
    const bmf_partition *from = source->list->partition;
    int64_t *processor = processors_of(from), *start = allocate((from->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k <= from->parts; k++)
        start[k] = source->first + from->start[k];
    schedule_redistribute(schedule, 0, from->parts, processor, start, all->target->parts, target_processor,
                          all->target->start, all->element_bytes);
    free(processor);
    free(start);
}

static void generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state)
{
    const recut *all = state;
    int64_t *processor = processors_of(all->target);
    (void)algorithm;
    for (int k = 0; k < all->sources; k++)
        generate_source(schedule, all, &all->source[k], processor);
    free(processor);
}

int repartition(const char *skeleton, int sources, const bmf_move_source *source, bmf_partition *target, bmf_list **out)
{
    const bmf_list *xs = source[0].list;
    recut all = {sources, source, target, type_element_bytes(xs->type)};
    bmf_call call = {.ctx = xs->context, .skeleton = skeleton, .list = xs, .generate = generate, .state = &all};
    bmf_schedule *schedule = plan_make(&call, NULL);
    int status = move_elements(xs->context, sources, source, target, schedule, out);
    schedule_free(schedule);
    return status;
}

static int redistribute(const bmf_skeleton_type *skeleton, const bmf_list *xs, bmf_partition *target, bmf_list **out)
{
    skeleton_begin(xs->context, skeleton, "%s", skeleton->name);
    int status = BMF_OK;
    if (bmf_partition_equal(xs->partition, target))
        relabel_partition(xs, target, out);
    else
        status = repartition(skeleton->name, 1, &(bmf_move_source){xs, 0}, target, out);
    return skeleton_end(xs->context, target, status);
}

int bmf_rebalance(const bmf_list *xs, bmf_list **out)
{
    bmf_partition *target;
    BMF_TRY(bmf_partition_even(xs->context, bmf_length(xs), &target));
    int status = redistribute(&skeleton_rebalance, xs, target, out);
    bmf_partition_release(target);
    return status;
}

int bmf_redistribute(const bmf_list *xs, const bmf_list *like, bmf_list **out)
{
    char from[256], to[256];
    if (bmf_length(xs) != bmf_length(like))
        return bmf_fail(xs->context, BMF_ERROR_SHAPE, "redistribute: %s cannot stand on the parts of %s",
                        bmf_list_print(xs, from, sizeof from), bmf_list_print(like, to, sizeof to));
    return redistribute(&skeleton_redistribute, xs, like->partition, out);
}
