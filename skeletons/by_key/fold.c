/* Folding every part's elements into tables; see fold.h.
 *
 * Method: workers take runs of blocks; a block's table is pushed onto the forest of its piece, and the forests of the
 * pieces of a part are appended to each other. A block that is cut goes on with the elements that were brought to where
 * it begins. An exact operator needs one table for a piece, whatever blocks it covers.
 * Cost: n + ceil(n / block) table length; up to log2 of the blocks tables a worker. */
#include "skeletons/by_key/fold.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/engine/move.h"

enum { SHORTEST_PIECE = 1024 };

typedef struct fold_state {
    const bmf_by_key *by;
    bmf_slice value[BMF_MAX_LEAVES], late_value[BMF_MAX_LEAVES];
    bmf_by_key_room *room; /* by worker */
    bmf_folded *folded;
    int64_t *bad; /* by piece: number of an element, or -1 */
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
    const bmf_by_key_run run = {.count = by->count,
                                .key = by->keys->column.data,
                                .key_bytes = sizeof(int64_t),
                                .stride = by->keys->column.stride,
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
    const bmf_by_key_run run = {.count = by->count,
                                .key = keys->column.data,
                                .key_bytes = sizeof(int64_t),
                                .stride = keys->column.stride,
                                .values = s->late_value,
                                .first = first - bmf_partition_local_begin(keys->partition),
                                .elements = keys->partition->start[part + 1] - first,
                                .lanes = 1};
    return by_key_run(by, room, &run, &ignored);
}

/* Whole blocks side by side, then one after the other; the last one may be cut. */
static int fold_blocks(const fold_state *s, bmf_by_key_room *room, const bmf_piece *piece, bmf_table_forest *forest,
                       int64_t *bad)
{
    const bmf_by_key *by = s->by;
    const int64_t block = by->block, length = bmf_length(by->values);
    int code = 0;
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
        for (int k = 0; k < lanes && code == 0; k++)
            code = table_forest_push(by, forest, forest->end + 1, by_key_table(by, room, k));
    }
    return code;
}

/* Tables side by side hold neighbouring runs of elements; those of the rest come behind them. */
static int fold_exact(const fold_state *s, bmf_by_key_room *room, const bmf_piece *piece, bmf_table_forest *forest,
                      int64_t *bad)
{
    const bmf_by_key *by = s->by;
    int code = 0;
    for (int64_t begin = piece->begin, end; begin < piece->end && code == 0; begin = end) {
        const int64_t rest = piece->end - begin;
        const int lanes = rest < room->lanes ? 1 : room->lanes;
        const int64_t elements = rest / lanes;
        by_key_clear(by, room, lanes, forest);
        code = fold_elements(s, room, begin, elements, lanes, bad);
        end = begin + lanes * elements;
        if (*bad >= 0)
            break;
        for (int k = 0; k < lanes && code == 0; k++)
            code = table_forest_push(by, forest, begin + (k + 1) * elements, by_key_table(by, room, k));
    }
    return code;
}

static int fold_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    fold_state *s = state;
    bmf_table_forest *forest = &s->folded->forest[index];
    return s->by->table.exact ? fold_exact(s, &s->room[worker], piece, forest, &s->bad[index])
                              : fold_blocks(s, &s->room[worker], piece, forest, &s->bad[index]);
}

/* One kernel call over all pieces; memory of the pool is not for workers to take. */
static int run_pieces(fold_state *s)
{
    const bmf_by_key *by = s->by;
    const int workers = by->ctx->threads;
    s->room = allocate(workers * (int64_t)sizeof *s->room);
    for (int w = 0; w < workers; w++)
        by_key_room_open(by, by->count, true, &s->room[w]);
    const int status = backend_compute(
        by->ctx, &(bmf_work){.kernel = by->op->name,
                             .piece = s->folded->piece,
                             .pieces = s->folded->pieces,
                             .run = fold_piece,
                             .state = s,
                             .each = {.operations = 1, .read = 8 + type_element_bytes(by->values->type)}});
    for (int w = 0; w < workers; w++)
        by_key_room_close(&s->room[w]);
    free(s->room);
    return status;
}

/* Exact: a piece has twice as many elements as its table has entries. */
static int64_t exact_grain(const bmf_by_key *by)
{
    return 2 * by->count > SHORTEST_PIECE ? 2 * by->count : SHORTEST_PIECE;
}

