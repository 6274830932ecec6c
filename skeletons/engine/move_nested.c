/* Moving elements with inner lists.
 *
 * Method: only senders know sizes. Elements travel as units, the pieces between neighbouring cuts of either partition;
 * each is a parcel (parcels.h), packed when it is first sent and passed on as it is. At the end every part is built
 * from the sources' columns and the units that arrived.
 * Cost: messages carry 8 bytes more per unit; O(parts) memory for the table of units. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/parcels.h"

typedef struct nested_move {
    bmf_context *ctx;
    int sources;
    const bmf_move_source *source;
    bmf_parcels units;
    int64_t *start; /* units.count + 1 element numbers, increasing */
} nested_move;

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

/* ---- packing ---- */

static int64_t unit_bytes(const nested_move *move, int64_t u)
{
    int64_t local, end;
    const bmf_list *list = source_of(move, move->start[u], &local, &end);
    return parcel_bytes(&move->units, &list->column, local, local + move->start[u + 1] - move->start[u]);
}

static void pack_unit(nested_move *move, int64_t u, char *at, int64_t bytes)
{
    int64_t local, end;
    const bmf_list *list = source_of(move, move->start[u], &local, &end);
    parcels_pack_at(&move->units, u, &list->column, local, local + move->start[u + 1] - move->start[u], at, bytes);
}

/* Packs the units of a run that are not, next to each other. */
static bool pack_missing(bmf_parcels *units, const bmf_message *message, int64_t first, int64_t end)
{
    int64_t bytes = 0;
    if (message->from == message->to)
        return false; /* stays in the source's column until the result is built */
    for (int64_t u = first; u < end; u++)
        if (!units->parcel[u].at)
            bytes += units->parcel[u].bytes = unit_bytes(units->state, u);
    if (bytes == 0)
        return true;
    char *at = parcels_reserve(units, bytes);
    for (int64_t u = first; u < end; u++)
        if (!units->parcel[u].at) {
            pack_unit(units->state, u, at, units->parcel[u].bytes);
            at += units->parcel[u].bytes;
        }
    return true;
}

/* ---- units ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void cut_units(nested_move *move, const bmf_partition *target)
{
    int64_t cuts = 0, max = target->parts + 1;
    for (int k = 0; k < move->sources; k++)
        max += move->source[k].list->partition->parts + 1;
    int64_t *cut = allocate(max * (int64_t)sizeof *cut);
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
    parcels_open(&move->units, move->ctx, move->source[0].list->type, distinct - 1);
    move->units.start = move->start = cut;
    move->units.prepare = pack_missing;
    move->units.state = move;
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
            int64_t u = parcels_find(&move->units, begin);
            stop = move->start[u + 1];
            if (!column_builder_append(builder, parcel_data(&move->units, u), stop - begin))
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

int move_nested(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
                const bmf_schedule *schedule, bmf_list **out)
{
    nested_move move = {.ctx = ctx, .sources = sources, .source = source};
    bmf_column column = {0};
    cut_units(&move, target);
    int status = BMF_OK;
    for (int r = 0; r < schedule->rounds && status == BMF_OK; r++)
        status = parcels_exchange(&move.units, &schedule->round[r], (uint32_t)r);
    if (status == BMF_OK)
        status = build(&move, target, &column);
    parcels_close(&move.units);
    free(move.start);
    require_memory(status, 0);
    if (status == BMF_OK)
        list_adopt(ctx, target, &column, out);
    else
        column_free(&column);
    return status;
}
