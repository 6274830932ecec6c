/* What the files of sheets share. */
#ifndef BMF_SHEET_PRIVATE_H
#define BMF_SHEET_PRIVATE_H

#include "predict/sheet/sheet.h"

/* Orders the entries as struct bmf_sheet says. */
void sheet_order(bmf_sheet *sheet);
/* Appends a cleared entry whose statistics are unknown; places is how many fit so far. */
bmf_sheet_entry *sheet_add(bmf_sheet *sheet, int64_t *places);
/* Puts text into a field of BMF_SHEET_TEXT bytes, behind "; " if something is there; cuts what does not fit. */
void sheet_remark(char *field, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The entry that answers for p and d among the count >= 1 of an operation. */
const bmf_sheet_entry *entry_choose(const bmf_sheet_entry *entry, int64_t count, double p, double d);
/* Whether p and d lie within the domain of all of them together: fills inside and outside. */
void entry_domain(const bmf_sheet_entry *entry, int64_t count, double p, double d, bmf_estimate *estimate);

#endif
