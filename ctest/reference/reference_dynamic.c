/* A slow simulator of dynamic routers: arrays for everything, all of it looked at in every cycle. */
#include "ctest/reference/reference_dynamic.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

enum { PORTS = BMF_MESH_PORTS + 1, PROCESSOR = BMF_MESH_PORTS, MAX = BMF_DYNAMIC_ADDRESSES };

typedef struct word {
    int64_t message, place, there; /* there: cycle from which it is in the buffer */
} word;

typedef struct buffer {
    word *word;
    int words;
    bool holding;
    int to_port, to_channel; /* that it holds */
    int64_t empty_until;     /* cycle after that in which the message before left */
    int64_t go;              /* first cycle in which it may ask for the switch */
    int channel_pointer;     /* round-robin, over outputs */
} buffer;

typedef struct outlet {
    int credits;
    bool taken, draining;
    int label;
    int channel_pointer; /* round-robin, over inputs */
} outlet;

typedef struct node {
    buffer in[PORTS][BMF_DYNAMIC_CHANNELS];
    outlet out[PORTS][MAX];
    int grant[PORTS], accept[PORTS][BMF_DYNAMIC_CHANNELS], turn[PORTS][BMF_DYNAMIC_CHANNELS]; /* of the switch */
    outlet inject[BMF_DYNAMIC_CHANNELS];
    int64_t sending, place; /* message or -1 */
    int sending_channel, inject_turn;
} node;

typedef struct later {
    int64_t time;
    outlet *credit;  /* gets one; or */
    int64_t message; /* whose last word arrives, -1: none */
    int64_t reader;  /* node whose processor gets a word, -1: none */
} later;

struct reference_dynamic {
    bmf_mesh mesh;
    bmf_dynamic_settings s;
    node *node;
    int64_t time, flit_hops, messages;
    reference_message *message;
    later *later;
    bool *reads; /* by node: a word reaches its processor in this cycle */
    int64_t laters, later_capacity;
};

reference_dynamic *reference_dynamic_create(const bmf_mesh *mesh, const bmf_dynamic_settings *settings,
                                            int64_t messages, reference_message *message)
{
    reference_dynamic *r = allocate_clear(1, sizeof *r);
    r->mesh = *mesh;
    r->s = *settings;
    r->messages = messages;
    r->message = message;
    r->node = allocate_clear(mesh->nodes, sizeof *r->node);
    r->reads = allocate_clear(mesh->nodes, sizeof *r->reads);
    for (int64_t n = 0; n < mesh->nodes; n++) {
        r->node[n].sending = -1;
        for (int p = 0; p < PORTS; p++)
            for (int c = 0; c < settings->channels; c++)
                r->node[n].in[p][c].word = allocate(settings->buffer * (int64_t)sizeof(word));
        for (int p = 0; p < PORTS; p++)
            for (int c = 0; c < MAX; c++)
                r->node[n].out[p][c].credits = settings->buffer;
        for (int c = 0; c < settings->channels; c++)
            r->node[n].inject[c].credits = settings->buffer;
    }
    for (int64_t k = 0; k < messages; k++)
        message[k].sent = message[k].arrived = -1;
    return r;
}

void reference_dynamic_free(reference_dynamic *r)
{
    for (int64_t n = 0; n < r->mesh.nodes; n++)
        for (int p = 0; p < PORTS; p++)
            for (int c = 0; c < r->s.channels; c++)
                free(r->node[n].in[p][c].word);
    free(r->node);
    free(r->later);
    free(r->reads);
    free(r);
}

int64_t reference_dynamic_time(const reference_dynamic *r)
{
    return r->time;
}

int64_t reference_dynamic_flit_hops(const reference_dynamic *r)
{
    return r->flit_hops;
}

int64_t reference_dynamic_under_way(const reference_dynamic *r)
{
    int64_t words = 0;
    for (int64_t n = 0; n < r->mesh.nodes; n++)
        for (int p = 0; p < PORTS; p++)
            for (int c = 0; c < r->s.channels; c++)
                words += r->node[n].in[p][c].words;
    return words;
}

