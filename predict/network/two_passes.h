/* Permutations of the ports of an expanded delta network in two passes, each of which is passable: one iteration.
 *
 * A message goes to an intermediate port first. Which one is found so that in the first pass no thick wire, between the
 * hyperbar of the source and the bucket of the intermediate port, has more than it carries, and in the second none
 * between the hyperbar of the intermediate port and the bucket of the target. Every permutation can be routed so if a
 * hyperbar has at most as many inputs as its buckets carry.
 *   Method: two even splits (edge_split.h). Messages between hyperbars and target buckets are split into as many parts
 * as there are hyperbars: the hyperbar of the intermediate port. Messages between source and intermediate hyperbars are
 * split into as many parts as there are buckets: the bucket of the intermediate port. A hyperbar and a bucket have as
 * many ports in common as messages then. Cost: ports log ports.
 * Source: Scherson and Subramanian (1993), as document 003, 3.3 and 5.1 reports it; the method is our own. */
#ifndef BMF_TWO_PASSES_H
#define BMF_TWO_PASSES_H

#include <stdbool.h>

#include "predict/network/edn.h"

/* Whether every permutation of the ports can be routed so: powers of two, inputs <= buckets x
 * capacity, and at least one port for every pair of a hyperbar and a bucket. */
bool two_passes_fit(const bmf_edn_shape *shape);
/* between[p] becomes the intermediate port of the message from port p to port to[p]; to is a permutation of the
 * ports. */
void two_passes_find(const bmf_edn_shape *shape, const int64_t *to, int64_t *between);

#endif
