/* bmf-bench cowichan: the Cowichan programs in plain MPI, on bmf's skeletons and in the language, beside each other.
 *
 * Method: all three have the same input, dealt to the ranks before. They take turns; a time goes from a common
 * barrier until the slowest rank is done, of the language from its argument to its value. Results of the skeletons
 * are compared with plain MPI's to the last bit, and so are those of the language, but for sums. Lines of code:
 * those of the parallel part, without empty lines and remarks, and without what both C versions share
 * (examples/cowichan/formulas.h). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/cowichan/cowichan.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/names.h"
#include "runtime/base/output_file.h"
#include "drivers/command/mpirun.h"

enum { REPEATS = 9, MAX_REPEATS = 1000, MAX_ROWS = 16, ERROR_TEXT = 256, PATH_ROOM = 4096 };
enum { PLAIN, SKELETONS, LANGUAGE, VERSIONS };
static const double BAR = 1.2;
static const char *const version_names[VERSIONS] = {"plain", "skeletons", "language"};

typedef struct options {
    int64_t n;
    int repeats;
    bool json;
    const char *only, *sources;
} options;

typedef struct cowichan_result {
    const struct version *version;
    int64_t n;
    bench_spread seconds[VERSIONS], ratios; /* of the skeletons to plain MPI, turn by turn */
    int lines[VERSIONS];
    int status;
    char error[ERROR_TEXT];
} cowichan_result;

/* Sizes that take some milliseconds on a core. */
static const struct size {
    const char *name;
    int64_t n;
} sizes[] = {{"mandel", 400},  {"randmat", 1500}, {"half", 1500},      {"life", 700},
             {"thresh", 1500}, {"outer", 1000},   {"product", 800},    {"sor", 300},
             {"gauss", 240},   {"norm", 1000000}, {"vecdiff", 1000000}};

static int64_t usual_size(const char *name)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (strcmp(sizes[k].name, name) == 0)
            return sizes[k].n;
    return 100;
}

/* ---- one program ---- */

typedef struct measuring {
    bmf_context *ctx;
    struct run run;
    const struct version *version;
    struct input input;
    bmf_program program;
    uint64_t checksum; /* of plain MPI's results */
} measuring;

static int compare_checksum(const measuring *m, const struct matrix made[RESULTS])
{
    return results_checksum(made) == m->checksum
               ? BMF_OK
               : bmf_fail(m->ctx, BMF_ERROR_INTERNAL, "%s on skeletons: results are wrong", m->version->name);
}

static int run_plain(measuring *m, bool compare, double *seconds)
{
    struct matrix out[RESULTS] = {0};
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    m->version->plain(&m->run, m->input.matrix, out);
    *seconds = MPI_Wtime() - begin;
    int status = BMF_OK;
    if (compare) {
        m->checksum = results_checksum(out);
        status = language_verify(m->ctx, &m->program, m->version, &m->run, out);
    }
    results_close(out);
    return status;
}

static int run_skeletons(measuring *m, bool compare, double *seconds)
{
    bmf_list *list[RESULTS] = {NULL, NULL};
    struct matrix like[RESULTS] = {0}, made[RESULTS];
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    int status = m->version->skeletons(m->ctx, &m->run, m->input.list, list);
    *seconds = MPI_Wtime() - begin;
    if (compare && status == BMF_OK) {
        m->version->plain(&m->run, m->input.matrix, like);
        results_of_lists(&m->run, list, like, made);
        status = compare_checksum(m, made);
        results_close(like);
        results_close(made);
    }
    for (int k = 0; k < RESULTS; k++)
        bmf_list_free(list[k]);
    return status;
}

/* turn[version][repeat]; the turn before the first warms up and compares. */
static int take_turns(measuring *m, int repeats, double *turn[VERSIONS])
{
    double seconds[VERSIONS];
    for (int r = -1; r < repeats; r++) {
        BMF_TRY(run_plain(m, r < 0, &seconds[PLAIN]));
        BMF_TRY(run_skeletons(m, r < 0, &seconds[SKELETONS]));
        BMF_TRY(language_run(m->ctx, &m->program, &seconds[LANGUAGE]));
        bench_maximum(m->ctx, VERSIONS, seconds);
        for (int v = 0; v < VERSIONS && r >= 0; v++)
            turn[v][r] = seconds[v];
    }
    return BMF_OK;
}

