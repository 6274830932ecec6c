/* Plans of distributed permutations.
 *
 * Method: with 2^p processors everything follows from r = rank alpha and the number of keepers (permute/traffic.h). A
 * processor sends 2^r blocks of 2^(m - r) elements and a keeper one less, so P 2^r - K messages. Otherwise the hosts
 * count their own processors' elements (permute/exchange/boxes.h) and share the sums. Estimates: a message costs
 * ctx->cost; rounds of a window, or all at once, overlap their latencies. A pass through memory costs MEMORY_PER_BYTE
 * both ways. Where the context has a table of costs with all methods but the naive one, the times of these are those
 * of the table, for a group of processors that exchange completely. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "permute/exchange/boxes.h"
#include "permute/exchange/exchange.h"
#include "permute/exchange/stages.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"
#include "runtime/base/handle.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "runtime/backend/backend.h"

static const double MEMORY_PER_BYTE = 2e-10;   /* seconds for reading and writing a byte once */
static const double OVERLAPPED_LATENCY = 0.25; /* what a message adds when others are on their way */
static const double CROWDED = 1.15;            /* short messages of many partners at once: docs/performance.md */

/* Of short messages a few rounds are under way: more would meet in the buffer of the same link and lose packets, and a
 * loss near the end of a message costs more than the message (measured with TCP: docs/performance.md). Long messages
 * make up for losses while they last, so that many rounds are under way, up to a limit of memory, and no link waits for
 * the slowest partner. */
enum { SHORT_ROUNDS = 4, MIN_ROUNDS = 2, SHORT_BYTES = 1 << 20, WINDOW_BYTES = 64 << 20 };

static const char *const method_names[] = {"rounds", "alltoallv", "naive", "auto"};

const char *bmf_permute_method_name(bmf_permute_method method)
{
    return method_names[method];
}

bool bmf_permute_method_find(const char *name, bmf_permute_method *method)
{
    for (int k = 0; k <= BMF_PERMUTE_AUTO; k++)
        if (strcmp(name, method_names[k]) == 0) {
            *method = (bmf_permute_method)k;
            return true;
        }
    return false;
}

int bmf_permute_processor_bits(const bmf_permutation *p, int64_t processors)
{
    int bits = __builtin_ctzll((uint64_t)processors);
    return processors == INT64_C(1) << bits && bits <= p->bits && bits <= 31 ? bits : -1;
}

int64_t bmf_permute_local_first(const bmf_context *ctx, int bits)
{
    return bmf_split_start(INT64_C(1) << bits, ctx->processors, ctx->first_processor);
}

int64_t bmf_permute_local_count(const bmf_context *ctx, int bits)
{
    int64_t end = bmf_split_start(INT64_C(1) << bits, ctx->processors, ctx->first_processor + ctx->local_processors);
    return end - bmf_permute_local_first(ctx, bits);
}

/* ---- rounds on a node and between nodes ---- */

/* log2 of the processors of a node if all nodes have as many, a power of two, and there are several; otherwise 0. */
static int node_bits(bmf_context *ctx)
{
    int64_t mine = ctx->node_ranks * ctx->local_processors;
    int64_t *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    bool same = ctx->backend->allgather(ctx, &mine, 1, NULL, all) == BMF_OK;
    for (int k = 0; k < ctx->ranks; k++)
        same = same && all[k] == all[0];
    int64_t count = all[0];
    free(all);
    return same && count > 1 && count < ctx->processors && (count & (count - 1)) == 0 ? __builtin_ctzll((uint64_t)count)
                                                                                      : 0;
}

/* Round k moves data inside nodes if (B + I) s + const + g k has no node bits for some s. Rounds of both kinds are
 * spread evenly over the schedule, so that memory and network work at the same time. */
