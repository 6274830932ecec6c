/* Lists: a type, a partition, and this rank's column of elements. */
#ifndef BMF_LIST_H
#define BMF_LIST_H

#include "runtime/data/column.h"
#include "runtime/data/partition.h"

typedef struct bmf_list {
    bmf_context *context;
    const bmf_type *type;     /* of an element, interned */
    bmf_partition *partition; /* one reference held */
    bmf_column column;        /* local elements: partition local_end - local_begin of them */
} bmf_list;

/* A list of undefined elements of a fixed type on the given partition (a reference is taken). Collective.
 * The caller owns the list. */
int bmf_list_create(bmf_context *ctx, const bmf_type *type, bmf_partition *partition, bmf_list **list);
/* A list from a column, which it takes over (also when it fails). Collective. */
int list_adopt(bmf_context *ctx, bmf_partition *partition, bmf_column *column, bmf_list **list);
/* Makes this rank's memory writable: copies it if another list shares it or a leaf is a broadcast. Not collective.
 * Ends the program when there is no memory, because other ranks may have nothing to copy. */
void bmf_list_own(bmf_list *list);
/* Frees a list; NULL is allowed. Not collective. */
void bmf_list_free(bmf_list *list);
/* Number of elements of the whole list. Not collective. */
int64_t bmf_length(const bmf_list *list);
/* In words, for messages: "[real], 10 elements on 4 processors (0, 1, .. 3)". Returns text. */
char *bmf_list_print(const bmf_list *list, char *text, size_t size);

#endif
