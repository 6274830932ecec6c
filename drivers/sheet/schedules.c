/* bmf sheet schedules: the table of costs by which runs choose their algorithms, and whether it chooses well. */
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/sheet/judge_schedules.h"
#include "drivers/sheet/sheet.h"
#include "predict/measure/schedules.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/output_file.h"
#include "runtime/base/progress.h"

enum { SECONDS = 60, MOST = 1024, WORST = 5, SERIES = 5, MOST_SERIES = 100 };

typedef struct options {
    const char *output, *with, *check, *skeletons;
    int64_t seconds, most, series;
    bool json;
} options;

static const options defaults = {.seconds = SECONDS, .most = MOST, .series = SERIES};

typedef bmf_schedules_series measured;

static void keep_point(void *state, const bmf_schedules_point *point)
{
    measured *m = state;
    *ARRAY_APPEND(m->point, m->points, m->capacity) = *point;
}

static void tell_progress(void *state, double done)
{
    progress_tell(state, done);
}

static int measure(bmf_context *ctx, const options *o, double seconds, bmf_cost_table *costs, bmf_cost_model *message,
                   measured *m)
{
    bmf_progress progress;
    const bmf_schedules_options wanted = {.seconds = seconds,
                                          .most = o->most,
                                          .skeletons = o->skeletons,
                                          .between = o->check,
                                          .costs = costs,
                                          .progress = tell_progress,
                                          .progress_state = &progress};
    progress_begin(&progress, "measuring");
    const int status = measure_schedules(ctx, &wanted, message, keep_point, m);
    progress_end(&progress);
    if (status == BMF_OK && m->points == 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "--procs %" PRId64 " leaves no size to measure on %d ranks", o->most,
                        ctx->ranks);
    return status;
}

/* ---- writing a table ---- */

/* Rows of other numbers of ranks. */
static void write_others(FILE *to, char *text, int64_t ranks)
{
    char *line = strtok(text, "\n"); /* the heading */
    while (line && (line = strtok(NULL, "\n"))) {
        int64_t of;
        if (line[0] != '#' && sscanf(line, "%*s %*s %" SCNd64 " %*d %*d %*f", &of) == 1 && of != ranks &&
            strncmp(line, "message", 7) != 0)
            fprintf(to, "%s\n", line);
    }
}

static void write_table(FILE *to, const bmf_context *ctx, const measured *m, const bmf_cost_model *message,
                        char *others)
{
    char host[256] = "", library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    gethostname(host, sizeof host - 1);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    fprintf(to, "%s\n# %s, %.80s, %d threads a rank\n", cost_table_heading, host, library, ctx->threads);
    fprintf(to, "# message: seconds, seconds per byte\nmessage %.4g %.4g\n", message->latency, message->per_byte);
    fputs("# skeleton algorithm ranks items bytes seconds; computed: from other numbers of items\n", to);
    for (int64_t k = 0; k < m->points; k++)
        for (int way = 0; way < m->point[k].ways; way++)
            fprintf(to, "%s %s %d %" PRId64 " %" PRId64 " %.4g%s\n", m->point[k].skeleton, m->point[k].way[way],
                    ctx->ranks, m->point[k].count, m->point[k].bytes, m->point[k].seconds[way],
                    m->point[k].computed ? " # computed" : "");
    if (others)
        write_others(to, others, ctx->ranks);
}

static int failed_to_write(bmf_context *ctx, const char *path, int failure)
{
    return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write '%.400s': %s", path, strerror(failure));
}

/* A table that is right; the caller frees both. */
static int read_table(bmf_context *ctx, const char *path, char **text, bmf_cost_table **table)
{
    char message[BMF_MESSAGE_SIZE];
    int64_t size;
    if (costs_load(path, text, &size) != BMF_OK)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s", bmf_error_text(NULL));
    *table = cost_table_read(path, *text, size, message, sizeof message);
    *text = reallocate(*text, size, size + 1);
    (*text)[size] = '\0';
    return *table ? BMF_OK : bmf_fail(ctx, BMF_ERROR_FILE, "%s", message);
}

