/* Running a plan with subspaces in three steps: pack, exchange, unpack.
 *
 * Method: packing and unpacking are local BMMC permutations of one pass each. Where the algebra says that blocks
 * already stand in order they are sent from the source or received in the target, and the pass falls away. Packed data
 * wait in the target, received ones in scratch memory, so one share of it is enough. */
#include <stdlib.h>

#include "permute/exchange/private.h"
#include "bmf/permute.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"

/* ---- local passes ---- */

static int64_t place_of_processor(const exchange *x, int64_t processor)
{
    return (processor - x->ctx->first_processor) << x->plan->traffic->place_bits;
}

/* The permutation that takes a processor's elements from `sent` to where messages leave, or from where they arrive. */
static bmf_permutation local_permutation(const exchange *x, int64_t processor, bool packing)
{
    const bmf_traffic *traffic = x->plan->traffic;
    return packing ? traffic_packing(traffic, (uint64_t)processor) : traffic_unpacking(traffic, (uint64_t)processor);
}

static int permute_processor(const exchange *x, int64_t processor, bool packing, const void *const *from,
                             void *const *to)
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
    return !exchange_is_naive(x) && traffic->rank == 0 &&
           traffic_target(traffic, (uint64_t)processor, 0) == (uint64_t)processor;
}

static int pack_traffic(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const exchange *x = state;
    (void)index;
    (void)worker;
    if (stays(x, piece->processor))
        return permute_processor(x, piece->processor, true, x->source, x->target);
    if (x->plan->traffic->packs && !exchange_is_naive(x))
        return permute_processor(x, piece->processor, true, x->from, x->to);
    return BMF_OK;
}

static int unpack_traffic(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const exchange *x = state;
    (void)index;
    (void)worker;
    return permute_processor(x, piece->processor, false, x->from, x->to);
}

/* One piece for every local processor; the local permutation brings its own threads, and fails for lack of memory
 * only. */
static void run_pass(exchange *x, bool packing,
                     int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker),
                     const void *const *from, void *const *to)
{
    bmf_context *ctx = x->ctx;
    bmf_piece *piece = allocate(ctx->local_processors * (int64_t)sizeof *piece);
    int64_t count = INT64_C(1) << x->plan->traffic->place_bits;
    x->from = from;
    x->to = to;
    for (int64_t k = 0; k < ctx->local_processors; k++) {
        int64_t processor = ctx->first_processor + k;
        piece[k] = (bmf_piece){processor, processor, processor * count, (processor + 1) * count, 0};
    }
    int status = backend_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                                  .round = !packing,
                                                  .piece = piece,
                                                  .pieces = ctx->local_processors,
                                                  .run = run,
                                                  .state = x});
    free(piece);
    require_memory(status == BMF_OK ? BMF_OK : BMF_ERROR_MEMORY, count);
}

/* ---- messages ---- */

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
    int64_t place = exchange_is_naive(x) ? message->first : message->first << (traffic->place_bits - traffic->rank);
    return exchange_segments(x, x->sent, place_of_processor(x, message->from) + place, message->count, segment);
}

static int traffic_incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const exchange *x = state;
    const bmf_traffic *traffic = x->plan->traffic;
    uint64_t s = (uint64_t)message->from, t = (uint64_t)message->to;
    uint64_t place = traffic_slot(traffic, s, t) << (traffic->place_bits - traffic->rank);
    if (exchange_is_naive(x))
        place |= gather_bits((uint64_t)message->first, traffic->pivots);
    else if (traffic->direct) {
        bmf_permutation unpacking = traffic_unpacking(traffic, t);
        place = bmf_permutation_apply(&unpacking, place);
    }
    return exchange_segments(x, (const void *const *)x->received, place_of_processor(x, message->to) + (int64_t)place,
                             message->count, segment);
}

/* ---- all together ---- */

/* Whether messages need a place of their own beside source and target. */
static bool needs_scratch(const bmf_permute_plan *plan)
{
    if (plan->method == BMF_PERMUTE_NAIVE)
        return true;
    return plan->processors > 1 && (plan->traffic->packs || !plan->traffic->direct);
}

int exchange_traffic(exchange *x)
{
    const bmf_traffic *traffic = x->plan->traffic;
    bool packs = traffic->packs && !exchange_is_naive(x), unpacks = exchange_is_naive(x) || !traffic->direct;
    void *const *packed = unpacks ? x->target : x->scratch;
    if (needs_scratch(x->plan))
        exchange_make_scratch(x, exchange_local_count(x));
    x->sent = packs ? (const void *const *)packed : x->source;
    x->received = unpacks ? x->scratch : x->target;
    run_pass(x, true, pack_traffic, x->source, packed);
    if (x->ctx->processors == 1 && !exchange_is_naive(x))
        return BMF_OK;
    BMF_TRY(permute_rounds(x, &(bmf_transfer){traffic_outgoing, traffic_incoming, x}, stays));
    if (unpacks)
        run_pass(x, false, unpack_traffic, (const void *const *)x->scratch, x->target);
    return BMF_OK;
}
