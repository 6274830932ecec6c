/* bmf sheet calc: the time of an operation by its equation, once or in a dialogue.
 *
 * The dialogue is that of document 001, 3.5.5: the equation with its standard errors, then the time with every
 * coefficient one standard error lower, as it is, and higher; and what a new observation should lie in.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/json.h"
#include "drivers/sheet/json.h"
#include "drivers/sheet/sheet.h"
#include "predict/sheet/text.h"
#include "bmf/status.h"

typedef struct options {
    bool json;
} options;

static bool read_number(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !*end && errno == 0 && isfinite(*value);
}

/* One question: numbers from their texts, d may be NULL. Statuses of sheet_evaluate. */
static int ask(const bmf_sheet *sheet, const char *operation, const char *p_text, const char *d_text, double *p,
               double *d, bmf_estimate *estimate)
{
    *d = 0.0;
    if (!read_number(p_text, p))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "P must be a number, not '%s'", p_text);
    if (d_text && !read_number(d_text, d))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "D must be a number, not '%s'", d_text);
    BMF_TRY(sheet_evaluate(sheet, operation, *p, *d, estimate));
    if (!d_text && estimate->entry->form.size != BMF_SIZE_NONE)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the time of '%s' depends on the size; give P and D", operation);
    return BMF_OK;
}

static void print_estimate(const bmf_estimate *e)
{
    char text[BMF_SHEET_TEXT], domain[100], time[3][32];
    const bmf_sheet_entry *entry = e->entry;
    printf("t = %s us   (%s)\n", equation_text(entry, BMF_EQUATION_EXACT, 1e-6, text, sizeof text),
           domain_text(entry, domain, sizeof domain));
    printf("Times (s): min=%.6g avg=%.6g max=%.6g\n", e->min, e->mean, e->max);
    if (e->has_errors)
        printf("One observation: %s, with 95 %% probability %s to %s\n", time_text(e->mean, time[0], sizeof time[0]),
               time_text(e->low, time[1], sizeof time[1]), time_text(e->high, time[2], sizeof time[2]));
    else
        printf("One observation: %s; its errors are not known\n", time_text(e->mean, time[0], sizeof time[0]));
    if (!e->inside)
        printf("Outside the sheet: %s\n", e->outside);
    if (entry->note[0])
        printf("Note: %s\n", entry->note);
}

static void list_operations(const bmf_sheet *sheet)
{
    const char *before = "";
    for (int64_t k = 0; k < sheet->entries; k++) {
        if (strcmp(before, sheet->entry[k].operation) != 0)
            printf("%s%s", before[0] ? " " : "", sheet->entry[k].operation);
        before = sheet->entry[k].operation;
    }
    puts("");
}

/* One line of the dialogue; false to leave. */
static bool answer(const bmf_sheet *sheet, char *line)
{
    char *rest = line, *word[4] = {NULL};
    int words = 0;
    for (char *w; words < 4 && (w = strtok_r(rest, " \t\r\n", &rest));)
        word[words++] = w;
    if (words == 0)
        return true;
    if (words == 1 && (strcmp(word[0], "quit") == 0 || strcmp(word[0], "exit") == 0))
        return false;
    if (words == 1 && strcmp(word[0], "list") == 0) {
        list_operations(sheet);
        return true;
    }
    double p, d;
    bmf_estimate estimate = {0};
    if (words < 2 || words > 3)
        puts("Enter OP P D, `list` or `quit`");
    else if (ask(sheet, word[0], word[1], word[2], &p, &d, &estimate) == BMF_OK)
        print_estimate(&estimate);
    else
        printf("%s\n", bmf_error_text(NULL));
    return true;
}

static int hold_dialogue(const bmf_sheet *sheet)
{
    bool person = isatty(STDIN_FILENO);
    char *line = NULL;
    size_t room = 0;
    printf("%s\nEnter OP P D, `list` or `quit`\n", sheet->title);
    for (bool more = true; more;) {
        if (person) {
            fputs("> ", stdout);
            fflush(stdout);
        }
        more = getline(&line, &room, stdin) > 0 && answer(sheet, line);
    }
    free(line);
    return finish_output();
}

static int print_json(const char *operation, double p, double d, const bmf_estimate *estimate)
{
    json_t *root = json_pack("{s:s, s:f, s:f}", "operation", operation, "p", p, "d", d);
    json_t *times = estimate_json(estimate);
    json_object_update(root, times);
    json_decref(times);
    json_object_set_new(root, "entry", sheet_entry_json(estimate->entry));
    return json_print(root, BMF_JSON_INDENT);
}

/* word: operation, P and D, NULL if it is not given. */
static int answer_once(const bmf_sheet *sheet, char **word, bool json)
{
    double p, d;
    bmf_estimate estimate = {0};
    const int status = ask(sheet, word[0], word[1], word[2], &p, &d, &estimate);
    if (status != BMF_OK)
        return report_status(NULL, status);
    if (json)
        return print_json(word[0], p, d, &estimate);
    print_estimate(&estimate);
    return finish_output();
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bmf_sheet *sheet;
    char **word = operands->text; /* SHEET [OP P [D]], and NULL at the end */
    if (operands->count == 2)
        return usage_error("'%s' needs P, and D if its time depends on the size", word[1]);
    if (o->json && operands->count == 1)
        return usage_error("--json needs OP and P");
    const int status = sheet_read(word[0], &sheet);
    if (status != BMF_OK)
        return report_status(ctx, status);
    const int code = operands->count == 1 ? hold_dialogue(sheet) : answer_once(sheet, word + 1, o->json);
    sheet_free(sheet);
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print one JSON object, times in seconds; needs OP and P"),
    BMF_OPTION_END};

const bmf_driver sheet_calc_command = {
    .name = "calc",
    .summary = "the time of an operation, with its errors",
    .synopsis = "bmf sheet calc SHEET [OP P [D]] [--json]",
    .about =
        "Prints the time of operation OP among P processes with D elements: the equation with its standard errors, the "
        "time with every coefficient one standard error lower (min), as it is (avg) and higher (max), and the interval "
        "that holds 95 % of new observations. Says so when P or D lies outside what was measured. Without OP it asks: "
        "lines of OP P D from standard input, `list` for the operations, `quit` or the end of the input to leave.",
    .example = "bmf sheet calc examples/sheets/cray-t3d.sheet bcast 16 1000",
    .options = table,
    .min_operands = 1,
    .max_operands = 4,
    .no_operand = "no sheet",
    .surplus = "too many arguments",
    .size = sizeof(options),
    .run = run};
