/* One cycle of a dynamic router: allocation of output channels to headers, then of the switch to words.
 *
 * Method: sets of channels are masks, so that a router in which two words move costs a few dozen instructions. All
 * effects on other routers are at least one cycle away: the order of routers within a cycle does not matter.
 * Cost: O(channels that ask). Source: iSLIP (McKeown, IEEE/ACM Trans. Networking 7(2), 1999) with one iteration;
 * virtual channels and credits: Dally, IEEE Trans. Parallel and Distributed Systems 3(2), 1992. */
#include <string.h>

#include "predict/mesh/dynamic_private.h"

static input_channel *input_of(const bmf_wormhole_mesh *d, int64_t node, int input)
{
    return &d->input[node * d->inputs + input];
}

static header_state *header_of(const bmf_wormhole_mesh *d, int64_t node, int input)
{
    return &d->header[node * d->inputs + input];
}

static message *front_message(const bmf_wormhole_mesh *d, int64_t node, int input)
{
    const input_channel *in = input_of(d, node, input);
    return &d->message[d->flit[(node * d->inputs + input) * d->settings.buffer + in->first].message];
}

/* ---- output channels for headers ---- */

static uint64_t candidates_of(const bmf_wormhole_mesh *d, int64_t node, int input)
{
    header_state *in = header_of(d, node, input);
    if (in->candidates)
        return in->candidates;
    message *m = front_message(d, node, input);
    if (m->to == node) {
        const int first = (d->ports - 1) * d->channels;
        return in->candidates = m->address ? UINT64_C(1) << (first + m->address - 1) : d->address_mask;
    }
    if (d->settings.routing == BMF_DYNAMIC_ADAPTIVE)
        return adaptive_candidates(d, node, input, m);
    return in->candidates = ecube_candidates(d, node, m->to);
}

static void take_output(bmf_wormhole_mesh *d, int64_t node, int input, int output)
{
    node_state *n = &d->node[node];
    header_state *in = header_of(d, node, input);
    output_channel *out = &d->output[node * d->outputs + output];
    const uint64_t bit = UINT64_C(1) << input;
    n->channel_grant[output] = (uint8_t)(input + 1 < d->inputs ? input + 1 : 0);
    n->channel_accept[input] = (uint8_t)(output + 1 < d->outputs ? output + 1 : 0);
    n->free &= ~(UINT64_C(1) << output);
    n->holding |= bit;
    n->funded = out->credits > 0 ? n->funded | bit : n->funded & ~bit;
    input_of(d, node, input)->output = (uint8_t)output;
    in->candidates = 0;
    out->owner = (uint8_t)input;
    if (d->settings.allocate > 0) {
        in->ready = d->time + d->settings.allocate;
        n->delayed |= bit;
    }
    if (d->output_port[output] == d->ports - 1)
        return;
    message *m = front_message(d, node, input);
    m->hops++;
    n->headers[d->output_port[output]]++;
    if (d->settings.routing == BMF_DYNAMIC_ADAPTIVE) {
        adaptive_take(d, node, input, output, m);
        out->label = m->reversals;
    }
}

/* asking: inputs with a header in front. */
static bool allocate_channels(bmf_wormhole_mesh *d, int64_t node, uint64_t asking)
{
    node_state *n = &d->node[node];
    uint64_t candidates[MAX_INPUTS], chosen[MAX_INPUTS], all = 0, hopeful = 0, lucky = 0;
    for (; asking; asking &= asking - 1) {
        const int input = lowest(asking);
        const uint64_t free = candidates_of(d, node, input) & n->free;
        if (!free)
            continue;
        candidates[input] = free;
        hopeful |= UINT64_C(1) << input;
        all |= free;
    }
    if (!hopeful)
        return false;
    if ((hopeful & (hopeful - 1)) == 0) {
        const int input = lowest(hopeful);
        take_output(d, node, input, next_from(candidates[input], n->channel_accept[input]));
        return true;
    }
    for (; all; all &= all - 1) {
        const int output = lowest(all);
        uint64_t asked = 0;
        for (uint64_t left = hopeful; left; left &= left - 1)
            asked |= (candidates[lowest(left)] >> output & 1) << lowest(left);
        const int input = next_from(asked, n->channel_grant[output]);
        chosen[input] = (lucky >> input & 1 ? chosen[input] : 0) | UINT64_C(1) << output;
        lucky |= UINT64_C(1) << input;
    }
    for (; lucky; lucky &= lucky - 1)
        take_output(d, node, lowest(lucky), next_from(chosen[lowest(lucky)], n->channel_accept[lowest(lucky)]));
    return true;
}

