/* Networks: given messages with the times at which they are handed over, the times at which they arrive.
 *
 * A network is one file network_NAME.c with one bmf_network_type. It holds the state of its links over a run. The
 * simulator calls it in causal order: times never decrease from one call to the next, whatever processors they belong
 * to, and calls of one time come in the order of processor numbers. All times are seconds since the start of the run.
 * The same calls give the same times, bit for bit. Nothing here is collective and nothing needs MPI.
 *
 * There are three ways to answer, and a type uses one of them:
 *   at once      send sets everything and says that the message is complete: no later message changes it;
 * by itself send takes the message; the network has events of its own (next, advance) that complete messages later:
 *                shared bandwidth, rendezvous, cycle by cycle;
 * as a round collective = true: the simulator holds back the messages of a round until every processor that sends in
 *                it has come to them, and hands all of them over with send_round, which sets everything and says that
 *                each is complete: lockstep machines, scheduled routing.
 *
 * When times become known. The simulator hands a message over with free, done and arrived NAN, taking and spread 0.
 * - What `send` sets before it returns is known then: with `free` set and `arrived` not, the sender's processor goes on
 *     at `free` while its message is under way.
 *   - What is set later the network says by a call of network->freed (free or done or both have been set, arrived has
 *     not; optional, any number of times) or network->complete (everything is set; once for each message; also from
 *     within `send`). Both may be called in send, post and advance.
 *   - A processor whose `free` is not known blocks at its send, one whose `done` is not known at its wait, one
 *     whose `arrived` is not known at its receive.
 *   - A time that is said in a call is no earlier than the call's own time (message->sent, message->posted, what next
 *     gave), so that nothing in the past changes: a network that would know earlier has an event of its own there. In
 *     send_round only message->sent is the bound. The simulator checks this and ends with an error.
 *   - Of two things at one time the network's own event comes first, then the lower processor.
 */
#ifndef BMF_NETWORK_H
#define BMF_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <libconfig.h>

/* How a program sends: ANY is bmf's own way, the others are MPI's. Data sheets tell them apart. */
typedef enum bmf_send_mode {
    BMF_SEND_ANY,
    BMF_SEND_BLOCKING,
    BMF_SEND_NONBLOCKING,
    BMF_SEND_SYNCHRONOUS,
    BMF_SEND_READY
} bmf_send_mode;

/* One message in flight. The simulator owns it; it stays where it is until `arrived` has been used. */
typedef struct bmf_transit {
    int64_t from, to, bytes; /* from != to */
    int64_t round;           /* number of its round of messages in the run: rounds with more messages share it */
    double sent;             /* when the sender's processor came to it */
    double posted; /* when the receiver's processor was ready to take it; INFINITY as long as it is not, and always
                              * for types without `post` */
    /* set by the network, all no earlier than `sent`; the first three NAN until they are known: */
    double sender_free; /* the sender's processor continues (overhead of sending) */
    double
        send_done;  /* the sender may use its memory again: its wait ends; later than `arrived` where the sender has to
                     * help the receiver to take it */
    double arrived; /* all of it is at the receiver */
    double receive_overhead; /* seconds of the receiver's processor, from the later of `arrived` and its being ready */
    double relative_error;   /* relative standard error of arrived - sent, for intervals; 0: not known */
    bmf_send_mode mode;
    void *state; /* the network's own */
} bmf_transit;

typedef struct bmf_network bmf_network;
struct bmf_machine;

/* What samples draw. */
typedef enum bmf_chance {
    BMF_CHANCE_FIT = 1,   /* coefficients and forms of equations, and costs that are stated */
    BMF_CHANCE_RUN = 2,   /* what the times of a run have in common */
    BMF_CHANCE_EVENT = 4, /* single times */
} bmf_chance;

enum { BMF_SAMPLE_LEAST = -1, BMF_SAMPLE_MOST = -2 };

/* Called with what has become known of a message, see above. */
typedef void bmf_transit_callback(void *simulator, bmf_transit *message);

/* A link as reports show it: how many bytes crossed it and how long it was busy. */
typedef struct bmf_link_load {
    char from[48], to[48]; /* "processor 3", "switch 17", "port 5" */
    double x0, y0, x1, y1; /* where to draw it, in any unit; all 0: not known */
    int64_t messages, bytes;
    double busy; /* seconds */
} bmf_link_load;

/* What a message takes alone: as `hockney` and `ports.h` say it. */
typedef struct bmf_simple_message {
    double busy;    /* of its sender's processor */
    double length;  /* of passing a port, or of the sending that its wait waits for */
    double latency; /* behind that, or between the heads at two ports */
    double gap;     /* behind it at a port */
    double taking;  /* of its receiver's processor */
    bool ported;
    bool meets; /* it waits for its receiver: a port can pass it from when bmf_network_type.meeting says */
} bmf_simple_message;

