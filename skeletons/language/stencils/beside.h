/* What stands around the blocks of a grid and is there, brought from the blocks that have it. Private to the stencils.
 *
 * Axes and coordinates are those of points.h. */
#ifndef BMF_LANGUAGE_BESIDE_H
#define BMF_LANGUAGE_BESIDE_H

#include "skeletons/engine/regrid.h"
#include "skeletons/language/stencils/points.h"

/* Points that one block needs of another: the stretch of the axis of a round, along those behind it with what was
 * brought for them. */
typedef struct beside_piece {
    int64_t needer, owner; /* parts; one of them is here */
    int64_t stretch;       /* of the axis */
    int64_t offset, bytes; /* in the buffers */
} beside_piece;

struct bmf_beside {
    bmf_evaluator *evaluator;
    const bmf_expression *stencil;
    const bmf_distribution *spread;
    bmf_axis axis[BMF_AXES];
    int64_t point_bytes;
    bmf_points *points; /* the blocks here, whose near points are filled in; NULL: this rank has failed */
    int rounds, next;   /* how many there are; the axis that is next */
    /* the round on its way */
    beside_piece *piece;
    int64_t pieces, capacity, bytes;
    char *sent, *received; /* where it has any */
    bmf_round round;
    bmf_exchange *under_way;
};

/* Blocks as the tiling cuts the whole, which stays until the end. Prints the plan, if one is wanted. */
void beside_open(bmf_beside *beside, bmf_evaluator *evaluator, const bmf_expression *stencil,
                 const bmf_distribution *spread, const bmf_tiling *tiling);
/* How many points before and behind block i of this rank are there, along an axis. */
void beside_count(const bmf_beside *beside, int64_t i, int axis, int64_t *before, int64_t *behind);
/* Rounds `rounds`, one after the other, for the axes along which there are several blocks: messages of exactly the
 * points that one block needs of another, each from the block that has them, 2 a block if blocks have as many points
 * along the axis as windows reach. The last axis comes first, and with the rows of each following one goes what came
 * beside them before, so corners need no messages of their own. Both collective; no other round is begun before the
 * end. */
int beside_begin(bmf_beside *beside);
int beside_end(bmf_beside *beside);
/* Behind the last round: what blocks have beside them of themselves. */
void beside_finish(bmf_beside *beside);
void beside_close(bmf_beside *beside);

#endif
