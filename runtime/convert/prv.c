/* Paraver traces: .prv with its .pcf (names, colours) and .row (labels).
 *
 * Method: application 1 is the measured run, 2 the predicted one; every lane is a task of one thread on a processor of
 * its own, every rank a node. Leaves, moved apart where they overlap, are state records, and so are the gaps between
 * them (0, idle). Every event puts its structural id (event type 9000001) at its begin; regions and skeleton calls put
 * their node's number + 1 (9000002) and, at their end, that of what holds them; kernels their name (9000003). Matched
 * messages are communication records with their true times. Sorted by time; numbers count from 1.
 * Cost: linear after the merge of the lanes; no printf for events.
 * Source: the Paraver trace description; see docs/trace-format.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

enum { TYPE_ID = 9000001, TYPE_NODE = 9000002, TYPE_NAME = 9000003 };

typedef struct state {
    int number;
    const char *name, *color;
} state;

static const state idle = {0, "Idle", "{117,195,255}"};
/* By kind; regions and skeleton calls are no states. */
static const state states[BMF_EVENT_KINDS] = {{-1, NULL, NULL},
                                              {-1, NULL, NULL},
                                              {1, "Running", "{0,0,255}"},
                                              {4, "Blocking Send", "{179,0,0}"},
                                              {3, "Waiting a message", "{255,0,0}"},
                                              {8, "Wait/WaitAll", "{235,0,0}"},
                                              {12, "I/O", "{255,0,96}"},
                                              {13, "Group Communication", "{255,144,26}"}};

enum { OUTPUTS = 3 };

typedef struct writer {
    bmf_output out[OUTPUTS]; /* the trace, and the side files with names and rows */
    bmf_view *view;
    int views;
    int64_t first_cpu[2];  /* of a view, from 1 */
    int64_t node_shift[2]; /* added to node numbers, so that equal numbers mean equal paths */
} writer;

/* ---- header and side files ---- */

static int64_t latest(const writer *w)
{
    int64_t end = 0;
    for (int v = 0; v < w->views; v++)
        end = w->view[v].end > end ? w->view[v].end : end;
    return end;
}

/* Lanes of every rank, to be freed. */
static int32_t *count_lanes(const bmf_trace_run *run)
{
    int32_t *count = allocate_clear(run->ranks, (int64_t)sizeof *count);
    for (int32_t lane = 0; lane < run->lanes; lane++)
        count[run->lane_rank[lane]]++;
    return count;
}

static void put_machine(writer *w)
{
    int64_t nodes = 0;
    for (int v = 0; v < w->views; v++)
        nodes += w->view[v].run->ranks;
    output_print(w->out, "%lld(", (long long)nodes);
    for (int v = 0; v < w->views; v++) {
        const bmf_trace_run *run = w->view[v].run;
        int32_t *lanes = count_lanes(run);
        for (int32_t rank = 0; rank < run->ranks; rank++)
            output_print(w->out, v + rank ? ",%d" : "%d", lanes[rank]);
        free(lanes);
    }
    output_text(w->out, ")");
}

/* A trace with only a predicted run has an application 1 of one idle task, so that predicted is always 2. */
static int applications(const writer *w)
{
    return w->view[w->views - 1].number + 1;
}

/* One communicator per application, of all its tasks. */
static void put_communicators(writer *w)
{
    if (applications(w) > w->views)
        output_text(w->out, "c:1:1:1:1\n");
    for (int v = 0; v < w->views; v++) {
        output_print(w->out, "c:%d:1:%d", w->view[v].number + 1, w->view[v].run->lanes);
        for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++)
            output_print(w->out, ":%d", lane + 1);
        output_text(w->out, "\n");
    }
}

static void put_header(writer *w)
{
    char date[40];
    time_t now = time(NULL);
    struct tm fields;
    strftime(date, sizeof date, "%d/%m/%Y at %H:%M", localtime_r(&now, &fields));
    output_print(w->out, "#Paraver (%s):%lld_ns:", date, (long long)latest(w));
    put_machine(w);
    output_print(w->out, ":%d", applications(w));
    if (applications(w) > w->views)
        output_text(w->out, ":1(1:1),1");
    int64_t first_node = 1;
    for (int v = 0; v < w->views; v++) {
        const bmf_trace_run *run = w->view[v].run;
        output_print(w->out, ":%d(", run->lanes);
        for (int32_t lane = 0; lane < run->lanes; lane++)
            output_print(w->out, lane ? ",1:%lld" : "1:%lld", (long long)(first_node + run->lane_rank[lane]));
        output_text(w->out, "),1");
        first_node += run->ranks;
    }
    output_text(w->out, "\n");
    put_communicators(w);
}

