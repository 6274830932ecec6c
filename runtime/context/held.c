/* What processors hold.
 *
 * Method: a buffer that is counted has a list of processors and bytes, by which the sums of the processors grow and,
 * when its last owner gives it back, shrink. Of several values in one buffer a processor holds what it has of the one
 * of which it has most: so a part that shares memory with the whole costs what a copy on its processor would. Sums that
 * have changed are recorded at the end of a list or value, and when a buffer goes: on the cluster with the time, in the
 * model with the place in the log of actions.
 * Cost: only with a trace; some allocations and a record for every processor with elements, for each list or value. */
#include "runtime/context/held.h"

#include <stdlib.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* One context's sums; shared with its buffers. */
typedef struct bmf_held {
    bmf_context *ctx; /* NULL: closed */
    int64_t references;
    int64_t first, processors; /* of this rank */
    int64_t *bytes, *told;     /* by processor: what it holds, what was recorded last */
    int64_t round;             /* of hold_begin */
} bmf_held;

/* What a processor holds of a buffer: the most of all values in it. */
typedef struct held_part {
    int64_t processor, bytes;
    int64_t round, now; /* the bytes of the value that is being looked at, and its round */
} held_part;

struct bmf_holding {
    bmf_held *held;
    int64_t count, capacity, last; /* last: the part that was asked for last */
    held_part *part;
};

static void release(bmf_held *held)
{
    if (--held->references > 0)
        return;
    free(held->bytes);
    free(held->told);
    free(held);
}

static void tell(bmf_held *held, int64_t p)
{
    bmf_context *ctx = held->ctx;
    if (!ctx || !ctx->run || held->bytes[p] == held->told[p])
        return;
    held->told[p] = held->bytes[p];
    if (ctx->backend->held)
        ctx->backend->held(ctx, held->first + p, held->bytes[p]);
    else
        run_add_held(ctx->run, &(bmf_trace_held){context_now(ctx), held->bytes[p], (int32_t)(held->first + p), 0});
}

/* A buffer's last owner has given it back. */
static void let_go(bmf_buffer *buffer)
{
    struct bmf_holding *holding = buffer->holding;
    bmf_held *held = holding->held;
    buffer->holding = NULL;
    for (int64_t k = 0; k < holding->count; k++)
        held->bytes[holding->part[k].processor] -= holding->part[k].bytes;
    for (int64_t k = 0; k < holding->count; k++)
        tell(held, holding->part[k].processor);
    free(holding->part);
    free(holding);
    release(held);
}

bool holds_memory(const bmf_context *ctx)
{
    return ctx->run && ctx->processors <= BMF_HELD_PROCESSORS;
}

/* The sums; new ones when the processors of this rank have changed. */
static bmf_held *open_held(bmf_context *ctx)
{
    bmf_held *held = ctx->held;
    if (held && held->first == ctx->first_processor && held->processors == ctx->local_processors)
        return held;
    held_close(ctx);
    held = allocate_clear(1, (int64_t)sizeof *held);
    *held = (bmf_held){.ctx = ctx,
                       .references = 1,
                       .first = ctx->first_processor,
                       .processors = ctx->local_processors,
                       .bytes = allocate_clear(ctx->local_processors + 1, (int64_t)sizeof(int64_t)),
                       .told = allocate_clear(ctx->local_processors + 1, (int64_t)sizeof(int64_t))};
    buffer_let_go = let_go;
    return ctx->held = held;
}

void held_close(bmf_context *ctx)
{
    if (!ctx->held)
        return;
    ctx->held->ctx = NULL;
    release(ctx->held);
    ctx->held = NULL;
}

void hold_begin(bmf_context *ctx)
{
    open_held(ctx)->round++;
}

/* The part of a processor; values mostly ask for rising ones. */
static held_part *find_part(struct bmf_holding *holding, int64_t p)
{
    for (int64_t k = 0; k < holding->count; k++) {
        const int64_t at = (holding->last + k) % holding->count;
        if (holding->part[at].processor == p) {
            holding->last = at;
            return &holding->part[at];
        }
    }
    holding->last = holding->count;
    held_part *made = ARRAY_APPEND(holding->part, holding->count, holding->capacity);
    *made = (held_part){.processor = p};
    return made;
}

void hold_bytes(bmf_context *ctx, bmf_buffer *buffer, int64_t processor, int64_t bytes)
{
    bmf_held *held = ctx->held;
    const int64_t p = processor - held->first;
    if (!buffer || bytes <= 0 || p < 0 || p >= held->processors)
        return;
    if (!buffer->holding) {
        buffer->holding = allocate_clear(1, (int64_t)sizeof *buffer->holding);
        buffer->holding->held = held;
        held->references++;
    }
    if (buffer->holding->held != held)
        return;
    held_part *part = find_part(buffer->holding, p);
    part->now = (part->round == held->round ? part->now : 0) + bytes;
    part->round = held->round;
    if (part->now > part->bytes) {
        held->bytes[p] += part->now - part->bytes;
        part->bytes = part->now;
    }
}

void hold_end(bmf_context *ctx)
{
    for (int64_t p = 0; p < ctx->held->processors; p++)
        tell(ctx->held, p);
}

/* The runs of the children of lists. */
static void hold_children(bmf_context *ctx, const bmf_column *column, int64_t runs, const bmf_held_run *run)
{
    bmf_held_run *inner = allocate_array(runs, (int64_t)sizeof *inner);
    for (int64_t r = 0, begin = 0; r < runs; begin = run[r++].end) {
        hold_bytes(ctx, column->buffer, run[r].processor, (run[r].end - begin) * (int64_t)sizeof(int64_t));
        inner[r] = (bmf_held_run){run[r].processor, column->offsets[run[r].end]};
    }
    hold_column(ctx, &column->child[0], runs, inner);
    free(inner);
}

void hold_column(bmf_context *ctx, const bmf_column *column, int64_t runs, const bmf_held_run *run)
{
    if (column->offsets) {
        hold_children(ctx, column, runs, run);
        return;
    }
    for (int k = 0; column->child && k < column->type->components; k++)
        hold_column(ctx, &column->child[k], runs, run);
    for (int64_t r = 0, begin = 0; !column->child && r < runs; begin = run[r++].end)
        if (run[r].end > begin)
            hold_bytes(ctx, column->buffer, run[r].processor,
                       column->stride > 0 ? (run[r].end - begin) * column->stride : column->type->size);
}
