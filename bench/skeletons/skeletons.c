/* bmf-bench skeletons: every skeleton beside the limit of memory and a loop written by hand.
 *
 * Method: per row, the limit's contestants, the reference, the skeleton and perhaps another mode of it are timed in
 * turn (bench/measure.h); the result of every timed skeleton call is compared with the reference's. A row's limit is
 * the bytes it must move at the bandwidth of the row's own turns. Cost: with the default options about a minute.
 */
#include "bench/skeletons/skeletons.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/measure.h"
#include "bench/names.h"
#include "bench/report.h"
#include "runtime/backend/backend.h"

enum { DEFAULT_ELEMENTS = 100000000, BEYOND_CACHES = 1 << 24, DEFAULT_REPEATS = 9, MAX_REPEATS = 1000, MAX_ROWS = 64 };

typedef struct options {
    int64_t elements; /* 0: the default */
    int repeats;
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
    const double seconds = smaller(action[0].median, action[1].median);
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

/* What one call sends, counted apart from the timing because the counting communicates too. */
static int count_messages(bench_case *c, bench_result *result)
{
    bmf_statistics before, after;
    if (c->row->restore)
        BMF_TRY(c->row->restore(c));
    BMF_TRY(c->row->reference(c));
    BMF_TRY(bmf_total_statistics(c->ctx, &before));
    BMF_TRY(c->row->skeleton(c));
    BMF_TRY(bmf_total_statistics(c->ctx, &after));
    result->messages = after.messages - before.messages;
    result->bytes = after.bytes - before.bytes;
    return check(c);
}

enum { REFERENCE, SKELETON, RIVAL, MAX_ACTIONS = RIVAL + 1 + BENCH_CONTESTANTS };

static bool is_limited(const bench_case *c)
{
    return c->row->limit != BENCH_NO_LIMIT && c->min_bytes > 0;
}

/* The size of this rank's array of the limit: passing over the arrays of all ranks moves the row's bytes. */
static int64_t limit_bytes(const bench_case *c)
{
    const int64_t elements = (int64_t)(c->min_bytes / bench_limit_passes(c->row->limit) / sizeof(double));
    return (elements + c->team.ranks - 1) / c->team.ranks * (int64_t)sizeof(double);
}

/* The time the row's bytes take at the bandwidth of its own turns. */
static void fill_limit(const bench_case *c, const limit_arrays *a, const bench_action *limit, bench_result *result)
{
    result->limit_bandwidth = bandwidth_of(c->row->limit, limit, (double)a->arrays.bytes * c->team.ranks);
    if (result->limit_bandwidth > 0) {
        result->limit = c->min_bytes / result->limit_bandwidth;
        const double median = smaller(limit[0].median, limit[1].median);
        result->limit_minimum = result->limit * smaller(limit[0].minimum, limit[1].minimum) / median;
    }
}

static int measure_turns(bench_case *c, int repeats, const limit_arrays *a, bench_result *result)
{
    const bench_row *row = c->row;
    int (*const before)(void *) = row->restore ? restore : NULL;
    runner r[BENCH_CONTESTANTS];
    bench_action action[MAX_ACTIONS] = {
        [REFERENCE] = {.before = before, .run = run_reference, .state = c, .brief = row->brief},
        [SKELETON] = {.run = run_skeleton, .after = check, .state = c, .brief = row->brief},
        [RIVAL] = {.run = run_rival, .after = check, .state = c, .brief = row->brief},
    };
    const int own = row->rival ? RIVAL + 1 : SKELETON + 1;
    const bool limited = is_limited(c);
    if (limited)
        add_limit(row->limit, &a->arrays, r, action + own);
    /* Rows with a limit may work in place, where every call builds on the one before. */
    for (int k = 0; k < own && row->limit == BENCH_NO_LIMIT; k++)
        action[k].any_order = true;
    BMF_TRY(bench_measure(c->ctx, repeats, own + (limited ? BENCH_CONTESTANTS : 0), action));
    result->reference = action[REFERENCE].median;
    result->reference_minimum = action[REFERENCE].minimum;
    result->seconds = action[SKELETON].median;
    result->minimum = action[SKELETON].minimum;
    if (row->rival) {
        result->rival = action[RIVAL].median;
        result->rival_minimum = action[RIVAL].minimum;
    }
    if (limited)
        fill_limit(c, a, action + own, result);
    return BMF_OK;
}

static int measure_row(bench_case *c, int repeats, bench_result *result)
{
    limit_arrays a = {0};
    BMF_TRY(c->row->prepare(c));
    result->elements = c->elements;
    result->min_bytes = c->min_bytes;
    BMF_TRY(count_messages(c, result));
    int status = BMF_OK;
    if (is_limited(c))
        status = limit_arrays_create(c->ctx, c->row->limit, limit_bytes(c), &a);
    if (status == BMF_OK)
        status = measure_turns(c, repeats, &a, result);
    limit_arrays_free(&a);
    return status;
}

static void run_row(bmf_context *ctx, const bench_row *row, const options *o, bench_result *result)
{
    const int ranks = bmf_ranks(ctx);
    int64_t from[ranks + 1], to[ranks + 1];
    bench_case c = {.ctx = ctx, .row = row, .from = from, .to = to};
    c.team = (bench_team){ctx->comm, ctx->rank, ranks, ctx->threads};
    c.elements = o->elements ? o->elements : DEFAULT_ELEMENTS / row->divisor;
    *result = (bench_result){.row = row, .elements = c.elements};
    result->status = measure_row(&c, o->repeats, result);
    if (result->status != BMF_OK)
        snprintf(result->error, sizeof result->error, "%s", bmf_error_text(ctx));
    case_end(&c);
}

static bench_facts facts_of(const bmf_context *ctx, const options *o)
{
    bench_facts facts = {.ranks = ctx->ranks,
                         .threads = ctx->threads,
                         .node_ranks = ctx->node_ranks,
                         .cores = ctx->node_cores,
                         .repeats = o->repeats,
                         .processors = ctx->processors};
    bench_facts_model(&facts);
    return facts;
}

static int run_rows(bmf_context *ctx, const options *o, bench_facts *facts, bench_result *result, int *count)
{
    const bench_row *rows[MAX_ROWS];
    int chosen = 0;
    const int known = all_rows(rows);
    for (int k = 0; k < known; k++)
        if (!o->only || is_listed(o->only, rows[k]->name))
            rows[chosen++] = rows[k];
    BMF_TRY(measure_machine(ctx, o->repeats, o->elements ? o->elements : DEFAULT_ELEMENTS, facts));
    buffer_trim();
    const bench_progress progress = bench_progress_begin(bmf_is_root(ctx), chosen);
    for (int k = 0; k < chosen; k++) {
        bench_progress_show(&progress, k, rows[k]->name);
        run_row(ctx, rows[k], o, &result[k]);
    }
    bench_progress_end(&progress);
    *count = chosen;
    return BMF_OK;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bench_result result[MAX_ROWS];
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
        "elements", "N", BMF_WHOLE(options, elements, 1, INT_MAX),
        "elements of every list; default: 100000000 for what computes, a quarter for what moves, at most 6 GiB of "
        "memory over all ranks"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(options, repeats, 1, MAX_REPEATS), "timed turns after one to warm up"),
    BMF_OPTION("only", "NAME,..", BMF_OTHER(options, only, read_only), "only these rows"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"), BMF_OPTION_END};

static const options defaults = {.repeats = DEFAULT_REPEATS};

const bmf_driver bench_skeletons = {
    .name = "skeletons",
    .summary = "the skeletons beside the bandwidth of memory and loops written by hand",
    .synopsis = "mpirun -n RANKS bmf-bench skeletons [OPTION]..",
    .about =
        "Times every skeleton beside what the machine allows and beside a loop written by hand (MPI and OpenMP), and "
        "checks every result. Times are medians over repeats in which all of them take turns.",
    .example = "mpirun -n 2 bmf-bench skeletons --only map,reduce,scan --bmf-threads 1",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .more = print_rows,
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
