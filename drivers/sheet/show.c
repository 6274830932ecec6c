/* bmf sheet show and bmf sheet plot: sheets for people. */
#include <stdlib.h>
#include <string.h>

#include "drivers/sheet/sheet.h"
#include "predict/sheet/report.h"
#include "bmf/status.h"

typedef struct options {
    const char *html, *tex, *out;
    bool front;
} options;

/* The entries of one operation, or the message that it is not there. */
static int find(const bmf_sheet *sheet, const char *operation, const bmf_sheet_entry **entry, int64_t *count)
{
    bmf_estimate estimate; /* asking tells near names */
    BMF_TRY(sheet_evaluate(sheet, operation, 1.0, 0.0, &estimate));
    *entry = sheet_find(sheet, operation, count);
    return BMF_OK;
}

static int show_text(const bmf_sheet *sheet, const char *operation, const options *o)
{
    bmf_output out;
    const bmf_sheet_entry *entry = NULL;
    int64_t count = 0;
    if (operation)
        BMF_TRY(find(sheet, operation, &entry, &count));
    int status = output_open(NULL, &out, "-");
    if (status == BMF_OK && entry)
        sheet_put_page(&out, entry, count);
    else if (status == BMF_OK)
        sheet_put_text(&out, sheet, !o->front);
    return output_close(NULL, &out, status);
}

static int write_document(const bmf_sheet *sheet, const char *path, void (*put)(bmf_output *, const bmf_sheet *))
{
    bmf_output out;
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK)
        put(&out, sheet);
    return output_close(NULL, &out, status);
}

static int show(const char *path, const char *operation, const options *o)
{
    bmf_sheet *sheet;
    BMF_TRY(sheet_read(path, &sheet));
    int status = o->html ? write_document(sheet, o->html, sheet_put_html) : BMF_OK;
    if (status == BMF_OK && o->tex)
        status = write_document(sheet, o->tex, sheet_put_tex);
    if (!o->html && !o->tex)
        status = show_text(sheet, operation, o);
    sheet_free(sheet);
    return status;
}

static int run_show(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    if (operands->count == 2 && (o->html || o->tex || o->front))
        return usage_error("an operation alone is shown as text; a document has all of them");
    return report_status(ctx, show(operands->text[0], operands->text[1], o));
}

static int plot(const char *path, const char *operation, const char *picture)
{
    bmf_sheet *sheet;
    bmf_output out;
    const bmf_sheet_entry *entry;
    int64_t count;
    BMF_TRY(sheet_read(path, &sheet));
    int status = find(sheet, operation, &entry, &count);
    if (status == BMF_OK) {
        status = output_open(NULL, &out, picture);
        if (status == BMF_OK)
            sheet_put_svg(&out, entry, count);
        status = output_close(NULL, &out, status);
    }
    sheet_free(sheet);
    return status;
}

static int run_plot(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    if (operands->count != 2)
        return usage_error("a sheet and an operation are needed, not %d arguments", operands->count);
    return report_status(ctx, plot(operands->text[0], operands->text[1], o->out));
}

/* ---- tables ---- */

static const bmf_option show_options[] = {
    BMF_OPTION("front", NULL, BMF_FLAG(options, front), "only the tables"),
    BMF_OPTION("html", "F", BMF_TEXT(options, html), "write one self-contained HTML file with pictures instead"),
    BMF_OPTION("tex", "F", BMF_TEXT(options, tex), "write a LaTeX document instead"), BMF_OPTION_END};

const bmf_driver sheet_show_command = {
    .name = "show",
    .summary = "print a sheet, as text, HTML or TeX",
    .synopsis = "bmf sheet show SHEET [OP] [--front] [--html F] [--tex F]",
    .about =
        "Prints a sheet: the tables of equations in one significant figure, a page per operation with the errors and "
        "the measured points, and notes for use. With OP only the page of that operation.",
    .example = "bmf sheet show here.sheet --html here.html",
    .options = show_options,
    .min_operands = 1,
    .max_operands = 2,
    .no_operand = "no sheet",
    .surplus = "too many arguments",
    .size = sizeof(options),
    .run = run_show};

static const bmf_option plot_options[] = {BMF_OPTION("output", "F.svg", BMF_TEXT(options, out),
                                                     "the picture; - for standard output", .letter = 'o',
                                                     .missing = "no picture to write; use -o F.svg"),
                                          BMF_OPTION_END};

const bmf_driver sheet_plot_command = {
    .name = "plot",
    .summary = "measured points and fitted curves as a picture",
    .synopsis = "bmf sheet plot SHEET OP -o F.svg",
    .about =
        "Draws the measured points and the equations of operation OP, over d and over p, as far as these vary; the "
        "band is the 95 % interval of one observation.",
    .example = "bmf sheet plot here.sheet bcast -o bcast.svg",
    .options = plot_options,
    .max_operands = BMF_ANY_NUMBER,
    .size = sizeof(options),
    .run = run_plot};
