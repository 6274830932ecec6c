/* filter: the elements for which a predicate holds, in order, each on its processor.
 *
 * Method: one pass. Blocks are read under the predicate, which marks, and what is marked goes where it belongs
 * (skeletons/engine/selection.h). Hosts tell each other the new part lengths.
 * Cost: n w bytes read once, the result written once; room for all elements, of which only what is kept is touched. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "bmf/skeletons.h"
#include "skeletons/engine/marks.h"
#include "skeletons/engine/selection.h"
#include "skeletons/engine/source.h"

typedef struct filter_state {
    const bmf_source *marks; /* xs under the predicate */
    const bmf_source *plain; /* xs */
    bmf_selection selection;
    int64_t *kept; /* by piece */
} filter_state;

static int filter_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    filter_state *s = state;
    int code = 0;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        bmf_slice mark[BMF_MAX_LEAVES], x[2 * BMF_MAX_LEAVES];
        uint64_t word[BMF_BLOCK / 64];
        count = piece->end - i < BMF_BLOCK ? piece->end - i : BMF_BLOCK;
        code = source_block(s->marks, worker, i, count, mark);
        if (code != 0)
            break;
        marks_pack(count, mark[0].data, word); /* a predicate may say yes by any number but 0 */
        source_inputs(s->plain, i, x);
        s->kept[index] += selection_keep(&s->selection, worker, count, word, x);
    }
    selection_end_piece(&s->selection, worker, index, code);
    return code;
}

/* Where every part starts after the filter, on every rank. */
static int new_partition(const bmf_list *xs, const int64_t *part_kept, bmf_partition **partition)
{
    bmf_context *ctx = xs->context;
    int64_t parts = xs->partition->parts;
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    int status = partition_allgather(ctx, xs->partition, part_kept, start + 1);
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(ctx, xs->partition, start, partition);
    free(start);
    return status;
}

/* Moves what is kept to the front of `room`, a list like xs. */
static int filter_pieces(const bmf_list *xs, const bmf_kernel *predicate, filter_state *s, bmf_list *room,
                         int64_t *part_kept)
{
    bmf_context *ctx = xs->context;
    bmf_slice out[BMF_MAX_LEAVES];
    bmf_piece *piece;
    int64_t pieces;
    column_slices(&room->column, 0, out);
    selection_open(&s->selection, s->plain->leaves, s->plain->leaf_size, out, xs->column.count, ctx->threads);
    pieces_create_dynamic(ctx, xs->partition, s->selection.grain, &piece, &pieces);
    s->kept = allocate_clear(pieces, (int64_t)sizeof *s->kept);
    int status = backend_compute(ctx, &(bmf_work){.kernel = predicate->name,
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .dynamic = true,
                                                  .each = source_work(s->plain, true),
                                                  .run = filter_piece,
                                                  .state = s});
    int64_t kept = selection_finish(&s->selection);
    for (int64_t i = 0; i < pieces; i++)
        part_kept[piece[i].part - xs->partition->local_first] += s->kept[i];
    if (status == BMF_OK)
        column_shorten(&room->column, kept);
    selection_close(&s->selection);
    free(s->kept);
    free(piece);
    return failure_defer(ctx, status); /* telling what every part keeps settles */
}

static int filter_sources(const bmf_list *xs, const bmf_kernel *predicate, const bmf_source *marks,
                          const bmf_source *plain, bmf_list **made)
{
    bmf_context *ctx = xs->context;
    bmf_partition *partition = NULL;
    bmf_list *room;
    filter_state state = {.marks = marks, .plain = plain};
    BMF_TRY(bmf_list_create(ctx, xs->type, xs->partition, &room));
    int64_t *part_kept = allocate_clear(xs->partition->local_parts, (int64_t)sizeof *part_kept);
    int status = filter_pieces(xs, predicate, &state, room, part_kept);
    if (status == BMF_OK)
        status = new_partition(xs, part_kept, &partition);
    if (status == BMF_OK) {
        list_adopt(ctx, partition, &room->column, made);
        bmf_partition_release(partition);
    }
    bmf_list_free(room);
    free(part_kept);
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
