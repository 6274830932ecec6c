/* Sheets as one HTML file: no scripts, no network, pictures inside.
 *
 * Front page first: what was measured, one table per family with links to the pages; then a section per operation with
 * the equation, its statistics, the picture, and the points folded away; then the notes.
 */
#include <math.h>
#include <string.h>

#include "runtime/convert/markup.h"
#include "predict/sheet/report.h"
#include "predict/sheet/text.h"

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 "
    "system-ui,sans-serif;color:#222;background:#fff;max-width:1120px;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:1.7em;margin-bottom:.2em}h2{font-size:1.25em;margin:2em 0 .4em;border-bottom:2px solid #2a6f97}\n"
    "h3{font-size:1.05em;margin:1.2em 0 .3em}table{border-collapse:collapse;margin:.5em 0}\n"
    "th{text-align:left;font-weight:600;border-bottom:1px solid #999;padding:.15em 1em .15em 0}\n"
    "td{padding:.15em 1em .15em 0;border-bottom:1px solid #eee;vertical-align:top}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.facts td:first-child{color:#666}\n"
    ".eq{font-family:ui-monospace,monospace;white-space:nowrap}.poor{color:#b3261e}.remark{color:#8a5a00}\n"
    ".by{color:#666}a{color:#1b5a86;text-decoration:none}a:hover{text-decoration:underline}svg{max-width:100%;height:"
    "auto}\n"
    "details{margin:.5em 0}section{margin-top:2em}\n"
    "@media screen and (prefers-color-scheme:dark){body{color:#e8ecf1;background:#161b22}td{border-color:#343d49}"
    ".by,.facts td:first-child{color:#9da8b6}.poor{color:#ff9a8f}.remark{color:#f0c068}a{color:#6cb8ea}}\n";

static void put_equation(bmf_output *out, const bmf_sheet_entry *entry, bmf_equation_style how)
{
    char text[BMF_SHEET_TEXT];
    equation_text(entry, how, 1e-6, text, sizeof text);
    for (char *at = text; (at = strstr(at, "+-"));) { /* the sign, now that there is room for it */
        *at = 0;
        put_markup(out, text);
        output_text(out, "&plusmn;");
        memmove(text, at + 2, strlen(at + 2) + 1);
        at = text;
    }
    put_markup(out, text);
}

static void put_facts(bmf_output *out, const bmf_sheet *sheet)
{
    const char *name;
    char text[BMF_SHEET_TEXT];
    output_text(out, "<table class='facts'>\n");
    for (int k = 0; sheet_fact(sheet, k, &name, text, sizeof text); k++) {
        if (!text[0])
            continue;
        output_print(out, "<tr><td>%s</td><td>", name);
        put_markup(out, text);
        output_text(out, "</td></tr>\n");
    }
    output_text(out, "</table>\n");
}

static void put_row(bmf_output *out, const bmf_sheet_entry *entry)
{
    char domain[100], q[20], noise[20];
    output_text(out, "<tr><td><a href='#");
    put_markup(out, entry->operation);
    output_text(out, "'>");
    put_markup(out, entry->operation);
    output_text(out, "</a></td><td class='eq'>");
    put_equation(out, entry, BMF_EQUATION_ROUNDED);
    output_print(out, "</td><td>%s</td><td class='n'>%s</td><td class='n'>", domain_text(entry, domain, sizeof domain),
                 noise_text(entry->noise, noise, sizeof noise));
    put_markup(out, q_text(entry->q, q, sizeof q));
    output_print(out, "</td><td class='%s'>%s</td></tr>\n", entry_is_poor(entry) ? "poor" : "remark",
                 remark_text(entry));
}

static void put_tables(bmf_output *out, const bmf_sheet *sheet)
{
    int family = -1;
    for (int64_t k = 0; k < sheet->entries; k++) {
        if ((int)sheet->entry[k].family != family) {
            output_text(out, family >= 0 ? "</table>\n" : "");
            family = (int)sheet->entry[k].family;
            output_print(out,
                         "<h2>%s</h2>\n<table><tr><th>operation</th><th>time, &micro;s</th><th>domain</th>"
                         "<th class='n'>noise</th><th class='n'>Q</th><th></th></tr>\n",
                         family_heading((bmf_family)family));
        }
        put_row(out, &sheet->entry[k]);
    }
    output_text(out, "</table>\n");
    if (sheet->skips == 0)
        return;
    output_text(out, "<h2>Not measured</h2>\n<table>\n");
    for (int64_t k = 0; k < sheet->skips; k++) {
        output_text(out, "<tr><td>");
        put_markup(out, sheet->skip[k].operation);
        output_text(out, "</td><td>");
        put_markup(out, sheet->skip[k].reason);
        output_text(out, "</td></tr>\n");
    }
    output_text(out, "</table>\n");
}

/* ---- pages ---- */

/* A cell with a number, or a dash where it is not known. */
static void put_cell(bmf_output *out, double value, const char *unit)
{
    if (isnan(value))
        output_text(out, "<td class='n'>&ndash;</td>");
    else
        output_print(out, "<td class='n'>%.3g%s</td>", value, unit);
}

