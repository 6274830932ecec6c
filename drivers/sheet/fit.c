/* bmf sheet fit: from measured times to a sheet. */
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/sheet/json.h"
#include "drivers/sheet/sheet.h"
#include "predict/sheet/sheet.h"
#include "predict/sheet/text.h"
#include "bmf/status.h"

typedef struct options {
    const char *raw, *out, *title;
    bool partial, notes, json;
} options;

/* What a reader of the sheet must know about it, on standard error. */
static void print_notes(const bmf_sheet *sheet)
{
    char domain[100];
    for (int64_t k = 0; k < sheet->entries; k++) {
        const bmf_sheet_entry *entry = &sheet->entry[k];
        bool poor = entry_is_poor(entry);
        if (!poor && !entry->note[0])
            continue;
        fprintf(stderr, "bmf: note: %s (%s): ", entry->operation, domain_text(entry, domain, sizeof domain));
        if (poor)
            fprintf(stderr, "poor, the points are off by %.0f %%%s", 100.0 * entry_misfit(entry),
                    entry->note[0] ? "; " : "");
        fprintf(stderr, "%s\n", entry->note);
    }
    for (int64_t k = 0; k < sheet->skips; k++)
        fprintf(stderr, "bmf: note: %s was not measured: %s\n", sheet->skip[k].operation, sheet->skip[k].reason);
}

static void print_summary(const options *o, const bmf_samples *samples, const bmf_sheet *sheet)
{
    int64_t poor = 0, notes = 0;
    for (int64_t k = 0; k < sheet->entries; k++) {
        poor += entry_is_poor(&sheet->entry[k]);
        notes += sheet->entry[k].note[0] != 0;
    }
    printf("%s: %lld equations from %lld samples; %lld poor, %lld with notes, %lld operations not measured\n", o->out,
           (long long)sheet->entries, (long long)samples->count, (long long)poor, (long long)notes,
           (long long)sheet->skips);
}

static void print_json(const bmf_sheet *sheet)
{
    json_t *entries = json_array();
    for (int64_t k = 0; k < sheet->entries; k++)
        json_array_append_new(entries, sheet_entry_json(&sheet->entry[k]));
    json_t *root = json_pack("{s:s, s:s, s:o}", "title", sheet->title, "date", sheet->header.date, "entries", entries);
    json_print(root, BMF_JSON_INDENT);
}

static int fit(const options *o)
{
    bmf_samples *samples = NULL;
    bmf_sheet *sheet = NULL;
    int status = samples_read(o->raw, o->partial, &samples);
    if (status == BMF_OK)
        status = sheet_fit(samples, &sheet);
    if (status == BMF_OK && o->title)
        snprintf(sheet->title, sizeof sheet->title, "%s", o->title);
    if (status == BMF_OK)
        status = sheet_write(sheet, o->out);
    if (status == BMF_OK && o->notes)
        print_notes(sheet);
    if (status == BMF_OK && o->json)
        print_json(sheet);
    else if (status == BMF_OK)
        print_summary(o, samples, sheet);
    sheet_free(sheet);
    samples_free(samples);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    o->raw = operands->text[0];
    if (o->title && (strlen(o->title) >= BMF_SHEET_TEXT || strpbrk(o->title, "\n\r\t")))
        return usage_error("a title is one line of at most %d bytes", BMF_SHEET_TEXT - 1);
    return report_status(ctx, fit(o));
}

static const bmf_option table[] = {
    BMF_OPTION("output", "SHEET", BMF_TEXT(options, out), "the sheet to write", .letter = 'o',
               .missing = "no sheet to write; use -o SHEET"),
    BMF_OPTION("title", "TEXT", BMF_TEXT(options, title), "its title; default: the machine"),
    BMF_OPTION("partial", NULL, BMF_FLAG(options, partial), "accept an interrupted measurement"),
    BMF_OPTION(
        "notes", NULL, BMF_FLAG(options, notes),
        "list on standard error the fits that their points contradict, the designs that cannot tell forms apart, "
        "and what was not measured"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print one JSON object with all entries, times in seconds"),
    BMF_OPTION_END};

const bmf_driver sheet_fit_command = {
    .name = "fit",
    .summary = "make a sheet from measured times",
    .synopsis = "bmf sheet fit RAW -o SHEET [OPTION]..",
    .about =
        "Fits an equation to the times of each operation in RAW (from `bmf sheet measure`) and writes a sheet: for "
        "every operation the ranges of sizes over which one equation holds, and for each range the likeliest of twelve "
        "forms, with standard errors, noise, goodness of fit and rivals.",
    .example = "bmf sheet fit here.raw -o here.sheet",
    .options = table,
    .min_operands = 1,
    .max_operands = 1,
    .no_operand = "no file of samples",
    .surplus = "more than one file of samples",
    .size = sizeof(options),
    .run = run};
