/* Moving tiles from memory to memory through the cache, several at a time. Private to permute/local/. */
#ifndef BMF_LOCAL_PIPELINE_H
#define BMF_LOCAL_PIPELINE_H

#include "permute/local/plan.h"

/* A tile that is at address x, and whose place is y: its address 0 goes to y, an address with run_bits low bits. */
typedef struct bmf_move {
    uint64_t x, y;
} bmf_move;

/* The next tile to move; false: there are no more. */
typedef bool bmf_next_move(void *state, bmf_move *move);

/* The number of tiles that pipeline_run needs scratch memory for. */
static inline int pipeline_tiles(const bmf_local_plan *plan)
{
    return (int)plan->lag + (plan->staged ? 2 : 1);
}

/* Moves tiles in the order of `next`, which is asked some tiles ahead. Source and target may be the same memory if a
 * tile's place is that of a tile at most one later, or of one before. scratch: pipeline_tiles(plan) tiles
 * (local_scratch). The last stores must be finished by the engine. */
void pipeline_run(const bmf_local_plan *plan, char *target, const char *source, char *scratch, bmf_next_move *next,
                  void *state);

/* The two halves of moving one tile: permuted in a buffer of one tile; to its place. scratch: one tile. */
void pipeline_read(const bmf_local_plan *plan, const char *source, const bmf_move *move, char *permuted, char *scratch);
void pipeline_write(const bmf_local_plan *plan, char *target, const bmf_move *move, const char *permuted);

#endif
