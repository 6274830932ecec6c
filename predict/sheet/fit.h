/* Fitting a cost equation to measured times. Private to predict/ and its tests.
 *
 * Method: iteratively reweighted least squares (predict/statistics/least_squares.h). The spread of a time grows
 * with the time, so an observation weighs 1 / fit^2, with the fits of the rounds before; ten rounds settle it (weights
 * 1 / time^2 would
 * favour the observations that happen to be short). All repetitions count; those far off the others of their point
 * count less (Huber), because interruptions lengthen a few by a lot, and so do whole points off the others by more than
 * six standard deviations and 30 %. Repetitions of a point share p and d, so a fit over
 * the points' weighted means gives the same coefficients as one over all repetitions.
 *
 * Errors: s^2, the relative variance of one observation, is that of all repetitions around the equation. The covariance
 * is s^2 (X'WX)^-1. When the points miss the equation by more than their own spread explains (Q below 0.05), their
 * errors are not independent between repetitions, and the variance between points takes the place of s^2 there.
 * Cost: 10 solutions of a system of the number of points by 3 unknowns.
 * Source: document 001, 3.5; the weights and intervals were compared by 400 trials before they were chosen
 * (ctest/unit/fit.c repeats the comparison with the truth).
 */
#ifndef BMF_FIT_H
#define BMF_FIT_H

#include "predict/sheet/sheet.h"

/* One point for the fit. */
typedef struct bmf_fit_point {
    double p, d;
    int64_t repeats;
    const double *seconds; /* repeats members */
    double *weight;        /* repeats members in (0, 1]: 1, or less for what is far off */
    double centre, sum;    /* weighted mean, sum of the weights */
} bmf_fit_point;

typedef struct bmf_fit {
    bmf_form form;
    double coefficient[BMF_TERMS], covariance[BMF_TERMS][BMF_TERMS];
    double deviance; /* -2 log likelihood of the points' means up to a constant: compares forms and ranges */
    int64_t far_off; /* points that the others contradict; they count little, and not in what follows */
    double noise, freedom, coverage, chi_square, chi_freedom, q, condition;
} bmf_fit;

/* Makes the points' weights and centres; weight[] must have been allocated. */
void fit_prepare(int64_t count, bmf_fit_point *point);
/* Fits one form to at least as many points as it has terms; with equally many nothing is left to tell the errors from,
 * and the spread within the points takes their place. Fails only with fewer points
 * than terms, or numbers that are not finite. */
int fit_form(int64_t count, const bmf_fit_point *point, bmf_form form, bmf_fit *fit);

enum { BMF_FITS = BMF_FORMS };
/* Fits every form that the points allow: all, or those without a start-up term when p takes one value, without a
 * size term when d does; best first. Returns the number of fits in fit[], 0 when there are no points. Forms whose
 * likelihoods are equal are in the order of bmf_form_startup and bmf_form_size. */
int fit_forms(int64_t count, const bmf_fit_point *point, bmf_fit fit[BMF_FITS]);
/* Forms worse than the best by less than this cannot be told apart: odds of less than 20 to 1. */
#define BMF_FIT_TELLS_APART 6.0

/* Where to cut the points' range of d: sizes[k] is the last d of range k. The points must be ordered by d. Cuts in two
 * where that pays most, and the halves again, as long as the likelihood gains more than the added parameters are worth
 * (Bayesian information criterion). Returns the number of ranges, 1 to BMF_FIT_RANGES; sizes[] ends with infinity. */
enum { BMF_FIT_RANGES = 4 };
int fit_ranges(int64_t count, const bmf_fit_point *point, double sizes[BMF_FIT_RANGES]);

/* The relative error of the form for one doubling beyond the largest size, 0 if sizes that are left out are as expected
 * from those below, or if there are too few sizes to tell. The points must be ordered by d. */
double fit_form_error(int64_t count, const bmf_fit_point *point);

#endif
