/* Perfetto traces (protobuf), written by hand.
 *
 * Method: a file is a sequence of TracePackets. Every run is a process, every track a thread; every event is a packet
 * that begins a slice and one that ends it. Structural ids are correlation ids, so that the same event of both runs
 * looks the same. A message is a flow that starts in the send's first packet and terminates in the packet that ends the
 * receive: there the message has arrived, while the waiting may have begun before the send.
 * Cost: linear, two packets per event.
 * Source: field numbers of the Perfetto trace protos, listed in docs/trace-format.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_TRACK_DESCRIPTOR = 60 };
enum { TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23, EVENT_FLOW = 47 };
enum { EVENT_TERMINATING_FLOW = 48, EVENT_CORRELATION = 52 };
enum { ANNOTATION_INT = 4, ANNOTATION_NAME = 10 };
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { LENGTH_BYTES = 2 }; /* reserved for the length of a message: up to 16383 bytes */

static inline char *put_varint(char *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (char)(value | 128);
    *to++ = (char)value;
    return to;
}

static inline char *put_tag(char *to, unsigned field, unsigned type)
{
    return put_varint(to, field << 3 | type);
}

static inline char *put_number(char *to, unsigned field, uint64_t value)
{
    return put_varint(put_tag(to, field, VARINT), value);
}

static inline char *put_text(char *to, unsigned field, const char *text, size_t size)
{
    return put_bytes(put_varint(put_tag(to, field, BYTES), size), text, size);
}

static char *put_fixed(char *to, unsigned field, uint64_t value)
{
    to = put_tag(to, field, FIXED64);
    return put_bytes(to, (const char *)&value, sizeof value);
}

/* Opens a message whose length is filled in by end_message. */
static char *begin_message(char *to, unsigned field)
{
    return put_tag(to, field, BYTES) + LENGTH_BYTES;
}

static char *end_message(char *begin, char *end)
{
    size_t size = (size_t)(end - begin);
    begin[-2] = (char)(size | 128);
    begin[-1] = (char)(size >> 7);
    return end;
}

static uint64_t process_track(const bmf_view *view)
{
    return (uint64_t)view->number + 1;
}

static uint64_t lane_track(const bmf_view *view, int64_t lane, int track)
{
    return ((uint64_t)lane * BMF_MAX_TRACKS + (uint64_t)track) * 2 + (uint64_t)view->number + 3;
}

static void put_process(bmf_output *out, const bmf_view *view)
{
    char *packet = begin_message(output_begin(out), TRACE_PACKET);
    char *track = begin_message(packet, PACKET_TRACK_DESCRIPTOR);
    char *to = put_number(track, TRACK_UUID, process_track(view));
    char *process = begin_message(to, TRACK_PROCESS);
    to = put_number(process, PROCESS_PID, process_track(view));
    to = end_message(process, put_text(to, PROCESS_NAME, view->caption, strlen(view->caption)));
    output_end(out, end_message(packet, end_message(track, to)));
}

/* Thread number 0 would be taken for the idle thread of a computer, so they start at 1. */
static void put_thread(bmf_output *out, const bmf_view *view, int32_t lane, int track_number)
{
    char name[64];
    int size =
        snprintf(name, sizeof name, track_number ? "processor %d overlap %d" : "processor %d", lane, track_number);
    int64_t tid = lane + 1 + (int64_t)view->run->lanes * track_number;
    char *packet = begin_message(output_begin(out), TRACE_PACKET);
    char *track = begin_message(packet, PACKET_TRACK_DESCRIPTOR);
    char *to = put_number(track, TRACK_UUID, lane_track(view, lane, track_number));
    to = put_number(to, TRACK_PARENT, process_track(view));
    char *thread = begin_message(to, TRACK_THREAD);
    to = put_number(thread, THREAD_PID, process_track(view));
    to = put_number(to, THREAD_TID, (uint64_t)tid);
    to = end_message(thread, put_text(to, THREAD_NAME, name, (size_t)size));
    output_end(out, end_message(packet, end_message(track, to)));
}