/* On rank 0: what is read and written stands ready before anything is measured. */
static int prepare(bmf_context *ctx, const options *o, bmf_output_file *output, char **others)
{
    bmf_cost_table *table = NULL;
    const int status = o->with ? read_table(ctx, o->with, others, &table) : BMF_OK;
    cost_table_free(table);
    BMF_TRY(status);
    const int failure = output_file_open(output, o->output);
    return failure ? failed_to_write(ctx, o->output, failure) : BMF_OK;
}

static int64_t count_measured(const measured *m)
{
    int64_t sizes = 0;
    for (int64_t k = 0; k < m->points; k++)
        sizes += !m->point[k].computed;
    return sizes;
}

static int make_table(bmf_context *ctx, const options *o, measured *m)
{
    bmf_output_file output = {.file = -1};
    bmf_cost_model message;
    char *others = NULL;
    int status = bmf_agree(ctx, bmf_is_root(ctx) ? prepare(ctx, o, &output, &others) : BMF_OK);
    if (status == BMF_OK)
        status = measure(ctx, o, (double)o->seconds, NULL, &message, m);
    int failure = status == BMF_OK ? 0 : ECANCELED;
    if (bmf_is_root(ctx) && !failure)
        write_table(output_file_stream(&output), ctx, m, &message, others);
    failure = output_file_close(&output, failure);
    free(others);
    if (status != BMF_OK)
        return status;
    return bmf_agree(ctx, failure ? failed_to_write(ctx, o->output, failure) : BMF_OK);
}

/* ---- judging one ---- */

typedef struct checked {
    const bmf_context *ctx;
    const options *o;
    bmf_judged_point *point;
    int64_t points;
} checked;

static int by_loss(const void *a, const void *b)
{
    const bmf_judged_point *x = *(const bmf_judged_point *const *)a, *y = *(const bmf_judged_point *const *)b;
    return (x->costs.mean < y->costs.mean) - (x->costs.mean > y->costs.mean);
}

typedef struct verdict {
    double median, worst;     /* losses */
    int64_t behind, persists; /* points that lose more than 5 %; for certain */
} verdict;

/* Of one skeleton, or of all. */
static verdict judge(const checked *c, const char *skeleton, bool by_costs, int64_t *points)
{
    double *of_point = allocate_array(c->points, (int64_t)sizeof *of_point);
    verdict v = {0};
    *points = 0;
    for (int64_t k = 0; k < c->points; k++) {
        const bmf_schedules_loss *loss = by_costs ? &c->point[k].costs : &c->point[k].constants;
        if (skeleton && strcmp(skeleton, c->point[k].point->skeleton) != 0)
            continue;
        of_point[(*points)++] = loss->mean;
        v.behind += loss_is_behind(loss);
        v.persists += loss_persists(loss);
    }
    gsl_sort(of_point, 1, (size_t)*points);
    v.median = gsl_stats_median_from_sorted_data(of_point, 1, (size_t)*points);
    v.worst = of_point[*points - 1];
    free(of_point);
    return v;
}

static void print_half(const verdict *v)
{
    printf("   %6.1f %% %6.1f %% %6" PRId64 " %8" PRId64, 100 * v->median, 100 * v->worst, v->behind, v->persists);
}

static void print_verdict(const checked *c, const char *skeleton)
{
    int64_t points;
    const verdict costs = judge(c, skeleton, true, &points), constants = judge(c, skeleton, false, &points);
    printf("%-8s %6" PRId64, skeleton ? skeleton : "all", points);
    print_half(&costs);
    print_half(&constants);
    putchar('\n');
}

static bool is_first(const checked *c, int64_t k)
{
    return k == 0 || strcmp(c->point[k].point->skeleton, c->point[k - 1].point->skeleton) != 0;
}

