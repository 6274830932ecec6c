/* The messages of collective operations, for networks that have no times for them.
 *
 * Algorithms are those that MPICH 4.0.2 takes by size (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
 * collective communication operations in MPICH", 2005), with n processes and m bytes:
 *   barrier                     dissemination: ceil(log2 n) rounds of empty messages
 *   bcast, scatter              binomial tree from the root; bcast beyond 12 KiB and 8 processes: scatter, then a ring
 *   reduce, gather              the same tree upwards
 *   allreduce, scan, exscan     recursive doubling; allreduce beyond 2 KiB: reduce-scatter and allgather in rings
 *   allgather                   recursive doubling up to 80 KiB in all, a ring beyond
 *   alltoall, reduce_scatter    pairwise: n - 1 rounds
 *   neighbourhoods, communicators: as an allgather of what each says
 */
#include <string.h>

#include "predict/replay/recorded_private.h"

enum { LONG_BCAST = 12288, LONG_REDUCE = 2048, LONG_GATHER = 81920, MANY = 8, COLOR_AND_KEY = 8 };

typedef struct builder {
    bmf_recorded_program *program;
    const int32_t *member;
    int64_t n, round, root;
} builder;

/* Between ranks counted from the root on. */
static void add(const builder *b, int64_t from, int64_t to, int64_t bytes)
{
    recorded_add_message(b->program, b->member[(from + b->root) % b->n], b->member[(to + b->root) % b->n], bytes,
                         b->round);
}

static void dissemination(builder *b)
{
    for (int64_t distance = 1; distance < b->n; distance *= 2, b->round++)
        for (int64_t k = 0; k < b->n; k++)
            add(b, k, (k + distance) % b->n, 0);
}

/* From the root to all; `whole`: everybody gets all the bytes, else a subtree gets those of its ranks. */
static void down_tree(builder *b, int64_t bytes, bool whole)
{
    int64_t distance = 1;
    while (distance < b->n)
        distance *= 2;
    for (distance /= 2; distance > 0; distance /= 2, b->round++)
        for (int64_t k = 0; k + distance < b->n; k += 2 * distance) {
            const int64_t below = k + 2 * distance < b->n ? distance : b->n - k - distance;
            add(b, k, k + distance, whole ? bytes : bytes * below);
        }
}

static void up_tree(builder *b, int64_t bytes, bool whole)
{
    for (int64_t distance = 1; distance < b->n; distance *= 2, b->round++)
        for (int64_t k = 0; k + distance < b->n; k += 2 * distance) {
            const int64_t below = k + 2 * distance < b->n ? distance : b->n - k - distance;
            add(b, k + distance, k, whole ? bytes : bytes * below);
        }
}

static void ring(builder *b, int64_t bytes)
{
    for (int64_t step = 1; step < b->n; step++, b->round++)
        for (int64_t k = 0; k < b->n; k++)
            add(b, k, (k + 1) % b->n, bytes);
}

static void pairwise(builder *b, int64_t bytes)
{
    for (int64_t step = 1; step < b->n; step++, b->round++)
        for (int64_t k = 0; k < b->n; k++)
            add(b, k, (k + step) % b->n, bytes);
}

/* With a partner at distance 1, 2, 4, ..; ranks beyond the largest power of two hand theirs to a neighbour before and
 * get the result behind. grows: what is exchanged doubles. */
static void recursive_doubling(builder *b, int64_t bytes, bool grows)
{
    int64_t core = 1;
    while (2 * core <= b->n)
        core *= 2;
    for (int64_t k = core; k < b->n; k++)
        add(b, k, k - core, bytes);
    b->round += core < b->n;
    for (int64_t distance = 1; distance < core; distance *= 2, b->round++)
        for (int64_t k = 0; k < core; k++)
            add(b, k, k ^ distance, grows ? bytes * distance : bytes);
    for (int64_t k = core; k < b->n; k++)
        add(b, k - core, k, grows ? bytes * b->n : bytes);
    b->round += core < b->n;
}

static void allreduce(builder *b, int64_t bytes)
{
    if (bytes <= LONG_REDUCE) {
        recursive_doubling(b, bytes, false);
        return;
    }
    ring(b, (bytes + b->n - 1) / b->n);
    ring(b, (bytes + b->n - 1) / b->n);
}

static void bcast(builder *b, int64_t bytes)
{
    if (bytes <= LONG_BCAST || b->n < MANY) {
        down_tree(b, bytes, true);
        return;
    }
    down_tree(b, (bytes + b->n - 1) / b->n, false);
    ring(b, (bytes + b->n - 1) / b->n);
}

static void allgather(builder *b, int64_t bytes)
{
    if (bytes * b->n <= LONG_GATHER)
        recursive_doubling(b, bytes, true);
    else
        ring(b, bytes);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

void recorded_make_rounds(bmf_recorded_program *p, bmf_recorded_collective *c)
{
    builder b = {p, c->member, c->members, 0, c->root < 0 ? 0 : c->root};
    const char *name = c->operation;
    c->message = p->messages;
    if (begins(name, "barrier"))
        dissemination(&b);
    else if (begins(name, "bcast"))
        bcast(&b, c->bytes);
    else if (begins(name, "scatter"))
        down_tree(&b, c->bytes, false);
    else if (begins(name, "gather"))
        up_tree(&b, c->bytes, false);
    else if (begins(name, "reduce_scatter") || begins(name, "alltoall"))
        pairwise(&b, c->bytes);
    else if (begins(name, "reduce"))
        up_tree(&b, c->bytes, true);
    else if (begins(name, "allreduce"))
        allreduce(&b, c->bytes);
    else if (begins(name, "scan") || begins(name, "exscan"))
        recursive_doubling(&b, c->bytes, false);
    else
        allgather(&b, c->bytes > 0 ? c->bytes : COLOR_AND_KEY);
    c->messages = p->messages - c->message;
}

double recorded_collective_seconds(const bmf_recorded_program *p, const bmf_recorded_collective *c)
{
    double seconds = NAN;
    if (p->network->type->collective_seconds)
        seconds = p->network->type->collective_seconds(p->network, c->operation, c->members, c->bytes);
    return isnan(seconds) && c->members == 1 ? 0.0 : seconds;
}

void recorded_ask_network(bmf_recorded_program *p, bmf_recorded_collective *c)
{
    c->seconds = recorded_collective_seconds(p, c);
    if (isnan(c->seconds))
        recorded_make_rounds(p, c);
}

/* In every round a lane is ready for its receives, sends, receives, and waits. */
void recorded_add_rounds(const bmf_recorded_program *p, const bmf_recorded_collective *c, int32_t lane,
                         void (*add_step)(void *state, bmf_step_kind kind, int64_t message), void *state)
{
    const int64_t last = c->message + c->messages;
    for (int64_t begin = c->message, end; begin < last; begin = end) {
        const int64_t round = message_at(p, begin)->transit.round;
        for (end = begin; end < last && message_at(p, end)->transit.round == round; end++)
            if (message_at(p, end)->transit.to == lane)
                add_step(state, BMF_STEP_POST, end);
        for (int64_t m = begin; m < end; m++)
            if (message_at(p, m)->transit.from == lane)
                add_step(state, BMF_STEP_SEND, m);
        for (int64_t m = begin; m < end; m++)
            if (message_at(p, m)->transit.to == lane)
                add_step(state, BMF_STEP_RECEIVE, m);
        for (int64_t m = begin; m < end; m++)
            if (message_at(p, m)->transit.from == lane)
                add_step(state, BMF_STEP_SENT, m);
    }
}
