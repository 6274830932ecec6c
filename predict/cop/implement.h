/* Implementations of operators: how a pattern of communication becomes streams through routers, and what a processor
 * does (document 004, 4.1 and appendix B; its Table 4.1 is the record here).
 *
 * An implementation says whether it can carry an operator out, which streams every instance needs, what it costs
 * besides words over bandwidth, and which moves a node makes for a call. A new one is a file and a line in the table of
 * implement.c. */
#ifndef BMF_COP_IMPLEMENT_H
#define BMF_COP_IMPLEMENT_H

#include "bmf/cop.h"
#include "predict/cop/program.h"

/* From one node to one or more; within an operator streams are numbered as its instances make them. */
typedef struct bmf_cop_stream {
    int64_t from, destinations;
    int64_t *to; /* `from` is never among them */
    bool reprogrammed;
    bool joins; /* it has one destination, and ends there as the implementation's joints say */
    int64_t instance;
    int64_t stage; /* above 0: single words go through the operator's streams in this order */
} bmf_cop_stream;

typedef struct bmf_cop_streams {
    int64_t count, capacity;
    bmf_cop_stream *stream;
} bmf_cop_streams;

/* What a call costs besides its words over the bandwidth. */
typedef struct bmf_cop_metric {
    int64_t messages;     /* one after the other, of the operator's words: the stages of a tree */
    int64_t links;        /* on the longest way of a word */
    int64_t hop_links;    /* of the longest stream */
    int64_t reload_words; /* to reprogram when run-time operands change */
    double max_bandwidth; /* words a cycle */
    int64_t stages;       /* streams one after the other on a word's way, with processors between them */
    int64_t sync_words;   /* messages at least so long keep all nodes together, and as long as streams buffer */
    bool passes;          /* words pass routers of nodes that do not wait for them, so no length keeps nodes together */
    bool ends_only;       /* nodes that are neither an end of a message nor on its way do not wait for it */
    bool processor_bound; /* a call ends when the node's router has nothing left to do for it */
    bool any_length_syncs; /* however short: nobody ends before all others have begun */
} bmf_cop_metric;

/* What happens where a stream that joins ends. */
typedef enum bmf_cop_joints {
    BMF_COP_AT_PROCESSORS,
    BMF_COP_JOINED, /* it goes on in the buffer of the instance's stream that begins there; where none does, all ends
                     * share one register */
    BMF_COP_GATED   /* it is closed, and so is the instance's stream that begins there; once open, its words program the
                     * router */
} bmf_cop_joints;

typedef struct bmf_cop_implementation {
    const char *name;
    bmf_cop_kind kind;
    const char *what;    /* one line of help */
    bool others_discard; /* a message comes to all nodes, whoever it is for */
    bool by_messages;    /* through dynamic routers, without streams */
    bmf_cop_joints joints;
    /* NULL: it can; otherwise why not, as in "needs a constant source". */
    const char *(*refuse)(const bmf_mesh *mesh, const bmf_cop_operator *op);
    void (*streams)(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t instance, bmf_cop_streams *streams);
    void (*metric)(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                   bmf_cop_metric *metric);
    const cop_implementation *plug_in; /* NULL: none; otherwise the functions above are, and its own are asked */
} bmf_cop_implementation;

/* What `refuse` and `metric` say, or a plug-in. */
const char *cop_refuses(const bmf_cop_implementation *implementation, const bmf_mesh *mesh, const bmf_cop_operator *op);
void cop_measure(const bmf_cop_implementation *implementation, const bmf_mesh *mesh, const bmf_cop_operator *op,
                 const bmf_cop_streams *streams, bmf_cop_metric *metric);

/* In the order of their numbers, NULL at the end. */
extern const bmf_cop_implementation *const cop_implementations[];
const bmf_cop_implementation *cop_find_implementation(const char *name);

/* The streams of all instances; the caller frees with cop_streams_free. */
void cop_make_streams(const bmf_mesh *mesh, const bmf_cop_implementation *implementation, const bmf_cop_operator *op,
                      bmf_cop_streams *streams);
void cop_streams_free(bmf_cop_streams *streams);
/* A shift's node is at most so many words further with writing than with reading, or the other way round: so all nodes
 * round a shift end nearly together. Two words are on their way between neighbours at full speed; 4 cost nothing, and 6
 * were too many on 10 nodes. */
enum { BMF_COP_WINDOW = 4 };
/* What most implementations cost: one message over the longest stream; `passes` if that is longer than a link, or if
 * instances are not lines of nodes, in which streams may go round. */
void cop_usual_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                      bmf_cop_metric *metric);

/* ---- for implementations ---- */

void cop_add_stream(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t to);
/* One that joins. */
void cop_add_joint(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t to);
void cop_add_multicast(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t count, const int64_t *to,
                       bool reprogrammed);
/* Whether every instance's nodes are a box of the mesh. */
bool cop_are_boxes(const bmf_mesh *mesh, const bmf_cop_operator *op);
/* Whether every instance's nodes follow each other along a line. */
bool cop_are_lines(const bmf_mesh *mesh, const bmf_cop_operator *op);
bmf_cop_box cop_box_of(const bmf_mesh *mesh, const bmf_cop_instance *instance);
bool cop_box_holds(const bmf_cop_box *box, const bmf_mesh *mesh, int64_t node);
bool cop_instance_has(const bmf_cop_instance *instance, int64_t node);
/* The instance's nodes so that neighbours in the list are neighbours in the mesh, if they are a box; otherwise in their
 * order. The caller frees. */
int64_t *cop_snake(const bmf_mesh *mesh, const bmf_cop_instance *instance);

/* A tree over the numbers of a subset in which every node's descendants to its left come before it and those to its
 * right behind it, so that combining in that order needs no commutativity. parent[root] is -1. */
void cop_balanced_tree(int64_t nodes, int64_t root, int64_t *parent);

/* Where a number is in that tree. */
enum { BMF_COP_NOBODY = -1 };
typedef struct bmf_cop_tree_place {
    int64_t parent, child[2]; /* BMF_COP_NOBODY: none; children to the left and to the right */
    int64_t first;            /* the lowest number of the subtree */
} bmf_cop_tree_place;
bmf_cop_tree_place cop_place_in_tree(int64_t nodes, int64_t root, int64_t own);

/* Whether a dense broadcast from `source` comes to `to` over its neighbour `by`. */
bool cop_comes_over(const bmf_mesh *mesh, int64_t source, int64_t by, int64_t to);

#endif
