/* Dynamic routers on a mesh: time, processors that send, credits; the routers themselves are in dynamic_router.c.
 *
 * Method: a wheel of events for what comes a fixed number of cycles later (words into buffers, credits, arrivals), and
 * lists of routers and processors that can do something in this cycle; all others sleep until an event concerns them.
 * Cycles in which all sleep are skipped.
 * Cost: O(words times links), whatever the size of the mesh and the number of cycles. */
#include "predict/mesh/dynamic_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum {
    AHEAD = 8, /* events */
    CHANNEL_MASK = (1 << EVENT_NODE_SHIFT) - 1,
    NODE_MASK = (1 << (EVENT_KIND_SHIFT - EVENT_NODE_SHIFT)) - 1
};

/* ---- events ---- */

void dynamic_grow_words(wheel_slot *slot)
{
    ARRAY_RESERVE(slot->word, slot->word_capacity, slot->word_capacity + 1);
}

void dynamic_grow_events(wheel_slot *slot)
{
    ARRAY_RESERVE(slot->event, slot->event_capacity, slot->event_capacity + 1);
}

static void wake(awake_list *list, int64_t node)
{
    if (!list->listed[node]) {
        list->listed[node] = 1;
        list->node[list->count++] = (int32_t)node;
    }
}

static void word_comes(bmf_wormhole_mesh *d, int64_t node, int channel, flit word)
{
    node_state *n = &d->node[node];
    input_channel *in = &d->input[node * d->inputs + channel];
    const uint64_t bit = UINT64_C(1) << channel;
    int place = in->first + in->words;
    place -= place >= d->settings.buffer ? d->settings.buffer : 0;
    d->flit[(node * d->inputs + channel) * d->settings.buffer + place] = word;
    if (in->words++ == 0) {
        n->filled |= bit;
        if (!(n->holding & bit) && d->settings.route > 0) {
            d->header[node * d->inputs + channel].ready = d->time + d->settings.route;
            n->delayed |= bit;
        }
    }
    wake(&d->routers, node);
}

static void credit_comes(bmf_wormhole_mesh *d, int64_t node, int channel)
{
    node_state *n = &d->node[node];
    output_channel *out = &d->output[node * d->outputs + channel];
    out->credits++;
    if (out->owner != NO_OWNER)
        n->funded |= UINT64_C(1) << out->owner;
    else if (out->credits == d->settings.buffer)
        n->free |= UINT64_C(1) << channel;
    wake(&d->routers, node);
}

static void inject_credit_comes(bmf_wormhole_mesh *d, int64_t node, int channel)
{
    processor *p = &d->processor[node];
    const uint8_t bit = (uint8_t)(1 << channel);
    p->credits[channel]++;
    if ((p->draining & bit) && p->credits[channel] == d->settings.buffer) {
        p->draining &= (uint8_t)~bit;
        p->busy &= (uint8_t)~bit;
    }
    if (!d->came)
        wake(&d->processors, node);
}

static int64_t node_of(uint32_t event)
{
    return event >> EVENT_NODE_SHIFT & NODE_MASK;
}

/* Nodes come in no order, and their state seldom is in the cache: what is needed soon is fetched early. */
static void store_words(bmf_wormhole_mesh *d, wheel_slot *slot)
{
    for (int64_t k = 0; k < slot->words; k++) {
        if (k + AHEAD < slot->words) {
            const uint32_t soon = slot->word[k + AHEAD].where;
            const int64_t input = node_of(soon) * d->inputs + (soon & CHANNEL_MASK);
            __builtin_prefetch(&d->node[node_of(soon)]);
            __builtin_prefetch(&d->input[input]);
            __builtin_prefetch(&d->flit[input * d->settings.buffer]);
        }
        const word_event *event = &slot->word[k];
        word_comes(d, node_of(event->where), event->where & CHANNEL_MASK, event->word);
    }
    slot->words = 0;
}

static void carry_out_events(bmf_wormhole_mesh *d, wheel_slot *slot)
{
    for (int64_t k = 0; k < slot->events; k++) {
        if (k + AHEAD < slot->events) {
            const uint32_t soon = slot->event[k + AHEAD];
            __builtin_prefetch(&d->node[node_of(soon)]);
            __builtin_prefetch(&d->output[node_of(soon) * d->outputs + (soon & CHANNEL_MASK)]);
        }
        const uint32_t event = slot->event[k];
        const int64_t node = node_of(event);
        const int channel = event & CHANNEL_MASK;
        switch ((event_kind)(event >> EVENT_KIND_SHIFT)) {
        case EVENT_CREDIT:
            credit_comes(d, node, channel);
            break;
        case EVENT_INJECT_CREDIT:
            inject_credit_comes(d, node, channel);
            break;
        case EVENT_READ:
            d->processor[node].reads = d->time;
            break;
        }
    }
    slot->events = 0;
}

/* ---- messages ---- */

static uint32_t new_message(bmf_wormhole_mesh *d)
{
    if (d->free_message == NO_MESSAGE) {
        const int64_t old = d->message_capacity;
        ARRAY_RESERVE(d->message, d->message_capacity, old + 1);
        for (int64_t k = d->message_capacity - 1; k >= old; k--) {
            d->message[k].next = d->free_message;
            d->free_message = (uint32_t)k;
        }
    }
    const uint32_t made = d->free_message;
    d->free_message = d->message[made].next;
    return made;
}

