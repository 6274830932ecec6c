/* Moving tiles in cycles, by all threads at once.
 *
 * Method: a tile is named by the smallest address in it. Some tiles, the cuts, are put aside first. Every thread then
 * takes a cut and moves tile after tile, always fetching the one whose place it takes, until that is a cut again.
 * Cycles without a cut are moved afterwards by the thread that comes to their smallest tile; it follows a cycle from
 * every tile until a smaller one appears, a few steps on average. Cost: every byte is read once and written once; per
 * tile, an affine map of the address by tables of its bytes. Scratch: a bit for every run, and CUTS tiles, at most a
 * thirty-second of the data. Source: leaders of cycles are folklore (Fich, Munro and Poblete, SIAM J. Computing 24,
 * 1995); the cuts are our own. */
#include "permute/local/cycles.h"

#include <omp.h>
#include <stdlib.h>

#include "permute/local/walk.h"
#include "runtime/base/allocate.h"

enum { CUTS = 128, MIN_TILES_PER_CUT = 32, BYTES = 8, CHUNK = 64 };

struct bmf_cycles {
    const bmf_local_plan *plan;
    int threads;
    uint64_t cuts;
    char *aside;     /* the cuts' tiles */
    uint64_t *moved; /* a bit for every run; that of the run a tile is named by counts */
    uint64_t image[BYTES][256];
};

static void make_images(bmf_cycles *cycles)
{
    const bmf_bit_matrix *a = &cycles->plan->permutation.matrix;
    for (int b = 0; b < BYTES && 8 * b < a->bits; b++)
        for (uint64_t value = 0; value < 256; value++)
            cycles->image[b][value] = bmf_bit_matrix_apply(a, (value << 8 * b) & low_bits(a->bits));
}

bmf_cycles *cycles_create(const bmf_local_plan *plan, int threads)
{
    bmf_cycles *cycles = allocate_clear(1, (int64_t)sizeof *cycles);
    const uint64_t runs = plan->tiles << plan->tiling.rank, max = plan->tiles / MIN_TILES_PER_CUT;
    cycles->plan = plan;
    cycles->threads = threads;
    cycles->cuts = max < CUTS ? max : CUTS;
    cycles->moved = calloc(runs / 64 + 1, sizeof *cycles->moved);
    cycles->aside = local_scratch(plan, (int)cycles->cuts + 1);
    make_images(cycles);
    if (cycles->moved && cycles->aside)
        return cycles;
    cycles_free(cycles);
    return NULL;
}

void cycles_free(bmf_cycles *cycles)
{
    if (!cycles)
        return;
    free(cycles->moved);
    free(cycles->aside);
    free(cycles);
}

/* Where address x goes. */
static uint64_t image_of(const bmf_cycles *cycles, uint64_t x)
{
    uint64_t y = cycles->plan->permutation.complement;
    for (int b = 0; x; b++, x >>= 8)
        y ^= cycles->image[b][x & 255];
    return y;
}

/* The smallest address of the tile that y lies in: what is left without the highest bits of the reduced basis. */
static uint64_t name_of(const bmf_cycles *cycles, uint64_t y)
{
    const bmf_tiling *t = &cycles->plan->tiling;
    y &= ~low_bits(t->run_bits);
    for (int i = 0; i < t->rank; i++)
        if (y >> (63 - __builtin_clzll(t->source_run[i])) & 1)
            y ^= t->source_run[i];
    return y;
}

static bool is_moved(const bmf_cycles *cycles, uint64_t x)
{
    const uint64_t run = x >> cycles->plan->tiling.run_bits;
    return __atomic_load_n(&cycles->moved[run / 64], __ATOMIC_RELAXED) >> run % 64 & 1;
}

static void set_moved(bmf_cycles *cycles, uint64_t x)
{
    const uint64_t run = x >> cycles->plan->tiling.run_bits;
    __atomic_fetch_or(&cycles->moved[run / 64], UINT64_C(1) << run % 64, __ATOMIC_RELAXED);
}

