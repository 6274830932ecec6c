/* The switch of an expanded delta network: which message passes in which iteration of the router.
 *
 * Source: document 003, 3.2, 3.3 and 5.1. A port is a thin wire into the network and one out of it; each takes one
 * message per iteration. Input ports belong to hyperbars of `inputs` wires. A hyperbar has `buckets` buckets, each a
 * thick wire for `capacity` messages per iteration that leads to the output ports with the bucket's share of numbers:
 *
 *     input ports     hyperbars       thick wires               output ports
 *     0, H, 2H, ..   -- 0 --------- buckets x capacity ----.---- 0 .. ports / buckets - 1
 *     1, H + 1, ..   -- 1 --------- buckets x capacity ----'---- ..          (H = ports / inputs hyperbars)
 *
 * Further stages of hyperbars may stand between the thick wires and the ports of a bucket: the thick wires that lead
 * there come in turns to the hyperbars of the next stage, which have buckets of their own; and so on. A message takes
 * one way.
 *
 * A set of messages is passable if no port and no thick wire is asked to carry more than it can. Messages are routed
 * first come, first served: each goes in the earliest iteration in which its two ports and its thick wire are free.
 * That is what an iteration does that asks the waiting messages in order and lets pass who still can. Not thread-safe;
 * needs no MPI. */
#ifndef BMF_EDN_H
#define BMF_EDN_H

#include <stdint.h>

#include "bmf/permutation.h"

typedef struct bmf_edn_shape {
    int64_t ports;    /* clusters of processors */
    int64_t inputs;   /* of a hyperbar; divides ports */
    int64_t buckets;  /* of a hyperbar; divides ports */
    int64_t capacity; /* messages a thick wire carries per iteration */
} bmf_edn_shape;

/* A stage behind the first one. inputs divides what the thick wires that lead to a bucket carry together; the number of
 * hyperbars that this makes divides those wires, and buckets the ports of a bucket before it. */
typedef struct bmf_edn_stage {
    int64_t inputs, buckets, capacity;
} bmf_edn_stage;
enum { BMF_EDN_FURTHER = 6 };

typedef struct bmf_edn bmf_edn;

/* The shape must be as described. The caller frees. */
bmf_edn *edn_create(const bmf_edn_shape *shape);
/* The same with at most BMF_EDN_FURTHER stages behind it. */
bmf_edn *edn_create_stages(const bmf_edn_shape *shape, const bmf_edn_stage *stage, int stages);
/* Whether stage k of them may stand there: NULL, or what is wrong. */
const char *edn_stage_fault(const bmf_edn_shape *shape, const bmf_edn_stage *stage, int k);
void edn_free(bmf_edn *edn);
/* Forgets all messages: the next set begins with iteration 0. */
void edn_clear(bmf_edn *edn);
/* Routes one message between two ports (which may be equal); returns its iteration, from 0. Cost: a step for every 64
 * iterations that are taken. */
int64_t edn_route(bmf_edn *edn, int64_t from_port, int64_t to_port);
/* Iterations of the messages since edn_clear: the document's router count. */
int64_t edn_iterations(const bmf_edn *edn);
/* The largest number of messages through one port: the document's port serialization, at most the router count. */
int64_t edn_serialisation(const bmf_edn *edn);
/* The minimal number of iterations that the loads of ports and thick wires allow. */
int64_t edn_bound(const bmf_edn *edn);
/* Messages that thick wire `bucket` of a hyperbar of the first stage carried since edn_clear. */
int64_t edn_wire_load(const bmf_edn *edn, int64_t hyperbar, int64_t bucket);

/* ---- numbers of processors ---- */

/* The document's two numberings of 2^bits processors in clusters of 2^cluster_bits (3.3, figures 3.3 and 3.4). In
 * matrix order they count along the rows of an array with 2^ceil(bits / 2) columns, and a cluster is a square of it (or
 * two side by side); in cluster order the processors of a cluster, and of a square of clusters, are consecutive.
 * Address bit j of the matrix order is bit place[j] of the cluster order; 0 <= cluster_bits <= bits. */
void edn_matrix_order(int bits, int cluster_bits, int place[BMF_MAX_BITS]);
/* A number with bit j moved to bit place[j]. */
uint64_t edn_move_bits(const int *place, int bits, uint64_t number);

#endif
