/* Folding every part's elements into tables; see tables.h.
 *
 * Method: workers take runs of blocks; a block's table is pushed onto the forest of its piece. A block that is cut goes
 * on with the elements that were brought to where it begins. An exact operator needs one table for a piece, whatever
 * blocks it covers.
 * Cost: n + ceil(n / block) table length; up to log2 of the blocks tables a worker. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/tables.h"
#include "skeletons/engine/move.h"

typedef struct fold_state {
    const bmf_by_key *by;
    bmf_slice value[BMF_MAX_LEAVES], late_value[BMF_MAX_LEAVES];
    bmf_by_key_room *room; /* by worker */
    bmf_forest *forest;    /* by piece */
    int64_t *bad;          /* by piece: number of an element, or -1 */
} fold_state;

static int64_t local_begin(const bmf_by_key *by)
{
    return bmf_partition_local_begin(by->values->partition);
}

/* Elements [begin, begin + lanes elements) into as many tables. */
static int fold_elements(const fold_state *s, bmf_by_key_room *room, int64_t begin, int64_t elements, int lanes,
                         int64_t *bad)
{
    const bmf_by_key *by = s->by;
    const bmf_by_key_run run = {.keys = &by->keys->column,
                                .values = s->value,
                                .first = begin - local_begin(by),
                                .elements = elements,
                                .apart = elements,
                                .lanes = lanes};
    int64_t found = -1;
    const int code = by_key_run(by, room, &run, &found);
    if (found >= 0)
        *bad = found + local_begin(by);
    return code;
}

/* What was brought to the part. Ranks that have failed send nothing; what is out of range was found where it is. */
static int fold_late(const fold_state *s, bmf_by_key_room *room, int64_t part)
{
    const bmf_by_key *by = s->by;
    const bmf_list *keys = by->late.keys;
    int64_t ignored = -1;
    if (!keys || by->ctx->sends_marks)
        return 0;
    const int64_t first = keys->partition->start[part];
    const bmf_by_key_run run = {.keys = &keys->column,
                                .values = s->late_value,
                                .first = first - bmf_partition_local_begin(keys->partition),
                                .elements = keys->partition->start[part + 1] - first,
                                .lanes = 1};
    return by_key_run(by, room, &run, &ignored);
}

static int push_tables(const fold_state *s, bmf_by_key_room *room, int lanes, bmf_forest *forest)
{
    const bmf_by_key *by = s->by;
    int code = 0;
    for (int k = 0; k < lanes && code == 0; k++)
        code = forest_push(&by->table, forest, 1, by_key_table(by, room, k), false);
    return code;
}

/* Whole blocks side by side, then one after the other; the last one may be cut. */
static int fold_blocks(const fold_state *s, bmf_by_key_room *room, const bmf_piece *piece, bmf_forest *forest,
                       int64_t *bad)
{
    const bmf_by_key *by = s->by;
    const int64_t block = by->block, length = bmf_length(by->values);
    int code = 0;
    forest_start(forest, piece->begin / block);
    for (int64_t begin = piece->begin, end; begin < piece->end && code == 0; begin = end) {
        const int64_t whole = (piece->end - begin) / block, rest = piece->end - begin;
        const int lanes = whole < 1 ? 1 : whole < room->lanes ? (int)whole : room->lanes;
        const int64_t elements = rest < block ? rest : block;
        end = begin + lanes * elements;
        by_key_clear(by, room, lanes, forest);
        code = fold_elements(s, room, begin, elements, lanes, bad);
        if (code == 0 && *bad < 0 && end % block != 0 && end < length)
            code = fold_late(s, room, piece->part);
        if (code != 0 || *bad >= 0)
            return code;
        code = push_tables(s, room, lanes, forest);
    }
    return code;
}

/* Tables side by side hold neighbouring runs of elements; those of the rest come behind them. */
static int fold_exact(const fold_state *s, bmf_by_key_room *room, const bmf_piece *piece, bmf_forest *forest,
                      int64_t *bad)
{
    const bmf_by_key *by = s->by;
    int code = 0;
    forest_start(forest, piece->begin);
    for (int64_t begin = piece->begin, end; begin < piece->end && code == 0; begin = end) {
        const int64_t rest = piece->end - begin;
        const int lanes = rest < room->lanes ? 1 : room->lanes;
        const int64_t elements = rest / lanes;
        by_key_clear(by, room, lanes, forest);
        code = fold_elements(s, room, begin, elements, lanes, bad);
        end = begin + lanes * elements;
        for (int k = 0; k < lanes && code == 0 && *bad < 0; k++)
            code = forest_append(&by->table, forest, begin + (k + 1) * elements, by_key_table(by, room, k), false);
        if (*bad >= 0)
            break;
    }
    return code;
}

