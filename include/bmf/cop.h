/** @file
 * Own implementations of COP's operators, for `bmf cop --implementation F.so:NAME` (docs/cop.md, Plug-ins).
 *
 * An implementation says which streams carry an operator of scheduled routers, what that costs, and what a node does
 * for a call. It is chosen like those that bmf comes with. A shared object has the record as a variable:
 *
 *     const cop_implementation ring = {.version = COP_IMPLEMENTATION_VERSION, .name = "ring", ..};
 *
 * Nodes are numbered in their subset, from 0. Functions are called by one thread; what they are handed belongs to bmf
 * and is there for the call only. Nothing here is collective: bmf runs all nodes itself. Source: document 004, Table
 * 4.1. */
#ifndef BMF_COP_H
#define BMF_COP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { COP_IMPLEMENTATION_VERSION = 1, COP_OPERANDS = 2, COP_MAX_OUT = 8, COP_NO_STREAM = -1 };
enum { COP_TREE_ROOT = -1, COP_TREE_LEFT_OUT = -2 }; /**< parents in a tree: of its root, of nodes that are not in it */

/** A source, destination or distance. */
typedef struct cop_operand {
    int is_runtime;        /**< known when the program runs only */
    int64_t value;         /**< a constant */
    int64_t count;         /**< of a permutation's constant targets, or of possible values at run time; 0: any */
    const int64_t *values; /**< these */
} cop_operand;

/** An operator on one of its subsets. */
typedef struct cop_pattern {
    const char *label;                 /**< the operator's */
    int64_t words;                     /**< of a message, 32 bits each (:m) */
    int64_t calls;                     /**< in a pass (:c) */
    int64_t size[3];                   /**< of the mesh */
    int64_t nodes;                     /**< of the subset */
    const int64_t *node;               /**< these, numbered in the mesh: x + y size[0] + z size[0] size[1] */
    cop_operand operand[COP_OPERANDS]; /**< in the order of the language; others are the constant 0 */
    /** Builds a tree over the subset, in the way of document 004, B.2: `parent`, of `nodes` numbers, gets every node's
     * parent, COP_TREE_ROOT for `start`. It is in order: a node's descendants have the numbers next to its
     * own, those of its children one range behind the other, so that what subtrees hold can be combined in the order of
     * the nodes. No node has more than max_children children, none is more than max_distance links of the mesh from its
     * parent. valid, of `nodes` flags: whose data counts, NULL: all; the others are in the tree only on the way to
     * valid ones, and otherwise COP_TREE_LEFT_OUT. Returns 1; 0 exactly if there is no such tree, also if `start` is
     * none of the nodes: `parent` is then as it was. Limits below 0 count as 0. The same tree for the same call. */
    int (*build_tree)(const struct cop_pattern *pattern, const unsigned char *valid, int64_t start,
                      int64_t max_children, int64_t max_distance, int64_t *parent);
} cop_pattern;

/** Where streams are added: from a node to one or several others. Returns the stream's number in this subset, counted
 * from 0, or COP_NO_STREAM: no destination is another node than `from`. */
typedef struct cop_streams {
    int (*add)(const struct cop_streams *streams, int64_t from, int64_t count, const int64_t *to); /**< adds one */
    void *state;                                                                                   /**< bmf's own */
} cop_streams;

/** What a call costs beside its words over the bandwidth. bmf fills it for one message over the longest stream. */
typedef struct cop_cost {
    int64_t messages;  /**< one after the other, of the operator's words */
    int64_t links;     /**< on the longest way of a word, with a few for every processor that passes it on */
    double most_words; /**< a cycle that a stream can use, at most 0.5 */
} cop_cost;

/** What a node can do. Every call waits until it is done, and gives way to the other nodes. */
typedef struct cop_io {
    void *state;                   /**< bmf's own */
    const cop_pattern *pattern;    /**< the operator on this node's subset */
    int64_t node;                  /**< the own one */
    int64_t operand[COP_OPERANDS]; /**< as the last load gave them, or the constants */
    const int32_t *permutation;    /**< likewise, all targets; NULL: it is constant, or the operator is none */
    /** Reads a message of `words` from stream `from` into `in`, and writes one to `count` streams, whose sources the
     * node is; from COP_NO_STREAM: only writes; count 0: only reads. out NULL: passes on what it reads, word by word.
     * Otherwise what is ready goes first. Errors, which end the run with node, operator and cycle: a stream of which
     * the node is no end, more than COP_MAX_OUT streams, out NULL without a stream to read. */
    void (*move)(const struct cop_io *io, int from, void *in, int count, const int *to, const void *out);
    /** Ends the run with a message; does not return. */
    void (*fail)(const struct cop_io *io, const char *message);
} cop_io;

/** Combines two messages; out may be one of them. */
typedef void cop_combine(const void *a, const void *b, void *out);

/** The record of an implementation. Of load, write, read and call those are NULL that its operator has not; a load that
 * is NULL does nothing. */
typedef struct cop_implementation {
    int version;           /**< COP_IMPLEMENTATION_VERSION */
    const char *name;      /**< for :impl */
    const char *operation; /**< "stream", "broadcast", "collect", "spread", "gather", "reduce", "allreduce", "prefix",
                                "barrier", "cshift", "eoshift" or "permute" */
    const char *what;      /**< a line of help */
    /** NULL: it can carry this out; otherwise why not, as in "needs a constant source". Called for every subset. */
    const char *(*refuse)(const cop_pattern *pattern);
    /** Adds the streams of a subset. */
    void (*streams)(const cop_pattern *pattern, const cop_streams *streams);
    /** Corrects the cost, for every subset; the largest counts. NULL: it stays. */
    void (*metric)(const cop_pattern *pattern, cop_cost *cost);
    /** A node's load. */
    void (*load)(const cop_io *io);
    /** A node's write of a message. */
    void (*write)(const cop_io *io, const void *message);
    /** A node's read of one. */
    void (*read)(const cop_io *io, void *message);
    /** A node's call of an operator that all nodes call. combine NULL: the operator has no function. */
    void (*call)(const cop_io *io, const void *in, void *out, cop_combine *combine);
} cop_implementation;

#ifdef __cplusplus
}
#endif

#endif
