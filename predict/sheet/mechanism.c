/* Times of kernels from what they do: evaluating and fitting; method and source in the header.
 *
 * Method of the fit: times of the same work are drawn together to their median. For each of a grid of (overlap, share)
 * the mix of computing and moving is replaced by its tangent, the coefficients are found by least squares of relative
 * errors with none below zero, and so on until they stay. A form's probability is its likelihood with unknown noise,
 * times that of its share: the machine's memory is that of any program, so shares are near 1 (a factor of e^(1/4) is
 * one standard deviation) unless the times say otherwise. Cost: some hundred solutions of 4 unknowns over the points.
 */
#include "predict/sheet/mechanism.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/nonnegative.h"
#include "runtime/base/allocate.h"

enum { MAX_POINTS = 256, MIN_SIZES = 3, ROUNDS = 30, HALVINGS = 5, COLUMNS = 5, GRID = 32 };
static const double repeatable = 0.06; /* relative: as memory itself is known; less tells forms apart no more */
static const double share_spread = 0.25;
static const double overlaps[] = {1.0, 2.0, 4.0, 8.0}, shares[] = {0.6, 0.8, 1.0, 1.25, 1.6};
static const double guess_error = 0.5;
enum { OVERLAPS = sizeof overlaps / sizeof *overlaps, SHARES = sizeof shares / sizeof *shares };

/* ---- what a kernel needs ---- */

static double footprint_of(const bmf_kernel_work *work)
{
    return (double)(work->footprint > 0 ? work->footprint : work->read + work->written);
}

void mechanism_needs(const bmf_memory *memory, const bmf_kernel_work *work, double p, double threads,
                     bmf_mechanism_needs *needs)
{
    const double cores = p * threads, footprint = footprint_of(work), each = footprint / threads;
    const double fresh = (double)work->fresh / threads;
    const bool huge = work->fresh >= BMF_MEMORY_HUGE_PAGE;
    double traffic = (double)work->read * memory_seconds(memory, BMF_MEMORY_READ, cores, each);
    traffic += (double)work->written * memory_seconds(memory, BMF_MEMORY_WRITE, cores, each);
    traffic +=
        (double)(work->random * (int64_t)sizeof(int64_t)) * memory_seconds(memory, BMF_MEMORY_RANDOM, cores, each);
    *needs =
        (bmf_mechanism_needs){.operations = (double)work->operations / threads,
                              .lists = (double)work->lists / threads,
                              .traffic = traffic / threads,
                              .touching = huge ? fresh * memory_seconds(memory, BMF_MEMORY_TOUCH, cores, fresh) : 0.0,
                              .faulting = huge ? 0.0 : fresh * memory_seconds(memory, BMF_MEMORY_FAULT, cores, fresh),
                              .footprint = footprint};
}

/* ---- asking ---- */

static double mix(double computing, double moving, double overlap)
{
    const double larger = fmax(computing, moving), smaller = fmin(computing, moving);
    return larger > 0.0 ? larger * pow(1.0 + pow(smaller / larger, overlap), 1.0 / overlap) : 0.0;
}

static double form_seconds(const bmf_mechanism_form *form, const bmf_mechanism_needs *needs)
{
    const double computing = form->operation * needs->operations + form->list * needs->lists;
    return form->start + mix(computing, form->share * needs->traffic, form->overlap) + form->first * needs->touching +
           form->fault * needs->faulting;
}

void mechanism_evaluate(const bmf_mechanism *mechanism, const bmf_memory *memory, double p, const bmf_kernel_work *work,
                        const bmf_kernel_work *known, bmf_mechanism_estimate *estimate)
{
    bmf_mechanism_needs needs, needs_known;
    double value[BMF_MECHANISM_FORMS], mean = 0.0, variance = 0.0;
    mechanism_needs(memory, work, p, mechanism->threads, &needs);
    if (known)
        mechanism_needs(memory, known, p, mechanism->threads, &needs_known);
    for (int k = 0; k < mechanism->forms; k++) {
        const bmf_mechanism_form *form = &mechanism->form[k];
        const double there = known ? form_seconds(form, &needs_known) : 1.0;
        value[k] = there > 0.0 ? form_seconds(form, &needs) / there : 1.0;
        mean += form->weight * value[k];
    }
    for (int k = 0; k < mechanism->forms; k++)
        variance += mechanism->form[k].weight * (value[k] - mean) * (value[k] - mean);
    const double fitted = mechanism->misfit * mean / 2.0, noise = mechanism->noise * mean;
    *estimate =
        (bmf_mechanism_estimate){.mean = mean,
                                 .form_variance = variance + (known ? 0.0 : fitted * fitted),
                                 .noise_variance = noise * noise,
                                 .inside = needs.footprint >= mechanism->low && needs.footprint <= mechanism->high};
}

