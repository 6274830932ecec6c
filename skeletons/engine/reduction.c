/* Bringing partial results together: the rounds of a reduction, all at once or one by one.
 *
 * Method: rounds that combine, then, if only the first processor has the total, those that bring it to all. A reduction
 * that goes on beside other things does one round at a time, which is under way until it is ended.
 * Cost: that of the schedule. */
#include "skeletons/engine/reduction.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

static void generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state)
{
    const bmf_reduction_rounds *r = state;
    partials_generate(r->partials, algorithm, partials_bytes, schedule);
    if (!algorithm->to_first || r->placed)
        return;
    schedule->broadcast = schedule->rounds;
    partials_generate(r->partials, &algorithm_distl_tree, partials_record_bytes, schedule);
}

/* All values in the order of the elements, one's own in its place, are collected in `prefix`. */
static int join_each(const bmf_partials *partials, bmf_partial *part, int64_t item, const bmf_message *message,
                     int64_t begin, int64_t end, const char *values)
{
    bmf_forest *all = &part->prefix;
    int code = 0;
    (void)begin;
    if (message->first == (item == 0))
        forest_start(all, 0);
    if (message->first == item + 1)
        code = forest_append(partials->tree, all, part->partial.end, part->partial.value, false);
    int failed = forest_append(partials->tree, all, end, values, false);
    return code ? code : failed;
}

/* The rounds that bring the total from item 0's processor to all, as a record. */
static int total_segment(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_reduction_rounds *r = state;
    (void)message;
    segment[0] = (bmf_segment){r->value, r->bytes};
    return 1;
}

/* Ranks without a part of the list take no part in its schedule. */
static bool every_rank_has_parts(const bmf_context *ctx, const bmf_partition *partition)
{
    return partition->parts == ctx->processors && ctx->processors >= ctx->ranks;
}

/* The total of one list. */
static int take_total(const bmf_partials *partials, bool each, void *value)
{
    const bmf_partition *partition = partials->partition;
    bmf_partial *part = &partials->part[0];
    int code = 0;
    if (each && partition->local_first == partition->parts - 1)
        code = forest_append(partials->tree, &part->prefix, part->partial.end, part->partial.value, false);
    if (forest_total(partials->tree, each ? &part->prefix : &part->partial, value) == 0 && code == 0)
        return BMF_OK;
    return bmf_fail(partials->ctx, BMF_ERROR_KERNEL, "operator %s failed", partials->tree->op->name);
}

/* The totals, one record behind the other, on a rank that has them. */
static int take_totals(const bmf_partials *partials, bool each, char *value)
{
    for (int k = 0; k <= partials->besides; k++) {
        const bmf_partials *of = partials_together(partials, k);
        BMF_TRY(take_total(of, each, value));
        value += partials_room(partials, of->tree->record);
    }
    return BMF_OK;
}

void reduction_open(bmf_reduction_rounds *r, bmf_partials *partials, const char *skeleton, const bmf_list *xs,
                    bool placed, void *into)
{
    const int64_t bytes = partials_record_bytes(partials, 0, 1);
    *r = (bmf_reduction_rounds){.partials = partials, .placed = placed, .bytes = bytes};
    r->own = into ? NULL : allocate_clear(1, bytes);
    r->value = into ? into : r->own;
    bmf_call call = {.ctx = partials->ctx,
                     .skeleton = skeleton,
                     .list = xs,
                     .choice = {.skeleton = "reduce",
                                .to_first = placed,
                                .count = partials->partition->parts,
                                .bytes = (double)bytes},
                     .generate = generate,
                     .state = r};
    r->schedule = plan_make(&call, &r->algorithm);
    r->combining = r->schedule->broadcast < 0 ? r->schedule->rounds : r->schedule->broadcast;
    r->each = r->algorithm->joining == BMF_JOIN_EACH && partials->partition->parts > 1;
}

void reduction_close(bmf_reduction_rounds *r)
{
    schedule_free(r->schedule);
    free(r->own);
}

bool reduction_has_rounds(const bmf_reduction_rounds *r)
{
    return r->round < r->schedule->rounds;
}

/* Between combining and telling. */
static int take_when_combined(bmf_reduction_rounds *r)
{
    const bmf_partials *partials = r->partials;
    const bmf_partition *partition = partials->partition;
    const bool has_total = partition->local_parts > 0 && (!r->algorithm->to_first || partition->local_first == 0);
    if (r->taken || r->round < r->combining)
        return BMF_OK;
    r->taken = true;
    BMF_TRY(failure_defer(partials->ctx, r->failed));
    if (has_total && !partials->ctx->sends_marks)
        return failure_defer(partials->ctx, take_totals(partials, r->each, r->value));
    return BMF_OK;
}

int reduction_round_begin(bmf_reduction_rounds *r)
{
    const bmf_round *round = &r->schedule->round[r->round];
    const uint32_t number = r->partials->number + (uint32_t)r->round;
    BMF_TRY(take_when_combined(r));
    if (r->round < r->combining)
        return partials_round_begin(r->partials, round, number, send_partial, &r->under_way);
    return backend_exchange_begin(r->partials->ctx, round, number, &(bmf_transfer){total_segment, total_segment, r},
                                  &r->under_way);
}

int reduction_round_end(bmf_reduction_rounds *r)
{
    const uint32_t number = r->partials->number + (uint32_t)r->round;
    if (r->round++ >= r->combining)
        return backend_exchange_end(r->partials->ctx, r->under_way);
    const int joined = partials_round_end(r->partials, number, r->each ? join_each : join_partial, r->under_way);
    r->failed = r->failed ? r->failed : joined; /* other ranks wait for the rounds that remain */
    return BMF_OK;
}

int reduction_finish(bmf_reduction_rounds *r, bool may_fail)
{
    bmf_context *ctx = r->partials->ctx;
    const bmf_partition *partition = r->partials->partition;
    BMF_TRY(take_when_combined(r));
    BMF_TRY(agree_if(ctx, may_fail, BMF_OK));
    if (r->placed || every_rank_has_parts(ctx, partition))
        return BMF_OK;
    return ctx->backend->bcast(ctx, partition->base, r->value, r->bytes);
}

int reduction_run(bmf_reduction_rounds *r, bool may_fail)
{
    while (reduction_has_rounds(r)) {
        BMF_TRY(reduction_round_begin(r));
        BMF_TRY(reduction_round_end(r));
    }
    return reduction_finish(r, may_fail);
}
