/* Document 003's ways to permute record by record, as rounds: what its programs ask of the router.
 *
 *   rows       4.3, naive: every processor sends its record i, i = 0, 1, ..
 *   sets       4.2: 1-permutable sets of processors: every processor sends a record and receives one
 *   clusters   4.4: 1-permutable sets of clusters of processors: every cluster sends a record and receives one
 *   two-pass   5.1: the same, each set in two passes over an intermediate cluster, so that both are EDN-passable
 *   coloured   3.3, Scherson and Subramanian: sets of clusters of any permutation, by colouring the edges of the graph
 *              of its messages between clusters, in two passes as well
 *
 * 2^bits records on 2^p processors, a processor's records consecutive. A record that stays on its processor is in its
 * round too, as on the document's machine; who counts messages leaves it out. */
#ifndef BMF_RECORD_ROUNDS_H
#define BMF_RECORD_ROUNDS_H

#include "permute/one_permutable.h"
#include "predict/network/network_edn.h"
#include "runtime/schedule/schedule.h"

typedef enum bmf_record_method {
    BMF_RECORDS_ROWS,
    BMF_RECORDS_SETS,
    BMF_RECORDS_CLUSTERS,
    BMF_RECORDS_TWO_PASS,
    BMF_RECORDS_COLOURED,
    BMF_RECORD_METHODS
} bmf_record_method;
const char *record_method_name(bmf_record_method method); /* "rows", "sets", "clusters", "two-pass", "coloured" */

typedef struct bmf_record_rounds {
    bmf_permutation permutation;
    int processor_bits, place_bits;
    bmf_record_method method;
    bmf_one_permutable set; /* of the permutation in cluster order (4.4: G A G^-1) for clusters, otherwise as it is */
    int order
        [BMF_MAX_BITS]; /* for clusters: address bit j of the sets is bit order[j] of the permutation's addresses */
    int64_t rounds, records; /* how many, and of how many records each */
    bmf_edn_place place;     /* in two passes: where the processors are */
    uint64_t *coloured;      /* addresses of all records, set by set; NULL: other methods */
} bmf_record_rounds;

/* The rounds of a permutation on 2^processor_bits processors, at most 2^p->bits of them; to be freed. place: where they
 * are; needed for sets of clusters. BMF_ERROR_ARGUMENT: sets of clusters need a power of two of processors in every
 * cluster and, in matrix order, all processors of the machine; two passes need all of them and a switch of
 * two_passes_fit; colouring at most 2^22 records. */
int record_rounds_make(const bmf_permutation *p, int processor_bits, bmf_record_method method,
                       const bmf_edn_place *place, bmf_record_rounds *rounds);
void record_rounds_free(bmf_record_rounds *rounds);
/* Whether records are sent twice, first to an intermediate processor. */
static inline bool records_pass_twice(bmf_record_method method)
{
    return method == BMF_RECORDS_TWO_PASS || method == BMF_RECORDS_COLOURED;
}
/* The `records` messages of round k, 0 <= k < rounds, in the order of their senders; first is the record's place on its
 * processor (of its source in a second pass), and bytes those of a record. */
void record_round(const bmf_record_rounds *rounds, int64_t k, int64_t bytes, bmf_message *message);

#endif