static void put_states(bmf_output *out)
{
    output_print(out, "STATES\n%d    %s\n", idle.number, idle.name);
    for (int k = BMF_EVENT_KERNEL; k < BMF_EVENT_KINDS; k++)
        output_print(out, "%d    %s\n", states[k].number, states[k].name);
    output_print(out, "\nSTATES_COLOR\n%d    %s\n", idle.number, idle.color);
    for (int k = BMF_EVENT_KERNEL; k < BMF_EVENT_KINDS; k++)
        output_print(out, "%d    %s\n", states[k].number, states[k].color);
}

static void put_node_values(const writer *w, bmf_output *out)
{
    char path[4 * BMF_LABEL_BYTES];
    output_print(out, "\nEVENT_TYPE\n9    %d    Region or skeleton call\nVALUES\n0    none\n", TYPE_NODE);
    for (int v = 0; v < w->views; v++) {
        const bmf_trace_run *run = w->view[v].run;
        for (uint32_t k = 0; k < run->nodes && (v == 0 || w->node_shift[v]); k++) {
            char *text = style_text(run_path(run, k, path, sizeof path), BMF_STYLE_PLAIN);
            output_print(out, "%lld    %s\n", (long long)(k + 1 + w->node_shift[v]), text);
            free(text);
        }
    }
}

static void put_names(const writer *w, bmf_output *out)
{
    output_text(out, "DEFAULT_OPTIONS\n\nLEVEL    THREAD\nUNITS    NANOSEC\nLOOK_BACK    100\nSPEED    1\n"
                     "FLAG_ICONS    ENABLED\nNUM_OF_STATE_COLORS    1000\nYMAX_SCALE    37\n\n"
                     "DEFAULT_SEMANTIC\n\nTHREAD_FUNC    State As Is\n\n");
    put_states(out);
    output_print(out, "\nEVENT_TYPE\n9    %d    Structural id\n", TYPE_ID);
    put_node_values(w, out);
    for (int v = 0; v < w->views; v++) {
        const bmf_view *view = &w->view[v];
        output_print(out, "\nEVENT_TYPE\n9    %d    Kernel (%s)\nVALUES\n0    none\n", TYPE_NAME + view->number,
                     view->title);
        for (uint32_t k = 0; k < view->run->names; k++)
            output_print(out, "%u    %s\n", k + 1, view->label[k].text);
    }
}

static void put_rows(const writer *w, bmf_output *out)
{
    int64_t lanes = 0, ranks = 0, extra = applications(w) > w->views;
    for (int v = 0; v < w->views; v++) {
        lanes += w->view[v].run->lanes;
        ranks += w->view[v].run->ranks;
    }
    for (int level = 0; level < 3; level++) {
        static const char *const title[] = {"CPU", "NODE", "THREAD"};
        output_print(out, "%sLEVEL %s SIZE %lld\n", level ? "\n" : "", title[level],
                     (long long)(level == 1 ? ranks : lanes + (level == 2 ? extra : 0)));
        if (level == 2 && extra)
            output_text(out, "measured (none)\n");
        for (int v = 0; v < w->views; v++) {
            int32_t rows = level == 1 ? w->view[v].run->ranks : w->view[v].run->lanes;
            for (int32_t k = 0; k < rows; k++)
                output_print(out, "%s %s %d\n", w->view[v].title, level == 1 ? "rank" : "processor", k);
        }
    }
}

/* ---- records ---- */

/* ":cpu:application:task:thread" of a lane. */
static char *put_place(char *to, const writer *w, int v, int32_t lane)
{
    *to++ = ':';
    to = put_integer(to, w->first_cpu[v] + lane);
    *to++ = ':';
    *to++ = (char)('1' + w->view[v].number);
    *to++ = ':';
    to = put_integer(to, (int64_t)lane + 1);
    return BMF_PUT(to, ":1");
}

static char *put_field(char *to, int64_t value)
{
    *to++ = ':';
    return put_integer(to, value);
}

static char *put_state(char *to, const writer *w, int v, int32_t lane, int64_t begin, int64_t end, int number)
{
    *to++ = '1';
    to = put_place(to, w, v, lane);
    to = put_field(put_field(put_field(to, begin), end), number);
    *to++ = '\n';
    return to;
}

static char *put_begin(char *to, const writer *w, int v, const bmf_event *event, int64_t time)
{
    *to++ = '2';
    to = put_field(put_place(to, w, v, event->lane), time);
    to = put_field(BMF_PUT(to, ":9000001"), (int64_t)view_id(&w->view[v], event));
    if (is_container(event))
        to = put_field(BMF_PUT(to, ":9000002"), event->node + 1 + w->node_shift[v]);
    if (event->kind == BMF_EVENT_KERNEL)
        to = put_field(put_field(to, TYPE_NAME + w->view[v].number), view_label(&w->view[v], event) + 1);
    *to++ = '\n';
    return to;
}

