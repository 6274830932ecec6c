/* Nodes: what a machine is bought or rented in, and what its processors share.
 *
 *     node = {
 *       processors = 64;              // of one node; needed
 *       count = 100;                  // how many nodes there are; left out: as many as one wants
 *       memory_gb = 256;              // 10^9 bytes of memory of one node; left out: not checked
 *       memory_gb_per_s = 350;        // memory bandwidth of one node, 10^9 bytes a second; left out: no limit
 *       cache_mb = 512;               // 10^6 bytes of last-level cache of one node; what fits is not read again
 *       fork_join_us = 1;             // to start and join a team of two threads; left out: 1
 *       price_per_hour = 2.5;         // of one node; left out: not known
 *       currency = "USD";             // left out: USD
 *       minimum_minutes = 1;          // that are paid at least; left out: 0
 *       billing_minutes = 60;         // what time is rounded up to; left out: not at all
 *     };
 *
 * Nothing here is collective. */
#ifndef BMF_NODE_H
#define BMF_NODE_H

#include <stdint.h>

struct bmf_machine;

enum { BMF_CURRENCY_SIZE = 8 };

typedef struct bmf_node {
    int64_t processors;       /* 0: the file says nothing of nodes */
    int64_t threads;          /* of a rank, which takes as many of these processors */
    double fork_join;         /* seconds to start and join a team of two threads */
    int64_t count;            /* 0: any number */
    double memory;            /* bytes; 0: not known */
    double memory_bandwidth;  /* bytes a second; 0: not known */
    double cache;             /* bytes */
    double price;             /* for a second; NAN: not known */
    double minimum, interval; /* seconds that are paid at least; whole multiples of these; 0: none */
    char currency[BMF_CURRENCY_SIZE];
} bmf_node;

/* Reads the group, if there is one. BMF_ERROR_FILE. */
int node_read(struct bmf_machine *machine);
/* How many ranks a node has room for, at least 1; where nothing is said of nodes every rank is one. */
int64_t node_ranks(const bmf_node *node);
/* How many nodes that many ranks need. */
int64_t node_nodes(const bmf_node *node, int64_t ranks);
/* What a team of a rank's threads takes to be started and joined, as a tree of pairs would; 0 for one thread. */
double node_fork_join(const bmf_node *node);
/* The least time in which a rank moves so many bytes between its kernel and the memory that `used` ranks of a
 * node share, each with a footprint as large: 0 where all of it stays in the cache, or nothing is known. */
double node_memory_seconds(const bmf_node *node, int64_t used, double moved, double footprint);
/* What so many nodes cost for that time; NAN: no price is known. */
double node_cost(const bmf_node *node, int64_t nodes, double seconds);

#endif
