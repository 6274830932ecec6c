/* Networks for tests; see toy_networks.h. */
#include "ctest/support/toy_networks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

enum { RENDEZVOUS_BYTES = 512 };
static const double STEP = 1.0 / 512;

/* A number of steps below `bound` that depends on the message only. */
static double steps(const toy_network *toy, const bmf_transit *m, uint64_t what, uint64_t bound)
{
    uint64_t key = (uint64_t)m->from * 1000003 + (uint64_t)m->to * 10007 + (uint64_t)m->bytes * 101 + what;
    return (double)(hash_word(hash_word(key) + 77 * (uint64_t)toy->sample) % bound) * STEP;
}

static void note(toy_network *toy, char kind, const bmf_transit *m, double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    toy->checksum = hash_word(toy->checksum + bits + (uint64_t)kind) + (uint64_t)m->from * 31 + (uint64_t)m->to;
    toy->calls++;
    toy->disorder += time < toy->last;
    toy->last = fmax(toy->last, time);
}

static void complete(toy_network *toy, bmf_transit *m)
{
    toy->delivered++;
    toy->network.complete(toy->network.simulator, m);
}

static void toy_start(bmf_network *network, int64_t sample)
{
    toy_network *toy = (toy_network *)(void *)network;
    toy->sample = sample;
    toy->calls = toy->delivered = toy->disorder = toy->events = toy->order = 0;
    toy->checksum = 0;
    toy->last = 0;
    for (int64_t p = 0; p < network->processors; p++)
        toy->busy[p] = 0;
}

static void toy_destroy(bmf_network *network)
{
    toy_free((toy_network *)(void *)network);
}

static double toy_agreement(const bmf_network *network, int64_t processors)
{
    (void)network;
    return (double)processors * STEP;
}

/* ---- at once ---- */

static void queue_send(bmf_network *network, bmf_transit *m)
{
    toy_network *toy = (toy_network *)(void *)network;
    note(toy, 's', m, m->sent);
    m->sender_free = m->sent + steps(toy, m, 1, 4);
    m->arrived = fmax(toy->busy[m->to], m->sender_free + steps(toy, m, 2, 64)) + (double)m->bytes * STEP;
    toy->busy[m->to] = m->arrived;
    m->send_done = steps(toy, m, 3, 2) > 0 ? m->sender_free : m->arrived;
    m->receive_overhead = steps(toy, m, 4, 3);
    complete(toy, m);
}

static void hockney_send(bmf_network *network, bmf_transit *m)
{
    toy_network *toy = (toy_network *)(void *)network;
    note(toy, 's', m, m->sent);
    m->sender_free = m->send_done = m->sent + toy->overhead;
    m->arrived = m->sender_free + toy->latency + toy->per_byte * (double)m->bytes;
    m->receive_overhead = toy->taking;
    complete(toy, m);
}

/* ---- by itself ---- */

static void add_event(toy_network *toy, double time, bmf_transit *m, bool leaves)
{
    if (toy->events == toy->capacity) {
        int64_t grown = toy->capacity ? 2 * toy->capacity : 16, size = (int64_t)sizeof *toy->event;
        toy->event = reallocate(toy->event, toy->capacity * size, grown * size);
        toy->capacity = grown;
    }
    toy->event[toy->events++] = (toy_event){time, toy->order++, m, leaves};
}

static void transfer(toy_network *toy, bmf_transit *m, double now)
{
    const double begin = fmax(now, toy->busy[m->to]), end = begin + (double)m->bytes * STEP;
    toy->busy[m->to] = end;
    add_event(toy, end, m, true);
}

static void rendezvous_send(bmf_network *network, bmf_transit *m)
{
    toy_network *toy = (toy_network *)(void *)network;
    note(toy, m->posted < INFINITY ? 'S' : 's', m, m->sent);
    m->receive_overhead = steps(toy, m, 4, 3);
    if (m->bytes < RENDEZVOUS_BYTES) {
        m->sender_free = m->sent + steps(toy, m, 1, 4);
        if (m->bytes % 2)
            m->send_done = m->sender_free;
        transfer(toy, m, m->sender_free);
    } else if (m->posted < INFINITY) {
        transfer(toy, m, m->sent);
    }
}

static void rendezvous_post(bmf_network *network, bmf_transit *m)
{
    toy_network *toy = (toy_network *)(void *)network;
    note(toy, 'p', m, m->posted);
    if (m->bytes >= RENDEZVOUS_BYTES)
        transfer(toy, m, m->posted);
}

