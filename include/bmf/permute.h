/** @file
 * BMMC permutations of data (bmf/permutation.h): in the memory of one process, and of data distributed over processors
 * by a plan. */
#ifndef BMF_PERMUTE_H
#define BMF_PERMUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <bmf/context.h>
#include <bmf/export.h>
#include <bmf/permutation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in memory: one pass through memory for any BMMC permutation, without communication ----
 *
 * Elements are element_bytes bytes each, 1 .. 4096, any number; N = 2^bits of them are contiguous. Buffers
 * need no alignment beyond the bytes', but 64-byte aligned ones are fastest. `threads` >= 1 worker threads are used
 * when the size is worth it. Nothing here is collective. */

/** target[A x + c] = source[x] for all x. The buffers must not overlap. Moves 2 N element_bytes of memory. Returns
 * BMF_OK or BMF_ERROR_MEMORY; the target is then undefined. Not collective. */
BMF_API int bmf_local_permute(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p,
                              int threads);

/** The same with the result in place of the data. Scratch memory: 1 MiB a thread and a twentieth of the data; for at
 * most 256 KiB of data, a copy and 256 KiB. On BMF_ERROR_MEMORY the data are unchanged. Not collective. */
BMF_API int bmf_local_permute_in_place(void *data, int64_t element_bytes, const bmf_permutation *p, int threads);

/** The reference: one element after the other by the definition, one thread. Cannot fail. Not collective. */
BMF_API void bmf_local_permute_naive(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p);

/* ---- distributed over processors ----
 *
 * N = 2^bits elements are split over the P processors of the context as evenly as bmf_split_start does; a host holds
 * the elements of its processors one after another. An element may have several columns, each an array of its own; they
 * travel in the same messages.
 *
 * If P = 2^p <= N the algebra of docs/permutations.md gives everything in closed form; otherwise (odd numbers of
 * processors, or fewer elements than processors) elements travel straight to their places in boxes of addresses: no
 * byte moves twice there either, but local work is done element by element. */

/** How messages are sent. */
typedef enum bmf_permute_method {
    /** One message a round from and to every processor: 2^r rounds; P rounds if P is no power of two or N < P. */
    BMF_PERMUTE_ROUNDS,
    /** The same messages, all at once. */
    BMF_PERMUTE_ALLTOALLV,
    /** Row by row (document 003, 4.3): every processor sends its element i, i = 0, 1, ..; rows that go the same way
     * from all processors travel together. */
    BMF_PERMUTE_NAIVE,
    BMF_PERMUTE_METHODS,                   /**< their number */
    BMF_PERMUTE_AUTO = BMF_PERMUTE_METHODS /**< the cheapest by estimate */
} bmf_permute_method;
/** "rounds", "alltoallv", "naive", "auto". Not collective. */
BMF_API const char *bmf_permute_method_name(bmf_permute_method method);
/** The method of a name ("rounds", ..); false, and *method untouched, if there is none. Not collective. */
BMF_API bool bmf_permute_method_find(const char *name, bmf_permute_method *method);

/** Who sends what to whom in a distributed permutation, and what is done in memory before and after; opaque. */
typedef struct bmf_permute_plan bmf_permute_plan;

/** Makes a plan. Collective: hosts agree on nodes and share counts. 1 <= columns <= BMF_MAX_LEAVES, column_bytes[k]
 * bytes of an element in column k. Errors: BMF_ERROR_ARGUMENT if all elements together have more
 * than 2^62 bytes. The caller frees the plan. */
BMF_API int bmf_permute_plan_create(bmf_context *ctx, const bmf_permutation *p, int columns,
                                    const int64_t *column_bytes, bmf_permute_method method, bmf_permute_plan **plan);
/** The same, but BMF_PERMUTE_AUTO takes the method that bmf_permute_tune remembered, if there is one. Collective;
 * rank 0 reads the file. */
BMF_API int bmf_permute_plan_create_tuned(bmf_context *ctx, const bmf_permutation *p, int columns,
                                          const int64_t *column_bytes, bmf_permute_method method,
                                          bmf_permute_plan **plan);
/** Tries the methods on the data (as bmf_permute_execute), except those that are hopeless by estimate; replaces the
 * plan by the fastest and remembers it in $XDG_CACHE_HOME/bmf/permute (~/.cache/bmf/permute), one line for each
 * number of processors, ranks and nodes, r, and size of a share and of an element. A file that cannot be written is
 * no error. Collective. */
BMF_API int bmf_permute_tune(bmf_context *ctx, const void *const *source, void *const *target, bmf_permute_plan **plan);
/** Frees a plan; NULL is allowed. Not collective. */
BMF_API void bmf_permute_plan_free(bmf_permute_plan *plan);

/** The method that was chosen, never BMF_PERMUTE_AUTO. Not collective. */
BMF_API bmf_permute_method bmf_permute_plan_method(const bmf_permute_plan *plan);
/** Number of rounds. Not collective. */
BMF_API int64_t bmf_permute_plan_rounds(const bmf_permute_plan *plan);
/** Messages between different processors, all together; exact. Not collective. */
BMF_API int64_t bmf_permute_plan_messages(const bmf_permute_plan *plan);
/** Bytes of those messages. Not collective. */
BMF_API int64_t bmf_permute_plan_bytes(const bmf_permute_plan *plan);
/** In words: class, r, groups, method with the estimates of all, rounds, messages, bytes, passes. Not collective. */
BMF_API void bmf_permute_plan_print(const bmf_permute_plan *plan, FILE *stream);

/** target[A x + c] = source[x]: column k of this host's elements is at source[k] and goes to target[k], 64-byte aligned
 * for speed. They must not overlap; the target may be used for scratch. Moves the plan's messages and bytes. Needs
 * scratch memory for the host's share (twice that if the plan has just two stages), unless blocks are sent from
 * the source or received in the target without a local pass; a rank that has none ends the program. Collective. */
BMF_API int bmf_permute_execute(bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source,
                                void *const *target);

/** Rank relabelling: the permutation with the result's processors renumbered so that every processor keeps as much as
 * possible (2^-r of its elements, all if r = 0). Element y of the wanted result is at address relabel(y) of the
 * relabelled one; relabel changes processor bits only. Needs P = 2^p <= N. Not collective. */
BMF_API void bmf_permute_relabel(const bmf_permutation *p, int processor_bits, bmf_permutation *relabelled,
                                 bmf_permutation *relabel);
/** log2 of the number of processors if a plan has closed forms for it, otherwise -1. Not collective. */
BMF_API int bmf_permute_processor_bits(const bmf_permutation *p, int64_t processors);

/** Elements of this host's processors. Not collective. */
BMF_API int64_t bmf_permute_local_count(const bmf_context *ctx, int bits);
/** Elements of the processors before this host's. Not collective. */
BMF_API int64_t bmf_permute_local_first(const bmf_context *ctx, int bits);

#ifdef __cplusplus
}
#endif
#endif
