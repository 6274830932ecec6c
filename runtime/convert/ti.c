/* Time-independent traces of SimGrid's SMPI, for `smpirun -replay`: what every rank did, without when.
 *
 * FILE has a line with the name of each rank's file, FILE.0, FILE.1, ..; those have a line an action. Computing is in
 * floating-point operations of a host that makes 10^9 a second: one for each nanosecond of processor time. Sizes are
 * bytes. Receives keep the sources and tags that they had, so that SMPI replays what was recorded.
 *
 * SMPI knows one communicator and refers to requests by (sender, receiver, tag); what does not fit into that is
 * refused with its event: collectives of some of the ranks, nonblocking collectives, files, calls whose meaning was not
 * recorded. Cost: linear. Source: the manual of SimGrid 3.32, "SMPI", offline simulation.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/context/failure.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/output.h"
#include "runtime/trace/recorded_calls.h"

/* What a rank's file is made of. */
typedef struct lane_writer {
    bmf_context *ctx;
    const bmf_trace_run *run;
    bmf_output out;
    int32_t lane;
    int64_t computing; /* nanoseconds that are not written yet */
    int64_t *started;  /* by request: the event that started it, + 1 */
    int64_t requests;
    const bmf_recorded_call *call; /* of collectives */
    const int64_t *call_of_event;  /* the first one of the same call; -1: none, or not of all ranks */
} lane_writer;

static int refuse(const lane_writer *w, int64_t k, const char *why)
{
    return bmf_fail(w->ctx, BMF_ERROR_FILE, "event %" PRId64 ": rank %d calls %s, %s", k, w->lane,
                    w->run->name[w->run->event[k].name], why);
}

static void put_action(lane_writer *w, const char *action)
{
    output_print(&w->out, "%d %s", w->lane, action);
}

static void put_computing(lane_writer *w)
{
    if (w->computing > 0)
        output_print(&w->out, "%d compute %" PRId64 "\n", w->lane, w->computing);
    w->computing = 0;
}

/* ---- messages ---- */

static void put_send(lane_writer *w, const bmf_event *event, const bmf_trace_detail *detail)
{
    put_action(w, detail_flags(detail) & BMF_DETAIL_NONBLOCKING ? "isend" : "send");
    output_print(&w->out, " %d %d %" PRId64 "\n", event->peer, detail->tag, event->amount);
}

static void put_receive(lane_writer *w, const char *action, const bmf_event *event, const bmf_trace_detail *detail)
{
    put_action(w, action);
    output_print(&w->out, " %d %d %" PRId64 "\n", event->peer, detail->tag, event->amount);
}

static void put_wait(lane_writer *w, int32_t from, int32_t to, int32_t tag)
{
    put_action(w, "wait");
    output_print(&w->out, " %d %d %d\n", from, to, tag);
}

/* A post is written with what came, which the event that finished its request knows. */
static int64_t finisher_of(const lane_writer *w, int64_t k, int64_t end)
{
    for (int64_t j = k + 1; j < end; j++)
        if (w->run->event[j].kind == BMF_EVENT_RECEIVE && w->run->event[j].round == w->run->event[k].round)
            return j;
    return -1;
}

static int put_waiting(lane_writer *w, int64_t k, int64_t end)
{
    const bmf_event *event = &w->run->event[k];
    const uint32_t flags = detail_flags(&w->run->detail[k]);
    if (flags & BMF_DETAIL_CANCELLED)
        return refuse(w, k, "which was cancelled");
    if (flags & BMF_DETAIL_POST) {
        const int64_t received = finisher_of(w, k, end);
        if (received < 0)
            return refuse(w, k, "and what it received is not known");
        put_receive(w, "irecv", &w->run->event[received], &w->run->detail[received]);
        w->started[event->round] = k + 1;
        return BMF_OK;
    }
    const int64_t start = event->round < w->requests ? w->started[event->round] - 1 : -1;
    if (start >= 0 && event->round > 0)
        put_wait(w, w->lane, w->run->event[start].peer, w->run->detail[start].tag);
    return BMF_OK;
}

/* ---- collectives ---- */

