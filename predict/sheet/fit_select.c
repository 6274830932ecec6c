/* Which form, and where the ranges of d are cut.
 *
 * Method: all forms have the same number of terms, so the likeliest is the best; ranges are cut greedily, in two where
 * the likelihood gains most and then the halves, while the gain exceeds the Bayesian information criterion's price for
 * a cut: one more equation with its noise, and the place of the cut. Greedy cuts find the levels of a memory hierarchy
 * and the thresholds of message protocols, which lie far apart; the best cuts of all would cost the square of the
 * sizes.
 * Cost: a fit per form, size and range, for at most 128 sizes and those around the best of them.
 * Source: for the forms document 001, 3.2; it cuts at 32 elements always.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/sheet/fit.h"
#include "runtime/base/allocate.h"

static const double nearly_equal = 1.05;
enum { MIN_SIZES = 3, SPARE_POINTS = 2, MAX_CUTS = 128, CLOSER = 8 };

static bool varies_p(int64_t count, const bmf_fit_point *point)
{
    for (int64_t k = 1; k < count; k++)
        if (point[k].p != point[0].p)
            return true;
    return false;
}

static bool varies_d(int64_t count, const bmf_fit_point *point)
{
    for (int64_t k = 1; k < count; k++)
        if (point[k].d != point[0].d)
            return true;
    return false;
}

/* Keeps fit[] ordered; equal likelihoods in the order of coming. */
static int insert(bmf_fit *fit, int fits, const bmf_fit *added)
{
    int at = fits;
    for (; at > 0 && fit[at - 1].deviance > added->deviance + 1e-6; at--)
        fit[at] = fit[at - 1];
    fit[at] = *added;
    return fits + 1;
}

/* Whether points that vary so can tell a function from others; that of an absent term only when they can tell none. */
static bool is_candidate(const bmf_term *term, int function, unsigned varying)
{
    if (function > 0)
        return (term->function[function].with & ~varying) == 0;
    for (int k = 1; k < term->functions; k++)
        if (is_candidate(term, k, varying))
            return false;
    return true;
}

/* Fits all forms whose terms before `term` are those of `form`. */
static int fit_from(int64_t count, const bmf_fit_point *point, unsigned varying, bmf_form form, int term, int fits,
                    bmf_fit fit[BMF_FITS])
{
    if (term == BMF_TERMS) {
        bmf_fit tried;
        return fit_form(count, point, form, &tried) == 0 ? insert(fit, fits, &tried) : fits;
    }
    for (int k = 0; k < form_term[term].functions; k++)
        if (is_candidate(&form_term[term], k, varying)) {
            form_set(&form, term, k);
            fits = fit_from(count, point, varying, form, term + 1, fits, fit);
        }
    return fits;
}

int fit_forms(int64_t count, const bmf_fit_point *point, bmf_fit fit[BMF_FITS])
{
    if (count == 0)
        return 0;
    unsigned varying = (varies_p(count, point) ? BMF_WITH_P : 0) | (varies_d(count, point) ? BMF_WITH_D : 0);
    /* Too few points that vary in both carry no equation of all terms; the size matters more often. */
    if (varying == (BMF_WITH_P | BMF_WITH_D) && count < BMF_TERMS)
        varying = BMF_WITH_D;
    return fit_from(count, point, varying, (bmf_form){BMF_STARTUP_NONE, BMF_SIZE_NONE}, 1, 0, fit);
}

/* ---- ranges ---- */

typedef struct range {
    int64_t begin, end; /* points */
    double deviance;
    int64_t cut; /* where to cut in two, or -1 */
    double gain; /* of that cut */
} range;

static double best_deviance(int64_t count, const bmf_fit_point *point)
{
    bmf_fit fit[BMF_FITS];
    return fit_forms(count, point, fit) > 0 ? fit[0].deviance : INFINITY;
}

/* Sizes that are nearly equal count as one: data-dependent sizes of several runs tell no slope, and a line through them
 * would be wrong by any factor elsewhere. */
static int64_t count_sizes(int64_t count, const bmf_fit_point *point)
{
    int64_t sizes = 0;
    double last = 0.0;
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || point[k].d > nearly_equal * last) {
            last = point[k].d;
            sizes++;
        }
    return sizes;
}

/* Whether points can be a range of their own: two more than the terms of the equation. With one more, a range of three
 * sizes grows around every point that was disturbed. */
static bool can_stand_alone(int64_t count, const bmf_fit_point *point)
{
    int terms = varies_p(count, point) ? 3 : 2;
    return count >= terms + SPARE_POINTS && count_sizes(count, point) >= MIN_SIZES;
}

/* Whether the cut gains more than the best one so far. */
static bool try_cut(const bmf_fit_point *point, double price, int64_t cut, range *r)
{
    if (!can_stand_alone(cut - r->begin, point + r->begin) || !can_stand_alone(r->end - cut, point + cut))
        return false;
    double halves = best_deviance(cut - r->begin, point + r->begin) + best_deviance(r->end - cut, point + cut);
    double gain = r->deviance - halves - price;
    if (gain <= r->gain)
        return false;
    r->gain = gain;
    r->cut = cut;
    return true;
}

/* Tries all cuts, but of more than MAX_CUTS only every so many, and then those around the best, closer and closer: the
 * cost stays linear in the points. */
static void find_cut(const bmf_fit_point *point, int64_t all, range *r)
{
    int terms = varies_p(r->end - r->begin, point + r->begin) ? 3 : 2;
    double price = (terms + 2) * log((double)all);
    int64_t *place = allocate((r->end - r->begin + 1) * (int64_t)sizeof *place), places = 0, best = -1;
    r->cut = -1;
    r->gain = 0.0;
    for (int64_t cut = r->begin + 1; cut < r->end; cut++)
        if (point[cut].d != point[cut - 1].d)
            place[places++] = cut;
    int64_t step = places > 0 ? (places + MAX_CUTS - 1) / MAX_CUTS : 1;
    for (int64_t k = 0; k < places; k += step)
        if (try_cut(point, price, place[k], r))
            best = k;
    while (step > 1 && best >= 0) {
        const int64_t finer = (step + CLOSER - 1) / CLOSER, middle = best;
        for (int64_t k = middle < step ? 0 : middle - step; k < places && k <= middle + step; k += finer)
            if (try_cut(point, price, place[k], r))
                best = k;
        step = finer;
    }
    free(place);
}

static range make_range(const bmf_fit_point *point, int64_t all, int64_t begin, int64_t end)
{
    range r = {.begin = begin, .end = end, .deviance = best_deviance(end - begin, point + begin)};
    find_cut(point, all, &r);
    return r;
}

int fit_ranges(int64_t count, const bmf_fit_point *point, double sizes[BMF_FIT_RANGES])
{
    range part[BMF_FIT_RANGES] = {make_range(point, count, 0, count)};
    int parts = 1;
    while (parts < BMF_FIT_RANGES) {
        int best = 0;
        for (int k = 1; k < parts; k++)
            if (part[k].gain > part[best].gain)
                best = k;
        if (part[best].cut < 0)
            break;
        range cut = part[best];
        for (int k = parts; k > best + 1; k--)
            part[k] = part[k - 1];
        part[best] = make_range(point, count, cut.begin, cut.cut);
        part[best + 1] = make_range(point, count, cut.cut, cut.end);
        parts++;
    }
    for (int k = 0; k < parts; k++)
        sizes[k] = k + 1 < parts ? point[part[k].end - 1].d : INFINITY;
    return parts;
}