/* ---- the switch for words ---- */

static void return_credit(bmf_wormhole_mesh *d, int64_t node, int input)
{
    const int port = d->input_port[input], channel = input - port * d->channels;
    if (port == d->ports - 1)
        add_event(d, d->settings.inject_credit, EVENT_INJECT_CREDIT, node, channel);
    else
        add_event(d, d->settings.credit, EVENT_CREDIT, d->beyond[node * d->ports + port],
                  mesh_opposite(port) * d->channels + channel);
}

static void forward(bmf_wormhole_mesh *d, int64_t node, int output, flit word)
{
    const int port = d->output_port[output], channel = output - port * d->channels;
    const int64_t next = d->beyond[node * d->ports + port];
    const int there = mesh_opposite(port) * d->channels + channel;
    d->crossed[node * d->ports + port]++;
    d->flit_hops++;
    add_word(d, d->settings.link, next, there, word);
}

static void deliver(bmf_wormhole_mesh *d, int64_t node, int output, flit word)
{
    message *m = &d->message[word.message];
    d->disordered += m->to != node || (word.place & (PLACE_LAST - 1)) != (m->arrived & (PLACE_LAST - 1));
    const int64_t place = m->arrived++;
    if (d->came)
        d->came(d->told_state, node, output - (d->ports - 1) * d->channels + 1, m->number, place,
                d->time + d->settings.link);
    else
        add_event(d, d->settings.eject_credit, EVENT_CREDIT, node, output);
    if (d->settings.shared && !d->came)
        add_event(d, d->settings.link, EVENT_READ, node, 0);
    if (word.place & PLACE_LAST)
        dynamic_arrival(d, word.message);
}

/* The last word of a message has gone: its channels are for others. */
static void end_message(bmf_wormhole_mesh *d, int64_t node, int input, int output)
{
    node_state *n = &d->node[node];
    const uint64_t bit = UINT64_C(1) << input;
    n->holding &= ~bit;
    d->output[node * d->outputs + output].owner = NO_OWNER;
    if (!d->settings.atomic)
        n->free |= UINT64_C(1) << output;
    if (d->settings.route > 0 && (n->filled & bit)) {
        header_of(d, node, input)->ready = d->time + 1 + d->settings.route;
        n->delayed |= bit;
    }
}

static void send_word(bmf_wormhole_mesh *d, int64_t node, int input)
{
    node_state *n = &d->node[node];
    input_channel *in = input_of(d, node, input);
    const int output = in->output;
    output_channel *out = &d->output[node * d->outputs + output];
    const flit word = d->flit[(node * d->inputs + input) * d->settings.buffer + in->first];
    const uint64_t bit = UINT64_C(1) << input;
    in->first = (uint16_t)(in->first + 1 < d->settings.buffer ? in->first + 1 : 0);
    if (--in->words == 0)
        n->filled &= ~bit;
    if (--out->credits == 0)
        n->funded &= ~bit;
    return_credit(d, node, input);
    if (d->output_port[output] == d->ports - 1)
        deliver(d, node, output, word);
    else
        forward(d, node, output, word);
    if (word.place & PLACE_LAST)
        end_message(d, node, input, output);
}

