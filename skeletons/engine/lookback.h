/* Decoupled look-back: the folds before the nodes of a list, while workers fold the nodes in any order.
 *
 * Method: a worker that has folded a node gives its total and goes on; who finds that all totals up to some node are
 * there adds them to the running forest, in order, and notes the fold before and through every node (after Merrill and
 * Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). Nobody waits for a turn; a worker
 * waits only if it wants to scan a node whose predecessors are not folded yet.
 * Cost: one push a node. Private to skeletons. */
#ifndef BMF_LOOKBACK_H
#define BMF_LOOKBACK_H

#include <stdatomic.h>

#include "skeletons/engine/tree.h"

/* Makes `running` the forest before node `index` if that begins a part; otherwise it is that already. Returns 0 or a
 * failure code. */
typedef int bmf_lookback_start(void *state, int64_t index, bmf_forest *running);

typedef struct bmf_lookback {
    const bmf_tree *tree;
    bmf_lookback_start *start;
    void *state;
    const bmf_piece *node;
    int64_t nodes;
    char *total, *before, *through; /* by node: a record */
    atomic_bool *given;             /* by node: total is there */
    atomic_llong known;             /* nodes whose before and through are there */
    atomic_bool broken;             /* something failed: nobody needs to wait */
    atomic_flag taken;              /* somebody adds totals, and owns `running` and `code` */
    int code;                       /* of the operator, if it failed on totals; otherwise 0 */
    bmf_forest running;
} bmf_lookback;

/* node: every one a node of the tree. */
void lookback_create(bmf_lookback *lookback, const bmf_tree *tree, const bmf_piece *node, int64_t nodes,
                     bmf_lookback_start *start, void *state);
void lookback_free(bmf_lookback *lookback);
/* Where to put the total of a node before it is given. */
char *lookback_total(const bmf_lookback *lookback, int64_t index);
/* The total is there. */
void lookback_give(bmf_lookback *lookback, int64_t index);
/* Whether everything before a node is known, and its own total. */
bool lookback_knows(const bmf_lookback *lookback, int64_t index);
/* Waits for everything before a node, and for its own total. False: something failed, so that nothing will come. */
bool lookback_wait(bmf_lookback *lookback, int64_t index);
/* After that: the fold before the node, NULL if it is the first one of the list, and the fold through the node. */
const char *lookback_before(const bmf_lookback *lookback, int64_t index);
const char *lookback_through(const bmf_lookback *lookback, int64_t index);
/* A single worker may push a node on the running forest itself instead of giving its total. */
int lookback_enter(bmf_lookback *lookback, int64_t index);
void lookback_leave(bmf_lookback *lookback);
/* Something failed. */
void lookback_break(bmf_lookback *lookback);

#endif