/* Pieces without what belongs to a block that begins before them; whole: nor to one that ends behind. */
static void make_pieces(const bmf_by_key *by, bool whole, bmf_folded *folded)
{
    const bmf_partition *partition = by->values->partition;
    const int64_t length = bmf_length(by->values);
    int64_t all;
    pieces_create(by->ctx, partition, by->table.exact ? exact_grain(by) : by->block, &folded->piece, &all);
    for (int64_t i = 0; i < all; i++) {
        bmf_piece next = folded->piece[i];
        const int64_t start = partition->start[next.part], end = partition->start[next.part + 1];
        const int64_t begin = by_key_block_from(by, start, end), last = end / by->block * by->block;
        if (!by->table.exact && next.begin < begin)
            next.begin = begin;
        if (!by->table.exact && whole && end < length && next.end > last)
            next.end = last;
        if (next.begin < next.end)
            folded->piece[folded->pieces++] = next;
    }
}

/* The block, or exact the element, that begins or ends there. */
static int64_t node_of(const bmf_by_key *by, int64_t element)
{
    return by->table.exact ? element : (element + by->block - 1) / by->block;
}

/* Tables of piece i besides that of the results, which the first one may have. */
static int own_tables(const bmf_by_key *by, const bmf_folded *folded, int64_t i, const char *results)
{
    const bmf_piece *piece = &folded->piece[i];
    return table_forest_most(by, node_of(by, piece->begin), node_of(by, piece->end)) - (i == 0 && results);
}

/* Room for the tables of all pieces. results: of the first one, or NULL. */
static void open_forests(const bmf_by_key *by, bmf_folded *folded, char *results)
{
    int64_t tables = 0;
    folded->forest = allocate(folded->pieces * (int64_t)sizeof *folded->forest);
    for (int64_t i = 0; i < folded->pieces; i++)
        tables += own_tables(by, folded, i, results);
    folded->room = working_buffer(tables * by->table.record);
    char *next = folded->room->data;
    for (int64_t i = 0; i < folded->pieces; i++) {
        const int own = own_tables(by, folded, i, results);
        table_forest_open(&folded->forest[i], by, node_of(by, folded->piece[i].begin), own, next,
                          i == 0 ? results : NULL);
        next += own * by->table.record;
    }
}

/* The tables of every part's pieces, together. */
static int join_parts(const bmf_by_key *by, bmf_folded *folded)
{
    int code = 0;
    for (int64_t i = 0, next; i < folded->pieces; i = next)
        for (next = i + 1; next < folded->pieces && folded->piece[next].part == folded->piece[i].part; next++)
            code = code ? code : table_forest_append(by, &folded->forest[i], &folded->forest[next]);
    return code;
}

static void note_bad(bmf_by_key *by, const int64_t *bad, int64_t pieces)
{
    for (int64_t i = 0; i < pieces; i++)
        if (bad[i] >= 0 && (by->bad < 0 || bad[i] < by->bad))
            by->bad = bad[i];
}

int by_key_fold(bmf_by_key *by, bool whole, char *results, bmf_folded *folded)
{
    fold_state s = {.by = by, .folded = folded};
    *folded = (bmf_folded){0};
    make_pieces(by, whole, folded);
    open_forests(by, folded, results);
    s.bad = allocate(folded->pieces * (int64_t)sizeof *s.bad);
    memset(s.bad, -1, (size_t)folded->pieces * sizeof *s.bad);
    column_slices(&by->values->column, 0, s.value);
    if (by->late.values)
        column_slices(&by->late.values->column, 0, s.late_value);
    int status = run_pieces(&s);
    note_bad(by, s.bad, folded->pieces);
    free(s.bad);
    if (status == BMF_OK && by->bad < 0 && join_parts(by, folded) != 0)
        status = bmf_fail(by->ctx, BMF_ERROR_KERNEL, "operator %s failed", by->op->name);
    return status;
}

bmf_table_forest *folded_part(const bmf_folded *folded, int64_t part)
{
    const int64_t i = SEARCH_FIRST(k, 0, folded->pieces, folded->piece[k].part >= part);
    return i < folded->pieces && folded->piece[i].part == part ? &folded->forest[i] : NULL;
}

void folded_close(bmf_folded *folded)
{
    for (int64_t i = 0; i < folded->pieces; i++)
        table_forest_close(&folded->forest[i]);
    free(folded->forest);
    free(folded->piece);
    buffer_release(folded->room);
}