static int fold_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    fold_state *s = state;
    return s->by->table.exact ? fold_exact(s, &s->room[worker], piece, &s->forest[index], &s->bad[index])
                              : fold_blocks(s, &s->room[worker], piece, &s->forest[index], &s->bad[index]);
}

/* One kernel call over all pieces; memory of the pool is not for workers to take. */
static int run_pieces(fold_state *s, const bmf_piece *piece, int64_t pieces)
{
    const bmf_by_key *by = s->by;
    const int workers = by->ctx->threads;
    s->room = allocate(workers * (int64_t)sizeof *s->room);
    for (int w = 0; w < workers; w++)
        by_key_room_open(by, &s->room[w]);
    const int status = backend_compute(
        by->ctx, &(bmf_work){.kernel = by->op->name,
                             .piece = piece,
                             .pieces = pieces,
                             .run = fold_piece,
                             .state = s,
                             .each = {.operations = 1, .read = 8 + type_element_bytes(by->values->type)}});
    for (int w = 0; w < workers; w++)
        by_key_room_close(&s->room[w]);
    free(s->room);
    return status;
}

/* Pieces without what belongs to a block that begins before them. */
static void make_pieces(const bmf_by_key *by, bmf_piece **piece, int64_t *pieces)
{
    const bmf_partition *partition = by->values->partition;
    int64_t all, kept = 0;
    pieces_create(by->ctx, partition, by->block, piece, &all);
    for (int64_t i = 0; i < all; i++) {
        bmf_piece next = (*piece)[i];
        const int64_t begin = by_key_block_from(by, partition->start[next.part], partition->start[next.part + 1]);
        if (!by->table.exact && next.begin < begin)
            next.begin = begin;
        if (next.begin < next.end)
            (*piece)[kept++] = next;
    }
    *pieces = kept;
}

/* The tables of a part's pieces, left to right; the first piece's are taken as they are. */
static int join_pieces(bmf_by_key *by, const bmf_piece *piece, int64_t pieces, bmf_forest *forest)
{
    const int64_t first = by->nodes->local_first, block = by->block;
    int code = 0;
    for (int64_t i = 0; i < pieces && code == 0; i++) {
        bmf_forest *partial = &by->partials.part[piece[i].part - first].partial;
        const int64_t end = by->table.exact ? piece[i].end : (piece[i].end + block - 1) / block;
        if (partial->nodes == 0 && partial->end == forest[i].begin && forest[i].end == end) {
            forest_free(partial);
            *partial = forest[i];
            forest[i] = (bmf_forest){0};
        } else {
            code = forest_append(&by->table, partial, end, forest[i].value, false);
        }
    }
    return code;
}

static void note_bad(bmf_by_key *by, const int64_t *bad, int64_t pieces)
{
    for (int64_t i = 0; i < pieces; i++)
        if (bad[i] >= 0 && (by->bad < 0 || bad[i] < by->bad))
            by->bad = bad[i];
}

int by_key_fold(bmf_by_key *by)
{
    bmf_piece *piece;
    int64_t pieces;
    make_pieces(by, &piece, &pieces);
    fold_state s = {.by = by,
                    .forest = allocate_clear(pieces, (int64_t)sizeof *s.forest),
                    .bad = allocate(pieces * (int64_t)sizeof *s.bad)};
    column_slices(&by->values->column, 0, s.value);
    if (by->late.values)
        column_slices(&by->late.values->column, 0, s.late_value);
    memset(s.bad, -1, (size_t)pieces * sizeof *s.bad);
    partials_start(&by->partials, by->ctx, &by->table, by->nodes, 1);
    int status = run_pieces(&s, piece, pieces);
    note_bad(by, s.bad, pieces);
    if (status == BMF_OK && by->bad < 0 && join_pieces(by, piece, pieces, s.forest) != 0)
        status = bmf_fail(by->ctx, BMF_ERROR_KERNEL, "operator %s failed", by->op->name);
    for (int64_t i = 0; i < pieces; i++)
        forest_free(&s.forest[i]);
    free(s.forest);
    free(s.bad);
    free(piece);
    return status;
}
