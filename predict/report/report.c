/* The report's frame: head, style, body, data, script, in this order in one file.
 *
 * Method: the page is drawn by its script (page*.js) from the data that stand in it; a content security policy keeps it
 * from loading anything. Texts of traces stand in the data only, and in the title. Cost: one pass over the events, and
 * deflate: 1 to 2 s and 10 to 20 MB for a million events.
 */
#include <stdlib.h>

#include "runtime/convert/markup.h"
#include "predict/report/report_private.h"
#include "runtime/trace/works.h"

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

static void put_head(bmf_output *out, const bmf_report_contents *report)
{
    output_print(out,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                 policy);
    char *title = style_text(report->title ? report->title : "", BMF_STYLE_PLAIN);
    put_markup(out, title);
    free(title);
    output_text(out, "</title>\n<style>\n");
    output_text(out, report_style);
    output_text(out, "</style>\n</head>\n<body>\n");
    output_text(out, report_body);
}

static int put_page(bmf_output *out, const bmf_report_contents *report, const bmf_view view[2])
{
    int status = BMF_OK;
    put_head(out, report);
    output_text(out, "<script type=\"application/json\" id=\"facts\">");
    report_put_facts(out, report, view);
    output_text(out, "</script>\n");
    for (int k = 0; k < report->runs && status == BMF_OK; k++) {
        output_print(out, "<script type=\"text/plain\" id=\"columns%d\">", k);
        status = report_put_columns(out, report, &view[k], k);
        output_text(out, "</script>\n");
    }
    output_text(out, "<script>\n");
    output_text(out, report_script);
    output_text(out, "</script>\n</body>\n</html>\n");
    return status;
}

int report_write(const bmf_report_contents *report, const char *path)
{
    bmf_trace trace = {.runs = report->runs};
    for (int k = 0; k < report->runs; k++) {
        trace.run[k] = report->run[k];
        if (run_sort(report->run[k]) != BMF_OK)
            return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to sort a trace of %lld events",
                            (long long)report->run[k]->events);
        run_sort_helds(report->run[k]);
    }
    bmf_view view[2];
    views_create(&trace, BMF_STYLE_PLAIN, view);
    bmf_output out = {0};
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK)
        status = put_page(&out, report, view);
    status = output_close(NULL, &out, status);
    views_free(view, report->runs);
    return status;
}
