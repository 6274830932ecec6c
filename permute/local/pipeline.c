/* A pipeline of tiles between memory and memory.
 *
 * Method: turn by turn (a kilobyte or so), part of one tile is read, part of the one before is permuted, part of the
 * one before that is written, so that memory always has both reads and writes to do. Tiles are permuted while they are
 * read where the engine can (permute/local/engine.h), from memory straight into the buffer they are written from;
 * otherwise they are copied into the cache first. What is read is asked for some turns ahead, which may be several
 * tiles ahead. A tile is written when the one after it has been read: that is what moving in place needs. Cost: every
 * byte is read once and written once. */
#include "permute/local/pipeline.h"

enum { LAG = 2, KNOWN = 128 };

typedef struct pipeline {
    const bmf_local_plan *plan;
    const char *source;
    char *target, *buffer[PIPELINE_TILES];
    bmf_move move[KNOWN]; /* of tile q at q % KNOWN */
    uint64_t known;       /* tiles that `next` told */
} pipeline;

static const bmf_move *move_of(const pipeline *p, uint64_t tile)
{
    return &p->move[tile % KNOWN];
}

static char *staged_at(const pipeline *p, uint64_t tile)
{
    return p->buffer[tile % 2];
}

static char *permuted_at(const pipeline *p, uint64_t tile)
{
    return p->plan->staged ? p->buffer[2 + tile % 2] : p->buffer[tile % 3];
}

/* The tile, and its turn, that is `turns_ahead` turns after this one. The last tiles are their own successors. */
static const bmf_move *look_ahead(const pipeline *p, uint64_t tile, uint64_t turn, uint64_t *turn_ahead)
{
    const uint64_t turns = p->plan->turns, ahead = turn + p->plan->turns_ahead;
    const uint64_t next = tile + ahead / turns;
    *turn_ahead = next < p->known ? ahead % turns : turn;
    return move_of(p, next < p->known ? next : tile);
}

/* Turn `turn` of the tile at x into the buffer, run by run. */
static void fetch_turn(const bmf_local_plan *plan, const char *source, uint64_t x, uint64_t turn, uint64_t x_ahead,
                       uint64_t turn_ahead, char *buffer)
{
    const size_t piece = plan->turn_bytes < plan->run_bytes ? plan->turn_bytes : plan->run_bytes;
    for (size_t done = 0; done < plan->turn_bytes; done += piece) {
        const size_t at = turn * plan->turn_bytes + done, at_ahead = turn_ahead * plan->turn_bytes + done;
        const char *from = local_at(plan, source, x ^ plan->source_run[at / plan->run_bytes]);
        const char *ahead = local_at(plan, source, x_ahead ^ plan->source_run[at_ahead / plan->run_bytes]);
        plan->engine->fetch(buffer + at, from + at % plan->run_bytes, piece, ahead + at_ahead % plan->run_bytes);
    }
}

static void write_turn(const bmf_local_plan *plan, char *target, uint64_t y, uint64_t turn, const char *permuted)
{
    const size_t piece = plan->turn_bytes < plan->run_bytes ? plan->turn_bytes : plan->run_bytes;
    const uint64_t high = y & ~low_bits(plan->tiling.run_bits);
    for (size_t done = 0; done < plan->turn_bytes; done += piece) {
        const size_t at = turn * plan->turn_bytes + done;
        const uint64_t run = high ^ plan->target_run[at / plan->run_bytes];
        plan->engine->stream(target + run * (uint64_t)plan->element_bytes + at % plan->run_bytes, permuted + at, piece);
    }
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
    if (tile >= LAG)
        write_turn(plan, p->target, move_of(p, tile - LAG)->y, turn, permuted_at(p, tile - LAG));
}

void pipeline_run(const bmf_local_plan *plan, char *target, const char *source, char *scratch, bmf_next_move *next,
                  void *state)
{
    pipeline p = {.plan = plan, .source = source, .target = target};
    const uint64_t ahead = plan->turns_ahead / plan->turns + 1;
    const uint64_t max = ahead < KNOWN - LAG ? ahead : KNOWN - LAG - 1;
    bool more = true;
    for (size_t k = 0; k < PIPELINE_TILES; k++)
        p.buffer[k] = scratch + k * local_tile_pitch(plan);
    for (uint64_t tile = 0; more || tile < p.known + LAG; tile++) {
        while (more && p.known <= tile + max) {
            more = next(state, &p.move[p.known % KNOWN]);
            p.known += more;
        }
        if (p.known == 0)
            break;
        for (uint64_t turn = 0; turn < plan->turns; turn++)
            do_turn(&p, tile, turn);
    }
}

void pipeline_read(const bmf_local_plan *plan, const char *source, const bmf_move *move, char *permuted, char *scratch)
{
    for (uint64_t turn = 0; turn < plan->turns; turn++)
        read_turn(plan, source, move, turn, move, turn, plan->staged ? scratch : permuted);
    for (uint64_t turn = 0; plan->staged && turn < plan->turns; turn++)
        permute_turn(plan, scratch, move->y, turn, permuted);
}

void pipeline_write(const bmf_local_plan *plan, char *target, const bmf_move *move, const char *permuted)
{
    for (uint64_t turn = 0; turn < plan->turns; turn++)
        write_turn(plan, target, move->y, turn, permuted);
}
