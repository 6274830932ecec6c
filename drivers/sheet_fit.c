/* bmf sheet fit: from measured times to a sheet. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet.h"
#include "drivers/sheet_json.h"
#include "predict/sheet.h"
#include "predict/sheet_text.h"
#include "runtime/status.h"

static const double poor_q = 0.001;

typedef struct options {
    const char *raw, *out, *title;
    bool partial, json, help;
} options;

static void print_help(void)
{
    puts("usage: bmf sheet fit RAW -o SHEET [OPTION]..\n"
         "\n"
         "Fits an equation to the times of each operation in RAW (from `bmf sheet measure`) and writes a sheet. Fits "
         "that\n"
         "the points do not follow, and designs that cannot tell forms apart, are listed on standard error.\n"
         "\n"
         "  -o SHEET       the sheet to write\n"
         "  --title TEXT   its title; default: the machine\n"
         "  --partial      accept an interrupted measurement\n"
         "  --json         print one JSON object with all entries\n"
         "  --help         this text\n"
         "\n"
         "Example: bmf sheet fit here.raw -o here.sheet");
}

static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {{"title", required_argument, NULL, 't'},
                                          {"partial", no_argument, NULL, 'p'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
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

/* What a reader of the sheet must know about it. Returns how many remarks there were. */
static int print_remarks(const bmf_sheet *sheet)
{
    char domain[100];
    int remarks = 0;
    for (int64_t k = 0; k < sheet->entries; k++) {
        const bmf_entry *entry = &sheet->entry[k];
        bool poor = !isnan(entry->q) && entry->q < poor_q;
        if (!poor && !entry->note[0])
            continue;
        remarks++;
        bmf_domain_text(entry, domain, sizeof domain);
        fprintf(stderr, "bmf: note: %s (%s):", entry->operation, domain);
        if (poor)
            fprintf(stderr,
                    " the points miss the equation by more than their own spread, chi-square %.3g per degree "
                    "of freedom, Q %.1g%s",
                    entry->chi_square / entry->chi_freedom, entry->q, entry->note[0] ? ";" : "");
        fprintf(stderr, "%s%s\n", entry->note[0] ? " " : "", entry->note);
    }
    for (int64_t k = 0; k < sheet->skips; k++)
        fprintf(stderr, "bmf: note: %s was not measured: %s\n", sheet->skip[k].operation, sheet->skip[k].reason);
    return remarks;
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
    int status = bmf_samples_read(o.raw, o.partial, &samples);
    if (status == BMF_OK)
        status = bmf_sheet_fit(samples, &sheet);
    if (status == BMF_OK && o.title)
        snprintf(sheet->title, sizeof sheet->title, "%s", o.title);
    if (status == BMF_OK)
        status = bmf_sheet_write(sheet, o.out);
    if (status == BMF_OK) {
        int remarks = print_remarks(sheet);
        if (o.json)
            code = print_json(sheet);
        else
            printf("%s: %lld equations from %lld samples, %d with remarks\n", o.out, (long long)sheet->entries,
                   (long long)samples->count, remarks);
    }
    bmf_sheet_free(sheet);
    bmf_samples_free(samples);
    return status != BMF_OK ? bmf_report(status) : code ? code : bmf_finish_output();
}
