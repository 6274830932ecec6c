/* Options, opening and loading for the commands that take a program. */
#include "drivers/program_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"

static const struct option known_options[] = {
    {"library", required_argument, NULL, 'l'}, {"arg", required_argument, NULL, 'a'},
    {"procs", required_argument, NULL, 'p'},   {"out", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, 'j'},          {"stats", no_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},          {0}};

static int read_processors(const char *command, const char *text, int64_t *processors)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < 1 || number > INT32_MAX)
        return bmf_usage_error(command, "--procs takes a whole number from 1 to %d, not '%s'", INT32_MAX, text);
    *processors = number;
    return 0;
}

/* Only `run` writes a result. */
static int refuse_unless_run(const char *command, const char *option)
{
    return strcmp(command, "run") == 0 ? 0 : bmf_usage_error(command, "unknown option '%s'", option);
}

static int read_option(int c, const char *command, char **argv, bmf_driver_options *o)
{
    switch (c) {
    case 'l':
        if (o->program.libraries == BMF_MAX_LIBRARIES)
            return bmf_usage_error(command, "at most %d libraries", BMF_MAX_LIBRARIES);
        o->library[o->program.libraries++] = optarg;
        return 0;
    case 'a':
        o->program.argument = optarg;
        return 0;
    case 'p':
        return read_processors(command, optarg, &o->processors);
    case 'o':
        o->out = optarg;
        return refuse_unless_run(command, "--out");
    case 'j':
        o->json = true;
        return 0;
    case 's':
        o->stats = true;
        return refuse_unless_run(command, "--stats");
    case 'h':
        o->help = true;
        return 0;
    case ':':
        return bmf_usage_error(command, "option '%s' needs a value", argv[optind - 1]);
    default:
        return bmf_usage_error(command, "unknown option '%s'", argv[optind - 1]);
    }
}

int bmf_read_program_options(const char *command, int argc, char **argv, bmf_driver_options *o)
{
    *o = (bmf_driver_options){.command = command};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":h", known_options, NULL)) != -1;) {
        int code = read_option(c, command, argv, o);
        if (code)
            return code;
    }
    if (o->help)
        return 0;
    if (optind == argc)
        return bmf_usage_error(command, "which program? give a .bmf file");
    o->program.path = argv[optind++];
    if (optind != argc)
        return bmf_usage_error(command, "unexpected argument '%s'", argv[optind]);
    return 0;
}

/* Options that the context reads itself, under their names there. */
static char *context_option(char *argument)
{
    static char trace[] = "--bmf-trace", free_mode[] = "--bmf-free";
    if (strcmp(argument, "--trace") == 0)
        return trace;
    if (strcmp(argument, "--free") == 0)
        return free_mode;
    if (strncmp(argument, "--trace=", 8) != 0)
        return argument;
    size_t size = strlen(argument) + 5;
    char *text = allocate((int64_t)size); /* lives as long as argv */
    snprintf(text, size, "--bmf-%s", argument + 2);
    return text;
}

int bmf_open_program(int *argc, char ***argv, bmf_context **ctx)
{
    for (int k = 1; k < *argc && strcmp((*argv)[k], "--") != 0; k++)
        (*argv)[k] = context_option((*argv)[k]);
    return bmf_open(argc, argv, ctx);
}

static int set_processors(bmf_context *ctx, const bmf_driver_options *options, const bmf_program *program)
{
    int64_t needed = processors_needed(program->checked), processors = options->processors;
    if (processors == 0 && bmf_processors(ctx) > bmf_ranks(ctx))
        processors = bmf_processors(ctx); /* --bmf-procs */
    if (processors > 0 && processors < needed)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the program splits over %" PRId64 " processors; --procs %" PRId64 " are too few", needed,
                        processors);
    if (needed > INT32_MAX)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the program splits over %" PRId64 " processors; at most %d are possible", needed, INT32_MAX);
    if (processors == 0)
        processors = needed > bmf_ranks(ctx) ? needed : bmf_ranks(ctx);
    return processors == bmf_processors(ctx) ? BMF_OK : bmf_set_processors(ctx, processors);
}

int bmf_load_program(bmf_context *ctx, const bmf_driver_options *options, bmf_program *program)
{
    bmf_program_options loaded = options->program;
    loaded.library = options->library;
    loaded.processors = options->processors;
    BMF_TRY(program_load(ctx, &loaded, program));
    return set_processors(ctx, options, program);
}

int bmf_report_program(bmf_context *ctx, int status)
{
    if (status != BMF_OK && bmf_is_root(ctx))
        fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
    return bmf_exit_code(status);
}
