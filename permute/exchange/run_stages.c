/* Running a plan with subspaces by stages: packing, sending and unpacking at once.
 *
 * Method: while a stage of rounds (permute/exchange/stages.h) is on its way, the next one is packed and the one before
 * is unpacked, a share of both in every round; between tiles the messages are helped on. A round begins before the one
 * before it is ended, so that links have no pause. Two buffers for packed stages and two for received ones take turns.
 * Cost: as in three steps; scratch memory of four stages. */
#include <stdlib.h>

#include "permute/exchange/private.h"
#include "permute/local/part.h"
#include "permute/exchange/stages.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"

typedef struct staging {
    exchange *x;
    const bmf_stages *stages;
    const bmf_traffic *traffic;
    int64_t count, rounds;         /* stages, and rounds in each */
    int64_t block, share;          /* elements of a block, and of a stage on this host */
    bmf_permutation number, round; /* of places: to and from the order of the schedule */
    bmf_exchange *under_way;
    struct {
        bool packing;
        int64_t stage, share, shares;
    } pass; /* that runs */
    bool failed;
} staging;

static void make_staging(exchange *x, staging *s)
{
    const bmf_traffic *traffic = x->plan->traffic;
    const bmf_stages *stages = x->plan->stages;
    const int block_bits = traffic->place_bits - traffic->rank;
    *s = (staging){.x = x, .stages = stages, .traffic = traffic};
    s->rounds = INT64_C(1) << stages->bits;
    s->count = x->plan->rounds / s->rounds;
    s->block = INT64_C(1) << block_bits;
    s->share = x->ctx->local_processors * s->rounds * s->block;
    bmf_permutation_identity(traffic->place_bits, &s->number);
    bmf_permutation_identity(traffic->place_bits, &s->round);
    for (int j = 0; j < traffic->rank; j++) {
        s->number.matrix.column[block_bits + j] = stages->number.column[j] << block_bits;
        s->round.matrix.column[block_bits + j] = stages->round.column[j] << block_bits;
    }
}

/* ---- memory ---- */

static int64_t local_number(const staging *s, int64_t processor)
{
    return processor - s->x->ctx->first_processor;
}

static int64_t packed_buffer(int64_t stage)
{
    return stage % 2;
}

static int64_t received_buffer(const staging *s, int64_t stage)
{
    return (s->traffic->packs ? 2 : 0) + stage % 2;
}

static int64_t buffers(const staging *s)
{
    return s->traffic->packs && !s->traffic->direct ? 4 : 2;
}

/* The element of scratch memory where block or slot `number` of a processor stands, of the stage in this buffer. */
static int64_t place_in_stage(const staging *s, int64_t buffer, int64_t processor, uint64_t number)
{
    const int64_t position = (int64_t)bmf_bit_matrix_apply(&s->stages->number, number) & (s->rounds - 1);
    return buffer * s->share + (local_number(s, processor) * s->rounds + position) * s->block;
}

/* ---- messages ---- */

/* A round under way. */
typedef struct flight {
    const staging *s;
    int64_t stage;
    bmf_round round;
    bmf_exchange *exchange;
} flight;

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const flight *f = state;
    const staging *s = f->s;
    if (!s->traffic->packs) {
        const int64_t place = (local_number(s, message->from) << s->traffic->place_bits) + message->first * s->block;
        return exchange_segments(s->x, s->x->source, place, message->count, segment);
    }
    const int64_t place = place_in_stage(s, packed_buffer(f->stage), message->from, (uint64_t)message->first);
    return exchange_segments(s->x, (const void *const *)s->x->scratch, place, message->count, segment);
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const flight *f = state;
    const staging *s = f->s;
    const uint64_t to = (uint64_t)message->to, slot = traffic_slot(s->traffic, (uint64_t)message->from, to);
    if (s->traffic->direct) {
        const bmf_permutation unpacking = traffic_unpacking(s->traffic, to);
        const int64_t place = (local_number(s, message->to) << s->traffic->place_bits) +
                              (int64_t)bmf_permutation_apply(&unpacking, slot * (uint64_t)s->block);
        return exchange_segments(s->x, (const void *const *)s->x->target, place, message->count, segment);
    }
    const int64_t place = place_in_stage(s, received_buffer(s, f->stage), message->to, slot);
    return exchange_segments(s->x, (const void *const *)s->x->scratch, place, message->count, segment);
}

static int begin_flight(staging *s, int64_t k, flight *f)
{
    bmf_context *ctx = s->x->ctx;
    *f = (flight){.s = s, .stage = k / s->rounds};
    permute_plan_round(s->x->plan, k, ctx->first_processor, ctx->first_processor + ctx->local_processors, &f->round);
    return backend_exchange_begin(ctx, &f->round, (uint32_t)k, &(bmf_transfer){outgoing, incoming, f}, &f->exchange);
}

static int end_flight(staging *s, flight *f)
{
    const int status = backend_exchange_end(s->x->ctx, f->exchange);
    free(f->round.message);
    *f = (flight){0};
    return status;
}

/* ---- local passes ---- */

static void help_messages(void *state)
{
    const staging *s = state;
    backend_exchange_progress(s->x->ctx, s->under_way);
}

