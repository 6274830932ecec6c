/* Ports: every processor has one way into the network and one out of it, and each passes one message at a time.
 *
 *     sender's port   |== length ==| gap |
 *                      \             \
 *                       latency       \
 *                        \             \
 *     receiver's port     |== length ==| gap |
 *
 * A message leaves when it is ready and the sender's port is free; its head comes to the receiver's port a latency
 * later and waits there (in the network, which has space) until the port is free. Messages to one processor are served
 * in the order in which their heads come (equal times: as they left), so several senders to one receiver take turns.
 * What is between the ports never is a bottleneck. Used by the types hockney and sheet (ports = "single")
 * and by loggp.
 * Processors of a node may share its two ports (sharing, then a port's number is that of the node).
 * Cost: O(log messages under way) a message; memory 64 bytes a processor and 40 a message under way.
 */
#ifndef BMF_PORTS_H
#define BMF_PORTS_H

#include "predict/network/network.h"

typedef struct bmf_port_event bmf_port_event;

typedef struct bmf_port {
    double free;             /* again from then on */
    int64_t messages, bytes; /* so far */
    double busy;
} bmf_port;

typedef struct bmf_ports {
    double gap; /* seconds */
    int64_t processors;
    int64_t sharing;       /* neighbouring processors that share a port; 0: none do */
    bmf_port *out, *in;    /* by processor or node; NULL before the first start */
    bmf_port_event *event; /* a heap: the earliest first, then as they were added */
    int64_t events, capacity, added;
} bmf_ports;

/* All ports free, nothing under way. */
void ports_start(bmf_ports *ports, int64_t processors);
void ports_free(bmf_ports *ports);

/* The message leaves, `ready` at the earliest, takes `length` seconds to pass a port and `latency` to come from one to
 * the other. With a negative latency, at least -length, its head comes at once, and the receiver may begin that much
 * before its end has come. Returns when its end has left; its arrival is an event. */
double ports_leave(bmf_ports *ports, bmf_transit *message, double ready, double length, double latency);
/* An event for a message that leaves at `time` only. */
void ports_leave_later(bmf_ports *ports, bmf_transit *message, double time, double length, double latency);

/* The next event's time, INFINITY if none. */
double ports_next(const bmf_ports *ports);
/* Carries it out: a message leaves (sets message->done), or its head comes to the receiver (sets message->arrived).
 * Returns the message if that was its arrival, NULL otherwise. */
bmf_transit *ports_advance(bmf_ports *ports);

int64_t ports_loads(const bmf_ports *ports, bmf_link_load **load);

#endif
