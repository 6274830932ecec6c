/* Sheets in memory: finding an operation, and the names near to one that is not there.
 *
 * Method: entries are few (hundreds), so a walk finds them. Names are near when few letters must be added, left out or
 * replaced (Levenshtein's distance).
 */
#include "runtime/base/edit_distance.h"
#include "predict/sheet/run_effects.h"
#include "predict/sheet/sheet_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/near_names.h"
#include "bmf/status.h"

enum { MAX_LISTED = 60 };

bmf_sheet *sheet_share(bmf_sheet *sheet)
{
    sheet->sharers++;
    return sheet;
}

void sheet_free(bmf_sheet *sheet)
{
    if (!sheet || sheet->sharers-- > 0)
        return;
    for (int64_t k = 0; k < sheet->entries; k++) {
        free(sheet->entry[k].point);
        free(sheet->entry[k].mechanism);
    }
    free(sheet->entry);
    free(sheet->skip);
    free(sheet->memory.curve);
    free(sheet);
}

void sheet_remark(char *field, const char *format, ...)
{
    size_t used = strlen(field);
    if (used > 0 && used + 3 < BMF_SHEET_TEXT) {
        strcpy(field + used, "; ");
        used += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field + used, BMF_SHEET_TEXT - used, format, arguments);
    va_end(arguments);
}

bmf_sheet_entry *sheet_add(bmf_sheet *sheet, int64_t *places)
{
    bmf_sheet_entry *entry = ARRAY_APPEND(sheet->entry, sheet->entries, *places);
    *entry =
        (bmf_sheet_entry){.noise = NAN, .freedom = NAN, .coverage = NAN, .chi_square = NAN, .q = NAN, .condition = NAN};
    return entry;
}

static int by_range(const void *a, const void *b)
{
    const bmf_sheet_entry *x = a, *y = b;
    if (x->family != y->family)
        return x->family < y->family ? -1 : 1;
    int name = strcmp(x->operation, y->operation);
    if (name)
        return name;
    if (x->p_low != y->p_low)
        return x->p_low < y->p_low ? -1 : 1;
    return (x->d_low > y->d_low) - (x->d_low < y->d_low);
}

void sheet_order(bmf_sheet *sheet)
{
    qsort(sheet->entry, (size_t)sheet->entries, sizeof *sheet->entry, by_range);
}

const bmf_sheet_entry *sheet_find(const bmf_sheet *sheet, const char *operation, int64_t *count)
{
    int64_t first = 0;
    while (first < sheet->entries && strcmp(sheet->entry[first].operation, operation) != 0)
        first++;
    int64_t end = first;
    while (end < sheet->entries && strcmp(sheet->entry[end].operation, operation) == 0)
        end++;
    *count = end - first;
    return *count > 0 ? &sheet->entry[first] : NULL;
}

/* Small is near; names that hold the other are nearer than the letters say. */
static int sheet_distance(const char *asked, const char *known)
{
    bool inside = asked[0] && (strstr(known, asked) || strstr(asked, known));
    int letters = name_distance(asked, known);
    return inside ? 1 + (letters > 8) : letters;
}

/* The next entry with another name, or the number of entries. */
static int64_t next_name(const bmf_sheet *sheet, int64_t k)
{
    const char *name = sheet->entry[k].operation;
    while (k < sheet->entries && strcmp(sheet->entry[k].operation, name) == 0)
        k++;
    return k;
}

/* Only those that are as near as the nearest. */
static void find_near(const bmf_sheet *sheet, const char *operation, near_names *near)
{
    for (int64_t k = 0; k < sheet->entries; k = next_name(sheet, k)) {
        const char *name = sheet->entry[k].operation;
        near_names_offer(near, name, sheet_distance(operation, name));
    }
    while (near->count > 0 && near->distance[near->count - 1] > near->distance[0])
        near->count--;
}

static void list_names(const bmf_sheet *sheet, char *text, size_t size)
{
    int listed = 0;
    for (int64_t k = 0; k < sheet->entries && listed < MAX_LISTED; k = next_name(sheet, k)) {
        const char *name = sheet->entry[k].operation;
        if (strlen(text) + strlen(name) + 3 >= size)
            break;
        strcat(strcat(text, listed++ > 0 ? ", " : ""), name);
    }
}

/* Reports an operation that the sheet lacks. */
static int fail_unknown(const bmf_sheet *sheet, const char *operation)
{
    char text[BMF_SHEET_TEXT * 2] = "";
    near_names near = {.max = NEAR_NAMES_MAX, .limit = 3};
    find_near(sheet, operation, &near);
    if (near.count > 0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the sheet has no operation '%s'; near: %s", operation,
                        near_names_text(&near, text, sizeof text));
    list_names(sheet, text, sizeof text);
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the sheet has no operation '%s'; it has %s", operation,
                    text[0] ? text : "none");
}

double spread_deviation(const bmf_run_spread *spread)
{
    return run_effects_widened(hypot(spread->run, spread->session), spread->freedom);
}

void sheet_share_spread(bmf_sheet *sheet)
{
    for (int64_t k = 0; k < sheet->entries; k++)
        sheet->entry[k].common = sheet->entry[k].family == BMF_FAMILY_LOCAL ? spread_deviation(&sheet->spread) : 0.0;
}

int sheet_evaluate(const bmf_sheet *sheet, const char *operation, double p, double d, bmf_estimate *estimate)
{
    int64_t count;
    if (strlen(operation) >= BMF_SHEET_NAME)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the name of an operation has at most %d letters",
                        BMF_SHEET_NAME - 1);
    const bmf_sheet_entry *entry = sheet_find(sheet, operation, &count);
    if (!entry)
        return fail_unknown(sheet, operation);
    if (!isfinite(p) || p < 1.0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "p must be at least 1, not %g", p);
    if (!isfinite(d) || d < 0.0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "d must be at least 0, not %g", d);
    entry_evaluate(entry_choose(entry, count, p, d), p, d, estimate);
    entry_domain(entry, count, p, d, estimate);
    return BMF_OK;
}