static void count_all_lines(const char *sources, const char *name, int lines[VERSIONS])
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s.c", sources, name);
    lines[PLAIN] = count_lines(path, "#ifndef COWICHAN_CHAIN");
    snprintf(path, sizeof path, "%s/skeletons/%s.c", sources, name);
    lines[SKELETONS] = count_lines(path, NULL);
    snprintf(path, sizeof path, "%s/%s.bmf", sources, name);
    lines[LANGUAGE] = count_lines(path, NULL);
}

static int measure(measuring *m, const options *o, const char *directory, cowichan_result *result)
{
    double *turn[VERSIONS];
    BMF_TRY(input_open(m->ctx, m->version, &m->run, NULL, &m->input));
    BMF_TRY(language_open(m->ctx, o->sources, directory, m->version, &m->run, &m->input, &m->program));
    for (int v = 0; v < VERSIONS; v++)
        turn[v] = memory(o->repeats, sizeof *turn[v]);
    const int status = take_turns(m, o->repeats, turn);
    if (status == BMF_OK)
        result->ratios = bench_ratios(o->repeats, turn[SKELETONS], turn[PLAIN]);
    for (int v = 0; v < VERSIONS; v++) {
        if (status == BMF_OK)
            result->seconds[v] = bench_spread_of(o->repeats, turn[v]);
        free(turn[v]);
    }
    return status;
}

static void run_row(bmf_context *ctx, const options *o, const char *directory, const struct version *version,
                    cowichan_result *result)
{
    measuring m = {.ctx = ctx, .version = version};
    *result = (cowichan_result){.version = version, .n = o->n > 0 ? o->n : usual_size(version->name)};
    m.run = (struct run){.program = version->name,
                         .rank = bmf_rank(ctx),
                         .ranks = bmf_ranks(ctx),
                         .n = result->n,
                         .seed = 681304,
                         .threads = bmf_threads(ctx)};
    count_all_lines(o->sources, version->name, result->lines);
    result->status = measure(&m, o, directory, result);
    if (result->status != BMF_OK)
        snprintf(result->error, sizeof result->error, "%s", bmf_error_text(ctx));
    program_free(&m.program);
    input_close(&m.input);
}

/* ---- report ---- */

static bool misses(const cowichan_result *r)
{
    return r->ratios.median > BAR;
}

static void print_row(const cowichan_result *r)
{
    if (r->status != BMF_OK) {
        printf("%-8s failed: %s\n", r->version->name, r->error);
        return;
    }
    printf("%-8s %8lld", r->version->name, (long long)r->n);
    for (int v = 0; v < VERSIONS; v++)
        printf(" %9.3f", 1e3 * r->seconds[v].median);
    printf("  %5.2f %5.2f-%-5.2f %7.2f ", r->ratios.median, r->ratios.lower, r->ratios.upper,
           r->seconds[LANGUAGE].median / r->seconds[PLAIN].median);
    for (int v = 0; v < VERSIONS; v++)
        printf(" %5d", r->lines[v]);
    printf("%s\n", misses(r) ? "  missed" : "");
}

static json_t *json_of(const cowichan_result *r)
{
    json_t *row =
        json_pack("{s:s, s:I, s:b}", "name", r->version->name, "n", (json_int_t)r->n, "verified", r->status == BMF_OK);
    if (r->status != BMF_OK) {
        json_object_set_new(row, "error", json_string(r->error));
        return row;
    }
    for (int v = 0; v < VERSIONS; v++)
        json_object_set_new(row, version_names[v],
                            json_pack("{s:f, s:f, s:i}", "seconds", r->seconds[v].median, "minimum_seconds",
                                      r->seconds[v].minimum, "lines", r->lines[v]));
    json_object_set_new(row, "ratio", json_real(r->ratios.median));
    json_object_set_new(row, "ratio_quartiles", json_pack("[f, f]", r->ratios.lower, r->ratios.upper));
    json_object_set_new(row, "bar", json_real(BAR));
    json_object_set_new(row, "meets_bar", json_boolean(!misses(r)));
    return row;
}

