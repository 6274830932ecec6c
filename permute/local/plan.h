/* How one permutation is done in memory: the granularity, the engine, and everything computed once. Private to
 * permute/local/. */
#ifndef BMF_LOCAL_PLAN_H
#define BMF_LOCAL_PLAN_H

#include "permute/local/engine.h"

enum { LOCAL_LINE = ENGINE_LINE, LOCAL_TABLE_BITS = 10 };

typedef struct bmf_local_plan bmf_local_plan;

/* Permutes a turn of a tile. */
typedef void bmf_local_inside(const bmf_local_plan *plan, const bmf_tile *tile);

struct bmf_local_plan {
    int64_t element_bytes;       /* of the elements that are permuted: parts of the caller's, if those are large */
    bmf_permutation permutation; /* of them */
    bmf_tiling tiling;
    uint64_t source_origin, target_origin; /* of the first tile */
    size_t run_bytes, tile_bytes;          /* in the cache */
    uint64_t tiles;
    bool direct; /* runs move as they are: a tile is a run, rank 0 */
    bool padded; /* elements of 3 or 6 bytes have 4 or 8 in the cache; the tiles are staged */
    bmf_padding padding;
    bool staged; /* tiles are copied into the cache before they are permuted, instead of read from memory */
    /* A turn is done of one tile, then of another one; memory is asked for so many turns ahead. */
    size_t turn_bytes;
    int turn_bits;     /* 2^turn_bits turns a tile */
    int turn_run_bits; /* 2^turn_run_bits runs a turn; negative: parts of a run */
    uint64_t turns_ahead;
    /* A tile is written when so many others have been begun after it, at least two; until then it is in a buffer. */
    uint64_t lag;
    const bmf_engine *engine;
    bmf_network_kernel *kernel; /* NULL: one element at a time, by these tables */
    bmf_network network;
    /* The source of local target address t is low_source[t & mask] ^ high_source[t >> LOCAL_TABLE_BITS]. */
    uint32_t low_source[1 << LOCAL_TABLE_BITS], high_source[1 << LOCAL_TABLE_BITS];
    bmf_local_inside *inside;
    /* Positions of a tile's runs relative to the tile's, in elements; added by exclusive or. */
    size_t runs;
    uint64_t *source_run, *target_run;
};

/* engine NULL: the best this processor has. run_bits: LOCAL_CHOOSE, or what runs of that many bits are wanted. */
enum { LOCAL_CHOOSE = -1 };
bmf_local_plan *local_plan_create(const bmf_permutation *p, int64_t element_bytes, int run_bits,
                                  const bmf_engine *engine);
/* The run_bits to be wanted of parts (permute/local/part.h), and the bits of the words that an element is cut into. */
int local_part_run_bits(const bmf_permutation *p, int64_t element_bytes, int *part_bits);
void local_plan_free(bmf_local_plan *plan);

static inline const char *local_at(const bmf_local_plan *plan, const void *base, uint64_t x)
{
    return (const char *)base + x * (uint64_t)plan->element_bytes;
}

/* Scratch of one thread: so many tiles, 64-byte aligned, each at a multiple of local_tile_pitch(plan); NULL when
 * there is no memory. */
char *local_scratch(const bmf_local_plan *plan, int tiles);
static inline size_t local_tile_pitch(const bmf_local_plan *plan)
{
    return (plan->tile_bytes + LOCAL_LINE - 1) / LOCAL_LINE * LOCAL_LINE;
}

#endif