/* ---- points ---- */

typedef struct point {
    bmf_mechanism_needs needs;
    double seconds;
} point;

typedef struct points {
    int64_t count;
    point *point;
    double spread; /* of single times around their point, relative */
    int64_t times;
    double x[MAX_POINTS * COLUMNS], y[MAX_POINTS], weight[MAX_POINTS];
} points;

typedef struct seen {
    point at;
    bmf_mechanism_time time;
} seen;

static double size_of(const bmf_mechanism_needs *needs)
{
    return needs->operations + needs->footprint;
}

static int by_needs(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    const double first = size_of(&x->at.needs), second = size_of(&y->at.needs);
    if (first != second)
        return first < second ? -1 : 1;
    if (x->at.needs.touching != y->at.needs.touching)
        return x->at.needs.touching < y->at.needs.touching ? -1 : 1;
    if (x->at.needs.faulting != y->at.needs.faulting)
        return x->at.needs.faulting < y->at.needs.faulting ? -1 : 1;
    if (x->time.p != y->time.p)
        return x->time.p < y->time.p ? -1 : 1;
    return (x->at.seconds > y->at.seconds) - (x->at.seconds < y->at.seconds);
}

static bool same_needs(const seen *a, const seen *b)
{
    return memcmp(&a->at.needs, &b->at.needs, sizeof a->at.needs) == 0 && a->time.p == b->time.p;
}

/* One point of several times with about the same needs: means of these, the median of the seconds. */
static void draw_together(const seen *time, int64_t count, points *made)
{
    point *to = &made->point[made->count++];
    double *seconds = allocate_array(count, (int64_t)sizeof *seconds);
    *to = (point){0};
    for (int64_t k = 0; k < count; k++) {
        const bmf_mechanism_needs *needs = &time[k].at.needs;
        to->needs.operations += needs->operations / (double)count;
        to->needs.lists += needs->lists / (double)count;
        to->needs.traffic += needs->traffic / (double)count;
        to->needs.touching += needs->touching / (double)count;
        to->needs.faulting += needs->faulting / (double)count;
        to->needs.footprint += needs->footprint / (double)count;
        seconds[k] = time[k].at.seconds;
    }
    gsl_sort(seconds, 1, (size_t)count);
    to->seconds = gsl_stats_median_from_sorted_data(seconds, 1, (size_t)count);
    for (int64_t k = 0; k < count && to->seconds > 0.0; k++) {
        const double relative = fmin(seconds[k] / to->seconds - 1.0, 1.0); /* what is twice as long was disturbed */
        made->spread += relative * relative;
    }
    made->times += count;
    free(seconds);
}

static void make_points(const bmf_memory *memory, int64_t count, const bmf_mechanism_time *time, points *made)
{
    seen *all = allocate_clear(count, (int64_t)sizeof *all);
    int64_t groups = 0;
    for (int64_t k = 0; k < count; k++) {
        all[k].time = time[k];
        all[k].at.seconds = time[k].seconds;
        mechanism_needs(memory, &time[k].work, time[k].p, time[k].threads, &all[k].at.needs);
    }
    qsort(all, (size_t)count, sizeof *all, by_needs);
    for (int64_t k = 0; k < count; k++)
        groups += k == 0 || !same_needs(&all[k - 1], &all[k]);
    const int64_t together = (groups + MAX_POINTS - 1) / MAX_POINTS; /* neighbours of nearly the same size */
    made->point = allocate_array(MAX_POINTS + 1, (int64_t)sizeof *made->point);
    for (int64_t begin = 0, end, met; begin < count; begin = end) {
        for (end = begin + 1, met = 1; end < count; end++) {
            met += !same_needs(&all[end - 1], &all[end]);
            if (met > together)
                break;
        }
        if (all[begin].at.seconds > 0.0 || end - begin > 1)
            draw_together(all + begin, end - begin, made);
        if (made->count > 0 && !(made->point[made->count - 1].seconds > 0.0))
            made->count--;
    }
    free(all);
}

/* ---- one form ---- */

