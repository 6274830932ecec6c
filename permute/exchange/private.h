/* What the ways of running a plan share. Private to permute/exchange/. */
#ifndef BMF_EXCHANGE_PRIVATE_H
#define BMF_EXCHANGE_PRIVATE_H

#include "permute/exchange/exchange.h"
#include "runtime/backend/backend.h"

typedef struct exchange {
    bmf_context *ctx;
    const bmf_permute_plan *plan;
    const void *const *source;
    void *const *target;
    bmf_buffer *buffer;
    void *scratch[BMF_MAX_LEAVES]; /* of every column */
    const void *const *sent;       /* what messages are read from, */
    void *const *received;         /* and written to */
    const void *const *from;       /* of the local pass that runs */
    void *const *to;
} exchange;

/* Where each way of running it stands; all return a status. */
int exchange_traffic(exchange *x); /* permute/exchange/traffic.c: subspaces, pack - exchange - unpack */
int exchange_stages(exchange *x);  /* permute/exchange/run_stages.c: subspaces, all three at once */
int exchange_boxes(exchange *x);   /* permute/exchange/run_boxes.c: any number of processors */

/* Scratch memory of so many elements in every column. */
void exchange_make_scratch(exchange *x, int64_t elements);

/* Elements [first, first + count) of every column of `memory`. Returns their number. */
int exchange_segments(const exchange *x, const void *const *memory, int64_t first, int64_t count, bmf_segment *segment);

/* All rounds, begun and ended in order, a window of them under way at once. What a processor keeps is copied with the
 * first later round that has messages, whose flight it fills; after the last one it goes alone. in_place (may be NULL):
 * what the processor keeps is at its place. */
int permute_rounds(exchange *x, const bmf_transfer *transfer, bool (*in_place)(const exchange *x, int64_t processor));

static inline bool exchange_is_naive(const exchange *x)
{
    return x->plan->method == BMF_PERMUTE_NAIVE;
}

static inline int64_t exchange_local_count(const exchange *x)
{
    return bmf_permute_local_count(x->ctx, x->plan->permutation.bits);
}

#endif
