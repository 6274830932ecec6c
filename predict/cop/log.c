/* What nodes of scheduled routers do, step by step, for traces. Method: when all steps of a node are over, each is told
 * with its times. A transfer that writes and reads at the same time is told as writing first, then reading, with as
 * many cycles for each as were counted; what is written to several nodes takes equal parts. Cost: O(steps) and a look
 * through an operator's streams for every message. */
#include "predict/cop/run_private.h"

static void tell(const bmf_cop_node *n, const bmf_cop_event *event)
{
    if (event->end > event->begin)
        n->run->log->event(n->run->log->state, event);
}

static const bmf_cop_running *running_of_channel(const bmf_cop_run *run, int64_t channel)
{
    if (channel < run->operators * BMF_COP_BANKS * run->nodes)
        return &run->running[channel / BMF_COP_BANKS / run->nodes];
    int64_t op = 0; /* of a plug-in */
    while (channel < run->running[op].first_channel ||
           channel >= run->running[op].first_channel + run->running[op].candidate->streams.count)
        op++;
    return &run->running[op];
}

/* The stream of the operator that the node reads from a register, or writes to it; -1: none. */
static int64_t stream_at(const bmf_cop_node *n, const bmf_cop_running *r, const bmf_interface_use *use)
{
    const bmf_stream_routes *routes = n->run->phase[r->phase]->routes;
    for (int64_t k = 0; k < r->candidate->streams.count; k++) {
        const bmf_stream_route *route = &routes->route[r->first_stream + k];
        for (int64_t h = 0; h < route->hops; h++) {
            const bmf_stream_hop *hop = &route->hop[h];
            const bool found = use->reads ? hop->delivers && hop->reg == use->reg
                                          : (h == 0 && route->reg == use->reg) || hop->own == use->reg;
            if (hop->node == n->node && found)
                return k;
        }
    }
    return -1;
}

/* The destinations of a written use, from `first` on: those of a chain begin behind the node. */
static const bmf_cop_stream *destinations(const bmf_cop_node *n, const bmf_cop_running *r, const bmf_interface_use *use,
                                          int64_t *first)
{
    const int64_t k = stream_at(n, r, use);
    *first = 0;
    if (k < 0)
        return NULL;
    const bmf_cop_stream *stream = &r->candidate->streams.stream[k];
    while (stream->from != n->node && *first < stream->destinations && stream->to[*first] != n->node)
        ++*first;
    *first += stream->from != n->node;
    return stream;
}

/* In two rounds: how many messages are written, and telling them. Returns how many. */
static int64_t visit_writes(const bmf_cop_node *n, const simulator_resume *step, const bmf_interface_use *use,
                            bmf_cop_event *event, int64_t cycles, int64_t messages)
{
    int64_t count = 0;
    for (int64_t u = 0; u < step->count - step->background; u++) {
        const bmf_cop_running *r = running_of_channel(n->run, use[u].stream);
        int64_t first;
        const bmf_cop_stream *stream = use[u].reads ? NULL : destinations(n, r, &use[u], &first);
        for (int64_t d = stream ? first : 0; stream && d < stream->destinations; d++, count++) {
            if (messages == 0)
                continue;
            event->begin = step->begun + cycles * count / messages;
            event->end = step->begun + cycles * (count + 1) / messages;
            event->peer = collects_carry(r) ? use[u].stream % n->run->nodes : stream->to[d];
            event->number = use[u].begin / (use[u].words > 0 ? use[u].words : 1);
            event->bytes = use[u].words * 4;
            tell(n, event);
        }
    }
    return count;
}

static void tell_transfer(const bmf_cop_node *n, const simulator_resume *step, const bmf_interface_use *use,
                          int64_t writing)
{
    const bmf_cop_running *r = step->count > 0 ? running_of_channel(n->run, use[0].stream) : NULL;
    bmf_cop_event event = {.node = n->node, .kind = BMF_COP_DID_WRITE, .op = r ? r->op : NULL};
    const int64_t length = step->ended - step->begun, cycles = writing < length ? writing : length;
    const int64_t messages = visit_writes(n, step, use, &event, 0, 0);
    visit_writes(n, step, use, &event, cycles, messages);
    event.kind = BMF_COP_DID_READ;
    event.begin = step->begun + (messages > 0 ? cycles : 0);
    for (int64_t u = 0; u < step->count; u++) {
        if (!use[u].reads || (u > 0 && u >= step->count - step->background))
            continue;
        const bmf_cop_running *from = running_of_channel(n->run, use[u].stream);
        const int64_t k = chains_carry(from) ? -1 : stream_at(n, from, &use[u]);
        event.end = step->ended;
        event.op = from->op;
        event.peer = collects_carry(from) ? from->collecting[from->instance[n->node]].writer
                     : k < 0              ? use[u].stream % n->run->nodes
                                          : from->candidate->streams.stream[k].from;
        event.number = use[u].begin / (use[u].words > 0 ? use[u].words : 1);
        event.bytes = use[u].words * 4;
        tell(n, &event);
        event.begin = event.end;
    }
}

void log_steps(bmf_cop_node *n)
{
    const bmf_processor_script *script = &n->run->script[n->node];
    int64_t now[BMF_TIMES];
    scheduled_simulation_times(n->run->simulation, n->node, now);
    for (int64_t s = 0; s < script->steps; s++) {
        const simulator_resume *step = &script->step[s];
        if (step->begun < 0 || step->ended <= step->begun)
            continue;
        if (step->kind == BMF_STEP_TRANSFER) { /* at most one a time */
            tell_transfer(n, step, script->use + step->first, now[BMF_TIME_WRITE] - n->logged[BMF_TIME_WRITE]);
            continue;
        }
        if (step->kind == BMF_STEP_HANDLED) /* who waited has told it */
            continue;
        const bmf_cop_event event = {.kind = BMF_COP_DID_TIME,
                                     .time = step->time,
                                     .node = n->node,
                                     .begin = step->begun,
                                     .end = step->ended,
                                     .op = n->calling >= 0 ? n->run->running[n->calling].op : NULL};
        tell(n, &event);
    }
    for (int k = 0; k < BMF_TIMES; k++)
        n->logged[k] = now[k];
}

void log_call(const bmf_cop_node *n, int64_t op, int64_t begin)
{
    const bmf_cop_event event = {.kind = BMF_COP_DID_CALL,
                                 .node = n->node,
                                 .begin = begin,
                                 .end = scheduled_simulation_cycle(n->run->simulation),
                                 .op = n->run->running[op].op};
    n->run->log->event(n->run->log->state, &event);
}
