/* What the files of sheets share. */
#ifndef BMF_SHEET_PRIVATE_H
#define BMF_SHEET_PRIVATE_H

#include <libconfig.h>

#include "predict/sheet/sheet.h"
#include "runtime/convert/output.h"

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

/* Curves of the samples of the family "memory", and copies of curves. */
void sheet_fit_memory(const bmf_samples *samples, bmf_memory *memory);
/* unit: seconds. BMF_OK or BMF_ERROR_FILE; what was made so far is the caller's. */
int sheet_read_memory(const char *path, const config_setting_t *list, double unit, bmf_memory *memory);
int sheet_read_mechanism(const char *path, const config_setting_t *group, double unit, bmf_mechanism *made);
void sheet_put_memory(bmf_output *out, const bmf_memory *memory);
void sheet_put_mechanism(bmf_output *out, const bmf_mechanism *mechanism);
/* A real that libconfig takes for one. */
void sheet_put_real(bmf_output *out, double value);

#endif
