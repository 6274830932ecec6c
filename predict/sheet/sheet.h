/* Data sheets: fitted cost equations with their errors, and the domain they hold in.
 *
 * A sheet is a libconfig text file (docs/sheets.md); in memory all times are seconds. An operation has one entry per
 * range of p and d. Asking outside the ranges takes the nearest entry and says so. Nothing here is collective and
 * nothing needs MPI; messages go to the process-wide slot (ctx NULL).
 */
#ifndef BMF_SHEET_H
#define BMF_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "predict/sheet/form.h"
#include "predict/sheet/mechanism.h"
#include "predict/sheet/memory_curve.h"
#include "predict/sheet/samples.h"

enum { BMF_SHEET_NAME = BMF_SAMPLE_NAME + 8, BMF_SHEET_TEXT = 256, BMF_ALTERNATIVES = BMF_FORMS };

/* What was measured at one point: the typical time (robust mean), the minimum and the maximum. */
typedef struct bmf_sheet_point {
    int32_t p, repeats;
    int64_t d;
    double typical, min, max;
} bmf_sheet_point;

/* One equation. Statistics that are not known (transcribed sheets) are NaN, counts 0. */
typedef struct bmf_sheet_entry {
    char operation[BMF_SHEET_NAME]; /* "bcast", "bcast:cached" */
    bmf_family family;
    int32_t element_bytes, threads; /* 0: not known */
    int32_t p_low, p_high;          /* domain, both ends inside; p_low 0: any p */
    int64_t d_low, d_high;          /* both 0 when the operation has no size */
    bmf_form form;
    double coefficient[BMF_TERMS];           /* c, s, k; 0 for an absent term */
    bool has_errors;                         /* whether the covariance is known */
    double covariance[BMF_TERMS][BMF_TERMS]; /* of c, s, k; 0 for an absent term */
    double noise;                            /* standard deviation of one observation, relative to the equation */
    double form_error;                       /* relative, for one doubling beyond d_high; 0: none is known */
    double run_noise; /* standard deviation of the logarithm of what all its times in one run share, 0: none is known */
    double common;    /* the same of what all computing of a run shares: the sheet's `spread`; not in the file */
    double freedom;   /* degrees of freedom of the interval's t quantile */
    double coverage;  /* share of the fitted observations inside their own 95 % interval */
    double chi_square, chi_freedom, q; /* of the points against their own spread: lack of fit */
    double condition;                  /* of the scaled design matrix */
    int32_t alternatives;              /* forms that cannot be told apart from this one by the data */
    bmf_form alternative[BMF_ALTERNATIVES];
    bool has_runner_up; /* the best form but this one, and how much worse: difference of -2 log likelihood */
    bmf_form runner_up;
    double runner_up_margin;
    char note[BMF_SHEET_TEXT]; /* "" or a remark: an ill-conditioned design, a doubtful number */
    bool doubtful;             /* transcribed and doubtful */
    bmf_mechanism *mechanism;  /* of the operation, at its first entry; NULL: the work of the kernel is not known */
    int64_t points;
    bmf_sheet_point *point;
} bmf_sheet_entry;

/* What runs differ by, beside what their times do (run_effects.h): standard deviations of logarithms of all computing
 * in a run, and in a session. */
typedef struct bmf_run_spread {
    double run, session;
    double freedom;         /* degrees of freedom of both together */
    int32_t runs, sessions; /* that were learnt from; 0: nothing is known */
} bmf_run_spread;

typedef struct bmf_sheet {
    char title[BMF_SHEET_TEXT];
    bmf_samples_header header; /* of the measurement; texts "" and numbers 0 when not known */
    char source[BMF_SHEET_TEXT];
    int64_t entries, skips;
    bmf_sheet_entry *entry; /* ordered by operation, then p_low, then d_low */
    bmf_skip *skip;
    bmf_memory memory; /* of the machine; no curves: not known */
    bmf_run_spread spread;
    int sharers; /* beside its first owner: sheet_share */
} bmf_sheet;