static int32_t *interleave(const bmf_traffic *traffic, int node)
{
    int64_t rounds = INT64_C(1) << traffic->rank, inside = 0;
    if (node == 0 || rounds < 3)
        return NULL;
    bmf_span moves;
    span_clear(&moves);
    for (int j = 0; j < traffic->processor_bits; j++)
        span_add(&moves, (traffic->round.column[j] ^ UINT64_C(1) << j) >> node);
    int32_t *order = allocate(2 * rounds * (int64_t)sizeof *order), *kind = order + rounds;
    for (int64_t k = 0; k < rounds; k++) {
        uint64_t offset = traffic->round_complement ^ columns_apply(traffic->block_target, (uint64_t)k);
        kind[k] = span_reduce(&moves, offset >> node, NULL) == 0;
        inside += kind[k];
    }
    int64_t next[2] = {0, 0};
    for (int64_t k = 0; k < rounds; k++) {
        int wanted = (k + 1) * inside / rounds > k * inside / rounds;
        while (kind[next[wanted]] != wanted)
            next[wanted]++;
        order[k] = (int32_t)next[wanted]++;
    }
    return order;
}

/* ---- counts ---- */

/* Rows that go the same way from every processor: 2^this. */
static int run_bits(const bmf_traffic *traffic)
{
    int bits = 0;
    while (bits < traffic->place_bits && traffic->place_column[bits] == 0)
        bits++;
    return bits;
}

/* Rounds, and messages with those that stay. */
typedef struct counts {
    int64_t rounds, all, own;
} counts;

static counts count_traffic(const bmf_traffic *traffic, bmf_permute_method method)
{
    int p = traffic->processor_bits, blocks = traffic->rank;
    int64_t own = traffic->keepers;
    if (method == BMF_PERMUTE_NAIVE) {
        int rows = traffic->place_bits - run_bits(traffic);
        own <<= rows - blocks;
        blocks = rows;
    }
    return (counts){method == BMF_PERMUTE_ALLTOALLV ? 1 : INT64_C(1) << blocks, INT64_C(1) << (p + blocks), own};
}

typedef struct box_counts {
    int64_t messages, elements; /* to other processors */
    int64_t kept;
} box_counts;

/* What all processors send; every host counts its own. */
static int count_boxes(bmf_context *ctx, bmf_boxes *boxes, box_counts *sum)
{
    int64_t mine[3] = {0}, *all = allocate(ctx->ranks * (int64_t)sizeof mine);
    for (int64_t s = ctx->first_processor; s < ctx->first_processor + ctx->local_processors; s++)
        for (int64_t t = 0; t < ctx->processors; t++) {
            int64_t count = boxes_visit(boxes, s, t, NULL, NULL);
            mine[0] += s != t && count > 0;
            mine[s == t ? 2 : 1] += count;
        }
    const int status = ctx->backend->allgather(ctx, mine, 3, NULL, all);
    *sum = (box_counts){0};
    for (int k = 0; k < ctx->ranks; k++) {
        sum->messages += all[3 * k];
        sum->elements += all[3 * k + 1];
        sum->kept += all[3 * k + 2];
    }
    free(all);
    return status;
}

/* ---- estimates ---- */

static double exchange_seconds(const bmf_context *ctx, bmf_permute_method method, double messages, double bytes)
{
    const bool all_at_once = method == BMF_PERMUTE_ALLTOALLV;
    if (method == BMF_PERMUTE_NAIVE || messages <= 1)
        return messages * ctx->cost.latency + ctx->cost.per_byte * bytes;
    const bool crowded = all_at_once && messages > SHORT_ROUNDS && bytes / messages < SHORT_BYTES;
    const double waits = all_at_once ? 1 : ceil(messages / SHORT_ROUNDS); /* for the rounds of a window */
    return ctx->cost.latency * (waits + OVERLAPPED_LATENCY * (messages - 1)) +
           ctx->cost.per_byte * bytes * (crowded ? CROWDED : 1);
}

/* Whether the table of costs has the time of every method that it was measured with, in *seconds. The naive method,
 * whose messages depend on the permutation, is estimated only. */
