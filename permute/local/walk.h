/* Walking through the tiles of a permutation, and sharing them among threads. Private to permute/local/. */
#ifndef BMF_LOCAL_WALK_H
#define BMF_LOCAL_WALK_H

#include "permute/local/part.h"
#include "permute/local/pipeline.h"

enum { LOCAL_WORTH = 1 << 18 };

/* The number of threads that are worth it for so many bytes in so many parts: 1 .. threads. */
int local_workers(int64_t bytes, uint64_t parts, int threads);

/* Where the share of thread `me` of `all` begins. */
static inline uint64_t local_share(uint64_t tiles, uint64_t me, uint64_t all)
{
    return tiles / all * me + (me < tiles % all ? me : tiles % all);
}

/* All tiles of a plan, a share for each thread, or those of a part (permute/local/part.h) in turns between which the
 * first thread calls `between`. scratch: pipeline_tiles(plan) tiles for each thread; NULL if plan->direct. */
typedef struct bmf_walk {
    const bmf_local_plan *plan;
    char *target;
    const char *source;
    uint64_t first, count; /* tiles */
    const bmf_local_part *part;
} bmf_walk;

/* The calling thread's share. Source and target may be the same if every tile is its own image. The last stores are
 * finished. */
void local_walk(const bmf_walk *walk, char *scratch);

/* A permutation with a chosen engine; NULL: the best. As bmf_local_permute. */
int local_permute_with(const bmf_engine *engine, void *target, const void *source, int64_t element_bytes,
                       const bmf_permutation *p, int threads);
int local_permute_in_place_with(const bmf_engine *engine, void *data, int64_t element_bytes, const bmf_permutation *p,
                                int threads);

#endif
