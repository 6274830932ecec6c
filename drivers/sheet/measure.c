/* bmf sheet measure: times the building blocks of this machine and writes a RAW file. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf/version.h"
#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/sheet/sheet.h"
#include "predict/measure/measure.h"
#include "runtime/backend/backend.h"

typedef struct options {
    bmf_measure_options measure;
    int64_t seconds;
    bool list, json;
} options;

static const options defaults = {.measure = {.version = BMF_VERSION, .repeats = BMF_MEASURE_REPEATS},
                                 .seconds = BMF_MEASURE_SECONDS};

static volatile sig_atomic_t stop;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop = 1;
}

/* ---- progress ---- */

static void show_progress(void *state, double done, double seconds_left, const char *what)
{
    enum { WIDTH = 30 };
    static const char full[] = "##############################", empty[] = "..............................";
    const int filled = (int)(done * WIDTH);
    (void)state;
    fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%, about %.0f s left: %s", filled, full, WIDTH - filled, empty,
            100 * done, seconds_left, what);
    fflush(stderr);
}

static void end_progress(const bmf_measure_options *o)
{
    if (o->progress && is_first_process())
        fprintf(stderr, "\r\033[K");
}

/* ---- summary ---- */

/* Operations that were left out, by reason. */
static void print_skips(const bmf_samples *samples)
{
    for (int64_t i = 0; i < samples->skips; i++) {
        const char *reason = samples->skip[i].reason;
        bool first = true;
        for (int64_t k = 0; k < i && first; k++)
            first = strcmp(samples->skip[k].reason, reason) != 0;
        if (!first)
            continue;
        printf("skipped (%s):", reason);
        for (int64_t k = i; k < samples->skips; k++)
            if (strcmp(samples->skip[k].reason, reason) == 0)
                printf(" %s", samples->skip[k].operation);
        putchar('\n');
    }
}

static int print_text(const options *o, const bmf_context *ctx, const bmf_measure_summary *s)
{
    bmf_samples *samples;
    printf("%s: %lld points, %lld repetitions in %.1f s\n", o->measure.output, (long long)s->points,
           (long long)s->repetitions, s->seconds);
    if (s->resumed > 0)
        printf("%lld points were complete before\n", (long long)s->resumed);
    if (s->left_out > 0)
        printf("%lld points left out: no time or no memory for them\n", (long long)s->left_out);
    if (s->disturbed > 0 && !s->oversubscribed)
        printf("%lld repetitions lost a core to other processes for a while: the quieter the machine, the better\n",
               (long long)s->disturbed);
    if (ctx->node_ranks > ctx->node_cores)
        printf("%d ranks share %d cores: these are times of waiting, not of the machine\n", ctx->node_ranks,
               ctx->node_cores);
    const int status = samples_read(o->measure.output, true, &samples);
    if (status != BMF_OK)
        return report_status(NULL, status);
    print_skips(samples);
    samples_free(samples);
    return 0;
}

static int print_json(const options *o, const bmf_context *ctx, const bmf_measure_summary *s)
{
    return json_print(json_pack("{s:o, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:b, s:b}", "output",
                                json_text(o->measure.output), "ranks", ctx->ranks, "threads",
                                o->measure.threads > 0 ? o->measure.threads : ctx->threads, "points",
                                (json_int_t)s->points, "repetitions", (json_int_t)s->repetitions, "resumed",
                                (json_int_t)s->resumed, "skipped", (json_int_t)s->skipped, "left_out",
                                (json_int_t)s->left_out, "disturbed", (json_int_t)s->disturbed, "seconds", s->seconds,
                                "interrupted", s->interrupted, "crowded", s->oversubscribed),
                      BMF_JSON_LINE);
}

/* ---- running ---- */

/* The first signal ends the measurement in order, the second one the program. */
static void catch_signals(void)
{
    struct sigaction usual, action = {.sa_handler = ask_to_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &usual) == 0 && usual.sa_handler != SIG_IGN) /* nohup's stays */
        sigaction(SIGHUP, &action, NULL);
}

