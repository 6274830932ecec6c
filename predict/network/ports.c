/* Ports; the model is in the header. Method: one clock for each port, and a heap of the heads that are under way. */
#include "predict/network/ports.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

struct bmf_port_event {
    double time;
    bmf_passage passage; /* of a head that comes, out is when the message's end has come this far */
    bmf_transit *message;
    uint64_t order; /* twice the number of the event; odd: the message leaves, even: its head comes */
};

#define HEAP(name)        events_##name
#define HEAP_ELEMENT      bmf_port_event
#define HEAP_BEFORE(a, b) ((a).time < (b).time || ((a).time == (b).time && (a).order < (b).order))
#include "runtime/base/heap.h"

static void push(bmf_ports *ports, bmf_transit *message, double time, bmf_passage passage, bool leaves)
{
    ARRAY_RESERVE(ports->event, ports->capacity, ports->events + 1);
    const uint64_t order = 2 * (uint64_t)ports->added++ + leaves;
    events_push(ports->event, &ports->events, (bmf_port_event){time, passage, message, order});
}

/* ---- the ports ---- */

static int64_t port_of(const bmf_ports *ports, int64_t processor)
{
    return ports->sharing > 1 ? processor / ports->sharing : processor;
}

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

double ports_beyond_burst(const bmf_ports *ports, double length)
{
    return fmax(length - ports->burst, 0.0);
}

static double free_for(const bmf_ports *ports, const bmf_port *port, double length)
{
    return port->free - fmax(ports->burst - length, 0.0);
}

/* Passes as soon as it is there and the port is free; returns when it begins to. */
static double pass(bmf_ports *ports, bmf_port *port, double there, double length, int64_t bytes)
{
    const double begin = fmax(there, free_for(ports, port, length));
    port->free = fmax(port->free, begin) + length + ports->gap;
    port->messages++;
    port->bytes += bytes;
    port->busy += length;
    return begin;
}

/* What the other direction has to do for a message, from when it is there: the sum counts, not the order. */
static void give_back(bmf_port *port, double there, double length)
{
    if (length <= 0.0)
        return;
    port->free = fmax(port->free, there) + length;
    port->busy += length;
}

double ports_leave(bmf_ports *ports, bmf_transit *message, double ready, bmf_passage passage)
{
    const int64_t from = port_of(ports, message->from);
    const double begin = pass(ports, &ports->out[from], ready, passage.out, message->bytes);
    give_back(&ports->in[from], ready, passage.back);
    const double end = begin + ports_beyond_burst(ports, passage.out), latency = fmax(passage.latency, 0.0);
    /* The end of a message that is no slower out than in comes behind its head as the receiver's port takes it. */
    passage.out = passage.out > passage.in ? end + latency : 0.0;
    push(ports, message, begin + latency, passage, false);
    return end;
}

void ports_leave_later(bmf_ports *ports, bmf_transit *message, double time, bmf_passage passage)
{
    push(ports, message, time, passage, true);
}

double ports_next(const bmf_ports *ports)
{
    return ports->events > 0 ? ports->event[0].time : INFINITY;
}

/* The head is at the receiver. */
static void enter(bmf_ports *ports, bmf_transit *message, double time, bmf_passage passage)
{
    const int64_t to = port_of(ports, message->to);
    const double early = fmin(passage.latency, 0.0);
    const double begin = pass(ports, &ports->in[to], time, passage.in, message->bytes);
    give_back(&ports->out[to], time, passage.back);
    message->arrived = fmax(begin + (ports_beyond_burst(ports, passage.in) + early), passage.out + early);
}

bmf_transit *ports_advance(bmf_ports *ports)
{
    const bmf_port_event event = events_pop(ports->event, &ports->events);
    if (event.order % 2 == 1) {
        event.message->send_done = ports_leave(ports, event.message, event.time, event.passage);
        return NULL;
    }
    enter(ports, event.message, event.time, event.passage);
    return event.message;
}

int64_t ports_loads(const bmf_ports *ports, bmf_link_load **load)
{
    const int64_t half = ports->processors > 0 ? port_of(ports, ports->processors - 1) + 1 : 0;
    const int64_t count = ports->out ? 2 * half : 0;
    const char *what = ports->sharing > 1 ? "node" : "processor";
    *load = allocate_clear(count, sizeof **load);
    for (int64_t k = 0; k < count; k++) {
        const bool out = k < half;
        const int64_t number = out ? k : k - half;
        const bmf_port *port = out ? &ports->out[number] : &ports->in[number];
        bmf_link_load *row = &(*load)[k];
        snprintf(out ? row->from : row->to, sizeof row->from, "%s %lld", what, (long long)number);
        snprintf(out ? row->to : row->from, sizeof row->to, "network");
        row->messages = port->messages;
        row->bytes = port->bytes;
        row->busy = port->busy;
    }
    return count;
}
