/* Running a plan with subspaces by stages: packing, sending and unpacking at once.
 *
 * Method: while stages of rounds (permute/exchange/stages.h) are on their way, the next one is packed and the oldest is
 * unpacked when it has arrived; between tiles the messages are helped on. A window of stages is under way, so that
 * links have no pause and nobody waits for the slowest in every round. Each has a buffer for what is packed and one for
 * what is received. Cost: as in three steps; scratch memory of two windows. */
#include <stdlib.h>

#include "permute/exchange/private.h"
#include "permute/local/part.h"
#include "permute/exchange/stages.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"

typedef struct staging staging;

/* A round under way. */
typedef struct flight {
    const staging *s;
    int64_t stage;
    bmf_round round;
    bmf_exchange *exchange;
} flight;

struct staging {
    exchange *x;
    const bmf_stages *stages;
    const bmf_traffic *traffic;
    int64_t count, rounds;         /* stages, and rounds in each */
    int64_t block, share;          /* elements of a block, and of a stage on this host */
    bmf_permutation number, round; /* of places: to and from the order of the schedule */
    int64_t window;                /* stages under way at once */
    int64_t begun, ended;          /* stages */
    flight *flight;                /* of the rounds of the window */
    struct {
        bool packing;
        int64_t stage;
    } pass; /* that runs */
    bool failed;
};

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
    s->window = permute_plan_window(x->plan);
    s->flight = allocate_clear(s->window * s->rounds, (int64_t)sizeof *s->flight);
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

static int64_t packed_buffer(const staging *s, int64_t stage)
{
    return stage % s->window;
}

static int64_t received_buffer(const staging *s, int64_t stage)
{
    return (s->traffic->packs ? s->window : 0) + stage % s->window;
}

static int64_t buffers(const staging *s)
{
    return s->traffic->packs && !s->traffic->direct ? 2 * s->window : s->window;
}

/* The element of scratch memory where block or slot `number` of a processor stands, of the stage in this buffer. */
static int64_t place_in_stage(const staging *s, int64_t buffer, int64_t processor, uint64_t number)
{
    const int64_t position = (int64_t)bmf_bit_matrix_apply(&s->stages->number, number) & (s->rounds - 1);
    return buffer * s->share + (local_number(s, processor) * s->rounds + position) * s->block;
}

/* ---- messages ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const flight *f = state;
    const staging *s = f->s;
    if (!s->traffic->packs) {
        const int64_t place = (local_number(s, message->from) << s->traffic->place_bits) + message->first * s->block;
        return exchange_segments(s->x, s->x->source, place, message->count, segment);
    }
    const int64_t place = place_in_stage(s, packed_buffer(s, f->stage), message->from, (uint64_t)message->first);
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

static flight *flight_of(const staging *s, int64_t round)
{
    return &s->flight[round % (s->window * s->rounds)];
}

static int begin_flight(staging *s, int64_t k)
{
    bmf_context *ctx = s->x->ctx;
    flight *f = flight_of(s, k);
    *f = (flight){.s = s, .stage = k / s->rounds};
    permute_plan_round(s->x->plan, k, ctx->first_processor, ctx->first_processor + ctx->local_processors, &f->round);
    return backend_exchange_begin(ctx, &f->round, (uint32_t)k, &(bmf_transfer){outgoing, incoming, f}, &f->exchange);
}

static int end_flight(staging *s, int64_t k)
{
    flight *f = flight_of(s, k);
    const int status = backend_exchange_end(s->x->ctx, f->exchange);
    free(f->round.message);
    *f = (flight){0};
    return status;
}

/* ---- local passes ---- */

static void help_messages(void *state)
{
    const staging *s = state;
    for (int64_t k = s->ended * s->rounds; k < s->begun * s->rounds; k++)
        backend_exchange_progress(s->x->ctx, flight_of(s, k)->exchange);
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
        const int64_t to = packed_buffer(s, s->pass.stage) * s->share + number * s->rounds * s->block;
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
                           .shares = 1,
                           .between = s->begun > s->ended ? help_messages : NULL,
                           .state = s};
    (void)index;
    (void)worker;
    return s->pass.packing ? pack_processor(s, piece->processor, &part) : unpack_processor(s, piece->processor, &part);
}

/* Packs or unpacks a stage. After a failure messages still travel, so that no rank waits for ever. */
static void run_pass(staging *s, bool packing, int64_t stage)
{
    bmf_context *ctx = s->x->ctx;
    if (s->failed || !(packing ? s->traffic->packs : !s->traffic->direct))
        return;
    const int64_t elements = s->rounds * s->block;
    bmf_piece *piece = allocate(ctx->local_processors * (int64_t)sizeof *piece);
    for (int64_t k = 0; k < ctx->local_processors; k++) {
        const int64_t processor = ctx->first_processor + k;
        const int64_t begin = (processor << s->traffic->place_bits) + stage * elements;
        piece[k] = (bmf_piece){processor, processor, begin, begin + elements, 0};
    }
    s->pass.packing = packing;
    s->pass.stage = stage;
    s->failed = backend_compute(ctx, &(bmf_work){.kernel = packing ? "permute pack" : "permute unpack",
                                                 .round = (uint32_t)(2 * stage + !packing),
                                                 .piece = piece,
                                                 .pieces = ctx->local_processors,
                                                 .run = run_piece,
                                                 .state = s}) != BMF_OK;
    free(piece);
}

/* ---- all together ---- */

static int begin_stage(staging *s)
{
    for (int64_t k = s->begun * s->rounds; k < (s->begun + 1) * s->rounds; k++)
        BMF_TRY(begin_flight(s, k));
    s->begun++;
    return BMF_OK;
}

static int end_stage(staging *s)
{
    const int64_t stage = s->ended;
    for (int64_t k = stage * s->rounds; k < (stage + 1) * s->rounds; k++)
        BMF_TRY(end_flight(s, k));
    s->ended++;
    run_pass(s, false, stage);
    return BMF_OK;
}

static int run_all(staging *s)
{
    while (s->begun < s->count) {
        if (s->begun - s->ended == s->window)
            BMF_TRY(end_stage(s));
        run_pass(s, true, s->begun);
        BMF_TRY(begin_stage(s));
    }
    while (s->ended < s->count)
        BMF_TRY(end_stage(s));
    return BMF_OK;
}

int exchange_stages(exchange *x)
{
    staging s;
    make_staging(x, &s);
    exchange_make_scratch(x, buffers(&s) * s.share);
    const int status = run_all(&s);
    free(s.flight);
    require_memory(s.failed ? BMF_ERROR_MEMORY : BMF_OK, s.share);
    return status;
}
