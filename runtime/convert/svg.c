/* A picture: a Gantt chart of every run, one line per processor, with the messages between the lines.
 *
 * Method: runs stand above each other on one time axis. Events narrower than a fraction of a pixel are drawn only where
 * nothing was drawn yet, and of many messages or processors an even selection, which the caption admits; so the picture
 * stays small for any trace. Colours differ in lightness too, for readers who see few colours and printers that have
 * none. Cost: linear in the events.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/markup.h"
#include "runtime/convert/view.h"

enum { MAX_LANES = 128, MAX_MESSAGES = 3000, STRIP = 22, GAP = 46, LEGEND = 40, CHARACTER = 7 };
static const double width = 1200, left = 58, right = 14, thinnest = 0.35;

static const char *const fill[BMF_EVENT_KINDS] = {"#f4f4f4", "#e4e9f2", "#2a6f97", "#f4a259",
                                                  "#c8553d", "#f2d492", "#8a6fb0", "#3f8f6b"};
static const char *const kind_text[BMF_EVENT_KINDS] = {"region",  "skeleton call",     "kernel", "send",
                                                       "receive", "waiting for sends", "file",   "collective"};

typedef struct chart {
    bmf_output *out;
    const bmf_view *view;
    double top;    /* y of the first line */
    double per_ns; /* pixels */
    double line;   /* height */
    int32_t lines; /* drawn */
    double step;   /* lanes per line */
    double *drawn; /* by line: right end of what was drawn last */
} chart;

static double x_of(const chart *c, int64_t time)
{
    return left + (double)time * c->per_ns;
}

/* The line a lane is drawn on, or -1. */
static int32_t line_of(const chart *c, int32_t lane)
{
    int32_t line = (int32_t)((double)lane / c->step + 0.5);
    return line < c->lines && (int32_t)(line * c->step + 0.5) == lane ? line : -1;
}

static double y_of(const chart *c, int32_t line)
{
    return c->top + line * c->line;
}

static void put_text(bmf_output *out, double x, double y, const char *attributes, const char *text)
{
    output_print(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    put_markup(out, text);
    output_text(out, "</text>\n");
}

/* One leaf event. Boxes one can point at say what they are. */
static void put_box(const chart *c, const bmf_event *event, int32_t line)
{
    double from = x_of(c, event->begin), to = x_of(c, event->end), pad = c->line > 8 ? 1.5 : 0;
    if (to - from < thinnest && from < c->drawn[line])
        return;
    to = to - from < thinnest ? from + thinnest : to;
    c->drawn[line] = to;
    output_print(c->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"", from,
                 y_of(c, line) + pad, to - from, c->line - 2 * pad, fill[event->kind]);
    if (to - from < 2) {
        output_text(c->out, "/>\n");
        return;
    }
    output_text(c->out, "><title>");
    put_markup(c->out, c->view->label[view_label(c->view, event)].text);
    output_print(c->out, ", %.3f us</title></rect>\n", (double)(event->end - event->begin) / 1e3);
}

/* Names of the calls on the first lane, where there is room for them, and a mark where each begins. */
static void put_calls(const chart *c)
{
    double bottom = y_of(c, c->lines), written = left - 1;
    for (int64_t k = c->view->lane_start[0]; k < c->view->lane_start[1]; k++) {
        const bmf_event *event = &c->view->run->event[k];
        if (event->kind != BMF_EVENT_SKELETON)
            continue;
        double from = x_of(c, event->begin), to = x_of(c, event->end);
        const bmf_label *label = &c->view->label[view_label(c->view, event)];
        if (from < written || to - from < thinnest)
            continue;
        output_print(c->out, "<path d=\"M%.2f %.1fV%.1f\" stroke=\"#9aa5b5\" stroke-width=\"0.6\"/>\n", from,
                     c->top - STRIP + 8, bottom);
        if (to - from > (double)label->size * CHARACTER) {
            put_text(c->out, from + 3, c->top - 6, "class=\"call\"", label->text);
            written = from + (double)label->size * CHARACTER;
        }
    }
}

static void put_lanes(const chart *c)
{
    const bmf_trace_run *run = c->view->run;
    for (int32_t line = 0; line < c->lines; line++) {
        int32_t lane = (int32_t)(line * c->step + 0.5);
        c->drawn[line] = 0;
        output_print(c->out, "<path d=\"M%.1f %.2fH%.1f\" stroke=\"#dddddd\" stroke-width=\"0.5\"/>\n", left,
                     y_of(c, line + 1), width - right);
        if (c->line >= 9 || line % 16 == 0) {
            char text[16];
            snprintf(text, sizeof text, "%d", lane);
            put_text(c->out, left - 6, y_of(c, line) + c->line / 2 + 4, "class=\"lane\"", text);
        }
        for (int64_t k = c->view->lane_start[lane]; k < c->view->lane_start[lane + 1]; k++)
            if (!is_container(&run->event[k]))
                put_box(c, &run->event[k], line);
    }
}

/* An even selection of the messages between lines that are drawn. Returns how many there were. */
static int64_t put_messages(const chart *c)
{
    const bmf_trace_run *run = c->view->run;
    int64_t messages = 0, seen = 0;
    for (int64_t k = 0; k < run->events; k++)
        messages += run->event[k].kind == BMF_EVENT_SEND && c->view->partner[k] >= 0;
    int64_t every = messages / MAX_MESSAGES + 1;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *send = &run->event[k];
        if (send->kind != BMF_EVENT_SEND || c->view->partner[k] < 0 || seen++ % every != 0)
            continue;
        const bmf_event *receive = &run->event[c->view->partner[k]];
        int32_t from = line_of(c, send->lane), to = line_of(c, receive->lane);
        if (from >= 0 && to >= 0)
            output_print(c->out, "<path d=\"M%.2f %.2fL%.2f %.2f\" class=\"message\"/>\n", x_of(c, send->begin),
                         y_of(c, from) + c->line / 2, x_of(c, receive->end), y_of(c, to) + c->line / 2);
    }
    return messages;
}

