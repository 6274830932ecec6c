/* Running a plan of boxes: any number of processors.
 *
 * Method: what goes from one box to another (permute/exchange/boxes.h) travels in the order of its targets. Packing
 * gathers it from increasing addresses and, unless both orders are the same, permutes it in memory
 * (permute/local/permute.c) by way of the memory that will receive; unpacking scatters to increasing addresses. Runs
 * that the subspace keeps together are copied as they are. Cost: three passes through memory; where runs are shorter
 * than a cache line, lines are read and written several times. */
#include <stdlib.h>
#include <string.h>

#include "permute/exchange/boxes.h"
#include "permute/exchange/private.h"
#include "bmf/permute.h"
#include "runtime/base/allocate.h"

enum {
    TABLE_BITS = 10,
    NEAR_BYTES = 1 << 15, /* subspaces up to this size may be read in any order */
    ALONE_BYTES = 1 << 16 /* shares up to this size are not worth waking threads for */
};

typedef struct boxes_run {
    exchange *x;
    bool packing;
    int64_t *start; /* element numbers; from processor s to t, and then at t from s, on this host */
} boxes_run;

/* ---- runs ---- */

/* The addresses base + sums of `dimension` increasing or other vectors, as runs of consecutive ones. */
typedef struct addresses {
    uint64_t base;
    int run_bits, low, high; /* dimension = run_bits + low + high; the table serves the low ones */
    const uint64_t *step;    /* after those of a run */
    uint64_t table[1 << TABLE_BITS];
} addresses;

static void list_addresses(uint64_t base, const uint64_t *step, int dimension, addresses *a)
{
    a->base = base;
    a->run_bits = 0;
    while (a->run_bits < dimension && step[a->run_bits] == UINT64_C(1) << a->run_bits)
        a->run_bits++;
    uint64_t begins = base; /* the bits in which runs begin: none of them may lie inside a run */
    for (int j = a->run_bits; j < dimension; j++)
        begins |= step[j];
    if (begins & low_bits(a->run_bits))
        a->run_bits = __builtin_ctzll(begins);
    const int rest = dimension - a->run_bits;
    a->low = rest < TABLE_BITS ? rest : TABLE_BITS;
    a->high = rest - a->low;
    a->step = step + a->run_bits;
    a->table[0] = 0;
    for (int j = 0; j < a->low; j++)
        for (int64_t k = 0; k < INT64_C(1) << j; k++)
            a->table[(INT64_C(1) << j) + k] = a->table[k] ^ a->step[j];
}

/* Copies between `run` and the runs of `bytes` bytes at those addresses of `memory`. */
__attribute__((always_inline)) static inline void copy_runs(const addresses *a, char *memory, int64_t element_bytes,
                                                            char *run, size_t bytes, bool gather)
{
    for (uint64_t h = 0; h < UINT64_C(1) << a->high; h++) {
        const uint64_t base = a->base ^ columns_apply(a->step + a->low, h);
        for (uint64_t k = 0; k < UINT64_C(1) << a->low; k++, run += bytes) {
            char *place = memory + (int64_t)(base ^ a->table[k]) * element_bytes;
            memcpy(gather ? run : place, gather ? place : run, bytes);
        }
    }
}

/* With a constant size the copies become plain loads and stores. */
static void copy(const addresses *a, char *memory, int64_t element_bytes, char *run, bool gather)
{
    const size_t bytes = (size_t)element_bytes << a->run_bits;
    switch (bytes) {
    case 4:
        copy_runs(a, memory, element_bytes, run, 4, gather);
        break;
    case 8:
        copy_runs(a, memory, element_bytes, run, 8, gather);
        break;
    case 16:
        copy_runs(a, memory, element_bytes, run, 16, gather);
        break;
    case 32:
        copy_runs(a, memory, element_bytes, run, 32, gather);
        break;
    default:
        copy_runs(a, memory, element_bytes, run, bytes, gather);
    }
}

/* ---- subspaces ---- */

/* One column of a message. */
typedef struct walk {
    char *run, *spare; /* the message, and other memory for it */
    char *memory;      /* of address 0 */
    int64_t bytes;     /* of an element */
    int status;
} walk;

static void pack_subspace(void *state, const bmf_subspace *box)
{
    walk *w = state;
    addresses a;
    const int64_t bytes = w->bytes << box->dimension;
    if (box->same || bytes <= NEAR_BYTES) {
        list_addresses(box->x, box->step_x, box->dimension, &a);
        copy(&a, w->memory, w->bytes, w->run, true);
    } else {
        const bmf_permutation order = {box->dimension, *box->order, 0};
        list_addresses(box->x, box->near_x, box->dimension, &a);
        copy(&a, w->memory, w->bytes, w->spare, true);
        const int status = bmf_local_permute(w->run, w->spare, w->bytes, &order, 1);
        w->status = w->status == BMF_OK ? status : w->status;
    }
    w->run += bytes;
}

static void unpack_subspace(void *state, const bmf_subspace *box)
{
    walk *w = state;
    addresses a;
    list_addresses(box->y, box->step_y, box->dimension, &a);
    copy(&a, w->memory, w->bytes, w->run, false);
    w->run += w->bytes << box->dimension;
}

/* ---- local passes ---- */

