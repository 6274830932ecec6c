/* PICL trace files in the new record format, for ParaGraph.
 *
 * Method: one record per line, `type event seconds processor process fields [descriptor data..]`, sorted by time:
 *   -901  the whole trace, on every processor
 *   -21   a send: bytes, type 1, receiver; no data at its end
 *   -51   a receive: type 1; at its end bytes, type 1, sender. Of predicted runs it begins when the message is there,
 *         so that what comes before is idle, as the document has it (3.4.1); measured ones do not say when that is
 *   -601  idle: every gap between leaf events of a processor, which are moved apart where they overlap
 *   1 ..  user events, kind + 1: every event, just inside its own record, with its structural id in two halves of 31
 *         bits, high half first
 * A trace of one run has process -1 (all processes of the processor; ParaGraph knows one). Of two runs each gets such a
 * file, named .meas and .pred before the ending, and one file holds both as processes 0 and 1.
 * Cost: linear after the merge of the lanes; no printf for events.
 * Source: document 000, 3.2 (records) and the PICL manual's event numbers.
 */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"
#include "runtime/trace/receive_costs.h"

enum { ALL_PROCESSES = -1, MESSAGE_TYPE = 1 };

typedef struct writer {
    bmf_output out;
    bmf_view *view;
    int views;
    bool both;     /* process numbers instead of -1 */
    int ends;      /* the view that ends first of two and is not finished yet, or -1 */
    bool *idle[2]; /* by view and lane */
} writer;

/* " 1.500000000 4 -1": time, processor and process, which all records of a mark have. */
typedef struct place {
    char text[48];
    size_t size;
} place;

static place make_place(int64_t time, int32_t lane, int process)
{
    place at;
    char *to = at.text;
    *to++ = ' ';
    to = put_seconds(to, time);
    *to++ = ' ';
    to = put_integer(to, lane);
    *to++ = ' ';
    at.size = (size_t)(put_integer(to, process) - at.text);
    return at;
}

/* All of the text, for a copy of fixed size costs less. */
static inline char *put_place(char *to, const place *at)
{
    memcpy(to, at->text, sizeof at->text);
    return to + at->size;
}

/* A record without data; type_and_event is a literal. */
#define PUT_BARE(to, type_and_event, at) BMF_PUT(put_place(BMF_PUT(to, type_and_event), at), " 0\n")

/* The data that stand behind a place: integers. */
static char *put_data(char *to, int fields, const int64_t *data)
{
    *to++ = ' ';
    *to++ = (char)('0' + fields);
    to = BMF_PUT(to, " 2");
    for (int k = 0; k < fields; k++) {
        *to++ = ' ';
        to = put_integer(to, data[k]);
    }
    *to++ = '\n';
    return to;
}

static char *put_user_enter(char *to, const bmf_view *view, const bmf_event *event, const place *at)
{
    uint64_t id = view_id(view, event);
    int64_t halves[2] = {(int64_t)(id >> 31), (int64_t)(id & 0x7fffffff)};
    to = BMF_PUT(to, "-3 ");
    *to++ = (char)('1' + event->kind);
    return put_data(put_place(to, at), 2, halves);
}

static char *put_user_leave(char *to, const bmf_event *event, const place *at)
{
    to = BMF_PUT(to, "-4 ");
    *to++ = (char)('1' + event->kind);
    return BMF_PUT(put_place(to, at), " 0\n");
}

static char *put_enter(char *to, const bmf_view *view, const bmf_event *event, const place *at)
{
    int64_t send[3] = {event->amount, MESSAGE_TYPE, event->peer}, receive[1] = {MESSAGE_TYPE};
    if (event->kind == BMF_EVENT_SEND)
        to = put_data(put_place(BMF_PUT(to, "-3 -21"), at), 3, send);
    else if (event->kind == BMF_EVENT_RECEIVE)
        to = put_data(put_place(BMF_PUT(to, "-3 -51"), at), 1, receive);
    return put_user_enter(to, view, event, at);
}

static char *put_leave(char *to, const bmf_event *event, const place *at)
{
    int64_t received[3] = {event->amount, MESSAGE_TYPE, event->peer};
    to = put_user_leave(to, event, at);
    if (event->kind == BMF_EVENT_SEND)
        return PUT_BARE(to, "-4 -21", at);
    if (event->kind == BMF_EVENT_RECEIVE)
        return put_data(put_place(BMF_PUT(to, "-4 -51"), at), 3, received);
    return to;
}

static int process_of(const writer *w, int view)
{
    return w->both ? w->view[view].number : ALL_PROCESSES;
}

/* Lanes on which no leaf begins at time 0 begin idle. */
static void find_idle(writer *w)
{
    for (int v = 0; v < w->views; v++) {
        const bmf_view *view = &w->view[v];
        w->idle[v] = allocate(view->run->lanes * (int64_t)sizeof *w->idle[v]);
        for (int32_t lane = 0; lane < view->run->lanes; lane++)
            w->idle[v][lane] = view->first_busy[lane] > 0;
    }
}

