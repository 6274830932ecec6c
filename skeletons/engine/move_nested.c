/* Moving elements with inner lists.
 *
 * Method: only senders know sizes. Elements travel as units, the pieces between neighbouring cuts of either partition;
 * a packed unit is its size in bytes (8) and its elements. A host packs a unit once and passes on received units as
 * they are, so any run of units can be sent without unpacking. At the end every part is built from the sources'
 * columns and the units that arrived.
 * Cost: messages carry 8 bytes more per unit; O(parts) memory for the table of units. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"

/* A packed unit, where it starts with its size; NULL: not packed. */
typedef struct unit {
    char *at;
    int64_t bytes; /* with the size */
} unit;

typedef struct nested_move {
    bmf_context *ctx;
    int sources;
    const bmf_move_source *source;
    int64_t units;
    int64_t *start; /* units + 1 element numbers, increasing */
    unit *unit;
    char **buffer; /* all packed memory */
    int64_t buffers, capacity;
    struct {
        char *at;
        int64_t first, end;
    } * arrival; /* received messages not yet cut into units */
    int64_t arrivals, arrival_capacity;
} nested_move;

static const int64_t size_bytes = (int64_t)sizeof(int64_t);

static char *keep_buffer(nested_move *move, int64_t bytes)
{
    if (move->buffers == move->capacity) {
        int64_t old = move->capacity, entry = (int64_t)sizeof *move->buffer;
        move->capacity = 2 * old + 8;
        move->buffer = reallocate(move->buffer, old * entry, move->capacity * entry);
    }
    return move->buffer[move->buffers++] = allocate(bytes);
}

