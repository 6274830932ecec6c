/* Running the plan of a distributed permutation: what its ways have in common.
 *
 * Method: with subspaces, packing, rounds and unpacking one after the other (permute/exchange/traffic.c) or overlapping
 * (permute/exchange/run_stages.c); otherwise boxes (permute/exchange/run_boxes.c). Cost: passes times 2 w N / P bytes
 * of memory beside the messages. */
#include <stdlib.h>
#include <string.h>

#include "permute/exchange/private.h"
#include "permute/exchange/stages.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

void exchange_make_scratch(exchange *x, int64_t elements)
{
    int64_t bytes = 0;
    for (int k = 0; k < x->plan->columns; k++)
        bytes += elements * x->plan->column_bytes[k] + 64;
    x->buffer = buffer_create(bytes);
    if (!x->buffer)
        out_of_memory(bytes, "for a permutation");
    char *next = x->buffer->data;
    for (int k = 0; k < x->plan->columns; k++) {
        x->scratch[k] = next;
        next += (elements * x->plan->column_bytes[k] + 63) / 64 * 64;
    }
}

int exchange_segments(const exchange *x, const void *const *memory, int64_t first, int64_t count, bmf_segment *segment)
{
    for (int k = 0; k < x->plan->columns; k++) {
        int64_t bytes = x->plan->column_bytes[k];
        segment[k] = (bmf_segment){(char *)memory[k] + first * bytes, count * bytes};
    }
    return x->plan->columns;
}

/* Takes what a processor keeps out of a round and puts it into `own`; what is in place already nowhere. */
static void take_own(const exchange *x, bool (*in_place)(const exchange *x, int64_t processor), bmf_round *round,
                     bmf_round *own)
{
    int64_t others = 0;
    for (int64_t k = 0; k < round->count; k++) {
        const bmf_message message = round->message[k];
        if (message.from != message.to)
            round->message[others++] = message;
        else if (!in_place || !in_place(x, message.from))
            own->message[own->count++] = message;
    }
    round->count = others;
}

/* The messages of round k, with those of `own` that are due. */
static void list_round(const exchange *x, int64_t k, bool (*in_place)(const exchange *x, int64_t processor),
                       bmf_round *own, bmf_round *round)
{
    const bmf_context *ctx = x->ctx;
    permute_plan_round(x->plan, k, ctx->first_processor, ctx->first_processor + ctx->local_processors, round);
    ARRAY_RESERVE(own->message, own->capacity, own->count + round->count);
    take_own(x, in_place, round, own);
    if (own->count > 0 && (round->count > 0 || k + 1 == x->plan->rounds)) {
        ARRAY_RESERVE(round->message, round->capacity, round->count + own->count);
        memcpy(round->message + round->count, own->message, (size_t)own->count * sizeof *own->message);
        round->count += own->count;
        own->count = 0;
    }
}

/* Rounds [ended, begun); number k is at k % BMF_MAX_WINDOW. */
typedef struct window {
    bmf_round round[BMF_MAX_WINDOW];
    bmf_exchange *exchange[BMF_MAX_WINDOW];
    int64_t ended, begun;
} window;

static int end_round(exchange *x, window *w)
{
    const int64_t k = w->ended++ % BMF_MAX_WINDOW;
    const int status = backend_exchange_end(x->ctx, w->exchange[k]);
    free(w->round[k].message);
    return status;
}

int permute_rounds(exchange *x, const bmf_transfer *transfer, bool (*in_place)(const exchange *x, int64_t processor))
{
    const int64_t count = x->plan->rounds, size = permute_plan_window(x->plan);
    bmf_round own = {0};
    window w = {.ended = 0};
    int status = BMF_OK;
    for (int64_t k = 0; k < count && status == BMF_OK; k++) {
        if (w.begun - w.ended == size)
            status = end_round(x, &w);
        list_round(x, k, in_place, &own, &w.round[k % BMF_MAX_WINDOW]);
        w.begun++;
        if (status == BMF_OK)
            status = backend_exchange_begin(x->ctx, &w.round[k % BMF_MAX_WINDOW], (uint32_t)k, transfer,
                                            &w.exchange[k % BMF_MAX_WINDOW]);
    }
    while (w.ended < w.begun && status == BMF_OK)
        status = end_round(x, &w);
    free(own.message);
    return status;
}

const bmf_skeleton_type skeleton_permute = {.id = 18, .name = "permute", .communication = BMF_COMMUNICATION_PERMUTE};

int bmf_permute_execute(bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source, void *const *target)
{
    exchange x = {.ctx = ctx, .plan = plan, .source = source, .target = target};
    skeleton_begin(ctx, &skeleton_permute, "permute %s", bmf_permute_method_name(plan->method));
    int status = plan->stages ? exchange_stages(&x) : plan->traffic ? exchange_traffic(&x) : exchange_boxes(&x);
    if (x.buffer)
        buffer_release(x.buffer);
    return skeleton_end(ctx, NULL, status);
}
