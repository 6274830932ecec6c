/* Which points are measured, and how often.
 *
 * Method: groups of 2, 3, 4, 6, 8, 12, .. ranks and all of them (with 1 where that means something); element counts by
 * a factor. What one repetition of each point costs is found out first. Then the time is shared: a ceiling for the
 * seconds that one point may take is found by bisection so that all together take the time there is. A point dearer
 * than that gets fewer repetitions, but at least MEASURE_FEWEST; if even those take too long, the points of which a
 * single repetition is dearest are left out.
 * Cost: some hundred passes over the points. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { BISECTIONS = 60 };

const char *measure_unsupported_reason(const measure_operation *operation, const measure_limits *limits)
{
    if (operation->family == BMF_FAMILY_THREADS)
        return limits->team < 2 ? "needs at least 2 threads" : NULL;
    if (limits->ranks >= operation->min_ranks)
        return NULL;
    return operation->min_ranks > 2 ? "needs at least 3 ranks" : "needs at least 2 ranks";
}

/* ---- points ---- */

static void add_point(measure_plan *plan, const measure_point *point)
{
    measure_point *added = ARRAY_APPEND(plan->point, plan->count, plan->capacity);
    *added = *point;
    added->wanted = plan->repeats;
    added->seconds = allocate_clear(plan->repeats, (int64_t)sizeof(double));
}

static bool fits(const measure_point *point, const measure_limits *limits)
{
    const measure_operation *operation = point->operation;
    const int64_t copies = operation->memory ? operation->memory(point->ranks) : 2;
    return point->elements <= INT_MAX / point->ranks &&
           point->elements <= limits->memory / (copies * (int64_t)MEASURE_WORD);
}

static int64_t max_elements(const measure_operation *operation, const bmf_measure_options *options,
                            const measure_limits *limits)
{
    if (options->max_elements > 0)
        return options->max_elements;
    if (operation->max == MEASURE_TWICE_CACHES)
        return limits->caches / 2;
    return operation->max == MEASURE_BEYOND_CACHES ? limits->caches : operation->max;
}

static int64_t power_of_two_from(int64_t number)
{
    int64_t power = 1;
    while (power < number)
        power *= 2;
    return power;
}

/* All element counts of an operation for one group. The counts are the same whatever the limits. */
static void add_sizes(const bmf_measure_options *options, const measure_limits *limits, measure_point point,
                      measure_plan *plan)
{
    const measure_operation *operation = point.operation;
    int64_t last = 0;
    if (operation->max == 0) {
        add_point(plan, &point);
        return;
    }
    for (int64_t d = operation->min; d <= max_elements(operation, options, limits); d *= options->factor) {
        point.elements = operation->powers_of_two ? power_of_two_from(d) : d;
        if (point.elements == last || point.elements < options->min_elements)
            continue;
        last = point.elements;
        point.left_out = !fits(&point, limits);
        add_point(plan, &point);
        point.step++;
    }
}

/* 1, 2, 3, 4, 6, 8, 12, .., or powers of two; the last one is `most`. */
static int next_size(const measure_limits *limits, int size, int max)
{
    const bool power = (size & (size - 1)) == 0;
    const int next = limits->oversubscribed ? 2 * size : size < 3 ? size + 1 : power ? size / 2 * 3 : size / 3 * 4;
    return size < max && next > max ? max : next;
}

static void add_groups(const bmf_measure_options *options, const measure_limits *limits, measure_point point,
                       measure_plan *plan)
{
    const bool threads = point.operation->family == BMF_FAMILY_THREADS;
    const int max = threads ? limits->team : limits->ranks;
    for (int last = 0, size = point.operation->min_ranks; last < max;
         last = size, size = next_size(limits, size, max)) {
        if (point.operation->powers_of_two && (size & (size - 1)) != 0)
            continue;
        point.p = size;
        point.ranks = threads ? 1 : size;
        add_sizes(options, limits, point, plan);
    }
}