static bmf_dynamic_report report_of(const message *m)
{
    return (bmf_dynamic_report){m->number, m->from, m->to, m->words, m->hops};
}

void dynamic_arrival(bmf_wormhole_mesh *d, uint32_t number)
{
    const bmf_dynamic_report report = report_of(&d->message[number]);
    d->disordered += d->message[number].arrived != d->message[number].flits;
    d->message[number].next = d->free_message;
    d->free_message = number;
    d->pending--;
    if (d->arrived)
        d->arrived(d->told_state, &report, d->time + d->settings.link);
}

void dynamic_send(bmf_wormhole_mesh *d, int64_t number, int64_t from, int64_t to, int64_t words, int address)
{
    const uint32_t made = new_message(d);
    processor *p = &d->processor[from];
    d->message[made] = (message){.number = number,
                                 .from = from,
                                 .to = to,
                                 .words = words,
                                 .flits = (uint32_t)(words + d->settings.header),
                                 .next = NO_MESSAGE,
                                 .address = (uint8_t)address};
    if (p->first == NO_MESSAGE)
        p->first = made;
    else
        d->message[p->last].next = made;
    p->last = made;
    d->pending++;
    if (!d->came)
        wake(&d->processors, from);
}

/* ---- processors ---- */

/* The channel for the next word; -1: none. */
static int choose_channel(const bmf_wormhole_mesh *d, const processor *p)
{
    const int channels = d->settings.inject_channels;
    if (p->place > 0)
        return p->credits[p->channel] > 0 ? p->channel : -1;
    for (int k = 0; k < channels; k++) {
        const int channel = (p->turn + k) % channels;
        if (!(p->busy >> channel & 1) && p->credits[channel] > 0)
            return channel;
    }
    return -1;
}

static void end_sending(bmf_wormhole_mesh *d, processor *p)
{
    const uint8_t bit = (uint8_t)(1 << p->channel);
    const bmf_dynamic_report report = report_of(&d->message[p->first]);
    p->first = d->message[p->first].next;
    p->place = 0;
    if (d->settings.atomic)
        p->draining |= bit;
    else
        p->busy &= (uint8_t)~bit;
    if (d->sent)
        d->sent(d->told_state, &report, d->time + 1);
}

bool dynamic_write(bmf_wormhole_mesh *d, int64_t node)
{
    processor *p = &d->processor[node];
    const int channel = p->first == NO_MESSAGE ? -1 : choose_channel(d, p);
    if (channel < 0)
        return false;
    const int input = (d->ports - 1) * d->channels + channel;
    const bool last = p->place + 1 == d->message[p->first].flits;
    add_word(d, d->settings.inject, node, input,
             (flit){p->first, (p->place & (PLACE_LAST - 1)) | (last ? PLACE_LAST : 0)});
    p->credits[channel]--;
    if (p->place++ == 0) {
        p->channel = (uint8_t)channel;
        p->turn = (uint8_t)((channel + 1) % d->settings.inject_channels);
        p->busy |= (uint8_t)(1 << channel);
    }
    if (last)
        end_sending(d, p);
    return true;
}

void dynamic_attend(bmf_wormhole_mesh *d, bmf_wormhole_word *came)
{
    d->came = came;
}

void dynamic_take(bmf_wormhole_mesh *d, int64_t node, int address)
{
    add_event(d, d->settings.eject_credit, EVENT_CREDIT, node, (d->ports - 1) * d->channels + address - 1);
}

/* Whether it may have something to do in the next cycle. */
static bool send_next_word(bmf_wormhole_mesh *d, int64_t node)
{
    return d->processor[node].reads == d->time || dynamic_write(d, node);
}

/* ---- time ---- */

static void carry_out(bmf_wormhole_mesh *d, awake_list *list, bool (*act)(bmf_wormhole_mesh *d, int64_t node))
{
    int64_t kept = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const int32_t node = list->node[k];
        if (act(d, node))
            list->node[kept++] = node;
        else
            list->listed[node] = 0;
    }
    list->count = kept;
}

void dynamic_step(bmf_wormhole_mesh *d)
{
    wheel_slot *slot = &d->wheel[d->time & (d->slots - 1)];
    store_words(d, slot);
    carry_out_events(d, slot);
    carry_out(d, &d->processors, send_next_word);
    carry_out(d, &d->routers, dynamic_route);
    d->time++;
}

int64_t dynamic_next(const bmf_wormhole_mesh *d)
{
    if (d->routers.count > 0 || d->processors.count > 0)
        return d->time;
    for (int64_t time = d->time; time < d->time + d->slots; time++) {
        const wheel_slot *slot = &d->wheel[time & (d->slots - 1)];
        if (slot->words > 0 || slot->events > 0)
            return time;
    }
    return INT64_MAX;
}

void dynamic_skip(bmf_wormhole_mesh *d, int64_t time)
{
    d->time = time;
}

int64_t dynamic_time(const bmf_wormhole_mesh *d)
{
    return d->time;
}

int64_t dynamic_pending(const bmf_wormhole_mesh *d)
{
    return d->pending;
}

int64_t dynamic_flit_hops(const bmf_wormhole_mesh *d)
{
    return d->flit_hops;
}

void dynamic_crossed(const bmf_wormhole_mesh *d, int64_t node, int port, int64_t *messages, int64_t *words)
{
    *messages = d->node[node].headers[port];
    *words = d->crossed[node * d->ports + port];
}

int64_t dynamic_disordered(const bmf_wormhole_mesh *d)
{
    return d->disordered;
}
