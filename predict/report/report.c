/* The report's frame: head, style, body, data, script, in this order in one file.
 *
 * Method: the page is drawn by its script (page*.js) from the data that stand in it; a content security policy keeps it
 * from loading anything. Texts of traces stand in the data only, and in the title. Cost: one pass over the events, and
 * deflate: 1 to 2 s and 10 to 20 MB for a million events.
 */
#include <stdlib.h>

#include "runtime/convert/markup.h"
#include "predict/report/report_private.h"

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

static void put_head(bmf_output *out, const bmf_report_contents *report)
{
    bmf_output_print(out,
                     "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                     policy);
    char *title = bmf_style_text(report->title ? report->title : "", BMF_STYLE_PLAIN);
    bmf_put_markup(out, title ? title : "");
    free(title);
    bmf_output_text(out, "</title>\n<style>\n");
    bmf_output_text(out, bmf_report_style);
    bmf_output_text(out, "</style>\n</head>\n<body>\n");
    bmf_output_text(out, bmf_report_body);
}

static int put_page(bmf_output *out, const bmf_report_contents *report, const bmf_view view[2])
{
    int status = BMF_OK;
    put_head(out, report);
    bmf_output_text(out, "<script type=\"application/json\" id=\"facts\">");
    bmf_report_put_facts(out, report, view);
    bmf_output_text(out, "</script>\n");
    for (int k = 0; k < report->runs && status == BMF_OK; k++) {
        bmf_output_print(out, "<script type=\"text/plain\" id=\"columns%d\">", k);
        status = bmf_report_put_columns(out, report, &view[k], k);
        bmf_output_text(out, "</script>\n");
    }
    bmf_output_text(out, "<script>\n");
    bmf_output_text(out, bmf_report_script);
    bmf_output_text(out, "</script>\n</body>\n</html>\n");
    return status;
}

int bmf_report_write(const bmf_report_contents *report, const char *path)
{
    bmf_trace trace = {.runs = report->runs};
    for (int k = 0; k < report->runs; k++) {
        trace.run[k] = report->run[k];
        if (bmf_run_sort(report->run[k]) != BMF_OK)
            return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to sort a trace of %lld events",
                            (long long)report->run[k]->events);
    }
    bmf_view view[2];
    BMF_TRY(bmf_views_create(NULL, &trace, BMF_STYLE_PLAIN, view));
    bmf_output out = {0};
    int status = bmf_output_open(NULL, &out, path);
    if (status == BMF_OK)
        status = put_page(&out, report, view);
    status = bmf_output_close(NULL, &out, status);
    bmf_views_free(view, report->runs);
    return status;
}