/* ---- what comes later ---- */

static void add_later(reference_dynamic *r, later l)
{
    if (r->laters == r->later_capacity) {
        const int64_t old = r->later_capacity;
        r->later_capacity = 2 * old + 16;
        r->later = reallocate(r->later, old * (int64_t)sizeof l, r->later_capacity * (int64_t)sizeof l);
    }
    r->later[r->laters++] = l;
}

static void release_when_empty(const reference_dynamic *r, outlet *o)
{
    if (o->draining && (!r->s.atomic || o->credits == r->s.buffer))
        o->taken = o->draining = false;
}

static void carry_out_later(reference_dynamic *r)
{
    int64_t kept = 0;
    for (int64_t n = 0; n < r->mesh.nodes; n++)
        r->reads[n] = false;
    for (int64_t k = 0; k < r->laters; k++) {
        const later l = r->later[k];
        if (l.time != r->time) {
            r->later[kept++] = l;
        } else if (l.credit) {
            l.credit->credits++;
            release_when_empty(r, l.credit);
        } else {
            r->reads[l.reader] = true;
            if (l.message >= 0)
                r->message[l.message].arrived = r->time;
        }
    }
    r->laters = kept;
}

static void put(const reference_dynamic *r, buffer *b, int64_t message, int64_t place, int delay)
{
    b->word[b->words++] = (word){message, place, r->time + delay};
}

static bool is_there(const reference_dynamic *r, const buffer *b)
{
    return b->words > 0 && b->word[0].there <= r->time;
}

static bool is_last(const reference_dynamic *r, word w)
{
    return w.place + 1 == r->message[w.message].words + r->s.header;
}

/* ---- processors ---- */

static void send_from(reference_dynamic *r, int64_t at)
{
    node *n = &r->node[at];
    const int channels = r->s.inject_channels;
    int channel = -1;
    if (r->s.shared && r->reads[at])
        return;
    if (n->sending < 0) {
        int64_t k = 0;
        while (k < r->messages && (r->message[k].from != at || r->message[k].sent >= 0))
            k++;
        if (k == r->messages || r->message[k].cycle > r->time)
            return;
        for (int i = channels - 1; i >= 0; i--) {
            const int c = (n->inject_turn + i) % channels;
            if (!n->inject[c].taken && n->inject[c].credits > 0)
                channel = c;
        }
        if (channel < 0)
            return;
        n->sending = k;
        n->place = 0;
        n->sending_channel = channel;
        n->inject_turn = (channel + 1) % channels;
        n->inject[channel].taken = true;
    }
    outlet *o = &n->inject[n->sending_channel];
    if (o->credits == 0)
        return;
    o->credits--;
    const word w = {n->sending, n->place++, 0};
    put(r, &n->in[PROCESSOR][n->sending_channel], w.message, w.place, r->s.inject);
    if (is_last(r, w)) {
        r->message[w.message].sent = r->time + 1;
        n->sending = -1;
        o->draining = true;
        release_when_empty(r, o);
    }
}

/* ---- routes ---- */

static int64_t size_of(const reference_dynamic *r, int k)
{
    return r->mesh.size[k];
}

static int64_t position(const reference_dynamic *r, int64_t at, int k)
{
    return mesh_coordinate(&r->mesh, at, k);
}

/* Links along a dimension if one goes up, or down, all the way; -1: there is no such way. */
static int64_t way(const reference_dynamic *r, int64_t from, int64_t to, int port)
{
    int64_t links = 0;
    while (position(r, from, port / 2) != position(r, to, port / 2)) {
        from = mesh_neighbour(&r->mesh, from, port);
        if (from < 0)
            return -1;
        links++;
    }
    return links;
}

/* A step by this port is one on a shortest way. */
static bool is_nearer(const reference_dynamic *r, int64_t from, int64_t to, int port)
{
    const int64_t links = way(r, from, to, port), other = way(r, from, to, port ^ 1);
    return links > 0 && (other < 0 || links <= other);
}

