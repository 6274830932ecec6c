/* State traces as document 001 has them (2.4.2, figure 2.9): `$types`, `$bars`, `$events`, seconds with nine decimals.
 *
 * A processor has one state at a time: of leaves that overlap each begins when the one that ended before it ended,
 * as in the other formats of that sort. What is between them is IDLE, the end is DONE. Of a trace with two runs
 * both are written, the second one's bars behind the first one's. Cost: linear.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

/* The first word of a label, in capitals and without underscores: COMMSPLIT. */
static char *put_state(char *to, const char *text)
{
    for (; *text && *text != ' '; text++)
        if (*text != '_')
            *to++ = (char)toupper((unsigned char)*text);
    return to;
}

static char *put_event_state(char *to, const bmf_view *view, const bmf_event *event)
{
    const bool named = event->name != 0 || event->kind != BMF_EVENT_KERNEL;
    const int64_t label = event->name ? (int64_t)event->name : (int64_t)view->run->names + event->kind;
    return put_state(to, named ? view->label[label].text : "BUSY");
}

static char *put_begin(char *to, int64_t bar, int64_t time)
{
    to = BMF_PUT(to, "u:p[");
    to = put_integer(to, bar);
    to = BMF_PUT(to, "] at ");
    to = put_seconds(to, time);
    return BMF_PUT(to, ": P ");
}

static void put_lane(bmf_output *out, const bmf_view *view, int32_t lane, int64_t bar)
{
    int64_t until = 0;
    for (int64_t k = view->lane_start[lane]; k < view->lane_start[lane + 1]; k++) {
        const bmf_event *event = &view->run->event[k];
        if (is_container(event) || event->end <= until)
            continue;
        char *to = output_begin(out);
        if (event->begin > until)
            to = BMF_PUT(put_begin(to, bar, until), "IDLE\n");
        to = put_event_state(put_begin(to, bar, event->begin > until ? event->begin : until), view, event);
        *to++ = '\n';
        output_end(out, to);
        until = event->end;
    }
    output_end(out, BMF_PUT(put_begin(output_begin(out), bar, until), "DONE\n"));
}

/* Every state that occurs, once. */
static void put_types(bmf_output *out, const bmf_view *view, int views)
{
    output_text(out, "$types\nState IDLE DONE");
    for (int v = 0; v < views; v++) {
        bool *known = allocate_clear(view[v].labels, 1);
        for (int64_t k = 0; k < view[v].run->events; k++) {
            const bmf_event *event = &view[v].run->event[k];
            const int64_t label = event->name ? (int64_t)event->name : (int64_t)view[v].run->names + event->kind;
            if (is_container(event) || known[label])
                continue;
            known[label] = true;
            char *to = BMF_PUT(output_begin(out), " \\\n      ");
            output_end(out, put_event_state(to, &view[v], event));
        }
        free(known);
    }
    output_text(out, "\n");
}

int convert_hase(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    bmf_output out = {0};
    views_create(trace, BMF_STYLE_PLAIN, view);
    const int status = output_open(ctx, &out, path);
    if (status == BMF_OK) {
        put_types(&out, view, trace->runs);
        output_text(&out, "$bars\n");
        int64_t bars = 0, bar = 0;
        for (int v = 0; v < trace->runs; v++)
            for (int32_t lane = 0; lane < view[v].run->lanes; lane++)
                output_print(&out, "p[%lld] State\n", (long long)bars++);
        output_text(&out, "$events\n");
        for (int v = 0; v < trace->runs; v++)
            for (int32_t lane = 0; lane < view[v].run->lanes; lane++)
                put_lane(&out, &view[v], lane, bar++);
    }
    views_free(view, trace->runs);
    return output_close(ctx, &out, status);
}