static int64_t *start_of(const boxes_run *b, int64_t here, int64_t there, bool packing)
{
    int64_t P = b->x->ctx->processors, local = b->x->ctx->local_processors;
    return &b->start[(packing ? 0 : local * P) + (here - b->x->ctx->first_processor) * P + there];
}

/* Where the elements for and from every processor stand; also fills the tables, so that pieces only read them. */
static void find_starts(boxes_run *b)
{
    const exchange *x = b->x;
    bmf_context *ctx = x->ctx;
    int64_t sent = 0, received = 0;
    b->start = allocate(2 * ctx->local_processors * ctx->processors * (int64_t)sizeof *b->start);
    for (int64_t here = ctx->first_processor; here < ctx->first_processor + ctx->local_processors; here++)
        for (int64_t there = 0; there < ctx->processors; there++) {
            *start_of(b, here, there, true) = sent;
            *start_of(b, here, there, false) = received;
            sent += boxes_visit(x->plan->boxes, here, there, NULL, NULL);
            received += boxes_visit(x->plan->boxes, there, here, NULL, NULL);
        }
}

/* The message between piece->processor, which is here, and piece->part. Its spare memory is where it would be
 * received: nothing has been when packing goes on. */
static int run_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const boxes_run *b = state;
    const exchange *x = b->x;
    const int64_t first = bmf_permute_local_first(x->ctx, x->plan->permutation.bits);
    int status = BMF_OK;
    (void)index;
    (void)worker;
    for (int k = 0; k < x->plan->columns && status == BMF_OK; k++) {
        const int64_t bytes = x->plan->column_bytes[k], begin = piece->begin * bytes;
        const char *memory = b->packing ? x->source[k] : x->target[k];
        walk w = {.memory = (char *)(uintptr_t)memory - first * bytes, .bytes = bytes};
        if (b->packing) {
            w.run = (char *)x->target[k] + begin;
            w.spare = (char *)x->scratch[k] + begin;
            boxes_visit(x->plan->boxes, piece->processor, piece->part, pack_subspace, &w);
        } else {
            w.run = (char *)x->scratch[k] + begin;
            boxes_visit(x->plan->boxes, piece->part, piece->processor, unpack_subspace, &w);
        }
        status = w.status;
    }
    return status;
}

/* One piece for every pair of a local processor and another; piece.part is the other one. */
static void run_pass(boxes_run *b, bool packing)
{
    const exchange *x = b->x;
    bmf_context *ctx = x->ctx;
    const int64_t pieces = ctx->local_processors * ctx->processors, count = exchange_local_count(x);
    const int64_t workers = count * x->plan->element_bytes > ALONE_BYTES ? ctx->threads : 1;
    bmf_piece *piece = allocate(pieces * (int64_t)sizeof *piece);
    b->packing = packing;
    for (int64_t k = 0; k < pieces; k++) {
        const int64_t here = ctx->first_processor + k / ctx->processors, there = k % ctx->processors;
        const int64_t *start = start_of(b, here, there, packing);
        piece[k] = (bmf_piece){there, here, *start, k + 1 < pieces ? start[1] : count, (int)(k * workers / pieces)};
    }
    const int status = backend_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                                        .round = !packing,
                                                        .piece = piece,
                                                        .pieces = pieces,
                                                        .run = run_piece,
                                                        .state = b});
    free(piece);
    require_memory(status == BMF_OK ? BMF_OK : BMF_ERROR_MEMORY, count);
}

/* ---- messages ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const boxes_run *b = state;
    const exchange *x = b->x;
    const int bits = x->plan->permutation.bits;
    if (!exchange_is_naive(x))
        return exchange_segments(x, (const void *const *)x->target, *start_of(b, message->from, message->to, true),
                                 message->count, segment);
    const int64_t element = bmf_split_start(INT64_C(1) << bits, x->ctx->processors, message->from) + message->first;
    return exchange_segments(x, x->source, element - bmf_permute_local_first(x->ctx, bits), message->count, segment);
}

/* A single element goes straight to its place. */
static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const boxes_run *b = state;
    const exchange *x = b->x;
    const bmf_permutation *p = &x->plan->permutation;
    if (!exchange_is_naive(x))
        return exchange_segments(x, (const void *const *)x->scratch, *start_of(b, message->to, message->from, false),
                                 message->count, segment);
    const int64_t element = bmf_split_start(INT64_C(1) << p->bits, x->ctx->processors, message->from) + message->first;
    return exchange_segments(x, (const void *const *)x->target,
                             (int64_t)bmf_permutation_apply(p, (uint64_t)element) -
                                 bmf_permute_local_first(x->ctx, p->bits),
                             message->count, segment);
}

/* ---- all together ---- */

static int pack_send_unpack(boxes_run *b, const bmf_transfer *transfer)
{
    run_pass(b, true);
    BMF_TRY(permute_rounds(b->x, transfer, NULL));
    run_pass(b, false);
    return BMF_OK;
}

int exchange_boxes(exchange *x)
{
    boxes_run b = {.x = x};
    const bmf_transfer transfer = {outgoing, incoming, &b};
    if (exchange_is_naive(x))
        return permute_rounds(x, &transfer, NULL);
    exchange_make_scratch(x, exchange_local_count(x));
    find_starts(&b);
    const int status = pack_send_unpack(&b, &transfer);
    free(b.start);
    return status;
}