/* ---- units ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void cut_units(nested_move *move, const bmf_partition *target)
{
    int64_t cuts = 0, most = target->parts + 1;
    for (int k = 0; k < move->sources; k++)
        most += move->source[k].list->partition->parts + 1;
    int64_t *cut = allocate(most * size_bytes);
    for (int64_t p = 0; p <= target->parts; p++)
        cut[cuts++] = target->start[p];
    for (int k = 0; k < move->sources; k++)
        for (int64_t p = 0; p <= move->source[k].list->partition->parts; p++)
            cut[cuts++] = move->source[k].first + move->source[k].list->partition->start[p];
    qsort(cut, (size_t)cuts, sizeof *cut, by_number);
    int64_t distinct = 1;
    for (int64_t c = 1; c < cuts; c++)
        if (cut[c] != cut[distinct - 1])
            cut[distinct++] = cut[c];
    move->start = cut;
    move->units = distinct - 1;
    move->unit = allocate_clear(move->units, (int64_t)sizeof *move->unit);
}

/* The unit that starts at an element; of the number of all elements: units. */
static int64_t unit_at(const nested_move *move, int64_t element)
{
    int64_t low = 0, high = move->units;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (move->start[middle] < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The source whose local column holds an element, or NULL; *local: its place there, *end: the last such element + 1. */
static const bmf_list *source_of(const nested_move *move, int64_t element, int64_t *local, int64_t *end)
{
    *local = *end = 0;
    for (int k = 0; k < move->sources; k++) {
        const bmf_list *list = move->source[k].list;
        int64_t begin = move->source[k].first + bmf_partition_local_begin(list->partition);
        *local = element - begin;
        *end = begin + list->column.count;
        if (element >= begin && element < *end)
            return list;
    }
    return NULL;
}

/* ---- sending ---- */

static int64_t packed_bytes(const nested_move *move, int64_t u)
{
    int64_t local, end;
    const bmf_list *list = source_of(move, move->start[u], &local, &end);
    return size_bytes + column_packed_bytes(&list->column, local, local + move->start[u + 1] - move->start[u]);
}

static void pack_unit(nested_move *move, int64_t u, char *at)
{
    int64_t local, end, payload = move->unit[u].bytes - size_bytes;
    const bmf_list *list = source_of(move, move->start[u], &local, &end);
    memcpy(at, &payload, sizeof payload);
    column_pack(&list->column, local, local + move->start[u + 1] - move->start[u], at + size_bytes);
    move->unit[u].at = at;
}

/* Packs the units of a run that are not, next to each other. */
static void pack_missing(nested_move *move, int64_t first, int64_t end)
{
    int64_t bytes = 0;
    for (int64_t u = first; u < end; u++)
        if (!move->unit[u].at)
            bytes += move->unit[u].bytes = packed_bytes(move, u);
    if (bytes == 0)
        return;
    char *at = keep_buffer(move, bytes);
    for (int64_t u = first; u < end; u++)
        if (!move->unit[u].at) {
            pack_unit(move, u, at);
            at += move->unit[u].bytes;
        }
}

/* Contiguous pieces of packed units as segments; returns their number, which may be more than fit. */
static int64_t list_segments(const nested_move *move, int64_t first, int64_t end, bmf_segment *segment)
{
    int64_t segments = 0;
    char *expected = NULL;
    for (int64_t u = first; u < end; u++) {
        const unit *next = &move->unit[u];
        if (next->at != expected && segments++ < BMF_MAX_SEGMENTS)
            segment[segments - 1] = (bmf_segment){next->at, 0};
        if (segments <= BMF_MAX_SEGMENTS)
            segment[segments - 1].bytes += next->bytes;
        expected = next->at + next->bytes;
    }
    return segments;
}

static void join_units(nested_move *move, int64_t first, int64_t end)
{
    int64_t bytes = 0;
    for (int64_t u = first; u < end; u++)
        bytes += move->unit[u].bytes;
    char *at = keep_buffer(move, bytes);
    for (int64_t u = first; u < end; u++) {
        memcpy(at, move->unit[u].at, (size_t)move->unit[u].bytes);
        move->unit[u].at = at;
        at += move->unit[u].bytes;
    }
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    nested_move *move = state;
    int64_t first = unit_at(move, message->first), end = unit_at(move, message->first + message->count);
    if (message->from == message->to)
        return 0; /* stays in the source's column until the result is built */
    pack_missing(move, first, end);
    if (list_segments(move, first, end, segment) > BMF_MAX_SEGMENTS)
        join_units(move, first, end);
    return (int)list_segments(move, first, end, segment);
}

/* ---- receiving ---- */

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    nested_move *move = state;
    if (is_local(move->ctx, message->from))
        return outgoing(state, message, segment); /* this host has it already */
    if (message->bytes == 0)
        return 0;
    if (move->arrivals == move->arrival_capacity) {
        int64_t old = move->arrival_capacity, entry = (int64_t)sizeof *move->arrival;
        move->arrival_capacity = 2 * old + 8;
        move->arrival = reallocate(move->arrival, old * entry, move->arrival_capacity * entry);
    }
    segment[0] = (bmf_segment){keep_buffer(move, message->bytes), message->bytes};
    move->arrival[move->arrivals].at = segment[0].data;
    move->arrival[move->arrivals].first = unit_at(move, message->first);
    move->arrival[move->arrivals++].end = unit_at(move, message->first + message->count);
    return 1;
}

static void cut_arrivals(nested_move *move)
{
    for (int64_t a = 0; a < move->arrivals; a++) {
        char *at = move->arrival[a].at;
        for (int64_t u = move->arrival[a].first; u < move->arrival[a].end; u++) {
            int64_t payload;
            memcpy(&payload, at, sizeof payload);
            move->unit[u] = (unit){at, size_bytes + payload};
            at += move->unit[u].bytes;
        }
    }
    move->arrivals = 0;
}

static int run_rounds(nested_move *move, const bmf_schedule *schedule)
{
    bmf_transfer transfer = {outgoing, incoming, move};
    for (int r = 0; r < schedule->rounds; r++) {
        BMF_TRY(move->ctx->backend->exchange(move->ctx, &schedule->round[r], (uint32_t)r, &transfer));
        cut_arrivals(move);
    }
    return BMF_OK;
}

/* ---- the result ---- */

static int append_elements(const nested_move *move, int64_t begin, int64_t end, bmf_column_builder *builder)
{
    while (begin < end) {
        int64_t local, stop;
        const bmf_list *list = source_of(move, begin, &local, &stop);
        if (list) {
            stop = stop < end ? stop : end;
            BMF_TRY(column_builder_copy(builder, &list->column, local, local + stop - begin));
        } else {
            int64_t u = unit_at(move, begin);
            stop = move->start[u + 1];
            if (!column_builder_append(builder, move->unit[u].at + size_bytes, stop - begin))
                return BMF_ERROR_MEMORY;
        }
        begin = stop;
    }
    return BMF_OK;
}

static int build(const nested_move *move, const bmf_partition *target, bmf_column *column)
{
    bmf_column_builder *builder = column_builder_create(move->source[0].list->type);
    if (!builder)
        return BMF_ERROR_MEMORY;
    int status = append_elements(move, bmf_partition_local_begin(target), bmf_partition_local_end(target), builder);
    int finished = column_builder_finish(builder, column);
    if (status != BMF_OK && finished == BMF_OK)
        column_free(column);
    return status != BMF_OK ? status : finished;
}

static void free_move(nested_move *move)
{
    for (int64_t b = 0; b < move->buffers; b++)
        free(move->buffer[b]);
    free(move->buffer);
    free(move->arrival);
    free(move->start);
    free(move->unit);
}

int move_nested(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
                const bmf_schedule *schedule, bmf_list **out)
{
    nested_move move = {.ctx = ctx, .sources = sources, .source = source};
    bmf_column column = {0};
    cut_units(&move, target);
    int status = run_rounds(&move, schedule);
    if (status == BMF_OK)
        status = build(&move, target, &column);
    free_move(&move);
    if (status == BMF_ERROR_MEMORY)
        bmf_fail(ctx, status, "out of memory for the moved list on rank %d", ctx->rank);
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        return list_adopt(ctx, target, &column, out);
    column_free(&column);
    return status;
}