typedef struct bmf_network_type {
    const char *name;           /* as in machine files */
    const char *summary;        /* one line for `bmf machine --help` */
    const char *const *setting; /* keys that its group may have besides "type", NULL at the end; others are errors */
    bool collective;
    bool has_bounds; /* `start` knows BMF_SAMPLE_LEAST and BMF_SAMPLE_MOST */
    /* Makes a network for `processors` from the group `network` of a machine file. Paths in it are relative to the
     * file's directory. Errors: BMF_ERROR_FILE or BMF_ERROR_ARGUMENT with a message that names file, line and key
     * (machine_fail). */
    int (*create)(const struct bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                  bmf_network **network);
    void (*destroy)(bmf_network *network);
    /* Back to the start of a run, links free. sample 0: the expected times; k > 0: the k-th random sample of what is
     * uncertain about the equations (shared by all messages) and about each message, the same for the same k;
     * BMF_SAMPLE_LEAST, BMF_SAMPLE_MOST, where has_bounds: coefficients one standard error down or up. */
    void (*start)(bmf_network *network, int64_t sample);
    void (*send)(bmf_network *network, bmf_transit *message); /* at message->sent; not for collective types */
    /* message->posted has just become known, of a message that was sent but is not complete. NULL: does not matter.
     * Not for collective types. */
    void (*post)(bmf_network *network, bmf_transit *message);
    /* All messages of one round, in the order of their senders and, for one sender, as it sends them; not empty. Those
     * of one sender have the same `sent`; it goes on at the largest `free` of them. Rounds come as they become
     * complete; the largest `sent` of a round may be smaller than that of an earlier one. Collective types only. */
    void (*send_round)(bmf_network *network, bmf_transit **message, int64_t count);
    double (*next)(bmf_network *network);  /* time of its next own event, INFINITY if none; NULL: never any */
    void (*advance)(bmf_network *network); /* carries out that event */
    /* Whether its times have errors that were measured, so that samples show them. NULL: they have none. */
    bool (*has_errors)(const bmf_network *network);
    /* Whether a message takes no more than this, and waits for nothing but the ports of its sender and its receiver
     * (one port for each port_sharing neighbours), or its receiver (meets), whatever the sample. NULL: never. Types
     * with `simple` and without port_sharing treat all processors alike. */
    bool (*simple)(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times);
    int64_t (*port_sharing)(const bmf_network *network);
    /* When a message that waits for its receiver is ready to pass the sender's port: from, to, bytes, sent, posted. */
    double (*meeting)(const bmf_network *network, const bmf_transit *message);
    /* Loads of all links since start; the caller frees. NULL: it has no links. */
    int64_t (*loads)(const bmf_network *network, bmf_link_load **load);
    /* Describes it in a few lines of words, for `bmf machine show`. */
    void (*describe)(const bmf_network *network, FILE *stream);
    /* Seconds that n processors need to agree on a status (a tree of empty messages, say); NULL: the simulator takes
     * 2 ceil(log2 n) messages of 8 bytes between neighbours, or nothing if the machine says so. */
    double (*agreement)(const bmf_network *network, int64_t processors);
    /* Seconds that a processor's first message takes longer than others; NULL: nothing is known of that. */
    double (*first_message)(const bmf_network *network);
    /* Seconds of a collective operation of MPI ("allreduce", ..) of n processors, from when the last of them called it;
     * bytes: of its count argument. NAN: not known, it is to be made of messages. NULL: never known. */
    double (*collective_seconds)(const bmf_network *network, const char *operation, int64_t processors, int64_t bytes);
    /* What was outside the domain of an equation since start, one line each, NULL behind the last; NULL: nothing can
     * be. */
    const char *(*remark)(const bmf_network *network, int64_t index);
    /* The graph on which its messages travel, which is the network's; NULL: there is none. */
    struct bmf_graph *(*graph)(bmf_network *network);
    /* Where its processors are on an expanded delta network (network_edn.h); NULL: it is none. */
    const struct bmf_edn_place *(*edn_place)(const bmf_network *network);
} bmf_network_type;

/* Embedded first in every network. */
struct bmf_network {
    const bmf_network_type *type;
    int64_t processors;
    double
        relative_error; /* of all its times at once, where they are stated and not measured; set by machine_network */
    double agreement_noise;                 /* of a meeting's own time, relative to it; set when it is created */
    unsigned still;                         /* of bmf_chance: what samples leave as it is; set before start */
    bmf_transit_callback *complete, *freed; /* set by the simulator before start */
    void *simulator;
};

/* All types. A new network is its file network_NAME.c and its name here. */
#define BMF_NETWORKS(X)                                                                                                \
    X(cluster)                                                                                                         \
    X(edn)                                                                                                             \
    X(fixed)                                                                                                           \
    X(hockney)                                                                                                         \
    X(loggp)                                                                                                           \
    X(sheet)                                                                                                           \
    X(dvm)                                                                                                             \
    X(graph)                                                                                                           \
    X(numesh)

#define BMF_NETWORK_DECLARATION(name) extern const bmf_network_type network_##name;
BMF_NETWORKS(BMF_NETWORK_DECLARATION)
#undef BMF_NETWORK_DECLARATION

/* In this order, NULL at the end. */
extern const bmf_network_type *const network_types[];

/* Nothing costs anything: the ideal network of efficiency reports. The caller destroys it. */
bmf_network *network_ideal(int64_t processors);

/* ---- chance, for `start` ---- */

/* Where the normal distribution has that probability, between 0 and 1, to 10^-8. */
double normal_quantile(double probability);
/* A normally distributed number that depends on (sample, what, which) only; 0 for sample 0. */
double normal_deviate(int64_t sample, uint64_t what, uint64_t which);
/* The same for many `which`, of a sample that is not 0: normal_of_stream(normal_stream(sample, what), which). */
uint64_t normal_stream(int64_t sample, uint64_t what);
double normal_of_stream(uint64_t stream, uint64_t which);
/* normal[k]: that of first + k. */
void normals_of_stream(uint64_t stream, uint64_t first, int64_t count, double *normal);

#endif
