/* A pipeline of tiles between memory and memory.
 *
 * Method: turn by turn (a kilobyte or so), part of one tile is read, part of the one before is permuted, part of the
 * one before that is written, so that memory always has both reads and writes to do. Tiles are permuted while they are
 * read where the engine can (permute/local/engine.h), from memory straight into the buffer they are written from;
 * otherwise they are copied into the cache first. What is read is asked for some turns ahead, which may be several
 * tiles ahead. A tile is written when the one after it has been read: that is what moving in place needs. Cost: every
 * byte is read once and written once. */
#include "permute/local/pipeline.h"

enum { KNOWN = 128, PADDED_BYTES = 4096 };

typedef struct pipeline {
    const bmf_local_plan *plan;
    const char *source;
    char *target, *scratch;
    bmf_move move[KNOWN]; /* of tile q at q % KNOWN */
    uint64_t known;       /* tiles that `next` told */
} pipeline;

static const bmf_move *move_of(const pipeline *p, uint64_t tile)
{
    return &p->move[tile % KNOWN];
}

/* Staged tiles take turns in two buffers, permuted ones in those that are left. */
static char *staged_at(const pipeline *p, uint64_t tile)
{
    return p->scratch + tile % 2 * local_tile_pitch(p->plan);
}

static char *permuted_at(const pipeline *p, uint64_t tile)
{
    const uint64_t lag = p->plan->lag, number = p->plan->staged ? 2 + tile % lag : tile % (lag + 1);
    return p->scratch + number * local_tile_pitch(p->plan);
}

/* The tile, and its turn, that is `turns_ahead` turns after this one. The last tiles are their own successors. */
static const bmf_move *look_ahead(const pipeline *p, uint64_t tile, uint64_t turn, uint64_t *turn_ahead)
{
    const uint64_t ahead = turn + p->plan->turns_ahead;
    const uint64_t next = tile + (ahead >> p->plan->turn_bits);
    *turn_ahead = next < p->known ? ahead & low_bits(p->plan->turn_bits) : turn;
    return move_of(p, next < p->known ? next : tile);
}

/* A piece of a turn is a run, or as much of one as there is in a turn: the number of the run and the offset in it. */
typedef struct piece {
    uint64_t run;
    size_t at;
} piece;

static piece piece_of(const bmf_local_plan *plan, uint64_t turn, uint64_t number)
{
    const int bits = plan->turn_run_bits;
    return bits >= 0 ? (piece){turn << bits | number, 0}
                     : (piece){turn >> -bits, (size_t)(turn & low_bits(-bits)) * plan->turn_bytes};
}

static uint64_t pieces_of(const bmf_local_plan *plan)
{
    return plan->turn_run_bits > 0 ? UINT64_C(1) << plan->turn_run_bits : 1;
}

static size_t piece_bytes(const bmf_local_plan *plan)
{
    return plan->turn_run_bits > 0 ? plan->run_bytes : plan->turn_bytes;
}

/* The address of a piece of the tile's run at x. */
static size_t piece_address(const bmf_local_plan *plan, uint64_t x, size_t at)
{
    return x * (uint64_t)plan->element_bytes + (plan->padded ? engine_packed(at) : at);
}

/* Turn `turn` of the tile at x into the buffer, run by run. */
static void fetch_turn(const bmf_local_plan *plan, const char *source, uint64_t x, uint64_t turn, uint64_t x_ahead,
                       uint64_t turn_ahead, char *buffer)
{
    const uint64_t pieces = pieces_of(plan);
    const size_t bytes = piece_bytes(plan);
    char *to = buffer + turn * plan->turn_bytes;
    for (uint64_t k = 0; k < pieces; k++, to += bytes) {
        const piece now = piece_of(plan, turn, k), then = piece_of(plan, turn_ahead, k);
        const char *from = source + piece_address(plan, x ^ plan->source_run[now.run], now.at);
        const char *ahead = source + piece_address(plan, x_ahead ^ plan->source_run[then.run], then.at);
        if (plan->padded)
            plan->engine->fetch_padded(to, from, bytes, ahead, &plan->padding);
        else
            plan->engine->fetch(to, from, bytes, ahead);
    }
}

/* Where piece k of a turn of the tile that goes to y is written. */
static char *place_of(const bmf_local_plan *plan, char *target, uint64_t y, uint64_t turn, uint64_t k)
{
    const piece now = piece_of(plan, turn, k);
    return target + piece_address(plan, (y & ~low_bits(plan->tiling.run_bits)) ^ plan->target_run[now.run], now.at);
}

