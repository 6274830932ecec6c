/* Sheets as JSON: what the sheet commands share. */
#ifndef BMF_DRIVERS_SHEET_JSON_H
#define BMF_DRIVERS_SHEET_JSON_H

#include <jansson.h>

#include "predict/sheet/sheet.h"

/* A number, or null if it is not finite. */
json_t *bmf_json_real(double value);
/* An entry with all its statistics, without its points; times in seconds. */
json_t *bmf_sheet_entry_json(const bmf_entry *entry);
/* A predicted time. */
json_t *bmf_estimate_json(const bmf_estimate *estimate);
/* Prints one object on standard output and frees it. Returns an exit code. */
int bmf_sheet_print_json(json_t *root);

#endif
