/* Permutations of bits, and one of their rounds.
 *
 * permute_round: every processor sends d elements to the one whose number has the highest bit complemented, and
 * receives as many: the message round that all methods are made of, executed as schedules are. The others permute
 * n = p d elements by reversing the bits of their addresses, which makes every processor send to every other one.
 * Source: document 003. */
#include <stdlib.h>

#include "permute/exchange/exchange.h"
#include "bmf/permute.h"
#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"

typedef enum permute_kind { ROUND, ROUNDS, ALLTOALLV, LOCAL } permute_kind;

typedef struct permuting {
    void *source, *target;
    bmf_permute_plan *plan;
    bmf_permutation permutation;
    bmf_message message[2];
    bmf_round round;
    int64_t bytes;
} permuting;

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const permuting *p = state;
    *segment = (bmf_segment){p->source, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const permuting *p = state;
    *segment = (bmf_segment){p->target, message->bytes};
    return 1;
}

/* This rank's two messages, in the order of their senders as on every host. */
static void make_round(permuting *p, int64_t rank, int64_t ranks)
{
    const int64_t peer = rank ^ (ranks / 2), low = rank < peer ? rank : peer;
    for (int k = 0; k < 2; k++) {
        const int64_t from = k == 0 ? low : rank + peer - low;
        p->message[k] = (bmf_message){.from = from, .to = rank + peer - from, .bytes = p->bytes, .count = 1};
    }
    p->round = (bmf_round){p->message, 2, 2};
}

static int open_permute(measure_site *site)
{
    static const bmf_permute_method method[] = {[ROUNDS] = BMF_PERMUTE_ROUNDS, [ALLTOALLV] = BMF_PERMUTE_ALLTOALLV};
    const permute_kind kind = (permute_kind)site->operation->which;
    const int64_t word = MEASURE_WORD;
    permuting *p = site->state = allocate_clear(1, (int64_t)sizeof *p);
    p->bytes = site->elements * word;
    const int64_t elements = site->elements * (kind == LOCAL ? 1 : site->ctx->ranks);
    bmf_permutation_bit_reversal(__builtin_ctzll((uint64_t)elements), &p->permutation);
    make_round(p, site->ctx->rank, site->ctx->ranks);
    if (kind == ROUNDS || kind == ALLTOALLV)
        BMF_TRY(bmf_permute_plan_create(site->ctx, &p->permutation, 1, &word, method[kind], &p->plan));
    return measure_memory_reserve(site, p->bytes, p->bytes);
}

static int before_permute(measure_site *site)
{
    permuting *p = site->state;
    p->source = measure_memory_take(site, p->bytes);
    p->target = measure_memory_take(site, p->bytes);
    return BMF_OK;
}

static int run_permute(measure_site *site)
{
    permuting *p = site->state;
    const void *source = p->source;
    void *target = p->target;
    switch ((permute_kind)site->operation->which) {
    case ROUND:
        return site->ctx->backend->exchange(site->ctx, &p->round, 0, &(bmf_transfer){outgoing, incoming, p});
    case LOCAL:
        return bmf_local_permute(target, source, MEASURE_WORD, &p->permutation, site->ctx->threads);
    default:
        return bmf_permute_execute(site->ctx, p->plan, &source, &target);
    }
}

static void close_permute(measure_site *site)
{
    permuting *p = site->state;
    bmf_permute_plan_free(p->plan);
    free(p);
}

static int64_t with_scratch(int ranks)
{
    (void)ranks;
    return 4;
}

#define PERMUTE(name, kind, meaning, min_ranks, family)                                                                \
    {                                                                                                                  \
        name, family, meaning, kind, min_ranks, 1, 1 << 20, true, false, with_scratch, open_permute, before_permute,   \
            run_permute, NULL, close_permute                                                                           \
    }

static const measure_operation operations[] = {
    PERMUTE("permute_round", ROUND, "one round: every processor sends d elements and receives d", 2,
            BMF_FAMILY_SKELETON),
    PERMUTE("permute_rounds", ROUNDS, "reversal of address bits by rounds", 2, BMF_FAMILY_SKELETON),
    PERMUTE("permute_alltoallv", ALLTOALLV, "reversal of address bits, all messages at once", 2, BMF_FAMILY_SKELETON),
    PERMUTE("permute_local", LOCAL, "reversal of address bits of d elements in memory", 1, BMF_FAMILY_LOCAL),
};

const measure_table measure_permute_table = {operations, sizeof operations / sizeof operations[0]};
