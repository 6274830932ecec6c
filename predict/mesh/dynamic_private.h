/* The state of a mesh of dynamic routers, for the files that carry it out.
 *
 * Channels of a node have numbers: inputs port * channels + channel, the processor's being the last port; outputs
 * likewise, those behind (ports - 1) * channels being the processor's addresses. Sets of channels are 64-bit masks of
 * these numbers. */
#ifndef BMF_MESH_DYNAMIC_PRIVATE_H
#define BMF_MESH_DYNAMIC_PRIVATE_H

#include "predict/mesh/dynamic.h"

enum {
    MAX_PORTS = BMF_MESH_PORTS + 1,
    MAX_INPUTS = MAX_PORTS * BMF_DYNAMIC_CHANNELS,
    MAX_OUTPUTS = BMF_MESH_PORTS * BMF_DYNAMIC_CHANNELS + BMF_DYNAMIC_ADDRESSES,
    NO_OWNER = 255
};
_Static_assert(MAX_OUTPUTS <= 64 && MAX_INPUTS <= 64, "channels of a node fit into a mask");
#define NO_MESSAGE UINT32_MAX

/* A word under way. */
typedef struct flit {
    uint32_t message;
    uint32_t place; /* in its message, modulo PLACE_LAST, which is added to the last one's */
} flit;
#define PLACE_LAST (UINT32_C(1) << 31)

typedef struct message {
    int64_t number, from, to, words, hops;
    uint32_t flits, arrived; /* words, headers included; words that won the last switch */
    uint32_t next;           /* in a queue or list of free ones */
    uint16_t reversals, misroutes;
    uint8_t address;
    bool fallback; /* adaptive: has left the adaptive channels */
} message;

/* What every word touches, and what only headers do: apart, for the cache. */
typedef struct input_channel {
    uint16_t first, words; /* place in the ring; how many */
    uint8_t output;        /* if it holds one */
} input_channel;

typedef struct header_state {
    uint64_t candidates; /* outputs it asks for, 0: not known yet; only for routes that do not adapt */
    int64_t ready;       /* for the next step, if delayed */
} header_state;

typedef struct output_channel {
    int32_t credits;
    uint16_t label; /* reversals of the last owner */
    uint8_t owner;  /* input, or NO_OWNER */
} output_channel;

typedef struct node_state {
    uint64_t filled, holding, funded, delayed; /* inputs: with words; with an output; that has credits; not ready */
    uint64_t free;                             /* outputs that can be taken */
    uint8_t switch_grant[MAX_PORTS], switch_accept[MAX_INPUTS], turn[MAX_INPUTS]; /* round-robin pointers */
    uint8_t channel_grant[MAX_OUTPUTS], channel_accept[MAX_INPUTS];
    int64_t headers[BMF_MESH_PORTS]; /* messages over its links */
} node_state;

typedef struct processor {
    uint32_t first, last; /* queue of messages; the first is being sent */
    uint32_t place;       /* of its next word */
    uint8_t channel;      /* it goes through, if place is not 0 */
    uint8_t turn;         /* channel to look at first */
    uint8_t busy, draining;
    int16_t credits[BMF_DYNAMIC_CHANNELS];
    int64_t reads; /* cycle in which a word reached it last, if shared */
} processor;

/* What comes in one cycle: words into buffers; and credits and the like. */
typedef struct word_event {
    uint32_t where; /* node and input, see event_of */
    flit word;
} word_event;

typedef struct wheel_slot {
    word_event *word;
    uint32_t *event; /* kind, node and channel */
    int64_t words, word_capacity, events, event_capacity;
} wheel_slot;

/* Nodes in which something may happen in the next cycle. */
typedef struct awake_list {
    int32_t *node;
    int64_t count;
    uint8_t *listed;
} awake_list;