static bool find_measured(const bmf_context *ctx, const bmf_permute_plan *plan, double share,
                          double seconds[BMF_PERMUTE_METHODS])
{
    static const char skeleton[] = "permute";
    const int64_t partners = plan->rank > 0 ? INT64_C(1) << plan->rank : 0;
    if (!ctx->costs || partners == 0 || !cost_table_covers(ctx->costs, skeleton, ctx->costs_ranks, partners))
        return false;
    bool all = true;
    for (int method = 0; method < BMF_PERMUTE_NAIVE; method++) {
        seconds[method] =
            cost_table_seconds(ctx->costs, skeleton, method_names[method], ctx->costs_ranks, partners, share);
        all = all && !isnan(seconds[method]);
    }
    return all;
}

/* messages: of one processor by method. */
static void estimate(const bmf_context *ctx, bmf_permute_plan *plan, const double *messages)
{
    double share =
        (double)plan->element_bytes * (double)(INT64_C(1) << plan->permutation.bits) / (double)plan->processors;
    double sent = (double)plan->bytes / (double)plan->processors;
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        plan->seconds[method] = exchange_seconds(ctx, (bmf_permute_method)method, messages[method], sent) +
                                plan->passes * share * MEMORY_PER_BYTE;
    double measured[BMF_PERMUTE_METHODS];
    if (!find_measured(ctx, plan, share, measured))
        return;
    plan->seconds[BMF_PERMUTE_NAIVE] *= measured[BMF_PERMUTE_ROUNDS] / plan->seconds[BMF_PERMUTE_ROUNDS];
    for (int method = 0; method < BMF_PERMUTE_NAIVE; method++)
        plan->seconds[method] = measured[method];
}

static bmf_permute_method cheapest(const bmf_permute_plan *plan)
{
    bmf_permute_method best = BMF_PERMUTE_ROUNDS;
    for (int method = 1; method < BMF_PERMUTE_METHODS; method++)
        if (plan->seconds[method] < plan->seconds[best])
            best = (bmf_permute_method)method;
    return best;
}

/* ---- the window ---- */

int64_t permute_plan_window(const bmf_permute_plan *plan)
{
    const int64_t at_once = plan->stages ? INT64_C(1) << plan->stages->bits : 1, count = plan->rounds / at_once;
    const int64_t bytes = (plan->element_bytes << plan->permutation.bits) / plan->processors / plan->rounds;
    const int64_t most = count < BMF_MAX_WINDOW ? count : BMF_MAX_WINDOW;
    const bool few = bytes < SHORT_BYTES && plan->method != BMF_PERMUTE_NAIVE; /* rows are sent for their latencies */
    const int64_t wanted = (few ? SHORT_ROUNDS : WINDOW_BYTES / (bytes > 0 ? bytes : 1)) / at_once;
    return wanted > most ? most : wanted < MIN_ROUNDS ? MIN_ROUNDS : wanted;
}

/* ---- making ---- */

static int count_passes(const bmf_traffic *traffic)
{
    bool stays = traffic->rank == 0 && traffic->keepers > 0;
    return stays ? 1 : traffic->packs + !traffic->direct;
}

static int32_t *order_of_stages(const bmf_permute_plan *plan)
{
    int32_t *order = allocate(plan->rounds * (int64_t)sizeof *order);
    for (int64_t k = 0; k < plan->rounds; k++)
        order[k] = (int32_t)bmf_bit_matrix_apply(&plan->stages->round, (uint64_t)k);
    return order;
}

