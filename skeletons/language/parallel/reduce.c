/* P_Reduce: the elements of distributed lists combined on their instances' processors. Document 000, 5.6.
 *
 * Method: levels l = 1, 2, ..: item i, a multiple of 2^l, receives item i + 2^(l-1) and combines; the lists of all
 * instances share the rounds, and a round's combinations are one batch. Concatenation of one list goes through the gather of the
 * skeletons in C, which moves columns.
 * Cost: count - 1 messages a list, ceil(log2 count) rounds. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"
#include "bmf/skeletons.h"

static int64_t unknown_bytes(const void *state, int64_t first, int64_t count)
{
    (void)state, (void)first, (void)count;
    return BMF_BYTES_UNKNOWN;
}

static int generate_levels(bmf_schedule *schedule, const bmf_group *group)
{
    return schedule_reduce_levels(schedule, 0, group, unknown_bytes, NULL);
}

/* ---- levels ---- */

/* What is left of this rank's elements after some levels. */
typedef struct levels {
    bmf_evaluator *evaluator;
    bmf_expression *reduce;
    const bmf_distribution *spread;
    const bmf_item *item; /* of this rank's elements */
    bmf_frame *elements;  /* all of this rank's elements */
    int64_t *alive;       /* rising local numbers of the elements left */
    int64_t count;
    bmf_value value; /* of those */
} levels;

static int64_t element_of(const levels *s, int64_t k)
{
    return s->spread->elements->local[s->alive[k]];
}

static bool is_sender(const bmf_item *item, int level)
{
    return (item->item & (((int64_t)2 << level) - 1)) == (int64_t)1 << level;
}

static bool has_partner(const bmf_item *item, int level)
{
    return (item->item & (((int64_t)2 << level) - 1)) == 0 && item->item + ((int64_t)1 << level) < item->count;
}

static int pack_senders(const levels *s, int level, bmf_parcels *parcels)
{
    bmf_column column;
    bmf_value copy;
    BMF_TRY(value_share(s->evaluator->ctx, &s->value, &copy));
    int status = value_to_column(s->evaluator->ctx, &copy, &column);
    value_free(&copy);
    BMF_TRY(status);
    for (int64_t k = 0; k < s->count; k++)
        if (is_sender(&s->item[s->alive[k]], level))
            parcels_pack(parcels, element_of(s, k), &column, k, k + 1);
    column_free(&column);
    return BMF_OK;
}

/* Messages of reduce_levels say which items the value covers; here they carry one parcel, the sender's. */
static void carry_senders(bmf_round *round)
{
    for (int64_t m = 0; m < round->count; m++)
        round->message[m].count = 1;
}

/* Combines the items that have a partner with what came, in one batch. */
static int combine(levels *s, int level, const bmf_parcels *parcels)
{
    bmf_context *ctx = s->evaluator->ctx;
    int64_t bytes = (s->count + 1) * (int64_t)sizeof(int64_t), pairs = 0, rest = 0;
    int64_t *left = allocate(bytes), *other = allocate(bytes), *partner = allocate(bytes);
    int64_t *picked = allocate(bytes);
    uint8_t *paired = allocate(s->count + 1);
    int64_t kept = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const bmf_item *item = &s->item[s->alive[k]];
        if (is_sender(item, level))
            continue;
        paired[kept] = has_partner(item, level);
        if (paired[kept]) {
            picked[pairs] = s->alive[k];
            partner[pairs] = element_of(s, k) + ((int64_t)1 << level);
            left[pairs++] = k;
        } else {
            other[rest++] = k;
        }
        s->alive[kept++] = s->alive[k];
    }
    bmf_value a = {0}, b = {0}, pair = {0}, combined = {0}, unpaired = {0}, merged = {0};
    bmf_frame frame;
    int status = value_take(ctx, &s->value, left, pairs, &a);
    if (status == BMF_OK)
        status = value_from_parcels(parcels, s->value.type, partner, pairs, &b);
    if (status == BMF_OK)
        status = value_pair(ctx, &a, &b, &pair);
    if (status == BMF_OK)
        status = value_take(ctx, &s->value, other, rest, &unpaired);
    if (status == BMF_OK)
        status = frame_open_picked(s->evaluator, s->elements, s->reduce, picked, pairs, &frame);
    if (status == BMF_OK) {
        status = evaluate_batch(s->evaluator, s->reduce->child[0], &frame, &pair, &combined);
        frame_close(&frame);
    }
    if (status == BMF_OK)
        status = value_merge(ctx, paired, kept, &combined, &unpaired, &merged);
    value_free(&a), value_free(&b), value_free(&pair);
    value_free(&combined), value_free(&unpaired);
    free(left), free(other), free(partner), free(picked), free(paired);
    if (status == BMF_OK) {
        value_free(&s->value);
        value_move(&merged, &s->value);
        s->count = kept;
    }
    return status;
}

