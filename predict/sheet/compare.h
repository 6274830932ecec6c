/* Two sheets of the same operations: how their times differ, and whether beyond their errors. */
#ifndef BMF_SHEET_COMPARE_H
#define BMF_SHEET_COMPARE_H

#include "predict/sheet/sheet.h"

typedef struct bmf_sheet_comparison {
    char operation[BMF_SHEET_NAME];
    bool both; /* in both sheets, with a common domain; nothing below is valid otherwise */
    bool in_first, in_second;
    int64_t points;        /* compared: powers of two of p and d in the common domain, and its ends */
    double min, mean, max; /* ratios second / first; the geometric mean */
    double at_p, at_d;     /* where they differ most in standard errors, or in their ratio if errors are not known */
    bool has_errors;       /* both know their errors */
    double errors;         /* the largest difference in standard errors of the equations (noise left out) */
    double limit;          /* what that may reach by chance anywhere in the domain, 95 % (Scheffe) */
    bool differ;           /* errors > limit */
} bmf_sheet_comparison;

/* One comparison for every operation of either sheet, in the order of the first, then those of the second alone.
 * Returns how many; the caller frees *comparison. */
int64_t sheet_compare(const bmf_sheet *first, const bmf_sheet *second, bmf_sheet_comparison **comparison);

#endif