static void add_operation(const bmf_measure_options *options, const measure_limits *limits,
                          const measure_operation *operation, measure_plan *plan)
{
    measure_point point = {.operation = operation, .cached = options->cached && !operation->one_series};
    if (operation->family == BMF_FAMILY_PAIR) {
        point.p = point.ranks = 2;
        add_sizes(options, limits, point, plan);
    } else if (operation->family == BMF_FAMILY_LOCAL) {
        point.p = 1;
        point.ranks = limits->ranks;
        add_sizes(options, limits, point, plan);
    } else {
        add_groups(options, limits, point, plan);
    }
}

void measure_plan_create(const bmf_measure_options *options, const measure_limits *limits, measure_plan *plan)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    *plan = (measure_plan){.repeats = options->repeats};
    for (int k = 0; k < count; k++)
        if (measure_is_listed(options->operations, operation[k]) && !measure_unsupported_reason(operation[k], limits))
            add_operation(options, limits, operation[k], plan);
}

void measure_plan_free(measure_plan *plan)
{
    for (int64_t i = 0; i < plan->count; i++)
        free(plan->point[i].seconds);
    free(plan->point);
    *plan = (measure_plan){0};
}

/* ---- repetitions ---- */

/* The first repetition of a pass does not count, so that a pass should have two more. */
static int passes_of(int repetitions)
{
    const int passes = repetitions / 2;
    return passes < 1 ? 1 : passes < MEASURE_PASSES ? passes : MEASURE_PASSES;
}

/* A point with fewer passes takes part in every second, third, .. one. */
int measure_plan_repetitions(const measure_point *point, int pass)
{
    const int passes = passes_of(point->planned), k = (pass * passes + MEASURE_PASSES - 1) / MEASURE_PASSES;
    const bool in = k < passes && k * MEASURE_PASSES / passes == pass;
    return in ? point->planned * (k + 1) / passes - point->planned * k / passes : 0;
}

double measure_plan_left(const measure_plan *plan, int pass, int64_t first)
{
    double left = 0;
    for (; pass < MEASURE_PASSES; pass++, first = 0)
        for (int64_t i = first; i < plan->count; i++) {
            const int repetitions = measure_plan_repetitions(&plan->point[i], pass);
            left += repetitions > 0 ? plan->point[i].cost * (repetitions + 1) : 0;
        }
    return left;
}

static double seconds_of(const measure_point *point, int wanted)
{
    const int repetitions = wanted - point->count;
    return repetitions > 0 ? point->cost * (repetitions + passes_of(repetitions)) : 0;
}

static int fewest(const measure_plan *plan)
{
    return plan->repeats < MEASURE_FEWEST ? plan->repeats : MEASURE_FEWEST;
}

/* Repetitions of a point that may take `ceiling` seconds. */
static int wanted_under(const measure_plan *plan, const measure_point *point, double ceiling)
{
    int wanted = plan->repeats;
    while (wanted > fewest(plan) && wanted > point->count && seconds_of(point, wanted) > ceiling)
        wanted--;
    return wanted;
}

static double total_under(const measure_plan *plan, double ceiling)
{
    double total = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (!plan->point[i].left_out)
            total += seconds_of(&plan->point[i], wanted_under(plan, &plan->point[i], ceiling));
    return total;
}

/* Fewest repetitions of all points of which one costs at most `dearest`. */
static double min_total(const measure_plan *plan, double dearest)
{
    double total = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (!plan->point[i].left_out && plan->point[i].cost <= dearest)
            total += seconds_of(&plan->point[i], fewest(plan));
    return total;
}

static double bisect(const measure_plan *plan, double (*total)(const measure_plan *, double), double seconds)
{
    double low = 1e-9, high = 1e6; /* in seconds, on a logarithmic scale */
    if (total(plan, high) <= seconds)
        return high;
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = sqrt(low * high);
        if (total(plan, middle) <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void measure_plan_share(measure_plan *plan, double seconds)
{
    const double dearest = bisect(plan, min_total, seconds);
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->point[i].cost > dearest && plan->point[i].count < fewest(plan))
            plan->point[i].left_out = true;
    const double ceiling = bisect(plan, total_under, seconds);
    for (int64_t i = 0; i < plan->count; i++) {
        measure_point *point = &plan->point[i];
        point->wanted = wanted_under(plan, point, ceiling);
        point->planned = point->left_out || point->wanted <= point->count ? 0 : point->wanted - point->count;
    }
}
