/* Timing all algorithms of a skeleton at one size.
 *
 * Method: each runs twice to warm up, then all run in turns as often as the time for the size allows; a run begins at a
 * barrier and ends when the last rank returns. One that takes ten times as long as the quickest, again and again, is
 * left at that. Of the times of one algorithm the lower quartile counts.
 * Cost: about study->budget, and five turns at least. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measure/schedules_private.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { WARM = 2, CHANCES = 4, FEWEST = 5, MOST = 60 };
static const double hopeless = 10; /* times the quickest */
static const double lower_quartile = 0.25;

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
static int try_again(const schedules_study *s, const schedule_call *call, schedule_site *site, int ways,
                     double *seconds)
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

static int turns_for(const schedules_study *s, const double *seconds, int ways)
{
    const double quickest = gsl_stats_min(seconds, 1, (size_t)ways);
    double turn = 0;
    for (int way = 0; way < ways; way++)
        turn += seconds[way] <= hopeless * quickest ? seconds[way] : 0;
    const double turns = s->budget / turn;
    return turns < FEWEST ? FEWEST : turns > MOST ? MOST : (int)turns;
}

/* By fixed constants, and by the table of the options. */
static int ask_for_choices(const schedules_study *s, const schedule_call *call, schedule_site *site,
                           bmf_schedules_point *point)
{
    bmf_context *ctx = s->ctx;
    ctx->cost = fixed_costs;
    int status = call->choose(site, &point->by_constants);
    point->by_costs = -1;
    if (s->o->costs && status == BMF_OK) {
        costs_take(ctx, cost_table_share(s->o->costs), ctx->ranks);
        status = call->choose(site, &point->by_costs);
        costs_take(ctx, NULL, 0);
    }
    ctx->cost = s->cost;
    return status;
}

static int time_site(const schedules_study *s, const schedule_call *call, schedule_site *site,
                     bmf_schedules_point *point)
{
    BMF_TRY(warm_up(call, site, point->ways, point->seconds));
    BMF_TRY(try_again(s, call, site, point->ways, point->seconds));
    return run_turns(call, site, point->ways, turns_for(s, point->seconds, point->ways), point->seconds);
}

static schedule_measured *find_measured(schedules_study *s, const schedule_call *call, int64_t count, int64_t bytes)
{
    for (int64_t k = 0; k < s->count; k++) {
        schedule_measured *m = &s->measured[k];
        if (m->call == call && m->point.count == count && m->point.bytes == bytes)
            return m;
    }
    return NULL;
}

/* The geometric mean of this pass and those before. */
static void join(schedule_measured *m, const bmf_schedules_point *point)
{
    const double before = m->passes, all = before + 1.0;
    for (int way = 0; way < point->ways; way++)
        m->point.seconds[way] = exp((before * log(m->point.seconds[way]) + log(point->seconds[way])) / all);
    m->passes++;
}

int schedules_measure(schedules_study *s, const schedule_call *call, int64_t count, int64_t bytes, double *quickest)
{
    schedule_site site = {.ctx = s->ctx, .count = count, .bytes = bytes};
    bmf_schedules_point point = {.skeleton = call->skeleton, .count = count, .bytes = bytes};
    if (s->processors != count)
        BMF_TRY(bmf_set_processors(s->ctx, count));
    s->processors = count;
    point.ways = schedule_call_ways(call, point.way);
    int status = call->open(&site);
    if (status == BMF_OK)
        status = time_site(s, call, &site, &point);
    if (status == BMF_OK)
        status = ask_for_choices(s, call, &site, &point);
    schedule_site_close(&site);
    BMF_TRY(status);
    if (quickest)
        *quickest = gsl_stats_min(point.seconds, 1, (size_t)point.ways);
    schedule_measured *known = find_measured(s, call, count, bytes);
    if (known)
        join(known, &point);
    else
        *ARRAY_APPEND(s->measured, s->count, s->capacity) = (schedule_measured){call, point, 1};
    return BMF_OK;
}
