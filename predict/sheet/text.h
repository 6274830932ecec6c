/* Numbers and equations of sheets as text. Private to predict/, the sheet commands and the tests.
 *
 * Sheets print one significant figure: the equations are meant for pen and paper, and rarely hold more.
 * Source: document 001, 3.2 (rounding, buckets) and 3.5.5 (the calculator).
 */
#ifndef BMF_SHEET_TEXT_H
#define BMF_SHEET_TEXT_H

#include "predict/sheet/sheet.h"

typedef enum bmf_equation_style {
    BMF_EQUATION_ROUNDED, /* "200 + 2 p + 0.6 d": one significant figure */
    BMF_EQUATION_ERRORS,  /* "(200.1 +- 2.3) + (2.05 +- 0.04) p": as many digits as the error tells */
    BMF_EQUATION_EXACT,   /* six digits of coefficients and errors */
} bmf_equation_style;

/* Rounds to so many significant figures, in decimal, away from zero at a half. */
double round_figures(double value, int figures);
/* The same as text without exponent where that is short: "0.0009", "2e-05", "300". Returns text. */
const char *figures_text(double value, int figures, char *text, size_t size);
/* The exponent of the nearest power of ten in microseconds, at least 0: 0 is 1 us, 3 is 1 ms; 4 is 10 ms. */
int time_bucket(double seconds);
/* "1 us", "10 us", "100 us", "1 ms", "10 ms", ... */
const char *bucket_text(double seconds, char *text, size_t size);
/* The right-hand side of an entry's equation in units of so many seconds. Returns text. */
const char *equation_text(const bmf_sheet_entry *entry, bmf_equation_style style, double unit, char *text, size_t size);
/* A time with its unit: "912 us", "1.23 ms"; three figures. Returns text. */
const char *time_text(double seconds, char *text, size_t size);
/* "p 2..128, d 1..32", or "any p". Returns text. */
const char *domain_text(const bmf_sheet_entry *entry, char *text, size_t size);
/* Q in two figures, or "-" where it is not known. Returns text. */
const char *q_text(double q, char *text, size_t size);
/* The noise in percent, two figures, or "-". Returns text. */
const char *noise_text(double noise, char *text, size_t size);
/* What the tables say behind an entry: "doubtful", "poor", "see note" or "". Static storage. */
const char *remark_text(const bmf_sheet_entry *entry);
/* What a function does, in a sentence for the pages of a sheet; "" when it is not known. Static storage. */
const char *operation_text(const char *operation);

#endif
