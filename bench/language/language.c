/* bmf-bench language: programs of the language beside loops written by hand for the same result.
 *
 * Method: per row the program is parsed, typed and rewritten once; then the loops and the evaluation take turns
 * (bench/measure.h), and medians are compared. Every result is compared with the loops', to the last bit. Peak memory
 * is the process's high-water mark over one evaluation that may overwrite its input, beyond the loops' arrays. One
 * rank; all its threads. Cost: some minutes and 3 GB with the default options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/language/language.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/names.h"
#include "bench/peers/peers.h"

enum { REPEATS = 7, MAX_REPEATS = 1000, MAX_ROWS = 16, ERROR_TEXT = 256, DEFAULT_ELEMENTS = 100000000 };

typedef struct options {
    int64_t elements;
    int repeats;
    bool json;
    const char *only;
} options;

typedef struct language_result {
    const language_row *row;
    int64_t elements, input_bytes, peak_bytes;
    bench_spread seconds, reference, peer, ratios; /* peer: 0, none; ratios to the loops, turn by turn */
    int status;
    char error[ERROR_TEXT];
} language_result;

/* ---- memory ---- */

/* A line of /proc/self/status in bytes, or 0. */
static int64_t status_bytes(const char *key)
{
    char line[256];
    long long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            kilobytes = strtoll(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

/* Makes the high-water mark what is resident now; false where the system cannot. */
static bool forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const bool written = file && fputs("5", file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* ---- running ---- */

static int run_reference(void *state)
{
    language_case *c = state;
    c->row->reference(c);
    return BMF_OK;
}

static int run_program(void *state)
{
    language_case *c = state;
    bmf_value x;
    value_free(&c->out); /* of a call before that was not checked */
    if (c->once)
        value_move(&c->input, &x);
    else
        value_share(&c->input, &x);
    return evaluate_batch(&c->evaluator, c->program.expression, &c->frame, &x, &c->out);
}

static int run_peer(void *state)
{
    language_case *c = state;
    c->row->peer(c);
    return BMF_OK;
}

static int verify(void *state)
{
    language_case *c = state;
    bmf_value *words = (bmf_value *)c->row->words(&c->out);
    int64_t wrong = 0;
    BMF_TRY(value_plain(c->ctx, words));
    if (words->count != c->expected_count)
        return bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "%s: %lld results instead of %lld", c->row->name,
                        (long long)words->count, (long long)c->expected_count);
    const int64_t *got = words->data, *expected = c->expected->data;
#pragma omp parallel for num_threads(c->ctx->threads) schedule(static) reduction(+ : wrong)
    for (int64_t i = 0; i < words->count; i++)
        wrong += got[i] != expected[i];
    value_free(&c->out);
    if (wrong > 0)
        return bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "%s: %lld of %lld results are wrong", c->row->name,
                        (long long)wrong, (long long)c->expected_count);
    return BMF_OK;
}

static int open_case(language_case *c)
{
    const bmf_program_options text = {.path = c->row->name, .text = c->row->text};
    BMF_TRY(program_load(c->ctx, &text, &c->program));
    program_rewrite(&c->program, &(bmf_rewriting){.laws = ~0u});
    c->evaluator = (bmf_evaluator){.ctx = c->ctx, .texts = &c->program.texts};
    frame_open_program(&c->evaluator, &c->frame);
    return c->row->prepare(c);
}

static void close_case(language_case *c)
{
    value_free(&c->input);
    value_free(&c->out);
    buffer_release(c->x);
    buffer_release(c->y);
    buffer_release(c->starts);
    buffer_release(c->expected);
    frame_close(&c->frame);
    program_free(&c->program);
    buffer_trim();
}

/* One evaluation that may do as it likes with its input. */
static int measure_memory(language_case *c, language_result *result)
{
    buffer_release(c->x);
    buffer_release(c->y);
    c->x = c->y = NULL;
    buffer_trim();
    const bool measurable = forget_peak();
    const int64_t others = status_bytes("VmRSS:") - c->input_bytes;
    c->once = true;
    BMF_TRY(run_program(c));
    result->peak_bytes = measurable ? status_bytes("VmHWM:") - others : 0;
    return verify(c);
}

static int measure_case(language_case *c, int repeats, language_result *result)
{
    const bool peer = c->row->peer && bench_peer(BENCH_REAL);
    /* The peer is last: its result, in the place of the loops', is compared with one more of the program. */
    bench_action action[] = {{.run = run_reference, .state = c, .settles = peer},
                             {.run = run_program, .after = verify, .state = c, .settles = peer},
                             {.run = run_peer, .state = c, .settles = true}};
    BMF_TRY(open_case(c));
    result->elements = c->elements;
    result->input_bytes = c->input_bytes;
    double turn[2][repeats];
    action[0].turn = turn[0];
    action[1].turn = turn[1];
    BMF_TRY(bench_measure(c->ctx, repeats, peer ? 3 : 2, action));
    if (peer) {
        BMF_TRY(run_program(c));
        BMF_TRY(verify(c));
        result->peer = action[2].seconds;
    }
    result->reference = action[0].seconds;
    result->seconds = action[1].seconds;
    result->ratios = bench_ratios(repeats, turn[1], turn[0]);
    return c->row->memory_bar > 0 ? measure_memory(c, result) : BMF_OK;
}

static void run_row(bmf_context *ctx, const options *o, const language_row *row, language_result *result)
{
    language_case c = {.ctx = ctx, .row = row, .elements = o->elements / row->divisor};
    *result = (language_result){.row = row};
    result->status = measure_case(&c, o->repeats, result);
    if (result->status != BMF_OK)
        snprintf(result->error, sizeof result->error, "%s", bmf_error_text(ctx));
    close_case(&c);
}

/* ---- report ---- */

static double ratio_of(const language_result *r)
{
    return r->reference.median > 0 ? r->seconds.median / r->reference.median : 0;
}

/* To the better of the loops and the peer. */
static double ratio_to_better(const language_result *r)
{
    const bool peer = r->peer.median > 0 && r->peer.median < r->reference.median;
    return peer ? r->seconds.median / r->peer.median : ratio_of(r);
}

static double memory_of(const language_result *r)
{
    return r->input_bytes > 0 ? (double)r->peak_bytes / (double)r->input_bytes : 0;
}

static bool misses(const language_result *r)
{
    return (r->row->bar > 0 && ratio_to_better(r) > r->row->bar) ||
           (r->row->memory_bar > 0 && memory_of(r) > r->row->memory_bar);
}

static void print_row(const language_result *r)
{
    if (r->status != BMF_OK) {
        printf("%-15s failed: %s\n", r->row->name, r->error);
        return;
    }
    printf("%-15s %11lld %10.2f %10.2f %7.2f  %4.2f-%4.2f", r->row->name, (long long)r->elements,
           1e3 * r->seconds.median, 1e3 * r->reference.median, ratio_of(r), r->ratios.lower, r->ratios.upper);
    if (r->row->bar > 0)
        printf(" %6.2f", r->row->bar);
    else
        printf(" %6s", "-");
    if (r->peer.median > 0)
        printf(" %10.2f", 1e3 * r->peer.median);
    else
        printf(" %10s", "-");
    if (r->peak_bytes > 0)
        printf(" %7.2f", memory_of(r));
    else
        printf(" %7s", "-");
    printf("%s\n", misses(r) ? "  missed" : "");
}

static json_t *json_of(const language_result *r)
{
    if (r->status != BMF_OK)
        return json_pack("{s:s, s:b, s:s}", "name", r->row->name, "verified", 0, "error", r->error);
    json_t *row =
        json_pack("{s:s, s:b, s:I, s:f, s:f, s:f, s:[f, f], s:f, s:f, s:f, s:b, s:I}", "name", r->row->name, "verified",
                  1, "elements", (json_int_t)r->elements, "seconds", r->seconds.median, "reference_seconds",
                  r->reference.median, "ratio", ratio_of(r), "ratio_quartiles", r->ratios.lower, r->ratios.upper,
                  "minimum_seconds", r->seconds.minimum, "reference_minimum_seconds", r->reference.minimum, "bar",
                  r->row->bar, "meets_bar", !misses(r), "input_bytes", (json_int_t)r->input_bytes);
    if (r->peer.median > 0)
        json_object_set_new(row, "peer_seconds", json_real(r->peer.median));
    if (r->peak_bytes > 0) {
        json_object_set_new(row, "peak_bytes", json_integer((json_int_t)r->peak_bytes));
        json_object_set_new(row, "peak_ratio", json_real(memory_of(r)));
    }
    return row;
}

static int print_json(const bmf_context *ctx, const options *o, int count, const language_result *result)
{
    json_t *rows = json_array(), *machine = bench_machine_json();
    for (int k = 0; k < count; k++)
        json_array_append_new(rows, json_of(&result[k]));
    return json_print(json_pack("{s:O, s:o, s:i, s:i, s:i, s:o}", "model", json_object_get(machine, "model"), "machine",
                                machine, "threads", ctx->threads, "cores", ctx->node_cores, "repeats", o->repeats,
                                "rows", rows),
                      BMF_JSON_INDENT);
}

static int run_rows(bmf_context *ctx, const options *o, language_result *result, int *count)
{
    int failed = 0;
    if (!o->json) {
        bench_machine_print(stdout);
        printf("%d threads, median of %d repeats\n%-15s %11s %10s %10s %7s %10s %6s %10s %7s\n", ctx->threads,
               o->repeats, "program", "elements", "ms", "loops ms", "ratio", "quartiles", "bar", "TBB ms", "memory");
        fflush(stdout);
    }
    *count = 0;
    for (int k = 0; k < bench_language_row_count; k++) {
        if (o->only && !is_listed(o->only, bench_language_rows[k].name))
            continue;
        language_result *r = &result[(*count)++];
        run_row(ctx, o, &bench_language_rows[k], r);
        failed += r->status != BMF_OK;
        if (!o->json)
            print_row(r);
    }
    return failed;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    language_result result[MAX_ROWS];
    int count;
    (void)operands;
    if (bmf_ranks(ctx) > 1)
        return usage_error("language runs on one rank");
    bench_peer_start(bmf_threads(ctx));
    const int failed = run_rows(ctx, o, result, &count);
    const int code = o->json ? print_json(ctx, o, count, result) : 0;
    return failed > 0 ? 1 : code;
}

/* ---- options ---- */

static bool is_row(const char *name)
{
    for (int k = 0; k < bench_language_row_count; k++)
        if (strcmp(bench_language_rows[k].name, name) == 0)
            return true;
    return false;
}

static int read_only(const char *text, void *field)
{
    return read_names(text, is_row, field);
}

static void print_rows(FILE *to)
{
    fputs("Rows:\n", to);
    for (int k = 0; k < bench_language_row_count; k++)
        fprintf(to, "  %-15s %s\n", bench_language_rows[k].name, bench_language_rows[k].what);
}

static const bmf_option table[] = {
    BMF_OPTION("elements", "N", BMF_WHOLE(options, elements, 100, INT64_C(1) << 40), "elements of the lists"),
    BMF_OPTION("repeats", "R", BMF_WHOLE(options, repeats, 1, MAX_REPEATS),
               "timings of each, taken in turns; medians are compared"),
    BMF_OPTION("only", "ROW,..", BMF_OTHER(options, only, read_only), "some of the rows"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"), BMF_OPTION_END};

static const options defaults = {.elements = DEFAULT_ELEMENTS, .repeats = REPEATS};

const bmf_driver bench_language = {
    .name = "language",
    .summary = "programs of the language beside loops written by hand",
    .synopsis = "bmf-bench language [OPTION]..",
    .about = "Times programs of the language beside loops written by hand in C with OpenMP, and compares every result.",
    .example = "bmf-bench language --elements 1000000 --bmf-threads 2",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .more = print_rows,
    .note =
        "Columns: elements; milliseconds of the program and of the loops; their ratio, its quartiles turn by turn, and "
        "what it may be, also to the peer; its milliseconds; peak memory as a multiple of the input's.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
