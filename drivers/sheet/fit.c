/* bmf sheet fit: from measured times to a sheet. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"
#include "drivers/sheet/json.h"
#include "predict/sheet/sheet.h"
#include "predict/sheet/text.h"
#include "bmf/status.h"

typedef struct options {
    const char *raw, *out, *title;
    bool partial, notes, json, help;
} options;

static void print_help(void)
{
    puts("usage: bmf sheet fit RAW -o SHEET [OPTION]..\n"
         "\n"
         "Fits an equation to the times of each operation in RAW (from `bmf sheet measure`) and writes a sheet.\n"
         "\n"
         "  -o SHEET       the sheet to write\n"
         "  --title TEXT   its title; default: the machine\n"
         "  --partial      accept an interrupted measurement\n"
         "  --notes        list on standard error the fits that their points contradict, the designs that cannot tell\n"
         "                 forms apart, and what was not measured\n"
         "  --json         print one JSON object with all entries\n"
         "  --help         this text\n"
         "\n"
         "Example: bmf sheet fit here.raw -o here.sheet");
}

static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {{"title", required_argument, NULL, 't'}, {"partial", no_argument, NULL, 'p'},
                                          {"notes", no_argument, NULL, 'n'},       {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},        {0}};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":o:h", known, NULL)) != -1;) {
        switch (c) {
        case 'o':
            o->out = optarg;
            break;
        case 't':
            o->title = optarg;
            break;
        case 'p':
            o->partial = true;
            break;
        case 'n':
            o->notes = true;
            break;
        case 'j':
            o->json = true;
            break;
        case 'h':
            o->help = true;
            return 0;
        case ':':
            return bmf_usage_error("sheet fit", "'%s' needs a value", argv[optind - 1]);
        default:
            return bmf_usage_error("sheet fit", "unknown option '%s'", argv[optind - 1]);
        }
    }
    if (optind + 1 != argc)
        return bmf_usage_error("sheet fit", optind == argc ? "no file of samples" : "more than one file of samples");
    o->raw = argv[optind];
    if (o->title && (strlen(o->title) >= BMF_SHEET_TEXT || strpbrk(o->title, "\n\r\t")))
        return bmf_usage_error("sheet fit", "a title is one line of at most %d bytes", BMF_SHEET_TEXT - 1);
    return o->out ? 0 : bmf_usage_error("sheet fit", "no sheet to write; use -o SHEET");
}

/* What a reader of the sheet must know about it, on standard error. */
static void print_notes(const bmf_sheet *sheet)
{
    char domain[100];
    for (int64_t k = 0; k < sheet->entries; k++) {
        const bmf_entry *entry = &sheet->entry[k];
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

static int print_json(const bmf_sheet *sheet)
{
    json_t *entries = json_array();
    for (int64_t k = 0; k < sheet->entries; k++)
        json_array_append_new(entries, bmf_sheet_entry_json(&sheet->entry[k]));
    json_t *root = json_pack("{s:s, s:s, s:o}", "title", sheet->title, "date", sheet->header.date, "entries", entries);
    return bmf_sheet_print_json(root);
}

int bmf_sheet_fit_command(int argc, char **argv)
{
    options o = {0};
    bmf_samples *samples = NULL;
    bmf_sheet *sheet = NULL;
    int code = read_options(argc, argv, &o);
    if (code != 0 || o.help) {
        if (o.help)
            print_help();
        return code ? code : bmf_finish_output();
    }
    int status = samples_read(o.raw, o.partial, &samples);
    if (status == BMF_OK)
        status = sheet_fit(samples, &sheet);
    if (status == BMF_OK && o.title)
        snprintf(sheet->title, sizeof sheet->title, "%s", o.title);
    if (status == BMF_OK)
        status = sheet_write(sheet, o.out);
    if (status == BMF_OK) {
        if (o.notes)
            print_notes(sheet);
        if (o.json)
            code = print_json(sheet);
        else
            print_summary(&o, samples, sheet);
    }
    sheet_free(sheet);
    samples_free(samples);
    return status != BMF_OK ? bmf_report(status) : code ? code : bmf_finish_output();
}
