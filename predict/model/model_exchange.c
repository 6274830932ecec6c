/* Messages of the model backend: copied at once, and a round in the actions.
 *
 * Method: data is there when a round begins; what senders and receivers do for it beside is recorded by processor, as
 * far as the machine's sheet knows it. Cost: the bytes, and O(messages). */
#include <stdlib.h>

#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/backend/host.h"

/* The messages of a round as they turned out to be. */
typedef struct copies {
    int64_t count;
    bmf_message *message;
    int64_t *segments; /* of message i: [segments[i], segments[i + 1]) */
    int64_t *segment_bytes;
    int64_t capacity;
} copies;

static void copies_open(copies *made, int64_t count)
{
    *made = (copies){.count = count,
                     .message = allocate(count * (int64_t)sizeof *made->message),
                     .segments = allocate((count + 1) * (int64_t)sizeof *made->segments)};
    made->segments[0] = 0;
}

static void copies_close(copies *made)
{
    free(made->message);
    free(made->segments);
    free(made->segment_bytes);
}

static void keep_segments(copies *made, int64_t i, const bmf_segment *segment, int segments)
{
    const int64_t used = made->segments[i];
    ARRAY_RESERVE(made->segment_bytes, made->capacity, used + segments);
    for (int s = 0; s < segments; s++)
        made->segment_bytes[used + s] = segment[s].bytes;
    made->segments[i + 1] = used + segments;
}

/* Copies all messages of a round and counts them. */
static void copy_all(bmf_context *ctx, const bmf_round *round, bmf_model_sending sending, const bmf_transfer *transfer,
                     copies *made)
{
    const bmf_model *model = model_of(ctx);
    bmf_segment segment[BMF_MAX_SEGMENTS];
    copies_open(made, round->count);
    for (int64_t i = 0; i < round->count; i++) {
        int segments;
        made->message[i] = round->message[i];
        made->message[i].bytes = host_copy(transfer, &round->message[i], segment, &segments);
        keep_segments(made, i, segment, segments);
        if (made->message[i].from != made->message[i].to) {
            ctx->statistics.messages++;
            ctx->statistics.bytes += made->message[i].bytes;
        }
    }
    model_ranks_count(&ctx->statistics, ctx->processors, model->ranks > 0 ? model->ranks : ctx->processors, sending,
                      made->message, round->count, made->segments, made->segment_bytes);
}

/* Data is there at once; what takes its time is the round in the actions. */
struct bmf_exchange {
    int64_t number;
    uint32_t round;
    copies made;
};

/* What senders do before a round's messages, or those who only send after them, or receivers when they have come, as
 * far as the machine's sheet knows: once a processor, by the bytes of its messages. */
typedef enum message_side { SIDE_SENDING, SIDE_SENT, SIDE_RECEIVED } message_side;

static int record_overhead(bmf_context *ctx, const bmf_message *message, int64_t count, message_side side)
{
    static const char *const what[] = {"send", "sent", "receive"};
    const bool sending = side != SIDE_RECEIVED;
    bmf_model *model = model_of(ctx);
    char operation[BMF_SAMPLE_NAME];
    int status = BMF_OK;
    if (!model_costs_know_overhead(model->costs, model_call(ctx), what[side], operation))
        return BMF_OK;
    int64_t *processor = allocate(count * (int64_t)sizeof *processor), listed = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t p = sending ? message[i].from : message[i].to;
        if (message[i].from == message[i].to)
            continue;
        if (!model->listed[p]) {
            model->listed[p] = true;
            model->elements[p] = 0;
            processor[listed++] = p;
        }
        model->elements[p] += message[i].bytes;
    }
    for (int64_t i = 0; i < count && side == SIDE_SENT; i++)
        if (message[i].from != message[i].to)
            model->elements[message[i].to] = -1;
    actions_family_begin(model->actions);
    for (int64_t k = 0; k < listed; k++) {
        int64_t p = processor[k];
        bmf_model_cost cost;
        model->listed[p] = false;
        if (model->elements[p] < 0)
            continue;
        if (status == BMF_OK)
            status = model_costs_find(model->costs, ctx,
                                      &(bmf_model_call){.kernel = operation, .elements = model->elements[p]}, &cost);
        if (status == BMF_OK)
            actions_overhead(model->actions, p, cost.seconds, cost.shared, cost.own, cost.equation);
    }
    actions_family_end(model->actions);
    free(processor);
    return status;
}

