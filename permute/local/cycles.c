/* Moving tiles in cycles, by all threads at once.
 *
 * Method: a tile is named by the smallest address in it. Some tiles, the cuts, are put aside first, permuted. Every
 * thread then takes a cut and moves what comes after it, tile after tile, until the next is a cut again; when all
 * threads are done, the cuts are put to their places. Cycles without a cut are moved afterwards by the thread that
 * comes to their smallest tile; it follows a cycle from every tile until a smaller one appears, a few steps on
 * average. The moves go through the pipeline (permute/local/pipeline.h), which is asked for them some tiles ahead.
 * Cost: every byte is read once and written once; per tile, an affine map of the address by tables of its bytes.
 * Scratch: a bit for every run and thread, and CUTS tiles, at most a thirty-second of the data. Source: leaders of
 * cycles are folklore (Fich, Munro and Poblete, SIAM J. Computing 24, 1995); the cuts are our own. */
#include "permute/local/cycles.h"

#include <omp.h>
#include <stdlib.h>

#include "permute/local/pipeline.h"
#include "runtime/base/allocate.h"

enum { CUTS = 128, CUT_SLOTS = 1024, MIN_TILES_PER_CUT = 32, BYTES = 8, CHUNK = 64 };

struct bmf_cycles {
    const bmf_local_plan *plan;
    int threads;
    uint64_t cuts;
    char *aside;                  /* the cuts' tiles */
    uint64_t cut_slot[CUT_SLOTS]; /* the cuts' names and 1, by hash; 0: free */
    /* A bit for every run, of each thread: that of the run a tile is named by counts. Common words would have to be set
     * by locked instructions, which wait for all streamed stores, and would travel between the cores. */
    uint64_t words, *moved;
    uint64_t next_cut, next_tiles; /* that no thread took yet */
    uint64_t image[BYTES][256];
};

