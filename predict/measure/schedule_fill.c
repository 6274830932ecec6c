/* Times of numbers of items between those that were measured.
 *
 * Method: the times of every algorithm at all measured numbers and sizes are fitted to what its schedules do
 * (schedule_terms.c). The ratio of a time to its sum is then nearly the same at neighbouring numbers of items, where
 * the times themselves are not: it is interpolated, on a logarithmic scale, between the sizes of each of the two
 * neighbours and between these, at the sizes of the lower one. Sizes that were measured themselves are left alone.
 * Nothing is filled in beyond MOST_ITEMS.
 * Cost: the messages of all schedules, on every rank, some of which have one for each pair of items: tenths of a second
 * on 2 ranks. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "predict/measure/schedule_terms.h"
#include "predict/measure/schedules_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum {
    MOST_BETWEEN = 3, /* numbers of items between two neighbours */
    MOST_ITEMS = 512,
};
static const double apart = 1.2; /* neighbouring sizes are at least so many times apart */

/* Points [begin, end) of one number of items. */
typedef struct curve {
    int64_t begin, end;
} curve;

typedef struct filling {
    schedules_study *study;
    const schedule_call *call;
    int64_t begin, end; /* the call's points, at first */
    const bmf_algorithm *way[BMF_MEASURE_WAYS];
    int ways;
    double coefficient[BMF_MEASURE_WAYS][BMF_TERMS];
    double (*share)[BMF_MEASURE_WAYS]; /* of every point: its seconds to the sum of its terms */
} filling;

static const bmf_schedules_point *point_of(const filling *f, int64_t k)
{
    return &f->study->measured[k].point;
}

static double fitted_seconds(const filling *f, int way, int64_t count, int64_t bytes)
{
    double term[BMF_TERMS];
    schedule_terms(f->way[way], &f->study->cost, f->study->ctx->ranks, count, bytes, term);
    return terms_sum(term, f->coefficient[way]);
}

static void fit_way(filling *f, int way)
{
    const int64_t rows = f->end - f->begin;
    double(*term)[BMF_TERMS] = allocate_array(rows, (int64_t)sizeof *term);
    double *seconds = allocate_array(rows, (int64_t)sizeof *seconds);
    for (int64_t k = 0; k < rows; k++) {
        const bmf_schedules_point *p = point_of(f, f->begin + k);
        schedule_terms(f->way[way], &f->study->cost, f->study->ctx->ranks, p->count, p->bytes, term[k]);
        seconds[k] = p->seconds[way];
    }
    terms_fit(rows, term, seconds, f->coefficient[way]);
    for (int64_t k = 0; k < rows; k++)
        f->share[k][way] = seconds[k] / fmax(terms_sum(term[k], f->coefficient[way]), DBL_MIN);
    free(term);
    free(seconds);
}

static curve curve_of(const filling *f, int64_t count)
{
    curve made = {f->begin, f->begin};
    while (made.begin < f->end && point_of(f, made.begin)->count < count)
        made.begin++;
    for (made.end = made.begin; made.end < f->end && point_of(f, made.end)->count == count;)
        made.end++;
    return made;
}

/* Between the sizes of one number of items, on a logarithmic scale; at the ends as there. */
static double share_at(const filling *f, curve of, int way, int64_t bytes)
{
    int64_t k = of.begin;
    while (k < of.end && point_of(f, k)->bytes < bytes)
        k++;
    if (k == of.begin || k == of.end)
        return f->share[(k == of.end ? k - 1 : k) - f->begin][way];
    const double low = (double)point_of(f, k - 1)->bytes, high = (double)point_of(f, k)->bytes;
    const double part = log((double)bytes / low) / log(high / low);
    return pow(f->share[k - 1 - f->begin][way], 1.0 - part) * pow(f->share[k - f->begin][way], part);
}

static bool was_measured(const filling *f, int64_t count, int64_t bytes)
{
    const curve of = curve_of(f, count);
    for (int64_t k = of.begin; k < of.end; k++) {
        const double times = (double)point_of(f, k)->bytes / (double)bytes;
        if (times < apart && times > 1.0 / apart)
            return true;
    }
    return false;
}

static void add_point(filling *f, curve low, curve high, int64_t count, int64_t bytes)
{
    schedules_study *s = f->study;
    bmf_schedules_point made = *point_of(f, low.begin);
    const double few = (double)made.count, many = (double)point_of(f, high.begin)->count;
    const double part = log((double)count / few) / log(many / few);
    made.count = count;
    made.bytes = bytes;
    made.computed = true;
    for (int way = 0; way < f->ways; way++)
        made.seconds[way] = fitted_seconds(f, way, count, bytes) * pow(share_at(f, low, way, bytes), 1.0 - part) *
                            pow(share_at(f, high, way, bytes), part);
    *ARRAY_APPEND(s->measured, s->count, s->capacity) = (schedule_measured){f->call, made, 0};
}

static void fill_between(filling *f, int64_t few, int64_t many)
{
    const curve low = curve_of(f, few), high = curve_of(f, many);
    const int64_t between = many - few - 1 < MOST_BETWEEN ? many - few - 1 : MOST_BETWEEN;
    if (low.begin == low.end || high.begin == high.end)
        return;
    const int64_t largest = point_of(f, high.end - 1)->bytes;
    for (int64_t n = 1; n <= between; n++) {
        const int64_t count = few + n * (many - few) / (between + 1);
        for (int64_t k = low.begin; k < low.end && point_of(f, k)->bytes <= largest; k++)
            if (!was_measured(f, count, point_of(f, k)->bytes))
                add_point(f, low, high, count, point_of(f, k)->bytes);
    }
}

/* The call's algorithms; false: it has other ways. */
static bool find_ways(filling *f, const schedule_call *call)
{
    const char *name[BMF_MEASURE_WAYS];
    f->ways = schedule_call_ways(call, name);
    for (int way = 0; way < f->ways; way++)
        f->way[way] = algorithm_find(call->skeleton, name[way]);
    return f->way[0];
}

void schedules_fill(schedules_study *s, const schedule_call *call, int counts, const int64_t *count)
{
    filling f = {.study = s, .call = call};
    while (f.begin < s->count && s->measured[f.begin].call != call)
        f.begin++;
    for (f.end = f.begin; f.end < s->count && s->measured[f.end].call == call;)
        f.end++;
    while (f.end > f.begin && point_of(&f, f.end - 1)->count > MOST_ITEMS)
        f.end--;
    if (f.begin == f.end || !find_ways(&f, call))
        return;
    f.share = allocate_array(f.end - f.begin, (int64_t)sizeof *f.share);
    for (int way = 0; way < f.ways; way++)
        fit_way(&f, way);
    int64_t few = 0;
    for (int c = 0; c < counts; c++)
        if (count[c] > 0) {
            if (few > 0)
                fill_between(&f, few, count[c]);
            few = count[c];
        }
    free(f.share);
}
