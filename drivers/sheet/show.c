/* bmf sheet show and bmf sheet plot: sheets for people. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"
#include "predict/sheet/report.h"
#include "bmf/status.h"

typedef struct options {
    const char *html, *tex, *out;
    bool front, help;
    int words;
    char **word;
} options;

static void print_show_help(void)
{
    puts("usage: bmf sheet show SHEET [OP] [--front] [--html F] [--tex F]\n"
         "\n"
         "Prints a sheet: the tables of equations in one significant figure, a page per operation with the errors and "
         "the\n"
         "measured points, and notes for use. With OP only the page of that operation.\n"
         "\n"
         "  --front   only the tables\n"
         "  --html F  write one HTML file with pictures instead\n"
         "  --tex F   write a LaTeX document instead\n"
         "  --help    this text\n"
         "\n"
         "Example: bmf sheet show here.sheet --html here.html");
}

static void print_plot_help(void)
{
    puts("usage: bmf sheet plot SHEET OP -o F.svg\n"
         "\n"
         "Draws the measured points and the equations of operation OP, over d and over p, as far as these vary; the "
         "band is\n"
         "the 95 % interval of one observation.\n"
         "\n"
         "  -o F.svg  the picture; - for standard output\n"
         "  --help    this text\n"
         "\n"
         "Example: bmf sheet plot here.sheet bcast -o bcast.svg");
}

static int read_options(const char *command, int argc, char **argv, const char *letters, const struct option *known,
                        options *o)
{
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, known, NULL)) != -1;) {
        switch (c) {
        case 'H':
            o->html = optarg;
            break;
        case 't':
            o->tex = optarg;
            break;
        case 'o':
            o->out = optarg;
            break;
        case 'f':
            o->front = true;
            break;
        case 'h':
            o->help = true;
            break;
        case ':':
            return bmf_usage_error(command, "'%s' needs a value", argv[optind - 1]);
        default:
            return bmf_usage_error(command, "unknown option '%s'", argv[optind - 1]);
        }
    }
    o->words = argc - optind;
    o->word = argv + optind;
    return 0;
}

/* The entries of one operation, or the message that it is not there. */
static int find(const bmf_sheet *sheet, const char *operation, const bmf_entry **entry, int64_t *count)
{
    bmf_estimate estimate; /* asking tells near names */
    BMF_TRY(sheet_evaluate(sheet, operation, 1.0, 0.0, &estimate));
    *entry = sheet_find(sheet, operation, count);
    return BMF_OK;
}

static int show_text(const bmf_sheet *sheet, const options *o)
{
    bmf_output out;
    const bmf_entry *entry = NULL;
    int64_t count = 0;
    if (o->words > 1)
        BMF_TRY(find(sheet, o->word[1], &entry, &count));
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

int bmf_sheet_show_command(int argc, char **argv)
{
    static const struct option known[] = {{"html", required_argument, NULL, 'H'},
                                          {"tex", required_argument, NULL, 't'},
                                          {"front", no_argument, NULL, 'f'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    options o = {0};
    bmf_sheet *sheet;
    int code = read_options("sheet show", argc, argv, ":h", known, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_show_help();
        return bmf_finish_output();
    }
    if (o.words < 1 || o.words > 2)
        return bmf_usage_error("sheet show", o.words < 1 ? "no sheet" : "too many arguments");
    if (o.words == 2 && (o.html || o.tex || o.front))
        return bmf_usage_error("sheet show", "an operation alone is shown as text; a document has all of them");
    int status = sheet_read(o.word[0], &sheet);
    if (status != BMF_OK)
        return bmf_report(status);
    if (o.html)
        status = write_document(sheet, o.html, sheet_put_html);
    if (status == BMF_OK && o.tex)
        status = write_document(sheet, o.tex, sheet_put_tex);
    if (!o.html && !o.tex)
        status = show_text(sheet, &o);
    sheet_free(sheet);
    return bmf_report(status);
}

static int plot(const options *o)
{
    bmf_sheet *sheet;
    bmf_output out;
    const bmf_entry *entry;
    int64_t count;
    BMF_TRY(sheet_read(o->word[0], &sheet));
    int status = find(sheet, o->word[1], &entry, &count);
    if (status == BMF_OK) {
        status = output_open(NULL, &out, o->out);
        if (status == BMF_OK)
            sheet_put_svg(&out, entry, count);
        status = output_close(NULL, &out, status);
    }
    sheet_free(sheet);
    return status;
}

int bmf_sheet_plot_command(int argc, char **argv)
{
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {0}};
    options o = {0};
    int code = read_options("sheet plot", argc, argv, ":o:h", known, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_plot_help();
        return bmf_finish_output();
    }
    if (o.words != 2)
        return bmf_usage_error("sheet plot", "a sheet and an operation are needed, not %d arguments", o.words);
    if (!o.out)
        return bmf_usage_error("sheet plot", "no picture to write; use -o F.svg");
    return bmf_report(plot(&o));
}
