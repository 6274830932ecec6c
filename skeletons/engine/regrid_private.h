/* What the files of regrid share. */
#ifndef BMF_REGRID_PRIVATE_H
#define BMF_REGRID_PRIVATE_H

#include "skeletons/engine/box_copy.h"
#include "skeletons/engine/regrid.h"

/* What two blocks have in common. */
typedef struct shared_box {
    int64_t from, to;                       /* parts */
    int64_t begin[BOX_AXES], end[BOX_AXES]; /* elements of the whole, along the source's axes */
    int64_t elements;
    int64_t at; /* where they begin among those of the list */
} shared_box;

typedef struct shared_boxes {
    shared_box *box;
    int64_t count, capacity;
    int64_t elements;
} shared_boxes;

/* Inside, both have three axes; those that are lacking come first and have one block of one element. */
typedef struct regrid_side {
    const bmf_partition *partition;
    int64_t blocks[BOX_AXES];
    const int64_t *start[BOX_AXES];
} regrid_side;

enum { REGRID_SOURCE, REGRID_TARGET };

/* Boxes that this host's blocks give to others, get from others, and that stay on their processor. A message is a box:
 * its first and count are the numbers of the box among those sent and received here, or -1. */
typedef struct regrid_call {
    bmf_context *ctx;
    regrid_side side[2];
    int axis[BOX_AXES], inverse[BOX_AXES]; /* of the target, which axis of the source; and back */
    shared_boxes sent, received, own;
    bmf_round round;
} regrid_call;

/* Elements of a side's block along an axis of its own, and the first of them. */
int64_t regrid_block_extent(const regrid_call *call, int side, int64_t part, int axis);
int64_t regrid_block_begin(const regrid_call *call, int side, int64_t part, int axis);
/* The box that a message brings, as it was sent here; NULL: it comes from another host. */
const shared_box *regrid_sent_here(const regrid_call *call, const shared_box *received);

/* The round, and what becomes of the elements: of types of fixed size, and with inner lists. */
int regrid_fixed(regrid_call *call, const bmf_column *column, bmf_column *out);
int regrid_nested(regrid_call *call, const bmf_column *column, bmf_column *out);

#endif