/* Sets wish for the ecube way. */
static void candidates_in_order(const reference_dynamic *r, int64_t at, int64_t to, bool candidates[PORTS][MAX])
{
    int k = 0;
    while (position(r, at, k) == position(r, to, k))
        k++;
    int port = is_nearer(r, at, to, 2 * k + 1) ? 2 * k + 1 : 2 * k;
    if (is_nearer(r, at, to, 2 * k + 1) && is_nearer(r, at, to, 2 * k))
        port = position(r, at, k) % 2 == 0 ? 2 * k + 1 : 2 * k;
    const int64_t next = mesh_neighbour(&r->mesh, at, port);
    bool edge_ahead = false;
    for (int64_t n = next; position(r, n, k) != position(r, to, k);) {
        const int64_t after = mesh_neighbour(&r->mesh, n, port);
        if (llabs(position(r, after, k) - position(r, n, k)) != 1 ||
            (size_of(r, k) == 2 && (position(r, n, k) == 0) != (port % 2 == 1)))
            edge_ahead = true;
        n = after;
    }
    const int channels = r->s.channels;
    if (r->s.routing == BMF_DYNAMIC_ADAPTIVE) {
        candidates[port][edge_ahead ? channels - 2 : channels - 1] = true;
        return;
    }
    int first = 0, end = channels;
    if (r->mesh.torus && edge_ahead)
        end = channels / 2;
    else if (r->mesh.torus)
        first = channels / 2;
    for (int c = first; c < end; c++)
        candidates[port][c] = true;
}

static int adaptive_channels(const reference_dynamic *r)
{
    return r->s.channels - (r->mesh.torus ? 2 : 1);
}

static int count_free(const reference_dynamic *r, int64_t at, int port)
{
    int count = 0;
    for (int c = 0; c < adaptive_channels(r); c++)
        count += !r->node[at].out[port][c].taken;
    return mesh_neighbour(&r->mesh, at, port) < 0 ? 0 : count;
}

static bool best_candidate(const reference_dynamic *r, int64_t at, int64_t to, bool nearer, int except,
                           bool candidates[PORTS][MAX])
{
    int best = -1;
    for (int p = 0; p < BMF_MESH_PORTS; p++) {
        if (p == except || is_nearer(r, at, to, p) != nearer || count_free(r, at, p) == 0)
            continue;
        if (best < 0 || count_free(r, at, p) > count_free(r, at, best) ||
            (nearer && count_free(r, at, p) == count_free(r, at, best) && way(r, at, to, p) > way(r, at, to, best)))
            best = p;
    }
    for (int c = 0; best >= 0 && c < adaptive_channels(r); c++)
        candidates[best][c] = true;
    return best >= 0;
}

static void candidates_adaptive(const reference_dynamic *r, int64_t at, int from_port, reference_message *m,
                                bool candidates[PORTS][MAX])
{
    if (!m->fallback) {
        if (best_candidate(r, at, m->to, true, -1, candidates))
            return;
        for (int p = 0; p < BMF_MESH_PORTS; p++)
            for (int c = 0; c < adaptive_channels(r); c++)
                if (is_nearer(r, at, m->to, p) && r->node[at].out[p][c].label > m->reversals)
                    return;
        if (m->misroutes < r->s.misroutes && best_candidate(r, at, m->to, false, from_port, candidates))
            return;
    }
    m->fallback = true;
    candidates_in_order(r, at, m->to, candidates);
}

static void find_candidates(const reference_dynamic *r, int64_t at, int from_port, reference_message *m,
                            bool candidates[PORTS][MAX])
{
    if (m->to == at)
        for (int c = 0; c < r->s.addresses; c++)
            candidates[PROCESSOR][c] = m->address == 0 || m->address == c + 1;
    else if (r->s.routing == BMF_DYNAMIC_ADAPTIVE)
        candidates_adaptive(r, at, from_port, m, candidates);
    else
        candidates_in_order(r, at, m->to, candidates);
}

