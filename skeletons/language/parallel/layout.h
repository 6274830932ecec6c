/* Where instances and elements of distributed lists lie: known in full on every rank, one number per instance.
 *
 * Only instances that take part in communication have a layout: the program itself, elements of distributed lists, and
 * instances of maps in which something is split. Instances inside ordinary maps never do. */
#ifndef BMF_LANGUAGE_LAYOUT_H
#define BMF_LANGUAGE_LAYOUT_H

#include "bmf/context.h"
#include "runtime/data/type.h"

typedef struct bmf_layout {
    int references;
    int64_t count;       /* instances of the whole evaluator, in order */
    int64_t *processor;  /* of each */
    int64_t local_count; /* those on this rank's processors */
    int64_t *local;      /* their numbers, rising */
} bmf_layout;

/* The processors are copied. */
bmf_layout *layout_create(bmf_context *ctx, int64_t count, const int64_t *processor);
bmf_layout *layout_retain(bmf_layout *layout);
void layout_release(bmf_layout *layout);
bool layout_equal(const bmf_layout *a, const bmf_layout *b);

/* Gathers `width` numbers of every instance on this rank to all ranks, rank by rank: all has layout->count times as
 * many. Collective; settles failures. */
int layout_allgather(bmf_context *ctx, const bmf_layout *layout, int64_t width, const int64_t *local, int64_t *all);

/* The distributed lists of a batch: instance c (of all instances of all ranks) has the elements [offsets[c], offsets[c
 * + 1]) of `elements`, which says their processors. They may be the blocks of a grid, the same for every instance. */
typedef struct bmf_distribution {
    int references;
    int64_t instances;
    int64_t *offsets; /* instances + 1 */
    bmf_layout *elements;
    int dimensions; /* of the grid; 0: none */
    int64_t blocks[TYPE_DIMENSIONS];
} bmf_distribution;

/* offsets are copied, one reference of the layout is taken over. */
bmf_distribution *distribution_create(int64_t instances, const int64_t *offsets, bmf_layout *elements);
bmf_distribution *distribution_retain(bmf_distribution *spread);
void distribution_release(bmf_distribution *spread);
/* Same elements on the same processors in every instance, whatever the grids. */
bool distribution_equal(const bmf_distribution *a, const bmf_distribution *b);

#endif
