/* regrid's elements with inner lists.
 *
 * Method: a box is packed run by run; what is received and what stays becomes one column for each block, whose elements
 * are then copied in the block's order. Cost: 8 bytes a list more in messages; two copies of everything. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/engine/regrid_private.h"

typedef struct nested_regrid {
    regrid_call *call;
    const bmf_column *column;
    bmf_segment *sent, *received; /* packed boxes */
} nested_regrid;

/* Calls f for the runs of a box in its source block, as local elements. */
static int for_runs(const regrid_call *call, const shared_box *box, int (*f)(void *state, int64_t begin, int64_t end),
                    void *state)
{
    const bmf_partition *partition = call->side[REGRID_SOURCE].partition;
    int64_t first[BOX_AXES], extent[BOX_AXES];
    for (int a = 0; a < BOX_AXES; a++) {
        first[a] = regrid_block_begin(call, REGRID_SOURCE, box->from, a);
        extent[a] = regrid_block_extent(call, REGRID_SOURCE, box->from, a);
    }
    const int64_t base = partition->start[box->from] - bmf_partition_local_begin(partition);
    for (int64_t i = box->begin[0]; i < box->end[0]; i++)
        for (int64_t j = box->begin[1]; j < box->end[1]; j++) {
            const int64_t row = base + ((i - first[0]) * extent[1] + j - first[1]) * extent[2];
            BMF_TRY(f(state, row + box->begin[2] - first[2], row + box->end[2] - first[2]));
        }
    return BMF_OK;
}

/* ---- packing ---- */

typedef struct packing {
    const bmf_column *column;
    int64_t bytes;
    char *at;
} packing;

static int measure_run(void *state, int64_t begin, int64_t end)
{
    packing *p = state;
    p->bytes += column_packed_bytes(p->column, begin, end);
    return BMF_OK;
}

static int pack_run(void *state, int64_t begin, int64_t end)
{
    packing *p = state;
    p->at = column_pack(p->column, begin, end, p->at);
    return BMF_OK;
}

static void pack_box(const nested_regrid *all, int64_t k)
{
    packing p = {.column = all->column};
    for_runs(all->call, &all->call->sent.box[k], measure_run, &p);
    all->sent[k] = (bmf_segment){allocate(p.bytes), p.bytes};
    p.at = all->sent[k].data;
    for_runs(all->call, &all->call->sent.box[k], pack_run, &p);
}

/* ---- the round ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const nested_regrid *all = state;
    segment[0] = all->sent[message->first];
    return segment[0].bytes > 0;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const nested_regrid *all = state;
    if (message->first >= 0) /* it is here already */
        return outgoing(state, message, segment);
    segment[0] = all->received[message->count] = (bmf_segment){allocate(message->bytes), message->bytes};
    return message->bytes > 0;
}

/* ---- the result ---- */

typedef struct copying {
    const bmf_column *column;
    bmf_column_builder *builder;
} copying;

static int copy_run(void *state, int64_t begin, int64_t end)
{
    const copying *c = state;
    return column_builder_copy(c->builder, c->column, begin, end);
}

/* The runs of a packed box, which are packed one by one. */
static int append_packed(const shared_box *box, const char *at, bmf_column_builder *builder)
{
    const int64_t rows = (box->end[0] - box->begin[0]) * (box->end[1] - box->begin[1]);
    for (int64_t row = 0; row < rows && at; row++)
        at = column_builder_append(builder, at, box->end[2] - box->begin[2]);
    return at ? BMF_OK : BMF_ERROR_MEMORY;
}

/* For the elements of a box, which begin at `first` among those of its block: which element of the block each is. */
static void number_box(const regrid_call *call, const shared_box *box, int64_t first, int64_t *number)
{
    int64_t at[BOX_AXES], stride = 1, strides[BOX_AXES], begin[BOX_AXES]; /* along the source's axes */
    for (int a = BOX_AXES - 1; a >= 0; a--) {
        strides[call->axis[a]] = stride;
        begin[call->axis[a]] = regrid_block_begin(call, REGRID_TARGET, box->to, a);
        stride *= regrid_block_extent(call, REGRID_TARGET, box->to, a);
    }
    for (at[0] = box->begin[0]; at[0] < box->end[0]; at[0]++)
        for (at[1] = box->begin[1]; at[1] < box->end[1]; at[1]++)
            for (at[2] = box->begin[2]; at[2] < box->end[2]; at[2]++) {
                int64_t element = 0;
                for (int s = 0; s < BOX_AXES; s++)
                    element += (at[s] - begin[s]) * strides[s];
                number[element] = first++;
            }
}

