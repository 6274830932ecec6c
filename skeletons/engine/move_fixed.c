/* Moving elements of fixed size.
 *
 * Method: elements are addressed by number in up to four stores of this host: the sources' columns, the result's
 * column, and a temporary one for what is only passed on. A message is one contiguous piece per leaf on both sides.
 * What is here already is copied into the result while the first round is under way; a message between processors of
 * this host whose elements stand in the result has the same memory on both ends and moves nothing. A result that is
 * all in one source shares its memory.
 * Cost: n w bytes copied where source and result overlap otherwise; temporary memory only for elements passed on that
 * end elsewhere. */
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/copy_nontemporal.h"
#include "skeletons/engine/move.h"

/* Elements [begin, end) of every leaf; slice points at element `begin`. */
typedef struct store {
    int64_t begin, end;
    bmf_slice slice[BMF_MAX_LEAVES];
    bmf_buffer *buffer[BMF_MAX_LEAVES]; /* of a store that is not a column */
} store;

typedef struct fixed_move {
    bmf_context *ctx;
    int leaves;
    int64_t size[BMF_MAX_LEAVES];
    int sources;
    store source[BMF_MOVE_SOURCES], result, temporary;
} fixed_move;

static bool holds(const store *s, const bmf_message *message)
{
    return message->first >= s->begin && message->first + message->count <= s->end;
}

static const store *source_of(const fixed_move *move, const bmf_message *message)
{
    for (int k = 0; k < move->sources; k++)
        if (holds(&move->source[k], message))
            return &move->source[k];
    return NULL;
}

/* Where a message's elements are found or put, or NULL: in the temporary store. Messages inside this host prefer the
 * same store at both ends. */
static const store *lasting_store(const fixed_move *move, const bmf_message *message, bool sending)
{
    bool inside = is_local(move->ctx, message->from) && is_local(move->ctx, message->to);
    if (inside || !sending) {
        if (holds(&move->result, message))
            return &move->result;
        return inside ? source_of(move, message) : NULL;
    }
    return source_of(move, message);
}

static int segments_of(const fixed_move *move, const bmf_message *message, bool sending, bmf_segment *segment)
{
    const store *place = lasting_store(move, message, sending);
    if (!place)
        place = &move->temporary;
    if (message->count == 0)
        return 0;
    for (int k = 0; k < move->leaves; k++)
        segment[k] = (bmf_segment){(char *)place->slice[k].data + (message->first - place->begin) * move->size[k],
                                   message->count * move->size[k]};
    return move->leaves;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    return segments_of(state, message, true, segment);
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    return segments_of(state, message, false, segment);
}

enum { THREADED_BYTES = 1 << 20, CACHED_BYTES = 1 << 22, LINE = 64 };

static void copy_leaf(char *to, const bmf_slice *from, int64_t first, int64_t count, int64_t size)
{
    const char *data = (const char *)from->data + first * from->stride;
    if (from->stride == size && count * size > CACHED_BYTES) {
        copy_nontemporal(to, data, count * size);
        return;
    }
    if (from->stride == size) {
        memcpy(to, data, (size_t)(count * size));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * size, data + i * from->stride, (size_t)size);
}

/* Copies the elements that two stores have in common. */
static void copy_common(const fixed_move *move, const store *to, const store *from)
{
    int64_t begin = to->begin > from->begin ? to->begin : from->begin;
    int64_t end = to->end < from->end ? to->end : from->end;
    if (begin >= end)
        return;
    for (int k = 0; k < move->leaves; k++) {
        int64_t size = move->size[k], count = end - begin;
        char *target = (char *)to->slice[k].data + (begin - to->begin) * size;
        if (target == (const char *)from->slice[k].data + (begin - from->begin) * size)
            continue; /* the same memory */
        int chunks = count * size >= THREADED_BYTES ? move->ctx->threads : 1;
#pragma omp parallel for num_threads(chunks) schedule(static) if (chunks > 1)
        for (int c = 0; c < chunks; c++) {
            int64_t low = bmf_split_start(count, chunks, c), high = bmf_split_start(count, chunks, c + 1);
            copy_leaf(target + low * size, &from->slice[k], begin - from->begin + low, high - low, size);
        }
    }
}

static void allocate_store(const fixed_move *move, store *made)
{
    for (int k = 0; k < move->leaves; k++) {
        made->buffer[k] = working_buffer((made->end - made->begin) * move->size[k]);
        made->slice[k] = (bmf_slice){made->buffer[k]->data, move->size[k]};
    }
}

static void free_store(const fixed_move *move, store *made)
{
    for (int k = 0; k < move->leaves; k++)
        buffer_release(made->buffer[k]);
}

static store column_store(const bmf_list *list, int64_t first)
{
    store made = {.begin = first + bmf_partition_local_begin(list->partition)};
    made.end = made.begin + list->column.count;
    column_slices(&list->column, 0, made.slice);
    return made;
}