static bool is_operation(const char *name, const char *operation)
{
    return strcmp(name, operation) == 0;
}

/* The counts of all ranks in the call that the event belongs to. */
static void put_counts(lane_writer *w, int64_t k)
{
    const bmf_recorded_call *call = &w->call[w->call_of_event[k]];
    for (int32_t rank = 0; rank < w->run->lanes; rank++)
        output_print(&w->out, " %" PRId64, w->run->event[call[rank].event].amount);
}

static int put_collective(lane_writer *w, int64_t k)
{
    const bmf_event *event = &w->run->event[k];
    const char *name = w->run->name[event->name];
    const uint32_t group = detail_group(&w->run->detail[k]);
    const int32_t root = event->peer < 0 ? 0 : event->peer;
    const int64_t bytes = event->amount;
    if (detail_flags(&w->run->detail[k]) & BMF_DETAIL_NONBLOCKING)
        return refuse(w, k, "which SMPI does not replay");
    if (w->run->group[group].members != w->run->lanes)
        return refuse(w, k, "with some of the ranks only; SMPI replays collectives of all");
    if (w->call_of_event[k] < 0)
        return refuse(w, k, "which not all ranks called");
    if (is_operation(name, "barrier"))
        output_print(&w->out, "%d barrier\n", w->lane);
    else if (is_operation(name, "bcast"))
        output_print(&w->out, "%d bcast %" PRId64 " %d\n", w->lane, bytes, root);
    else if (is_operation(name, "reduce"))
        output_print(&w->out, "%d reduce %" PRId64 " 0 %d\n", w->lane, bytes, root);
    else if (is_operation(name, "allreduce") || is_operation(name, "scan") || is_operation(name, "exscan"))
        output_print(&w->out, "%d %s %" PRId64 " 0\n", w->lane, name, bytes);
    else if (is_operation(name, "gather") || is_operation(name, "scatter"))
        output_print(&w->out, "%d %s %" PRId64 " %" PRId64 " %d\n", w->lane, name, bytes, bytes, root);
    else if (is_operation(name, "allgather") || is_operation(name, "alltoall"))
        output_print(&w->out, "%d %s %" PRId64 " %" PRId64 "\n", w->lane, name, bytes, bytes);
    else if (is_operation(name, "reduce_scatter_block")) { /* a count for each rank */
        put_action(w, "reducescatter");
        for (int32_t rank = 0; rank < w->run->lanes; rank++)
            output_print(&w->out, " %" PRId64, bytes);
        output_text(&w->out, " 0\n");
    } else if (is_operation(name, "gatherv") || is_operation(name, "allgatherv")) {
        put_action(w, name);
        output_print(&w->out, " %" PRId64, bytes);
        put_counts(w, k);
        output_print(&w->out, is_operation(name, "gatherv") ? " %d\n" : "\n", root);
    } else {
        return refuse(w, k, "which has no counterpart among SMPI's actions");
    }
    return BMF_OK;
}

/* ---- ranks ---- */

static int put_event(lane_writer *w, int64_t k, int64_t end)
{
    const bmf_event *event = &w->run->event[k];
    const bmf_trace_detail *detail = &w->run->detail[k];
    if (detail_flags(detail) & BMF_DETAIL_OPAQUE)
        return refuse(w, k, "whose meaning is not recorded");
    if (event->kind == BMF_EVENT_KERNEL)
        w->computing += detail->number > 0 ? detail->number : 0;
    else if (event->kind > BMF_EVENT_KERNEL)
        put_computing(w);
    switch ((bmf_event_kind)event->kind) {
    case BMF_EVENT_SEND:
        put_send(w, event, detail);
        if (detail_flags(detail) & BMF_DETAIL_NONBLOCKING)
            w->started[event->round] = k + 1;
        return BMF_OK;
    case BMF_EVENT_RECEIVE:
        if (event->round < w->requests && event->round > 0 && w->started[event->round] > 0)
            put_wait(w, event->peer, w->lane, detail->tag);
        else
            put_receive(w, "recv", event, detail);
        return BMF_OK;
    case BMF_EVENT_WAIT:
        return put_waiting(w, k, end);
    case BMF_EVENT_COLLECTIVE:
        return put_collective(w, k);
    case BMF_EVENT_FILE:
        return refuse(w, k, "and SMPI replays no files");
    default:
        return BMF_OK;
    }
}