/* All boxes of one list that are for a part, appended; *first: where the next one begins. */
static int append_boxes(const nested_regrid *all, const shared_boxes *list, bool own, int64_t part,
                        bmf_column_builder *builder, int64_t *first, int64_t *number)
{
    for (int64_t k = SEARCH_FIRST(i, 0, list->count, list->box[i].to >= part);
         k < list->count && list->box[k].to == part; k++) {
        const shared_box *box = &list->box[k];
        number_box(all->call, box, *first, number);
        *first += box->elements;
        copying own_runs = {all->column, builder};
        const shared_box *here = own ? NULL : regrid_sent_here(all->call, box);
        const char *packed = own ? NULL : here ? all->sent[here - all->call->sent.box].data : all->received[k].data;
        BMF_TRY(own ? for_runs(all->call, box, copy_run, &own_runs) : append_packed(box, packed, builder));
    }
    return BMF_OK;
}

/* A block's elements in their order. */
static int build_part(const nested_regrid *all, int64_t part, bmf_column_builder *builder)
{
    const bmf_partition *target = all->call->side[REGRID_TARGET].partition;
    const int64_t count = target->start[part + 1] - target->start[part];
    bmf_column arrived;
    bmf_column_builder *parts = column_builder_create(all->column->type);
    if (!parts)
        return BMF_ERROR_MEMORY;
    int64_t *number = allocate_array(count + 1, (int64_t)sizeof *number), first = 0;
    int status = append_boxes(all, &all->call->own, true, part, parts, &first, number);
    if (status == BMF_OK)
        status = append_boxes(all, &all->call->received, false, part, parts, &first, number);
    const int finished = column_builder_finish(parts, &arrived);
    for (int64_t k = 0, end; k < count && status == BMF_OK && finished == BMF_OK; k = end) {
        for (end = k + 1; end < count && number[end] == number[end - 1] + 1; end++)
            continue;
        status = column_builder_copy(builder, &arrived, number[k], number[k] + end - k);
    }
    if (finished == BMF_OK)
        column_free(&arrived);
    free(number);
    return status == BMF_OK ? finished : status;
}

static int build(const nested_regrid *all, bmf_column *out)
{
    const bmf_partition *target = all->call->side[REGRID_TARGET].partition;
    bmf_column_builder *builder = column_builder_create(all->column->type);
    int status = builder ? BMF_OK : BMF_ERROR_MEMORY;
    for (int64_t k = 0; k < target->local_parts && status == BMF_OK; k++)
        status = build_part(all, target->local_first + k, builder);
    const int finished = builder ? column_builder_finish(builder, out) : status;
    if (status != BMF_OK && finished == BMF_OK)
        column_free(out);
    return status == BMF_OK ? finished : status;
}

int regrid_nested(regrid_call *call, const bmf_column *column, bmf_column *out)
{
    nested_regrid all = {.call = call, .column = column};
    const bmf_transfer transfer = {outgoing, incoming, &all};
    all.sent = allocate_clear(call->sent.count, (int64_t)sizeof *all.sent);
    all.received = allocate_clear(call->received.count, (int64_t)sizeof *all.received);
    for (int64_t k = 0; k < call->sent.count; k++)
        pack_box(&all, k);
    int status = call->ctx->backend->exchange(call->ctx, &call->round, 0, &transfer);
    if (status == BMF_OK)
        require_memory(status = build(&all, out), column->count);
    for (int64_t k = 0; k < call->sent.count; k++)
        free(all.sent[k].data);
    for (int64_t k = 0; k < call->received.count; k++)
        free(all.received[k].data);
    free(all.sent);
    free(all.received);
    return status;
}
