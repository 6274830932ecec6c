/* How well data sheets predict: what bmf-bench sheets finds out. */
#ifndef BENCH_SHEETS_H
#define BENCH_SHEETS_H

#include <stdio.h>

#include "predict/sheet/sheet.h"

/* Predictions of points that no fit has seen, beside what was measured there. */
typedef struct sheets_errors {
    int64_t points;          /* (operation, p, d) */
    double median, p90, max; /* |predicted / measured - 1|, of the points' medians */
    double bias;             /* geometric mean of predicted / measured */
    int64_t observations;    /* repetitions */
    double coverage;         /* share of them inside their 95 % interval */
    double width;            /* median of the intervals' widths, relative to the prediction */
    double spread;           /* median of the points' own relative spread: no prediction can be better */
} sheets_errors;

/* One equation beside a second measurement of the same points, fitted with the same form. */
typedef struct sheets_repeat {
    const bmf_sheet_entry *entry;
    double second[BMF_TERMS]; /* its coefficients */
    int worst;                /* the term that differs most, 0 .. 2: c, s, k */
    double errors;            /* by how many standard errors of the difference */
    double ratio;             /* second / first time in the middle of the range */
} sheets_repeat;

/* Predicts every sample by the sheet; family: BMF_FAMILIES for all. BMF_OK, or the status of a prediction. */
int bench_sheets_judge(const bmf_sheet *sheet, const bmf_samples *held_out, int family, sheets_errors *errors);
/* Writes the predictions of all points of the samples' operations at the sizes to come: one line each, before anybody
 * has measured them. sizes: what measure_sheet will measure, from `least` to `most` by `factor`. */
int bench_sheets_write_predictions(const bmf_sheet *sheet, int64_t min, int64_t max, int factor, const char *path);
/* Compares every entry with the second samples; *repeats gets one for every entry, in the same order. Returns how many
 * can be compared; the caller frees. */
int64_t bench_sheets_repeat_all(const bmf_sheet *sheet, const bmf_samples *second, sheets_repeat **repeats);

#endif
