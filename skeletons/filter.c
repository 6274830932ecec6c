/* filter: the elements for which a predicate holds, in order, each on its processor.
 *
 * Method: the predicate marks and counts (one bit an element is kept); the counts give every piece its place; the
 * marked elements are copied there. Hosts tell each other the new part lengths.
 * Cost: n w bytes read twice (once if pieces stay in the cache), the result written once, n / 8 bytes of marks. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "bmf/skeletons.h"
#include "skeletons/engine/marks.h"
#include "skeletons/engine/source.h"

typedef struct filter_state {
    const bmf_source *marks; /* xs under the predicate */
    const bmf_source *plain; /* xs */
    uint64_t *bits; /* from the source's origin on; pieces start at multiples of 64 global numbers, see word_of */
    int64_t *kept;  /* by piece: how many; then where its first goes, in local numbers */
    bmf_slice out[BMF_MAX_LEAVES];
    int64_t *part_kept; /* by local part */
    int64_t local_first;
} filter_state;

/* Marks of elements that share a word belong to one piece or to pieces of different parts; the latter would race, so
 * every piece has words of its own: piece p's first word is its offset / 64 plus p. */
static uint64_t *words_of(const filter_state *s, int64_t index, const bmf_piece *piece)
{
    return s->bits + (piece->begin - s->plain->origin) / 64 + index;
}

/* A predicate may say yes by any number but 0. */
BMF_VECTORISE static int64_t mark_block(int64_t count, uint8_t *mark, uint64_t *word)
{
    for (int64_t k = 0; k < count; k++)
        mark[k] = mark[k] != 0;
    marks_pack(count, mark, word);
    return marks_count(count, mark);
}

static int mark_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    filter_state *s = state;
    uint64_t *word = words_of(s, index, piece);
    int64_t kept = 0;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        bmf_slice mark[BMF_MAX_LEAVES];
        count = piece->end - i < BMF_BLOCK ? piece->end - i : BMF_BLOCK;
        int code = source_block(s->marks, worker, i, count, mark);
        if (code != 0)
            return code;
        kept += mark_block(count, mark[0].data, word);
        word += BMF_BLOCK / 64;
    }
    s->kept[index] = kept;
    return 0;
}

static int keep_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const filter_state *s = state;
    const uint64_t *word = words_of(s, index, piece);
    char *to[BMF_MAX_LEAVES];
    (void)worker;
    for (int k = 0; k < s->plain->leaves; k++)
        to[k] = (char *)s->out[k].data + s->kept[index] * s->plain->leaf_size[k];
    for (int64_t i = piece->begin, count; i < piece->end; i += count, word += BMF_BLOCK / 64) {
        bmf_slice x[2 * BMF_MAX_LEAVES];
        count = piece->end - i < BMF_BLOCK ? piece->end - i : BMF_BLOCK;
        if (!marks_any(count, word))
            continue;
        source_inputs(s->plain, i, x);
        for (int k = 0; k < s->plain->leaves; k++)
            to[k] = marks_keep(count, word, &x[k], s->plain->leaf_size[k], to[k]);
    }
    return 0;
}

/* Where every part starts after the filter, on every rank. */
static int new_partition(const bmf_list *xs, const int64_t *part_kept, bmf_partition **partition)
{
    bmf_context *ctx = xs->context;
    int64_t parts = xs->partition->parts;
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    int status = ctx->backend->allgatherv(ctx, part_kept, xs->partition->local_parts, start + 1, parts);
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(ctx, xs->partition, start, partition);
    free(start);
    return status;
}

static int filter_pieces(const bmf_list *xs, const bmf_kernel *predicate, filter_state *s, const bmf_piece *piece,
                         int64_t pieces, bmf_list **made)
{
    bmf_context *ctx = xs->context;
    bmf_partition *partition = NULL;
    int64_t place = 0;
    int status = backend_compute(
        ctx, &(bmf_work){.kernel = predicate->name, .piece = piece, .pieces = pieces, .run = mark_piece, .state = s});
    BMF_TRY(agree_if(ctx, predicate->may_fail, status));
    for (int64_t i = 0; i < pieces; i++) {
        int64_t kept = s->kept[i];
        s->part_kept[piece[i].part - s->local_first] += kept;
        s->kept[i] = place;
        place += kept;
    }
    BMF_TRY(new_partition(xs, s->part_kept, &partition));
    status = bmf_list_create(ctx, xs->type, partition, made);
    bmf_partition_release(partition);
    BMF_TRY(status);
    column_slices(&(*made)->column, 0, s->out);
    return backend_compute(
        ctx,
        &(bmf_work){.kernel = "keep", .round = 1, .piece = piece, .pieces = pieces, .run = keep_piece, .state = s});
}

static int filter_sources(const bmf_list *xs, const bmf_kernel *predicate, const bmf_source *marks,
                          const bmf_source *plain, bmf_list **made)
{
    bmf_context *ctx = xs->context;
    bmf_piece *piece;
    int64_t pieces;
    pieces_create(ctx, xs->partition, BMF_BLOCK, &piece, &pieces);
    filter_state state = {.marks = marks, .plain = plain, .local_first = xs->partition->local_first};
    state.bits = allocate((xs->column.count / 64 + 1 + 2 * pieces) * (int64_t)sizeof *state.bits);
    state.kept = allocate_clear(pieces, (int64_t)sizeof *state.kept);
    state.part_kept = allocate_clear(xs->partition->local_parts, (int64_t)sizeof *state.part_kept);
    int status = filter_pieces(xs, predicate, &state, piece, pieces, made);
    free(state.bits);
    free(state.kept);
    free(state.part_kept);
    free(piece);
    return status;
}

const bmf_skeleton_type skeleton_filter = {.id = 22, .name = "filter", .communication = BMF_COMMUNICATION_OTHER};

int bmf_filter(const bmf_list *xs, const bmf_kernel *predicate, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_source marks, plain;
    bmf_list *made = NULL;
    char text[128];
    if (!bmf_type_equal(predicate->output, &bmf_type_bool))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "filter takes a kernel that gives bool; %s gives %s", predicate->name,
                        bmf_type_print(predicate->output, text, sizeof text));
    BMF_TRY(source_open(&plain, "filter", xs, NULL, NULL));
    int status = source_open(&marks, "filter", xs, NULL, predicate);
    if (status == BMF_OK) {
        skeleton_begin(ctx, &skeleton_filter, "filter %s", predicate->name);
        status = skeleton_end(ctx, xs->partition, filter_sources(xs, predicate, &marks, &plain, &made));
        source_close(&marks);
    }
    source_close(&plain);
    if (status == BMF_OK)
        *out = made;
    return status;
}
