/* PICL trace files in the new record format, for ParaGraph.
 *
 * Method: one record per line, `type event seconds processor process fields [descriptor data..]`, sorted by time:
 *   -901  the whole trace, on every processor
 *   -21   a send: bytes, type 1, receiver; no data at its end
 *   -51   a receive: type 1; at its end bytes, type 1, sender
 *   -601  idle: every gap between leaf events of a processor, which are moved apart where they overlap
 *   1 ..  user events, kind + 1: every event, just inside its own record, with its structural id in two halves of 31
 *         bits, high half first
 * A trace of one run has process -1 (all processes of the processor; ParaGraph knows one). Of two runs each gets such a
 * file, named .meas and .pred before the ending, and one file holds both as processes 0 and 1.
 * Cost: linear after the merge of the lanes; no printf for events.
 * Source: document 000, 3.2 (records) and the PICL manual's event numbers.
 */
#include <stdlib.h>

#include "convert/convert.h"
#include "convert/view.h"

enum { ALL_PROCESSES = -1, MESSAGE_TYPE = 1 };

typedef struct writer {
    bmf_output out;
    bmf_view *view;
    int views;
    bool both;     /* process numbers instead of -1 */
    bool *idle[2]; /* by view and lane */
} writer;

/* "-3 -21 1.500000000 4 -1", without the data that follow. */
static char *put_head(char *to, const char *type_and_event, int64_t time, int32_t lane, int process)
{
    to = bmf_put_bytes(to, type_and_event, strlen(type_and_event));
    *to++ = ' ';
    to = bmf_put_seconds(to, time);
    *to++ = ' ';
    to = bmf_put_integer(to, lane);
    *to++ = ' ';
    return bmf_put_integer(to, process);
}

static char *put_bare(char *to, const char *type_and_event, int64_t time, int32_t lane, int process)
{
    return BMF_PUT(put_head(to, type_and_event, time, lane, process), " 0\n");
}

/* A record with up to three integers. */
static char *put_record(char *to, const char *type_and_event, int64_t time, int32_t lane, int process, int fields,
                        const int64_t *data)
{
    to = put_head(to, type_and_event, time, lane, process);
    *to++ = ' ';
    to = bmf_put_integer(to, fields);
    to = BMF_PUT(to, " 2");
    for (int k = 0; k < fields; k++) {
        *to++ = ' ';
        to = bmf_put_integer(to, data[k]);
    }
    *to++ = '\n';
    return to;
}

static char *put_user_enter(char *to, const bmf_view *view, const bmf_event *event, int64_t time, int process)
{
    static const char *const head[BMF_EVENT_KINDS] = {"-3 1", "-3 2", "-3 3", "-3 4", "-3 5", "-3 6", "-3 7"};
    uint64_t id = bmf_view_id(view, event);
    int64_t halves[2] = {(int64_t)(id >> 31), (int64_t)(id & 0x7fffffff)};
    return put_record(to, head[event->kind], time, event->lane, process, 2, halves);
}

static char *put_user_leave(char *to, const bmf_event *event, int64_t time, int process)
{
    static const char *const head[BMF_EVENT_KINDS] = {"-4 1", "-4 2", "-4 3", "-4 4", "-4 5", "-4 6", "-4 7"};
    return put_bare(to, head[event->kind], time, event->lane, process);
}

static char *put_enter(char *to, const bmf_view *view, const bmf_event *event, int64_t time, int process)
{
    int64_t send[3] = {event->amount, MESSAGE_TYPE, event->peer}, receive[1] = {MESSAGE_TYPE};
    if (event->kind == BMF_EVENT_SEND)
        to = put_record(to, "-3 -21", time, event->lane, process, 3, send);
    else if (event->kind == BMF_EVENT_RECEIVE)
        to = put_record(to, "-3 -51", time, event->lane, process, 1, receive);
    return put_user_enter(to, view, event, time, process);
}

static char *put_leave(char *to, const bmf_event *event, int64_t time, int process)
{
    int64_t received[3] = {event->amount, MESSAGE_TYPE, event->peer};
    to = put_user_leave(to, event, time, process);
    if (event->kind == BMF_EVENT_SEND)
        return put_bare(to, "-4 -21", time, event->lane, process);
    if (event->kind == BMF_EVENT_RECEIVE)
        return put_record(to, "-4 -51", time, event->lane, process, 3, received);
    return to;
}

static int process_of(const writer *w, int view)
{
    return w->both ? w->view[view].number : ALL_PROCESSES;
}

