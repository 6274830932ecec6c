/** @file
 * The skeletons in C.
 *
 * All functions are collective over the context of their lists unless they say otherwise: every rank calls them in the
 * same order with the same arguments (lists, kernels and operators of the same meaning). They return BMF_OK or a
 * positive status, the same on every rank, and on failure leave their outputs alone. Output lists belong to the
 * caller (bmf_list_free). Input lists are not changed except by the *_in_place functions; outputs may share memory
 * with inputs (lists are values: in-place functions copy first if the memory is shared).
 *
 * n: elements; w: bytes of an element; Q: processors of the list; messages and bytes are between processors.
 */
#ifndef BMF_SKELETONS_H
#define BMF_SKELETONS_H

#include <bmf/export.h>
#include <bmf/kernel.h>
#include <bmf/list.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- making lists ---- */

/** n elements placed whole on one processor. data: n records of the type, read on the rank of that processor only.
 * Moves nothing between processors. Errors: n < 0, no such processor, a type with lists in it. */
BMF_API int bmf_place(bmf_context *ctx, int64_t processor, const bmf_type *type, int64_t n, const void *data,
                      bmf_list **out);
/** n elements evenly split over all processors; data (n records) is read on every rank, each its part. Moves
 * nothing. */
BMF_API int bmf_spread(bmf_context *ctx, const bmf_type *type, int64_t n, const void *data, bmf_list **out);
/** 0, 1, .., n - 1 evenly split over all processors, as int. Moves nothing. Document 000, 2.7.2. */
BMF_API int bmf_iota(bmf_context *ctx, int64_t n, bmf_list **out);
/** The same as reals. */
BMF_API int bmf_iota_real(bmf_context *ctx, int64_t n, bmf_list **out);
/** kernel(0), .., kernel(n - 1): map over iota without the list of numbers. kernel: int -> any fixed type. */
BMF_API int bmf_tabulate(bmf_context *ctx, int64_t n, const bmf_kernel *kernel, bmf_list **out);

/* ---- looking at lists ---- */

/** Element i as a record into value, on every rank. Errors: BMF_ERROR_INDEX names i and the length. */
BMF_API int bmf_index(const bmf_list *xs, int64_t i, void *value);
/** All elements as records into data[0..n) on every rank. For small lists: n w bytes to every rank. */
BMF_API int bmf_to_array(const bmf_list *xs, void *data);

/* ---- moving ---- */

/** Document 000, 5.3. A placed list: spread over `parts` processors base + (k << log2_stride), part sizes as 5.3.1
 * says. A distributed list (nested split, 5.3.4): every part is split over `parts` processors from its own processor
 * on. Algorithms: tree (ceil(log2 parts) rounds), direct (1 round, no byte twice); parts - 1 messages per list split.
 * Errors: parts < 1, log2_stride < 0, a level that reaches into the next list's processors, or beyond the last
 * processor. */
BMF_API int bmf_split(const bmf_list *xs, int64_t parts, int log2_stride, bmf_list **out);
/** The inverse of the innermost split: each group's elements in order on its first processor. Algorithms: levels,
 * direct; parts - 1 messages per group. */
BMF_API int bmf_gather(const bmf_list *xs, bmf_list **out);
/** The same elements evenly split over all processors. One message for every
 * overlap of a source with another processor's target part, n w bytes at most. */
BMF_API int bmf_rebalance(const bmf_list *xs, bmf_list **out);
/** The same elements on the parts of `like`, which must have the same length. Messages as above. */
BMF_API int bmf_redistribute(const bmf_list *xs, const bmf_list *like, bmf_list **out);
/** Document 000, 5.4. A tuple {value, x} for every x: the value (a list of one element placed on the first processor
 * of xs) is broadcast to every processor of xs, where it is a column of stride 0. Algorithms: tree, pipeline,
 * scatter_allgather; Q - 1 messages of the value's bytes (tree). */
BMF_API int bmf_distl(const bmf_list *value, const bmf_list *xs, bmf_list **out);
/** The same with a value every rank has already (a record): no messages. */
BMF_API int bmf_distl_value(const bmf_type *type, const void *value, const bmf_list *xs, bmf_list **out);
/** out[i] = xs[indices[i]], on the processors of indices. Any index list: permutation, duplicates, broadcast. Document
 * 000, 5.9. Sparse: a processor asks only owners it needs (8 bytes an element), and they answer (w bytes an element);
 * none asks itself. Two kinds of index lists are recognised for one read of them and need no requests
 * (docs/permutations.md): (a i + b) mod n that goes around at most once, where a message carries what is neighbouring
 * in the result and comes from one part; and BMMC permutations of 2^n elements split evenly over 2^p processors, which
 * run by their plans. Errors: BMF_ERROR_INDEX names the first position and the index that is out of range. */
