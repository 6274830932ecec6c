/* Paje traces, for PajeNG (pj_dump) and ViTE.
 *
 * Method: a container per run (alias m or p), below it one per track of a lane; every event is a pushed and popped
 * state with its structural id in an extra field, every matched message a link from the begin of the send to the end of
 * the receive. The file is sorted by time, which is in seconds. Cost: linear after the merge of the lanes; no printf
 * for events. Source: the lang-paje description, version 1.3.1; see docs/trace-format.md.
 */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

static const char definitions[] = "%EventDef PajeDefineContainerType 0\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineStateType 1\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineLinkType 2\n"
                                  "% Alias string\n% Type string\n% StartContainerType string\n"
                                  "% EndContainerType string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineEntityValue 3\n"
                                  "% Alias string\n% Type string\n% Name string\n% Color color\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeCreateContainer 4\n"
                                  "% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDestroyContainer 5\n"
                                  "% Time date\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajePushState 6\n"
                                  "% Time date\n% Type string\n% Container string\n% Value string\n% Id string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajePopState 7\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeStartLink 8\n"
                                  "% Time date\n% Type string\n% Container string\n% Value string\n"
                                  "% StartContainer string\n% Key string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeEndLink 9\n"
                                  "% Time date\n% Type string\n% Container string\n% Value string\n"
                                  "% EndContainer string\n% Key string\n"
                                  "%EndEventDef\n"
                                  "0 RUN 0 Run\n"
                                  "0 PROC RUN Processor\n"
                                  "1 ST PROC State\n"
                                  "2 LK RUN PROC PROC Message\n"
                                  "3 M LK message \"0 0 0\"\n";

static const char *const color[BMF_EVENT_KINDS] = {"0.8 0.8 0.8", "0.6 0.7 0.9", "0.2 0.6 0.3", "0.9 0.4 0.2",
                                                   "0.9 0.2 0.2", "0.9 0.7 0.2", "0.5 0.3 0.7", "0.2 0.6 0.6"};

static char letter(const bmf_view *view)
{
    return view->number ? 'p' : 'm';
}

/* The kind each label is first used for decides its colour. */
static void define_values(bmf_output *out, const bmf_view *view)
{
    bool *known = allocate_clear(view->labels, (int64_t)sizeof *known);
    for (int64_t k = 0; k < view->run->events; k++) {
        const bmf_event *event = &view->run->event[k];
        int64_t label = view_label(view, event);
        if (!known[label])
            output_print(out, "3 v%c%lld ST \"%s\" \"%s\"\n", letter(view), (long long)label, view->label[label].text,
                         color[event->kind]);
        known[label] = true;
    }
    free(known);
}

/* Alias of a track: m3, or m3.1 for its first overlap. */
static char *put_track(char *to, const bmf_view *view, int32_t lane, int track)
{
    *to++ = letter(view);
    to = put_integer(to, lane);
    if (track) {
        *to++ = '.';
        to = put_integer(to, track);
    }
    return to;
}

static void create_containers(bmf_output *out, const bmf_view *view)
{
    output_print(out, "4 0.0 %c RUN 0 \"%s\"\n", letter(view), view->caption);
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        for (int t = 0; t < view->tracks[lane]; t++) {
            char *to = put_track(BMF_PUT(output_begin(out), "4 0.0 "), view, lane, t);
            output_end(out, to);
            output_print(out, t ? " PROC %c %s.%d.%d\n" : " PROC %c %s.%d\n", letter(view), view->title, lane, t);
        }
    }
}

static void destroy_containers(bmf_output *out, const bmf_view *view, int64_t end)
{
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        for (int t = 0; t < view->tracks[lane]; t++) {
            char *to = put_seconds(BMF_PUT(output_begin(out), "5 "), end);
            to = put_track(BMF_PUT(to, " PROC "), view, lane, t);
            *to++ = '\n';
            output_end(out, to);
        }
    }
    char *to = put_seconds(BMF_PUT(output_begin(out), "5 "), end);
    to = BMF_PUT(to, " RUN ");
    *to++ = letter(view);
    *to++ = '\n';
    output_end(out, to);
}

/* The record number, the time and the type. */
static char *put_head(char *to, char record, int64_t time, const char *type)
{
    *to++ = record;
    *to++ = ' ';
    to = put_seconds(to, time);
    *to++ = ' ';
    to = put_bytes(to, type, 2);
    *to++ = ' ';
    return to;
}

static char *put_link(char *to, char record, const bmf_view *view, int64_t k, int64_t time, int64_t send)
{
    const bmf_event *event = &view->run->event[k];
    to = put_head(to, record, time, "LK");
    *to++ = letter(view);
    to = BMF_PUT(to, " M ");
    to = put_track(to, view, event->lane, view->track[k]);
    *to++ = ' ';
    *to++ = letter(view);
    to = put_integer(to, send);
    *to++ = '\n';
    return to;
}

static char *put_push(char *to, const bmf_view *view, const bmf_event *event, int64_t k, int64_t time)
{
    to = put_head(to, '6', time, "ST");
    to = put_track(to, view, event->lane, view->track[k]);
    to = BMF_PUT(to, " v");
    *to++ = letter(view);
    to = put_integer(to, view_label(view, event));
    *to++ = ' ';
    to = put_unsigned(to, view_id(view, event));
    *to++ = '\n';
    return to;
}

static void put_mark(void *writer, const bmf_view *view, const bmf_mark *mark)
{
    bmf_output *out = writer;
    char *to = output_begin(out);
    int64_t k = mark_event(mark), partner = view->partner[k];
    const bmf_event *event = &view->run->event[k];
    if (!mark_leaves(mark)) {
        to = put_push(to, view, event, k, mark->time);
        if (partner >= 0 && event->kind == BMF_EVENT_SEND)
            to = put_link(to, '8', view, k, mark->time, k);
    } else {
        if (partner >= 0 && event->kind == BMF_EVENT_RECEIVE)
            to = put_link(to, '9', view, k, mark->time, partner);
        to = put_head(to, '7', mark->time, "ST");
        to = put_track(to, view, event->lane, view->track[k]);
        *to++ = '\n';
    }
    output_end(out, to);
}

static void put_trace(bmf_output *out, bmf_view view[2], int runs, bmf_merge *marks)
{
    int64_t end = 0;
    output_text(out, definitions);
    for (int k = 0; k < runs; k++) {
        define_values(out, &view[k]);
        end = view[k].end > end ? view[k].end : end;
    }
    for (int k = 0; k < runs; k++)
        create_containers(out, &view[k]);
    merge_each(marks, false, put_mark, out);
    for (int k = 0; k < runs; k++)
        destroy_containers(out, &view[k], end);
}

int convert_paje(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_PAJE, view);
    bmf_output out = {0};
    bmf_merge *marks = merge_create(view, trace->runs, false);
    int status = output_open(ctx, &out, path);
    if (status == BMF_OK)
        put_trace(&out, view, trace->runs, marks);
    status = output_close(ctx, &out, status);
    merge_free(marks);
    views_free(view, trace->runs);
    return status;
}
