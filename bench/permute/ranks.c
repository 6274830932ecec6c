/* bmf-bench permute on several ranks: the methods of a permutation beside MPI_Alltoallv and the limit of the links.
 *
 * Method: per permutation the methods, `auto` after its trials, and the reference take turns (bench/measure.h), and
 * medians are compared. The reference is what one would write with the algebra at hand: the same packing and unpacking
 * as permute, one MPI_Alltoallv in between; with more ranks than cores, where MPI's own waiting would only measure the
 * scheduler, its non-blocking form. The naive method is left out where it needs more than NAIVE_MESSAGES from a
 * processor. Every element of every timed result is checked. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/permute/permute.h"
#include "drivers/command/json.h"
#include "permute/exchange/exchange.h"
#include "bmf/permute.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/base/memory.h"
#include "runtime/backend/wait.h"

enum {
    WORD = 8,
    TABLE_BITS = 10 /* no more than the least --bits */,
    CASES = 11,
    NAME = 32,
    NAIVE_MESSAGES = 1 << 13,
    ACTIONS = BMF_PERMUTE_METHODS + 3
};
enum { AUTO = BMF_PERMUTE_METHODS, REFERENCE, MEMCPY }; /* actions after those of the methods */
static const double AUTO_BAR = 1.05, READS_BAR = 1.3;

typedef struct rank_case {
    char name[NAME];
    bmf_permutation p;
    bmf_permute_plan *plan[BMF_PERMUTE_METHODS + 1]; /* by method; NULL: not timed */
    double seconds[ACTIONS];                         /* 0: not timed */
    bench_spread auto_ratios;                        /* auto by the fastest of the others, turn by turn */
    double sent;                                     /* bytes of the busiest rank in its busier direction */
    int64_t messages, bytes;                         /* counted, of one run of auto */
} rank_case;

/* The reference's counts and places, in elements. */
typedef struct reference {
    bmf_permutation pack, unpack;
    bool packs, unpacks;
    int *send_count, *send_at, *receive_count, *receive_at;
} reference;

typedef struct job {
    bmf_context *ctx;
    const bench_permute_options *o;
    rank_case *c;
    int64_t first, count; /* this rank's elements */
    uint64_t *source, *target, *packed, *received;
    reference reference;
} job;

/* One action: a plan, or NULL. */
typedef struct turn {
    job *j;
    const bmf_permute_plan *plan;
} turn;

/* ---- cases ---- */

static void list_cases(int bits, rank_case *cases)
{
    static const char *const spec[CASES] = {"bitrev",      "transpose:",  "transpose:", "gray",
                                            "shuffle:1",   "random:1",    "random:2",   "random:3",
                                            "randombpc:1", "randombpc:2", "randombpc:3"};
    const int by[2] = {bits / 2, bits / 4};
    for (int k = 0; k < CASES; k++) {
        cases[k] = (rank_case){.p = {.bits = bits}};
        if (k == 1 || k == 2)
            snprintf(cases[k].name, NAME, "%s%d", spec[k], by[k - 1]);
        else
            snprintf(cases[k].name, NAME, "%s", spec[k]);
    }
}

/* ---- elements ---- */

