/* Sheets as a LaTeX document: the front page and one section per operation, as in document 001, appendix B. */
#include <math.h>
#include <string.h>

#include "predict/sheet/report.h"
#include "predict/sheet/text.h"

/* Text with TeX's own characters escaped. */
static void put_plain(bmf_output *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("#$%&_{}", *c))
            output_print(out, "\\%c", *c);
        else if (*c == '\\')
            output_text(out, "\\textbackslash{}");
        else if (*c == '~')
            output_text(out, "\\textasciitilde{}");
        else if (*c == '^')
            output_text(out, "\\textasciicircum{}");
        else if (*c == '<' || *c == '>')
            output_print(out, "$%c$", *c);
        else
            output_print(out, "%c", *c);
    }
}

/* The function with the longest name that the text begins with, NULL if none. */
static const bmf_function *function_at(const char *text)
{
    const bmf_function *found = NULL;
    size_t longest = 0;
    for (int term = 1; term < BMF_TERMS; term++)
        for (int k = 1; k < form_term[term].functions; k++) {
            const bmf_function *function = &form_term[term].function[k];
            const size_t length = strlen(function->name);
            if (length > longest && strncmp(text, function->name, length) == 0) {
                longest = length;
                found = function;
            }
        }
    return found;
}

static void put_math(bmf_output *out, const bmf_sheet_entry *entry, bmf_equation_style how)
{
    char text[BMF_SHEET_TEXT];
    equation_text(entry, how, 1e-6, text, sizeof text);
    output_text(out, "$");
    for (const char *c = text; *c;) {
        const bmf_function *function = function_at(c);
        size_t length = 1;
        if (function) {
            output_text(out, function->tex);
            length = strlen(function->name);
        } else if (strncmp(c, "+-", 2) == 0) {
            output_text(out, "\\pm");
            length = 2;
        } else if (*c == 'e') { /* of a number: 2e-05 */
            const size_t digits = strspn(c + 1, "+-0123456789");
            output_print(out, "\\cdot 10^{%.*s}", (int)digits, c + 1);
            length += digits;
        } else {
            output_print(out, "%c", *c);
        }
        c += length;
    }
    output_text(out, "$");
}

static void put_facts(bmf_output *out, const bmf_sheet *sheet)
{
    const char *name;
    char text[BMF_SHEET_TEXT];
    output_text(out, "\\begin{longtable}{@{}lp{0.7\\textwidth}@{}}\n");
    for (int k = 0; sheet_fact(sheet, k, &name, text, sizeof text); k++) {
        if (!text[0])
            continue;
        output_print(out, "%s & ", name);
        put_plain(out, text);
        output_text(out, " \\\\\n");
    }
    output_text(out, "units & microseconds; $\\log$ is the natural logarithm \\\\\n\\end{longtable}\n");
}

static void put_row(bmf_output *out, const bmf_sheet_entry *entry)
{
    char domain[100], q[20];
    const char *remark = remark_text(entry);
    put_plain(out, entry->operation);
    output_text(out, " & ");
    put_math(out, entry, BMF_EQUATION_ROUNDED);
    output_print(out, " & %s & ", domain_text(entry, domain, sizeof domain));
    put_plain(out, q_text(entry->q, q, sizeof q));
    output_print(out, "%s%s \\\\\n", remark[0] ? ", " : "", remark);
}

static void put_tables(bmf_output *out, const bmf_sheet *sheet)
{
    for (int64_t k = 0; k < sheet->entries; k++) {
        bmf_family family = sheet->entry[k].family;
        if (k == 0 || family != sheet->entry[k - 1].family)
            output_print(out,
                         "\\section*{%s}\n\\begin{longtable}{@{}llll@{}}\n"
                         "operation & time ($\\mu$s) & domain & Q \\\\\n\\hline\n\\endhead\n",
                         family_heading(family));
        put_row(out, &sheet->entry[k]);
        if (k + 1 == sheet->entries || family != sheet->entry[k + 1].family)
            output_text(out, "\\end{longtable}\n");
    }
}

static void put_item(bmf_output *out, const char *name, double value, const char *unit)
{
    if (!isnan(value))
        output_print(out, "\\item %s %.3g%s\n", name, value, unit);
}

static void put_page(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    output_text(out, "\\subsection*{");
    put_plain(out, entry->operation);
    output_text(out, "}\n");
    put_plain(out, operation_text(entry->operation));
    output_text(out, "\n");
    for (int64_t k = 0; k < count; k++) {
        char domain[100];
        output_text(out, "\\begin{itemize}\n\\item ");
        put_math(out, &entry[k], BMF_EQUATION_ERRORS);
        output_print(out, " $\\mu$s for %s\n", domain_text(&entry[k], domain, sizeof domain));
        if (entry[k].chi_freedom > 0.0)
            put_item(out, "$\\chi^2$ per degree of freedom", entry[k].chi_square / entry[k].chi_freedom, "");
        put_item(out, "Q", entry[k].q, "");
        put_item(out, "misfit", 100.0 * entry_misfit(&entry[k]), "\\,\\%");
        put_item(out, "noise", 100.0 * entry[k].noise, "\\,\\%");
        put_item(out, "condition", entry[k].condition, "");
        if (entry[k].note[0]) {
            output_text(out, "\\item note: ");
            put_plain(out, entry[k].note);
            output_text(out, "\n");
        }
        output_text(out, "\\end{itemize}\n");
    }
}

void sheet_put_tex(bmf_output *out, const bmf_sheet *sheet)
{
    output_text(out, "\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{longtable}\n"
                     "\\title{");
    put_plain(out, sheet->title[0] ? sheet->title : "Data sheet");
    output_text(out, "}\n\\author{}\n\\date{");
    put_plain(out, sheet->header.date);
    output_text(out, "}\n\\begin{document}\n\\maketitle\n");
    put_facts(out, sheet);
    put_tables(out, sheet);
    output_text(out, "\\section*{Operations}\n");
    sheet_each(sheet, put_page, out);
    output_text(out, "\\section*{Notes for use}\n\\begin{itemize}\n");
    for (int k = 0; sheet_notes[k]; k++) {
        output_text(out, "\\item ");
        put_plain(out, sheet_notes[k]);
        output_text(out, "\n");
    }
    output_text(out, "\\end{itemize}\n\\end{document}\n");
}
