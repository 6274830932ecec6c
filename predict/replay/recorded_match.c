/* Messages and collective calls of a recorded program.
 *
 * Method: what belongs together stands together in a sorted list (runtime/trace/recorded_calls.h). Cost: sorting.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/replay/recorded_private.h"
#include "runtime/base/allocate.h"
#include "runtime/trace/recorded_calls.h"
#include "predict/replay/fail.h"

int64_t recorded_add_message(bmf_recorded_program *p, int64_t from, int64_t to, int64_t bytes, int64_t round)
{
    if (p->messages == p->blocks * MESSAGE_BLOCK) {
        p->block = reallocate_array(p->block, p->blocks, p->blocks + 1, (int64_t)sizeof *p->block);
        p->block[p->blocks++] = allocate_array(MESSAGE_BLOCK, (int64_t)sizeof **p->block);
    }
    *message_at(p, p->messages) = (bmf_recorded_message){
        .transit = {.from = from, .to = to, .bytes = bytes, .round = round, .posted = INFINITY}, .waiting = {-1, -1}};
    return p->messages++;
}

/* How the send was called, which data sheets tell apart. */
bmf_send_mode recorded_send_mode(const char *name, bool nonblocking)
{
    if (strncmp(name, "ssend", 5) == 0 || strncmp(name, "issend", 6) == 0)
        return BMF_SEND_SYNCHRONOUS;
    if (strncmp(name, "rsend", 5) == 0 || strncmp(name, "irsend", 6) == 0)
        return BMF_SEND_READY;
    return nonblocking ? BMF_SEND_NONBLOCKING : BMF_SEND_BLOCKING;
}

static int lacks_end(const bmf_recorded_call *e)
{
    const bool send = e->kind == BMF_EVENT_SEND;
    return fail_line(BMF_ERROR_ARGUMENT,
                     "event %" PRId64 ": the %s of message %" PRId64 " from rank %d to rank %d with tag %d has no %s",
                     e->event, send ? "send" : "receive", e->number, e->from, e->to, e->tag, send ? "receive" : "send");
}

static int pair_messages(bmf_recorded_program *p, const bmf_recorded_call *list, int64_t count)
{
    for (int64_t k = 0; k < count; k += 2) {
        if (k + 1 == count || !recorded_calls_match(&list[k], &list[k + 1]) || list[k].kind == list[k + 1].kind)
            return lacks_end(&list[k]);
        const bmf_event *send = &p->run->event[list[k].event];
        const int64_t m = recorded_add_message(p, list[k].from, list[k].to, send->amount, p->messages);
        message_at(p, m)->transit.mode = recorded_send_mode(
            p->run->name[send->name], detail_flags(&p->run->detail[list[k].event]) & BMF_DETAIL_NONBLOCKING);
        p->of_event[list[k].event] = p->of_event[list[k + 1].event] = m;
    }
    return BMF_OK;
}

static int match_messages(bmf_recorded_program *p)
{
    int64_t count;
    bmf_recorded_call *list = recorded_calls(p->run, true, false, &count);
    for (int64_t k = 0; k < count; k++)
        p->wild += list[k].kind == BMF_EVENT_RECEIVE &&
                   (detail_flags(&p->run->detail[list[k].event]) & BMF_DETAIL_WILD_SOURCE) != 0;
    const int status = pair_messages(p, list, count);
    free(list);
    return status;
}

/* ---- collectives ---- */

const char *recorded_operation(const char *name, bool nonblocking)
{
    if (nonblocking && strncmp(name, "start", 5) != 0)
        return strncmp(name, "comm_i", 6) == 0 ? "comm_dup" : name + 1;
    return nonblocking ? "allreduce" : name;
}

static const char *operation_of(const bmf_trace_run *run, int64_t k)
{
    return recorded_operation(run->name[run->event[k].name], detail_flags(&run->detail[k]) & BMF_DETAIL_NONBLOCKING);
}

int32_t recorded_rank_in_group(const int32_t *member, int32_t members, int32_t lane)
{
    for (int32_t k = 0; k < members; k++)
        if (member[k] == lane)
            return k;
    return -1;
}

/* The events [begin, end) of the list are of one call. */
static int add_collective(bmf_recorded_program *p, const bmf_recorded_call *list, int64_t begin, int64_t end)
{
    const bmf_trace_run *run = p->run;
    const bmf_recorded_call *first = &list[begin];
    const bmf_event *event = &run->event[first->event];
    bmf_recorded_collective c = {.operation = operation_of(run, first->event),
                                 .group = first->group,
                                 .member = run_members(run, first->group),
                                 .members = run->group[first->group].members,
                                 .seconds = NAN,
                                 .waiting = -1};
    c.root = event->peer < 0 ? -1 : recorded_rank_in_group(c.member, c.members, event->peer);
    if (end - begin != c.members)
        return fail_line(BMF_ERROR_ARGUMENT,
                         "event %" PRId64 ": of the %d ranks of collective %" PRId64 " of a group only %" PRId64
                         " called it",
                         first->event, c.members, first->number, end - begin);
    for (int64_t k = begin; k < end; k++) {
        const char *operation = operation_of(run, list[k].event);
        if (strcmp(operation, c.operation) != 0)
            return fail_line(BMF_ERROR_ARGUMENT,
                             "event %" PRId64 ": ranks call %s and %s as collective %" PRId64 " of one group",
                             list[k].event, c.operation, operation, first->number);
        const int64_t bytes = run->event[list[k].event].amount;
        c.bytes = bytes > c.bytes ? bytes : c.bytes;
        p->of_event[list[k].event] = p->collectives;
    }
    p->collective[p->collectives++] = c;
    return BMF_OK;
}

static int match_collectives(bmf_recorded_program *p)
{
    int64_t count;
    int status = BMF_OK;
    bmf_recorded_call *list = recorded_calls(p->run, false, true, &count);
    p->collective = allocate_array(count, (int64_t)sizeof *p->collective);
    for (int64_t begin = 0, end; begin < count && status == BMF_OK; begin = end) {
        for (end = begin + 1; end < count && recorded_calls_match(&list[begin], &list[end]); end++) {
        }
        status = add_collective(p, list, begin, end);
    }
    free(list);
    return status;
}

int recorded_match(bmf_recorded_program *p)
{
    p->of_event = allocate_array(p->run->events, (int64_t)sizeof *p->of_event);
    for (int64_t k = 0; k < p->run->events; k++)
        p->of_event[k] = -1;
    BMF_TRY(match_messages(p));
    return match_collectives(p);
}