BMF_API int bmf_project(const bmf_list *xs, const bmf_list *indices, bmf_list **out);
/** xs then ys, evenly split over the processors of xs. At most (n + m) w bytes. */
BMF_API int bmf_concatenate(const bmf_list *xs, const bmf_list *ys, bmf_list **out);

/** out[i] = xs[i - k], on the parts of xs: every element k places on, back if k is negative. Elements that would come
 * from beyond the ends are those of the other end if `beyond` is NULL (periodic), otherwise the record `beyond`, which
 * every rank has. With parts of |k| elements or more Q - 1 messages of |k| w bytes, periodic Q; no rank asks another.
 * For several neighbours at once see bmf_stencil. Errors: a value beyond the ends of a list of lists. */
BMF_API int bmf_shift(const bmf_list *xs, int64_t k, const void *beyond, bmf_list **out);

/* ---- sorting: stable; the result is split evenly over the processors of xs, and is the same for any number of them.
 * Elements are int, int32, real, float or bool: numbers ascend, -0.0 stands before 0.0, NaN behind infinity; false
 * stands before true. ---- */

/** The elements of xs, ascending; NaN by their bits. In memory by radix, a pass for each byte of the elements that
 * varies, all threads together; between processors sample sort: 256 samples a processor (fewer beyond 16384 processors)
 * are gathered, 8 bytes each, every element moves to its part, in at most Q (Q - 1) messages, and there what arrived
 * is merged, with log2 Q passes (from more than 64 parts it is sorted again); at most (Q / 256) of a part moves on to a
 * neighbour. On 2 to 64 processors, lists of 2048 Q^2 elements and more are cut before they are sorted, and while
 * elements are on their way to one processor those for the next are sorted; parts are then off by about sqrt (Q) / 256
 * more, by chance, samples have 16 bytes, and Q^2 counts of 8 bytes are gathered, too. Room: 16 bytes an element beside
 * the result; while elements move between processors 32, without it. Errors: another type. */
BMF_API int bmf_sort(const bmf_list *xs, bmf_list **out);
/** The elements' numbers in xs, as int: bmf_project (xs, out) is sorted. Equal elements by their numbers; all NaN are
 * equal. As above, with 16 bytes an element in messages, and 32 beside the result. */
BMF_API int bmf_argsort(const bmf_list *xs, bmf_list **out);
/** The elements of xs, of any type, by a key: ascending in kernel(x), an int, int32, real, float or bool; elements of
 * equal keys stay in their order. map, argsort and project with their messages. Errors: another type of key; those of
 * bmf_map. */
BMF_API int bmf_sort_by(const bmf_list *xs, const bmf_kernel *key, bmf_list **out);

/** The elements of xs once each, ascending: -0.0 is equal to 0.0, and NaN to NaN, and of what is equal the first in the
 * order of bmf_sort stays. Parts are sorted and keep one of each value, so between processors at most Q (Q - 1)
 * messages move a value once from every part that has it, 8 bytes; then up to half of the results move on to even
 * parts. Samples and room as of bmf_sort. Errors: another type. */
BMF_API int bmf_unique(const bmf_list *xs, bmf_list **out);
/** The elements of xs, of any type, by a key: keys, those that there are, once each, ascending; groups, on the same
 * parts: the list of the elements with each key, in the order of bmf_sort_by. kernel: what makes an element's key, an
 * int, int32, real, float or bool; equal as in bmf_unique, and a key stands as the group's first element has it. Groups
 * are split evenly, whatever their lengths, and each is on one processor as a whole. argsort, in which equal keys meet
 * on one processor; 8 bytes a group and an element where groups move on to even parts; project of the elements, and of
 * a key a group. Both lists belong to the caller. Errors: another type of key; those of bmf_map. */
BMF_API int bmf_group_by(const bmf_list *xs, const bmf_kernel *kernel, bmf_list **keys, bmf_list **groups);

/* ---- elementwise: no messages ---- */

/** out[i] = kernel(xs[i]). The kernel's input leaves must be those of the element type (one input per component for
 * tuples also fits). In place needs equal input and output types. Moves 2 n w bytes of memory. */
