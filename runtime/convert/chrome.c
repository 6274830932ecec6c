/* Chrome trace events (JSON), for chrome://tracing and the Perfetto user interface.
 *
 * Method: one complete event ("X") per line; what does not nest goes to a further thread of its lane; matched messages
 * become flows ("s" inside the send, "f" inside the receive). Process 1 is the measured run, 2 the predicted one;
 * thread numbers are lane + lanes * track. Times are microseconds with three decimals. Cost: linear; no printf for
 * events. Source: the Trace Event Format; names and pitfalls in docs/trace-format.md.
 */
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

static void put_threads(bmf_output *out, const bmf_view *view)
{
    int pid = view->number + 1;
    output_print(out, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}},\n", pid,
                 view->caption);
    output_print(out, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}},\n", pid,
                 pid);
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        for (int t = 0; t < view->tracks[lane]; t++) {
            long long tid = lane + (long long)view->run->lanes * t, order = (long long)lane * BMF_MAX_TRACKS + t;
            output_print(out, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%lld,\"name\":\"thread_name\",\"args\":{\"name\":\"",
                         pid, tid);
            output_print(out, t ? "processor %d overlap %d\"}},\n" : "processor %d\"}},\n", lane, t);
            output_print(out,
                         "{\"ph\":\"M\",\"pid\":%d,\"tid\":%lld,\"name\":\"thread_sort_index\",\"args\":"
                         "{\"sort_index\":%lld}},\n",
                         pid, tid, order);
        }
    }
}

static char *put_place(char *to, const bmf_view *view, int64_t event)
{
    int32_t lane = view->run->event[event].lane;
    *to++ = (char)('1' + view->number);
    to = BMF_PUT(to, ",\"tid\":");
    return put_integer(to, lane + (int64_t)view->run->lanes * view->track[event]);
}

static char *put_arguments(char *to, const bmf_view *view, const bmf_event *event)
{
    to = BMF_PUT(to, ",\"args\":{\"id\":\"");
    to = put_hex(to, view_id(view, event));
    to = BMF_PUT(to, "\",\"instance\":");
    to = put_unsigned(to, event->instance);
    if (event->amount) {
        to = counts_bytes(event) ? BMF_PUT(to, ",\"bytes\":") : BMF_PUT(to, ",\"n\":");
        to = put_integer(to, event->amount);
    }
    if (event->peer >= 0) {
        to = BMF_PUT(to, ",\"peer\":");
        to = put_integer(to, event->peer);
        to = BMF_PUT(to, ",\"round\":");
        to = put_unsigned(to, event->round);
    }
    if (event->low != event->high) {
        to = BMF_PUT(to, ",\"low_ns\":");
        to = put_integer(to, event->low);
        to = BMF_PUT(to, ",\"high_ns\":");
        to = put_integer(to, event->high);
    }
    if (is_container(event) && event->name) {
        to = BMF_PUT(to, ",\"place\":\"");
        to = put_label_text(to, &view->label[event->name]);
        *to++ = '"';
    }
    *to++ = '}';
    return to;
}

/* The flow number of a message: odd numbers measured, even predicted, so that no two are the same. */
static char *put_flow(char *to, const bmf_view *view, int64_t event, int64_t send, int64_t time)
{
    to = send == event ? BMF_PUT(to, "{\"ph\":\"s\",\"pid\":") : BMF_PUT(to, "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":");
    to = put_place(to, view, event);
    to = BMF_PUT(to, ",\"ts\":");
    to = put_micros(to, time);
    to = BMF_PUT(to, ",\"id\":");
    to = put_integer(to, 2 * send + 1 + view->number);
    return BMF_PUT(to, ",\"cat\":\"message\",\"name\":\"message\"},\n");
}

static void put_event(bmf_output *out, const bmf_view *view, int64_t k)
{
    const bmf_event *event = &view->run->event[k];
    const bmf_label *label = &view->label[view_label(view, event)];
    const bmf_label *kind = &view->label[view->run->names + event->kind];
    char *to = output_begin(out);
    to = BMF_PUT(to, "{\"ph\":\"X\",\"pid\":");
    to = put_place(to, view, k);
    to = BMF_PUT(to, ",\"ts\":");
    to = put_micros(to, event->begin);
    to = BMF_PUT(to, ",\"dur\":");
    to = put_micros(to, event->end - event->begin);
    to = BMF_PUT(to, ",\"cat\":\"");
    to = put_label_text(to, kind);
    to = BMF_PUT(to, "\",\"name\":\"");
    to = put_label_text(to, label);
    *to++ = '"';
    to = put_arguments(to, view, event);
    to = BMF_PUT(to, "},\n");
    if (view->partner[k] >= 0 && event->kind == BMF_EVENT_SEND)
        to = put_flow(to, view, k, k, event->begin);
    /* A flow that ends where its slice ends would not be inside it. */
    if (view->partner[k] >= 0 && event->kind == BMF_EVENT_RECEIVE)
        to = put_flow(to, view, k, view->partner[k], event->end > event->begin ? event->end - 1 : event->end);
    output_end(out, to);
}

int convert_chrome(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_JSON, view);
    bmf_output out = {0};
    views_tracks(view, trace->runs);
    int status = output_open(ctx, &out, path);
    if (status == BMF_OK) {
        output_text(&out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        for (int k = 0; k < trace->runs; k++)
            put_threads(&out, &view[k]);
        for (int k = 0; k < trace->runs; k++)
            for (int64_t event = 0; event < view[k].run->events; event++)
                put_event(&out, &view[k], event);
        /* The last line has no comma behind it. */
        output_print(&out, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_labels\",\"args\":{\"labels\":\"bmf\"}}\n]}\n",
                     view[0].number + 1);
    }
    status = output_close(ctx, &out, status);
    views_free(view, trace->runs);
    return status;
}
