/* The engine for every processor: the C library's copies, and one element at a time.
 *
 * Method: the sources of a tile's elements, in the order of the targets, come from two small tables. Cost: two table
 * reads, a load and a store per element. It also serves sizes of elements that are not a power of two. */
#include <string.h>

#include "permute/local/portable.h"

static void move(char *to, const char *from, size_t bytes, const char *ahead)
{
    for (size_t i = 0; i < bytes; i += LOCAL_LINE)
        __builtin_prefetch(ahead + i);
    memcpy(to, from, bytes);
}

static void stream(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void finish(void)
{
}

const bmf_engine *engine_portable(void)
{
    static const bmf_engine engine = {"portable", 0, false, {NULL}, move, stream, move, NULL, NULL, finish};
    return &engine;
}

/* With a constant size the copies become plain loads and stores. */
__attribute__((always_inline)) static inline void permute(const bmf_local_plan *plan, const bmf_tile *tile,
                                                          size_t bytes)
{
    const uint64_t elements = UINT64_C(1) << (plan->tiling.run_bits + plan->tiling.rank);
    const uint64_t table = elements < 1 << LOCAL_TABLE_BITS ? elements : 1 << LOCAL_TABLE_BITS;
    const uint64_t turn = elements >> plan->turn_bits, block = turn < table ? turn : table;
    for (uint64_t t = tile->turn * turn; t < (tile->turn + 1) * turn; t += block) {
        const uint32_t high = plan->high_source[(t ^ tile->complement) >> LOCAL_TABLE_BITS];
        for (uint64_t v = t; v < t + block; v++) {
            const size_t from = high ^ plan->low_source[(v ^ tile->complement) & (table - 1)];
            memcpy(tile->target + v * bytes, tile->source + from * bytes, bytes);
        }
    }
}

#define INSIDE(bytes)                                                                                                  \
    static void inside_##bytes(const bmf_local_plan *plan, const bmf_tile *tile)                                       \
    {                                                                                                                  \
        permute(plan, tile, bytes);                                                                                    \
    }
INSIDE(1)
INSIDE(2)
INSIDE(3)
INSIDE(4)
INSIDE(6)
INSIDE(8)
INSIDE(12)
INSIDE(24)

static void inside_any(const bmf_local_plan *plan, const bmf_tile *tile)
{
    permute(plan, tile, (size_t)plan->element_bytes);
}

bmf_local_inside *local_portable_inside(int64_t element_bytes)
{
    static bmf_local_inside *const inside[25] = {[1] = inside_1, [2] = inside_2, [3] = inside_3,   [4] = inside_4,
                                                 [6] = inside_6, [8] = inside_8, [12] = inside_12, [24] = inside_24};
    return element_bytes < 25 && inside[element_bytes] ? inside[element_bytes] : inside_any;
}

void local_portable_tables(bmf_local_plan *plan)
{
    const int bits = plan->tiling.inside.bits, low_bits = bits < LOCAL_TABLE_BITS ? bits : LOCAL_TABLE_BITS;
    bmf_bit_matrix back;
    bmf_bit_matrix_inverse(&plan->tiling.inside, &back);
    for (uint64_t t = 0; t < UINT64_C(1) << low_bits; t++)
        plan->low_source[t] = (uint32_t)bmf_bit_matrix_apply(&back, t);
    for (uint64_t t = 0; t < UINT64_C(1) << (bits - low_bits); t++)
        plan->high_source[t] = (uint32_t)bmf_bit_matrix_apply(&back, t << low_bits);
}
