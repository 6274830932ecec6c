/* One pass over a file; see pass.h.
 *
 * Method: the tiles of permute/local/tiling.h, with runs of 2^run_bits records. A tile's runs are read in the order of
 * their addresses, permuted from one half of the memory to the other, and written in the order of their new ones. Runs
 * of the next tile are read while those of the last are written, by more threads than there are cores: they wait for
 * the disk. Every byte is read once and written once. */
#define _GNU_SOURCE
#include "permute/external/pass.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bmf/permute.h"
#include "permute/local/tiling.h"

enum { MIN_FILE_THREADS = 8 };
static const int64_t piece_bytes = (int64_t)4 << 20;

/* Where the runs of one tile are in one file: at `begin` + the sum of the basis vectors that their number selects. */
typedef struct places {
    const bmf_external_file *file;
    const uint64_t *basis;
    uint64_t begin;
    uint64_t smallest; /* number of the run with the smallest address */
    char *memory;
} places;

typedef struct moving {
    const bmf_external_work *work;
    bmf_tiling tiling;
    places reading, writing;
    bmf_permutation inside; /* of the tile in memory */
    bmf_external_failure failure;
    bool failed;
} moving;

int64_t external_tiles(const bmf_external_pass *pass)
{
    return INT64_C(1) << (pass->permutation.bits - pass->tile_bits);
}

/* ---- files ---- */

static bool move_piece(bool writing, int file, char *memory, int64_t bytes, int64_t offset, int *error)
{
    while (bytes > 0) {
        const ssize_t moved =
            writing ? pwrite(file, memory, (size_t)bytes, offset) : pread(file, memory, (size_t)bytes, offset);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0) {
            *error = moved < 0 ? errno : 0;
            return false;
        }
        memory += moved;
        bytes -= moved;
        offset += moved;
    }
    return true;
}

/* Piece `piece` of a tile, of `pieces` to a run. */
static bool move_of_tile(moving *m, bool writing, int64_t piece, int64_t pieces, bmf_external_failure *failure)
{
    const bmf_external_work *work = m->work;
    const places *at = writing ? &m->writing : &m->reading;
    const uint64_t run = (uint64_t)(piece / pieces) ^ at->smallest;
    const int64_t run_bytes = work->record_bytes << m->tiling.run_bits;
    const int64_t begin = run_bytes / pieces * (piece % pieces);
    const int64_t end = piece % pieces + 1 < pieces ? begin + run_bytes / pieces : run_bytes;
    const uint64_t address = at->begin ^ columns_apply(at->basis, run);
    const int64_t offset = at->file->offset + (int64_t)address * work->record_bytes + begin;
    *failure = (bmf_external_failure){.writing = writing, .offset = offset};
    return move_piece(writing, at->file->file, at->memory + (int64_t)run * run_bytes + begin, end - begin, offset,
                      &failure->error);
}

static int file_threads(const bmf_external_work *work)
{
    return work->threads > MIN_FILE_THREADS ? work->threads : MIN_FILE_THREADS;
}

/* Reads the one tile and writes the other; in turns, so that both proceed. */
static void move_tiles(moving *m, bool reads, bool writes)
{
    const int64_t run_bytes = m->work->record_bytes << m->tiling.run_bits;
    const int64_t pieces = (run_bytes + piece_bytes - 1) / piece_bytes, all = pieces << m->tiling.rank;
    const bool both = reads && writes;
    bool failed = false;
#pragma omp parallel for num_threads(file_threads(m->work)) schedule(dynamic)
    for (int64_t k = 0; k < (both ? 2 * all : all); k++) {
        bmf_external_failure failure;
        bool stop;
#pragma omp atomic read
        stop = failed;
        if (stop || move_of_tile(m, both ? k % 2 : writes, both ? k / 2 : k, pieces, &failure))
            continue;
#pragma omp critical
        m->failure = failure;
#pragma omp atomic write
        failed = true;
    }
    m->failed = failed;
}

/* ---- tiles ---- */

static void place(places *at, const bmf_tiling *tiling, const uint64_t *basis, uint64_t address)
{
    at->basis = basis;
    at->begin = address >> tiling->run_bits << tiling->run_bits;
    at->smallest = basis_coordinates(basis, tiling->rank, at->begin);
}

static uint64_t target_of(const moving *m, int64_t tile)
{
    return tiling_begin(m->tiling.target_step, (uint64_t)tile) ^ m->work->pass->permutation.complement;
}

static int permute_tile(moving *m, int64_t tile)
{
    m->inside.complement = target_of(m, tile) & low_bits(m->tiling.run_bits);
    return bmf_local_permute(m->writing.memory, m->reading.memory, m->work->record_bytes, &m->inside, m->work->threads);
}

/* Reads tile `read` and writes tile `write`, where they are in [first, end). */
static int step(moving *m, int64_t read, int64_t write, bmf_external_failure *failure)
{
    const bmf_external_work *work = m->work;
    const bmf_tiling *t = &m->tiling;
    const bool reads = read < work->end, writes = write >= work->first;
    if (reads)
        place(&m->reading, t, t->source_run, tiling_begin(t->source_step, (uint64_t)read));
    if (writes)
        place(&m->writing, t, t->target_run, target_of(m, write));
    move_tiles(m, reads, writes);
    *failure = m->failure;
    if (m->failed)
        return BMF_ERROR_FILE;
    return reads ? permute_tile(m, read) : BMF_OK;
}

int external_pass_run(const bmf_external_work *work, bmf_external_failure *failure)
{
    moving m = {.work = work};
    const bmf_external_pass *pass = work->pass;
    tiling_make(&pass->permutation.matrix, pass->run_bits, TILING_BY_SOURCE, &m.tiling);
    m.reading = (places){.file = &work->source, .memory = work->read};
    m.writing = (places){.file = &work->target, .memory = work->permuted};
    m.inside = (bmf_permutation){.bits = pass->tile_bits, .matrix = m.tiling.inside};
    for (int64_t tile = work->first; tile <= work->end && work->first < work->end; tile++) {
        const int status = step(&m, tile, tile - 1, failure);
        if (status != BMF_OK)
            return status;
        if (tile > work->first && work->done && !work->done(work->state, tile))
            return BMF_OK;
    }
    return BMF_OK;
}