static void put_axis(const chart *c, int64_t end)
{
    double raw = (double)end / 8, unit = pow(10, floor(log10(raw > 1 ? raw : 1)));
    double step = raw / unit < 1.5 ? unit : raw / unit < 3.5 ? 2 * unit : raw / unit < 7.5 ? 5 * unit : 10 * unit;
    double scale = end >= 2000000000 ? 1e9 : end >= 2000000 ? 1e6 : 1e3;
    const char *name = end >= 2000000000 ? "s" : end >= 2000000 ? "ms" : "us";
    double y = y_of(c, c->lines);
    for (double t = 0; t <= (double)end; t += step) {
        char text[32];
        snprintf(text, sizeof text, "%g %s", t / scale, name);
        output_print(c->out, "<path d=\"M%.2f %.1fv5\" stroke=\"#555555\"/>\n", left + t * c->per_ns, y);
        put_text(c->out, left + t * c->per_ns, y + 17, "class=\"tick\"", text);
    }
}

static void put_legend(bmf_output *out, double y)
{
    double x = left;
    for (int kind = BMF_EVENT_KERNEL; kind < BMF_EVENT_KINDS; kind++) {
        output_print(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, y - 10,
                     fill[kind]);
        put_text(out, x + 17, y, "class=\"call\"", kind_text[kind]);
        x += 40 + (double)strlen(kind_text[kind]) * CHARACTER;
    }
    output_print(out, "<path d=\"M%.1f %.1fl14 -8\" class=\"message\"/>\n", x, y);
    put_text(out, x + 19, y, "class=\"call\"", "message");
}

static void put_run(chart *c, int64_t end)
{
    char caption[2 * BMF_LABEL_BYTES];
    put_lanes(c);
    put_calls(c);
    int64_t messages = put_messages(c);
    put_axis(c, end);
    int used = snprintf(caption, sizeof caption, "%.900s, %d processors", c->view->caption, c->view->run->lanes);
    if (c->lines < c->view->run->lanes)
        used += snprintf(caption + used, sizeof caption - (size_t)used, " (%d shown)", c->lines);
    if (messages > MAX_MESSAGES)
        snprintf(caption + used, sizeof caption - (size_t)used, ", %lld messages (every %lldth shown)",
                 (long long)messages, (long long)(messages / MAX_MESSAGES + 1));
    put_text(c->out, left, c->top - STRIP - 4, "class=\"title\"", caption);
}

static double chart_height(const chart *c)
{
    return GAP + STRIP + c->lines * c->line;
}

static void put_picture(bmf_output *out, const bmf_trace *trace, bmf_view *view)
{
    chart charts[2];
    double height = 12;
    int64_t end = 1;
    for (int k = 0; k < trace->runs; k++)
        end = view[k].end > end ? view[k].end : end;
    for (int k = 0; k < trace->runs; k++) {
        chart *c = &charts[k];
        int32_t lanes = trace->run[k]->lanes, lines = lanes < MAX_LANES ? lanes : MAX_LANES;
        double line = 420.0 / lines;
        *c = (chart){.out = out, .view = &view[k], .lines = lines, .step = (double)lanes / lines};
        c->line = line > 24 ? 24 : line < 4 ? 4 : line;
        c->per_ns = (width - left - right) / (double)end;
        c->top = height + STRIP + 22;
        height += chart_height(c) + 16;
    }
    output_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                 "height=\"%.0f\">\n<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}"
                 ".lane{text-anchor:end}.tick{text-anchor:middle;fill:#555}"
                 ".message{stroke:#222;stroke-width:0.7;stroke-opacity:0.55;fill:none}</style>\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                 width, height + LEGEND, width, height + LEGEND);
    for (int k = 0; k < trace->runs; k++) {
        charts[k].drawn = allocate_clear(charts[k].lines, (int64_t)sizeof(double));
        put_run(&charts[k], end);
        free(charts[k].drawn);
    }
    put_legend(out, height + 14);
    output_text(out, "</svg>\n");
}

int convert_svg(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_PLAIN, view);
    bmf_output out = {0};
    int status = output_open(ctx, &out, path);
    if (status == BMF_OK)
        put_picture(&out, trace, view);
    status = output_close(ctx, &out, status);
    views_free(view, trace->runs);
    return status;
}