static int run_levels(levels *s)
{
    bmf_context *ctx = s->evaluator->ctx;
    bmf_schedule *schedule = distribution_schedule(ctx, s->spread, "levels", generate_levels);
    int status = BMF_OK;
    distribution_plan(s->evaluator, s->reduce, s->spread, "levels", generate_levels);
    for (int r = 0; status == BMF_OK && r < schedule->rounds; r++) {
        bmf_parcels parcels;
        parcels_open(&parcels, ctx, s->spread->elements->count);
        status = bmf_agree(ctx, pack_senders(s, r, &parcels));
        carry_senders(&schedule->round[r]);
        if (status == BMF_OK)
            status = parcels_exchange(&parcels, &schedule->round[r], (uint32_t)r);
        if (status == BMF_OK)
            status = combine(s, r, &parcels);
        if (!s->reduce->child[0]->communicates)
            status = bmf_agree(ctx, status);
        parcels_close(&parcels);
    }
    schedule_free(schedule);
    return status;
}

/* ---- concatenation of one list ---- */

static bool is_concatenation(const bmf_expression *operation)
{
    return operation->kind == BMF_EXPRESSION_OP && operation->operation == BMF_OPERATION_CONC;
}

/* The parts' lengths on all ranks, as starts. */
static int collect_starts(bmf_context *ctx, const bmf_distribution *spread, const bmf_value *lists, int64_t *start)
{
    int64_t *length = allocate((lists->count + 1) * (int64_t)sizeof *length);
    for (int64_t k = 0; k < lists->count; k++)
        length[k] = value_length(lists, k);
    start[0] = 0;
    int status = ctx->backend->collect(ctx, length, lists->count, start + 1, spread->elements->count);
    for (int64_t k = 0; k < spread->elements->count; k++)
        start[k + 1] += start[k];
    free(length);
    return status;
}

int value_to_list(bmf_context *ctx, const bmf_distribution *spread, bmf_value *lists, bmf_list **list)
{
    const int64_t *processor = spread->elements->processor;
    int64_t parts = spread->elements->count;
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    bmf_level level = {.count = parts};
    bmf_column column = {0};
    bmf_partition *partition = NULL;
    int status = value_pack(ctx, lists);
    if (status == BMF_OK)
        status = value_to_column(ctx, &lists->child[0], &column);
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        status = collect_starts(ctx, spread, lists, start);
    while (parts > 1 && processor[0] + ((int64_t)1 << level.stride) < processor[1])
        level.stride++;
    if (status == BMF_OK)
        status = bmf_partition_create(ctx, processor[0], 1, &level, start[parts], start, &partition);
    if (status == BMF_OK)
        status = list_adopt(ctx, partition, &column, list);
    else
        column_free(&column);
    if (partition)
        bmf_partition_release(partition);
    free(start);
    value_free(lists);
    return status;
}

/* Elements with their processor's whole list: one list on the first processor. */
static int gather_one(bmf_evaluator *evaluator, const bmf_distribution *spread, bmf_value *lists, bmf_value *out)
{
    bmf_list *parts = NULL, *whole = NULL;
    BMF_TRY(value_to_list(evaluator->ctx, spread, lists, &parts));
    int status = bmf_gather(parts, &whole);
    bmf_list_free(parts);
    if (status == BMF_OK)
        status = bmf_agree(evaluator->ctx, value_from_parts(whole, out));
    bmf_list_free(whole);
    return status;
}

/* ---- all ---- */

