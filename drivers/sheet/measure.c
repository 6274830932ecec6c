/* bmf sheet measure: times the building blocks of this machine and writes a RAW file. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf/version.h"
#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"
#include "predict/measure/measure.h"
#include "runtime/backend/backend.h"

static const char COMMAND[] = "sheet measure";

typedef struct options {
    bmf_measure_options measure;
    bool list, json, help;
} options;

static volatile sig_atomic_t stop;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop = 1;
}

static void print_help(void)
{
    printf(
        "usage: mpirun -n R bmf sheet measure -o RAW [OPTION]..\n"
        "\n"
        "Times the building blocks of programs on this machine: point-to-point and collective operations of MPI,\n"
        "OpenMP constructs, loops over the caches, every skeleton of bmf, permutations, and parallel files, on groups "
        "of\n"
        "ranks and for sizes from 1 element on. Keeps every repetition. `bmf sheet fit` makes a data sheet of it.\n"
        "\n"
        "  -o RAW            the file to write\n"
        "  --ops LIST        only these operations or families, with commas; see --list\n"
        "  --max-elements N  largest size (default: 1048576; loops go beyond the caches)\n"
        "  --factor F        between sizes (default: 2, or more if time is short)\n"
        "  --repeats K       repetitions of every point, fewer of those that take long (default: %d)\n"
        "  --seconds S       time to plan for (default: %d)\n"
        "  --threads T       threads of each rank, and at most in a team (default: as --bmf-threads; teams up to the\n"
        "                    cores of the host)\n"
        "  --cached          the same buffers in every repetition, instead of memory that no cache holds\n"
        "  --clock C         how repetitions start: barrier (default), or agreed: at a moment agreed upon before\n"
        "  --resume          go on with an interrupted RAW, or add to one; other options as before\n"
        "  --list            say what is measured, and stop\n"
        "  --json            print a summary as one JSON object\n"
        "  --help            this text\n"
        "\n"
        "Ctrl-C ends the measurement and keeps what there is. Run it on a quiet machine, and with at most one rank "
        "for\n"
        "every core: with more, the times are those of waiting.\n"
        "\n"
        "Example: mpirun -n 2 -bind-to core bmf sheet measure -o host.raw && bmf sheet fit host.raw -o host.sheet\n",
        BMF_MEASURE_REPEATS, BMF_MEASURE_SECONDS);
}

/* ---- options ---- */

static const struct option known_options[] = {{"ops", required_argument, NULL, 'p'},
                                              {"max-elements", required_argument, NULL, 'm'},
                                              {"factor", required_argument, NULL, 'f'},
                                              {"repeats", required_argument, NULL, 'k'},
                                              {"seconds", required_argument, NULL, 's'},
                                              {"threads", required_argument, NULL, 't'},
                                              {"cached", no_argument, NULL, 'c'},
                                              {"clock", required_argument, NULL, 'C'},
                                              {"resume", no_argument, NULL, 'r'},
                                              {"list", no_argument, NULL, 'l'},
                                              {"json", no_argument, NULL, 'j'},
                                              {"help", no_argument, NULL, 'h'},
                                              {0}};

static int read_number(const char *name, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    const long long number = strtoll(optarg, &end, 10);
    if (end == optarg || *end || errno || number < low || number > high)
        return bmf_usage_error(COMMAND, "--%s takes a whole number from %lld to %lld, not '%s'", name, (long long)low,
                               (long long)high, optarg);
    *value = number;
    return 0;
}

static int read_small(const char *name, int low, int high, int *value)
{
    int64_t number = 0;
    const int code = read_number(name, low, high, &number);
    *value = (int)number;
    return code;
}

