/* Running the plan of a distributed permutation.
 *
 * Method: pack, exchange round by round, unpack; packing and unpacking are local BMMC permutations of one pass each.
 * Where the algebra says that blocks already stand in order they are sent from the source or received in the target,
 * and the pass falls away. Packed data wait in the target, received ones in scratch memory, so one share of it is
 * enough. Without subspaces (permute/boxes.h) packing and unpacking walk the elements of every message. Cost: passes
 * times 2 w N / P bytes of memory beside the messages. */
#include <stdlib.h>
#include <string.h>

#include "permute/boxes.h"
#include "permute/exchange.h"
#include "permute/local.h"
#include "permute/traffic.h"
#include "runtime/allocate.h"
#include "runtime/backend.h"

typedef struct exchange {
    bmf_context *ctx;
    const bmf_permute_plan *plan;
    const void *const *source;
    void *const *target;
    bmf_buffer *buffer;
    void *scratch[BMF_MAX_LEAVES];
    const void *const *sent; /* source, target or scratch: what messages are read from and written to */
    void *const *received;
    const void *const *from; /* of the local pass that runs */
    void *const *to;
    int64_t *start; /* boxes: element numbers; from processor s to t, and then at t from s, on this host */
    int status;
} exchange;

static bool is_naive(const exchange *x)
{
    return x->plan->method == BMF_PERMUTE_NAIVE;
}

/* ---- local passes ---- */

static int64_t place_of_processor(const exchange *x, int64_t processor)
{
    return (processor - x->ctx->first_processor) << x->plan->traffic->place_bits;
}

/* The permutation that takes a processor's elements from `sent` to where messages leave, or from where they arrive. */
static bmf_permutation local_permutation(const exchange *x, int64_t processor, bool packing)
{
    const bmf_traffic *traffic = x->plan->traffic;
    return packing ? bmf_traffic_packing(traffic, (uint64_t)processor)
                   : bmf_traffic_unpacking(traffic, (uint64_t)processor);
}

static int permute_processor(exchange *x, int64_t processor, bool packing, const void *const *from, void *const *to)
{
    bmf_permutation p = local_permutation(x, processor, packing);
    int status = BMF_OK;
    for (int k = 0; k < x->plan->columns && status == BMF_OK; k++) {
        int64_t bytes = x->plan->column_bytes[k], place = place_of_processor(x, processor) * bytes;
        status = bmf_local_permute((char *)to[k] + place, (const char *)from[k] + place, bytes, &p, x->ctx->threads);
    }
    return status;
}

/* True if all elements of a processor stay on it. */
static bool stays(const exchange *x, int64_t processor)
{
    const bmf_traffic *traffic = x->plan->traffic;
    return !is_naive(x) && traffic->rank == 0 &&
           bmf_traffic_target(traffic, (uint64_t)processor, 0) == (uint64_t)processor;
}

static int pack_traffic(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    exchange *x = state;
    (void)index;
    (void)worker;
    if (stays(x, piece->processor))
        x->status = permute_processor(x, piece->processor, true, x->source, x->target);
    else if (x->plan->traffic->packs && !is_naive(x))
        x->status = permute_processor(x, piece->processor, true, x->from, x->to);
    return x->status;
}

static int unpack_traffic(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    exchange *x = state;
    (void)index;
    (void)worker;
    x->status = permute_processor(x, piece->processor, false, x->from, x->to);
    return x->status;
}

/* One piece for every local processor; the local permutation brings its own threads. */
static int run_pass(exchange *x, bool packing,
                    int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker), const void *const *from,
                    void *const *to)
{
    bmf_context *ctx = x->ctx;
    bmf_piece *piece = bmf_allocate(ctx->local_processors * (int64_t)sizeof *piece);
    int64_t count = INT64_C(1) << x->plan->traffic->place_bits;
    x->from = from;
    x->to = to;
    for (int64_t k = 0; k < ctx->local_processors; k++) {
        int64_t processor = ctx->first_processor + k;
        piece[k] = (bmf_piece){processor, processor, processor * count, (processor + 1) * count, 0};
    }
    int status = bmf_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                              .round = !packing,
                                              .piece = piece,
                                              .pieces = ctx->local_processors,
                                              .run = run,
                                              .state = x});
    free(piece);
    return status == BMF_OK ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "permute: out of memory");
}

