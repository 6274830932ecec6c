/* Reductions by key of lists that lie on one rank as wholes; see tables.h.
 *
 * Method: as fold.c does, segment by segment: workers take runs of blocks of a segment, and the forests of its runs are
 * appended to each other. Blocks are counted from the segment's first element, so each gives what it gives alone.
 * Cost: as of fold.c; a segment that is shorter than a block is one piece, whatever its length. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/tables.h"
#include "skeletons/engine/move.h"

typedef struct segments_state {
    const bmf_by_key *by;
    bmf_by_key_segments *all;
    bmf_by_key_room *room; /* by worker */
    bmf_forest *forest;    /* by piece */
    int64_t *bad;          /* by piece: position of an element, or -1 */
    int *code;             /* by piece: the operator's failure */
} segments_state;

/* Pieces of every worker, cut where blocks begin. */
static int64_t cut_segments(const bmf_by_key *by, const bmf_by_key_segments *all, bmf_piece **made)
{
    const int64_t workers = work_shares(by->ctx), *start = all->start, elements = start[all->segments] - start[0];
    const int64_t share = elements / workers + 1;
    bmf_piece *piece = allocate((all->segments + 2 * workers + 1) * (int64_t)sizeof *piece);
    int64_t count = 0;
    for (int64_t k = 0; k < all->segments; k++)
        for (int64_t begin = start[k], end; begin < start[k + 1]; begin = end) {
            const int64_t worker = (begin - start[0]) / share, cut = start[0] + (worker + 1) * share;
            end = start[k] + (cut - start[k] + by->block - 1) / by->block * by->block;
            if (end > start[k + 1])
                end = start[k + 1];
            piece[count++] = (bmf_piece){k, all->processor[k], begin, end, (int)worker};
        }
    *made = piece;
    return count;
}

static int fold_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const segments_state *s = state;
    const bmf_by_key *by = s->by;
    bmf_by_key_room *room = &s->room[worker];
    forest_start(&s->forest[index], (piece->begin - s->all->start[piece->part]) / by->block);
    for (int64_t begin = piece->begin, end; begin < piece->end; begin = end) {
        const int64_t rest = piece->end - begin, whole = rest / by->block;
        const int lanes = whole < 1 ? 1 : whole < room->lanes ? (int)whole : room->lanes;
        const int64_t elements = rest < by->block ? rest : by->block;
        const bmf_by_key_run run = {.keys = s->all->keys,
                                    .values = s->all->values,
                                    .first = begin,
                                    .elements = elements,
                                    .apart = elements,
                                    .lanes = lanes};
        end = begin + lanes * elements;
        by_key_clear(by, room, lanes, &s->forest[index]);
        s->code[index] = by_key_run(by, room, &run, &s->bad[index]);
        for (int k = 0; k < lanes && s->code[index] == 0 && s->bad[index] < 0; k++)
            s->code[index] = forest_push(&by->table, &s->forest[index], 1, by_key_table(by, room, k), false);
        if (s->code[index] != 0 || s->bad[index] >= 0)
            return 0;
    }
    return 0;
}

static int run_pieces(segments_state *s, const bmf_piece *piece, int64_t pieces, const bmf_type *type)
{
    const bmf_by_key *by = s->by;
    const int workers = by->ctx->threads;
    s->room = allocate(workers * (int64_t)sizeof *s->room);
    for (int w = 0; w < workers; w++)
        by_key_room_open(by, &s->room[w]);
    const int status =
        backend_compute(by->ctx, &(bmf_work){.kernel = s->all->kernel,
                                             .piece = piece,
                                             .pieces = pieces,
                                             .run = fold_piece,
                                             .state = s,
                                             .each = {.operations = 1, .read = 8 + type_element_bytes(type)}});
    for (int w = 0; w < workers; w++)
        by_key_room_close(&s->room[w]);
    free(s->room);
    return status;
}

/* The table of segment k from the pieces [from, to), its own. Returns the operator's failure code. */
static int finish_segment(const segments_state *s, int64_t k, const bmf_piece *piece, int64_t from, int64_t to)
{
    const bmf_by_key *by = s->by;
    char *results = s->all->results + k * by->table.record;
    bmf_forest total;
    int code = 0;
    if (from == to) {
        for (int64_t i = 0; i < by->count; i++)
            memcpy(results + i * by->entry.record, by->identity, (size_t)by->entry.record);
        return 0;
    }
    forest_start(&total, 0);
    for (int64_t i = from; i < to && code == 0; i++)
        code = forest_append(&by->table, &total, (piece[i].end - s->all->start[k] + by->block - 1) / by->block,
                             s->forest[i].value, false);
    if (code == 0)
        code = forest_total(&by->table, &total, results);
    forest_free(&total);
    return code;
}

static void finish(const segments_state *s, const bmf_piece *piece, int64_t pieces)
{
    bmf_by_key_segments *all = s->all;
    for (int64_t k = 0, from = 0, to; k < all->segments && all->failed < 0; k++, from = to) {
        int code = 0;
        for (to = from; to < pieces && piece[to].part == k; to++) {
            code = code ? code : s->code[to];
            if (all->position < 0)
                all->position = s->bad[to];
        }
        if (code == 0 && all->position < 0)
            code = finish_segment(s, k, piece, from, to);
        if (code != 0 || all->position >= 0)
            all->failed = k;
    }
}

int by_key_segments(const bmf_by_key *by, bmf_by_key_segments *all)
{
    bmf_piece *piece;
    const int64_t pieces = cut_segments(by, all, &piece);
    segments_state s = {.by = by,
                        .all = all,
                        .forest = allocate_clear(pieces + 1, (int64_t)sizeof *s.forest),
                        .bad = allocate((pieces + 1) * (int64_t)sizeof *s.bad),
                        .code = allocate_clear(pieces + 1, (int64_t)sizeof *s.code)};
    all->failed = all->position = -1;
    memset(s.bad, -1, (size_t)(pieces + 1) * sizeof *s.bad);
    const int status = run_pieces(&s, piece, pieces, by->op->type);
    if (status == BMF_OK)
        finish(&s, piece, pieces);
    for (int64_t i = 0; i < pieces; i++)
        forest_free(&s.forest[i]);
    free(s.forest);
    free(s.bad);
    free(s.code);
    free(piece);
    return status;
}
