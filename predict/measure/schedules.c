/* Measuring the algorithms that runs choose between.
 *
 * Method: a grid of sizes and numbers of items, each timed as schedule_timing.c does it, from 64 KiB on until the
 * quickest takes too long to repeat; then, unless they are to be others than those of a table, the rest of the time is
 * for the sizes at which algorithms change places (schedule_refine.c), and numbers of items in between are computed
 * (schedule_fill.c). What messages cost is measured first, because
 * some algorithms cut values into as many segments as that makes best: as runs do which are given the table.
 * Cost: about options->seconds. */
#include "predict/measure/schedules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measure/schedules_private.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"

enum { ALWAYS = 1 << 16, FEWEST = 5, COUNTS = 21, WORD = 8, LONG_MESSAGE = 4 << 20 };
static const double most_bytes = 256 << 20; /* of all items together */
static const double of_grid = 0.5;          /* the time that is not for where algorithms change places */

/* Times the number of ranks; 0: none. */
static const double count_factor[COUNTS] = {0.25, 0.5, 1,  1.5, 2,  2.5, 3,  3.5, 4,  5, 6,
                                            7,    8,   10, 12,  14, 16,  24, 32,  48, 64};
static const double count_factor_between[COUNTS] = {0.5, 1, 2, 4.5, 5, 9, 12, 20, 48};

/* ---- sizes ---- */

static bool is_wanted(const bmf_schedules_options *o, const char *skeleton)
{
    const size_t length = strlen(skeleton);
    for (const char *at = o->skeletons; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, skeleton, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return !o->skeletons;
}

static bool is_known(const char *name, size_t length)
{
    for (int k = 0; schedule_calls[k]; k++)
        if (strlen(schedule_calls[k]->skeleton) == length && strncmp(schedule_calls[k]->skeleton, name, length) == 0)
            return true;
    return false;
}

static int check_skeletons(bmf_context *ctx, const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        if (!is_known(at, length))
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                            "no skeleton '%.*s' has a choice of algorithms (known: split, gather, reduce, scan, distl, "
                            "permute)",
                            (int)(length < 40 ? length : 40), at);
    }
    return BMF_OK;
}

/* 0: not at all. */
static int64_t count_at(const schedules_study *s, const schedule_call *call, int index)
{
    const double count = (s->o->between ? count_factor_between : count_factor)[index] * s->ctx->ranks;
    const int64_t items = (int64_t)count;
    const bool fits = count >= 2 && count <= (double)s->o->most && count == (double)items;
    return fits && (!call->powers_of_two || (items & (items - 1)) == 0) ? items : 0;
}

static int64_t first_bytes(const schedules_study *s, const schedule_call *call, int64_t count)
{
    return 8 * (call->by_count ? count : 1) * (s->o->between && !call->powers_of_two ? 3 : 1);
}

/* Between sizes; those that a table is judged at are fewer. */
static int64_t factor_of(const schedules_study *s, const schedule_call *call)
{
    return s->o->between ? 8 : call->factor;
}

static bool has_room(const schedule_call *call, int64_t count, int64_t bytes)
{
    return bytes <= call->largest && (double)bytes * (double)(call->times_count ? count : 1) <= most_bytes;
}

static int64_t count_points(const schedules_study *s)
{
    int64_t points = 0;
    for (int k = 0; schedule_calls[k]; k++)
        for (int c = 0; is_wanted(s->o, schedule_calls[k]->skeleton) && c < COUNTS; c++) {
            const int64_t count = count_at(s, schedule_calls[k], c);
            for (int64_t bytes = first_bytes(s, schedule_calls[k], count);
                 count > 0 && has_room(schedule_calls[k], count, bytes); bytes *= factor_of(s, schedule_calls[k]))
                points++;
        }
    return points;
}

/* ---- what messages cost ---- */

/* As trees broadcast values with: the rounds of the first algorithm of distl are one message long. */
static int time_message(schedules_study *s, int64_t bytes, double *seconds)
{
    const schedule_call *distl = NULL;
    const int64_t count = s->ctx->ranks > 2 ? s->ctx->ranks : 2;
    for (int k = 0; schedule_calls[k] && !distl; k++)
        distl = strcmp(schedule_calls[k]->skeleton, "distl") == 0 ? schedule_calls[k] : NULL;
    BMF_TRY(schedules_measure(s, distl, count, bytes, NULL));
    *seconds = s->measured[s->count - 1].point.seconds[0] / ceil(log2((double)count));
    return BMF_OK;
}