static int begin_round(bmf_context *ctx, const bmf_round *round, uint32_t round_number, bmf_model_sending sending,
                       const bmf_transfer *transfer, bmf_exchange *begun)
{
    if (model_of(ctx)->computed)
        model_synchronise(model_of(ctx));
    model_of(ctx)->computed = false;
    begun->round = round_number;
    model_copies_pause(model_of(ctx));
    copy_all(ctx, round, sending, transfer, &begun->made);
    model_copies_send(model_of(ctx), begun->made.message, begun->made.count);
    int status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_SENDING);
    begun->number = actions_round_begin(model_of(ctx)->actions, round_number, begun->made.message, begun->made.count);
    return status;
}

/* status: of the beginning. */
static int end_round(bmf_context *ctx, bmf_exchange *begun, bool sparse, int status)
{
    if (status == BMF_OK && !sparse)
        status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_SENT);
    if (sparse)
        actions_round_end_sparse(model_of(ctx)->actions, begun->round, begun->number);
    else
        actions_round_end(model_of(ctx)->actions, begun->round, begun->number);
    if (status == BMF_OK)
        status = record_overhead(ctx, begun->made.message, begun->made.count, SIDE_RECEIVED);
    model_copies_received(model_of(ctx), begun->made.message, begun->made.count);
    copies_close(&begun->made);
    host_fresh_bytes();
    model_copies_resume(model_of(ctx));
    return status;
}

static bmf_model_sending sending_of(const bmf_round *round)
{
    return round->count > 0 && round->message[0].bytes == BMF_BYTES_UNKNOWN ? BMF_SENDING_UNKNOWN : BMF_SENDING_KNOWN;
}

int model_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer,
                         bmf_exchange **under_way)
{
    *under_way = NULL;
    BMF_TRY(model_within_bound(ctx, round->count));
    *under_way = allocate((int64_t)sizeof **under_way);
    int status = begin_round(ctx, round, round_number, sending_of(round), transfer, *under_way);
    if (status == BMF_OK)
        return BMF_OK;
    copies_close(&(*under_way)->made);
    free(*under_way);
    *under_way = NULL;
    return status;
}

bool model_exchange_progress(bmf_context *ctx, bmf_exchange *under_way)
{
    (void)ctx, (void)under_way;
    return true;
}

int model_exchange_end(bmf_context *ctx, bmf_exchange *under_way)
{
    int status = end_round(ctx, under_way, false, BMF_OK);
    free(under_way);
    return status;
}

int model_exchange(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer)
{
    bmf_exchange begun;
    BMF_TRY(model_within_bound(ctx, round->count));
    int status = begin_round(ctx, round, round_number, sending_of(round), transfer, &begun);
    return end_round(ctx, &begun, false, status);
}

/* Ends when everybody knows that nothing is under way. */
int model_exchange_sparse(bmf_context *ctx, const bmf_round *sends, uint32_t round_number, const bmf_transfer *transfer)
{
    bmf_exchange begun;
    BMF_TRY(model_within_bound(ctx, sends->count));
    int status = begin_round(ctx, sends, round_number, BMF_SENDING_SPARSE, transfer, &begun);
    status = end_round(ctx, &begun, true, status);
    const int settled = ctx->backend->agree(ctx, BMF_OK);
    return status == BMF_OK ? settled : status;
}
