/* Pages without scripts; see static_page.h. A content security policy keeps them from loading anything. */
#include "predict/report/static_page.h"

#include <stdio.h>
#include <string.h>

#include "predict/report/report_private.h"
#include "runtime/convert/markup.h"

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'";

static const char own_style[] =
    ".chart svg{width:100%;height:auto}.pair{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(34rem,100%),1fr))}.pair>figure{max-width:none}\n"
    ".figures{border-collapse:collapse}\n"
    ".figures td,.figures th{padding:.2rem .7rem;text-align:right;white-space:nowrap}\n"
    ".figures td:first-child,.figures th:first-child{text-align:left}\n"
    ".scroll{overflow-x:auto;margin-top:1rem}.answers li{margin:.3rem 0}\n";

void static_page_begin(bmf_output *out, const char *title, const char *heading, const char *subtitle, const char *style)
{
    output_print(out,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                 policy);
    put_markup(out, title);
    output_text(out, "</title>\n<style>\n");
    output_text(out, report_style);
    output_text(out, own_style);
    output_text(out, style);
    output_text(out, "</style>\n</head>\n<body>\n<header><h1>");
    put_markup(out, heading);
    output_text(out, "</h1><p id=\"subtitle\">");
    put_markup(out, subtitle);
    output_text(out, "</p></header>\n<main>\n");
}

void static_page_end(bmf_output *out)
{
    output_text(out, "</main>\n</body>\n</html>\n");
}

void static_page_section(bmf_output *out, const char *heading)
{
    output_text(out, "<section><h2>");
    put_markup(out, heading);
    output_text(out, "</h2>\n");
}

void static_page_end_section(bmf_output *out)
{
    output_text(out, "</section>\n");
}

void static_page_lines(bmf_output *out, const char *text)
{
    output_text(out, "<ul class=\"answers\">\n");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length > 0) {
            char line[2048];
            snprintf(line, sizeof line, "%.*s", (int)length, text);
            output_text(out, "<li>");
            put_markup(out, line);
            output_text(out, "</li>\n");
        }
        text += length + (text[length] == '\n');
    }
    output_text(out, "</ul>\n");
}

void static_page_chart(bmf_output *out, const bmf_chart *chart)
{
    output_text(out, "<figure class=\"paper chart\">\n");
    curves_put_svg(out, chart);
    output_text(out, "</figure>\n");
}

void static_page_pair(bmf_output *out)
{
    output_text(out, "<div class=\"pair\">\n");
}

void static_page_end_pair(bmf_output *out)
{
    output_text(out, "</div>\n");
}

void static_page_table(bmf_output *out, const char *const *head)
{
    output_text(out, "<div class=\"scroll\"><table class=\"figures\"><thead><tr>");
    for (int k = 0; head[k]; k++) {
        output_text(out, "<th>");
        put_markup(out, head[k]);
        output_text(out, "</th>");
    }
    output_text(out, "</tr></thead><tbody>\n");
}

void static_page_end_table(bmf_output *out)
{
    output_text(out, "</tbody></table></div>\n");
}

void static_page_cell(bmf_output *out, const char *text)
{
    output_text(out, "<td>");
    put_markup(out, text);
    output_text(out, "</td>");
}