BMF_API int bmf_map(const bmf_list *xs, const bmf_kernel *kernel, bmf_list **out);
/** The result replaces xs; input and output have one type. */
BMF_API int bmf_map_in_place(bmf_list *xs, const bmf_kernel *kernel);
/** out[i] = kernel(xs[i], ys[i]). Lists of equal shape on equal processors, otherwise BMF_ERROR_SHAPE names both. */
BMF_API int bmf_zip(const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, bmf_list **out);
/** The result replaces xs. */
BMF_API int bmf_zip_in_place(bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel);
/** Tuples {x, y} without copying: the columns are shared. */
BMF_API int bmf_pair(const bmf_list *xs, const bmf_list *ys, bmf_list **out);
/** Component k (from 0) of tuples, without copying. */
BMF_API int bmf_component(const bmf_list *xs, int k, bmf_list **out);
/** The elements for which predicate (-> bool) holds, in order, each where it was. Part lengths change; every
 * rank gets the new ones. */
BMF_API int bmf_filter(const bmf_list *xs, const bmf_kernel *predicate, bmf_list **out);

/* ---- reduce and scan: any associative operator, commutative or not ----
 * Reproducible (the default): the same bits for every number of ranks, threads and processors, by a fixed binary tree
 * over the element numbers (docs/reproducible.md). */

/** Document 000, 5.6. The total of xs as a record into value, on every rank. An empty list gives the identity, or
 * BMF_ERROR_SHAPE if there is none. Algorithms: levels (then broadcast by the distl tree), doubling, everybody. A
 * message is a value, or up to 2 log2 n values if the operator is not exact and parts do not end on powers of two. */
BMF_API int bmf_reduce(const bmf_list *xs, const bmf_operator *op, void *value);
/** The most lists that bmf_reduce_many takes. */
enum { BMF_MAX_REDUCTIONS = 8 };
/** The totals of `count` lists, 1 .. BMF_MAX_REDUCTIONS, by an operator each, in one exchange (document 002, 3.7):
 * every value[k] gets the record that bmf_reduce (xs[k], op[k]) gives, with the same bits. The lists are split alike;
 * they may have different types. Messages are those of one bmf_reduce, with the values of all. Collective. Errors:
 * BMF_ERROR_SHAPE names two lists that do not conform; those of bmf_reduce. */
BMF_API int bmf_reduce_many(int count, const bmf_list *const *xs, const bmf_operator *const *op, void *const *value);
/** A reduction that is under way. */
typedef struct bmf_reduction bmf_reduction;
/** The most reductions that can be under way in a context. */
enum { BMF_MAX_UNDER_WAY = 64 };
/** Begins what bmf_reduce does, and returns without waiting for others: what follows until bmf_reduction_wait hides
 * the messages (document 002, 3.8). Several can be under way. xs may be freed or changed at once. Messages as of
 * bmf_reduce, with the same bits; the first round leaves here, each further one in the tests and waits that follow.
 * Begin, test and wait in one region: there traces show all reductions that overlap as one call. Collective. Errors: an
 * operator that may fail, more than BMF_MAX_UNDER_WAY, and those of bmf_reduce. */
BMF_API int bmf_reduce_begin(const bmf_list *xs, const bmf_operator *op, bmf_reduction **reduction);
/** Lets the messages proceed, without waiting; *done: bmf_reduction_wait would not wait, either, on this rank. Any rank
 * may call it any number of times. Not collective. */
BMF_API int bmf_reduction_test(bmf_reduction *reduction, bool *done);
/** Waits for the total, a record into value on every rank, and frees the reduction. Collective, in the same order on
 * all ranks, whatever was begun first. Closing the context before it ends the program with a message. */
