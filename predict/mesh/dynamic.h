/* A mesh or torus of dynamic routers, cycle by cycle: messages go word by word (flit by flit) through routers with
 * virtual channels, and take the links they find.
 *
 * processor ->|inject| input channels ->|route|->|allocate channel|->|allocate switch|->|switch and link|-> next router
 *                        (B words each)     \________________ only headers _/    ^                        \-> processor
 *                                                                                credits come back
 *
 * What a word and a credit need, in cycles:
 * - A word that wins the switch in cycle s is in the next router's buffer (or, at the last one, with the processor) in
 * cycle s + link, and can win its switch there in that cycle. A processor that sends a word in cycle t has it in its
 *     router's buffer in cycle t + inject.
 * - A header at the front of its channel's buffer since cycle t asks for an output channel from cycle t + route on. If
 *     it gets one in cycle a, it asks for the switch from cycle a + allocate on (0: in the same cycle).
 *   - The room that a word leaves when it wins the switch in cycle s is known to the sender from cycle s + credit on (a
 * processor as sender: s + inject_credit; a processor as receiver takes every word at once, and the last router knows
 *     that from cycle s + eject_credit on).
 * Arbitration: both allocations are separable with one iteration: every output (channel or port) chooses among those
 * who ask, every chooser among those chosen for it, both round-robin, pointers moving only past pairs that were made
 * (iSLIP, McKeown 1999). Channels of an input that ask for the same output port take turns. An input port sends up to
 * `speedup` words a cycle (channel v through its entry v mod speedup of the switch), an output port one. An output
 * channel belongs to one message from its header to its last word. It can be taken again in the next cycle, or, if
 * `atomic`, as soon as it is known that the next buffer is empty again.
 * A processor sends one message at a time, in the order in which they were handed over, a word a cycle. It receives up
 * to `addresses` messages at a time, interleaved, a word a cycle in all; if `shared`, it sends nothing in a cycle in
 * which a word reaches it.
 *
 * Times: something that is there "in cycle t" is there from time t on. Deterministic. Not collective; needs no MPI.
 */
#ifndef BMF_MESH_DYNAMIC_H
#define BMF_MESH_DYNAMIC_H

#include "predict/mesh/topology.h"

enum {
    BMF_DYNAMIC_CHANNELS = 8,
    BMF_DYNAMIC_ADDRESSES = 15,
    BMF_DYNAMIC_BUFFER = 4096,
    BMF_DYNAMIC_DELAY = 100,
    BMF_DYNAMIC_HEADER = 16
};
#define BMF_DYNAMIC_MAX_WORDS (INT64_C(1) << 31)

typedef enum bmf_dynamic_routing {
    BMF_DYNAMIC_ECUBE,   /* ecube.c */
    BMF_DYNAMIC_ADAPTIVE /* adaptive.c */
} bmf_dynamic_routing;

typedef struct bmf_dynamic_settings {
    bmf_dynamic_routing routing;
    int channels;                            /* virtual channels of a link, 1 .. BMF_DYNAMIC_CHANNELS */
    int buffer;                              /* words of a channel's buffer, 1 .. BMF_DYNAMIC_BUFFER */
    int inject_channels;                     /* of the processor's link to its router, 1 .. channels */
    int addresses;                           /* of a processor, for messages that come in, 1 .. BMF_DYNAMIC_ADDRESSES */
    int header;                              /* words that every message is longer, 0 .. BMF_DYNAMIC_HEADER */
    int route, allocate;                     /* cycles as above, 0 .. BMF_DYNAMIC_DELAY */
    int link, inject;                        /* cycles as above, 1 .. BMF_DYNAMIC_DELAY */
    int credit, inject_credit, eject_credit; /* likewise */
    int speedup;                             /* 1 .. channels */
    bool atomic;                             /* must be set for adaptive routing */
    bool shared;                             /* a processor's interface */
    int misroutes;                           /* adaptive: links away from the destination that a message may take */
} bmf_dynamic_settings;

typedef struct bmf_wormhole_mesh bmf_wormhole_mesh;

/* What happened to a message. */
typedef struct bmf_dynamic_report {
    int64_t message; /* as numbered by its sender */
    int64_t from, to, words;
    int64_t hops; /* links its words have crossed */
} bmf_dynamic_report;

/* May not call anything that changes the simulation. */
typedef void bmf_wormhole_callback(void *state, const bmf_dynamic_report *report, int64_t time);

/* arrived: called when the last word of a message will have reached the processor, one cycle before or earlier;
 * in the order of these times. sent: called in the cycle in which the last word leaves the processor, with the time of
 * its end. Both may be NULL. Errors: BMF_ERROR_ARGUMENT: settings outside their ranges or that would not be free of
 * deadlocks. The caller frees. */
int dynamic_create(const bmf_mesh *mesh, const bmf_dynamic_settings *settings, bmf_wormhole_callback *arrived,
                   bmf_wormhole_callback *sent, void *state, bmf_wormhole_mesh **dynamic);
void dynamic_free(bmf_wormhole_mesh *dynamic);
/* Back to time 0, with nothing on its way. */
void dynamic_clear(bmf_wormhole_mesh *dynamic);

/* Processors that move every word themselves, instead of sending as fast as they can and taking all at once: to be
 * called before the first message. came: a word is at an address from `time` on; place counts from 0, headers first. It
 * takes one of the address's `buffer` places, behind which the message is held up, until dynamic_take. `shared` has no
 * effect: that is up to the caller. */
typedef void bmf_wormhole_word(void *state, int64_t node, int address, int64_t message, int64_t place, int64_t time);
void dynamic_attend(bmf_wormhole_mesh *dynamic, bmf_wormhole_word *came);
/* The next word of the node's first message leaves its processor in this cycle, before dynamic_step; false: it has
 * none, or there is no room. */
bool dynamic_write(bmf_wormhole_mesh *dynamic, int64_t node);
/* The processor takes a word from an address in this cycle, before dynamic_step. */
void dynamic_take(bmf_wormhole_mesh *dynamic, int64_t node, int address);

int64_t dynamic_time(const bmf_wormhole_mesh *dynamic);
/* Hands a message over, at the current time. from == to goes through the node's router only. 1 <= words <=
 * BMF_DYNAMIC_MOST_WORDS. address: 1 .. addresses; 0: any that is free. */
void dynamic_send(bmf_wormhole_mesh *dynamic, int64_t message, int64_t from, int64_t to, int64_t words, int address);
/* Carries out this cycle. */
void dynamic_step(bmf_wormhole_mesh *dynamic);
/* The first cycle, now or later, in which something happens; INT64_MAX: none unless a message is handed over. */
int64_t dynamic_next(const bmf_wormhole_mesh *dynamic);
/* Advances to a later time, at most that of dynamic_next. */
void dynamic_skip(bmf_wormhole_mesh *dynamic, int64_t time);
/* Messages handed over whose arrival has not been reported yet. */
int64_t dynamic_pending(const bmf_wormhole_mesh *dynamic);
/* Words that have crossed links between routers, headers included. */
int64_t dynamic_flit_hops(const bmf_wormhole_mesh *dynamic);
/* Messages and words that this node's link has carried. */
void dynamic_crossed(const bmf_wormhole_mesh *dynamic, int64_t node, int port, int64_t *messages, int64_t *words);
/* Words that came to a processor that were not the next of their message: 0, or the simulator is wrong. */
int64_t dynamic_disordered(const bmf_wormhole_mesh *dynamic);

#endif