/* What stands after an event: the region or call around it, no kernel. */
static char *put_end(char *to, const writer *w, int v, const bmf_event *event, int64_t time)
{
    if (event->kind > BMF_EVENT_KERNEL)
        return to;
    *to++ = '2';
    to = put_field(put_place(to, w, v, event->lane), time);
    if (is_container(event)) {
        int64_t around = event->node ? w->view[v].run->node[event->node].parent + 1 + w->node_shift[v] : 0;
        to = put_field(BMF_PUT(to, ":9000002"), around);
    } else {
        to = put_field(put_field(to, TYPE_NAME + w->view[v].number), 0);
    }
    *to++ = '\n';
    return to;
}

/* From the begin of the send's state on, which the file is sorted by. */
static char *put_message(char *to, const writer *w, int v, const bmf_event *send, int64_t time,
                         const bmf_event *receive)
{
    *to++ = '3';
    to = put_field(put_field(put_place(to, w, v, send->lane), time), send->end);
    to = put_field(put_field(put_place(to, w, v, receive->lane), receive->begin), receive->end);
    to = put_field(put_field(to, send->amount), send->round);
    *to++ = '\n';
    return to;
}

/* State records stand where they begin. */
static void put_mark(void *data, const bmf_view *view, const bmf_mark *mark)
{
    writer *w = data;
    char *to = output_begin(w->out);
    int v = mark_view(mark);
    int64_t k = mark_event(mark), partner = view->partner[k];
    const bmf_event *event = &view->run->event[k];
    if (mark_leaves(mark)) {
        to = put_end(to, w, v, event, mark->time);
        if (mark->code & BMF_MARK_IDLE_AFTER)
            to = put_state(to, w, v, event->lane, mark->time, view->idle_until[k], idle.number);
    } else {
        if (!is_container(event))
            to = put_state(to, w, v, event->lane, mark->time, event->end, states[event->kind].number);
        to = put_begin(to, w, v, event, mark->time);
        if (event->kind == BMF_EVENT_SEND && partner >= 0)
            to = put_message(to, w, v, event, mark->time, &view->run->event[partner]);
    }
    output_end(w->out, to);
}

static void put_trace(writer *w, bmf_merge *marks)
{
    put_header(w);
    for (int v = 0; v < w->views; v++) {
        for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++) {
            char *to = output_begin(w->out);
            if (w->view[v].first_busy[lane] > 0)
                to = put_state(to, w, v, lane, 0, w->view[v].first_busy[lane], idle.number);
            output_end(w->out, to);
        }
    }
    merge_each(marks, true, put_mark, w);
}

/* ---- everything ---- */

/* The same numbers for both runs if the nodes of one are the first nodes of the other, path by path. */
static void number_nodes(writer *w)
{
    if (w->views < 2)
        return;
    const bmf_view *a = &w->view[0], *b = &w->view[1];
    uint32_t shared = b->run->nodes;
    bool same = shared <= a->run->nodes && memcmp(a->node_hash, b->node_hash, shared * sizeof *b->node_hash) == 0;
    w->node_shift[1] = same ? 0 : a->run->nodes;
}

static void write_trace(writer *w)
{
    int64_t cpu = 1;
    bmf_merge *marks = merge_create(w->view, w->views, true);
    for (int v = 0; v < w->views; v++) {
        w->first_cpu[v] = cpu;
        cpu += w->view[v].run->lanes;
    }
    number_nodes(w);
    put_trace(w, marks);
    merge_free(marks);
}

/* path with its ending .prv, if it has it, replaced. To be freed. */
static char *side_path(const char *path, const char *ending)
{
    size_t stem = strlen(path);
    if (stem > 4 && strcmp(path + stem - 4, ".prv") == 0)
        stem -= 4;
    char *result = allocate((int64_t)(stem + strlen(ending) + 1));
    memcpy(put_bytes(result, path, stem), ending, strlen(ending) + 1);
    return result;
}

int convert_prv(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    char *names = side_path(path, ".pcf"), *rows = side_path(path, ".row");
    writer w = {.view = view, .views = trace->runs};
    views_create(trace, BMF_STYLE_PLAIN, view);
    const char *paths[OUTPUTS] = {path, names, rows};
    int status = BMF_OK, opened = 0;
    while (opened < OUTPUTS && status == BMF_OK) {
        status = output_open(ctx, &w.out[opened], paths[opened]);
        opened++;
    }
    if (status == BMF_OK) {
        write_trace(&w);
        put_names(&w, &w.out[1]);
        put_rows(&w, &w.out[2]);
    }
    status = outputs_close(ctx, w.out, opened, status);
    views_free(view, trace->runs);
    free(names);
    free(rows);
    return status;
}
