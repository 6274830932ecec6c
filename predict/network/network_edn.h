/* What is special about an expanded delta network: where its processors are. For who makes sets of clusters. */
#ifndef BMF_NETWORK_EDN_H
#define BMF_NETWORK_EDN_H

#include "predict/network/edn.h"
#include "predict/network/network.h"

/* The switch and its ports. Processor s has number edn_place_of(place, s) in cluster order and port
 * number / processors_per_port. */
typedef struct bmf_edn_place {
    bmf_edn_shape shape;
    int stages; /* behind the first one */
    bmf_edn_stage stage[BMF_EDN_FURTHER];
    int64_t processors_per_port;
    int64_t word_bytes;
    double setup;    /* seconds to make the first 1-permutable set of a permutation */
    bool routes_own; /* programs of records (record_rounds.h) send those that stay through the router, too */
    int bits;        /* 0: processors are numbered in cluster order; otherwise they are 2^bits in matrix order, */
    int place[BMF_MAX_BITS]; /* see edn_matrix_order */
} bmf_edn_place;

/* Of a network, NULL if it is no expanded delta network. Lives as long as the network. */
static inline const bmf_edn_place *edn_place_of_network(const bmf_network *network)
{
    return network->type->edn_place ? network->type->edn_place(network) : NULL;
}

static inline uint64_t edn_place_of(const bmf_edn_place *place, uint64_t processor)
{
    return place->bits ? edn_move_bits(place->place, place->bits, processor) : processor;
}
static inline int64_t edn_port_of(const bmf_edn_place *place, uint64_t processor)
{
    return (int64_t)edn_place_of(place, processor) / place->processors_per_port;
}

#endif