/* ---- files ---- */

/* Reads a sheet; every mistake is reported with its line. BMF_ERROR_FILE. The caller frees. */
int sheet_read(const char *path, bmf_sheet **sheet);
/* Writes a sheet; it appears whole or not at all. */
int sheet_write(const bmf_sheet *sheet, const char *path);
/* The same sheet for one more owner; nobody changes it any more. Each owner frees it. */
bmf_sheet *sheet_share(bmf_sheet *sheet);
void sheet_free(bmf_sheet *sheet);

/* What a run's computing has in common, as a standard deviation of the next run's logarithm: wider than what was seen
 * in few runs. */
double spread_deviation(const bmf_run_spread *spread);
/* Gives the entries what the sheet's spread says. */
void sheet_share_spread(bmf_sheet *sheet);

/* ---- fitting ---- */

/* Fits every operation of the samples: the sheet has one entry per operation and range. Cost: some milliseconds per
 * operation. BMF_ERROR_FILE when there is nothing to fit. The caller frees. */
int sheet_fit(const bmf_samples *samples, bmf_sheet **sheet);

/* The machine's memory of another sheet, in place of its own. */
void sheet_copy_memory(const bmf_memory *from, bmf_memory *to);

/* ---- asking ---- */

/* A predicted time. An interval with unknown errors is [mean, mean] and has_errors is false. */
typedef struct bmf_estimate {
    double mean;
    double coefficient_variance; /* of the mean: what is not known about the equation */
    double run_variance;         /* of what a run has in common */
    double noise_variance;       /* of one observation around the mean, in its run */
    double freedom;              /* of the t quantile; infinite when the errors are not known */
    double low, high;            /* 95 % interval of one new observation */
    double min, max;             /* the equation with every coefficient one standard error lower and higher */
    bool has_errors;
    bool inside;                  /* of the domain */
    char outside[BMF_SHEET_TEXT]; /* "" or what is outside */
    const bmf_sheet_entry *entry; /* used; NULL in a sum */
} bmf_estimate;

/* Entries of the operation, consecutive; NULL when there is none. */
const bmf_sheet_entry *sheet_find(const bmf_sheet *sheet, const char *operation, int64_t *count);
/* The time of the operation with p processes and d elements, p >= 1, d >= 0.
 * BMF_ERROR_ARGUMENT: unknown operation (the message lists near names), p or d out of range. */
int sheet_evaluate(const bmf_sheet *sheet, const char *operation, double p, double d, bmf_estimate *estimate);
/* The same for one entry. */
void entry_evaluate(const bmf_sheet_entry *entry, double p, double d, bmf_estimate *estimate);

/* How far the equation is from the points: root of the mean square of equation / typical time - 1. NaN if none. */
double entry_misfit(const bmf_sheet_entry *entry);
/* A fit that the points contradict, and not by a trifle: Q below 1 % and a misfit above 10 %. */
bool entry_is_poor(const bmf_sheet_entry *entry);

/* A sum of many operations of one sheet. Errors of the coefficients of one entry are the same error every time it is
 * used, so they add up before they are squared: var = sum over entries g' C g + sum of the observations' noise, with g
 * the sum of the entry's basis values. Its size does not depend on how many operations are added. */
typedef struct bmf_cost bmf_cost;
bmf_cost *cost_new(const bmf_sheet *sheet);
/* times operations of one kind; times below 0 take them away, with their noise. Statuses of sheet_evaluate; nothing is
 * added then. */
int cost_add(bmf_cost *cost, const char *operation, double p, double d, double times);
/* The sum so far. freedom is Welch and Satterthwaite's. */
void cost_sum(const bmf_cost *cost, bmf_estimate *estimate);
void cost_free(bmf_cost *cost);
/* Moves an estimate to another mean with the same variances: that of something that varies as the sum does. */
void estimate_move(bmf_estimate *estimate, double mean);

#endif