/* ---- channels ---- */

/* Channels as numbers, for round-robin: ports that a mesh of two dimensions does not have are left out. */
static int ports_of(const reference_dynamic *r)
{
    return r->mesh.size[2] > 1 ? PORTS : PORTS - 2;
}

static int port_of(const reference_dynamic *r, int index)
{
    return index == ports_of(r) - 1 ? PROCESSOR : index;
}

static int inputs_of(const reference_dynamic *r)
{
    return ports_of(r) * r->s.channels;
}

static int outputs_of(const reference_dynamic *r)
{
    return (ports_of(r) - 1) * r->s.channels + r->s.addresses;
}

static buffer *input_at(const reference_dynamic *r, int64_t at, int input)
{
    return &r->node[at].in[port_of(r, input / r->s.channels)][input % r->s.channels];
}

static void locate_output(const reference_dynamic *r, int output, int *port, int *channel)
{
    const int links = (ports_of(r) - 1) * r->s.channels;
    *port = output < links ? output / r->s.channels : PROCESSOR;
    *channel = output < links ? output % r->s.channels : output - links;
}

static bool asks_for_channel(const reference_dynamic *r, const buffer *b)
{
    if (!is_there(r, b) || b->holding)
        return false;
    const int64_t in_front = b->word[0].there > b->empty_until ? b->word[0].there : b->empty_until;
    return r->time >= in_front + r->s.route;
}

static void take_channel(reference_dynamic *r, int64_t at, int input, int output)
{
    buffer *b = input_at(r, at, input);
    reference_message *m = &r->message[b->word[0].message];
    const int from = port_of(r, input / r->s.channels);
    locate_output(r, output, &b->to_port, &b->to_channel);
    outlet *o = &r->node[at].out[b->to_port][b->to_channel];
    b->holding = o->taken = true;
    b->go = r->time + r->s.allocate;
    b->channel_pointer = (output + 1) % outputs_of(r);
    o->channel_pointer = (input + 1) % inputs_of(r);
    if (b->to_port == PROCESSOR)
        return;
    m->hops++;
    if (r->s.routing != BMF_DYNAMIC_ADAPTIVE)
        return;
    m->misroutes += !m->fallback && !is_nearer(r, at, m->to, b->to_port);
    m->reversals += from != PROCESSOR && b->to_port / 2 < from / 2;
    o->label = m->reversals;
}

static void allocate_channels(reference_dynamic *r, int64_t at)
{
    static bool candidates[PORTS * BMF_DYNAMIC_CHANNELS][PORTS][MAX];
    const int inputs = inputs_of(r), outputs = outputs_of(r);
    bool any = false;
    int granted[BMF_MESH_PORTS * BMF_DYNAMIC_CHANNELS + MAX];
    for (int i = 0; i < inputs; i++) {
        for (int p = 0; p < PORTS; p++)
            for (int c = 0; c < MAX; c++)
                candidates[i][p][c] = false;
        const buffer *b = input_at(r, at, i);
        if (!asks_for_channel(r, b))
            continue;
        find_candidates(r, at, port_of(r, i / r->s.channels), &r->message[b->word[0].message], candidates[i]);
        any = true;
    }
    for (int o = 0; any && o < outputs; o++) {
        int port, channel;
        locate_output(r, o, &port, &channel);
        const outlet *out = &r->node[at].out[port][channel];
        granted[o] = -1;
        for (int k = inputs - 1; k >= 0 && !out->taken; k--)
            if (candidates[(out->channel_pointer + k) % inputs][port][channel])
                granted[o] = (out->channel_pointer + k) % inputs;
    }
    for (int i = 0; any && i < inputs; i++) {
        const int pointer = input_at(r, at, i)->channel_pointer;
        for (int k = 0; k < outputs; k++)
            if (granted[(pointer + k) % outputs] == i) {
                take_channel(r, at, i, (pointer + k) % outputs);
                break;
            }
    }
}

/* ---- the switch ---- */