/* True if some leaf is one value for all elements. */
static bool is_broadcast(const fixed_move *move, const store *s)
{
    for (int k = 0; k < move->leaves; k++)
        if (s->slice[k].stride != move->size[k])
            return true;
    return false;
}

/* Replaces a source with a broadcast leaf by a copy that can be sent from. Returns whether it did. */
static bool expand(const fixed_move *move, store *s)
{
    if (s->begin == s->end || !is_broadcast(move, s))
        return false;
    store full = *s;
    allocate_store(move, &full);
    copy_common(move, &full, s);
    *s = full;
    return true;
}

/* The elements that messages bring or take and that have no lasting place here. They are one run: what a host passes
 * on reaches beyond its own elements on one side only. */
static void measure_temporary(fixed_move *move, const bmf_schedule *schedule)
{
    store *t = &move->temporary;
    for (int r = 0; r < schedule->rounds; r++)
        for (int64_t i = 0; i < schedule->round[r].count; i++) {
            const bmf_message *message = &schedule->round[r].message[i];
            bool needed = (is_local(move->ctx, message->from) && !lasting_store(move, message, true)) ||
                          (is_local(move->ctx, message->to) && !lasting_store(move, message, false));
            if (!needed || message->count == 0)
                continue;
            bool first = t->begin == t->end;
            int64_t end = message->first + message->count;
            t->begin = first || message->first < t->begin ? message->first : t->begin;
            t->end = first || end > t->end ? end : t->end;
        }
}

/* All rounds; what is here already is copied while the first one is under way, since no message leaves from the result.
 */
static int run_rounds(fixed_move *move, const bmf_schedule *schedule, const bmf_transfer *transfer)
{
    bmf_exchange *first = NULL;
    if (schedule->rounds > 0)
        BMF_TRY(backend_exchange_begin(move->ctx, &schedule->round[0], 0, transfer, &first));
    for (int k = 0; k < move->sources; k++)
        copy_common(move, &move->result, &move->source[k]);
    BMF_TRY(backend_exchange_end(move->ctx, first));
    for (int r = 1; r < schedule->rounds; r++)
        BMF_TRY(move->ctx->backend->exchange(move->ctx, &schedule->round[r], (uint32_t)r, transfer));
    return BMF_OK;
}

static int run(fixed_move *move, const bmf_schedule *schedule)
{
    bmf_transfer transfer = {outgoing, incoming, move};
    measure_temporary(move, schedule);
    allocate_store(move, &move->temporary);
    for (int k = 0; k < move->sources; k++)
        copy_common(move, &move->temporary, &move->source[k]);
    int status = run_rounds(move, schedule, &transfer);
    copy_common(move, &move->result, &move->temporary);
    free_store(move, &move->temporary);
    return status;
}

/* Whether the result can be part of a source's memory here: it is all in it, in whole cache lines, and keeps no memory
 * alive that is much larger than itself. */
static bool is_view(const fixed_move *move, const store *s, int64_t begin, int64_t end)
{
    bool lines = begin < end && begin >= s->begin && end <= s->end && 4 * (end - begin) >= s->end - s->begin;
    for (int k = 0; k < move->leaves && lines; k++)
        lines = s->slice[k].stride == move->size[k] &&
                ((uintptr_t)s->slice[k].data + (uintptr_t)((begin - s->begin) * move->size[k])) % LINE == 0;
    return lines;
}

/* The list to move into. Where its elements here are all here already it shares their memory. */
static int make_result(const fixed_move *move, const bmf_move_source *source, bmf_partition *target, bmf_list **made)
{
    const int64_t begin = bmf_partition_local_begin(target), end = bmf_partition_local_end(target);
    for (int k = 0; k < move->sources; k++) {
        const store *s = &move->source[k];
        bmf_column column;
        if (!is_view(move, s, begin, end))
            continue;
        BMF_TRY(list_fits(move->ctx, source[k].list->type, target));
        require_memory(column_view(&source[k].list->column, begin - s->begin, end - begin, &column), end - begin);
        list_adopt(move->ctx, target, &column, made);
        return BMF_OK;
    }
    return bmf_list_create(move->ctx, source[0].list->type, target, made);
}

int move_fixed(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
               const bmf_schedule *schedule, bmf_list **out)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bool expanded[BMF_MOVE_SOURCES];
    bmf_list *made;
    fixed_move move = {.ctx = ctx, .leaves = bmf_type_leaves(source[0].list->type, leaf), .sources = sources};
    for (int k = 0; k < move.leaves; k++)
        move.size[k] = leaf[k]->size;
    for (int k = 0; k < sources; k++)
        move.source[k] = column_store(source[k].list, source[k].first);
    BMF_TRY(make_result(&move, source, target, &made));
    for (int k = 0; k < sources; k++)
        expanded[k] = expand(&move, &move.source[k]);
    move.result = column_store(made, 0);
    int status = run(&move, schedule);
    for (int k = 0; k < sources; k++)
        if (expanded[k])
            free_store(&move, &move.source[k]);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}