static void put_start(writer *w, int v)
{
    const bmf_view *view = &w->view[v];
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        place at = make_place(0, lane, process_of(w, v));
        char *to = PUT_BARE(output_begin(&w->out), "-3 -901", &at);
        if (w->idle[v][lane])
            to = PUT_BARE(to, "-3 -601", &at);
        output_end(&w->out, to);
    }
}

static void put_finish(writer *w, int v)
{
    for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++) {
        place at = make_place(w->view[v].end, lane, process_of(w, v));
        char *to = output_begin(&w->out);
        if (w->idle[v][lane])
            to = PUT_BARE(to, "-4 -601", &at);
        output_end(&w->out, PUT_BARE(to, "-4 -901", &at));
    }
}

static void put_mark(void *data, const bmf_view *view, const bmf_mark *mark)
{
    writer *w = data;
    int v = mark_view(mark);
    if (w->ends >= 0 && mark->time > w->view[w->ends].end) {
        put_finish(w, w->ends);
        w->ends = -1;
    }
    const bmf_event *event = &view->run->event[mark_event(mark)];
    place at = make_place(mark->time, event->lane, process_of(w, v));
    char *to = output_begin(&w->out);
    if (mark_leaves(mark)) {
        to = put_leave(to, event, &at);
        if (mark->code & BMF_MARK_IDLE_AFTER) {
            to = PUT_BARE(to, "-3 -601", &at);
            w->idle[v][event->lane] = true;
        }
    } else {
        if (!is_container(event) && w->idle[v][event->lane]) {
            to = PUT_BARE(to, "-4 -601", &at);
            w->idle[v][event->lane] = false;
        }
        to = put_enter(to, view, event, &at);
    }
    output_end(&w->out, to);
}

/* The run that ends first is finished before the other goes on. */
static void put_trace(writer *w, bmf_merge *marks)
{
    int first = w->views > 1 && w->view[1].end < w->view[0].end, last = w->views - 1 - first;
    w->ends = w->views > 1 ? first : -1;
    for (int v = 0; v < w->views; v++)
        put_start(w, v);
    merge_each(marks, false, put_mark, w);
    if (w->ends >= 0)
        put_finish(w, first);
    put_finish(w, last);
}

/* One file of `views` views. */
static int write_file(bmf_context *ctx, bmf_view *view, int views, const char *path)
{
    writer w = {.view = view, .views = views, .both = views > 1};
    bmf_merge *marks = merge_create(view, views, true);
    find_idle(&w);
    int status = output_open(ctx, &w.out, path);
    if (status == BMF_OK)
        put_trace(&w, marks);
    status = output_close(ctx, &w.out, status);
    free(w.idle[0]);
    free(w.idle[1]);
    merge_free(marks);
    return status;
}

/* out.trf with "meas" becomes out.meas.trf. To be freed. */
static char *insert_part(const char *path, const char *part)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path),
           size = strlen(path) + strlen(part) + 2;
    char *result = allocate((int64_t)size);
    char *to = put_bytes(result, path, stem);
    *to++ = '.';
    to = put_bytes(to, part, strlen(part));
    put_bytes(to, path + stem, strlen(path + stem) + 1);
    return result;
}

/* The run with receives that begin when the message is there, where it is known; otherwise as it is. Returns whether
 * the copy has events of its own. */
static bool copy_run(const bmf_trace_run *run, bmf_trace_run *copy)
{
    bmf_receive_costs costs;
    receive_costs_read(run, &costs);
    *copy = *run;
    if (costs.count == 0 || run->detail)
        return false;
    copy->event = allocate_array(run->events, (int64_t)sizeof *copy->event);
    for (int64_t k = 0; k < run->events; k++) {
        bmf_event *event = &copy->event[k];
        *event = run->event[k];
        if (event->kind != BMF_EVENT_RECEIVE)
            continue;
        const int64_t there = event->end - receive_costs_of(&costs, event->amount);
        event->begin = there > event->begin ? there : event->begin;
    }
    return true;
}

int convert_picl(bmf_context *ctx, const bmf_trace *whole, const char *path)
{
    bmf_view view[2];
    bmf_trace_run copy[2];
    bool own[2] = {false, false};
    bmf_trace copies = *whole;
    const bmf_trace *trace = &copies;
    int status = BMF_OK;
    for (int k = 0; k < whole->runs; k++) {
        own[k] = copy_run(whole->run[k], &copy[k]);
        copies.run[k] = &copy[k];
        if (own[k] && status == BMF_OK && run_sort(&copy[k]) != BMF_OK)
            status =
                bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to sort a trace of %lld events", (long long)copy[k].events);
    }
    views_create(trace, BMF_STYLE_PLAIN, view);
    for (int k = 0; trace->runs > 1 && k < trace->runs && status == BMF_OK; k++) {
        char *single = insert_part(path, view[k].number ? "pred" : "meas");
        status = write_file(ctx, &view[k], 1, single);
        free(single);
    }
    if (status == BMF_OK)
        status = write_file(ctx, view, trace->runs, path);
    views_free(view, trace->runs);
    for (int k = 0; k < whole->runs; k++)
        if (own[k])
            free(copy[k].event);
    return status;
}