static void move_word(reference_dynamic *r, int64_t at, int input)
{
    node *n = &r->node[at];
    buffer *b = input_at(r, at, input);
    const int from_port = port_of(r, input / r->s.channels), from_channel = input % r->s.channels;
    const word w = b->word[0];
    outlet *o = &n->out[b->to_port][b->to_channel];
    reference_message *m = &r->message[w.message];
    for (int k = 1; k < b->words; k++)
        b->word[k - 1] = b->word[k];
    b->words--;
    o->credits--;
    if (from_port == PROCESSOR)
        add_later(r, (later){r->time + r->s.inject_credit, &n->inject[from_channel], -1, -1});
    else
        add_later(r,
                  (later){r->time + r->s.credit,
                          &r->node[mesh_neighbour(&r->mesh, at, from_port)].out[from_port ^ 1][from_channel], -1, -1});
    if (b->to_port == PROCESSOR) {
        m->words_arrived += w.place == m->words_arrived && m->to == at;
        add_later(r, (later){r->time + r->s.eject_credit, o, -1, -1});
        add_later(r, (later){r->time + r->s.link, NULL, is_last(r, w) ? w.message : -1, at});
    } else {
        const int64_t next = mesh_neighbour(&r->mesh, at, b->to_port);
        put(r, &r->node[next].in[b->to_port ^ 1][b->to_channel], w.message, w.place, r->s.link);
        r->flit_hops++;
    }
    if (is_last(r, w)) {
        b->holding = false;
        b->empty_until = r->time + 1;
        o->draining = true;
        release_when_empty(r, o);
    }
}

static void allocate_switch(reference_dynamic *r, int64_t at)
{
    node *n = &r->node[at];
    const int speedup = r->s.speedup, channels = r->s.channels, ports = ports_of(r), entries = ports * speedup;
    int candidate[PORTS * BMF_DYNAMIC_CHANNELS][PORTS], granted[PORTS]; /* by entry and port: input or -1 */
    for (int e = 0; e < entries; e++)
        for (int p = 0; p < ports; p++) {
            candidate[e][p] = -1;
            const int turn = n->turn[e / speedup][e % speedup];
            for (int k = channels - 1; k >= 0; k--) {
                const int c = (turn + k) % channels, input = e / speedup * channels + c;
                const buffer *b = input_at(r, at, input);
                if (c % speedup == e % speedup && b->holding && is_there(r, b) && r->time >= b->go &&
                    b->to_port == port_of(r, p) && n->out[b->to_port][b->to_channel].credits > 0)
                    candidate[e][p] = input;
            }
        }
    for (int p = 0; p < ports; p++) {
        granted[p] = -1;
        for (int k = entries - 1; k >= 0; k--)
            if (candidate[(n->grant[p] + k) % entries][p] >= 0)
                granted[p] = (n->grant[p] + k) % entries;
    }
    for (int e = 0; e < entries; e++) {
        int *pointer = &n->accept[e / speedup][e % speedup];
        for (int k = 0; k < ports; k++) {
            const int p = (*pointer + k) % ports;
            if (granted[p] != e)
                continue;
            n->grant[p] = (e + 1) % entries;
            *pointer = (p + 1) % ports;
            n->turn[e / speedup][e % speedup] = (candidate[e][p] % channels + speedup) % channels;
            move_word(r, at, candidate[e][p]);
            break;
        }
    }
}

static bool has_words(const reference_dynamic *r, int64_t at)
{
    bool any = false;
    for (int p = 0; p < PORTS; p++)
        for (int c = 0; c < r->s.channels; c++)
            any = any || is_there(r, &r->node[at].in[p][c]);
    return any;
}

void reference_dynamic_step(reference_dynamic *r)
{
    carry_out_later(r);
    for (int64_t n = 0; n < r->mesh.nodes; n++)
        send_from(r, n);
    for (int64_t n = 0; n < r->mesh.nodes; n++)
        if (has_words(r, n)) {
            allocate_channels(r, n);
            allocate_switch(r, n);
        }
    r->time++;
}
