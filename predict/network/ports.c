/* Ports; the model is in the header. Method: one clock for each port, and a heap of the heads that are under way. */
#include "predict/network/ports.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"

struct bmf_port_event {
    double time, length, latency; /* latency: when it leaves */
    bmf_flying *message;
    uint64_t order; /* twice the number of the event; odd: the message leaves, even: its head comes */
};

/* ---- the heap ---- */

static bool is_before(const bmf_port_event *a, const bmf_port_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void push(bmf_ports *ports, bmf_flying *message, double time, double length, double latency, bool leaves)
{
    if (ports->events == ports->capacity) {
        const int64_t size = (int64_t)sizeof *ports->event, capacity = ports->capacity ? 2 * ports->capacity : 64;
        ports->event = reallocate(ports->event, ports->capacity * size, capacity * size);
        ports->capacity = capacity;
    }
    const bmf_port_event added = {time, length, latency, message, 2 * (uint64_t)ports->added++ + leaves};
    int64_t at = ports->events++;
    for (int64_t up; at > 0 && is_before(&added, &ports->event[up = (at - 1) / 2]); at = up)
        ports->event[at] = ports->event[up];
    ports->event[at] = added;
}

static bmf_port_event pop(bmf_ports *ports)
{
    const bmf_port_event first = ports->event[0], last = ports->event[--ports->events];
    int64_t at = 0;
    for (int64_t down; (down = 2 * at + 1) < ports->events; at = down) {
        if (down + 1 < ports->events && is_before(&ports->event[down + 1], &ports->event[down]))
            down++;
        if (!is_before(&ports->event[down], &last))
            break;
        ports->event[at] = ports->event[down];
    }
    ports->event[at] = last;
    return first;
}

/* ---- the ports ---- */

void ports_start(bmf_ports *ports, int64_t processors)
{
    if (!ports->out) {
        ports->processors = processors;
        ports->out = allocate(processors * (int64_t)sizeof *ports->out);
        ports->in = allocate(processors * (int64_t)sizeof *ports->in);
    }
    for (int64_t p = 0; p < processors; p++)
        ports->out[p] = ports->in[p] = (bmf_port){0};
    ports->events = ports->added = 0;
}

void ports_free(bmf_ports *ports)
{
    free(ports->out);
    free(ports->in);
    free(ports->event);
}

/* Passes as soon as it is there and the port is free; returns when it begins to. */
static double pass(bmf_ports *ports, bmf_port *port, double there, double length, int64_t bytes)
{
    const double begin = fmax(there, port->free);
    port->free = begin + length + ports->gap;
    port->messages++;
    port->bytes += bytes;
    port->busy += length;
    return begin;
}

double ports_leave(bmf_ports *ports, bmf_flying *message, double ready, double length, double latency)
{
    const double begin = pass(ports, &ports->out[message->from], ready, length, message->bytes);
    push(ports, message, begin + latency, length, latency, false);
    return begin + length;
}

void ports_leave_later(bmf_ports *ports, bmf_flying *message, double time, double length, double latency)
{
    push(ports, message, time, length, latency, true);
}

double ports_next(const bmf_ports *ports)
{
    return ports->events > 0 ? ports->event[0].time : INFINITY;
}

bmf_flying *ports_advance(bmf_ports *ports)
{
    const bmf_port_event event = pop(ports);
    bmf_flying *message = event.message;
    if (event.order % 2 == 1) {
        message->done = ports_leave(ports, message, event.time, event.length, event.latency);
        return NULL;
    }
    message->arrived = pass(ports, &ports->in[message->to], event.time, event.length, message->bytes) + event.length;
    return message;
}

int64_t ports_loads(const bmf_ports *ports, bmf_link_load **load)
{
    const int64_t count = ports->out ? 2 * ports->processors : 0;
    *load = allocate_clear(count, sizeof **load);
    for (int64_t k = 0; k < count; k++) {
        const bool out = k < ports->processors;
        const int64_t processor = out ? k : k - ports->processors;
        const bmf_port *port = out ? &ports->out[processor] : &ports->in[processor];
        bmf_link_load *row = &(*load)[k];
        snprintf(out ? row->from : row->to, sizeof row->from, "processor %lld", (long long)processor);
        snprintf(out ? row->to : row->from, sizeof row->to, "network");
        row->messages = port->messages;
        row->bytes = port->bytes;
        row->busy = port->busy;
    }
    return count;
}
