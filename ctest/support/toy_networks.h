/* Small networks for tests of the simulator: one for each of the three ways to answer (predict/network/network.h), and
 * Hockney's. All times are multiples of 1 / 512 second as long as sizes are whole, so that sums are exact in any order.
 * Each keeps a checksum over all calls and their order. */
#ifndef CTEST_TOY_NETWORKS_H
#define CTEST_TOY_NETWORKS_H

#include "predict/network/network.h"

typedef struct toy_event {
    double time;
    int64_t order;
    bmf_transit *message;
    bool leaves; /* the sender's memory; else arrives */
} toy_event;

typedef struct toy_network {
    bmf_network network; /* first */
    int64_t sample;
    int64_t calls, delivered;
    uint64_t checksum;
    double last;      /* time of the last call */
    int64_t disorder; /* calls before an earlier one */
    double *busy;     /* by receiver */
    toy_event *event;
    int64_t events, capacity, order;
    double overhead, latency, per_byte, taking; /* of Hockney's */
} toy_network;

/* At once; the receiver's link is busy while a message passes, so that the order of calls matters. */
toy_network *toy_queue(int64_t processors);
/* By itself, with rendezvous for messages of 512 bytes and more; senders learn of `done` before the message arrives. */
toy_network *toy_rendezvous(int64_t processors);
/* As a round: begins when the last sender has come. */
toy_network *toy_lockstep(int64_t processors);
/* At once, without contention: free = sent + overhead, arrived = free + latency + per_byte * bytes. */
toy_network *toy_hockney(int64_t processors, double overhead, double latency, double per_byte, double taking);
void toy_free(toy_network *toy);

#endif
