/* Curves and surfaces as one HTML page.
 *
 * Method: charts are drawn here, as SVG; surfaces stand in the page as JSON and are drawn by its script
 * (page_surface.js), as a heat map and in space, those of one quantity side by side on one scale of colours. A content
 * security policy keeps the page from loading anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/report/curves.h"
#include "predict/report/report_private.h"
#include "runtime/convert/markup.h"

extern const char surface_script[];

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

static void put_json_text(bmf_output *out, const char *text)
{
    char *clean = style_text(text ? text : "", BMF_STYLE_JSON), *at = clean;
    output_text(out, "\"");
    while (at && *at) {
        const size_t plain = strcspn(at, "<>&");
        output_print(out, "%.*s", (int)plain, at);
        at += plain;
        if (*at)
            output_print(out, "\\u%04x", (unsigned)*at++);
    }
    output_text(out, "\"");
    free(clean);
}

static void put_numbers(bmf_output *out, const char *key, int64_t count, const double *value)
{
    output_print(out, ",\"%s\":[", key);
    for (int64_t k = 0; k < count; k++) {
        output_text(out, k ? "," : "");
        if (isfinite(value[k]))
            output_print(out, "%.7g", value[k]);
        else
            output_text(out, "null");
    }
    output_text(out, "]");
}

static void put_surface(bmf_output *out, const bmf_surface *of)
{
    const char *const text[] = {of->title, of->x_name, of->y_name, of->value_name};
    static const char *const key[] = {"title", "xName", "yName", "valueName"};
    output_print(out, "{\"isTime\":%s", of->is_time ? "true" : "false");
    for (int k = 0; k < 4; k++) {
        output_print(out, ",\"%s\":", key[k]);
        put_json_text(out, text[k]);
    }
    put_numbers(out, "x", of->columns, of->x);
    put_numbers(out, "y", of->rows, of->y);
    put_numbers(out, "value", of->rows * of->columns, of->value);
    output_text(out, "}");
}

static void put_plain(bmf_output *out, const char *text)
{
    char *clean = style_text(text ? text : "", BMF_STYLE_PLAIN);
    put_markup(out, clean);
    free(clean);
}

static void put_head(bmf_output *out, const bmf_surface_page *page)
{
    output_print(out,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                 policy);
    put_plain(out, page->title);
    output_text(out, "</title>\n<style>\n");
    output_text(out, report_style);
    output_text(out, ".chart svg{max-width:100%;height:auto}#surfaces canvas{width:100%;touch-action:none}\n"
                     "#surfaces .pair>figure{max-width:none;flex:1 1 30rem}\n"
                     "#surfaces .paper{display:flex;flex-wrap:wrap}#surfaces canvas{flex:1 1 "
                     "24rem;min-width:0}\n</style>\n</head>\n<body>\n<header><h1>");
    put_plain(out, page->title);
    output_text(out, "</h1><p id=\"subtitle\">");
    put_plain(out, page->subtitle);
    output_text(out, "</p></header>\n<main>\n");
}

static void put_charts(bmf_output *out, const bmf_surface_page *page)
{
    if (page->charts == 0)
        return;
    output_text(out, "<section id=\"curves\"><h2>Curves</h2><div class=\"pair\">\n");
    for (int64_t k = 0; k < page->charts; k++) {
        output_text(out, "<figure class=\"paper chart\">\n");
        curves_put_svg(out, &page->chart[k]);
        output_text(out, "</figure>\n");
    }
    output_text(out, "</div></section>\n");
}

static void put_surfaces(bmf_output *out, const bmf_surface_page *page)
{
    if (page->surfaces == 0)
        return;
    output_text(out,
                "<section id=\"surface\"><h2>Surface</h2><p class=\"note\">Drag a surface to turn it, double-click "
                "to turn it back; arrow keys turn it, too. Both axes are logarithmic, and so are height and "
                "colour.</p><div id=\"surfaces\"></div></section>\n"
                "<script type=\"application/json\" id=\"surface-data\">[");
    for (int64_t k = 0; k < page->surfaces; k++) {
        output_text(out, k ? ",\n" : "");
        put_surface(out, &page->surface[k]);
    }
    output_text(out, "]</script>\n<script>\n");
    output_text(out, surface_script);
    output_text(out, "</script>\n");
}

void curves_put_page(bmf_output *out, const bmf_surface_page *page)
{
    put_head(out, page);
    put_charts(out, page);
    put_surfaces(out, page);
    output_text(out, "</main>\n</body>\n</html>\n");
}