static char *put_label(char *to, unsigned field, const bmf_label *label)
{
    return put_label_text(put_varint(put_tag(to, field, BYTES), label->size), label);
}

static inline char *put_annotation(char *to, const char *name, size_t size, int64_t value)
{
    char *annotation = begin_message(to, EVENT_ANNOTATION);
    to = put_number(annotation, ANNOTATION_INT, (uint64_t)value);
    return end_message(annotation, put_text(to, ANNOTATION_NAME, name, size));
}
#define PUT_ANNOTATION(to, literal, value) put_annotation(to, literal, sizeof(literal) - 1, value)

static char *put_details(char *to, const bmf_view *view, const bmf_event *event)
{
    to = put_label(to, EVENT_CATEGORY, &view->label[view->run->names + event->kind]);
    to = put_label(to, EVENT_NAME, &view->label[view_label(view, event)]);
    to = put_number(to, EVENT_CORRELATION, view_id(view, event));
    if (event->amount)
        to = counts_bytes(event) ? PUT_ANNOTATION(to, "bytes", event->amount) : PUT_ANNOTATION(to, "n", event->amount);
    if (event->peer >= 0)
        to = PUT_ANNOTATION(to, "peer", event->peer);
    if (event->low != event->high) {
        to = PUT_ANNOTATION(to, "low_ns", event->low);
        to = PUT_ANNOTATION(to, "high_ns", event->high);
    }
    return to;
}

/* Flow numbers: odd measured, even predicted, never 0. */
static uint64_t flow_of(const bmf_view *view, int64_t send)
{
    return 2 * (uint64_t)send + 1 + (uint64_t)view->number;
}

static void put_mark(void *writer, const bmf_view *view, const bmf_mark *mark)
{
    bmf_output *out = writer;
    int64_t k = mark_event(mark);
    const bmf_event *event = &view->run->event[k];
    bool leaves = mark_leaves(mark), matched = view->partner[k] >= 0;
    char *packet = begin_message(output_begin(out), TRACE_PACKET);
    char *to = put_number(packet, PACKET_TIMESTAMP, (uint64_t)mark->time);
    to = put_number(to, PACKET_SEQUENCE, 1);
    char *body = begin_message(to, PACKET_TRACK_EVENT);
    to = put_number(body, EVENT_TYPE, leaves ? SLICE_END : SLICE_BEGIN);
    to = put_number(to, EVENT_TRACK, lane_track(view, event->lane, view->track[k]));
    if (!leaves)
        to = put_details(to, view, event);
    if (matched && !leaves && event->kind == BMF_EVENT_SEND)
        to = put_fixed(to, EVENT_FLOW, flow_of(view, k));
    if (matched && leaves && event->kind == BMF_EVENT_RECEIVE)
        to = put_fixed(to, EVENT_TERMINATING_FLOW, flow_of(view, view->partner[k]));
    output_end(out, end_message(packet, end_message(body, to)));
}

static void put_tracks(bmf_output *out, const bmf_view *view)
{
    put_process(out, view);
    for (int32_t lane = 0; lane < view->run->lanes; lane++)
        for (int t = 0; t < view->tracks[lane]; t++)
            put_thread(out, view, lane, t);
}

int convert_perfetto(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_PLAIN, view);
    bmf_output out = {0};
    bmf_merge *marks = merge_create(view, trace->runs, false);
    int status = output_open(ctx, &out, path);
    if (status == BMF_OK) {
        for (int k = 0; k < trace->runs; k++)
            put_tracks(&out, &view[k]);
        merge_each(marks, false, put_mark, &out);
    }
    status = output_close(ctx, &out, status);
    merge_free(marks);
    views_free(view, trace->runs);
    return status;
}