static int put_lane(lane_writer *w, int64_t begin, int64_t end)
{
    int status = BMF_OK;
    for (int64_t k = begin; k < end; k++)
        if ((int64_t)w->run->event[k].round >= w->requests)
            w->requests = (int64_t)w->run->event[k].round + 1;
    w->started = allocate_clear(w->requests, (int64_t)sizeof *w->started);
    put_action(w, "init\n");
    for (int64_t k = begin; k < end && status == BMF_OK; k++)
        status = put_event(w, k, end);
    put_computing(w);
    put_action(w, "finalize\n");
    free(w->started);
    return status;
}

static char *lane_path(const char *path, int32_t lane)
{
    const size_t size = strlen(path) + 16;
    char *made = allocate((int64_t)size);
    snprintf(made, size, "%s.%d", path, lane);
    return made;
}

static int write_lane(const lane_writer *of, const char *path, int32_t lane, int64_t begin, int64_t end)
{
    lane_writer w = *of;
    char *name = lane_path(path, lane);
    w.lane = lane;
    int status = output_open(w.ctx, &w.out, name);
    if (status == BMF_OK)
        status = put_lane(&w, begin, end);
    status = output_close(w.ctx, &w.out, status);
    free(name);
    return status;
}

static void remove_lanes(const char *path, int32_t lanes)
{
    for (int32_t lane = 0; lane < lanes; lane++) {
        char *name = lane_path(path, lane);
        unlink(name);
        free(name);
    }
}

static int write_lanes(const lane_writer *w, const char *path)
{
    const bmf_trace_run *run = w->run;
    int status = BMF_OK;
    int64_t begin = 0;
    for (int32_t lane = 0; lane < run->lanes && status == BMF_OK; lane++) {
        int64_t end = begin;
        while (end < run->events && run->event[end].lane == lane)
            end++;
        status = write_lane(w, path, lane, begin, end);
        if (status != BMF_OK)
            remove_lanes(path, lane);
        begin = end;
    }
    return status;
}

/* The list of files comes last: where it is, all the others are. */
static int write_index(bmf_context *ctx, const char *path, int32_t lanes)
{
    bmf_output out = {0};
    const int status = output_open(ctx, &out, path);
    for (int32_t lane = 0; lane < lanes && status == BMF_OK; lane++)
        output_print(&out, "%s.%d\n", path, lane);
    return output_close(ctx, &out, status);
}

/* By event: where its collective's calls begin in the list. */
static int64_t *index_calls(const bmf_trace_run *run, const bmf_recorded_call *call, int64_t calls)
{
    int64_t *of_event = allocate_array(run->events, (int64_t)sizeof *of_event);
    for (int64_t k = 0; k < run->events; k++)
        of_event[k] = -1;
    for (int64_t begin = 0, end; begin < calls; begin = end) {
        for (end = begin + 1; end < calls && recorded_calls_match(&call[begin], &call[end]); end++) {
        }
        for (int64_t k = begin; k < end && end - begin == run->lanes; k++)
            of_event[call[k].event] = begin;
    }
    return of_event;
}

int convert_ti(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    const bmf_trace_run *run = trace->run[0];
    int64_t calls;
    if (!run->detail)
        return bmf_fail(ctx, BMF_ERROR_FILE,
                        "the trace is none of a recorded MPI program (bmf record): SMPI replays nothing else");
    if (run_fact(run, "incomplete"))
        return bmf_fail(ctx, BMF_ERROR_FILE, "the recording is incomplete: %s", run_fact(run, "incomplete"));
    bmf_recorded_call *call = recorded_calls(run, false, true, &calls);
    int64_t *of_event = index_calls(run, call, calls);
    const lane_writer w = {.ctx = ctx, .run = run, .call = call, .call_of_event = of_event};
    int status = write_lanes(&w, path);
    if (status == BMF_OK)
        status = write_index(ctx, path, run->lanes);
    free(call);
    free(of_event);
    return status;
}
