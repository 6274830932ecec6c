/* bmf-bench skeletons: every skeleton beside the limit of memory, a loop written by hand and a peer.
 *
 * Method: per row and size, the limit's contestants, the reference, the skeleton, perhaps another mode of it and the
 * peer are timed in turn (bench/measure.h); the result of every timed call is compared with the reference's,
 * and with that of the peer. A row's limit is the bytes it must move at the bandwidth of the row's own turns.
 * Cost: with the default options about a minute.
 */
#include "bench/skeletons/skeletons.h"

#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/measure.h"
#include "bench/names.h"
#include "bench/peers/peers.h"
#include "bench/report.h"
#include "runtime/backend/backend.h"
#include "drivers/command/mpirun.h"

enum { DEFAULT_ELEMENTS = 100000000, BEYOND_CACHES = 1 << 24, MAX_ROWS = 64, MAX_SIZES = 8 };
#define MAX_ELEMENTS INT64_C(1000000000000)
enum { DEFAULT_REPEATS = 9, SHORT_REPEATS = 101, MAX_REPEATS = 1000 };

typedef struct size_list {
    int count;
    int64_t elements[MAX_SIZES];
} size_list;

typedef struct options {
    int64_t elements; /* 0: the default */
    size_list sizes;  /* instead of elements, if there are any */
    int type;         /* a bench_type */
    int repeats;      /* 0: as many as give a row about the same time at every size */
    bool json;
    const char *only; /* names with commas, or NULL: all */
} options;

/* All rows in the order of the table. */
static int all_rows(const bench_row *rows[MAX_ROWS])
{
    int count = 0;
    for (int k = 0; k < bench_compute_row_count; k++)
        rows[count++] = &bench_compute_rows[k];
    for (int k = 0; k < bench_moving_row_count; k++)
        rows[count++] = &bench_moving_rows[k];
    for (int k = 0; k < bench_overhead_row_count; k++)
        rows[count++] = &bench_overhead_rows[k];
    return count;
}

/* ---- limits ---- */

/* A contestant of a limit as an action. */
typedef struct runner {
    bench_limit limit;
    int contestant;
    const bench_arrays *arrays;
} runner;

static int run_limit(void *state)
{
    const runner *r = state;
    bench_limit_run(r->limit, r->contestant, r->arrays);
    return BMF_OK;
}

/* This rank's two arrays of the limit, written once by the threads that use them. */
typedef struct limit_arrays {
    bmf_buffer *source, *target;
    bench_arrays arrays;
} limit_arrays;

