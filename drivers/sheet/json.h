/* Sheets as JSON: what the sheet commands share. */
#ifndef BMF_DRIVERS_SHEET_JSON_H
#define BMF_DRIVERS_SHEET_JSON_H

#include <jansson.h>

#include "predict/sheet/sheet.h"

/* An entry with all its statistics, without its points; times in seconds. */
json_t *sheet_entry_json(const bmf_sheet_entry *entry);
/* A predicted time. */
json_t *estimate_json(const bmf_estimate *estimate);

#endif