static uint64_t tile_at(const bmf_cycles *cycles, uint64_t q)
{
    return name_of(cycles, tiling_begin(cycles->plan->tiling.source_step, q));
}

static uint64_t cut_at(const bmf_cycles *cycles, uint64_t number)
{
    return tile_at(cycles, cycles->plan->tiles / cycles->cuts * number);
}

static void fetch_tile(const bmf_local_plan *plan, char *to, const char *data, uint64_t x)
{
    local_fetch(plan, to, data, x);
}

/* Puts the tile `held` to its place y, while that at `ahead` is prefetched. */
static void put_tile(const bmf_local_plan *plan, char *data, uint64_t y, const char *held, char *out, uint64_t ahead)
{
    if (!plan->direct)
        plan->inside(plan, &(bmf_tile){held, out, y & low_bits(plan->tiling.run_bits)});
    local_stream(plan, data, y, plan->direct ? held : out, data, ahead);
}

/* Moves the tile held for x, and those whose places are taken, until one was put aside: a cut, or x again. */
static void move_from(bmf_cycles *cycles, char *data, uint64_t x, const char *held, char *scratch)
{
    const bmf_local_plan *plan = cycles->plan;
    const size_t pitch = local_tile_pitch(plan);
    char *const out = scratch + 2 * pitch;
    const uint64_t first = x;
    for (int turn = 0;; turn ^= 1) {
        const uint64_t y = image_of(cycles, x), next = name_of(cycles, y);
        char *const fetched = scratch + (size_t)turn * pitch;
        const bool last = next == first || is_moved(cycles, next);
        if (!last)
            fetch_tile(plan, fetched, data, next);
        put_tile(plan, data, y, held, out, last ? x : name_of(cycles, image_of(cycles, next)));
        if (last)
            return;
        if (is_moved(cycles, first))
            set_moved(cycles, next);
        held = fetched;
        x = next;
    }
}

static bool is_smallest_of_cycle(const bmf_cycles *cycles, uint64_t x)
{
    uint64_t y = x;
    do
        y = name_of(cycles, image_of(cycles, y));
    while (y > x);
    return y == x;
}

static void put_cuts_aside(bmf_cycles *cycles, const char *data)
{
    const size_t pitch = local_tile_pitch(cycles->plan);
    for (uint64_t c = 0; c < cycles->cuts; c++) {
        fetch_tile(cycles->plan, cycles->aside + c * pitch, data, cut_at(cycles, c));
        set_moved(cycles, cut_at(cycles, c));
    }
}

static void move_from_cuts(bmf_cycles *cycles, char *data, char *scratch)
{
    const size_t pitch = local_tile_pitch(cycles->plan);
#pragma omp for schedule(dynamic)
    for (uint64_t c = 0; c < cycles->cuts; c++)
        move_from(cycles, data, cut_at(cycles, c), cycles->aside + c * pitch, scratch);
}

static void move_the_rest(bmf_cycles *cycles, char *data, char *scratch)
{
    const bmf_local_plan *plan = cycles->plan;
    char *const held = scratch + 3 * local_tile_pitch(plan);
#pragma omp for schedule(dynamic, CHUNK)
    for (uint64_t q = 0; q < plan->tiles; q++) {
        const uint64_t x = tile_at(cycles, q);
        if (is_moved(cycles, x) || !is_smallest_of_cycle(cycles, x))
            continue;
        if (plan->direct && image_of(cycles, x) == x)
            continue;
        fetch_tile(plan, held, data, x);
        move_from(cycles, data, x, held, scratch);
    }
}

void cycles_follow(bmf_cycles *cycles, char *data, char *const *scratch)
{
    put_cuts_aside(cycles, data);
#pragma omp parallel num_threads(cycles->threads)
    {
        char *const mine = scratch[omp_get_thread_num()];
        move_from_cuts(cycles, data, mine);
        move_the_rest(cycles, data, mine);
        cycles->plan->engine->finish();
    }
}