struct bmf_wormhole_mesh {
    bmf_mesh mesh;
    bmf_dynamic_settings settings;
    bmf_wormhole_callback *arrived, *sent;
    bmf_wormhole_word *came; /* NULL: processors send and take words by themselves */
    void *told_state;
    int64_t time, flit_hops, disordered, pending;
    int ports, inputs, outputs, channels; /* ports with the processor's */
    int entries;                          /* of the switch */
    uint8_t next_turn[MAX_INPUTS];        /* of an entry after a word of this input */
    uint8_t input_port[MAX_INPUTS], output_port[MAX_OUTPUTS], entry[MAX_INPUTS];
    uint64_t address_mask;  /* outputs to the processor */
    uint64_t class_mask[2]; /* channels of port 0: of routes that have to pass an edge of the torus, of all others */
    uint64_t adaptive_mask; /* channels of port 0 */
    int32_t (*at)[BMF_MESH_DIMENSIONS];
    int32_t *beyond; /* node behind node * ports + port, -1 */
    node_state *node;
    input_channel *input;
    header_state *header;
    output_channel *output;
    int64_t *crossed; /* words, by node * ports + port */
    flit *flit;
    processor *processor;
    message *message;
    int64_t message_capacity;
    uint32_t free_message;
    wheel_slot *wheel;
    int64_t slots; /* a power of two */
    awake_list routers, processors;
};

/* The first of a set, counted from a place on. */
static inline int next_from(uint64_t set, int from)
{
    const uint64_t behind = set >> from << from;
    return __builtin_ctzll(behind ? behind : set);
}

static inline int lowest(uint64_t set)
{
    return __builtin_ctzll(set);
}

/* ---- dynamic.c ---- */

typedef enum event_kind { EVENT_CREDIT, EVENT_INJECT_CREDIT, EVENT_READ } event_kind;
enum { EVENT_NODE_SHIFT = 6, EVENT_KIND_SHIFT = 28 };
_Static_assert(BMF_MESH_MAX_NODES <= 1 << (EVENT_KIND_SHIFT - EVENT_NODE_SHIFT), "a node's number fits into an event");

void dynamic_grow_words(wheel_slot *slot);
void dynamic_grow_events(wheel_slot *slot);

static inline uint32_t event_of(event_kind kind, int64_t node, int channel)
{
    return (uint32_t)kind << EVENT_KIND_SHIFT | (uint32_t)node << EVENT_NODE_SHIFT | (uint32_t)channel;
}

static inline void add_event(bmf_wormhole_mesh *d, int delay, event_kind kind, int64_t node, int channel)
{
    wheel_slot *slot = &d->wheel[(d->time + delay) & (d->slots - 1)];
    if (slot->events == slot->event_capacity)
        dynamic_grow_events(slot);
    slot->event[slot->events++] = event_of(kind, node, channel);
}

static inline void add_word(bmf_wormhole_mesh *d, int delay, int64_t node, int input, flit word)
{
    wheel_slot *slot = &d->wheel[(d->time + delay) & (d->slots - 1)];
    if (slot->words == slot->word_capacity)
        dynamic_grow_words(slot);
    slot->word[slot->words++] = (word_event){event_of(0, node, input), word};
}

/* Its last word has left the last router. */
void dynamic_arrival(bmf_wormhole_mesh *d, uint32_t number);

/* dynamic_router.c: one cycle of a router; whether something may happen in the next one. */
bool dynamic_route(bmf_wormhole_mesh *d, int64_t node);

/* ecube.c: the port of a message to another node, and what it may ask for there. */
int ecube_port(const bmf_wormhole_mesh *d, int64_t node, int64_t to, int *class);
uint64_t ecube_candidates(const bmf_wormhole_mesh *d, int64_t node, int64_t to);

/* adaptive.c: what the header in an input asks for now; and taking an output. */
uint64_t adaptive_candidates(const bmf_wormhole_mesh *d, int64_t node, int input, message *m);
void adaptive_take(const bmf_wormhole_mesh *d, int64_t node, int input, int output, message *m);

#endif