static void plan_traffic(bmf_context *ctx, bmf_permute_plan *plan, int processor_bits, bmf_permute_method method)
{
    bmf_traffic *traffic = plan->traffic = allocate((int64_t)sizeof *traffic);
    double messages[BMF_PERMUTE_METHODS];
    traffic_make(&plan->permutation, processor_bits, BMF_TRAFFIC_BEST, traffic);
    plan->rank = traffic->rank;
    plan->groups = INT64_C(1) << (processor_bits - traffic->rank);
    plan->passes = count_passes(traffic);
    int64_t blocks = (INT64_C(1) << (processor_bits + traffic->rank)) - traffic->keepers;
    plan->bytes = blocks * plan->element_bytes << (traffic->place_bits - traffic->rank);
    for (int k = 0; k < BMF_PERMUTE_METHODS; k++) {
        counts count = count_traffic(traffic, (bmf_permute_method)k);
        messages[k] = (double)(count.all - count.own) / (double)plan->processors;
    }
    estimate(ctx, plan, messages);
    plan->method = method == BMF_PERMUTE_AUTO ? cheapest(plan) : method;
    counts count = count_traffic(traffic, plan->method);
    plan->rounds = count.rounds;
    plan->messages = count.all - count.own;
    if (plan->method == BMF_PERMUTE_ROUNDS) {
        plan->order = interleave(traffic, node_bits(ctx));
        plan->stages = stages_create(plan, plan->order);
        if (!plan->order && plan->stages)
            plan->order = order_of_stages(plan);
    }
    if (plan->method == BMF_PERMUTE_NAIVE) {
        traffic_make(&plan->permutation, processor_bits, BMF_TRAFFIC_SOURCE, traffic);
        plan->passes = 1;
    }
}

static int plan_boxes(bmf_context *ctx, bmf_permute_plan *plan, bmf_permute_method method)
{
    int64_t max = bmf_split_start(INT64_C(1) << plan->permutation.bits, plan->processors, 1);
    double messages[BMF_PERMUTE_METHODS];
    box_counts sum;
    plan->boxes = boxes_create(&plan->permutation, plan->processors);
    if (!plan->boxes)
        out_of_memory(plan->processors, "for the plan of a permutation");
    BMF_TRY(count_boxes(ctx, plan->boxes, &sum));
    plan->rank = -1;
    plan->passes = 2;
    plan->bytes = sum.elements * plan->element_bytes;
    for (int k = 0; k < BMF_PERMUTE_METHODS; k++)
        messages[k] = (double)(k == BMF_PERMUTE_NAIVE ? sum.elements : sum.messages) / (double)plan->processors;
    estimate(ctx, plan, messages);
    plan->method = method == BMF_PERMUTE_AUTO ? cheapest(plan) : method;
    plan->messages = plan->method == BMF_PERMUTE_NAIVE ? sum.elements : sum.messages;
    plan->rounds = plan->method == BMF_PERMUTE_ROUNDS ? plan->processors : plan->method == BMF_PERMUTE_NAIVE ? max : 1;
    return BMF_OK;
}

int bmf_permute_plan_create(bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                            bmf_permute_method method, bmf_permute_plan **plan)
{
    double all = 0;
    for (int k = 0; k < columns; k++)
        all += (double)column_bytes[k] * (double)(UINT64_C(1) << p->bits);
    if (all > 0x1p62)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "2^%d elements of that size have more than 2^62 bytes", p->bits);
    bmf_permute_plan *made = allocate_clear(1, (int64_t)sizeof *made);
    int processor_bits = bmf_permute_processor_bits(p, ctx->processors), status = BMF_OK;
    made->permutation = *p;
    made->class_ = bmf_permutation_classify(p);
    made->processors = ctx->processors;
    made->columns = columns;
    for (int k = 0; k < columns; k++) {
        made->column_bytes[k] = column_bytes[k];
        made->element_bytes += column_bytes[k];
    }
    if (processor_bits >= 0)
        plan_traffic(ctx, made, processor_bits, method);
    else
        status = plan_boxes(ctx, made, method);
    if (status == BMF_OK)
        *plan = made;
    else
        bmf_permute_plan_free(made);
    return status;
}

bmf_permute_method bmf_permute_plan_method(const bmf_permute_plan *plan)
{
    return plan->method;
}