/* ---- messages ---- */

static int segments_at(const exchange *x, const void *const *memory, int64_t first, int64_t count, bmf_segment *segment)
{
    for (int k = 0; k < x->plan->columns; k++) {
        int64_t bytes = x->plan->column_bytes[k];
        segment[k] = (bmf_segment){(char *)memory[k] + first * bytes, count * bytes};
    }
    return x->plan->columns;
}

/* The bits of `word` at the places that `places` names, moved together. */
static uint64_t gather_bits(uint64_t word, uint64_t places)
{
    uint64_t gathered = 0;
    for (int k = 0; places; places &= places - 1, k++)
        gathered |= (word >> __builtin_ctzll(places) & 1) << k;
    return gathered;
}

static int traffic_outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const exchange *x = state;
    const bmf_traffic *traffic = x->plan->traffic;
    int64_t place = is_naive(x) ? message->first : message->first << (traffic->place_bits - traffic->rank);
    return segments_at(x, x->sent, place_of_processor(x, message->from) + place, message->count, segment);
}

static int traffic_incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const exchange *x = state;
    const bmf_traffic *traffic = x->plan->traffic;
    uint64_t s = (uint64_t)message->from, t = (uint64_t)message->to;
    uint64_t place = bmf_traffic_slot(traffic, s, t) << (traffic->place_bits - traffic->rank);
    if (is_naive(x))
        place |= gather_bits((uint64_t)message->first, traffic->pivots);
    else if (traffic->direct) {
        bmf_permutation unpacking = bmf_traffic_unpacking(traffic, t);
        place = bmf_permutation_apply(&unpacking, place);
    }
    return segments_at(x, (const void *const *)x->received, place_of_processor(x, message->to) + (int64_t)place,
                       message->count, segment);
}

/* Takes what a processor keeps out of a round and puts it into `own`; what is in place already nowhere. */
static void take_own(const exchange *x, bmf_round *round, bmf_round *own)
{
    int64_t others = 0;
    for (int64_t k = 0; k < round->count; k++) {
        const bmf_message message = round->message[k];
        if (message.from != message.to)
            round->message[others++] = message;
        else if (!x->plan->traffic || !stays(x, message.from))
            own->message[own->count++] = message;
    }
    round->count = others;
}

/* Copies go with the first later round that has messages, whose flight they fill; after the last one they go alone. */
static int run_round(exchange *x, int64_t k, bmf_round *own, const bmf_transfer *transfer)
{
    bmf_context *ctx = x->ctx;
    bmf_round round;
    int64_t size = (int64_t)sizeof(bmf_message);
    bmf_permute_plan_round(x->plan, k, ctx->first_processor, ctx->first_processor + ctx->local_processors, &round);
    own->message = bmf_reallocate(own->message, own->count * size, (own->count + round.count) * size);
    take_own(x, &round, own);
    if (own->count > 0 && (round.count > 0 || k + 1 == x->plan->rounds)) {
        round.message = bmf_reallocate(round.message, round.count * size, (round.count + own->count) * size);
        memcpy(round.message + round.count, own->message, (size_t)(own->count * size));
        round.count += own->count;
        own->count = 0;
    }
    int status = ctx->backend->exchange(ctx, &round, (uint32_t)k, transfer);
    free(round.message);
    return status;
}

static int run_rounds(exchange *x, const bmf_transfer *transfer)
{
    bmf_round own = {0};
    int status = BMF_OK;
    for (int64_t k = 0; k < x->plan->rounds && status == BMF_OK; k++)
        status = run_round(x, k, &own, transfer);
    free(own.message);
    return status;
}

/* ---- subspaces ---- */

