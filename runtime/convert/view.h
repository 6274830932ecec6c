/* A run as converters see it: lanes, labels, ids, messages with both ends, and events as marks in time order.
 *
 * Formats want events on a line to nest strictly. Lanes usually do; what overlaps partly (several receives in flight)
 * goes to further *tracks* of its lane: track 0 is the lane itself. A *mark* is the beginning or the end of an event.
 */
#ifndef BMF_VIEW_H
#define BMF_VIEW_H

#include <stdbool.h>

#include "runtime/convert/output.h"
#include "runtime/trace/trace.h"

/* How texts are made harmless; always: valid UTF-8, no control characters, at most BMF_LABEL_BYTES. */
typedef enum bmf_style {
    BMF_STYLE_PLAIN,
    BMF_STYLE_JSON, /* " and \ escaped, no quotes around */
    BMF_STYLE_CSV,  /* " doubled, no quotes around */
    BMF_STYLE_PAJE  /* " becomes ' */
} bmf_style;
enum { BMF_LABEL_BYTES = 1000, BMF_MAX_TRACKS = 64 };

enum { BMF_SHORT_LABEL = 32 };

/* The text in a style, to be freed; NULL without memory. At most 2 BMF_LABEL_BYTES; its memory has at least
 * BMF_SHORT_LABEL bytes. */
char *style_text(const char *text, bmf_style style);

typedef struct bmf_label {
    char *text; /* from style_text */
    size_t size;
} bmf_label;

/* Most labels are short, and a copy of fixed size costs less than one of just the bytes they have. */
static inline char *put_label_text(char *to, const bmf_label *label)
{
    memcpy(to, label->text, BMF_SHORT_LABEL);
    if (label->size > BMF_SHORT_LABEL)
        memcpy(to, label->text, label->size);
    return to + label->size;
}

typedef struct bmf_view {
    const bmf_trace_run *run;
    int number;                /* 0 measured, 1 predicted; in a trace of two alike runs their order */
    const char *title;         /* "measured" or "predicted" */
    char *caption;             /* "measured: PROGRAM on MACHINE", in the style of the labels */
    int64_t *lane_start;       /* lanes + 1: the events of lane l are lane_start[l] .. lane_start[l + 1] */
    struct bmf_buffer *memory; /* of partner and track */
    int64_t *partner;          /* by event: the other end of its message, or -1 */
    uint8_t *track;            /* by event, < BMF_MAX_TRACKS; set by view_marks */
    uint8_t *tracks;           /* by lane: how many, at least 1; set by view_marks */
    uint64_t *node_hash;       /* by node: of its path */
    int64_t *idle_until;       /* by event: when its lane is busy again after BMF_MARK_IDLE_AFTER; set by flat marks */
    int64_t *first_busy;       /* by lane: when its first leaf begins, end if it has none; set by flat marks */
    bmf_label *label;          /* names + BMF_EVENT_KINDS texts */
    int64_t labels, end;       /* end: the latest of all events */
    int64_t messages;          /* sends and receives */
} bmf_view;

/* Makes a view of every run of a trace. The views hold pointers into the trace. */
void views_create(const bmf_trace *trace, bmf_style style, bmf_view view[2]);
/* Frees what views_create made, not the trace. */
void views_free(bmf_view view[2], int views);

/* Finds the ends of every message: the k-th send of (node, instance, round, from, to) belongs to the k-th receive of
 * the same; sends count by their begin, receives by their end. Expected cost: linear. */
void view_match(bmf_view *view);

/* The structural id, 62 bits: a hash of node path, instance, round, lane, kind and peer. */
static inline uint64_t view_id(const bmf_view *view, const bmf_event *event)
{
    uint64_t h = view->node_hash[event->node] ^ ((uint64_t)event->instance << 32 | event->round);
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93U;
    h ^= (uint64_t)(uint32_t)event->lane << 32 | (uint32_t)event->peer;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93U + event->kind;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93U;
    return (h ^ (h >> 32)) >> 2;
}

/* Regions and skeleton calls; everything else is a leaf. */
static inline bool is_container(const bmf_event *event)
{
    return event->kind <= BMF_EVENT_SKELETON;
}
/* Sends and receives. */
static inline bool is_message(const bmf_event *event)
{
    return event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE;
}

/* Whether an event's amount is bytes. */
static inline bool counts_bytes(const bmf_event *event)
{
    return is_message(event) || event->kind == BMF_EVENT_FILE || event->kind == BMF_EVENT_COLLECTIVE;
}

/* The number of an event's label: its node's name for regions and skeletons; its own if it has one, its node's for
 * kernels, else its kind. */
static inline int64_t view_label(const bmf_view *view, const bmf_event *event)
{
    uint32_t name = is_container(event) ? 0 : event->name;
    if (!name && event->kind <= BMF_EVENT_KERNEL)
        name = view->run->node[event->node].name;
    return name ? (int64_t)name : (int64_t)view->run->names + event->kind;
}

/* ---- marks ---- */

typedef struct bmf_mark {
    int64_t time;
    uint64_t code;
} bmf_mark;

/* A mark's event number, view (0 or 1) and side in one word, and back. */
static inline uint64_t mark_code(int64_t event, int view, bool leave)
{
    return (uint64_t)event << 3 | (uint64_t)view << 1 | leave;
}
static inline int64_t mark_event(const bmf_mark *mark)
{
    return (int64_t)(mark->code >> 3);
}
static inline int mark_view(const bmf_mark *mark)
{
    return mark->code >> 1 & 1;
}
static inline bool mark_leaves(const bmf_mark *mark)
{
    return mark->code & 1;
}
/* In flat marks: nothing is busy on the lane after this leaf ended. */
enum { BMF_MARK_IDLE_AFTER = 4 };

/* The two marks of every event, 2 events in number, those of lane l from 2 lane_start[l] on in time order; fills track
 * and tracks. `view_number` goes into the codes. More than BMF_MAX_TRACKS overlapping events are cut to fit. */
void view_marks(bmf_view *view, int view_number, bmf_mark *mark);
/* The same with leaves moved apart: of overlapping leaves each begins when the one that ended before it ended. */
void view_flat_marks(bmf_view *view, int view_number, bmf_mark *mark);

/* Only fills track and tracks, of all views. */
void views_tracks(bmf_view view[2], int views);

/* The marks of all views in time order; equal times by view and lane. The views must live as long. */
typedef struct bmf_merge bmf_merge;
/* Takes the next mark; of `view`, to which its code leads. */
typedef void bmf_put_mark(void *writer, const bmf_view *view, const bmf_mark *mark);

/* Makes the marks, flat ones or not. */
bmf_merge *merge_create(bmf_view view[2], int views, bool flat);
/* Calls put for every mark; ends: it looks at the events at the other ends of messages. */
void merge_each(bmf_merge *merge, bool ends, bmf_put_mark *put, void *writer);
void merge_free(bmf_merge *merge);

#endif