static int print_json(const bmf_context *ctx, const options *o, int count, const cowichan_result *result)
{
    json_t *rows = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(rows, json_of(&result[k]));
    return json_print(json_pack("{s:s, s:o, s:i, s:i, s:i, s:o}", "benchmark", "cowichan", "machine",
                                bench_machine_json(), "ranks", bmf_ranks(ctx), "threads", bmf_threads(ctx), "repeats",
                                o->repeats, "rows", rows),
                      BMF_JSON_INDENT);
}

static void print_heading(const bmf_context *ctx, const options *o)
{
    bench_machine_print(stdout);
    printf("ranks %d, threads %d, median of %d repeats\n\n%-8s %8s %9s %9s %9s  %5s %-11s %7s  %s\n"
           "%-8s %8s %9s %9s %9s  %5s %-11s %7s  %5s %5s %5s\n",
           bmf_ranks(ctx), bmf_threads(ctx), o->repeats, "", "", "plain", "skeletons", "language", "", "", "language",
           "lines", "program", "n", "ms", "ms", "ms", "ratio", "quartiles", "/ plain", "plain", "skel.", "lang.");
    fflush(stdout);
}

/* ---- the command ---- */

static int run_rows(bmf_context *ctx, const options *o, const char *directory)
{
    cowichan_result result[MAX_ROWS];
    int count = 0, failed = 0;
    if (!o->json && bmf_is_root(ctx))
        print_heading(ctx, o);
    for (const struct version *v = versions; v->name; v++) {
        if (o->only && !is_listed(o->only, v->name))
            continue;
        run_row(ctx, o, directory, v, &result[count]);
        failed += result[count].status != BMF_OK;
        if (!o->json && bmf_is_root(ctx))
            print_row(&result[count]);
        count++;
    }
    const int code = o->json && bmf_is_root(ctx) ? print_json(ctx, o, count, result) : 0;
    return failed > 0 ? 1 : code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    char directory[PATH_ROOM] = "", *made = NULL;
    (void)operands;
    if (bmf_processors(ctx) != bmf_ranks(ctx))
        return usage_error("cowichan has as many processors as ranks");
    if (bmf_is_root(ctx)) {
        made = temporary_directory_create("bmf-cowichan");
        snprintf(directory, sizeof directory, "%s", made ? made : "");
    }
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    const int code = directory[0] ? run_rows(ctx, o, directory) : usage_error("no directory for temporary files");
    if (made)
        temporary_directory_remove(made);
    return code;
}

static bool is_program(const char *name)
{
    return find_version(name);
}

static int read_only(const char *text, void *field)
{
    return read_names(text, is_program, field);
}

static void print_programs(FILE *to)
{
    fputs("Programs:\n", to);
    for (const struct version *v = versions; v->name; v++)
        fprintf(to, "  %-8s %s\n", v->name, v->what);
}

static const bmf_option table[] = {
    BMF_OPTION("size", "N", BMF_WHOLE(options, n, 1, 40000), "n of every program; default: some milliseconds of work"),
    BMF_OPTION("repeats", "R", BMF_WHOLE(options, repeats, 1, MAX_REPEATS),
               "timings of each, taken in turns; medians are compared"),
    BMF_OPTION("only", "PROGRAM,..", BMF_OTHER(options, only, read_only), "some of the programs"),
    BMF_OPTION("sources", "DIR", BMF_TEXT(options, sources),
               "where the programs' sources are; default: those that this was built from"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"),
    BMF_OPTION_END};

static const options defaults = {.repeats = REPEATS, .sources = COWICHAN_SOURCES};

const bmf_driver bench_cowichan = {
    .name = "cowichan",
    .summary = "the Cowichan programs in plain MPI, on skeletons and in the language",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf-bench cowichan [OPTION]..",
    .about =
        "Times the programs of examples/cowichan/ that there are in plain MPI, on bmf's skeletons and in the language, "
        "and compares their results.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf-bench cowichan --bmf-threads 1",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .more = print_programs,
    .note = "Columns: n; milliseconds of the three versions; the ratio of skeletons to plain MPI, which may be 1.2, "
            "with its quartiles turn by turn; that of the language; lines of code of the three.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
