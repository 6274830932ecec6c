/* Chained scans: workers take cache-sized pieces in order; each folds its piece, waits for the fold of everything
 * before it, hands on its own, and scans the piece while it is still in the cache (the idea of Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back", 2016, with in-order hand-over). Private to skeletons. */
#ifndef BMF_CHAIN_H
#define BMF_CHAIN_H

#include <stdatomic.h>

#include "skeletons/engine/tree.h"

typedef struct bmf_chain {
    bmf_forest running; /* the fold of everything before piece `turn`, as far as that needs it */
    bool broken;        /* something failed before that piece; written by the owner of the turn */
    atomic_llong turn;  /* the piece whose worker owns the others */
} bmf_chain;

/* Takes what a piece needs of chain->running and makes it what the next piece needs. Returns 0 or a failure code. */
typedef int bmf_chain_step(bmf_chain *chain, void *state);

/* Waits for the turn of piece `index`, makes its step unless something failed (*code: in this piece), and hands on the
 * turn. Whether nothing has failed up to here: once something has, there is no fold to hand on, and later pieces only
 * pass the turn. */
bool chain_hand_on(bmf_chain *chain, int64_t index, bmf_chain_step *step, void *state, int *code);

/* Between two looks at what another worker is to do: spins, then yields, then sleeps, because that worker may need this
 * core when others use the machine too. */
void chain_pause(int spins);

/* Elements of a piece, a power of two from `smallest` on: about 256 KiB at `bytes` each, well inside a second-level
 * cache. */
int64_t chain_grain(int64_t smallest, int64_t bytes);

#endif