static void pass(bmf_wormhole_mesh *d, int64_t node, int input)
{
    node_state *n = &d->node[node];
    const int port = d->output_port[input_of(d, node, input)->output], entry = d->entry[input];
    n->switch_grant[port] = (uint8_t)(entry + 1 < d->entries ? entry + 1 : 0);
    n->switch_accept[entry] = (uint8_t)(port + 1 < d->ports ? port + 1 : 0);
    n->turn[entry] = d->next_turn[input];
    send_word(d, node, input);
}

/* Of two channels of an entry that ask for the same port: the one whose turn comes first. */
static bool comes_before(const bmf_wormhole_mesh *d, const node_state *n, int input, int other)
{
    const int first = d->input_port[input] * d->channels, turn = n->turn[d->entry[input]];
    const int a = input - first - turn, b = other - first - turn;
    return (a < 0 ? a + d->channels : a) < (b < 0 ? b + d->channels : b);
}

/* Those who ask, by port and entry of the switch. */
typedef struct request {
    uint64_t asked[MAX_PORTS]; /* entries */
    uint8_t candidate[MAX_PORTS][MAX_INPUTS];
} request;

static void choose(bmf_wormhole_mesh *d, int64_t node, const request *r)
{
    const node_state *n = &d->node[node];
    uint64_t lucky = 0;
    uint8_t chosen[MAX_INPUTS];
    for (int port = 0; port < d->ports; port++) {
        if (!r->asked[port])
            continue;
        const int entry = next_from(r->asked[port], n->switch_grant[port]);
        chosen[entry] = (uint8_t)((lucky >> entry & 1 ? chosen[entry] : 0) | 1 << port);
        lucky |= UINT64_C(1) << entry;
    }
    for (; lucky; lucky &= lucky - 1) {
        const int entry = lowest(lucky);
        pass(d, node, r->candidate[next_from(chosen[entry], n->switch_accept[entry])][entry]);
    }
}

static void allocate_switch(bmf_wormhole_mesh *d, int64_t node, uint64_t asking)
{
    uint64_t entries = 0;
    unsigned ports = 0;
    bool alone = true; /* nobody asks for what another one asks for */
    for (uint64_t left = asking; left; left &= left - 1) {
        const int input = lowest(left);
        const uint64_t entry = UINT64_C(1) << d->entry[input];
        const unsigned port = 1U << d->output_port[input_of(d, node, input)->output];
        alone = alone && !(entries & entry) && !(ports & port);
        entries |= entry;
        ports |= port;
    }
    if (alone) {
        for (; asking; asking &= asking - 1)
            pass(d, node, lowest(asking));
        return;
    }
    request r;
    memset(r.asked, 0, sizeof r.asked);
    for (; asking; asking &= asking - 1) {
        const int input = lowest(asking), entry = d->entry[input];
        const int port = d->output_port[input_of(d, node, input)->output];
        if ((r.asked[port] >> entry & 1) == 0 || comes_before(d, &d->node[node], input, r.candidate[port][entry]))
            r.candidate[port][entry] = (uint8_t)input;
        r.asked[port] |= UINT64_C(1) << entry;
    }
    choose(d, node, &r);
}

/* ---- a cycle ---- */

static void end_delays(bmf_wormhole_mesh *d, int64_t node)
{
    node_state *n = &d->node[node];
    for (uint64_t left = n->delayed; left; left &= left - 1)
        if (header_of(d, node, lowest(left))->ready <= d->time)
            n->delayed &= ~(left & -left);
}

bool dynamic_route(bmf_wormhole_mesh *d, int64_t node)
{
    node_state *n = &d->node[node];
    if (n->delayed)
        end_delays(d, node);
    const uint64_t headers = n->filled & ~n->holding & ~n->delayed;
    bool moved = headers && allocate_channels(d, node, headers);
    const uint64_t words = n->filled & n->holding & n->funded & ~n->delayed;
    if (words) {
        allocate_switch(d, node, words);
        moved = true;
    }
    return moved || n->delayed;
}