static void make_images(bmf_cycles *cycles)
{
    const bmf_bit_matrix *a = &cycles->plan->permutation.matrix;
    for (int b = 0; b < BYTES && 8 * b < a->bits; b++)
        for (uint64_t value = 0; value < 256; value++)
            cycles->image[b][value] = bmf_bit_matrix_apply(a, (value << 8 * b) & low_bits(a->bits));
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

static uint64_t tile_at(const bmf_cycles *cycles, uint64_t q)
{
    return name_of(cycles, tiling_begin(cycles->plan->tiling.source_step, q));
}

static uint64_t cut_at(const bmf_cycles *cycles, uint64_t number)
{
    return tile_at(cycles, cycles->plan->tiles / cycles->cuts * number);
}

/* The slot of a name: where it is, or else a free one. */
static uint64_t cut_slot_of(const bmf_cycles *cycles, uint64_t x)
{
    uint64_t slot = x * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (cycles->cut_slot[slot % CUT_SLOTS] != 0 && cycles->cut_slot[slot % CUT_SLOTS] != x + 1)
        slot++;
    return slot % CUT_SLOTS;
}

static void list_cuts(bmf_cycles *cycles)
{
    for (uint64_t c = 0; c < cycles->cuts; c++)
        cycles->cut_slot[cut_slot_of(cycles, cut_at(cycles, c))] = cut_at(cycles, c) + 1;
}

static bool is_cut(const bmf_cycles *cycles, uint64_t x)
{
    return cycles->cut_slot[cut_slot_of(cycles, x)] != 0;
}

/* If any thread moved it; not while they do. */
static bool is_moved(const bmf_cycles *cycles, uint64_t x)
{
    const uint64_t run = x >> cycles->plan->tiling.run_bits;
    uint64_t word = 0;
    for (int thread = 0; thread < cycles->threads; thread++)
        word |= cycles->moved[cycles->words * (uint64_t)thread + run / 64];
    return word >> run % 64 & 1;
}

static void set_moved(bmf_cycles *cycles, int thread, uint64_t x)
{
    const uint64_t run = x >> cycles->plan->tiling.run_bits;
    cycles->moved[cycles->words * (uint64_t)thread + run / 64] |= UINT64_C(1) << run % 64;
}

bmf_cycles *cycles_create(const bmf_local_plan *plan, int threads)
{
    bmf_cycles *cycles = allocate_clear(1, (int64_t)sizeof *cycles);
    const uint64_t runs = plan->tiles << plan->tiling.rank, max = plan->tiles / MIN_TILES_PER_CUT;
    cycles->plan = plan;
    cycles->threads = threads;
    cycles->cuts = max < CUTS ? max : CUTS;
    cycles->words = runs / 64 + 1;
    cycles->moved = calloc(cycles->words * (uint64_t)threads, sizeof *cycles->moved);
    cycles->aside = local_scratch(plan, (int)cycles->cuts + 1);
    make_images(cycles);
    list_cuts(cycles);
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

static bmf_move move_of_cut(const bmf_cycles *cycles, uint64_t number)
{
    const uint64_t x = cut_at(cycles, number);
    return (bmf_move){x, image_of(cycles, x)};
}

static char *aside_at(const bmf_cycles *cycles, uint64_t number)
{
    return cycles->aside + number * local_tile_pitch(cycles->plan);
}

/* What a thread is moving: the tiles from x on, until `first` or a cut comes. */
typedef struct follower {
    bmf_cycles *cycles;
    int thread;
    bool open;
    uint64_t x, first;
    uint64_t q, end; /* tiles that are to be looked at for cycles without a cut */
} follower;

static void follow(follower *f, bmf_move *move)
{
    *move = (bmf_move){f->x, image_of(f->cycles, f->x)};
    f->x = name_of(f->cycles, move->y);
}

/* A bmf_next_move: the tiles between cuts. */
static bool next_after_cut(void *state, bmf_move *move)
{
    follower *f = state;
    bmf_cycles *cycles = f->cycles;
    while (!f->open) {
        const uint64_t cut = __atomic_fetch_add(&cycles->next_cut, 1, __ATOMIC_RELAXED);
        if (cut >= cycles->cuts)
            return false;
        f->first = cut_at(cycles, cut);
        f->x = name_of(cycles, image_of(cycles, f->first));
        f->open = !is_cut(cycles, f->x);
    }
    set_moved(cycles, f->thread, f->x);
    follow(f, move);
    f->open = !is_cut(cycles, f->x);
    return true;
}

static bool is_smallest_of_cycle(const bmf_cycles *cycles, uint64_t x)
{
    uint64_t y = x;
    do
        y = name_of(cycles, image_of(cycles, y));
    while (y > x);
    return y == x;
}

static bool begins_cycle(const bmf_cycles *cycles, uint64_t x)
{
    return !is_cut(cycles, x) && !is_moved(cycles, x) && is_smallest_of_cycle(cycles, x) &&
           !(cycles->plan->direct && image_of(cycles, x) == x);
}

/* A bmf_next_move: the tiles of cycles without a cut. */
static bool next_of_the_rest(void *state, bmf_move *move)
{
    follower *f = state;
    while (!f->open) {
        if (f->q == f->end) {
            f->q = __atomic_fetch_add(&f->cycles->next_tiles, CHUNK, __ATOMIC_RELAXED);
            if (f->q >= f->cycles->plan->tiles) {
                f->end = f->q;
                return false;
            }
            f->end = f->q + CHUNK < f->cycles->plan->tiles ? f->q + CHUNK : f->cycles->plan->tiles;
        }
        f->x = f->first = tile_at(f->cycles, f->q++);
        f->open = begins_cycle(f->cycles, f->x);
    }
    follow(f, move);
    f->open = f->x != f->first;
    return true;
}

static void put_cuts_aside(const bmf_cycles *cycles, const char *data, char *scratch)
{
#pragma omp for schedule(static)
    for (uint64_t c = 0; c < cycles->cuts; c++) {
        const bmf_move move = move_of_cut(cycles, c);
        pipeline_read(cycles->plan, data, &move, aside_at(cycles, c), scratch);
    }
}

static void put_cuts_back(const bmf_cycles *cycles, char *data)
{
#pragma omp for schedule(static)
    for (uint64_t c = 0; c < cycles->cuts; c++) {
        const bmf_move move = move_of_cut(cycles, c);
        pipeline_write(cycles->plan, data, &move, aside_at(cycles, c));
    }
}

void cycles_follow(bmf_cycles *cycles, char *data, char *const *scratch)
{
#pragma omp parallel num_threads(cycles->threads)
    {
        char *const mine = scratch[omp_get_thread_num()];
        follower after_cuts = {.cycles = cycles, .thread = omp_get_thread_num()}, rest = after_cuts;
        put_cuts_aside(cycles, data, mine);
        pipeline_run(cycles->plan, data, data, mine, next_after_cut, &after_cuts);
#pragma omp barrier
        put_cuts_back(cycles, data);
        pipeline_run(cycles->plan, data, data, mine, next_of_the_rest, &rest);
        cycles->plan->engine->finish();
    }
}
