/* BMMC permutations of data distributed over processors: plans and their execution.
 *
 * N = 2^bits elements are split over the P processors of the context as evenly as bmf_split_start does; a host holds
 * the elements of its processors one after another. An element may have several columns, each an array of its own; they
 * travel in the same messages.
 *
 * If P = 2^p <= N the algebra of docs/permutations.md gives everything in closed form; otherwise (odd numbers of
 * processors, or fewer elements than processors) elements travel straight to their places in boxes of addresses
 * (permute/exchange/boxes.h): no byte moves twice there either, but local work is done element by element.
 *
 *   rounds      one message a round from and to every processor (2^r rounds; P rounds if P is no power of two or N < P)
 *   alltoallv   the same messages, all at once
 *   naive       row by row (document 003, 4.3): every processor sends its element i, i = 0, 1, ..; rows that go the
 * same way from all processors travel together
 */
#ifndef BMF_EXCHANGE_H
#define BMF_EXCHANGE_H

#include "permute/permutation.h"
#include "runtime/schedule/schedule.h"
#include "runtime/data/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bmf_permute_method {
    BMF_PERMUTE_ROUNDS,
    BMF_PERMUTE_ALLTOALLV,
    BMF_PERMUTE_NAIVE,
    BMF_PERMUTE_METHODS,
    BMF_PERMUTE_AUTO = BMF_PERMUTE_METHODS /* the cheapest by estimate */
} bmf_permute_method;
/* "rounds", "alltoallv", "naive", "auto"; and back: false for an unknown name. */
const char *bmf_permute_method_name(bmf_permute_method method);
/* The method of a name ("rounds", ..); false, and *method untouched, if there is none. Not collective. */
bool bmf_permute_method_find(const char *name, bmf_permute_method *method);

typedef struct bmf_traffic bmf_traffic;
typedef struct bmf_boxes bmf_boxes;
typedef struct bmf_stages bmf_stages;

typedef struct bmf_permute_plan {
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
} bmf_permute_plan;

/* Makes a plan. Collective: hosts agree on nodes and share counts. 1 <= columns <= BMF_MAX_LEAVES. Errors:
 * BMF_ERROR_MEMORY, BMF_ERROR_ARGUMENT if all elements together have more than 2^62 bytes. The caller frees the plan.
 */
int bmf_permute_plan_create(bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                            bmf_permute_method method, bmf_permute_plan **plan);
void bmf_permute_plan_free(bmf_permute_plan *plan);

/* In words: class, r, groups, method with the estimates of all, rounds, messages, bytes, passes. */
void bmf_permute_plan_print(const bmf_permute_plan *plan, FILE *stream);

/* The messages of round k from or to processors [low, high), in the same order everywhere; the caller frees
 * round->message. first: the block (rounds, alltoallv) or the row of its first element; count: elements. */
void bmf_permute_plan_round(const bmf_permute_plan *plan, int64_t k, int64_t low, int64_t high, bmf_round *round);

/* target[A x + c] = source[x]: column k of this host's elements is at source[k] and goes to target[k], 64-byte aligned
 * for speed. They must not overlap; the target may be used for scratch. Moves the plan's messages and bytes. Needs
 * scratch memory for the host's share (twice that if the plan has just two stages), unless blocks are sent from
 * the source or received in the target without a local pass. Collective. Errors: BMF_ERROR_MEMORY. */
int bmf_permute_execute(bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source, void *const *target);

/* Rank relabelling: the permutation with the result's processors renumbered so that every processor keeps as much as
 * possible (2^-r of its elements, all if r = 0). Element y of the wanted result stands at address relabel(y) of the
 * relabelled one; relabel changes processor bits only. Needs P = 2^p <= N. */
void bmf_permute_relabel(const bmf_permutation *p, int processor_bits, bmf_permutation *relabelled,
                         bmf_permutation *relabel);

/* log2 of the number of processors if the plan has closed forms for it, otherwise -1. */
int bmf_permute_processor_bits(const bmf_permutation *p, int64_t processors);

/* Elements of the host's processors, and before them. */
int64_t bmf_permute_local_count(const bmf_context *ctx, int bits);
int64_t bmf_permute_local_first(const bmf_context *ctx, int bits);

#ifdef __cplusplus
}
#endif
#endif
