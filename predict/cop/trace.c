/* Traces of runs. Method: each operator is a node of the trace, its calls are skeleton calls, messages sends and
 * receives; computing is a kernel `cpu`, changes of phases kernels `psync`, `router` and `reprog`. Cycles become
 * nanoseconds of the routers' clock. Cost: an event for everything a node does. Source: document 004, 8.1. */
#include "predict/cop/trace.h"

#include <math.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"

struct bmf_cop_trace {
    bmf_trace_run *run;
    double gigahertz;
    int64_t nodes;
    uint32_t *calls; /* of a node of the trace and a lane: made so far */
    int64_t operators;
};

static const bmf_cop_operator *own_operator(const bmf_cop_trace *t, const bmf_cop_operator *op)
{
    return op && op->number < t->operators ? op : NULL;
}

static uint32_t node_of(const bmf_cop_trace *t, const bmf_cop_operator *op)
{
    char text[200];
    if (!op)
        return 0;
    if (own_operator(t, op))
        snprintf(text, sizeof text, "%s %s", cop_kind_name(op->kind), op->label);
    else
        snprintf(text, sizeof text, "barrier of a phase");
    return run_node(t->run, 0, text, BMF_EVENT_SKELETON);
}

static uint32_t *calls_of(const bmf_cop_trace *t, const bmf_cop_operator *op, int64_t node)
{
    return &t->calls[(own_operator(t, op) ? op->number : t->operators) * t->nodes + node];
}

static int64_t nanoseconds(const bmf_cop_trace *t, int64_t cycles)
{
    return (int64_t)floor((double)cycles / t->gigahertz);
}

static void add_event(void *state, const bmf_cop_event *from)
{
    static const bmf_event_kind kinds[] = {BMF_EVENT_SKELETON, BMF_EVENT_KERNEL, BMF_EVENT_SEND, BMF_EVENT_RECEIVE};
    bmf_cop_trace *t = state;
    bmf_event event = {.begin = nanoseconds(t, from->begin),
                       .end = nanoseconds(t, from->end),
                       .node = node_of(t, from->op),
                       .instance = *calls_of(t, from->op, from->node),
                       .lane = (int32_t)from->node,
                       .peer = -1,
                       .kind = (uint16_t)kinds[from->kind]};
    event.low = event.high = event.end - event.begin;
    if (from->kind == BMF_COP_DID_CALL) {
        ++*calls_of(t, from->op, from->node);
        event.amount = from->op->words;
    } else if (from->kind == BMF_COP_DID_TIME) {
        event.name = (uint16_t)run_name(t->run, mesh_time_name[from->time]);
    } else {
        event.peer = (int32_t)from->peer;
        event.round = (uint32_t)from->number;
        event.amount = from->bytes;
    }
    run_add(t->run, &event);
}

bmf_cop_trace *cop_trace_create(const bmf_cop_program *program, const char *name, const char *machine, double gigahertz,
                                bmf_cop_log *log)
{
    bmf_cop_trace *t = allocate_clear(1, sizeof *t);
    t->nodes = program->settings.mesh.nodes;
    t->operators = program->operators;
    t->gigahertz = gigahertz;
    t->run = run_create(name, machine, (int32_t)t->nodes, (int32_t)t->nodes, 1);
    t->run->predicted = 1;
    t->calls = allocate_clear((t->operators + 1) * t->nodes, sizeof *t->calls);
    *log = (bmf_cop_log){add_event, t};
    return t;
}

int cop_trace_write(bmf_cop_trace *t, const char *path)
{
    const bmf_trace trace = {.runs = 1, .run = {t->run}};
    BMF_TRY(run_sort(t->run));
    return trace_write(NULL, &trace, path);
}

void cop_trace_free(bmf_cop_trace *t)
{
    if (!t)
        return;
    run_free(t->run);
    free(t->calls);
    free(t);
}
