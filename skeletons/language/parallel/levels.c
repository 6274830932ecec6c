/* P_Reduce and P_Scan: the elements of distributed lists combined level by level. Document 000, 5.6 and 5.8.
 *
 * Method: at distance d = 1, 2, 4, .. of a reduction item i, a multiple of 2 d, receives item i + d and makes
 * op {x[i], x[i + d]}, and the sender drops out; of a scan every item i >= d receives item i - d and makes
 * op {x[i - d], x[i]}. The lists of all instances share the rounds, and a round's combinations are one batch.
 * Cost: count - 1 messages a list for a reduction, count - d a round for a scan; ceil(log2 count) rounds. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/parallel/parallel.h"

/* What is left of this rank's elements after some levels. */
typedef struct levels {
    bmf_evaluator *evaluator;
    bmf_expression *fold;
    bool scan;
    const bmf_distribution *spread;
    bmf_frame *elements;  /* all of this rank's elements */
    const bmf_item *item; /* of those */
    int64_t *alive;       /* rising local numbers of the elements left */
    int64_t count;
    bmf_value *value; /* of those */
} levels;

static bool is_sender(const levels *s, const bmf_item *item, int64_t distance)
{
    return s->scan ? item->item + distance < item->count : (item->item & (2 * distance - 1)) == distance;
}

static bool is_receiver(const levels *s, const bmf_item *item, int64_t distance)
{
    return s->scan ? item->item >= distance
                   : (item->item & (2 * distance - 1)) == 0 && item->item + distance < item->count;
}

static int64_t element_of(const levels *s, int64_t k)
{
    return s->spread->elements->local[s->alive[k]];
}

static int pack_senders(const levels *s, int64_t distance, bmf_parcels *parcels)
{
    bmf_context *ctx = s->evaluator->ctx;
    bmf_column column;
    bmf_value copy;
    value_share(s->value, &copy);
    int status = value_to_column(ctx, &copy, &column);
    value_free(&copy);
    BMF_TRY(status);
    for (int64_t k = 0; k < s->count; k++)
        if (is_sender(s, &s->item[s->alive[k]], distance))
            parcels_pack(parcels, element_of(s, k), &column, k, k + 1);
    column_free(&column);
    return BMF_OK;
}

/* The schedules' messages say which items a value covers: those from a reduction's sender on, those up to a scan's.
 * Here they carry one parcel, the sender's. */
static void carry_senders(const levels *s, const bmf_parcels *parcels, bmf_round *round)
{
    for (int64_t m = 0; m < round->count; m++) {
        bmf_message *message = &round->message[m];
        message->first += s->scan ? message->count - 1 : 0;
        message->count = 1;
        message->bytes = parcels->element_bytes;
    }
}

/* What becomes of every element: partner[] are those that were sent. Of a reduction the senders are done. */
static void choose(levels *s, int64_t distance, bmf_combination *combination, int64_t *partner)
{
    int64_t left = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const bmf_item *item = &s->item[s->alive[k]];
        if (!s->scan && is_sender(s, item, distance))
            continue;
        if (is_receiver(s, item, distance)) {
            partner[combination->pairs] = element_of(s, k) + (s->scan ? -distance : distance);
            combination_add_pair(combination, k, s->alive[k]);
        } else {
            combination_add_single(combination, k);
        }
        s->alive[left++] = s->alive[k];
    }
}

static int combine(levels *s, int64_t distance, const bmf_parcels *parcels)
{
    bmf_combination combination;
    bmf_value received = {0}, combined;
    BMF_TRY(combination_open(s->evaluator, s->count, &combination));
    int64_t *partner = allocate((s->count + 1) * (int64_t)sizeof *partner);
    choose(s, distance, &combination, partner);
    int status = value_from_parcels(parcels, s->value->type, partner, combination.pairs, &received);
    if (status == BMF_OK)
        status = combination_apply(s->evaluator, s->fold, s->elements, &combination, s->value, &received, s->scan,
                                   &combined);
    if (status == BMF_OK) {
        value_free(s->value);
        value_move(&combined, s->value);
        s->count = combination.results;
    }
    combination_close(&combination);
    free(partner);
    return status;
}

static int run_rounds(levels *s)
{
    bmf_context *ctx = s->evaluator->ctx;
    const bmf_algorithm *algorithm = s->scan ? &algorithm_scan_levels : &algorithm_reduce_levels;
    bmf_schedule *schedule = distribution_schedule(ctx, s->spread, algorithm);
    int status = BMF_OK;
    distribution_plan(s->evaluator, s->fold, s->spread, algorithm);
    for (int r = 0; status == BMF_OK && r < schedule->rounds; r++) {
        int64_t distance = (int64_t)1 << r;
        bmf_parcels parcels;
        ctx->step++;
        parcels_open(&parcels, ctx, s->value->type, s->spread->elements->count);
        if (!ctx->sends_marks)
            status = pack_senders(s, distance, &parcels);
        carry_senders(s, &parcels, &schedule->round[r]);
        if (status == BMF_OK)
            status = parcels_exchange(&parcels, &schedule->round[r], (uint32_t)r);
        if (status == BMF_OK)
            status = combine(s, distance, &parcels);
        parcels_close(&parcels);
    }
    schedule_free(schedule);
    return status;
}

int distribution_combine(bmf_evaluator *evaluator, bmf_expression *fold, bool scan, const bmf_distribution *spread,
                         bmf_frame *elements, bmf_value *values)
{
    levels s = {.evaluator = evaluator,
                .fold = fold,
                .scan = scan,
                .spread = spread,
                .elements = elements,
                .count = values->count,
                .value = values};
    bmf_item *item = distribution_items(spread);
    s.item = item;
    s.alive = allocate((s.count + 1) * (int64_t)sizeof *s.alive);
    for (int64_t k = 0; k < s.count; k++)
        s.alive[k] = k;
    int status = run_rounds(&s);
    free(s.alive);
    free(item);
    return status;
}