/* The points at which the table loses most. */
static void print_worst(const checked *c)
{
    const bmf_judged_point **order = allocate_array(c->points, (int64_t)sizeof *order);
    for (int64_t k = 0; k < c->points; k++)
        order[k] = &c->point[k];
    qsort(order, (size_t)c->points, sizeof(const bmf_judged_point *), by_loss);
    for (int64_t k = 0; k < c->points && k < WORST && loss_is_behind(&order[k]->costs); k++) {
        const bmf_schedules_point *p = order[k]->point;
        printf("  %s of %" PRId64 " items, %" PRId64 " bytes: %s is chosen, %.0f %% behind (95 %%: %.0f to %.0f %%);",
               p->skeleton, p->count, p->bytes, p->way[p->by_costs], 100 * order[k]->costs.mean,
               100 * order[k]->costs.low, 100 * order[k]->costs.high);
        for (int way = 0; way < p->ways; way++)
            printf("%s %s %.3g us", way > 0 ? "," : "", p->way[way], order[k]->seconds[way] * 1e6);
        putchar('\n');
    }
    free(order);
}

static void print_check(const checked *c)
{
    printf(
        "What choices lose against the best algorithm, on %d rank%s, at sizes between those of the table, in %" PRId64
        " series; sure: the\n95 %% interval of the loss is above 5 %%\n%-15s   %-33.33s   fixed constants\n%-8s %6s   "
        "%8s "
        "%8s %6s %8s   %8s %8s %6s %8s\n",
        c->ctx->ranks, c->ctx->ranks == 1 ? "" : "s", c->o->series, "", c->o->check, "skeleton", "sizes", "median",
        "worst", "> 5 %", "sure", "median", "worst", "> 5 %", "sure");
    for (int64_t k = 0; k < c->points; k++)
        if (is_first(c, k))
            print_verdict(c, c->point[k].point->skeleton);
    print_verdict(c, NULL);
    print_worst(c);
}

static json_t *interval_json(const bmf_schedules_loss *loss)
{
    return json_pack("[f, f]", loss->low, loss->high);
}

static json_t *point_json(const bmf_judged_point *judged)
{
    const bmf_schedules_point *p = judged->point;
    json_t *seconds = json_object();
    for (int way = 0; way < p->ways; way++)
        json_object_set_new(seconds, p->way[way], json_real(judged->seconds[way]));
    return json_pack("{s:s, s:I, s:I, s:o, s:s, s:s, s:f, s:f, s:o, s:o}", "skeleton", p->skeleton, "items",
                     (json_int_t)p->count, "bytes", (json_int_t)p->bytes, "seconds", seconds, "by_costs",
                     p->way[p->by_costs], "by_constants", p->way[p->by_constants], "loss_by_costs", judged->costs.mean,
                     "loss_by_constants", judged->constants.mean, "loss_by_costs_95", interval_json(&judged->costs),
                     "loss_by_constants_95", interval_json(&judged->constants));
}

static int print_json(const checked *c)
{
    json_t *points = json_array();
    for (int64_t k = 0; k < c->points; k++)
        json_array_append_new(points, point_json(&c->point[k]));
    return json_print(json_pack("{s:o, s:i, s:I, s:o}", "costs", json_text(c->o->check), "ranks", c->ctx->ranks,
                                "series", (json_int_t)c->o->series, "points", points),
                      BMF_JSON_INDENT);
}

/* All series, one after the other. */
static int measure_series(bmf_context *ctx, const options *o, bmf_cost_table *costs, measured *all)
{
    for (int64_t k = 0; k < o->series; k++)
        BMF_TRY(measure(ctx, o, (double)o->seconds / (double)o->series, costs, NULL, &all[k]));
    return BMF_OK;
}

static int tell_check(bmf_context *ctx, const options *o, const measured *all)
{
    checked c = {.ctx = ctx, .o = o};
    int code = 0;
    c.points = judge_schedules(o->series, all, &c.point);
    if (o->json)
        code = print_json(&c);
    else
        print_check(&c);
    free(c.point);
    return code ? code : finish_output();
}

