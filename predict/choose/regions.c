/* Parts of a program over numbers of processors; see regions.h.
 *
 * Method: the time of a part is that of its interval (predict/report/intervals.h). Every choice of terms of an equation
 * is fitted by least squares of the relative errors with coefficients that are not negative, and the one with the least
 * Bayesian information criterion is taken; deviations below a thousandth do not count, since no term explains them.
 * Source: A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using automated performance modeling to find scalability bugs in
 * complex codes" (SC 2013), for functions of a program over processors by few terms. Cost: 15 fits a part. */
#include "predict/choose/regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals.h"
#include "predict/sheet/nonnegative.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

enum { PATH = 512, FEWEST = 3 };

static const double exact = 1e-6; /* mean square of relative deviations that needs no explanation */

void regions_create(bmf_regions *regions, int64_t numbers, const int64_t *processors)
{
    *regions = (bmf_regions){.numbers = numbers};
    regions->processors = allocate_array(numbers, (int64_t)sizeof *regions->processors);
    regions->whole = allocate_array(numbers, (int64_t)sizeof *regions->whole);
    for (int64_t k = 0; k < numbers; k++) {
        regions->processors[k] = processors[k];
        regions->whole[k] = NAN;
    }
}

void regions_free(bmf_regions *regions)
{
    for (int64_t k = 0; k < regions->count; k++) {
        free(regions->region[k].path);
        free(regions->region[k].seconds);
    }
    free(regions->region);
    free(regions->processors);
    free(regions->whole);
    *regions = (bmf_regions){0};
}

/* ---- times ---- */

static bmf_region *find_region(bmf_regions *regions, const char *path, bool is_call)
{
    for (int64_t k = 0; k < regions->count; k++)
        if (regions->region[k].is_call == is_call && strcmp(regions->region[k].path, path) == 0)
            return &regions->region[k];
    bmf_region *made = ARRAY_APPEND(regions->region, regions->count, regions->capacity);
    *made = (bmf_region){.path = text_copy(path), .is_call = is_call};
    made->seconds = allocate_array(regions->numbers, (int64_t)sizeof *made->seconds);
    for (int64_t k = 0; k < regions->numbers; k++)
        made->seconds[k] = NAN;
    return made;
}

static bool is_call(const bmf_trace_run *run, const bmf_interval *interval)
{
    return run->node[interval->node].kind == BMF_EVENT_SKELETON;
}

/* A part that the list has: no program, and nothing that is inside of a call. */
static bool is_listed(const bmf_trace_run *run, const bmf_intervals *intervals, int64_t index)
{
    for (int64_t at = intervals->interval[index].parent; at >= 0; at = intervals->interval[at].parent)
        if (is_call(run, &intervals->interval[at]))
            return false;
    return intervals->interval[index].parent >= 0;
}

static const char *path_of(const bmf_trace_run *run, uint32_t node, char path[PATH])
{
    static const char root[] = "main/";
    run_path(run, node, path, PATH);
    return strncmp(path, root, sizeof root - 1) == 0 ? path + sizeof root - 1 : path;
}

static void add_intervals(bmf_regions *regions, int64_t number, const bmf_trace_run *run,
                          const bmf_intervals *intervals)
{
    char path[PATH];
    regions->whole[number] = (double)intervals->interval[0].all.execution * 1e-9;
    for (int64_t k = 0; k < intervals->count; k++) {
        const bmf_interval *interval = &intervals->interval[k];
        if (!is_listed(run, intervals, k))
            continue;
        bmf_region *region = find_region(regions, path_of(run, interval->node, path), is_call(run, interval));
        const double seconds = (double)interval->all.execution * 1e-9;
        region->seconds[number] = isnan(region->seconds[number]) ? seconds : region->seconds[number] + seconds;
        if (interval->parent > 0)
            find_region(regions, path_of(run, intervals->interval[interval->parent].node, path), false)->has_parts =
                true;
    }
}

int regions_add(bmf_regions *regions, int64_t number, bmf_trace_run *run)
{
    bmf_intervals *intervals;
    BMF_TRY(intervals_create(run, NULL, &intervals));
    add_intervals(regions, number, run, intervals);
    intervals_free(intervals);
    return BMF_OK;
}

/* ---- equations ---- */

static void basis(double p, double value[BMF_REGION_TERMS])
{
    value[BMF_REGION_CONSTANT] = 1.0;
    value[BMF_REGION_DIVIDED] = 1.0 / p;
    value[BMF_REGION_LOGARITHMIC] = log2(p);
    value[BMF_REGION_LINEAR] = p;
}

double region_time(const bmf_region *region, double processors)
{
    double value[BMF_REGION_TERMS], sum = 0.0;
    basis(processors, value);
    for (int k = 0; k < BMF_REGION_TERMS; k++)
        sum += region->coefficient[k] * value[k];
    return sum;
}

