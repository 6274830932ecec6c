/* Moving elements from one partition to another along a schedule; private to skeletons.
 *
 * Split, gather, redistribution and concatenation all keep the order of elements and only change who holds them. They
 * differ in the schedule: its messages name elements, and a processor may pass on elements that are not its own. */
#ifndef BMF_MOVE_H
#define BMF_MOVE_H

#include "skeletons/engine/plan.h"

enum { BMF_MOVE_SOURCES = 2 };

/* A list whose element i has the number first + i in the result. */
typedef struct bmf_move_source {
    const bmf_list *list;
    int64_t first;
} bmf_move_source;

/* Makes the list on `target` from sources of one type, which follow each other in element numbers. The schedule's
 * first and count are element numbers of the result; every message lies in one part of the finer of the two
 * partitions or is a run of such parts. Collective. */
int move_elements(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
                  const bmf_schedule *schedule, bmf_list **out);

/* The two ways to do it: types of fixed size, with segments in the columns; types with inner lists, packed. */
int move_fixed(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
               const bmf_schedule *schedule, bmf_list **out);
int move_nested(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
                const bmf_schedule *schedule, bmf_list **out);

/* The same column on another partition; no messages. */
void relabel_partition(const bmf_list *xs, bmf_partition *target, bmf_list **out);

/* Bytes of an element in a message: the sum of its leaves, or BMF_BYTES_UNKNOWN with inner lists. */
int64_t type_element_bytes(const bmf_type *type);
/* The same, with a guess for inner lists that is equal on every rank. For cost estimates. */
double element_guess(const bmf_type *type);

/* The groups of a split or gather: runs of `count` parts of the finer partition. generate is for bmf_call; it makes
 * messages that name elements. */
typedef struct bmf_groups {
    const bmf_partition *partition; /* the finer one */
    int64_t element_bytes;
} bmf_groups;
void groups_generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *groups);

#endif
