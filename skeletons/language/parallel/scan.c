/* P_Scan: every element of a distributed list combined with all before it. Document 000, 5.8.
 *
 * Method: for d = 1, 2, 4, ..: every item i sends its value to item i + d; all receivers combine at once,
 * x[i] = op {x[i - d], x[i]}. The lists of all instances share the rounds, and a round's combinations are one batch.
 * Cost: ceil(log2 count) rounds of count - d messages (15, 14, 12, 8 for 16 items). */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"

static int64_t unknown_bytes(const void *state, int64_t first, int64_t count)
{
    (void)state, (void)first, (void)count;
    return BMF_BYTES_UNKNOWN;
}

static int generate_levels(bmf_schedule *schedule, const bmf_group *group)
{
    return schedule_scan_levels(schedule, 0, group, unknown_bytes, NULL);
}

typedef struct scan_state {
    bmf_evaluator *evaluator;
    bmf_expression *scan;
    const bmf_distribution *spread;
    const bmf_item *item;
    bmf_frame *elements;
    bmf_value value; /* of all elements of this rank */
} scan_state;

static int pack_all(const scan_state *s, int64_t distance, bmf_parcels *parcels)
{
    bmf_column column;
    bmf_value copy;
    BMF_TRY(value_share(s->evaluator->ctx, &s->value, &copy));
    int status = value_to_column(s->evaluator->ctx, &copy, &column);
    value_free(&copy);
    BMF_TRY(status);
    for (int64_t n = 0; n < s->value.count; n++)
        if (s->item[n].item + distance < s->item[n].count)
            parcels_pack(parcels, s->spread->elements->local[n], &column, n, n + 1);
    column_free(&column);
    return BMF_OK;
}

/* A message's items end at the sender; it carries the sender's parcel. */
static void carry_senders(bmf_round *round)
{
    for (int64_t m = 0; m < round->count; m++) {
        round->message[m].first += round->message[m].count - 1;
        round->message[m].count = 1;
    }
}

/* op {left, value of the elements picked}, merged over the others' values. left is taken over. */
static int combine(scan_state *s, int64_t pairs, const int64_t *picked, bmf_value *left)
{
    bmf_context *ctx = s->evaluator->ctx;
    int64_t count = s->value.count, rest = 0;
    int64_t *other = allocate((count + 1) * (int64_t)sizeof *other);
    uint8_t *choose = allocate_clear(count + 1, 1);
    bmf_value right = {0}, pair = {0}, combined = {0}, unpaired = {0}, merged = {0};
    bmf_frame frame;
    for (int64_t k = 0; k < pairs; k++)
        choose[picked[k]] = 1;
    for (int64_t n = 0; n < count; n++)
        if (!choose[n])
            other[rest++] = n;
    int status = value_take(ctx, &s->value, picked, pairs, &right);
    if (status == BMF_OK)
        status = value_take(ctx, &s->value, other, rest, &unpaired);
    if (status == BMF_OK)
        status = value_pair(ctx, left, &right, &pair);
    if (status == BMF_OK)
        status = frame_open_picked(s->evaluator, s->elements, s->scan, picked, pairs, &frame);
    if (status == BMF_OK) {
        status = evaluate_batch(s->evaluator, s->scan->child[0], &frame, &pair, &combined);
        frame_close(&frame);
    }
    if (status == BMF_OK)
        status = value_merge(ctx, choose, count, &combined, &unpaired, &merged);
    value_free(left), value_free(&right), value_free(&pair);
    value_free(&combined), value_free(&unpaired);
    free(other), free(choose);
    if (status == BMF_OK) {
        value_free(&s->value);
        value_move(&merged, &s->value);
    }
    return status;
}

static int combine_received(scan_state *s, int64_t distance, const bmf_parcels *parcels)
{
    int64_t count = s->value.count, pairs = 0, bytes = (count + 1) * (int64_t)sizeof(int64_t);
    int64_t *picked = allocate(bytes), *sender = allocate(bytes);
    bmf_value left = {0};
    for (int64_t n = 0; n < count; n++)
        if (s->item[n].item >= distance) {
            picked[pairs] = n;
            sender[pairs++] = s->spread->elements->local[n] - distance;
        }
    int status = value_from_parcels(parcels, s->value.type, sender, pairs, &left);
    if (status == BMF_OK)
        status = combine(s, pairs, picked, &left);
    free(picked), free(sender);
    return status;
}

static int run_levels(scan_state *s)
{
    bmf_context *ctx = s->evaluator->ctx;
    bmf_schedule *schedule = distribution_schedule(ctx, s->spread, "levels", generate_levels);
    int status = BMF_OK;
    distribution_plan(s->evaluator, s->scan, s->spread, "levels", generate_levels);
    for (int r = 0; status == BMF_OK && r < schedule->rounds; r++) {
        bmf_parcels parcels;
        parcels_open(&parcels, ctx, s->spread->elements->count);
        status = bmf_agree(ctx, pack_all(s, (int64_t)1 << r, &parcels));
        carry_senders(&schedule->round[r]);
        if (status == BMF_OK)
            status = parcels_exchange(&parcels, &schedule->round[r], (uint32_t)r);
        if (status == BMF_OK)
            status = combine_received(s, (int64_t)1 << r, &parcels);
        if (!s->scan->child[0]->communicates)
            status = bmf_agree(ctx, status);
        parcels_close(&parcels);
    }
    schedule_free(schedule);
    return status;
}

/* op {default of the element's instance, x} for every element; the defaults travel down the split tree. */
static int apply_defaults(scan_state *s, bmf_frame *frame, bmf_value *defaults)
{
    int64_t count = s->value.count;
    int64_t *picked = allocate((count + 1) * (int64_t)sizeof *picked);
    bmf_value left = {0};
    for (int64_t n = 0; n < count; n++)
        picked[n] = n;
    int status = distribution_broadcast(s->evaluator, s->scan, frame, s->spread, defaults, &left);
    if (status == BMF_OK)
        status = combine(s, count, picked, &left);
    free(picked);
    return status;
}

static int scan_spread(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_distribution *spread,
                       bmf_value *elements, bmf_value *defaults, bmf_value *out)
{
    bmf_frame inner;
    BMF_TRY(frame_open_spread(evaluator, frame, scan, spread, &inner));
    bmf_item *item = distribution_items(spread);
    scan_state s = {.evaluator = evaluator, .scan = scan, .spread = spread, .item = item, .elements = &inner};
    value_move(elements, &s.value);
    int status = run_levels(&s);
    if (status == BMF_OK && defaults)
        status = apply_defaults(&s, frame, defaults);
    if (status == BMF_OK)
        value_move(&s.value, out);
    value_free(&s.value);
    free(item);
    frame_close(&inner);
    return status;
}

int evaluate_parallel_scan(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x,
                           bmf_value *out)
{
    bmf_value defaults = {0}, argument = {0}, elements, scanned;
    int64_t count = x->count;
    int status = bmf_agree(evaluator->ctx, BMF_OK);
    if (status == BMF_OK && scan->children > 1) {
        status = value_share(evaluator->ctx, x, &argument);
        if (status == BMF_OK)
            status = evaluate_batch(evaluator, scan->child[1], frame, &argument, &defaults);
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
    operation_begin(evaluator, scan);
    status = scan_spread(evaluator, scan, frame, spread, &elements, scan->children > 1 ? &defaults : NULL, &scanned);
    value_free(&elements);
    value_free(&defaults);
    if (status == BMF_OK)
        value_distribute(count, spread, &scanned, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}
