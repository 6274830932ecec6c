/* Comma separated values: one line per event with everything the trace knows.
 *
 * Columns are named in the first line. Times are nanoseconds since the start of the run; `id` is the structural id.
 * `partner` is the line (counted from 1, without the header) of a message's other end, or empty.
 * Cost: linear; no printf for events.
 */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

static bmf_label *make_paths(const bmf_trace_run *run)
{
    enum { SIZE = 4 * BMF_LABEL_BYTES };
    char path[SIZE];
    bmf_label *label = allocate_clear(run->nodes, (int64_t)sizeof *label);
    for (uint32_t k = 0; k < run->nodes; k++) {
        label[k].text = style_text(run_path(run, k, path, SIZE), BMF_STYLE_CSV);
        label[k].size = strlen(label[k].text);
    }
    return label;
}

static char *put_quoted(char *to, const bmf_label *label)
{
    *to++ = '"';
    to = put_label_text(to, label);
    *to++ = '"';
    *to++ = ',';
    return to;
}

static char *put_column(char *to, int64_t value)
{
    to = put_integer(to, value);
    *to++ = ',';
    return to;
}

static char *put_event(char *to, const bmf_view *view, const bmf_label *path, int64_t k, int64_t first_line)
{
    const bmf_event *event = &view->run->event[k];
    to = put_column(to, view->number);
    to = put_column(to, event->lane);
    to = put_column(to, view->run->lane_rank[event->lane]);
    to = put_label_text(to, &view->label[view->run->names + event->kind]);
    *to++ = ',';
    to = put_quoted(to, &path[event->node]);
    to = put_quoted(to, &view->label[event->name]);
    to = put_column(to, event->instance);
    to = put_column(to, event->round);
    to = put_column(to, event->peer);
    to = put_column(to, event->begin);
    to = put_column(to, event->end);
    to = put_column(to, event->amount);
    to = put_column(to, event->low);
    to = put_column(to, event->high);
    to = put_hex(to, view_id(view, event));
    *to++ = ',';
    if (view->partner[k] >= 0)
        to = put_integer(to, first_line + view->partner[k]);
    *to++ = '\n';
    return to;
}

static void put_run(bmf_output *out, const bmf_view *view, int64_t first_line)
{
    bmf_label *path = make_paths(view->run);
    for (int64_t k = 0; k < view->run->events; k++)
        output_end(out, put_event(output_begin(out), view, path, k, first_line));
    for (uint32_t k = 0; k < view->run->nodes; k++)
        free(path[k].text);
    free(path);
}

int convert_csv(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_CSV, view);
    bmf_output out = {0};
    int status = output_open(ctx, &out, path);
    if (status == BMF_OK)
        output_text(&out, "run,lane,rank,kind,path,name,instance,round,peer,begin_ns,end_ns,amount,low_ns,high_ns,id,"
                          "partner\n");
    int64_t line = 1;
    for (int k = 0; k < trace->runs && status == BMF_OK; k++) {
        put_run(&out, &view[k], line);
        line += view[k].run->events;
    }
    status = output_close(ctx, &out, status);
    views_free(view, trace->runs);
    return status;
}