double region_rest(const bmf_region *region, double processors)
{
    return region_time(region, processors) - region->coefficient[BMF_REGION_DIVIDED] / processors;
}

double region_least(const bmf_region *region)
{
    const double d = region->coefficient[BMF_REGION_DIVIDED],
                 l = region->coefficient[BMF_REGION_LOGARITHMIC] / log(2.0), p = region->coefficient[BMF_REGION_LINEAR];
    /* - d / x^2 + l / x + p = 0 */
    if (l <= 0.0 && p <= 0.0)
        return d > 0.0 ? INFINITY : 1.0;
    const double root = p > 0.0 ? (sqrt(l * l + 4.0 * p * d) - l) / (2.0 * p) : d / l;
    return fmax(root, 1.0);
}

/* The points of one part: times above zero. */
typedef struct points {
    int64_t count;
    const int64_t *processors;
    double *p, *seconds, *weight, *x;
} points;

/* Fits the terms of a mask; returns the criterion. */
static double fit_terms(const points *of, int mask, double coefficient[BMF_REGION_TERMS])
{
    double value[BMF_REGION_TERMS], b[BMF_REGION_TERMS] = {0};
    int columns = 0;
    for (int64_t k = 0; k < of->count; k++) {
        columns = 0;
        basis(of->p[k], value);
        for (int term = 0; term < BMF_REGION_TERMS; term++)
            columns += mask >> term & 1;
        for (int term = 0, column = 0; term < BMF_REGION_TERMS; term++)
            if (mask >> term & 1)
                of->x[k * columns + column++] = value[term];
    }
    const double n = (double)of->count, sum = nonnegative_fit(of->count, columns, of->x, of->seconds, of->weight, b);
    for (int term = 0, column = 0; term < BMF_REGION_TERMS; term++)
        coefficient[term] = mask >> term & 1 ? b[column++] : 0.0;
    return n * log(fmax(sum / n, exact)) + (double)columns * log(n);
}

static int terms_of(int mask)
{
    int terms = 0;
    for (; mask; mask >>= 1)
        terms += mask & 1;
    return terms;
}

static void fit_region(bmf_region *region, const points *of)
{
    double least = INFINITY, coefficient[BMF_REGION_TERMS];
    for (int mask = 1; mask < 1 << BMF_REGION_TERMS; mask++) {
        if (terms_of(mask) >= of->count)
            continue;
        const double criterion = fit_terms(of, mask, coefficient);
        if (criterion < least) {
            least = criterion;
            memcpy(region->coefficient, coefficient, sizeof coefficient);
            region->fitted = true;
        }
    }
    for (int64_t k = 0; k < of->count; k++)
        region->deviation = fmax(region->deviation, fabs(region_time(region, of->p[k]) / of->seconds[k] - 1.0));
}

void regions_fit(bmf_regions *regions)
{
    const int64_t n = regions->numbers;
    points of = {.p = allocate_array(n, (int64_t)sizeof(double)),
                 .seconds = allocate_array(n, (int64_t)sizeof(double)),
                 .weight = allocate_array(n, (int64_t)sizeof(double)),
                 .x = allocate_array(n * BMF_REGION_TERMS, (int64_t)sizeof(double))};
    for (int64_t r = 0; r < regions->count; r++) {
        bmf_region *region = &regions->region[r];
        of.count = 0;
        for (int64_t k = 0; k < n; k++) {
            if (!(region->seconds[k] > 0.0))
                continue;
            of.p[of.count] = (double)regions->processors[k];
            of.seconds[of.count] = region->seconds[k];
            of.weight[of.count++] = 1.0 / (region->seconds[k] * region->seconds[k]);
        }
        if (of.count >= FEWEST)
            fit_region(region, &of);
    }
    free(of.p);
    free(of.seconds);
    free(of.weight);
    free(of.x);
}

/* ---- what is said ---- */

const char *region_equation(const bmf_region *region, char *text, size_t size)
{
    static const char *const behind[] = {"", " / p", " log2(p)", " p"};
    char time[48];
    size_t used = 0;
    snprintf(text, size, "%s", region->fitted ? "0" : "-");
    for (int term = 0; term < BMF_REGION_TERMS && region->fitted; term++)
        if (region->coefficient[term] > 0.0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? " + " : "",
                                     time_text(region->coefficient[term], time, sizeof time), behind[term]);
    return text;
}

int64_t regions_worst(const bmf_regions *regions, int64_t *number)
{
    int64_t worst = -1, last = regions->numbers - 1;
    while (last >= 0 && isnan(regions->whole[last]))
        last--;
    *number = last;
    for (int64_t k = 0; k < regions->count && last >= 0; k++) {
        const bmf_region *region = &regions->region[k];
        const double p = (double)regions->processors[last];
        if (region->fitted && !region->has_parts && !isnan(region->seconds[last]) &&
            (worst < 0 || region_rest(region, p) > region_rest(&regions->region[worst], p)))
            worst = k;
    }
    return worst;
}