static int limit_arrays_create(bmf_context *ctx, bench_limit limit, int64_t bytes, limit_arrays *a)
{
    a->source = buffer_create(limit == BENCH_WRITE ? 0 : bytes);
    a->target = buffer_create(limit == BENCH_READ ? 0 : bytes);
    const bool made = a->source && a->target;
    if (made && a->source->data) {
        a->arrays = (bench_arrays){NULL, a->source->data, bytes, bmf_threads(ctx)};
        bench_limit_run(BENCH_WRITE, 0, &a->arrays);
    }
    if (made)
        a->arrays = (bench_arrays){a->source->data, a->target->data, bytes, bmf_threads(ctx)};
    return bmf_agree(ctx, made ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the arrays of the limit"));
}

static void limit_arrays_free(limit_arrays *a)
{
    buffer_release(a->source);
    buffer_release(a->target);
}

/* Appends the contestants of a limit to the actions; runner: BENCH_CONTESTANTS of them. */
static void add_limit(bench_limit limit, const bench_arrays *arrays, runner *r, bench_action *action)
{
    for (int k = 0; k < BENCH_CONTESTANTS; k++) {
        r[k] = (runner){limit, k, arrays};
        action[k] = (bench_action){.run = run_limit, .state = &r[k]};
    }
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Bytes a second over all ranks of the faster contestant. */
static double bandwidth_of(bench_limit limit, const bench_action *action, double total_bytes)
{
    const double seconds = smaller(action[0].seconds.median, action[1].seconds.median);
    return seconds > 0 ? bench_limit_passes(limit) * total_bytes / seconds : 0;
}

/* The bandwidths of memory itself, whatever the size of the rows' lists. */
static int measure_machine(bmf_context *ctx, int repeats, int64_t elements, bench_facts *facts)
{
    const int64_t large = elements > BEYOND_CACHES ? elements : BEYOND_CACHES;
    const int64_t bytes = (large + bmf_ranks(ctx) - 1) / bmf_ranks(ctx) * (int64_t)sizeof(double);
    double *const into[] = {&facts->read, &facts->write, &facts->copy};
    const bench_limit limit[] = {BENCH_READ, BENCH_WRITE, BENCH_COPY};
    limit_arrays a;
    runner r[3][BENCH_CONTESTANTS];
    bench_action action[3 * BENCH_CONTESTANTS];
    int status = limit_arrays_create(ctx, BENCH_COPY, bytes, &a);
    for (int k = 0; k < 3; k++)
        add_limit(limit[k], &a.arrays, r[k], action + k * BENCH_CONTESTANTS);
    if (status == BMF_OK)
        status = bench_measure(ctx, repeats, 3 * BENCH_CONTESTANTS, action);
    for (int k = 0; k < 3 && status == BMF_OK; k++)
        *into[k] = bandwidth_of(limit[k], action + k * BENCH_CONTESTANTS, (double)bytes * bmf_ranks(ctx));
    limit_arrays_free(&a);
    return status;
}

/* ---- one row ---- */

static int restore(void *state)
{
    bench_case *c = state;
    return c->row->restore(c);
}

static int run_reference(void *state)
{
    bench_case *c = state;
    return c->row->reference(c);
}

/* What the reference does, done by the peer; what it leaves is in the reference's place. */
static int run_peer(void *state)
{
    bench_case *c = state;
    const bench_loops *by_hand = c->loops;
    c->loops = bench_peer(c->type);
    const int status = c->row->reference(c);
    c->loops = by_hand;
    return status;
}

static int run_skeleton(void *state)
{
    bench_case *c = state;
    return c->row->skeleton(c);
}

static int run_rival(void *state)
{
    bench_case *c = state;
    return c->row->rival(c);
}

static int verify(void *state)
{
    bench_case *c = state;
    return c->row->verify(c);
}

/* The result goes at once, so that its memory serves the next call, as it would in a program. */
static int check(void *state)
{
    bench_case *c = state;
    BMF_TRY(c->row->verify(c));
    bench_out(c);
    return BMF_OK;
}

static void case_end(bench_case *c)
{
    bmf_list_free(c->x);
    bmf_list_free(c->y);
    bmf_list_free(c->out);
    buffer_release(c->expected);
    run_free(c->run);
    reference_project_end();
    buffer_trim();
}

/* What one call sends, counted apart from the timing because the counting communicates too. reference: seconds of the
 * reference, which comes first. */
static int count_messages(bench_case *c, bench_result *result, double *reference)
{
    bmf_statistics before, after;
    if (c->row->restore)
        BMF_TRY(c->row->restore(c));
    const double begin = MPI_Wtime();
    BMF_TRY(c->row->reference(c));
    *reference = MPI_Wtime() - begin;
    BMF_TRY(bmf_total_statistics(c->ctx, &before));
    BMF_TRY(c->row->skeleton(c));
    BMF_TRY(bmf_total_statistics(c->ctx, &after));
    result->messages = after.messages - before.messages;
    result->bytes = after.bytes - before.bytes;
    return check(c);
}

enum { REFERENCE, SKELETON, RIVAL, PEER = RIVAL + 1, MAX_ACTIONS = PEER + 1 + BENCH_CONTESTANTS };

static bool is_limited(const bench_case *c)
{
    return c->row->limit != BENCH_NO_LIMIT && c->min_bytes > 0;
}

/* Peers are for one process. */
static bool has_peer(const bench_case *c)
{
    return (c->row->flags & BENCH_PEER) && bench_peer(c->type) && c->team.ranks == 1;
}

/* The size of this rank's array of the limit: passing over the arrays of all ranks moves the row's bytes. */
static int64_t limit_bytes(const bench_case *c)
{
    const int64_t elements = (int64_t)(c->min_bytes / bench_limit_passes(c->row->limit) / sizeof(double));
    return (elements + c->team.ranks - 1) / c->team.ranks * (int64_t)sizeof(double);
}

/* The time the row's bytes take at the bandwidth of its own turns, and the fraction of it turn by turn. */
static void fill_limit(const bench_case *c, const limit_arrays *a, const bench_action *limit, int repeats,
                       const double *turn, bench_result *result)
{
    const bench_action *faster = &limit[limit[1].seconds.median < limit[0].seconds.median];
    result->limit_bandwidth = bandwidth_of(c->row->limit, limit, (double)a->arrays.bytes * c->team.ranks);
    if (result->limit_bandwidth > 0) {
        const double scale = c->min_bytes / result->limit_bandwidth / faster->seconds.median;
        result->limit = scale * faster->seconds.median;
        result->limit_minimum = scale * smaller(limit[0].seconds.minimum, limit[1].seconds.minimum);
        result->fractions = bench_ratios(repeats, faster->turn, turn);
        result->fractions.lower *= scale;
        result->fractions.upper *= scale;
    }
}

/* The actions of a row's turns; returns how many. kind: which action each is, REFERENCE .., or MAX_ACTIONS for those of
 * the limit, which are last. reference: seconds of a call of it. */
static int list_actions(bench_case *c, const limit_arrays *a, double reference, runner *r, bench_action *action,
                        int *kind)
{
    const bench_row *row = c->row;
    int (*const before)(void *) = row->restore ? restore : NULL;
    const bool peer = has_peer(c), brief = row->flags & BENCH_BRIEF;
    const double warm = row->restore ? 0 : reference; /* where calls build on each other, all are made */
    /* A peer is checked against the skeleton's result, so that stays until then. */
    const bench_action every[] = {
        [REFERENCE] =
            {.before = before, .run = run_reference, .state = c, .brief = brief, .settles = peer, .warm = warm},
        [SKELETON] = {.run = run_skeleton, .after = peer ? verify : check, .state = c, .brief = brief, .settles = peer},
        [RIVAL] = {.run = run_rival, .after = peer ? verify : check, .state = c, .brief = brief, .settles = peer},
        [PEER] = {.run = run_peer, .after = check, .state = c, .settles = true},
    };
    int actions = 0;
    for (int k = REFERENCE; k <= PEER; k++) {
        if ((k == RIVAL && !row->rival) || (k == PEER && !peer))
            continue;
        kind[actions] = k;
        action[actions] = every[k];
        /* Rows with a limit may work in place, where every call builds on the one before. */
        action[actions++].any_order = row->limit == BENCH_NO_LIMIT;
    }
    if (is_limited(c)) {
        add_limit(row->limit, &a->arrays, r, action + actions);
        for (int k = 0; k < BENCH_CONTESTANTS; k++)
            kind[actions++] = MAX_ACTIONS;
    }
    return actions;
}

static int measure_turns(bench_case *c, int repeats, const limit_arrays *a, double reference, bench_result *result)
{
    runner r[BENCH_CONTESTANTS];
    bench_action action[MAX_ACTIONS];
    int kind[MAX_ACTIONS];
    double turn[MAX_ACTIONS][repeats];
    const int actions = list_actions(c, a, reference, r, action, kind);
    for (int k = 0; k < actions; k++)
        action[k].turn = turn[k];
    BMF_TRY(bench_measure(c->ctx, repeats, actions, action));
    bench_spread *const into[] = {[REFERENCE] = &result->reference,
                                  [SKELETON] = &result->seconds,
                                  [RIVAL] = &result->rival,
                                  [PEER] = &result->peer};
    for (int k = 0; k < actions && kind[k] != MAX_ACTIONS; k++) {
        *into[kind[k]] = action[k].seconds;
        if (kind[k] == PEER)
            result->peer_ratios = bench_ratios(repeats, turn[SKELETON], turn[k]);
    }
    if (is_limited(c))
        fill_limit(c, a, action + actions - BENCH_CONTESTANTS, repeats, turn[SKELETON], result);
    return BMF_OK;
}

static int measure_row(bench_case *c, int repeats, bench_result *result)
{
    limit_arrays a = {0};
    double reference;
    BMF_TRY(c->row->prepare(c));
    result->elements = c->elements;
    result->min_bytes = c->min_bytes;
    BMF_TRY(count_messages(c, result, &reference));
    int status = BMF_OK;
    if (is_limited(c))
        status = limit_arrays_create(c->ctx, c->row->limit, limit_bytes(c), &a);
    if (status == BMF_OK)
        status = measure_turns(c, repeats, &a, reference, result);
    limit_arrays_free(&a);
    return status;
}

/* Fewer turns of long rows: about the same time at every size. */
static int repeats_of(const options *o, int64_t elements)
{
    if (o->repeats > 0)
        return o->repeats;
    const int64_t repeats = DEFAULT_REPEATS * (int64_t)DEFAULT_ELEMENTS / elements;
    return (int)(repeats < DEFAULT_REPEATS ? DEFAULT_REPEATS : repeats > SHORT_REPEATS ? SHORT_REPEATS : repeats);
}

static void run_row(bmf_context *ctx, const bench_row *row, const options *o, int64_t elements, bench_result *result)
{
    const int ranks = bmf_ranks(ctx);
    int64_t from[ranks + 1], to[ranks + 1];
    bench_case c = {.ctx = ctx, .row = row, .from = from, .to = to, .type = (bench_type)o->type};
    c.team = (bench_team){ctx->comm, ctx->rank, ranks, ctx->threads};
    c.loops = &reference_loops[c.type];
    c.elements = elements ? elements : DEFAULT_ELEMENTS / row->divisor;
    *result = (bench_result){.row = row, .type = c.type, .elements = c.elements, .repeats = repeats_of(o, c.elements)};
    result->status = measure_row(&c, result->repeats, result);
    if (result->status != BMF_OK)
        snprintf(result->error, sizeof result->error, "%s", bmf_error_text(ctx));
    case_end(&c);
}

static bench_facts facts_of(const bmf_context *ctx, const options *o)
{
    return (bench_facts){.ranks = ctx->ranks,
                         .threads = ctx->threads,
                         .node_ranks = ctx->node_ranks,
                         .cores = ctx->node_cores,
                         .repeats = repeats_of(o, DEFAULT_ELEMENTS),
                         .processors = ctx->processors,
                         .peer = ctx->ranks == 1 && bench_peer(BENCH_REAL) ? bench_peer(BENCH_REAL)->name : NULL};
}

static int chosen_rows(const options *o, const bench_row *rows[MAX_ROWS])
{
    int chosen = 0;
    const int known = all_rows(rows);
    for (int k = 0; k < known; k++)
        if ((!o->only || is_listed(o->only, rows[k]->name)) &&
            !(o->type == BENCH_INT && (rows[k]->flags & BENCH_REAL_ONLY)))
            rows[chosen++] = rows[k];
    return chosen;
}

/* One after the other: all sizes of a row. */
static int run_rows(bmf_context *ctx, const options *o, bench_facts *facts, bench_result *result, int *count)
{
    const bench_row *rows[MAX_ROWS];
    const size_list once = {1, {o->elements}}, *sizes = o->sizes.count > 0 ? &o->sizes : &once;
    const int chosen = chosen_rows(o, rows);
    int64_t largest = o->elements ? o->elements : DEFAULT_ELEMENTS;
    for (int k = 0; k < o->sizes.count; k++)
        largest = k == 0 || sizes->elements[k] > largest ? sizes->elements[k] : largest;
    if (bench_peer(BENCH_REAL))
        bench_peer_start(ctx->threads);
    BMF_TRY(measure_machine(ctx, facts->repeats, largest, facts));
    buffer_trim();
    const bench_progress progress = bench_progress_begin(bmf_is_root(ctx), chosen * sizes->count);
    for (int k = 0; k < chosen * sizes->count; k++) {
        bench_progress_show(&progress, k, rows[k / sizes->count]->name);
        run_row(ctx, rows[k / sizes->count], o, sizes->elements[k % sizes->count], &result[k]);
    }
    bench_progress_end(&progress);
    *count = chosen * sizes->count;
    return BMF_OK;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bench_result result[MAX_ROWS * MAX_SIZES];
    int count = 0;
    (void)operands;
    bench_facts facts = facts_of(ctx, o);
    BMF_CHECK(run_rows(ctx, o, &facts, result, &count));
    int code = 0;
    if (bmf_is_root(ctx) && o->json)
        code = bench_print_json(&facts, count, result);
    else if (bmf_is_root(ctx))
        bench_print_table(&facts, count, result, stdout);
    for (int k = 0; k < count; k++)
        code = code == 0 && result[k].status != BMF_OK ? 1 : code;
    return code;
}

/* ---- options ---- */

static bool is_row(const char *name)
{
    const bench_row *rows[MAX_ROWS];
    const int count = all_rows(rows);
    for (int k = 0; k < count; k++)
        if (strcmp(rows[k]->name, name) == 0)
            return true;
    return false;
}

static int read_only(const char *text, void *field)
{
    return read_names(text, is_row, field);
}

/* Numbers with commas; 1e6 is one too. */
static int read_sizes(const char *text, void *field)
{
    size_list *read = field;
    const char *at = text;
    do {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !(value >= 1 && value <= MAX_ELEMENTS) ||
            value != (double)(int64_t)value)
            return usage_error("--sizes needs whole numbers from 1 to 1e12, such as 1e6,1e7, not '%s'", text);
        if (read->count == MAX_SIZES)
            return usage_error("--sizes takes at most %d sizes", MAX_SIZES);
        read->elements[read->count++] = (int64_t)value;
        at = end + (*end == ',');
    } while (*at);
    return 0;
}

static const char *type_name(int number, const char **about)
{
    static const char *const name[] = {"real", "int", NULL};
    *about = NULL;
    return name[number];
}

static void print_rows(FILE *to)
{
    const bench_row *rows[MAX_ROWS];
    const int count = all_rows(rows);
    fputs("Rows, and the bytes of memory their limit counts for n elements on P processors:\n", to);
    for (int k = 0; k < count; k++)
        fprintf(to, "  %-16s %s\n", rows[k]->name, rows[k]->moves);
}

static const bmf_option table[] = {
    BMF_OPTION(
        "elements", "N", BMF_WHOLE(options, elements, 1, MAX_ELEMENTS),
        "elements of every list; default: 100000000 for what computes, a quarter for what moves, at most 6 GiB of "
        "memory over all ranks"),
    BMF_OPTION("sizes", "N,..", BMF_OTHER(options, sizes, read_sizes),
               "several numbers of elements, such as 1e6,1e7,100000007: each row at each of them"),
    BMF_OPTION("type", "TYPE", BMF_CHOICE(options, type, type_name),
               "of the elements, real or int; rows that have no form for ints are left out then"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(options, repeats, 1, MAX_REPEATS),
               "timed turns after one to warm up; default: 9, of shorter lists more, up to 101"),
    BMF_OPTION("only", "NAME,..", BMF_OTHER(options, only, read_only), "only these rows"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"),
    BMF_OPTION_END};

static const options defaults = {.type = BENCH_REAL};

const bmf_driver bench_skeletons = {
    .name = "skeletons",
    .summary = "the skeletons beside the bandwidth of memory and loops written by hand",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf-bench skeletons [OPTION]..",
    .about =
        "Times every skeleton beside what the machine allows, beside a loop written by hand (MPI and OpenMP) and, on "
        "one "
        "rank and if it was built with them, beside C++ parallel algorithms on TBB, and checks every result. Times are "
        "medians over repeats in which all of them take turns; quartiles are those of the ratios turn by turn.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf-bench skeletons --only map,reduce,scan --bmf-threads 1",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .more = print_rows,
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