/* The number of the first round of a stage; that of its block on a processor differs by a constant. */
static uint64_t first_round(const staging *s, int64_t stage)
{
    const int64_t position = stage * s->rounds;
    return s->x->plan->order ? (uint64_t)s->x->plan->order[position] : (uint64_t)position;
}

static uint64_t part_of(const staging *s, uint64_t number)
{
    return bmf_bit_matrix_apply(&s->stages->number, number) >> s->stages->bits;
}

static int pack_processor(const staging *s, int64_t processor, bmf_local_part *part)
{
    const exchange *x = s->x;
    const uint64_t me = (uint64_t)processor, round = first_round(s, s->pass.stage);
    bmf_permutation p = traffic_packing(s->traffic, me);
    bmf_permutation_compose(&s->number, &p, &p);
    part->by_target = true;
    part->number = part_of(s, (uint64_t)traffic_block(s->traffic, me, traffic_round_target(s->traffic, round, me)));
    for (int k = 0; k < x->plan->columns; k++) {
        const int64_t bytes = x->plan->column_bytes[k], number = local_number(s, processor);
        const int64_t to = packed_buffer(s->pass.stage) * s->share + number * s->rounds * s->block;
        part->run_bits = s->stages->pack_run_bits[k];
        BMF_TRY(local_permute_part((char *)x->scratch[k] + to * bytes,
                                   (const char *)x->source[k] + (number << s->traffic->place_bits) * bytes, bytes, &p,
                                   part, x->ctx->threads));
    }
    return BMF_OK;
}

static int unpack_processor(const staging *s, int64_t processor, bmf_local_part *part)
{
    const exchange *x = s->x;
    bmf_permutation p = traffic_unpacking(s->traffic, (uint64_t)processor);
    bmf_permutation_compose(&p, &s->round, &p);
    part->by_target = false;
    part->number = part_of(s, first_round(s, s->pass.stage));
    for (int k = 0; k < x->plan->columns; k++) {
        const int64_t bytes = x->plan->column_bytes[k], number = local_number(s, processor);
        const int64_t from = received_buffer(s, s->pass.stage) * s->share + number * s->rounds * s->block;
        part->run_bits = s->stages->unpack_run_bits[k];
        BMF_TRY(local_permute_part((char *)x->target[k] + (number << s->traffic->place_bits) * bytes,
                                   (const char *)x->scratch[k] + from * bytes, bytes, &p, part, x->ctx->threads));
    }
    return BMF_OK;
}

static int run_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    staging *s = state;
    bmf_local_part part = {.top = s->traffic->rank - s->stages->bits,
                           .share = (uint64_t)s->pass.share,
                           .shares = (uint64_t)s->pass.shares,
                           .between = s->under_way ? help_messages : NULL,
                           .state = s};
    (void)index;
    (void)worker;
    return s->pass.packing ? pack_processor(s, piece->processor, &part) : unpack_processor(s, piece->processor, &part);
}

/* A share of a stage, if there is such a stage and it needs this. After a failure messages still travel, so that no
 * rank waits for ever. */
static void run_share(staging *s, bool packing, int64_t stage, int64_t share, int64_t shares)
{
    bmf_context *ctx = s->x->ctx;
    if (stage < 0 || stage >= s->count || s->failed || !(packing ? s->traffic->packs : !s->traffic->direct))
        return;
    const int64_t elements = s->rounds * s->block / shares, call = stage * s->rounds + share;
    bmf_piece *piece = allocate(ctx->local_processors * (int64_t)sizeof *piece);
    for (int64_t k = 0; k < ctx->local_processors; k++) {
        const int64_t processor = ctx->first_processor + k;
        const int64_t begin = (processor << s->traffic->place_bits) + call * s->block;
        piece[k] = (bmf_piece){processor, processor, begin, begin + elements, 0};
    }
    s->pass.packing = packing;
    s->pass.stage = stage;
    s->pass.share = share;
    s->pass.shares = shares;
    s->failed = backend_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                                 .round = (uint32_t)(2 * call + !packing),
                                                 .piece = piece,
                                                 .pieces = ctx->local_processors,
                                                 .run = run_piece,
                                                 .state = s}) != BMF_OK;
    free(piece);
}

/* ---- all together ---- */

static int run_rounds(staging *s)
{
    flight flights[2] = {{0}};
    int status = BMF_OK;
    for (int64_t k = 0; k < s->x->plan->rounds && status == BMF_OK; k++) {
        flight *now = &flights[k % 2], *before = &flights[(k + 1) % 2];
        status = begin_flight(s, k, now);
        if (status == BMF_OK && k > 0)
            status = end_flight(s, before);
        s->under_way = now->exchange;
        run_share(s, true, now->stage + 1, k % s->rounds, s->rounds);
        run_share(s, false, now->stage - 1, k % s->rounds, s->rounds);
    }
    s->under_way = NULL;
    return status == BMF_OK ? end_flight(s, &flights[(s->x->plan->rounds - 1) % 2]) : status;
}

int exchange_stages(exchange *x)
{
    staging s;
    make_staging(x, &s);
    exchange_make_scratch(x, buffers(&s) * s.share);
    run_share(&s, true, 0, 0, 1);
    BMF_TRY(run_rounds(&s));
    run_share(&s, false, s.count - 1, 0, 1);
    require_memory(s.failed ? BMF_ERROR_MEMORY : BMF_OK, s.share);
    return BMF_OK;
}
