/* Measuring the algorithms that runs choose between.
 *
 * Method: at every size each algorithm runs twice to warm up, then all run in turns as often as the time for the size
 * allows; a run begins at a barrier and ends when the last rank returns. One that takes ten times as long as the
 * quickest, again and again, is left at that. From 64 KiB on, sizes end where the quickest takes too long to repeat.
 * Cost: about options->seconds. */
#include "predict/measure/schedules.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measure/schedule_calls.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"

enum { WARM = 2, CHANCES = 4, ALWAYS = 1 << 16, FEWEST = 5, MOST = 60, COUNTS = 11 };
static const double hopeless = 10;          /* times the quickest */
static const double most_bytes = 256 << 20; /* of all items together */
static const double lower_quartile = 0.25;

/* Times the number of ranks; 0: none. */
static const double count_factor[COUNTS] = {0.25, 0.5, 1, 2, 3, 4, 6, 8, 16, 32, 64};
static const double count_factor_between[COUNTS] = {0.5, 1, 2, 5, 12, 48};

typedef struct study {
    bmf_context *ctx;
    const bmf_schedules_options *o;
    double budget; /* seconds for a point */
    int64_t points, done;
    void (*visit)(void *state, const bmf_schedules_point *point);
    void *state;
} study;

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
static int64_t count_at(const study *s, const schedule_call *call, int index)
{
    const double count = (s->o->between ? count_factor_between : count_factor)[index] * s->ctx->ranks;
    const int64_t items = (int64_t)count;
    const bool fits = count >= 2 && count <= (double)s->o->most && count == (double)items;
    return fits && (!call->powers_of_two || (items & (items - 1)) == 0) ? items : 0;
}

static int64_t first_bytes(const study *s, const schedule_call *call, int64_t count)
{
    return 8 * (call->by_count ? count : 1) * (s->o->between && !call->powers_of_two ? 3 : 1);
}

/* Between sizes; those that a table is judged at are fewer. */
static int64_t factor_of(const study *s, const schedule_call *call)
{
    return s->o->between ? 8 : call->factor;
}

static bool has_room(const schedule_call *call, int64_t count, int64_t bytes)
{
    return bytes <= call->largest && (double)bytes * (double)(call->times_count ? count : 1) <= most_bytes;
}

static int64_t count_points(const study *s)
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

/* ---- timing ---- */

/* Until the last rank returned; every rank gets the times of all runs at once, afterwards. */
static int run_once(const schedule_call *call, schedule_site *site, int way, int64_t *nanoseconds)
{
    context_meet(site->ctx);
    const int64_t begin = monotonic_ns();
    const int status = call->run(site, way);
    *nanoseconds = monotonic_ns() - begin;
    call->after(site);
    return status;
}

/* The slowest rank's of each of `count` times. */
static int slowest(bmf_context *ctx, int64_t count, int64_t *nanoseconds)
{
    int64_t *all = allocate_array(ctx->ranks * count, (int64_t)sizeof *all);
    const int status = ctx->backend->allgather(ctx, nanoseconds, count, NULL, all);
    for (int64_t k = 0; k < count && status == BMF_OK; k++)
        for (int r = 0; r < ctx->ranks; r++)
            nanoseconds[k] = all[r * count + k] > nanoseconds[k] ? all[r * count + k] : nanoseconds[k];
    free(all);
    return status;
}

static int warm_up(const schedule_call *call, schedule_site *site, int ways, double *seconds)
{
    int64_t taken[WARM * BMF_MEASURE_WAYS];
    for (int k = 0; k < WARM * ways; k++)
        BMF_TRY(run_once(call, site, k % ways, &taken[k]));
    BMF_TRY(slowest(site->ctx, (int64_t)WARM * ways, taken));
    for (int way = 0; way < ways; way++)
        seconds[way] = fmin((double)taken[way], (double)taken[ways + way]) * 1e-9;
    return BMF_OK;
}

/* A short run may have been long because the system gave its core away: those that look hopeless get other chances. */
static int try_again(const study *s, const schedule_call *call, schedule_site *site, int ways, double *seconds)
{
    for (int chance = 0; chance < CHANCES; chance++)
        for (int way = 0; way < ways; way++) {
            int64_t taken;
            if (seconds[way] <= hopeless * gsl_stats_min(seconds, 1, (size_t)ways) || seconds[way] > s->budget)
                continue;
            BMF_TRY(run_once(call, site, way, &taken));
            BMF_TRY(slowest(site->ctx, 1, &taken));
            seconds[way] = fmin(seconds[way], (double)taken * 1e-9);
        }
    return BMF_OK;
}