int64_t bmf_permute_plan_rounds(const bmf_permute_plan *plan)
{
    return plan->rounds;
}

int64_t bmf_permute_plan_messages(const bmf_permute_plan *plan)
{
    return plan->messages;
}

int64_t bmf_permute_plan_bytes(const bmf_permute_plan *plan)
{
    return plan->bytes;
}

int permute_plan_row_bits(const bmf_permute_plan *plan)
{
    return plan->traffic ? run_bits(plan->traffic) : -1;
}

void bmf_permute_plan_free(bmf_permute_plan *plan)
{
    if (!plan)
        return;
    free(plan->traffic);
    free(plan->stages);
    boxes_free(plan->boxes);
    free(plan->order);
    handle_free(plan);
}

void bmf_permute_relabel(const bmf_permutation *p, int processor_bits, bmf_permutation *relabelled,
                         bmf_permutation *relabel)
{
    bmf_traffic traffic;
    int m = p->bits - processor_bits;
    traffic_make(p, processor_bits, BMF_TRAFFIC_BEST, &traffic);
    bmf_permutation_identity(p->bits, relabel);
    for (int j = 0; j < processor_bits; j++)
        relabel->matrix.column[m + j] = traffic.round_inverse.column[j] << m;
    relabel->complement = bmf_bit_matrix_apply(&traffic.round_inverse, traffic.round_complement) << m;
    bmf_permutation_compose(relabel, p, relabelled);
}

/* ---- rounds ---- */

static void add(bmf_round *round, int64_t low, int64_t high, bmf_message message)
{
    bool here = (message.from >= low && message.from < high) || (message.to >= low && message.to < high);
    if (here && message.count > 0)
        *ARRAY_APPEND(round->message, round->count, round->capacity) = message;
}

static bmf_message message_of(const bmf_permute_plan *plan, int64_t from, int64_t to, int64_t first, int64_t count)
{
    return (bmf_message){from, to, count * plan->element_bytes, first, count};
}

static void add_block(const bmf_permute_plan *plan, uint64_t from, uint64_t to, int64_t low, int64_t high,
                      bmf_round *round)
{
    const bmf_traffic *traffic = plan->traffic;
    int64_t count = INT64_C(1) << (traffic->place_bits - traffic->rank);
    add(round, low, high, message_of(plan, (int64_t)from, (int64_t)to, traffic_block(traffic, from, to), count));
}

static int by_ends(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    int64_t difference = x->from != y->from ? x->from - y->from : x->to - y->to;
    return difference < 0 ? -1 : difference > 0;
}

/* Only the messages of own processors are looked for, so they are sorted to stand in the same order on every host. */
static void traffic_round(const bmf_permute_plan *plan, uint64_t k, int64_t low, int64_t high, bmf_round *round)
{
    const bmf_traffic *traffic = plan->traffic;
    for (uint64_t s = (uint64_t)low; s < (uint64_t)high; s++)
        add_block(plan, s, traffic_round_target(traffic, k, s), low, high, round);
    for (uint64_t t = (uint64_t)low; t < (uint64_t)high; t++) {
        uint64_t s = traffic_round_source(traffic, k, t);
        if ((int64_t)s < low || (int64_t)s >= high)
            add_block(plan, s, t, low, high, round);
    }
}

static void traffic_row(const bmf_permute_plan *plan, uint64_t k, int64_t low, int64_t high, bmf_round *round)
{
    const bmf_traffic *traffic = plan->traffic;
    int run = run_bits(traffic);
    for (int64_t s = 0; s < plan->processors; s++) {
        uint64_t x = (uint64_t)s << traffic->place_bits | k << run;
        uint64_t t = bmf_permutation_apply(&plan->permutation, x) >> traffic->place_bits;
        add(round, low, high, message_of(plan, s, (int64_t)t, (int64_t)(k << run), INT64_C(1) << run));
    }
}