static int reduce_levels(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_distribution *spread,
                         bmf_value *elements, bmf_value *out)
{
    bmf_frame inner;
    BMF_TRY(frame_open_spread(evaluator, frame, reduce, spread, &inner));
    levels s = {
        .evaluator = evaluator, .reduce = reduce, .spread = spread, .elements = &inner, .count = elements->count};
    bmf_item *item = distribution_items(spread);
    s.item = item;
    s.alive = allocate((s.count + 1) * (int64_t)sizeof *s.alive);
    for (int64_t k = 0; k < s.count; k++)
        s.alive[k] = k;
    value_move(elements, &s.value);
    int status = run_levels(&s);
    if (status == BMF_OK)
        value_move(&s.value, out);
    value_free(&s.value);
    free(s.alive);
    free(item);
    frame_close(&inner);
    return status;
}

/* op {default, total} where there are elements, the default elsewhere. total: instances with elements only. */
static int apply_default(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame,
                         const bmf_layout *instances, const bmf_distribution *spread, bmf_value *defaults,
                         bmf_value *total, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    int64_t count = defaults->count, full = 0, empty = 0, bytes = (count + 1) * (int64_t)sizeof(int64_t);
    int64_t *picked = allocate(bytes), *other = allocate(bytes);
    uint8_t *choose = allocate(count + 1);
    bmf_value first = {0}, pair = {0}, combined = {0}, rest = {0};
    bmf_frame inner;
    for (int64_t n = 0; n < count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        choose[n] = offset[1] > offset[0];
        if (choose[n])
            picked[full++] = n;
        else
            other[empty++] = n;
    }
    int status = value_take(ctx, defaults, picked, full, &first);
    if (status == BMF_OK)
        status = value_take(ctx, defaults, other, empty, &rest);
    if (status == BMF_OK)
        status = value_pair(ctx, &first, total, &pair);
    if (status == BMF_OK)
        status = frame_open_picked(evaluator, frame, reduce, picked, full, &inner);
    if (status == BMF_OK) {
        status = evaluate_batch(evaluator, reduce->child[0], &inner, &pair, &combined);
        frame_close(&inner);
    }
    if (status == BMF_OK)
        status = value_merge(ctx, choose, count, &combined, &rest, out);
    value_free(&first), value_free(&pair), value_free(&combined), value_free(&rest);
    free(picked), free(other), free(choose);
    return status;
}

static int check_not_empty(bmf_evaluator *evaluator, const bmf_expression *reduce, const bmf_distribution *spread)
{
    for (int64_t c = 0; c < spread->instances; c++)
        if (spread->offsets[c] == spread->offsets[c + 1])
            return text_fail(evaluator->texts, evaluator->ctx, reduce->span, BMF_ERROR_SHAPE,
                             "%s without a default of an empty list", expression_keyword(reduce));
    return BMF_OK;
}

static int reduce_spread(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame,
                         const bmf_layout *instances, bmf_distribution *spread, bmf_value *elements, bmf_value *total)
{
    bool whole = instances->count == 1 && spread->offsets[1] > 0;
    if (is_concatenation(reduce->child[0]) && whole)
        return gather_one(evaluator, spread, elements, total);
    return reduce_levels(evaluator, reduce, frame, spread, elements, total);
}

int evaluate_parallel_reduce(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_value defaults = {0}, argument = {0}, elements, total = {0};
    bmf_layout *instances;
    int status = bmf_agree(evaluator->ctx, BMF_OK);
    if (status == BMF_OK)
        status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK && reduce->children == 1)
        status = check_not_empty(evaluator, reduce, x->spread);
    if (status == BMF_OK && reduce->children > 1) {
        status = value_share(evaluator->ctx, x, &argument);
        if (status == BMF_OK)
            status = evaluate_batch(evaluator, reduce->child[1], frame, &argument, &defaults);
        status = bmf_agree(evaluator->ctx, status);
    }
    if (status != BMF_OK) {
        value_free(x);
        value_free(&defaults);
        return status;
    }
    bmf_distribution *spread = distribution_retain(x->spread);
    value_move(&x->child[0], &elements);
    value_free(x);
    operation_begin(evaluator, reduce);
    status = reduce_spread(evaluator, reduce, frame, instances, spread, &elements, &total);
    if (status == BMF_OK && reduce->children > 1)
        status = apply_default(evaluator, reduce, frame, instances, spread, &defaults, &total, out);
    else if (status == BMF_OK)
        value_move(&total, out);
    value_free(&elements), value_free(&total), value_free(&defaults);
    distribution_release(spread);
    return operation_end(evaluator, status);
}