static char *put_mark(writer *w, char *to, const bmf_mark *mark)
{
    int v = bmf_mark_view(mark), process = process_of(w, v);
    const bmf_view *view = &w->view[v];
    const bmf_event *event = &view->run->event[bmf_mark_event(mark)];
    bool leaf = !bmf_is_container(event);
    if (!bmf_mark_leaves(mark)) {
        if (leaf && w->idle[v][event->lane]) {
            to = put_bare(to, "-4 -601", mark->time, event->lane, process);
            w->idle[v][event->lane] = false;
        }
        return put_enter(to, view, event, mark->time, process);
    }
    to = put_leave(to, event, mark->time, process);
    if (mark->code & BMF_MARK_IDLE_AFTER) {
        to = put_bare(to, "-3 -601", mark->time, event->lane, process);
        w->idle[v][event->lane] = true;
    }
    return to;
}

/* Lanes on which no leaf begins at time 0 begin idle. */
static void find_idle(writer *w, const bmf_mark *mark, int64_t marks)
{
    for (int v = 0; v < w->views; v++)
        for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++)
            w->idle[v][lane] = w->view[v].end > 0;
    for (int64_t k = 0; k < marks && mark[k].time == 0; k++) {
        const bmf_event *event = &w->view[bmf_mark_view(&mark[k])].run->event[bmf_mark_event(&mark[k])];
        if (!bmf_is_container(event))
            w->idle[bmf_mark_view(&mark[k])][event->lane] = false;
    }
}

static void put_start(writer *w, int v)
{
    const bmf_view *view = &w->view[v];
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        char *to = put_bare(bmf_output_begin(&w->out), "-3 -901", 0, lane, process_of(w, v));
        if (w->idle[v][lane])
            to = put_bare(to, "-3 -601", 0, lane, process_of(w, v));
        bmf_output_end(&w->out, to);
    }
}

static void put_finish(writer *w, int v)
{
    int64_t end = w->view[v].end;
    for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++) {
        char *to = bmf_output_begin(&w->out);
        if (w->idle[v][lane])
            to = put_bare(to, "-4 -601", end, lane, process_of(w, v));
        bmf_output_end(&w->out, put_bare(to, "-4 -901", end, lane, process_of(w, v)));
    }
}

/* The run that ends first is finished before the other goes on. */
static void put_trace(writer *w, const bmf_mark *mark, int64_t marks)
{
    int first = w->views > 1 && w->view[1].end < w->view[0].end, last = w->views - 1 - first;
    bool finished = w->views == 1;
    find_idle(w, mark, marks);
    for (int v = 0; v < w->views; v++)
        put_start(w, v);
    for (int64_t k = 0; k < marks; k++) {
        if (!finished && mark[k].time > w->view[first].end) {
            put_finish(w, first);
            finished = true;
        }
        bmf_output_end(&w->out, put_mark(w, bmf_output_begin(&w->out), &mark[k]));
    }
    if (!finished)
        put_finish(w, first);
    put_finish(w, last);
}

/* One file of `views` views. */
static int write_file(bmf_context *ctx, bmf_view *view, int views, const char *path)
{
    writer w = {.view = view, .views = views, .both = views > 1};
    int64_t marks;
    bmf_mark *mark = bmf_views_marks(view, views, true, &marks);
    bool enough = mark;
    for (int v = 0; v < views; v++) {
        w.idle[v] = calloc((size_t)view[v].run->lanes, sizeof *w.idle[v]);
        enough = enough && w.idle[v];
    }
    int status =
        enough ? bmf_output_open(ctx, &w.out, path) : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to convert a trace");
    if (status == BMF_OK)
        put_trace(&w, mark, marks);
    status = bmf_output_close(ctx, &w.out, status);
    free(w.idle[0]);
    free(w.idle[1]);
    free(mark);
    return status;
}

/* out.trf with "meas" becomes out.meas.trf. To be freed. */
static char *insert_part(const char *path, const char *part)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path),
           size = strlen(path) + strlen(part) + 2;
    char *result = malloc(size);
    if (!result)
        return NULL;
    char *to = bmf_put_bytes(result, path, stem);
    *to++ = '.';
    to = bmf_put_bytes(to, part, strlen(part));
    bmf_put_bytes(to, path + stem, strlen(path + stem) + 1);
    return result;
}

int bmf_convert_picl(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    BMF_TRY(bmf_views_create(ctx, trace, BMF_STYLE_PLAIN, view));
    int status = BMF_OK;
    for (int k = 0; trace->runs > 1 && k < trace->runs && status == BMF_OK; k++) {
        char *single = insert_part(path, view[k].number ? "pred" : "meas");
        status =
            single ? write_file(ctx, &view[k], 1, single) : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for a path");
        free(single);
    }
    if (status == BMF_OK)
        status = write_file(ctx, view, trace->runs, path);
    bmf_views_free(view, trace->runs);
    return status;
}
