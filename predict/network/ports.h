/* Ports: every processor has one way into the network and one out of it, and each passes one message at a time.
 *
 *     sender's port   |== out ==| gap |
 *                      \          \
 *                       latency    \
 *                        \          \
 *     receiver's port     |== in ===| gap |
 *
 * A message leaves when it is ready and the sender's port is free; its head comes to the receiver's port a latency
 * later and waits there (in the network, which has space) until the port is free. Messages to one processor are served
 * in the order in which their heads come (equal times: as they left), so several senders to one receiver take turns.
 * What is between the ports never is a bottleneck.
 * Processors of a node may share its two ports (sharing, then a port's number is that of the node). A message keeps the
 * other port of both its hosts for `back`: what is sent back for it, and all of it where both directions share a wire.
 * A port with a burst passes that much work at once after a pause, as links limited by a token bucket do: it is free
 * for a message of length l when the work that it was given until then is done but for the burst, and
 *     begin = max(there, free - max(burst - l, 0)),  passed = begin + max(l - burst, 0),  free = max(free, begin) + l,
 * so that in any time t it passes at most burst + t of work.
 * Used by the types hockney, cluster, loggp and sheet. Source of the burst: R. L. Cruz, "A calculus for network delay",
 * IEEE Transactions on Information Theory 37 (1991): the (sigma, rho) regulator; as virtual scheduling ITU-T I.371.
 * Cost: O(log messages under way) a message; memory 64 bytes a processor and 56 a message under way.
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

/* How a message passes them: seconds. */
typedef struct bmf_passage {
    double out, in; /* that it keeps its sender's port, and its receiver's */
    double back;    /* that it keeps the ports of the other direction; 0: directions do not disturb each other */
    double latency; /* from one port to the other. Negative, at least -max(out, in) beyond the burst: its head comes at
                      * once, and the receiver may begin that much before its end has come */
} bmf_passage;

typedef struct bmf_ports {
    double gap, burst; /* seconds */
    int64_t processors;
    int64_t sharing;       /* neighbouring processors that share a port; 0: none do */
    bmf_port *out, *in;    /* by processor or node; NULL before the first start */
    bmf_port_event *event; /* a heap: the earliest first, then as they were added */
    int64_t events, capacity, added;
} bmf_ports;

/* All ports free, nothing under way. */
void ports_start(bmf_ports *ports, int64_t processors);
void ports_free(bmf_ports *ports);

/* What of a length a port takes that has had a pause. */
double ports_beyond_burst(const bmf_ports *ports, double length);
/* The message leaves, `ready` at the earliest. Returns when its end has left; its arrival is an event. */
double ports_leave(bmf_ports *ports, bmf_transit *message, double ready, bmf_passage passage);
/* An event for a message that leaves at `time` only. */
void ports_leave_later(bmf_ports *ports, bmf_transit *message, double time, bmf_passage passage);

/* The next event's time, INFINITY if none. */
double ports_next(const bmf_ports *ports);
/* Carries it out: a message leaves (sets message->done), or its head comes to the receiver (sets message->arrived).
 * Returns the message if that was its arrival, NULL otherwise. */
bmf_transit *ports_advance(bmf_ports *ports);

int64_t ports_loads(const bmf_ports *ports, bmf_link_load **load);

#endif
