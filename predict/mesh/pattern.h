/* Traffic on a mesh: who sends how many words to whom, and when. What every router is given.
 *
 * A pattern is named by a text:
 *     bitrev              node i to the node whose number has i's bits reversed; the number of nodes is a power of two
 *     transpose           (x, y) to (y, x); in three dimensions (x, y, z) to (y, z, x); all sizes equal
 *     shift[:D[,AXIS]]    cyclic: along AXIS (x, y or z; y if left out) by D nodes (-1 if left out), in every line
 *     broadcast[:NODE]    one message from NODE (0 if left out) to all other nodes
 *     neighbours[:AXIS]   everyone to both neighbours along AXIS (x if left out): what a broadcast along rows with a
 *                         source known only at run time is made of (document 004, B.1, str_bcast_dense)
 *     random              uniformly random destinations at a load, see bmf_mesh_random
 *     file:PATH           messages of a file, below
 * Nodes that would send to themselves send nothing, unless random traffic is asked to.
 *
 * A file of messages has a message a line, `FROM TO[,TO..] WORDS [at=CYCLE] [bandwidth=B]`; # begins a comment. Nodes
 * are numbers, or coordinates like 3:0 or 3:0:1. B is in words a cycle, 0 < B <= 1: a request that only routers
 * with bandwidths use.
 */
#ifndef BMF_MESH_PATTERN_H
#define BMF_MESH_PATTERN_H

#include "predict/mesh/topology.h"

typedef struct bmf_mesh_message {
    int64_t from;
    int64_t destinations;
    const int64_t *to; /* different nodes */
    int64_t words;     /* at least 1; 32 bits each, without headers */
    int64_t cycle;     /* the sender has it then; never decreases from one message to the next */
    double bandwidth;  /* requested words a cycle; 0: as many as there are */
} bmf_mesh_message;

typedef struct bmf_mesh_traffic {
    char *name; /* of the pattern, as it was given */
    int64_t messages, capacity;
    bmf_mesh_message *message;
    int64_t cycles; /* random traffic: cycles in which messages were made; 0: not that kind */
    int64_t nodes;  /* of the mesh it is for */
} bmf_mesh_traffic;

/* Random traffic: in every one of `cycles` cycles every node makes a message of `words` words with the probability
 * load / words, to a node drawn uniformly. */
typedef struct bmf_mesh_random {
    double load;    /* words a node and cycle, 0 < load <= 1 */
    int64_t cycles; /* at least 1 */
    uint64_t seed;
    bool itself; /* nodes may draw themselves (as BookSim's uniform traffic) */
} bmf_mesh_random;

/* Traffic of a pattern on a mesh; every message has `words` words (but in files). random: for the pattern "random"; may
 * be NULL otherwise. Errors: BMF_ERROR_ARGUMENT or BMF_ERROR_FILE; files are named with the line. The caller frees. */
int mesh_traffic_make(const char *pattern, const bmf_mesh *mesh, int64_t words, const bmf_mesh_random *random,
                      bmf_mesh_traffic **traffic);
/* Empty traffic, to be filled: for programs and tests. */
bmf_mesh_traffic *mesh_traffic_create(const char *name, const bmf_mesh *mesh);
/* Copies `to`. Messages are added in the order of their cycles. */
void mesh_traffic_add(bmf_mesh_traffic *traffic, int64_t from, int64_t destinations, const int64_t *to, int64_t words,
                      int64_t cycle, double bandwidth);
void mesh_traffic_free(bmf_mesh_traffic *traffic);

#endif