static double residual_of(const points *p, const bmf_mechanism_form *form)
{
    double sum = 0.0;
    for (int64_t k = 0; k < p->count; k++) {
        const double off = form_seconds(form, &p->point[k].needs) / p->point[k].seconds - 1.0;
        sum += fmin(off * off, 1.0);
    }
    return sum;
}

/* The least squares of the tangent at the form's coefficients. */
static void solve_tangent(points *p, const bmf_mechanism_form *at, bmf_mechanism_form *found)
{
    double b[COLUMNS];
    for (int64_t k = 0; k < p->count; k++) {
        const bmf_mechanism_needs *n = &p->point[k].needs;
        const double computing = at->operation * n->operations + at->list * n->lists, moving = at->share * n->traffic;
        const double mixed = mix(computing, moving, at->overlap), power = at->overlap - 1.0;
        const double slope = mixed > 0.0 ? pow(computing / mixed, power) : 1.0;
        const double rest = mixed > 0.0 ? moving * pow(moving / mixed, power) : 0.0;
        double *row = p->x + k * COLUMNS;
        row[0] = 1.0;
        row[1] = slope * n->operations;
        row[2] = slope * n->lists;
        row[3] = n->touching;
        row[4] = n->faulting;
        p->y[k] = p->point[k].seconds - rest;
        p->weight[k] = 1.0 / (p->point[k].seconds * p->point[k].seconds);
    }
    nonnegative_fit(p->count, COLUMNS, p->x, p->y, p->weight, b);
    found->start = b[0];
    found->operation = b[1];
    found->list = b[2];
    found->first = b[3];
    found->fault = b[4];
}

static bmf_mechanism_form between(const bmf_mechanism_form *a, const bmf_mechanism_form *b)
{
    bmf_mechanism_form middle = *a;
    middle.start = (a->start + b->start) / 2.0;
    middle.operation = (a->operation + b->operation) / 2.0;
    middle.list = (a->list + b->list) / 2.0;
    middle.first = (a->first + b->first) / 2.0;
    middle.fault = (a->fault + b->fault) / 2.0;
    return middle;
}

/* Coefficients for the form's overlap and share; returns the residual. It begins where all time is computing. */
static double fit_form(points *p, bmf_mechanism_form *form)
{
    double operations = 0.0;
    for (int64_t k = 0; k < p->count; k++)
        operations += p->point[k].needs.operations / p->point[k].seconds;
    form->operation = operations > 0.0 ? (double)p->count / operations : 0.0;
    double residual = residual_of(p, form);
    for (int round = 0; round < ROUNDS; round++) {
        bmf_mechanism_form next = *form;
        solve_tangent(p, form, &next);
        double changed = residual_of(p, &next);
        for (int k = 0; k < HALVINGS && changed > residual; k++) {
            next = between(form, &next);
            changed = residual_of(p, &next);
        }
        if (!(changed < residual))
            break;
        const bool settled = changed > residual * (1.0 - 1e-9);
        residual = changed;
        *form = next;
        if (settled)
            break;
    }
    return residual;
}

/* ---- all forms ---- */