/* seconds: at first those of warming up. Every rank starts the turns with the same way, each turn with another. */
static int run_turns(const schedule_call *call, schedule_site *site, int ways, int turns, double *seconds)
{
    const double quickest = gsl_stats_min(seconds, 1, (size_t)ways);
    int64_t *taken = allocate_array((int64_t)turns * ways, (int64_t)sizeof *taken);
    double *of_way = allocate_array(turns, (int64_t)sizeof *of_way);
    int status = BMF_OK;
    for (int turn = 0; turn < turns; turn++)
        for (int k = 0; k < ways && status == BMF_OK; k++) {
            const int way = (turn + k) % ways;
            taken[turn * ways + way] = 0;
            if (seconds[way] <= hopeless * quickest)
                status = run_once(call, site, way, &taken[turn * ways + way]);
        }
    if (status == BMF_OK)
        status = slowest(site->ctx, (int64_t)turns * ways, taken);
    for (int way = 0; way < ways && status == BMF_OK; way++) {
        if (seconds[way] > hopeless * quickest)
            continue;
        for (int turn = 0; turn < turns; turn++)
            of_way[turn] = (double)taken[turn * ways + way] * 1e-9;
        gsl_sort(of_way, 1, (size_t)turns);
        seconds[way] = gsl_stats_quantile_from_sorted_data(of_way, 1, (size_t)turns, lower_quartile);
    }
    free(of_way);
    free(taken);
    return status;
}

static int turns_for(const study *s, const double *seconds, int ways)
{
    const double quickest = gsl_stats_min(seconds, 1, (size_t)ways);
    double turn = 0;
    for (int way = 0; way < ways; way++)
        turn += seconds[way] <= hopeless * quickest ? seconds[way] : 0;
    const double turns = s->budget / turn;
    return turns < FEWEST ? FEWEST : turns > MOST ? MOST : (int)turns;
}

/* ---- points ---- */

/* By fixed constants, and by the table of the options. */
static int ask_for_choices(const study *s, const schedule_call *call, schedule_site *site, bmf_schedules_point *point)
{
    bmf_context *ctx = s->ctx;
    const bmf_cost_model before = ctx->cost;
    ctx->cost = fixed_costs;
    int status = call->choose(site, &point->by_constants);
    point->by_costs = -1;
    if (s->o->costs && status == BMF_OK) {
        costs_take(ctx, cost_table_share(s->o->costs), ctx->ranks);
        status = call->choose(site, &point->by_costs);
        costs_take(ctx, NULL, 0);
    }
    ctx->cost = before;
    return status;
}

/* *enough: larger ones would take too long. */
static int measure_point(study *s, const schedule_call *call, int64_t count, int64_t bytes, bool *enough)
{
    schedule_site site = {.ctx = s->ctx, .count = count, .bytes = bytes};
    bmf_schedules_point point = {.skeleton = call->skeleton, .count = count, .bytes = bytes};
    point.ways = schedule_call_ways(call, point.way);
    int status = call->open(&site);
    if (status == BMF_OK)
        status = warm_up(call, &site, point.ways, point.seconds);
    if (status == BMF_OK)
        status = try_again(s, call, &site, point.ways, point.seconds);
    if (status == BMF_OK) {
        const int turns = turns_for(s, point.seconds, point.ways);
        status = run_turns(call, &site, point.ways, turns, point.seconds);
    }
    if (status == BMF_OK)
        status = ask_for_choices(s, call, &site, &point);
    if (status == BMF_OK) {
        s->visit(s->state, &point);
        *enough = bytes >= ALWAYS && FEWEST * gsl_stats_min(point.seconds, 1, (size_t)point.ways) > s->budget;
    }
    schedule_site_close(&site);
    return status;
}

static int measure_counts(study *s, const schedule_call *call)
{
    for (int c = 0; c < COUNTS; c++) {
        const int64_t count = count_at(s, call, c);
        bool enough = false;
        if (count == 0)
            continue;
        BMF_TRY(bmf_set_processors(s->ctx, count));
        for (int64_t bytes = first_bytes(s, call, count); has_room(call, count, bytes); bytes *= factor_of(s, call)) {
            if (!enough)
                BMF_TRY(measure_point(s, call, count, bytes, &enough));
            s->done++;
            if (s->o->progress && bmf_is_root(s->ctx))
                s->o->progress(s->o->progress_state, (double)s->done / (double)s->points);
        }
    }
    return BMF_OK;
}

int measure_schedules(bmf_context *ctx, const bmf_schedules_options *options,
                      void (*visit)(void *state, const bmf_schedules_point *point), void *state)
{
    study s = {.ctx = ctx, .o = options, .visit = visit, .state = state};
    int status = check_skeletons(ctx, options->skeletons);
    s.points = count_points(&s);
    s.budget = options->seconds / (double)(s.points > 0 ? s.points : 1);
    costs_take(ctx, NULL, 0);
    for (int k = 0; schedule_calls[k] && status == BMF_OK; k++)
        if (is_wanted(options, schedule_calls[k]->skeleton))
            status = measure_counts(&s, schedule_calls[k]);
    for (int k = 0; schedule_calls[k] && status == BMF_OK; k++)
        if (algorithm_find(schedule_calls[k]->skeleton, NULL))
            bmf_set_schedule(ctx, schedule_calls[k]->skeleton, NULL);
    return status == BMF_OK ? bmf_set_processors(ctx, ctx->ranks) : status;
}
