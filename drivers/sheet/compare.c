/* bmf sheet compare: two sheets, operation by operation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/sheet/sheet.h"
#include "predict/sheet/compare.h"
#include "bmf/status.h"

typedef struct options {
    bool json;
} options;

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
    printf(" %8.3f %8.3f %8.3f", c->min, c->mean, c->max);
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
                json_pack("{s:[f,f,f], s:o, s:o, s:o, s:f, s:f}", "ratios", c->min, c->mean, c->max, "difference",
                          c->has_errors ? json_real(c->errors) : json_null(), "limit",
                          c->has_errors ? json_real(c->limit) : json_null(), "differ",
                          c->has_errors ? json_boolean(c->differ) : json_null(), "p", c->at_p, "d", c->at_d);
            json_object_update(row, ratios);
            json_decref(ratios);
        }
        json_array_append_new(rows, row);
    }
    return json_print(json_pack("{s:o}", "operations", rows), BMF_JSON_INDENT);
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
    return status != BMF_OK ? report_status(NULL, status) : code ? code : finish_output();
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    (void)ctx;
    if (operands->count != 2)
        return usage_error("two sheets are compared, not %d", operands->count);
    return compare_files(operands->text[0], operands->text[1], o->json);
}

static const bmf_option table[] = {BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print one JSON object"),
                                   BMF_OPTION_END};

const bmf_driver sheet_compare_command = {
    .name = "compare",
    .summary = "two sheets, operation by operation",
    .synopsis = "bmf sheet compare A B [--json]",
    .about =
        "Compares the times of every operation of sheets A and B over the p and d that both hold for: the ratio B / A, "
        "least, geometric mean and most, and whether the equations differ beyond their errors. The difference is in "
        "standard errors; by chance it exceeds the limit, anywhere in the domain, in 5 % of the operations.",
    .example = "bmf sheet compare monday.sheet tuesday.sheet",
    .options = table,
    .max_operands = BMF_ANY_NUMBER,
    .size = sizeof(options),
    .run = run};
