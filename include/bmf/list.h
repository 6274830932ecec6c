/** @file
 * Lists: a type, a partition, and this rank's elements.
 *
 * A rank holds elements [bmf_list_local_begin, bmf_list_local_end) of a list, one contiguous array for every leaf of
 * the type (bmf/type.h). Lists are values: they share memory until one is written to. The skeletons (bmf/skeletons.h)
 * make lists; the functions here are for programs that look into them. */
#ifndef BMF_LIST_H
#define BMF_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <bmf/context.h>
#include <bmf/export.h>
#include <bmf/partition.h>
#include <bmf/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A list; opaque. */
typedef struct bmf_list bmf_list;

/** A list of undefined elements of a fixed type on the given partition (a reference is taken). Collective.
 * The caller owns the list. */
BMF_API int bmf_list_create(bmf_context *ctx, const bmf_type *type, bmf_partition *partition, bmf_list **list);
/** Frees a list; NULL is allowed. Not collective. */
BMF_API void bmf_list_free(bmf_list *list);

/** Number of elements of the whole list. Not collective. */
BMF_API int64_t bmf_length(const bmf_list *list);
/** The context the list was made in. Not collective. */
BMF_API bmf_context *bmf_list_context(const bmf_list *list);
/** The type of an element, interned. Not collective. */
BMF_API const bmf_type *bmf_list_type(const bmf_list *list);
/** Which processor holds which elements. The list's own: retain it to keep it longer. Not collective. */
BMF_API bmf_partition *bmf_list_partition(const bmf_list *list);
/** The first element on this rank, and the one behind the last. Not collective. */
BMF_API int64_t bmf_list_local_begin(const bmf_list *list);
/** See bmf_list_local_begin. */
BMF_API int64_t bmf_list_local_end(const bmf_list *list);

/** This rank's elements of one leaf, for reading: element local_begin + i is at data + i * stride bytes. The stride
 * is the leaf's size, or 0 if all elements are one broadcast value. Of a list of lists: the elements of the inner
 * lists, one inner list after the other (bmf_list_offsets). Valid until the list is freed or written to. 0 <= leaf <
 * the number of leaves; lists of lists of lists are looked into by bmf_flatten. Not collective. */
BMF_API const void *bmf_list_data(const bmf_list *list, int leaf, int64_t *stride);
/** The same for writing: makes the memory writable first (bmf_list_make_writable), so that elements are
 * contiguous. Not collective. */
BMF_API void *bmf_list_data_writable(bmf_list *list, int leaf);
/** Of a list of lists: inner list i of this rank is [offsets[i], offsets[i + 1]) of what bmf_list_data gives; one value
 * more than this rank has inner lists, the first 0. NULL for other lists. Not collective. */
BMF_API const int64_t *bmf_list_offsets(const bmf_list *list);
/** Makes this rank's memory writable: copies it if another list shares it or a leaf is a broadcast. Not collective.
 * Ends the program when there is no memory, because other ranks may have nothing to copy. */
BMF_API void bmf_list_make_writable(bmf_list *list);

/** In words, for messages: "[real], 10 elements on 4 processors (0, 1, .. 3)". Returns text. Not collective. */
BMF_API char *bmf_list_print(const bmf_list *list, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