/* The exit code. */
static int check_table(bmf_context *ctx, const options *o)
{
    int status = costs_read(ctx, o->check);
    if (status != BMF_OK)
        return report_status(ctx, status);
    bmf_cost_table *costs = cost_table_share(ctx->costs);
    measured *all = allocate_clear(o->series, (int64_t)sizeof *all);
    if (cost_table_ranks(costs, ctx->ranks) == 0)
        status = bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                          "%.300s has no rows for about %d rank%s; measure them: `bmf sheet schedules -o FILE`",
                          o->check, ctx->ranks, ctx->ranks == 1 ? "" : "s");
    if (status == BMF_OK)
        status = measure_series(ctx, o, costs, all);
    cost_table_free(costs);
    int code = report_status(ctx, status);
    if (code == 0 && bmf_is_root(ctx))
        code = tell_check(ctx, o, all);
    for (int64_t k = 0; k < o->series; k++)
        free(all[k].point);
    free(all);
    return code;
}

/* ---- the command ---- */

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    measured m = {0};
    (void)operands;
    if (!o->output == !o->check)
        return usage_error("measure with -o FILE, or --check FILE: one of them");
    if (o->check && o->with)
        return usage_error("--with is for -o");
    if (!o->check && o->json)
        return usage_error("--json is for --check");
    if (o->check)
        return check_table(ctx, o);
    int code = report_status(ctx, make_table(ctx, o, &m));
    if (code == 0 && bmf_is_root(ctx)) {
        printf("%s: %" PRId64 " sizes on %d rank%s\n", o->output, count_measured(&m), ctx->ranks,
               ctx->ranks == 1 ? "" : "s");
        code = finish_output();
    }
    free(m.point);
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("output", "FILE", BMF_TEXT(options, output), "the table of costs to write", .letter = 'o'),
    BMF_OPTION("with", "TABLE", BMF_TEXT(options, with),
               "rows of this table, for other numbers of ranks, are kept; may be the same file"),
    BMF_OPTION("check", "TABLE", BMF_TEXT(options, check),
               "say what the choices of this table, and of fixed constants, lose against the best algorithm, at sizes "
               "between those of tables"),
    BMF_OPTION("skeletons", "LIST", BMF_TEXT(options, skeletons),
               "only these, with commas: split, gather, reduce, scan, distl, permute"),
    BMF_OPTION("procs", "P", BMF_WHOLE(options, most, 2, 1 << 20), "processors at most"),
    BMF_OPTION("seconds", "S", BMF_WHOLE(options, seconds, 1, 1000000), "time to plan for"),
    BMF_OPTION("series", "K", BMF_WHOLE(options, series, 1, MOST_SERIES),
               "with --check: so many series, in which the best algorithms are told by the other ones, and from which "
               "the losses have intervals"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "with --check: print one JSON object with every size"),
    BMF_OPTION_END};

const bmf_driver sheet_schedules_command = {
    .name = "schedules",
    .summary = "measure the algorithms that runs choose between",
    .synopsis = BMF_MPIRUN_NAME " -n R bmf sheet schedules -o FILE [OPTION]..\n" BMF_MPIRUN_NAME
                                " -n R bmf sheet schedules --check TABLE [OPTION]..",
    .about = "Times every algorithm of every skeleton that has a choice, and the methods of permuting, on these ranks, "
             "from a quarter of a processor for every rank to 64 of them, in turns, and writes a table of costs. Runs "
             "that are given the table (`bmf run --machine`, BMF_COSTS, --bmf-costs) choose by it; without one, "
             "algorithms are chosen by fixed constants.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf sheet schedules -o here.costs\n" BMF_MPIRUN_NAME
                               " -n 2 bmf sheet schedules --check here.costs\n"
                               "BMF_COSTS=here.costs " BMF_MPIRUN_NAME " -n 2 ./program",
    .note = "Run it on a quiet machine, with as many ranks as runs will have, bound as they will be. Results do not "
            "depend on what is chosen.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