static int execute_traffic(exchange *x)
{
    const bmf_traffic *traffic = x->plan->traffic;
    bool packs = traffic->packs && !is_naive(x), unpacks = is_naive(x) || !traffic->direct;
    void *const *packed = unpacks ? x->target : x->scratch;
    x->sent = packs ? (const void *const *)packed : x->source;
    x->received = unpacks ? x->scratch : x->target;
    int status = run_pass(x, true, pack_traffic, x->source, packed);
    if (x->ctx->processors == 1 && !is_naive(x))
        return status;
    BMF_TRY(bmf_agree(x->ctx, status));
    BMF_TRY(run_rounds(x, &(bmf_transfer){traffic_outgoing, traffic_incoming, x}));
    if (!unpacks)
        return BMF_OK;
    return bmf_agree(x->ctx, run_pass(x, false, unpack_traffic, (const void *const *)x->scratch, x->target));
}

/* ---- boxes ---- */

/* Copies between a run and the places of a subspace. */
typedef struct walk {
    char *run;
    char *place; /* of address `origin` */
    uint64_t origin;
    int64_t bytes;
    bool packing;
} walk;

static inline void copy_elements(walk *w, const bmf_subspace *box, int64_t bytes)
{
    uint64_t address = w->packing ? box->x : box->y;
    const uint64_t *step = w->packing ? box->step_x : box->step_y;
    for (uint64_t k = 1; k <= UINT64_C(1) << box->dimension; k++) {
        char *place = w->place + (int64_t)(address - w->origin) * bytes;
        memcpy(w->packing ? w->run : place, w->packing ? place : w->run, (size_t)bytes);
        w->run += bytes;
        if (k < UINT64_C(1) << box->dimension)
            address ^= step[__builtin_ctzll(k)];
    }
}

static void walk_box(void *state, const bmf_subspace *box)
{
    walk *w = state;
    if (w->bytes == 8)
        copy_elements(w, box, 8);
    else if (w->bytes == 4)
        copy_elements(w, box, 4);
    else
        copy_elements(w, box, w->bytes);
}

static int64_t *start_of(const exchange *x, int64_t here, int64_t there, bool packing)
{
    int64_t P = x->ctx->processors, local = x->ctx->local_processors;
    return &x->start[(packing ? 0 : local * P) + (here - x->ctx->first_processor) * P + there];
}

/* Where the elements for and from every processor stand; also fills the tables, so that pieces only read them. */
static void find_starts(exchange *x)
{
    bmf_context *ctx = x->ctx;
    int64_t sent = 0, received = 0;
    x->start = bmf_allocate(2 * ctx->local_processors * ctx->processors * (int64_t)sizeof *x->start);
    for (int64_t here = ctx->first_processor; here < ctx->first_processor + ctx->local_processors; here++)
        for (int64_t there = 0; there < ctx->processors; there++) {
            *start_of(x, here, there, true) = sent;
            *start_of(x, here, there, false) = received;
            sent += bmf_boxes_visit(x->plan->boxes, here, there, NULL, NULL);
            received += bmf_boxes_visit(x->plan->boxes, there, here, NULL, NULL);
        }
}

static int boxes_piece(const exchange *x, const bmf_piece *piece, bool packing)
{
    int64_t there = piece->part, s = packing ? piece->processor : there, t = packing ? there : piece->processor;
    for (int k = 0; k < x->plan->columns; k++) {
        int64_t bytes = x->plan->column_bytes[k];
        char *run = packing ? (char *)x->to[k] : (char *)x->from[k];
        char *place = packing ? (char *)x->from[k] : (char *)x->to[k];
        walk w = {run + piece->begin * bytes, place,
                  (uint64_t)bmf_permute_local_first(x->ctx, x->plan->permutation.bits), bytes, packing};
        bmf_boxes_visit(x->plan->boxes, s, t, walk_box, &w);
    }
    return 0;
}

static int pack_boxes(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    (void)index;
    (void)worker;
    return boxes_piece(state, piece, true);
}

static int unpack_boxes(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    (void)index;
    (void)worker;
    return boxes_piece(state, piece, false);
}

enum { ALONE_BYTES = 1 << 16 }; /* shares up to this size are not worth waking threads for */