BMF_API int bmf_reduction_wait(bmf_reduction *reduction, void *value);
/** The total as a list of one element on the first processor of xs: levels only, Q - 1 messages. */
BMF_API int bmf_reduce_placed(const bmf_list *xs, const bmf_operator *op, bmf_list **out);
/** For every key k of 0 to count - 1 the reduction of the values that have it, a list of `count` results split evenly
 * over the processors of values: of a key without values the identity, which the operator must have. keys: int, on the
 * same parts as values, whose elements are of the operator's type. The order is fixed (docs/reproducible.md): 1, 2, 4,
 * .. equal blocks of the list, as many as have 1024 elements and 6 count, are folded from left to right, every entry
 * beginning with the identity, and joined by the tree, in which an entry equal to it leaves the other as it is; so
 * exact operators give what bmf_reduce of the values with key k gives, sums of reals the same within rounding. On Q
 * processors two ways give the same bits, of which the one with the lower estimate is taken (docs/schedules.md). At
 * the first processor (tables): elements of a block that is cut move to the processor where it begins, 8 + w bytes
 * each; then messages of bmf_reduce_placed with tables of count w bytes as values, Q - 1, and at most Q - 1 with the
 * results; room at every processor for as many tables as a forest has values, at most 2 log2 of its blocks. At the
 * processors of the results (owners): an element of a block that is cut moves at most once, to one of those that have
 * elements of the block, with w bytes for its value and 2 to 8 for its key, and 8 for each of up to 512 bands of keys
 * in a message; then the entries of every node of the tree move to their owners, one message from each to each that
 * needs some; room for a processor's elements on their way and for the entries of its keys of every block. All
 * elements of a block with the same key meet on one processor, unless the operator is exact. Errors: BMF_ERROR_INDEX
 * names the first key out of range and its position, BMF_ERROR_SHAPE lists that do not conform, count < 0, no
 * identity; BMF_ERROR_MEMORY if the results do not fit; those of bmf_reduce. */
BMF_API int bmf_reduce_by_key(const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op,
                              bmf_list **out);
/** Fused: reduce(op, map(kernel, xs)), and with zip; no list in between. Reads n w bytes once. */
BMF_API int bmf_map_reduce(const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, void *value);
/** Fused: reduce(op, zip(kernel, xs, ys)); no list in between. */
BMF_API int bmf_zip_map_reduce(const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, const bmf_operator *op,
                               void *value);

/** Whether prefix i has element i in it. */
typedef enum bmf_scan_kind {
    BMF_INCLUSIVE, /**< out[i] = xs[0] op .. op xs[i] */
    BMF_EXCLUSIVE  /**< without xs[i]; out[0] is the identity */
} bmf_scan_kind;
/** Document 000, 5.8. Inclusive: out[i] = xs[0] op .. op xs[i]; exclusive: without xs[i], out[0] = identity (which
 * the operator must have). The last inclusive value has the same bits as bmf_reduce. Algorithms: levels, tree,
 * everybody. */
BMF_API int bmf_scan(const bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out);
/** The result replaces xs. */
BMF_API int bmf_scan_in_place(bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind);
/** Fused: scan(op, map(kernel, xs)). */
BMF_API int bmf_map_scan(const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, bmf_scan_kind kind,
                         bmf_list **out);

/* ---- what is no skeleton ---- */

/** Any work of every processor on its own part of lists on this partition: run(state, part, begin, end) is called
 * once for each part of this rank, elements [begin, end), from threads at once; what it touches is its own affair
 * (the local columns, bmf_list_make_writable before writing). It returns 0 or a failure code. A kernel `name` in
 * traces and predictions; loops outside of skeletons are invisible there. No messages. Errors: BMF_ERROR_KERNEL,
 * agreed. */
typedef int bmf_part_function(void *state, int64_t part, int64_t begin, int64_t end);
/** Runs a function on every part of this rank; see bmf_part_function. Collective. */
BMF_API int bmf_each_part(bmf_context *ctx, const bmf_partition *partition, const char *name, bmf_part_function *run,
                          void *state);

/* ---- lists of lists ---- */

/** The inner lists one after the other, as one list on the same processors. No messages. */
BMF_API int bmf_flatten(const bmf_list *xss, bmf_list **out);
/** The length of every inner list. No messages. */
BMF_API int bmf_lengths(const bmf_list *xss, bmf_list **out);
/** Cuts xs into inner lists of the given lengths (whole numbers >= 0 that add up to n on every part). Inverse of the
 * above. Errors: BMF_ERROR_SHAPE names the first part that does not add up. */
BMF_API int bmf_nest(const bmf_list *xs, const bmf_list *lengths, bmf_list **out);
/** kernel(x) for every element x of every inner list. No messages. */
BMF_API int bmf_map_each(const bmf_list *xss, const bmf_kernel *kernel, bmf_list **out);
/** The total of every inner list: the identity for empty ones, without one BMF_ERROR_SHAPE names the first. No
 * messages. */
BMF_API int bmf_reduce_each(const bmf_list *xss, const bmf_operator *op, bmf_list **out);
/** The prefixes of every inner list. No messages. */
BMF_API int bmf_scan_each(const bmf_list *xss, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out);

#ifdef __cplusplus
}
#endif
#endif