static int heavier(const void *a, const void *b)
{
    const bmf_mechanism_form *x = a, *y = b;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

/* Keeps the most probable forms; weights are logarithms before. */
static void keep_forms(int forms, bmf_mechanism_form *form, bmf_mechanism *mechanism)
{
    double sum = 0.0;
    qsort(form, (size_t)forms, sizeof *form, heavier);
    mechanism->forms = 0;
    for (int k = 0; k < forms && k < BMF_MECHANISM_FORMS; k++) {
        const double weight = exp(form[k].weight - form[0].weight);
        if (weight < 1e-4)
            break;
        mechanism->form[mechanism->forms] = form[k];
        mechanism->form[mechanism->forms++].weight = weight;
        sum += weight;
    }
    for (int k = 0; k < mechanism->forms; k++)
        mechanism->form[k].weight /= sum;
}

static void add_form(points *p, double overlap, double share, double prior, int *forms, bmf_mechanism_form *form)
{
    bmf_mechanism_form *made = &form[(*forms)++];
    const double n = (double)p->count;
    *made = (bmf_mechanism_form){.overlap = overlap, .share = share};
    made->weight = log(prior) - n / 2.0 * log(fit_form(p, made) / n + repeatable * repeatable);
}

static double misfit_of(const points *p, const bmf_mechanism *mechanism)
{
    double sum = 0.0;
    for (int64_t k = 0; k < p->count; k++) {
        double mean = 0.0;
        for (int f = 0; f < mechanism->forms; f++)
            mean += mechanism->form[f].weight * form_seconds(&mechanism->form[f], &p->point[k].needs);
        sum += (mean / p->point[k].seconds - 1.0) * (mean / p->point[k].seconds - 1.0);
    }
    return sqrt(sum / (double)p->count);
}

static void describe(const points *p, int64_t count, const bmf_mechanism_time *time, bmf_mechanism *mechanism)
{
    mechanism->p_low = INT32_MAX;
    mechanism->low = INFINITY;
    for (int64_t k = 0; k < count; k++) {
        const double footprint = footprint_of(&time[k].work);
        mechanism->p_low = time[k].p < mechanism->p_low ? time[k].p : mechanism->p_low;
        mechanism->p_high = time[k].p > mechanism->p_high ? time[k].p : mechanism->p_high;
        mechanism->low = fmin(mechanism->low, footprint);
        mechanism->high = fmax(mechanism->high, footprint);
        mechanism->code = time[k].work.code ? time[k].work.code : mechanism->code;
    }
    mechanism->misfit = misfit_of(p, mechanism);
    mechanism->freedom = fmax((double)(p->times - p->count), 1.0);
    mechanism->noise = sqrt(p->spread / mechanism->freedom);
}

static int64_t distinct_sizes(const points *p)
{
    int64_t sizes = 0;
    for (int64_t k = 0; k < p->count; k++)
        sizes += k == 0 || size_of(&p->point[k].needs) > 1.01 * size_of(&p->point[k - 1].needs);
    return sizes;
}

bool mechanism_fit(const bmf_memory *memory, int64_t count, const bmf_mechanism_time *time, bmf_mechanism *mechanism)
{
    bmf_mechanism_form form[GRID];
    int forms = 0;
    for (int64_t k = 0; k < count; k++)
        if (!kernel_work_is_known(&time[k].work) || time[k].threads != time[0].threads)
            return false;
    *mechanism = (bmf_mechanism){.threads = count > 0 ? time[0].threads : 1};
    points *p = allocate_clear(1, (int64_t)sizeof *p);
    if (count > 0)
        make_points(memory, count, time, p);
    const bool enough = distinct_sizes(p) >= MIN_SIZES;
    if (enough) {
        for (int s = 0; s < SHARES; s++)
            for (int m = 0; m < OVERLAPS; m++) {
                const double off = log(shares[s]) / share_spread;
                add_form(p, overlaps[m], shares[s], exp(-off * off / 2.0), &forms, form);
            }
        keep_forms(forms, form, mechanism);
        describe(p, count, time, mechanism);
    }
    free(p->point);
    free(p);
    return enough;
}

/* ---- kernels that were never traced ---- */

bool mechanism_guess(int64_t count, const bmf_mechanism *const *others, bmf_mechanism *mechanism)
{
    double *cost = allocate_array(count + 1, (int64_t)sizeof *cost), sum = 0.0;
    int64_t known = 0;
    *mechanism = (bmf_mechanism){.threads = 1, .forms = 2, .freedom = 1e6};
    for (int64_t k = 0; k < count; k++) {
        double operation = 0.0;
        for (int f = 0; f < others[k]->forms; f++)
            operation += others[k]->form[f].weight * others[k]->form[f].operation;
        if (operation > 0.0)
            cost[known++] = operation;
        mechanism->threads = others[k]->threads;
        mechanism->p_low = others[k]->p_low;
        mechanism->p_high = others[k]->p_high;
    }
    if (known > 0) {
        gsl_sort(cost, 1, (size_t)known);
        const double median = gsl_stats_median_from_sorted_data(cost, 1, (size_t)known);
        for (int64_t k = 0; k < known; k++)
            sum += log(cost[k] / median) * log(cost[k] / median);
        mechanism->form[0] =
            (bmf_mechanism_form){.weight = 0.5, .overlap = 1.0, .share = 1.0, .first = 1.0, .fault = 1.0};
        mechanism->form[1] =
            (bmf_mechanism_form){.weight = 0.5, .overlap = 8.0, .share = 1.0, .first = 1.0, .fault = 1.0};
        mechanism->form[0].operation = mechanism->form[1].operation = median;
        mechanism->noise = fmin(fmax(guess_error, sqrt(sum / (double)known)), 1.0);
    }
    free(cost);
    return known > 0;
}