/* Padded elements are packed a turn or so at a time: processors are slow to load what straddles recent stores. */
static void write_padded_turn(const bmf_local_plan *plan, char *target, uint64_t y, uint64_t turn, const char *permuted)
{
    const size_t bytes = piece_bytes(plan), step = bytes < PADDED_BYTES ? bytes : PADDED_BYTES;
    const char *from = permuted + turn * plan->turn_bytes;
    char packed[PADDED_BYTES / 4 * 3 + ENGINE_LINE];
    for (size_t begin = 0, count; begin < plan->turn_bytes; begin += count) {
        count = plan->turn_bytes - begin < PADDED_BYTES ? plan->turn_bytes - begin : PADDED_BYTES;
        plan->engine->pack(packed, from + begin, count, &plan->padding);
        for (size_t at = 0; at < count; at += step)
            plan->engine->stream(place_of(plan, target, y, turn, (begin + at) / bytes) +
                                     engine_packed((begin + at) % bytes),
                                 packed + engine_packed(at), engine_packed(step));
    }
}

static void write_turn(const bmf_local_plan *plan, char *target, uint64_t y, uint64_t turn, const char *permuted)
{
    const uint64_t pieces = pieces_of(plan);
    const size_t bytes = piece_bytes(plan);
    const char *from = permuted + turn * plan->turn_bytes;
    if (plan->padded) {
        write_padded_turn(plan, target, y, turn, permuted);
        return;
    }
    for (uint64_t k = 0; k < pieces; k++, from += bytes)
        plan->engine->stream(place_of(plan, target, y, turn, k), from, bytes);
}

static uint64_t low_of(const bmf_local_plan *plan, uint64_t y)
{
    return y & low_bits(plan->tiling.run_bits);
}

/* From memory into the cache, permuted, if the engine reads tiles from memory. */
static void read_turn(const bmf_local_plan *plan, const char *source, const bmf_move *move, uint64_t turn,
                      const bmf_move *move_ahead, uint64_t turn_ahead, char *buffer)
{
    if (plan->staged || plan->direct) {
        fetch_turn(plan, source, move->x, turn, move_ahead->x, turn_ahead, buffer);
        return;
    }
    const uint64_t size = (uint64_t)plan->element_bytes;
    const uint64_t ahead = (move->x * size) ^ (move_ahead->x * size) ^ network_turn(&plan->network, turn) ^
                           network_turn(&plan->network, turn_ahead);
    plan->inside(plan, &(bmf_tile){source, buffer, low_of(plan, move->y), turn, move->x * size, ahead});
}

static void permute_turn(const bmf_local_plan *plan, const char *staged, uint64_t y, uint64_t turn, char *permuted)
{
    plan->inside(plan, &(bmf_tile){.source = staged, .target = permuted, .complement = low_of(plan, y), .turn = turn});
}

static void do_turn(const pipeline *p, uint64_t tile, uint64_t turn)
{
    const bmf_local_plan *plan = p->plan;
    if (tile < p->known) {
        uint64_t turn_ahead;
        const bmf_move *ahead = look_ahead(p, tile, turn, &turn_ahead);
        read_turn(plan, p->source, move_of(p, tile), turn, ahead, turn_ahead,
                  plan->staged ? staged_at(p, tile) : permuted_at(p, tile));
    }
    if (plan->staged && tile >= 1 && tile - 1 < p->known)
        permute_turn(plan, staged_at(p, tile - 1), move_of(p, tile - 1)->y, turn, permuted_at(p, tile - 1));
    if (tile >= plan->lag)
        write_turn(plan, p->target, move_of(p, tile - plan->lag)->y, turn, permuted_at(p, tile - plan->lag));
}

void pipeline_run(const bmf_local_plan *plan, char *target, const char *source, char *scratch, bmf_next_move *next,
                  void *state)
{
    pipeline p = {.plan = plan, .source = source, .target = target, .scratch = scratch};
    const uint64_t ahead = (plan->turns_ahead >> plan->turn_bits) + 1, turns = UINT64_C(1) << plan->turn_bits;
    const uint64_t max = ahead < KNOWN / 2 ? ahead : KNOWN / 2;
    bool more = true;
    for (uint64_t tile = 0; more || tile < p.known + plan->lag; tile++) {
        while (more && p.known <= tile + max) {
            more = next(state, &p.move[p.known % KNOWN]);
            p.known += more;
        }
        if (p.known == 0)
            break;
        for (uint64_t turn = 0; turn < turns; turn++)
            do_turn(&p, tile, turn);
    }
}

void pipeline_read(const bmf_local_plan *plan, const char *source, const bmf_move *move, char *permuted, char *scratch)
{
    const uint64_t turns = UINT64_C(1) << plan->turn_bits;
    for (uint64_t turn = 0; turn < turns; turn++)
        read_turn(plan, source, move, turn, move, turn, plan->staged ? scratch : permuted);
    for (uint64_t turn = 0; plan->staged && turn < turns; turn++)
        permute_turn(plan, scratch, move->y, turn, permuted);
}

void pipeline_write(const bmf_local_plan *plan, char *target, const bmf_move *move, const char *permuted)
{
    for (uint64_t turn = 0; turn < UINT64_C(1) << plan->turn_bits; turn++)
        write_turn(plan, target, move->y, turn, permuted);
}
