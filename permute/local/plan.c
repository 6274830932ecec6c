/* Choosing granularity and engine for one permutation.
 *
 * Method: a run should be long, for pages and for the memory's own rows, and a few tiles should fit the second cache.
 * The tile of runs of 2^k elements has at most 2^(2k) elements, so the longest run whose tile fits has at least the
 * square root of the tile's elements. Large elements are permuted as so many words of 8 bytes whose low address bits
 * stay where they are; elements of 12, 24, 48, .. bytes as words of 6, which have 8 in the cache, as those of 3 have 4,
 * so that vectors have whole elements; blocks of LONG_RUN bytes and more that stay whole are moved directly. Reads are
 * asked for AHEAD bytes before they are needed, but of no more than WAYS runs, which powers of two apart may all fall
 * into the same set of the caches. What was put into a buffer is read from there LAG bytes later: some processors are
 * slow to load what is still on its way to the cache. Cost: O(n^3) word operations. */
#include <stdlib.h>

#include "permute/local/plan.h"
#include "permute/local/portable.h"
#include "runtime/base/allocate.h"

enum { WORD = 8, PADDED_WORD = 6, LONG_RUN = 1024, LONGEST_RUN = 1 << 15, MAX_TILE = 1 << 16 };
enum { TURN = 2048, LARGE_TURN = 4096, AHEAD = 8192, WAYS = 8, SET_BITS = 10, LAG = 4096, MAX_LAG = 16 };
/* Of parts: tiles that mix few of the highest bits. */
enum { SHORT_RUN = 256, MAX_PART_TILE = 1 << 13 };

/* An element of 2^bits parts: its parts keep their order. */
static void refine(int bits, bmf_permutation *p)
{
    bmf_permutation fine = {.bits = p->bits + bits, .complement = p->complement << bits};
    fine.matrix.bits = fine.bits;
    for (int j = 0; j < fine.bits; j++)
        fine.matrix.column[j] = j < bits ? UINT64_C(1) << j : p->matrix.column[j - bits] << bits;
    *p = fine;
}

/* The number of low address bits that nothing changes and that change nothing. */
static int low_bits_kept(const bmf_permutation *p)
{
    uint64_t changed = p->complement;
    for (int j = 0; j < p->bits; j++)
        changed |= p->matrix.column[j] ^ UINT64_C(1) << j;
    int kept = 0;
    while (kept < p->bits && !(changed >> kept & 1) && p->matrix.column[kept] == UINT64_C(1) << kept)
        kept++;
    return kept;
}

/* Bits of the longest run of at most `most` bytes: -1 if an element is larger. */
static int run_bits_of(int64_t element_bytes, int64_t max)
{
    int bits = -1;
    while (element_bytes << (bits + 1) <= max)
        bits++;
    return bits;
}

/* The longest runs that move as they are. */
static int direct_run_bits(const bmf_local_plan *plan)
{
    const int kept = low_bits_kept(&plan->permutation);
    const int longest = run_bits_of(plan->element_bytes, LONGEST_RUN);
    return kept < longest ? kept : longest;
}

/* The longest runs whose tiles fit; in a part smaller tiles do, unless their runs are short. */
static int tile_run_bits(const bmf_local_plan *plan, bool of_part)
{
    const bmf_permutation *p = &plan->permutation;
    int run_bits = 0;
    for (int k = 1; k <= p->bits; k++) {
        const int tile_bits = k + tiling_rank(&p->matrix, k);
        const int64_t max = of_part && plan->element_bytes << k > SHORT_RUN ? MAX_PART_TILE : MAX_TILE;
        if (tile_bits > 2 * LOCAL_TABLE_BITS || plan->element_bytes << tile_bits > max)
            break;
        run_bits = k;
    }
    return run_bits;
}

static int choose_run_bits(const bmf_local_plan *plan, bool of_part)
{
    const int direct = direct_run_bits(plan);
    if (plan->element_bytes << direct >= LONG_RUN || direct == plan->permutation.bits)
        return direct;
    return tile_run_bits(plan, of_part);
}

static void permute_by_network(const bmf_local_plan *plan, const bmf_tile *tile)
{
    plan->kernel(&plan->network, tile);
}

/* Tiles are read from memory where the engine can, and where what is prefetched stays in the caches until then. */
static void make_network(bmf_local_plan *plan, int lane_bits, int element_bits)
{
    network_make(&plan->tiling, lane_bits, element_bits, true, &plan->network);
    plan->staged = plan->padded || !plan->engine->reads_memory || network_conflicts(&plan->network, SET_BITS) > WAYS;
    if (plan->staged)
        network_make(&plan->tiling, lane_bits, element_bits, false, &plan->network);
}

static bool is_power_of_2(int64_t bytes)
{
    return (bytes & (bytes - 1)) == 0;
}

/* In the first 12 bytes, too, packed elements are padded to 16: the same places do for shorter registers. */
static void make_padding(int packed, int padded, bmf_padding *padding)
{
    for (int i = 0; i < ENGINE_LINE; i++) {
        padding->packed_at[i] = (uint8_t)(i % padded < packed ? i / padded * packed + i % padded : ENGINE_LINE - 1);
        padding->padded_at[i] = (uint8_t)(i / packed * padded + i % packed);
    }
}