static void add_boxes(const bmf_permute_plan *plan, int64_t s, int64_t t, int64_t low, int64_t high, bmf_round *round)
{
    bool here = (s >= low && s < high) || (t >= low && t < high);
    if (here)
        add(round, low, high, message_of(plan, s, t, 0, boxes_visit(plan->boxes, s, t, NULL, NULL)));
}

static int64_t part_of(const bmf_permute_plan *plan, int64_t element)
{
    const int64_t length = INT64_C(1) << plan->permutation.bits;
    return SEARCH_FIRST(k, 1, plan->processors, bmf_split_start(length, plan->processors, k) > element) - 1;
}

static void boxes_row(const bmf_permute_plan *plan, int64_t row, int64_t low, int64_t high, bmf_round *round)
{
    int64_t length = INT64_C(1) << plan->permutation.bits;
    for (int64_t s = 0; s < plan->processors; s++) {
        int64_t x = bmf_split_start(length, plan->processors, s) + row;
        if (x >= bmf_split_start(length, plan->processors, s + 1))
            return; /* later parts are not longer */
        int64_t t = part_of(plan, (int64_t)bmf_permutation_apply(&plan->permutation, (uint64_t)x));
        add(round, low, high, message_of(plan, s, t, row, 1));
    }
}

void permute_plan_round(const bmf_permute_plan *plan, int64_t k, int64_t low, int64_t high, bmf_round *round)
{
    *round = (bmf_round){0};
    int64_t first = plan->method == BMF_PERMUTE_ALLTOALLV ? 0 : k;
    if (plan->traffic && plan->method == BMF_PERMUTE_NAIVE)
        traffic_row(plan, (uint64_t)k, low, high, round);
    else if (plan->method == BMF_PERMUTE_NAIVE)
        boxes_row(plan, k, low, high, round);
    else if (plan->traffic) {
        int64_t end = plan->method == BMF_PERMUTE_ALLTOALLV ? INT64_C(1) << plan->rank : k + 1;
        for (int64_t n = first; n < end; n++)
            traffic_round(plan, (uint64_t)(plan->order ? plan->order[n] : n), low, high, round);
        if (round->count > 1)
            qsort(round->message, (size_t)round->count, sizeof(bmf_message), by_ends);
    } else {
        int64_t end = plan->method == BMF_PERMUTE_ALLTOALLV ? plan->processors : k + 1;
        for (int64_t n = first; n < end; n++)
            for (int64_t s = 0; s < plan->processors; s++)
                add_boxes(plan, s, (s + n) % plan->processors, low, high, round);
    }
}

/* ---- printing ---- */

void bmf_permute_plan_print(const bmf_permute_plan *plan, FILE *stream)
{
    fprintf(stream, "permute 2^%d elements of %" PRId64 " bytes on %" PRId64 " processors: %s\n",
            plan->permutation.bits, plan->element_bytes, plan->processors, bmf_permutation_class_name(plan->class_));
    if (plan->rank >= 0)
        fprintf(stream, "  rank %d: %" PRId64 " groups of %" PRId64 " processors\n", plan->rank, plan->groups,
                INT64_C(1) << plan->rank);
    else
        fprintf(stream, "  parts are no subspaces: elements travel in boxes of addresses\n");
    for (int k = 0; k < BMF_PERMUTE_METHODS; k++)
        fprintf(stream, "  %s: about %.3g s%s\n", method_names[k], plan->seconds[k],
                k == (int)plan->method ? ", chosen" : "");
    fprintf(stream, "  %" PRId64 " rounds, %" PRId64 " messages, %" PRId64 " bytes, %d local passes\n", plan->rounds,
            plan->messages, plan->bytes, plan->passes);
    if (plan->stages)
        fprintf(stream, "  packing and unpacking overlap with sending, in %" PRId64 " stages\n",
                plan->rounds >> plan->stages->bits);
}