static void put_statistics(bmf_output *out, const bmf_sheet_entry *entry)
{
    char domain[100], q[20];
    output_text(out, "<tr><td class='eq'>");
    put_equation(out, entry, BMF_EQUATION_ERRORS);
    output_print(out, "</td><td>%s</td>", domain_text(entry, domain, sizeof domain));
    put_cell(out, 100.0 * entry->noise, " %");
    put_cell(out, 100.0 * entry_misfit(entry), " %");
    put_cell(out, entry->chi_freedom > 0.0 ? entry->chi_square / entry->chi_freedom : NAN, "");
    output_print(out, "<td class='n%s'>", entry_is_poor(entry) ? " poor" : "");
    put_markup(out, q_text(entry->q, q, sizeof q));
    output_text(out, "</td>");
    put_cell(out, 100.0 * entry->coverage, " %");
    put_cell(out, entry->condition, "");
    output_text(out, "</tr>\n");
}

/* What one range has to say beyond numbers: rivals of its form, and the note. */
static void put_remarks(bmf_output *out, const bmf_sheet_entry *entry)
{
    char form[BMF_FORM_TEXT], domain[100];
    if (!entry->has_runner_up && !entry->note[0])
        return;
    output_print(out, "<p class='by'>%s: ", domain_text(entry, domain, sizeof domain));
    if (entry->has_runner_up)
        output_print(out, "runner-up %s, worse by %.3g in &minus;2 log likelihood. ",
                     form_text(entry->runner_up, form, sizeof form), entry->runner_up_margin);
    for (int32_t k = 0; k < entry->alternatives; k++)
        output_print(out, "%s%s%s", k == 0 ? "Not told apart: " : ", ",
                     form_text(entry->alternative[k], form, sizeof form), k + 1 == entry->alternatives ? ". " : "");
    output_text(out, "<span class='remark'>");
    put_markup(out, entry->note);
    output_text(out, "</span></p>\n");
}

static void put_equations(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    output_text(out, "<table><tr><th>time, &micro;s</th><th>domain</th><th class='n'>noise</th><th "
                     "class='n'>misfit</th><th class='n'>&chi;&sup2; per degree</th><th class='n'>Q</th><th "
                     "class='n'>in 95 %</th><th class='n'>condition</th></tr>\n");
    for (int64_t k = 0; k < count; k++)
        put_statistics(out, &entry[k]);
    output_text(out, "</table>\n");
    for (int64_t k = 0; k < count; k++)
        put_remarks(out, &entry[k]);
}

static void put_points(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    int64_t points = 0;
    for (int64_t k = 0; k < count; k++)
        points += entry[k].points;
    if (points == 0)
        return;
    output_print(out,
                 "<details><summary>%lld measured points</summary>\n<table><tr><th class='n'>p</th>"
                 "<th class='n'>d</th><th class='n'>times</th><th class='n'>least, &micro;s</th><th "
                 "class='n'>typical</th><th class='n'>most</th><th class='n'>equation</th></tr>\n",
                 (long long)points);
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < entry[k].points; j++) {
            const bmf_sheet_point *at = &entry[k].point[j];
            bmf_estimate e;
            entry_evaluate(&entry[k], at->p, (double)at->d, &e);
            output_print(out,
                         "<tr><td class='n'>%d</td><td class='n'>%lld</td><td class='n'>%d</td><td "
                         "class='n'>%.4g</td><td class='n'>%.4g</td><td class='n'>%.4g</td><td "
                         "class='n'>%.4g</td></tr>\n",
                         at->p, (long long)at->d, at->repeats, at->min * 1e6, at->typical * 1e6, at->max * 1e6,
                         e.mean * 1e6);
        }
    output_text(out, "</table></details>\n");
}

static void put_page(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    output_text(out, "<section id='");
    put_markup(out, entry->operation);
    output_text(out, "'>\n<h2>");
    put_markup(out, entry->operation);
    output_text(out, "</h2>\n");
    const char *text = operation_text(entry->operation);
    output_print(out, "<p class='by'>%s%s%s", text, text[0] ? "; " : "", family_name(entry->family));
    if (entry->element_bytes > 0)
        output_print(out, "; elements of %d bytes", entry->element_bytes);
    output_text(out, "</p>\n");
    put_equations(out, entry, count);
    sheet_put_svg(out, entry, count);
    put_points(out, entry, count);
    output_text(out, "</section>\n");
}

void sheet_put_html(bmf_output *out, const bmf_sheet *sheet)
{
    const char *title = sheet->title[0] ? sheet->title : "Data sheet";
    output_text(out, "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n<title>");
    put_markup(out, title);
    output_print(out, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
    put_markup(out, title);
    output_text(out, "</h1>\n<p class='by'>Data sheet: time as a function of p and d, with errors</p>\n");
    put_facts(out, sheet);
    put_tables(out, sheet);
    sheet_each(sheet, put_page, out);
    output_text(out, "<h2>Notes for use</h2>\n<ul>\n");
    for (int k = 0; sheet_notes[k]; k++)
        output_print(out, "<li>%s</li>\n", sheet_notes[k]);
    output_text(out, "</ul>\n</body></html>\n");
}
