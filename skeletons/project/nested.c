/* project's answers, elements with inner lists.
 *
 * Method: an answer is its elements packed one after the other, of a size only the sender knows; the result is built
 * in list order from own elements and from the arrived streams. Cost: O(bytes). */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/project/project.h"

static void pack_answer(const bmf_project_call *call, bmf_incoming_request *request)
{
    const bmf_column *column = &call->xs->column;
    int64_t origin = bmf_partition_local_begin(call->xs->partition);
    for (int64_t i = 0; i < request->count; i++)
        request->packed_bytes +=
            column_packed_bytes(column, request->index[i] - origin, request->index[i] - origin + 1);
    char *to = request->packed = allocate(request->packed_bytes);
    for (int64_t i = 0; i < request->count; i++)
        to = column_pack(column, request->index[i] - origin, request->index[i] - origin + 1, to);
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_project_call *call = state;
    bmf_incoming_request *request = project_incoming_request(call, message);
    if (!request->packed)
        pack_answer(call, request);
    segment[0] = (bmf_segment){request->packed, request->packed_bytes};
    return request->packed_bytes > 0;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_project_call *call = state;
    bmf_outgoing_request *request = project_outgoing_request(call, message);
    request->packed = allocate(message->bytes);
    request->next = request->packed;
    segment[0] = (bmf_segment){request->packed, message->bytes};
    return message->bytes > 0;
}

static int append_piece(const bmf_project_call *call, int64_t piece, bmf_column_builder *builder)
{
    const bmf_fetch_block *block = call->blocks[piece].block;
    int64_t origin = bmf_partition_local_begin(call->indices->partition);
    int64_t own = bmf_partition_local_begin(call->xs->partition);
    for (int64_t i = call->piece[piece].begin - origin; i < call->piece[piece].end - origin; i++) {
        int64_t number = block[call->slot[i]].request, element = project_index(call, i) - own;
        if (number == BMF_FETCH_LOCAL) {
            BMF_TRY(column_builder_copy(builder, &call->xs->column, element, element + 1));
            continue;
        }
        bmf_outgoing_request *request = &call->outgoing_request[number];
        request->next = column_builder_append(builder, request->next, 1);
        if (!request->next)
            return BMF_ERROR_MEMORY;
    }
    return BMF_OK;
}

static int build(const bmf_project_call *call, bmf_column *column)
{
    bmf_column_builder *builder = column_builder_create(call->xs->type);
    int status = builder ? BMF_OK : BMF_ERROR_MEMORY;
    for (int64_t k = 0; k < call->pieces && status == BMF_OK; k++)
        status = append_piece(call, k, builder);
    int finished = builder ? column_builder_finish(builder, column) : status;
    return status != BMF_OK ? status : finished;
}

int project_nested(bmf_project_call *call, bmf_list **out)
{
    bmf_context *ctx = call->ctx;
    bmf_transfer transfer = {outgoing, incoming, call};
    bmf_column column = {0};
    bmf_round round;
    project_answer_round(call, BMF_BYTES_UNKNOWN, &round);
    int status = ctx->backend->exchange(ctx, &round, 1, &transfer);
    free(round.message);
    if (status == BMF_OK)
        status = build(call, &column);
    for (int64_t k = 0; k < call->outgoing_requests; k++)
        free(call->outgoing_request[k].packed);
    for (int64_t k = 0; k < call->incoming_requests; k++)
        free(call->incoming_request[k].packed);
    require_memory(status, 0);
    if (status == BMF_OK)
        list_adopt(ctx, call->indices->partition, &column, out);
    else
        column_free(&column);
    return status;
}
