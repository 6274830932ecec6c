/* Losses of choices, by leaving out one series after the other; see the header. Cost: n s^2 for n sizes, s series. */
#include "drivers/sheet/judge_schedules.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

static const double behind = 0.05;

static bool same_size(const bmf_schedules_point *a, const bmf_schedules_point *b)
{
    return a->count == b->count && a->bytes == b->bytes && strcmp(a->skeleton, b->skeleton) == 0;
}

/* The point in another series, which has it at about the same place; NULL: it was too long there. */
static const bmf_schedules_point *find_point(const bmf_schedules_series *in, const bmf_schedules_point *wanted)
{
    for (int64_t k = 0; k < in->points; k++)
        if (same_size(&in->point[k], wanted))
            return &in->point[k];
    return NULL;
}

/* Of all series but one; `leave` -1: of all. */
static double median_of(int64_t series, const bmf_schedules_point *const *at, int way, int64_t leave)
{
    double *value = allocate_array(series, (int64_t)sizeof *value);
    size_t count = 0;
    for (int64_t s = 0; s < series; s++)
        if (s != leave || series == 1)
            value[count++] = at[s]->seconds[way];
    gsl_sort(value, 1, count);
    const double median = gsl_stats_median_from_sorted_data(value, 1, count);
    free(value);
    return median;
}

static int best_of(int64_t series, const bmf_schedules_point *const *at, int64_t leave)
{
    int best = 0;
    double least = median_of(series, at, 0, leave);
    for (int way = 1; way < at[0]->ways; way++) {
        const double seconds = median_of(series, at, way, leave);
        if (seconds < least) {
            least = seconds;
            best = way;
        }
    }
    return best;
}

static bmf_schedules_loss judge_choice(int64_t series, const bmf_schedules_point *const *at, int choice)
{
    double *loss = allocate_array(series, (int64_t)sizeof *loss);
    bmf_schedules_loss made = {0};
    for (int64_t s = 0; s < series && choice >= 0; s++)
        loss[s] = at[s]->seconds[choice] / at[s]->seconds[best_of(series, at, s)] - 1.0;
    if (choice >= 0) {
        made.mean = gsl_stats_mean(loss, 1, (size_t)series);
        const double error =
            series > 1 ? gsl_stats_sd(loss, 1, (size_t)series) / sqrt((double)series) : fabs(made.mean);
        const double side = series > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)series - 1.0) * error : error;
        made.low = made.mean - side;
        made.high = made.mean + side;
    }
    free(loss);
    return made;
}

int64_t judge_schedules(int64_t series, const bmf_schedules_series *all, bmf_judged_point **judged)
{
    const bmf_schedules_point **at = allocate_array(series, (int64_t)sizeof(const bmf_schedules_point *));
    int64_t count = 0;
    *judged = allocate_array(all[0].points, (int64_t)sizeof **judged);
    for (int64_t k = 0; k < all[0].points; k++) {
        bool everywhere = true;
        for (int64_t s = 0; s < series && everywhere; s++) {
            at[s] = find_point(&all[s], &all[0].point[k]);
            everywhere = at[s];
        }
        if (!everywhere)
            continue;
        bmf_judged_point *made = &(*judged)[count++];
        *made = (bmf_judged_point){.point = at[0],
                                   .costs = judge_choice(series, at, at[0]->by_costs),
                                   .constants = judge_choice(series, at, at[0]->by_constants)};
        for (int way = 0; way < at[0]->ways; way++)
            made->seconds[way] = median_of(series, at, way, -1);
    }
    free(at);
    return count;
}

bool loss_is_behind(const bmf_schedules_loss *loss)
{
    return loss->mean > behind;
}

bool loss_persists(const bmf_schedules_loss *loss)
{
    return loss->low > behind;
}