static int read_option(int c, char **argv, options *o)
{
    bmf_measure_options *m = &o->measure;
    int number = 0, code = 0;
    switch (c) {
    case 'o':
        m->output = optarg;
        break;
    case 'p':
        m->operations = optarg;
        break;
    case 'm':
        return read_number("max-elements", 1, INT_MAX, &m->most_elements);
    case 'f':
        return read_small("factor", 2, 1 << 20, &m->factor);
    case 'k':
        return read_small("repeats", 1, 10000, &m->repeats);
    case 's':
        code = read_small("seconds", 1, 1000000, &number);
        m->seconds = number;
        return code;
    case 't':
        return read_small("threads", 1, 4096, &m->threads);
    case 'c':
        m->cached = true;
        break;
    case 'C':
        if (!measure_clock_find(optarg, &m->clock))
            return bmf_usage_error(COMMAND, "unknown clock '%s'; known: barrier, agreed", optarg);
        break;
    case 'r':
        m->resume = true;
        break;
    case 'l':
        o->list = true;
        break;
    case 'j':
        o->json = true;
        break;
    case 'h':
        o->help = true;
        break;
    case ':':
        return bmf_usage_error(COMMAND, "option '%s' needs a value", argv[optind - 1]);
    default:
        return bmf_usage_error(COMMAND, "unknown option '%s'", argv[optind - 1]);
    }
    return 0;
}

static int read_options(int argc, char **argv, options *o)
{
    *o = (options){.measure = {.version = BMF_VERSION, .stop = &stop}};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":ho:", known_options, NULL)) != -1;) {
        const int code = read_option(c, argv, o);
        if (code)
            return code;
    }
    if (o->help || o->list)
        return 0;
    if (optind != argc)
        return bmf_usage_error(COMMAND, "unexpected argument '%s'", argv[optind]);
    if (!o->measure.output)
        return bmf_usage_error(COMMAND, "where to? give -o RAW");
    return 0;
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
    if (o->progress && bmf_is_first_process())
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
    if (s->disturbed > 0 && !s->crowded)
        printf("%lld repetitions lost a core to other processes for a while: the quieter the machine, the better\n",
               (long long)s->disturbed);
    if (s->crowded)
        printf("%d ranks share %d cores: these are times of waiting, not of the machine\n", ctx->node_ranks,
               ctx->node_cores);
    const int status = samples_read(o->measure.output, true, &samples);
    if (status != BMF_OK)
        return bmf_report(status);
    print_skips(samples);
    samples_free(samples);
    return 0;
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text < ' ')
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json(const options *o, const bmf_context *ctx, const bmf_measure_summary *s)
{
    printf("{\"output\": ");
    print_string(o->measure.output);
    printf(", \"ranks\": %d, \"threads\": %d, \"points\": %lld, \"repetitions\": %lld, \"resumed\": %lld, "
           "\"skipped\": %lld, \"left_out\": %lld, \"disturbed\": %lld, \"seconds\": %.6g, \"interrupted\": %s, "
           "\"crowded\": %s}\n",
           ctx->ranks, o->measure.threads > 0 ? o->measure.threads : ctx->threads, (long long)s->points,
           (long long)s->repetitions, (long long)s->resumed, (long long)s->skipped, (long long)s->left_out,
           (long long)s->disturbed, s->seconds, s->interrupted ? "true" : "false", s->crowded ? "true" : "false");
}

/* ---- running ---- */

/* The first signal ends the measurement in order, the second one the program. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int measure(bmf_context *ctx, options *o)
{
    bmf_measure_summary summary;
    if (isatty(STDERR_FILENO))
        o->measure.progress = show_progress;
    catch_signals();
    const int status = measure_sheet(ctx, &o->measure, &summary);
    end_progress(&o->measure);
    if (status != BMF_OK && bmf_is_root(ctx))
        fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
    if (status != BMF_OK || !bmf_is_root(ctx))
        return status != BMF_OK ? bmf_exit_code(status) : summary.interrupted;
    if (o->json)
        print_json(o, ctx, &summary);
    const int code = o->json ? 0 : print_text(o, ctx, &summary);
    if (summary.interrupted)
        fprintf(stderr, "bmf: interrupted; %s keeps what was measured, --resume goes on\n", o->measure.output);
    return code ? code : summary.interrupted;
}

int bmf_sheet_measure_command(int argc, char **argv)
{
    options o;
    bmf_context *ctx;
    if (bmf_open(&argc, &argv, &ctx) != BMF_OK)
        return bmf_report(BMF_ERROR_USAGE);
    int code = read_options(argc, argv, &o);
    if (code == 0 && o.help && bmf_is_root(ctx))
        print_help();
    else if (code == 0 && o.list && bmf_is_root(ctx))
        measure_list(stdout);
    else if (code == 0 && !o.help && !o.list)
        code = measure(ctx, &o);
    const int closed = bmf_close(ctx);
    code = code ? code : closed;
    return code ? code : bmf_finish_output();
}
