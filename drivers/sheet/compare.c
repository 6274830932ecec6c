/* bmf sheet compare: two sheets, operation by operation. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"
#include "drivers/sheet/json.h"
#include "predict/sheet/compare.h"
#include "bmf/status.h"

static void print_help(void)
{
    puts("usage: bmf sheet compare A B [--json]\n"
         "\n"
         "Compares the times of every operation of sheets A and B over the p and d that both hold for: the ratio B / "
         "A,\n"
         "least, geometric mean and most, and whether the equations differ beyond their errors. The difference is in\n"
         "standard errors; by chance it exceeds the limit, anywhere in the domain, in 5 % of the operations.\n"
         "\n"
         "  --json  print one JSON object\n"
         "  --help  this text\n"
         "\n"
         "Example: bmf sheet compare monday.sheet tuesday.sheet");
}

static void print_row(const bmf_sheet_comparison *c)
{
    printf("%-24s", c->operation);
    if (!c->in_first || !c->in_second) {
        printf("  only in the %s\n", c->in_first ? "first" : "second");
        return;
    }
    if (!c->both) {
        puts("  no p and d in common");
        return;
    }
    printf(" %8.3f %8.3f %8.3f", c->least, c->mean, c->most);
    if (c->has_errors)
        printf(" %10.2f %6.2f  %s, p %g, d %g\n", c->errors, c->limit, c->differ ? "differ" : "agree ", c->at_p,
               c->at_d);
    else
        printf(" %10s %6s  errors not known\n", "-", "-");
}

static void print_table(int64_t count, const bmf_sheet_comparison *comparison)
{
    int64_t known = 0, differ = 0;
    printf("%-24s %8s %8s %8s %10s %6s\n", "operation", "least", "mean", "most", "difference", "limit");
    for (int64_t k = 0; k < count; k++) {
        print_row(&comparison[k]);
        known += comparison[k].both && comparison[k].has_errors;
        differ += comparison[k].differ;
    }
    printf("\n%lld operations with errors in both, %lld differ beyond them\n", (long long)known, (long long)differ);
}

static int print_json(int64_t count, const bmf_sheet_comparison *comparison)
{
    json_t *rows = json_array();
    for (int64_t k = 0; k < count; k++) {
        const bmf_sheet_comparison *c = &comparison[k];
        json_t *row =
            json_pack("{s:s, s:b, s:b}", "operation", c->operation, "in_first", c->in_first, "in_second", c->in_second);
        if (c->both) {
            json_t *ratios =
                json_pack("{s:[f,f,f], s:o, s:o, s:o, s:f, s:f}", "ratios", c->least, c->mean, c->most, "difference",
                          c->has_errors ? json_real(c->errors) : json_null(), "limit",
                          c->has_errors ? json_real(c->limit) : json_null(), "differ",
                          c->has_errors ? json_boolean(c->differ) : json_null(), "p", c->at_p, "d", c->at_d);
            json_object_update(row, ratios);
            json_decref(ratios);
        }
        json_array_append_new(rows, row);
    }
    return bmf_sheet_print_json(json_pack("{s:o}", "operations", rows));
}

static int compare_files(const char *first_path, const char *second_path, bool json)
{
    bmf_sheet *first = NULL, *second = NULL;
    bmf_sheet_comparison *comparison = NULL;
    int code = 0, status = sheet_read(first_path, &first);
    if (status == BMF_OK)
        status = sheet_read(second_path, &second);
    if (status == BMF_OK) {
        int64_t count = sheet_compare(first, second, &comparison);
        if (json)
            code = print_json(count, comparison);
        else
            print_table(count, comparison);
    }
    free(comparison);
    sheet_free(second);
    sheet_free(first);
    return status != BMF_OK ? bmf_report(status) : code ? code : bmf_finish_output();
}

int bmf_sheet_compare_command(int argc, char **argv)
{
    static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool json = false;
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (c == '?')
            return bmf_usage_error("sheet compare", "unknown option '%s'", argv[optind - 1]);
        if (c == 'h') {
            print_help();
            return bmf_finish_output();
        }
        json = true;
    }
    if (argc - optind != 2)
        return bmf_usage_error("sheet compare", "two sheets are compared, not %d", argc - optind);
    return compare_files(argv[optind], argv[optind + 1], json);
}
