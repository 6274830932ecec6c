/* Blocks of points, in one to three dimensions, and what stands around them. Private to the stencils.
 *
 * Inside, every block has three axes; those that a list of points or of rows lacks come first, with one point and no
 * reach. Axis 2 is contiguous. Coordinates count from the block's first own point. Three boxes lie in each other, all
 * empty if the block has no points:
 *
 *   own     the block's points
 *   known   and those around it that are there: of other parts, or of its own other end
 *   shell   and those beyond edges: as far as windows reach
 *
 * Points have numbers: first all own ones, block by block; then those known around blocks; then those beyond edges. The
 * latter two go block by block, and row by row of the outer box without the inner one; but where every edge is a
 * constant, that stands once for all: number 2 k + side of axis k. */
#ifndef BMF_LANGUAGE_POINTS_H
#define BMF_LANGUAGE_POINTS_H

#include "skeletons/language/stencils/stencils.h"
#include "skeletons/stencil/stencil.h"

typedef struct bmf_beside bmf_beside; /* beside.h */

typedef struct points_block {
    bmf_box own, known, shell;
    int64_t point, near, edge; /* the first of each, counted over all blocks */
} points_block;

typedef struct bmf_points {
    bmf_evaluator *evaluator;
    bmf_expression *stencil;
    bmf_frame *frame;                /* of the blocks */
    const bmf_value *handed, *lists; /* handed: one value a block, or NULL */
    const bmf_beside *beside;        /* of blocks of a grid (beside.h); NULL: of others */
    int dimensions;
    int64_t reach[BMF_AXES];
    bool ring[BMF_AXES];
    bool in_parts;        /* what is known around blocks is brought from other parts, */
    bool late[BMF_AXES];  /* namely beside them along these axes */
    bool constant_edges;  /* or none */
    const bmf_type *type; /* of a point */
    int leaves;
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_value level[BMF_AXES]; /* lists in each other, packed; level[dimensions - 1] has the points */
    bmf_value near, edges;     /* points; none before they are made */
    points_block *block;
    int64_t count, points, nears, beyonds; /* of all blocks */
    bmf_value made;                        /* results */
    bmf_failure failure;                   /* the first one; of an own point */
} bmf_points;

static inline bool box_has(const bmf_box *box, int axis, int64_t at)
{
    return at >= box->begin[axis] && at < box->end[axis];
}

/* Own points. */
static inline const bmf_value *points_own(const bmf_points *p)
{
    return &p->level[p->dimensions - 1].child[0];
}

static inline int64_t block_point(const points_block *q, int64_t a, int64_t b, int64_t c)
{
    return q->point + (a * q->own.end[1] + b) * q->own.end[2] + c;
}

/* The number of a point of the shell, and how many of the same kind stand behind it in its row, itself included. */
int64_t points_find(const bmf_points *p, const points_block *q, const int64_t at[BMF_AXES], int64_t *count);
/* A slice for every leaf from own, near and edge points by their numbers. */
int points_take(const bmf_points *p, const int64_t *number, int64_t count, bmf_value *out);

/* Which points beyond edges are made: those that own points show, the others, or all. */
typedef enum bmf_edges_stage { BMF_EDGES_EARLY, BMF_EDGES_LATE, BMF_EDGES_ALL } bmf_edges_stage;
/* Beyond the edges stands what their functions make of the point that a mirror there shows; one dimension after the
 * other, the last first, so that the points at corners are made of such points. Late ones need `near`. */
int edges_make(bmf_points *p, bmf_edges_stage stage);

/* A slice of every leaf of those sources, with their numbers. */
typedef struct bmf_point_slices {
    bmf_slice own[BMF_MAX_LEAVES], near[BMF_MAX_LEAVES], edge[BMF_MAX_LEAVES];
} bmf_point_slices;
void points_slices(const bmf_points *p, bmf_point_slices *slices);
static inline bmf_slice point_slice(const bmf_points *p, const bmf_point_slices *slices, int64_t number, int leaf)
{
    const bool own = number < p->points, near = !own && number < p->points + p->nears;
    bmf_slice slice = own ? slices->own[leaf] : near ? slices->near[leaf] : slices->edge[leaf];
    slice.data = (char *)slice.data + (number - (own ? 0 : near ? p->points : p->points + p->nears)) * slice.stride;
    if (!own && !near && p->constant_edges)
        slice.stride = 0;
    return slice;
}
/* Of one leaf; most are numbers. */
static inline void point_copy(const void *from, int64_t size, void *to)
{
    if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, (size_t)size);
}
static inline void points_copy(const bmf_slice *from, int64_t count, int64_t size, char *to)
{
    if (from->stride == size)
        memcpy(to, from->data, (size_t)(count * size));
    else
        for (int64_t k = 0; k < count; k++)
            point_copy((const char *)from->data + k * from->stride, size, to + k * size);
}

/* Boxes of blocks that are computed in one pass; kernel, round: as of passes. */
typedef struct bmf_point_task {
    int64_t block;
    bmf_box box;
    int64_t first; /* its first point, counted over all tasks */
} bmf_point_task;
typedef struct bmf_point_tasks {
    const char *kernel;
    uint32_t round;
    bmf_point_task *task;
    int64_t count, capacity, points;
    int64_t *offset; /* those of block i are points [offset[i], offset[i + 1]) */
} bmf_point_tasks;

/* Computes a scalar function of the points of the tasks into `made`; failures are noted. under_way: messages that may
 * proceed meanwhile, or NULL. */
int points_compute(bmf_points *p, const bmf_point_tasks *tasks, bmf_exchange *under_way);
/* The function, whatever it is, of all points. */
int points_evaluate_any(const bmf_points *p, bmf_value *out);

/* Frames of the points, from the outermost list to them, and closing them. */
void points_open_frames(const bmf_points *p, bmf_frame frame[BMF_AXES]);
void points_close_frames(const bmf_points *p, bmf_frame frame[BMF_AXES]);

/* ---- a stencil of points, from the lists to the result ---- */

/* Packed lists, and what stands around them: around, if they are parts of one list, beside, if they are the blocks of
 * a grid, otherwise NULL; all stay as they are until the end. Fails if rows, or planes, are not of one length. */
int points_open(bmf_points *p, bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame,
                const bmf_value *handed, const bmf_value *lists, const bmf_around *around, const bmf_beside *beside);
/* What can be computed while points around are on their way: share k of so many, one for each round of messages. */
int points_begin(bmf_points *p, int share, int shares, bmf_exchange *under_way);
/* The others, when they are there. */
int points_end(bmf_points *p, const bmf_around *around, bmf_value *out);
void points_close(bmf_points *p);

#endif