/* Those of the table that is judged, or as they are measured; where that says nothing, the usual ones. */
static int find_cost(schedules_study *s)
{
    const bmf_cost_model *known = s->o->costs ? cost_table_message(s->o->costs) : NULL;
    double small, large;
    s->cost = known ? *known : fixed_costs;
    s->ctx->cost = s->cost;
    if (s->o->between)
        return BMF_OK;
    BMF_TRY(time_message(s, WORD, &small));
    BMF_TRY(time_message(s, LONG_MESSAGE, &large));
    s->count = 0; /* with other segments */
    if (large > small)
        s->cost = (bmf_cost_model){small, (large - small) / (LONG_MESSAGE - WORD)};
    s->ctx->cost = s->cost;
    return BMF_OK;
}

/* ---- the grid ---- */

void schedules_tell(const schedules_study *s, double done)
{
    if (s->o->progress && bmf_is_root(s->ctx))
        s->o->progress(s->o->progress_state, fmin(done, 1.0));
}

static double grid_share(const bmf_schedules_options *o)
{
    return o->between ? 1.0 : of_grid;
}

/* *done: points of the grid so far, of so many. */
static int measure_counts(schedules_study *s, const schedule_call *call, int64_t points, int64_t *done)
{
    for (int c = 0; c < COUNTS; c++) {
        const int64_t count = count_at(s, call, c);
        bool enough = false;
        for (int64_t bytes = first_bytes(s, call, count); count > 0 && has_room(call, count, bytes);
             bytes *= factor_of(s, call)) {
            double quickest = 0.0;
            if (!enough)
                BMF_TRY(schedules_measure(s, call, count, bytes, &quickest));
            enough = enough || (bytes >= ALWAYS && FEWEST * quickest > s->budget);
            schedules_tell(s, grid_share(s->o) * (double)++*done / (double)points);
        }
    }
    return BMF_OK;
}

static void fill(schedules_study *s)
{
    for (int k = 0; schedule_calls[k]; k++) {
        int64_t counts[COUNTS];
        for (int c = 0; c < COUNTS; c++)
            counts[c] = count_at(s, schedule_calls[k], c);
        if (is_wanted(s->o, schedule_calls[k]->skeleton) && !schedule_calls[k]->powers_of_two)
            schedules_fill(s, schedule_calls[k], COUNTS, counts);
    }
    schedules_sort(s);
}

static int measure_all(schedules_study *s)
{
    const bmf_schedules_options *o = s->o;
    const int64_t points = count_points(s);
    int64_t done = 0;
    s->budget = grid_share(o) * o->seconds / (double)(points > 0 ? points : 1);
    s->began = monotonic_ns();
    if (points == 0)
        return BMF_OK;
    BMF_TRY(find_cost(s));
    for (int k = 0; schedule_calls[k]; k++)
        if (is_wanted(o, schedule_calls[k]->skeleton))
            BMF_TRY(measure_counts(s, schedule_calls[k], points, &done));
    if (o->between)
        return BMF_OK;
    BMF_TRY(schedules_refine(s, o->seconds));
    fill(s);
    return BMF_OK;
}

int measure_schedules(bmf_context *ctx, const bmf_schedules_options *options, bmf_cost_model *message,
                      void (*visit)(void *state, const bmf_schedules_point *point), void *state)
{
    schedules_study s = {.ctx = ctx, .o = options, .cost = fixed_costs};
    int status = check_skeletons(ctx, options->skeletons);
    costs_take(ctx, NULL, 0);
    if (status == BMF_OK)
        status = measure_all(&s);
    for (int64_t k = 0; k < s.count && status == BMF_OK; k++)
        visit(state, &s.measured[k].point);
    if (message)
        *message = s.cost;
    free(s.measured);
    for (int k = 0; schedule_calls[k] && status == BMF_OK; k++)
        if (algorithm_find(schedule_calls[k]->skeleton, NULL))
            bmf_set_schedule(ctx, schedule_calls[k]->skeleton, NULL);
    return status == BMF_OK ? bmf_set_processors(ctx, ctx->ranks) : status;
}