static int64_t first_event(const toy_network *toy)
{
    int64_t first = 0;
    for (int64_t k = 1; k < toy->events; k++)
        if (toy->event[k].time < toy->event[first].time ||
            (toy->event[k].time == toy->event[first].time && toy->event[k].order < toy->event[first].order))
            first = k;
    return first;
}

static double rendezvous_next(bmf_network *network)
{
    const toy_network *toy = (toy_network *)(void *)network;
    return toy->events ? toy->event[first_event(toy)].time : INFINITY;
}

static void rendezvous_advance(bmf_network *network)
{
    toy_network *toy = (toy_network *)(void *)network;
    const int64_t first = first_event(toy);
    const toy_event happens = toy->event[first];
    bmf_transit *m = happens.message;
    toy->event[first] = toy->event[--toy->events];
    note(toy, 'a', m, happens.time);
    if (happens.leaves) {
        add_event(toy, happens.time + steps(toy, m, 2, 64), m, false);
        if (m->bytes % 3 == 0) /* its sender learns everything only when the message has arrived */
            return;
        if (isnan(m->sender_free))
            m->sender_free = happens.time + STEP;
        if (isnan(m->send_done))
            m->send_done = happens.time + steps(toy, m, 3, 200);
        network->freed(network->simulator, m);
    } else {
        m->arrived = happens.time;
        if (isnan(m->sender_free))
            m->sender_free = m->arrived;
        if (isnan(m->send_done))
            m->send_done = m->arrived;
        complete(toy, m);
    }
}

/* ---- as a round ---- */

static void lockstep_round(bmf_network *network, bmf_transit **message, int64_t count)
{
    toy_network *toy = (toy_network *)(void *)network;
    double begin = 0;
    for (int64_t k = 0; k < count; k++)
        begin = fmax(begin, message[k]->sent);
    for (int64_t k = 0; k < count; k++) {
        bmf_transit *m = message[k];
        note(toy, k == 0 ? 'r' : 's', m, begin);
        m->sender_free = begin + steps(toy, m, 1, 4);
        m->arrived = fmax(toy->busy[m->to], begin + steps(toy, m, 2, 64)) + (double)m->bytes * STEP;
        toy->busy[m->to] = m->arrived;
        m->send_done = m->bytes % 2 ? m->sender_free : m->arrived;
        m->receive_overhead = steps(toy, m, 4, 3);
    }
    for (int64_t k = 0; k < count; k++)
        complete(toy, message[k]);
}

static const bmf_network_type queue_type = {
    .name = "queue", .destroy = toy_destroy, .start = toy_start, .send = queue_send, .agreement = toy_agreement};
static const bmf_network_type hockney_type = {
    .name = "toy hockney", .destroy = toy_destroy, .start = toy_start, .send = hockney_send};
static const bmf_network_type rendezvous_type = {.name = "toy rendezvous",
                                                 .destroy = toy_destroy,
                                                 .start = toy_start,
                                                 .send = rendezvous_send,
                                                 .post = rendezvous_post,
                                                 .next = rendezvous_next,
                                                 .advance = rendezvous_advance,
                                                 .agreement = toy_agreement};
static const bmf_network_type lockstep_type = {.name = "lockstep",
                                               .collective = true,
                                               .destroy = toy_destroy,
                                               .start = toy_start,
                                               .send_round = lockstep_round,
                                               .agreement = toy_agreement};

static toy_network *make(const bmf_network_type *type, int64_t processors)
{
    toy_network *toy = allocate_clear(1, (int64_t)sizeof *toy);
    toy->network = (bmf_network){.type = type, .processors = processors};
    toy->busy = allocate_clear(processors, (int64_t)sizeof *toy->busy);
    return toy;
}

toy_network *toy_queue(int64_t processors)
{
    return make(&queue_type, processors);
}

toy_network *toy_rendezvous(int64_t processors)
{
    return make(&rendezvous_type, processors);
}

toy_network *toy_lockstep(int64_t processors)
{
    return make(&lockstep_type, processors);
}

toy_network *toy_hockney(int64_t processors, double overhead, double latency, double per_byte, double taking)
{
    toy_network *toy = make(&hockney_type, processors);
    toy->overhead = overhead;
    toy->latency = latency;
    toy->per_byte = per_byte;
    toy->taking = taking;
    return toy;
}

void toy_free(toy_network *toy)
{
    free(toy->busy);
    free(toy->event);
    free(toy);
}
