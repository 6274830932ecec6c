/* What the plan of a distributed permutation is inside: bmf/permute.h is the public part. */
#ifndef BMF_EXCHANGE_H
#define BMF_EXCHANGE_H

#include "bmf/permute.h"
#include "bmf/type.h"
#include "permute/gf2.h"
#include "runtime/schedule/schedule.h"

typedef struct bmf_traffic bmf_traffic;
typedef struct bmf_boxes bmf_boxes;
typedef struct bmf_stages bmf_stages;

struct bmf_permute_plan {
    bmf_permutation permutation;
    bmf_permutation_class class_;
    int64_t processors;
    int columns;
    int64_t column_bytes[BMF_MAX_LEAVES]; /* bytes of an element in each column */
    int64_t element_bytes;                /* their sum */
    bmf_permute_method method;            /* never AUTO */
    int rank;                             /* r, or -1 where the parts are no subspaces */
    int64_t groups;                       /* of 2^r processors that exchange completely; 0 if rank is -1 */
    int64_t rounds;
    int64_t messages, bytes;             /* between different processors, all together; exact */
    int passes;                          /* local passes through memory beside the messages, at most */
    double seconds[BMF_PERMUTE_METHODS]; /* estimates */
    bmf_traffic *traffic;                /* or */
    bmf_boxes *boxes;
    bmf_stages *stages; /* what is packed, sent and unpacked at once; NULL: one after the other */
    int32_t *order;     /* of rounds: on one node and between nodes interleaved, or by stages; NULL: as numbered */
};

/* How many rounds, or stages of them, are under way at once: four of short messages, 64 MiB of long ones, at least two.
 * The same for every number of ranks. */
enum { BMF_MAX_WINDOW = 64 };
int64_t permute_plan_window(const bmf_permute_plan *plan);

/* log2 of the elements that the naive method sends in one message; -1 if parts are no subspaces. */
int permute_plan_row_bits(const bmf_permute_plan *plan);

/* The messages of round k from or to processors [low, high), in the same order everywhere; the caller frees
 * round->message. first: the block (rounds, alltoallv) or the row of its first element; count: elements. */
void permute_plan_round(const bmf_permute_plan *plan, int64_t k, int64_t low, int64_t high, bmf_round *round);

#endif