static int measure(bmf_context *ctx, options *o)
{
    bmf_measure_summary summary;
    if (isatty(STDERR_FILENO))
        o->measure.progress = show_progress;
    catch_signals();
    const int status = measure_sheet(ctx, &o->measure, &summary);
    end_progress(&o->measure);
    if (status != BMF_OK || !bmf_is_root(ctx))
        return status != BMF_OK ? report_status(ctx, status) : summary.interrupted;
    const int code = o->json ? print_json(o, ctx, &summary) : print_text(o, ctx, &summary);
    if (summary.interrupted)
        fprintf(stderr, "bmf: interrupted; %s keeps what was measured, --resume goes on\n", o->measure.output);
    return code ? code : summary.interrupted;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    (void)operands;
    o->measure.seconds = (double)o->seconds;
    o->measure.stop = &stop;
    if (o->list && bmf_is_root(ctx))
        measure_list(stdout);
    if (o->list)
        return 0;
    return o->measure.output ? measure(ctx, o) : usage_error("where to? give -o RAW");
}

/* ---- tables ---- */

static const char *clock_name(int number, const char **about)
{
    *about = NULL;
    return number < 2 ? measure_clock_name((bmf_measure_clock)number) : NULL;
}

static const bmf_option table[] = {
    BMF_OPTION("output", "RAW", BMF_TEXT(options, measure.output), "the file to write", .letter = 'o'),
    BMF_OPTION("ops", "LIST", BMF_TEXT(options, measure.operations),
               "only these operations or families, with commas; see --list"),
    BMF_OPTION("max-elements", "N", BMF_WHOLE(options, measure.max_elements, 1, INT_MAX),
               "largest size; default: 1048576; loops go beyond the caches"),
    BMF_OPTION("factor", "F", BMF_WHOLE(options, measure.factor, 2, 1 << 20),
               "between sizes; default: 2, or more if time is short"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(options, measure.repeats, 1, 10000),
               "repetitions of every point, fewer of those that take long"),
    BMF_OPTION("seconds", "S", BMF_WHOLE(options, seconds, 1, 1000000), "time to plan for"),
    BMF_OPTION(
        "threads", "T", BMF_WHOLE(options, measure.threads, 1, 4096),
        "threads of each rank, and at most in a team; default: as --bmf-threads; teams up to the cores of the host"),
    BMF_OPTION("cached", NULL, BMF_FLAG(options, measure.cached),
               "the same buffers in every repetition, instead of memory that no cache holds"),
    BMF_OPTION("clock", "CLOCK", BMF_CHOICE(options, measure.clock, clock_name),
               "how repetitions start: barrier, or agreed: at a moment agreed upon before"),
    BMF_OPTION("resume", NULL, BMF_FLAG(options, measure.resume),
               "go on with an interrupted RAW, or add to one; other options as before"),
    BMF_OPTION("list", NULL, BMF_FLAG(options, list), "say what is measured, and stop"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print a summary as one JSON object"),
    BMF_OPTION_END};

const bmf_driver sheet_measure_command = {
    .name = "measure",
    .summary = "time the building blocks on this machine",
    .synopsis = BMF_MPIRUN_NAME " -n R bmf sheet measure -o RAW [OPTION]..",
    .about = "Times the building blocks of programs on this machine: point-to-point and collective operations of MPI, "
             "OpenMP "
             "constructs, loops over the caches, every skeleton of bmf, permutations, and parallel files, on groups of "
             "ranks and for sizes from 1 element on. Keeps every repetition. `bmf sheet fit` makes a data sheet of it.",
    .example =
        BMF_MPIRUN_NAME " -n 2 -bind-to core bmf sheet measure -o host.raw && bmf sheet fit host.raw -o host.sheet",
    .note =
        "Ctrl-C ends the measurement and keeps what there is. Run it on a quiet machine, and with at most one rank for "
        "every core: with more, the times are those of waiting.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
