/* P_Shift: the elements of distributed lists some places on.
 *
 * Method: one round, in which element i goes to the processor of element i + k, or of that many places around. Where
 * nothing arrives, the default is made of the element that is there. Who sends what follows from where the lists lie,
 * so nobody asks.
 * Cost: a message of one element for each, but for those that would leave the list: of lists on one processor each,
 * to neighbours only if k is 1 or -1. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/parallel/parallel.h"

typedef struct shifting {
    bmf_evaluator *evaluator;
    bmf_expression *shift;
    const bmf_distribution *spread;
    const bmf_item *item;      /* of this rank's elements */
    const bmf_value *elements; /* of this rank */
} shifting;

/* The item `places` on from item i of count; -1: outside. */
static int64_t item_on(const bmf_expression *shift, int64_t i, int64_t count, int64_t places)
{
    if (shift->children == 0) {
        const int64_t at = (i + places % count) % count;
        return at < 0 ? at + count : at;
    }
    if (places >= count || places <= -count)
        return -1;
    return i + places >= 0 && i + places < count ? i + places : -1;
}

/* What moves between processors, as far as processors [low, high) take part; what stays needs no message. */
static bmf_schedule *make_schedule(const shifting *s, int64_t low, int64_t high, int64_t element_bytes)
{
    const bmf_distribution *spread = s->spread;
    bmf_schedule *schedule = schedule_create("shift", low, high);
    schedule_extend(schedule, 1);
    for (int64_t c = 0; c < spread->instances; c++) {
        const int64_t first = spread->offsets[c], count = spread->offsets[c + 1] - first;
        for (int64_t i = 0; i < count; i++) {
            const int64_t to = item_on(s->shift, i, count, s->shift->number[0]);
            if (to >= 0 && to != i)
                schedule_add(schedule, 0,
                             (bmf_message){.from = spread->elements->processor[first + i],
                                           .to = spread->elements->processor[first + to],
                                           .bytes = element_bytes,
                                           .first = first + i,
                                           .count = 1});
        }
    }
    return schedule;
}

/* Printed with --bmf-plan: the schedule of the whole evaluator. */
static void print_plan(const shifting *s, int64_t element_bytes)
{
    bmf_context *ctx = s->evaluator->ctx;
    char type[200];
    if (!ctx->plan || ctx->rank != 0)
        return;
    bmf_schedule *whole = make_schedule(s, 0, ctx->processors, element_bytes);
    fprintf(ctx->plan, "%s of %s, %" PRId64 " elements\n", expression_keyword(s->shift),
            bmf_type_print(s->shift->in, type, sizeof type), s->spread->elements->count);
    schedule_print(whole, 4, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

static int pack(const shifting *s, bmf_parcels *parcels)
{
    bmf_context *ctx = s->evaluator->ctx;
    bmf_column column;
    bmf_value copy;
    value_share(s->elements, &copy);
    const int status = value_to_column(ctx, &copy, &column);
    value_free(&copy);
    BMF_TRY(status);
    for (int64_t n = 0; n < s->elements->count; n++)
        if (item_on(s->shift, s->item[n].item, s->item[n].count, s->shift->number[0]) >= 0)
            parcels_pack(parcels, s->spread->elements->local[n], &column, n, n + 1);
    column_free(&column);
    return BMF_OK;
}

/* Which elements something arrives at, and from where; the others are picked. */
static int64_t find_sources(const shifting *s, uint8_t *arrives, int64_t *source, int64_t *picked)
{
    int64_t arriving = 0, others = 0;
    for (int64_t n = 0; n < s->elements->count; n++) {
        const bmf_item *item = &s->item[n];
        const int64_t from = item_on(s->shift, item->item, item->count, -s->shift->number[0]);
        arrives[n] = from >= 0;
        if (from >= 0)
            source[arriving++] = s->spread->elements->local[n] - item->item + from;
        else
            picked[others++] = n;
    }
    return arriving;
}

static int fill(const shifting *s, const bmf_frame *frame, const bmf_parcels *parcels, bmf_value *out)
{
    bmf_context *ctx = s->evaluator->ctx;
    const int64_t count = s->elements->count;
    uint8_t *arrives = allocate(count + 1);
    int64_t *source = allocate((count + 1) * (int64_t)sizeof *source);
    int64_t *picked = allocate((count + 1) * (int64_t)sizeof *picked);
    bmf_value arrived = {0}, own = {0}, defaults = {0};
    const int64_t arriving = find_sources(s, arrives, source, picked);
    int status = value_from_parcels(parcels, s->elements->type, source, arriving, &arrived);
    if (status == BMF_OK && s->shift->children == 0) {
        value_move(&arrived, out);
    } else if (status == BMF_OK) {
        bmf_frame inner;
        status = value_take(ctx, s->elements, picked, count - arriving, &own);
        frame_open_picked(frame, s->shift, picked, count - arriving, &inner);
        if (status == BMF_OK)
            status = evaluate_batch(s->evaluator, s->shift->child[0], &inner, &own, &defaults);
        frame_close(&inner);
        if (status == BMF_OK)
            status = value_merge(ctx, arrives, count, &arrived, &defaults, out);
    }
    value_free(&arrived), value_free(&own), value_free(&defaults);
    free(arrives), free(source), free(picked);
    return status;
}

static int shift_spread(const shifting *s, const bmf_frame *frame, bmf_value *out)
{
    bmf_context *ctx = s->evaluator->ctx;
    bmf_parcels parcels;
    int status = BMF_OK;
    ctx->step++;
    parcels_open(&parcels, ctx, s->elements->type, s->spread->elements->count);
    bmf_schedule *schedule =
        make_schedule(s, ctx->first_processor, ctx->first_processor + ctx->local_processors, parcels.element_bytes);
    print_plan(s, parcels.element_bytes);
    if (!ctx->sends_marks)
        status = pack(s, &parcels);
    if (status == BMF_OK)
        status = parcels_exchange(&parcels, &schedule->round[0], 0);
    if (status == BMF_OK)
        status = fill(s, frame, &parcels, out);
    schedule_free(schedule);
    parcels_close(&parcels);
    return status;
}

int evaluate_parallel_shift(bmf_evaluator *evaluator, bmf_expression *shift, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    bmf_item *item = distribution_items(spread);
    bmf_value elements, shifted;
    bmf_frame inner;
    value_move(&x->child[0], &elements);
    value_free(x);
    operation_begin(evaluator, shift);
    frame_open_spread(frame, shift, spread, &inner);
    const shifting s = {evaluator, shift, spread, item, &elements};
    const int status = shift_spread(&s, &inner, &shifted);
    frame_close(&inner);
    value_free(&elements);
    free(item);
    if (status == BMF_OK)
        value_distribute(count, spread, &shifted, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}
