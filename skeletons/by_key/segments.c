/* Reductions by key of lists that lie on one rank as wholes; see tables.h.
 *
 * Method: as fold.c does, segment by segment: workers take runs of blocks of a segment, and the forests of its runs are
 * appended to each other. Blocks are counted from the segment's first element, so each gives what it gives alone.
 * Cost: as of fold.c; a segment that is shorter than a block is one piece, whatever its length. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/forest.h"
#include "skeletons/engine/move.h"

typedef struct segments_state {
    const bmf_by_key *by;
    bmf_by_key_segments *all;
    bmf_by_key_room *room;    /* by worker */
    bmf_table_forest *forest; /* by piece */
    int64_t *bad;             /* by piece: position of an element, or -1 */
    int *code;                /* by piece: the operator's failure */
} segments_state;

/* Elements of a block of segment k: as of a list by itself. */
static int64_t segment_block(const bmf_by_key *by, const bmf_by_key_segments *all, int64_t k)
{
    return by_key_block(by->count, all->start[k + 1] - all->start[k]);
}

/* Pieces of every worker, cut where blocks begin. */
static int64_t cut_segments(const bmf_by_key *by, const bmf_by_key_segments *all, bmf_piece **made)
{
    const int64_t workers = work_shares(by->ctx), *start = all->start, elements = start[all->segments] - start[0];
    const int64_t share = elements / workers + 1;
    bmf_piece *piece = allocate((all->segments + 2 * workers + 1) * (int64_t)sizeof *piece);
    int64_t count = 0;
    for (int64_t k = 0; k < all->segments; k++) {
        const int64_t block = segment_block(by, all, k);
        for (int64_t begin = start[k], end; begin < start[k + 1]; begin = end) {
            const int64_t worker = (begin - start[0]) / share, cut = start[0] + (worker + 1) * share;
            end = start[k] + (cut - start[k] + block - 1) / block * block;
            if (end > start[k + 1])
                end = start[k + 1];
            piece[count++] = (bmf_piece){k, all->processor[k], begin, end, (int)worker};
        }
    }
    *made = piece;
    return count;
}

/* The number of the block, counted from the segment's first element, that ends at or behind an element. */
static int64_t block_end(const segments_state *s, const bmf_piece *piece, int64_t element)
{
    const int64_t block = segment_block(s->by, s->all, piece->part);
    return (element - s->all->start[piece->part] + block - 1) / block;
}

static int fold_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const segments_state *s = state;
    const bmf_by_key *by = s->by;
    bmf_by_key_room *room = &s->room[worker];
    bmf_table_forest *forest = &s->forest[index];
    const int64_t block = segment_block(by, s->all, piece->part);
    for (int64_t begin = piece->begin, end; begin < piece->end; begin = end) {
        const int64_t rest = piece->end - begin, whole = rest / block;
        const int lanes = whole < 1 ? 1 : whole < room->lanes ? (int)whole : room->lanes;
        const int64_t elements = rest < block ? rest : block;
        const bmf_by_key_run run = {.count = by->count,
                                    .key = s->all->keys->data,
                                    .key_bytes = sizeof(int64_t),
                                    .stride = s->all->keys->stride,
                                    .values = s->all->values,
                                    .first = begin,
                                    .elements = elements,
                                    .apart = elements,
                                    .lanes = lanes};
        end = begin + lanes * elements;
        by_key_clear(by, room, lanes, forest);
        s->code[index] = by_key_run(by, room, &run, &s->bad[index]);
        for (int k = 0; k < lanes && s->code[index] == 0 && s->bad[index] < 0; k++)
            s->code[index] = table_forest_push(by, forest, forest->end + 1, by_key_table(by, room, k));
        if (s->code[index] != 0 || s->bad[index] >= 0)
            return 0;
    }
    return 0;
}

/* Tables of a piece besides that of its segment's results, which its first piece has. */
static int own_tables(const segments_state *s, const bmf_piece *piece)
{
    const int64_t begin = block_end(s, piece, piece->begin);
    return table_forest_most(s->by, begin, block_end(s, piece, piece->end)) - (begin == 0);
}

/* Room for the tables of all pieces. */
static bmf_buffer *open_forests(segments_state *s, const bmf_piece *piece, int64_t pieces)
{
    const bmf_by_key *by = s->by;
    int64_t tables = 0;
    for (int64_t i = 0; i < pieces; i++)
        tables += own_tables(s, &piece[i]);
    bmf_buffer *room = working_buffer(tables * by->table.record);
    char *next = room->data;
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t begin = block_end(s, &piece[i], piece[i].begin);
        const int tables_of_piece = own_tables(s, &piece[i]);
        table_forest_open(&s->forest[i], by, begin, tables_of_piece, next,
                          begin == 0 ? s->all->results + piece[i].part * by->table.record : NULL);
        next += tables_of_piece * by->table.record;
    }
    return room;
}

static int run_pieces(segments_state *s, const bmf_piece *piece, int64_t pieces, const bmf_type *type)
{
    const bmf_by_key *by = s->by;
    const int workers = by->ctx->threads;
    s->room = allocate(workers * (int64_t)sizeof *s->room);
    for (int w = 0; w < workers; w++)
        by_key_room_open(by, by->count, true, &s->room[w]);
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
static int finish_segment(const segments_state *s, int64_t k, int64_t from, int64_t to)
{
    const bmf_by_key *by = s->by;
    char *results = s->all->results + k * by->table.record;
    int code = 0;
    if (from == to) {
        by_key_clear_table(by, results);
        return 0;
    }
    for (int64_t i = from + 1; i < to && code == 0; i++)
        code = table_forest_append(by, &s->forest[from], &s->forest[i]);
    return code ? code : table_forest_total(by, &s->forest[from], results);
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
            code = finish_segment(s, k, from, to);
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
    bmf_buffer *room = open_forests(&s, piece, pieces);
    const int status = run_pieces(&s, piece, pieces, by->op->type);
    if (status == BMF_OK)
        finish(&s, piece, pieces);
    for (int64_t i = 0; i < pieces; i++)
        table_forest_close(&s.forest[i]);
    buffer_release(room);
    free(s.forest);
    free(s.bad);
    free(s.code);
    free(piece);
    return status;
}
