/* Stencils: the geometry of blocks, what they need of each other, and how a block is computed. Private.
 *
 * Inside, every grid has three axes; those that the user's lacks come first, with one element and no radius. Axis 2 is
 * contiguous. "Local" coordinates count from the first element of a block and may be negative: what is around it. */
#ifndef BMF_STENCIL_PRIVATE_H
#define BMF_STENCIL_PRIVATE_H

#include "bmf/stencil.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

enum { BMF_AXES = BMF_MAX_DIMENSIONS };

/* Elements [begin, end) along each axis. */
typedef struct bmf_box {
    int64_t begin[BMF_AXES], end[BMF_AXES];
} bmf_box;

static inline int64_t box_extent(const bmf_box *box, int axis)
{
    return box->end[axis] > box->begin[axis] ? box->end[axis] - box->begin[axis] : 0;
}

static inline int64_t box_elements(const bmf_box *box)
{
    return box_extent(box, 0) * box_extent(box, 1) * box_extent(box, 2);
}

static inline bmf_box box_intersection(const bmf_box *a, const bmf_box *b)
{
    bmf_box both;
    for (int k = 0; k < BMF_AXES; k++) {
        both.begin[k] = a->begin[k] > b->begin[k] ? a->begin[k] : b->begin[k];
        both.end[k] = a->end[k] < b->end[k] ? a->end[k] : b->end[k];
    }
    return both;
}

/* A stretch of elements along an axis that a block needs for its windows. */
typedef struct bmf_stretch {
    int64_t needer, owner; /* blocks along the axis */
    int64_t to;            /* first element, local to the needer */
    int64_t from;          /* the same element, local to the owner */
    int64_t count;
    int step; /* of `from`: 1, or -1 if mirrored */
} bmf_stretch;

/* An axis, and the stretches of all its blocks. */
typedef struct bmf_axis {
    int64_t blocks;
    int64_t *start; /* blocks + 1 */
    int64_t radius;
    bmf_boundary boundary;
    const void *outside[2];
    bmf_stretch *stretch;         /* by needer */
    int64_t *needed;              /* those of needer k: [needed[k], needed[k + 1]) */
    const bmf_stretch **provided; /* by owner, then by needer */
    int64_t *owned;               /* those of owner k: [owned[k], owned[k + 1]) of them */
} bmf_axis;

/* Makes the stretches; blocks, start, radius and boundary are there. */
void axis_make(bmf_axis *axis);
void axis_free(bmf_axis *axis);

/* What is applied to what. */
typedef struct bmf_stencil_call {
    bmf_context *ctx;
    const bmf_partition *partition;
    const bmf_stencil_kernel *kernel;
    int64_t size; /* of an element */
    bmf_axis axis[BMF_AXES];
} bmf_stencil_call;

static inline void block_of_part(const bmf_stencil_call *call, int64_t part, int64_t block[BMF_AXES])
{
    for (int k = BMF_AXES - 1; k >= 0; k--) {
        block[k] = part % call->axis[k].blocks;
        part /= call->axis[k].blocks;
    }
}

/* The elements of a part, in its local coordinates. */
bmf_box part_box(const bmf_stencil_call *call, int64_t part);

/* ---- what blocks get from each other: skeletons/stencil/halo.c ---- */

/* A box that one block needs of another. */
typedef struct bmf_halo_piece {
    int64_t from, to;        /* parts */
    bmf_box box;             /* local to the needer */
    int64_t first[BMF_AXES]; /* its first element, local to the owner */
    int step[BMF_AXES];
    int64_t offset; /* bytes in the buffer of what is sent or received */
} bmf_halo_piece;

/* The pieces of one direction in the order of messages; all of a message follow each other. */
typedef struct bmf_halo_pieces {
    bmf_halo_piece *piece;
    int64_t count, capacity;
    int64_t bytes;
    char *data; /* the elements; NULL in plans */
} bmf_halo_pieces;

typedef struct bmf_halo {
    const bmf_stencil_call *call;
    bmf_halo_pieces sent, received; /* pieces that stay on the host are in both */
    int64_t *received_by;           /* those of local part k: [received_by[k], received_by[k + 1]) */
    bmf_round round;
    const char *source; /* local elements that are sent */
} bmf_halo;

/* For the processors of a host: [low, high). data: with buffers. */
void halo_make(bmf_halo *halo, const bmf_stencil_call *call, int64_t low, int64_t high, bool data);
void halo_free(bmf_halo *halo);
/* Sends the edges of the blocks at `source`. */
int halo_begin(bmf_halo *halo, uint32_t step, const char *source, bmf_exchange **under_way);

/* ---- computing blocks: skeletons/stencil/blocks.c ---- */

typedef struct bmf_blocks bmf_blocks;

bmf_blocks *blocks_create(const bmf_stencil_call *call, const bmf_halo *halo);
void blocks_free(bmf_blocks *blocks);
/* The elements whose windows are in their block, while a round is under way (or NULL). */
int blocks_inside(bmf_blocks *blocks, uint32_t step, const char *from, char *to, bmf_exchange *under_way);
/* All others, from the block and what was received. */
int blocks_border(bmf_blocks *blocks, uint32_t step, const char *from, char *to);

#endif
