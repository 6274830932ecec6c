/* Comparing sheets.
 *
 * Method: coefficients of different forms cannot be compared, times can. Both sheets are asked over a grid of the
 * common domain; a difference counts in standard errors of the two equations together. A grid looks at the same few
 * coefficients many times, so the largest difference is held against the bound that holds for all points at once
 * (Scheffe): the root of the 95 % chi-square quantile with as many degrees of freedom as the equations have terms.
 * Cost: about 64 evaluations per range and operation.
 */
#include "predict/sheet/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/sheet_private.h"
#include "predict/statistics/distribution.h"
#include "runtime/base/allocate.h"

enum { MAX_VALUES = 70 };

typedef struct domain {
    int32_t p_low, p_high; /* 0: any */
    int64_t d_low, d_high;
} domain;

static domain domain_of(const bmf_sheet_entry *entry, int64_t count)
{
    domain all = {entry->p_low, entry->p_high, entry->d_low, entry->d_high};
    for (int64_t k = 1; k < count; k++) {
        all.p_low = entry[k].p_low < all.p_low ? entry[k].p_low : all.p_low;
        all.p_high = entry[k].p_high > all.p_high ? entry[k].p_high : all.p_high;
        all.d_low = entry[k].d_low < all.d_low ? entry[k].d_low : all.d_low;
        all.d_high = entry[k].d_high > all.d_high ? entry[k].d_high : all.d_high;
    }
    return all;
}

/* False if they have nothing in common. */
static bool intersect(domain a, domain b, domain *common)
{
    *common = (domain){a.p_low > b.p_low ? a.p_low : b.p_low, a.p_high < b.p_high ? a.p_high : b.p_high,
                       a.d_low > b.d_low ? a.d_low : b.d_low, a.d_high < b.d_high ? a.d_high : b.d_high};
    if (a.p_low == 0 || b.p_low == 0) {
        common->p_low = a.p_low + b.p_low; /* that of the other, or any */
        common->p_high = a.p_high + b.p_high;
    }
    return common->p_low <= common->p_high && common->d_low <= common->d_high;
}

/* The ends of a range and the powers of two between them. */
static int list_values(int64_t low, int64_t high, double value[MAX_VALUES])
{
    int values = 0;
    value[values++] = (double)low;
    for (double power = 1.0; power < (double)high && values < MAX_VALUES - 1; power *= 2.0)
        if (power > (double)low)
            value[values++] = power;
    if (high > low)
        value[values++] = (double)high;
    return values;
}

static int terms_of(const bmf_estimate *estimate)
{
    int term[BMF_TERMS];
    return form_terms(estimate->entry->form, term);
}

/* One point of the grid. worst is the largest difference so far, in what c->has_errors says. */
static void compare_point(bmf_sheet_comparison *c, const bmf_estimate *a, const bmf_estimate *b, double p, double d,
                          double *worst)
{
    if (a->mean <= 0.0 || b->mean <= 0.0)
        return;
    double ratio = b->mean / a->mean, variance = a->coefficient_variance + b->coefficient_variance;
    c->min = fmin(c->min, ratio);
    c->max = fmax(c->max, ratio);
    c->mean += log(ratio);
    c->points++;
    c->has_errors = c->has_errors && a->has_errors && b->has_errors && variance > 0.0;
    int terms = terms_of(a) > terms_of(b) ? terms_of(a) : terms_of(b);
    double limit = sqrt(chi_square_quantile(0.95, terms));
    double difference = variance > 0.0 ? fabs(b->mean - a->mean) / sqrt(variance) : fabs(log(ratio));
    /* Ranges of different forms have limits of their own; what counts is how far a difference exceeds its limit. */
    if (c->points > 1 && difference / limit <= *worst)
        return;
    *worst = difference / limit;
    c->errors = difference;
    c->limit = limit;
    c->at_p = p;
    c->at_d = d;
}

static void compare_all(bmf_sheet_comparison *c, const bmf_sheet *first, const bmf_sheet *second, domain common)
{
    double p[MAX_VALUES], d[MAX_VALUES], worst = 0.0;
    int ps = list_values(common.p_low > 0 ? common.p_low : 1, common.p_high > 0 ? common.p_high : 1, p);
    int ds = list_values(common.d_low, common.d_high, d);
    c->min = INFINITY;
    c->has_errors = true;
    for (int i = 0; i < ps; i++)
        for (int j = 0; j < ds; j++) {
            bmf_estimate a, b;
            if (sheet_evaluate(first, c->operation, p[i], d[j], &a) == 0 &&
                sheet_evaluate(second, c->operation, p[i], d[j], &b) == 0)
                compare_point(c, &a, &b, p[i], d[j], &worst);
        }
    c->both = c->points > 0;
    c->mean = exp(c->mean / (double)(c->points > 0 ? c->points : 1));
    c->differ = c->has_errors && c->errors > c->limit;
}

int64_t sheet_compare(const bmf_sheet *first, const bmf_sheet *second, bmf_sheet_comparison **comparison)
{
    const bmf_sheet *sheet[2] = {first, second};
    int64_t made = 0;
    *comparison = allocate_clear(first->entries + second->entries, sizeof **comparison);
    for (int which = 0; which < 2; which++)
        for (int64_t k = 0; k < sheet[which]->entries; k++) {
            const char *operation = sheet[which]->entry[k].operation;
            int64_t counts[2];
            if (k > 0 && strcmp(operation, sheet[which]->entry[k - 1].operation) == 0)
                continue;
            const bmf_sheet_entry *a = sheet_find(first, operation, &counts[0]);
            const bmf_sheet_entry *b = sheet_find(second, operation, &counts[1]);
            if (which == 1 && a)
                continue;
            bmf_sheet_comparison *c = &(*comparison)[made++];
            c->in_first = a;
            c->in_second = b;
            memcpy(c->operation, operation, sizeof c->operation);
            domain common;
            if (a && b && intersect(domain_of(a, counts[0]), domain_of(b, counts[1]), &common))
                compare_all(c, first, second, common);
        }
    return made;
}