static uint64_t word_of(uint64_t x)
{
    return (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static int clear_target(void *state)
{
    const turn *t = state;
    memset(t->j->target, 0, (size_t)(t->j->count * WORD));
    return BMF_OK;
}

/* Wrong elements among those of this rank whose numbers, but for the lowest TABLE_BITS bits, are `high`. source: of the
 * lowest bits. */
static int64_t count_wrong(const job *j, const bmf_permutation *back, const uint64_t *source, int64_t high)
{
    const int64_t first = high << TABLE_BITS > j->first ? high << TABLE_BITS : j->first;
    const int64_t next = (high + 1) << TABLE_BITS, end = j->first + j->count;
    const uint64_t base = bmf_permutation_apply(back, (uint64_t)high << TABLE_BITS);
    int64_t wrong = 0;
    for (int64_t y = first; y < next && y < end; y++)
        wrong += j->target[y - j->first] != word_of(base ^ source[y & ((1 << TABLE_BITS) - 1)]);
    return wrong;
}

static int check_target(void *state)
{
    const job *j = ((turn *)state)->j;
    bmf_permutation back;
    uint64_t source[1 << TABLE_BITS];
    int64_t wrong = 0;
    bmf_permutation_inverse(&j->c->p, &back);
    for (uint64_t y = 0; y < 1 << TABLE_BITS; y++)
        source[y] = bmf_bit_matrix_apply(&back.matrix, y);
#pragma omp parallel for num_threads(j->ctx->threads) reduction(+ : wrong)
    for (int64_t high = j->first >> TABLE_BITS; high <= (j->first + j->count - 1) >> TABLE_BITS; high++)
        wrong += count_wrong(j, &back, source, high);
    return bmf_agree(j->ctx, wrong == 0 ? BMF_OK
                                        : bmf_fail(j->ctx, BMF_ERROR_INTERNAL, "%s: %lld elements are wrong",
                                                   j->c->name, (long long)wrong));
}

/* ---- the reference ---- */

static void make_reference(job *j)
{
    const bmf_traffic *traffic = j->c->plan[BMF_PERMUTE_ALLTOALLV]->traffic;
    const int64_t block = INT64_C(1) << (traffic->place_bits - traffic->rank);
    const uint64_t me = (uint64_t)j->ctx->rank;
    reference *r = &j->reference;
    const int ranks = j->ctx->ranks;
    r->send_count = allocate_clear(4 * ranks, (int64_t)sizeof(int));
    r->send_at = r->send_count + ranks;
    r->receive_count = r->send_at + ranks;
    r->receive_at = r->receive_count + ranks;
    r->pack = traffic_packing(traffic, me);
    r->unpack = traffic_unpacking(traffic, me);
    r->packs = traffic->packs;
    r->unpacks = !traffic->direct;
    for (uint64_t k = 0; k < UINT64_C(1) << traffic->rank; k++) {
        const uint64_t to = traffic_target(traffic, me, k), from = traffic_source(traffic, k, me);
        uint64_t place = k * (uint64_t)block;
        r->send_count[to] = r->receive_count[from] = (int)block;
        r->send_at[to] = (int)place;
        if (traffic->direct)
            place = bmf_permutation_apply(&r->unpack, place);
        r->receive_at[from] = (int)(place & ~(uint64_t)(block - 1));
    }
}

static int run_reference(void *state)
{
    const job *j = ((turn *)state)->j;
    const reference *r = &j->reference;
    uint64_t *sent = r->packs ? j->packed : j->source, *received = r->unpacks ? j->received : j->target;
    const int threads = j->ctx->threads;
    if (r->packs)
        BMF_TRY(bmf_local_permute(j->packed, j->source, WORD, &r->pack, threads));
    if (j->ctx->oversubscribed) {
        MPI_Request request;
        MPI_Ialltoallv(sent, r->send_count, r->send_at, MPI_UINT64_T, received, r->receive_count, r->receive_at,
                       MPI_UINT64_T, j->ctx->comm, &request);
        wait_all(j->ctx, 1, &request);
    } else {
        MPI_Alltoallv(sent, r->send_count, r->send_at, MPI_UINT64_T, received, r->receive_count, r->receive_at,
                      MPI_UINT64_T, j->ctx->comm);
    }
    return r->unpacks ? bmf_local_permute(j->target, j->received, WORD, &r->unpack, threads) : BMF_OK;
}

/* ---- measuring ---- */

static int run_plan(void *state)
{
    const turn *t = state;
    const void *source = t->j->source;
    void *target = t->j->target;
    return bmf_permute_execute(t->j->ctx, t->plan, &source, &target);
}

static int run_memcpy(void *state)
{
    const job *j = ((turn *)state)->j;
    memcpy(j->target, j->source, (size_t)(j->count * WORD));
    return BMF_OK;
}

static int make_plans(job *j)
{
    rank_case *c = j->c;
    const int64_t bytes = WORD;
    const void *source = j->source;
    void *target = j->target;
    for (int k = 0; k < BMF_PERMUTE_METHODS; k++)
        BMF_TRY(bmf_permute_plan_create(j->ctx, &c->p, 1, &bytes, (bmf_permute_method)k, &c->plan[k]));
    const bmf_permute_plan *naive = c->plan[BMF_PERMUTE_NAIVE];
    if (naive->messages > NAIVE_MESSAGES * naive->processors) {
        bmf_permute_plan_free(c->plan[BMF_PERMUTE_NAIVE]);
        c->plan[BMF_PERMUTE_NAIVE] = NULL;
    }
    BMF_TRY(bmf_permute_plan_create(j->ctx, &c->p, 1, &bytes, BMF_PERMUTE_AUTO, &c->plan[AUTO]));
    return bmf_permute_tune(j->ctx, &source, &target, &c->plan[AUTO]);
}

/* What the busiest rank sends or receives, and what one run moves altogether. */
static int count_bytes(job *j)
{
    const int64_t me = j->ctx->rank;
    double max[2] = {0, 0};
    bmf_round round;
    bmf_statistics before, after;
    permute_plan_round(j->c->plan[BMF_PERMUTE_ALLTOALLV], 0, me, me + 1, &round);
    for (int64_t k = 0; k < round.count; k++)
        if (round.message[k].from != round.message[k].to)
            max[round.message[k].to == me] += (double)round.message[k].bytes;
    free(round.message);
    bench_maximum(j->ctx, 2, max);
    j->c->sent = max[0] > max[1] ? max[0] : max[1];
    BMF_TRY(bmf_total_statistics(j->ctx, &before));
    BMF_TRY(run_plan(&(turn){j, j->c->plan[AUTO]}));
    BMF_TRY(bmf_total_statistics(j->ctx, &after));
    j->c->messages = after.messages - before.messages;
    j->c->bytes = after.bytes - before.bytes;
    return BMF_OK;
}

/* The fastest of the others: methods by name, and MPI_Alltoallv. */
static int fastest(const rank_case *c)
{
    int best = BMF_PERMUTE_ROUNDS;
    for (int k = 0; k < MEMCPY; k++)
        if (k != AUTO && c->seconds[k] > 0 && c->seconds[k] < c->seconds[best])
            best = k;
    return best;
}

static int take_turns(job *j)
{
    bench_action action[ACTIONS];
    turn turns[ACTIONS];
    double seconds[ACTIONS][j->o->repeats]; /* by method, as below */
    int number[ACTIONS], actions = 0;
    for (int k = 0; k < ACTIONS; k++) {
        const bool timed = (k <= AUTO && j->c->plan[k]) || (k > AUTO && (k == MEMCPY || j->reference.send_count));
        if (!timed)
            continue;
        turns[actions] = (turn){j, k <= AUTO ? j->c->plan[k] : NULL};
        action[actions] = (bench_action){.before = k == MEMCPY ? NULL : clear_target,
                                         .run = k <= AUTO        ? run_plan
                                                : k == REFERENCE ? run_reference
                                                                 : run_memcpy,
                                         .after = k == MEMCPY ? NULL : check_target,
                                         .state = &turns[actions],
                                         .turn = seconds[k]};
        number[actions++] = k;
    }
    BMF_TRY(bench_measure(j->ctx, j->o->repeats, actions, action));
    for (int k = 0; k < actions; k++)
        j->c->seconds[number[k]] = action[k].seconds.median;
    j->c->auto_ratios = bench_ratios(j->o->repeats, seconds[AUTO], seconds[fastest(j->c)]);
    return BMF_OK;
}

static int measure_case(job *j)
{
    BMF_TRY(bmf_permutation_parse(j->ctx, j->o->bits, j->c->name, &j->c->p));
    BMF_TRY(make_plans(j));
    j->reference = (reference){0};
    if (j->c->plan[BMF_PERMUTE_ALLTOALLV]->traffic)
        make_reference(j);
    int status = count_bytes(j);
    if (status == BMF_OK)
        status = take_turns(j);
    free(j->reference.send_count);
    return status;
}

/* ---- report ---- */

static double best_seconds(const rank_case *c)
{
    return c->seconds[fastest(c)];
}

static double limit_seconds(const bench_permute_options *o, const rank_case *c)
{
    return o->link_mbit > 0 ? 8e-6 * c->sent / o->link_mbit : 0;
}

static void print_milliseconds(double seconds)
{
    if (seconds > 0)
        printf(" %9.2f", 1e3 * seconds);
    else
        printf(" %9s", "-");
}

static void print_case(const bench_permute_options *o, const rank_case *c)
{
    const double ratio = c->seconds[AUTO] / best_seconds(c);
    printf("%-14s %9.2f", c->name, 1e-6 * c->sent);
    print_milliseconds(limit_seconds(o, c));
    for (int k = 0; k < AUTO; k++)
        print_milliseconds(c->seconds[k]);
    print_milliseconds(c->seconds[REFERENCE]);
    print_milliseconds(c->seconds[AUTO]);
    printf(" %-9s %6.3f %5.3f-%5.3f%s\n", bmf_permute_method_name(c->plan[AUTO]->method), ratio, c->auto_ratios.lower,
           c->auto_ratios.upper, ratio > AUTO_BAR ? "  above the bar" : "");
}

static json_t *seconds_or_null(double seconds)
{
    return seconds > 0 ? json_real(seconds) : json_null();
}

static json_t *json_of(const bmf_context *ctx, const bench_permute_options *o, const rank_case *c)
{
    const bmf_permute_plan *plan = c->plan[AUTO];
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:f, "
        "s:[f, f], s:b}",
        "permutation", c->name, "bits", o->bits, "elem", WORD, "ranks", ctx->ranks, "threads", ctx->threads, "class",
        bmf_permutation_class_name(plan->class_), "rank_r", plan->rank < 0 ? json_null() : json_integer(plan->rank),
        "method", bmf_permute_method_name(plan->method), "rounds", (json_int_t)plan->rounds, "messages",
        (json_int_t)c->messages, "bytes", (json_int_t)c->bytes, "predicted_bytes", (json_int_t)plan->bytes, "seconds",
        c->seconds[AUTO], "memcpy_seconds", c->seconds[MEMCPY], "fraction_of_memcpy",
        c->seconds[MEMCPY] / c->seconds[AUTO], "rounds_seconds", c->seconds[BMF_PERMUTE_ROUNDS], "alltoallv_seconds",
        c->seconds[BMF_PERMUTE_ALLTOALLV], "naive_seconds", seconds_or_null(c->seconds[BMF_PERMUTE_NAIVE]),
        "mpi_alltoallv_seconds", seconds_or_null(c->seconds[REFERENCE]), "limit_seconds",
        seconds_or_null(limit_seconds(o, c)), "auto_ratio", c->seconds[AUTO] / best_seconds(c), "auto_ratio_quartiles",
        c->auto_ratios.lower, c->auto_ratios.upper, "verified", 1);
}

static void print_json(const bmf_context *ctx, const bench_permute_options *o, const rank_case *cases,
                       const bench_spread *detection)
{
    json_t *rows = json_array();
    for (int k = 0; k < CASES; k++)
        if (bench_permute_chosen(o, cases[k].name))
            json_array_append_new(rows, json_of(ctx, o, &cases[k]));
    json_print(json_pack("{s:o, s:i, s:i, s:i, s:i, s:o, s:f, s:[f, f], s:b, s:o}", "machine", bench_machine_json(),
                         "repeats", o->repeats, "bits", o->bits, "ranks", ctx->ranks, "threads", ctx->threads,
                         "link_mbit", o->link_mbit > 0 ? json_real(o->link_mbit) : json_null(), "detection_reads",
                         detection->median, "detection_reads_quartiles", detection->lower, detection->upper, "verified",
                         1, "rows", rows),
               BMF_JSON_INDENT);
}

static void print_heading(const bmf_context *ctx, const bench_permute_options *o)
{
    static const char *const column[] = {"limit", "rounds", "alltoallv", "naive", "MPI_A2Av", "auto"};
    bench_machine_print(stdout);
    printf("2^%d words on %d ranks, %d threads each, median of %d repeats; milliseconds\n%-14s %9s", o->bits,
           ctx->ranks, ctx->threads, o->repeats, "permutation", "MB sent");
    for (size_t k = 0; k < sizeof column / sizeof *column; k++)
        printf(" %9s", column[k]);
    printf(" %-9s %6s  %s\n", "is", "/best", "quartiles");
}

/* ---- all together ---- */

static int measure_all(job *j, rank_case *cases)
{
    bench_spread detection;
    for (int64_t i = 0; i < j->count; i++)
        j->source[i] = word_of((uint64_t)(j->first + i));
    if (!j->o->json && bmf_is_root(j->ctx))
        print_heading(j->ctx, j->o);
    for (int k = 0; k < CASES; k++) {
        if (!bench_permute_chosen(j->o, cases[k].name))
            continue;
        j->c = &cases[k];
        BMF_TRY(measure_case(j));
        if (!j->o->json && bmf_is_root(j->ctx))
            print_case(j->o, &cases[k]);
    }
    BMF_TRY(bench_permute_detection(j->ctx, j->o, &detection));
    if (j->o->json && bmf_is_root(j->ctx))
        print_json(j->ctx, j->o, cases, &detection);
    else if (bmf_is_root(j->ctx))
        printf("recognising a permutation in a list of indices: %.2f reads of the list, quartiles %.2f-%.2f%s\n",
               detection.median, detection.lower, detection.upper,
               detection.median > READS_BAR ? "  above the bar" : "");
    return BMF_OK;
}

int bench_permute_ranks(bmf_context *ctx, const bench_permute_options *o)
{
    rank_case *cases = allocate(CASES * (int64_t)sizeof *cases);
    job j = {.ctx = ctx, .o = o, .count = bmf_permute_local_count(ctx, o->bits)};
    uint64_t **const array[] = {&j.source, &j.target, &j.packed, &j.received};
    enum { ARRAYS = sizeof array / sizeof *array };
    bmf_buffer *buffer[ARRAYS];
    bool made = true;
    j.first = bmf_permute_local_first(ctx, o->bits);
    list_cases(o->bits, cases);
    for (int k = 0; k < ARRAYS; k++) {
        buffer[k] = buffer_create(j.count * WORD);
        made = made && buffer[k];
        *array[k] = buffer[k] ? buffer[k]->data : NULL;
    }
    int status = bmf_agree(ctx, made ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for 2^%d words", o->bits));
    if (status == BMF_OK)
        status = measure_all(&j, cases);
    for (int k = 0; k < CASES; k++)
        for (int method = 0; method <= AUTO; method++)
            bmf_permute_plan_free(cases[k].plan[method]);
    for (int k = 0; k < ARRAYS; k++)
        if (buffer[k])
            buffer_release(buffer[k]);
    buffer_trim();
    free(cases);
    return status;
}
