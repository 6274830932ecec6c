/* What the operations on distributed lists share: schedules over the elements of all instances, and packed elements
 * that travel in their messages. Private to the evaluator. */
#ifndef BMF_LANGUAGE_PARALLEL_H
#define BMF_LANGUAGE_PARALLEL_H

#include "runtime/data/list.h"
#include "skeletons/engine/parcels.h"
#include "skeletons/language/evaluate/evaluate.h"

/* Elements of a distributed list count over all instances of all ranks: element e is item e - offsets[c] of instance
 * c. */
typedef struct bmf_item {
    int64_t instance, item, count; /* count: elements of the instance's list */
} bmf_item;
/* The items of this rank's elements, in their order; the caller frees. */
bmf_item *distribution_items(const bmf_distribution *spread);

/* A generator for one list whose items lie from `group->base` on. */
/* One schedule for the lists of all instances, which share the rounds; message.first counts over all instances. Never
 * NULL. */
bmf_schedule *distribution_schedule(bmf_context *ctx, const bmf_distribution *spread, const bmf_algorithm *algorithm);
/* Printed with --bmf-plan: title, schedule of the whole evaluator. */
void distribution_plan(bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_distribution *spread,
                       const bmf_algorithm *algorithm);

/* A batch of the parcels of the given elements, in that order, each one element of `type`; default values after a
 * failure. */
int value_from_parcels(const bmf_parcels *parcels, const bmf_type *type, const int64_t *element, int64_t count,
                       bmf_value *out);

/* Reductions and scans of the lists of a spread: values, all of this rank's elements, become what is left of them: of
 * a reduction each list's first element, of a scan all. elements: the frame of the elements. Collective. */
int distribution_combine(bmf_evaluator *evaluator, bmf_expression *fold, bool scan, const bmf_distribution *spread,
                         bmf_frame *elements, bmf_value *values);

/* Trace node of an operation, unless the evaluator is quiet. */
void operation_begin(bmf_evaluator *evaluator, const bmf_expression *expression);
int operation_end(bmf_evaluator *evaluator, int status);

/* The distributed list `child` (taken over) of elements of child->type on a spread (one reference taken over). count:
 * instances on this rank. */
void value_distribute(int64_t count, bmf_distribution *spread, bmf_value *child, bmf_value *out);

/* The lengths of the lists that are elements of a distributed list of one instance, or of pairs the second components:
 * value->buffer has elements->count + 1 starts, the same on every rank, or is NULL where ranks have not told each
 * other. They go with the value; what makes another one says whether it has the same. */

/* Those of a partition, for a distributed list that has none yet. */
void lengths_keep(const bmf_partition *partition, bmf_value *distributed);
/* Ranks tell each other how long the lists on their processors are. Collective; settles failures. */
int lengths_tell(bmf_context *ctx, const bmf_distribution *spread, const bmf_value *lists, bmf_buffer **starts);
/* All of them as the parts of one list. Not collective. */
int lengths_partition(bmf_context *ctx, const bmf_distribution *spread, const bmf_buffer *starts,
                      bmf_partition **partition);

/* Whether an expression leaves lists as long as they are, and the lists in them, so many levels in all. */
bool keeps_lengths(const bmf_expression *expression, int levels);

/* The processors of a split of `parts` parts, 2^log2_stride apart: element k of instance c is c * parts + k. An agreed
 * failure if the machine has not so many. */
int split_spread(bmf_evaluator *evaluator, const bmf_expression *split, int64_t parts, int log2_stride,
                 const bmf_layout *instances, bmf_distribution **made);

/* Distributed lists of one instance, joined to a list in C with a part on each element's processor. `lists`, the
 * elements on this rank, are taken over. Collective; settles failures. */
int value_to_list(bmf_context *ctx, const bmf_distribution *spread, bmf_value *lists, bmf_list **list);
/* The parts of a list in C on this rank, each as a list: one instance a part. The list's column is moved out of it. */
int value_from_parts(bmf_list *list, bmf_value *parts);

/* Nobody has an element: there is no instance, as in a branch that is not taken, or its lists are empty. Then the
 * expression makes distributed lists without elements, of the type that it makes: takes x over. */
static inline bool distribution_is_empty(const bmf_distribution *spread)
{
    return spread->elements->count == 0;
}
int distribute_nothing(bmf_evaluator *evaluator, const bmf_expression *expression, bmf_value *x, bmf_value *out);

/* The pair of the batches a and b, both taken over, also on failure. */
void value_pair(bmf_value *a, bmf_value *b, bmf_value *out);

/* The instances' values x on the elements of their distributed lists: a batch for this rank's elements. Down the split
 * tree; count - 1 messages a list. x stays the caller's. Collective. */
int distribution_broadcast(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame,
                           const bmf_distribution *spread, bmf_value *x, bmf_value *out);

/* Distributed lists of a batch whose type may hold them anywhere outside placed lists: as placed lists on their
 * instances' processors. For results. Takes x over. */
int collect_distributed(bmf_evaluator *evaluator, bmf_frame *frame, bmf_value *x, bmf_value *out);

#endif