/* Elements of 3 or 6 bytes get whole lanes in the cache. Returns the bytes of an element there. */
static int64_t pad(bmf_local_plan *plan)
{
    const int64_t bytes = plan->element_bytes;
    plan->padded = plan->engine->fetch_padded && (bytes == PADDED_WORD / 2 || bytes == PADDED_WORD) &&
                   bytes / 3 * 4 << plan->tiling.run_bits >= ENGINE_LINE;
    if (!plan->padded)
        return bytes;
    make_padding((int)bytes, (int)(bytes / 3 * 4), &plan->padding);
    plan->run_bytes = plan->run_bytes / 3 * 4;
    plan->tile_bytes = plan->tile_bytes / 3 * 4;
    return bytes / 3 * 4;
}

static void choose_inside(bmf_local_plan *plan)
{
    const int64_t bytes = pad(plan);
    if (bytes <= WORD && is_power_of_2(bytes)) {
        const int element_bits = __builtin_ctzll((uint64_t)bytes);
        const int lane_bits = plan->engine->vector_bits - element_bits;
        if (plan->engine->kernel[element_bits] && lane_bits <= plan->tiling.run_bits) {
            plan->kernel = plan->engine->kernel[element_bits];
            make_network(plan, lane_bits, element_bits);
            plan->inside = permute_by_network;
            return;
        }
    }
    plan->staged = true;
    local_portable_tables(plan);
    plan->inside = local_portable_inside(bytes);
}

static void choose_turns(bmf_local_plan *plan)
{
    const int tile_bits = plan->tiling.run_bits + plan->tiling.rank;
    const int max = plan->kernel ? plan->network.steps : tile_bits;
    const size_t turn = plan->staged || plan->network.rank > 3 ? LARGE_TURN : TURN;
    int bits = 0;
    while (bits < max && plan->tile_bytes >> (bits + 1) >= turn)
        bits++;
    plan->turn_bits = bits;
    plan->turn_run_bits = plan->tiling.rank - bits;
    plan->turn_bytes = plan->tile_bytes >> bits;
    plan->network.turn_steps = plan->network.steps - bits;
    const size_t runs = WAYS * plan->run_bytes, ahead = runs < AHEAD ? runs : AHEAD;
    plan->lag = LAG / plan->tile_bytes > 2 ? LAG / plan->tile_bytes : 2;
    plan->lag = plan->lag < MAX_LAG ? plan->lag : MAX_LAG;
    plan->turns_ahead = ahead > plan->turn_bytes ? ahead / plan->turn_bytes : 1;
}

static const bmf_engine *best_engine(void)
{
    const bmf_engine *engine = engine_avx512();
    if (!engine)
        engine = engine_avx2();
    return engine ? engine : engine_portable();
}

static void list_runs(bmf_local_plan *plan)
{
    plan->runs = (size_t)1 << plan->tiling.rank;
    plan->source_run = allocate_array(2 * (int64_t)plan->runs, (int64_t)sizeof *plan->source_run);
    plan->target_run = plan->source_run + plan->runs;
    for (size_t r = 0; r < plan->runs; r++) {
        plan->source_run[r] = columns_apply(plan->tiling.source_run, r);
        plan->target_run[r] = columns_apply(plan->tiling.target_run, r);
    }
}

/* Elements of 16, 32, .. bytes, or 12, 24, .. if the engine pads, are permuted as words. Returns the address bits that
 * this adds. */
static int set_elements(bmf_local_plan *plan, const bmf_permutation *p, int64_t element_bytes)
{
    plan->permutation = *p;
    plan->element_bytes = element_bytes;
    const bool pads = element_bytes % PADDED_WORD == 0 && plan->engine->fetch_padded;
    const int64_t word = pads ? PADDED_WORD : WORD, words = element_bytes / word;
    if (element_bytes <= word || words * word != element_bytes || !is_power_of_2(words))
        return 0;
    refine(__builtin_ctzll((uint64_t)words), &plan->permutation);
    plan->element_bytes = word;
    return plan->permutation.bits - p->bits;
}

int local_part_run_bits(const bmf_permutation *p, int64_t element_bytes, int *part_bits)
{
    bmf_local_plan plan = {.engine = best_engine()};
    *part_bits = set_elements(&plan, p, element_bytes);
    return choose_run_bits(&plan, true);
}

bmf_local_plan *local_plan_create(const bmf_permutation *p, int64_t element_bytes, int run_bits,
                                  const bmf_engine *engine)
{
    bmf_local_plan *plan = allocate_clear(1, (int64_t)sizeof *plan);
    plan->engine = engine ? engine : best_engine();
    set_elements(plan, p, element_bytes);
    if (run_bits == LOCAL_CHOOSE)
        run_bits = choose_run_bits(plan, false);
    plan->target_origin = plan->permutation.complement;
    plan->direct = run_bits <= low_bits_kept(&plan->permutation);
    tiling_make(&plan->permutation.matrix, run_bits, TILING_NESTED, &plan->tiling);
    plan->run_bytes = (size_t)plan->element_bytes << run_bits;
    plan->tile_bytes = plan->run_bytes << plan->tiling.rank;
    plan->tiles = UINT64_C(1) << plan->tiling.steps;
    if (!plan->direct)
        choose_inside(plan);
    choose_turns(plan);
    list_runs(plan);
    return plan;
}

void local_plan_free(bmf_local_plan *plan)
{
    if (plan)
        free(plan->source_run);
    free(plan);
}

char *local_scratch(const bmf_local_plan *plan, int tiles)
{
    return aligned_alloc(LOCAL_LINE, (size_t)tiles * local_tile_pitch(plan));
}