/* One piece for every pair of a local processor and another; piece.part is the other one. */
static int boxes_pass(exchange *x, bool packing, const void *const *from, void *const *to)
{
    bmf_context *ctx = x->ctx;
    int64_t pieces = ctx->local_processors * ctx->processors;
    int64_t count = bmf_permute_local_count(ctx, x->plan->permutation.bits);
    bmf_piece *piece = bmf_allocate(pieces * (int64_t)sizeof *piece);
    int64_t workers = count * x->plan->element_bytes > ALONE_BYTES ? ctx->threads : 1;
    x->from = from;
    x->to = to;
    for (int64_t k = 0; k < pieces; k++) {
        int64_t here = ctx->first_processor + k / ctx->processors, there = k % ctx->processors;
        int64_t *start = start_of(x, here, there, packing);
        piece[k] = (bmf_piece){there, here, *start, k + 1 < pieces ? start[1] : count, (int)(k * workers / pieces)};
    }
    int status = bmf_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                              .round = !packing,
                                              .piece = piece,
                                              .pieces = pieces,
                                              .run = packing ? pack_boxes : unpack_boxes,
                                              .state = x});
    free(piece);
    return status;
}

static int boxes_outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const exchange *x = state;
    int64_t length = INT64_C(1) << x->plan->permutation.bits;
    int64_t first = is_naive(x) ? bmf_split_start(length, x->ctx->processors, message->from) + message->first -
                                      bmf_permute_local_first(x->ctx, x->plan->permutation.bits)
                                : *start_of(x, message->from, message->to, true);
    return segments_at(x, x->sent, first, message->count, segment);
}

/* A single element goes straight to its place. */
static int boxes_incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const exchange *x = state;
    const bmf_permutation *p = &x->plan->permutation;
    int64_t element = bmf_split_start(INT64_C(1) << p->bits, x->ctx->processors, message->from) + message->first;
    int64_t first =
        is_naive(x) ? (int64_t)bmf_permutation_apply(p, (uint64_t)element) - bmf_permute_local_first(x->ctx, p->bits)
                    : *start_of(x, message->to, message->from, false);
    return segments_at(x, (const void *const *)x->received, first, message->count, segment);
}

static int execute_boxes(exchange *x)
{
    bmf_transfer transfer = {boxes_outgoing, boxes_incoming, x};
    if (is_naive(x)) {
        x->sent = x->source;
        x->received = x->target;
        return run_rounds(x, &transfer);
    }
    find_starts(x);
    x->sent = (const void *const *)x->target;
    x->received = x->scratch;
    BMF_TRY(boxes_pass(x, true, x->source, x->target));
    BMF_TRY(run_rounds(x, &transfer));
    return boxes_pass(x, false, (const void *const *)x->scratch, x->target);
}

/* ---- all together ---- */

/* Whether messages need a place of their own beside source and target. */
static bool needs_scratch(const bmf_permute_plan *plan)
{
    bool naive = plan->method == BMF_PERMUTE_NAIVE;
    if (!plan->traffic)
        return !naive;
    if (plan->processors == 1 && !naive)
        return false;
    return naive || plan->traffic->packs || !plan->traffic->direct;
}

static int make_scratch(exchange *x)
{
    int64_t count = bmf_permute_local_count(x->ctx, x->plan->permutation.bits), bytes = 0;
    if (!needs_scratch(x->plan))
        return BMF_OK;
    for (int k = 0; k < x->plan->columns; k++)
        bytes += count * x->plan->column_bytes[k] + 64;
    x->buffer = bmf_buffer_create(bytes);
    if (!x->buffer)
        return bmf_fail(x->ctx, BMF_ERROR_MEMORY, "permute: out of memory for %lld bytes", (long long)bytes);
    char *next = x->buffer->data;
    for (int k = 0; k < x->plan->columns; k++) {
        x->scratch[k] = next;
        next += (count * x->plan->column_bytes[k] + 63) / 64 * 64;
    }
    return BMF_OK;
}

int bmf_permute_execute(bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source, void *const *target)
{
    exchange x = {.ctx = ctx, .plan = plan, .source = source, .target = target};
    bmf_skeleton_begin(ctx, "permute %s", bmf_permute_method_name(plan->method));
    int status = bmf_agree(ctx, make_scratch(&x));
    if (status == BMF_OK)
        status = plan->traffic ? execute_traffic(&x) : execute_boxes(&x);
    if (x.buffer)
        bmf_buffer_release(x.buffer);
    free(x.start);
    return bmf_skeleton_end(ctx, NULL, status);
}
