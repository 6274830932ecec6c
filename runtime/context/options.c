/* What a context is opened with: BMF_* variables, the members of bmf_options, --bmf-* arguments; the later wins. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/context/private.h"

/* One option: its name without dashes, its variable, whether it takes a value, and what to do with it. */
typedef struct option {
    const char *name, *variable;
    bool has_value;
    int (*apply)(bmf_context *ctx, const char *source, const char *value);
} option;

static int whole_number(bmf_context *ctx, const char *source, const char *value, int64_t low, int64_t high,
                        int64_t *number)
{
    char *end;
    errno = 0;
    long long parsed = strtoll(value, &end, 10);
    if (end == value || *end || errno || parsed < low || parsed > high)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "%s takes a whole number from %lld to %lld, not '%s'", source,
                        (long long)low, (long long)high, value);
    *number = parsed;
    return BMF_OK;
}

static int apply_processors(bmf_context *ctx, const char *source, const char *value)
{
    return whole_number(ctx, source, value, 1, BMF_MAX_PROCESSORS, &ctx->processors);
}

static int apply_threads(bmf_context *ctx, const char *source, const char *value)
{
    int64_t threads = 0;
    BMF_TRY(whole_number(ctx, source, value, 1, BMF_MAX_THREADS, &threads));
    ctx->threads = (int)threads;
    return BMF_OK;
}

static int apply_ranks(bmf_context *ctx, const char *source, const char *value)
{
    return whole_number(ctx, source, value, 1, BMF_MAX_PROCESSORS, &ctx->imitated_ranks);
}

static int apply_path(bmf_context *ctx, const char *source, const char *value, char **path)
{
    if (!*value)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "%s takes the name of a file", source);
    free(*path);
    *path = text_copy(value);
    return BMF_OK;
}

static int apply_trace(bmf_context *ctx, const char *source, const char *value)
{
    return apply_path(ctx, source, value, &ctx->trace_path);
}

static int apply_machine(bmf_context *ctx, const char *source, const char *value)
{
    return apply_path(ctx, source, value, &ctx->machine_path);
}

static int apply_costs(bmf_context *ctx, const char *source, const char *value)
{
    return apply_path(ctx, source, value, &ctx->costs_path);
}

static int apply_machine_changes(bmf_context *ctx, const char *source, const char *value)
{
    if (!*value)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "%s takes changes of a machine's file", source);
    free(ctx->machine_changes);
    ctx->machine_changes = text_copy(value);
    return BMF_OK;
}

static int apply_schedule(bmf_context *ctx, const char *source, const char *value)
{
    char *list = text_copy(value), *rest = list;
    int status = BMF_OK;
    for (char *entry; status == BMF_OK && (entry = strsep(&rest, ","));) {
        char *algorithm = strchr(entry, '=');
        if (!algorithm) {
            status = bmf_fail(ctx, BMF_ERROR_USAGE, "%s takes skeleton=algorithm pairs, not '%s'", source, entry);
            break;
        }
        *algorithm++ = '\0';
        status = bmf_set_schedule(ctx, entry, algorithm);
        if (status != BMF_OK)
            status = BMF_ERROR_USAGE;
    }
    free(list);
    return status;
}

static bool is_set(const char *value)
{
    return *value && strcmp(value, "0") != 0;
}

static int apply_plan(bmf_context *ctx, const char *source, const char *value)
{
    (void)source;
    ctx->plan = is_set(value) ? stderr : NULL;
    return BMF_OK;
}

static int apply_free(bmf_context *ctx, const char *source, const char *value)
{
    (void)source;
    ctx->reproducible = !is_set(value);
    return BMF_OK;
}

static const option options[] = {
    {"--bmf-procs", "BMF_PROCS", true, apply_processors},
    {"--bmf-threads", "BMF_THREADS", true, apply_threads},
    {"--bmf-trace", "BMF_TRACE", true, apply_trace},
    {"--bmf-schedule", "BMF_SCHEDULE", true, apply_schedule},
    {"--bmf-costs", "BMF_COSTS", true, apply_costs},
    {"--bmf-plan", "BMF_PLAN", false, apply_plan},
    {"--bmf-free", "BMF_FREE", false, apply_free},
    {"--bmf-machine", "BMF_MACHINE", true, apply_machine},
    {"--bmf-ranks", "BMF_RANKS", true, apply_ranks},
    {"--bmf-machine-set", "BMF_MACHINE_SET", true, apply_machine_changes},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

/* The option an argument names: "--bmf-x" or "--bmf-x=value" (then *value is set). */
static const option *option_of(const char *argument, const char **value)
{
    for (int k = 0; k < OPTIONS; k++) {
        size_t length = strlen(options[k].name);
        if (strncmp(argument, options[k].name, length) != 0)
            continue;
        if (argument[length] == '\0' || (argument[length] == '=' && options[k].has_value)) {
            *value = argument[length] ? argument + length + 1 : NULL;
            return &options[k];
        }
    }
    return NULL;
}

static int read_arguments(bmf_context *ctx, int *argc, char **argv)
{
    int kept = 1, i = 1, status = BMF_OK;
    for (; i < *argc && strcmp(argv[i], "--") != 0 && status == BMF_OK; i++) {
        const char *value = NULL;
        if (strncmp(argv[i], "--bmf-", 6) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        const option *found = option_of(argv[i], &value);
        if (!found)
            return bmf_fail(ctx, BMF_ERROR_USAGE,
                            "unknown option '%s' (known: --bmf-procs, --bmf-threads, --bmf-trace, --bmf-schedule, "
                            "--bmf-costs, --bmf-plan, --bmf-free, --bmf-machine, --bmf-ranks)",
                            argv[i]);
        if (found->has_value && !value) {
            if (i + 1 >= *argc)
                return bmf_fail(ctx, BMF_ERROR_USAGE, "%s needs a value", argv[i]);
            value = argv[++i];
        }
        status = found->apply(ctx, found->name, value ? value : "1");
    }
    for (; i < *argc; i++)
        argv[kept++] = argv[i];
    argv[kept] = NULL;
    *argc = kept;
    return status;
}

static int read_environment(bmf_context *ctx)
{
    for (int k = 0; k < OPTIONS; k++) {
        const char *value = getenv(options[k].variable);
        if (value)
            BMF_TRY(options[k].apply(ctx, options[k].variable, value));
    }
    return BMF_OK;
}

/* ---- the members of bmf_options ---- */

static int check_number(bmf_context *ctx, const char *member, int64_t value, int64_t largest)
{
    if (value >= 0 && value <= largest)
        return BMF_OK;
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                    "bmf_options.%s is from 1 to %" PRId64 ", or 0 for the default, not %" PRId64, member, largest,
                    value);
}

static int apply_members(bmf_context *ctx, const bmf_options *o)
{
    BMF_TRY(check_number(ctx, "processors", o->processors, BMF_MAX_PROCESSORS));
    BMF_TRY(check_number(ctx, "threads", o->threads, BMF_MAX_THREADS));
    BMF_TRY(check_number(ctx, "ranks", o->ranks, BMF_MAX_PROCESSORS));
    if (o->processors)
        ctx->processors = o->processors;
    if (o->threads)
        ctx->threads = o->threads;
    if (o->ranks)
        ctx->imitated_ranks = o->ranks;
    if (o->reassociate)
        ctx->reproducible = false;
    if (o->plan)
        ctx->plan = o->plan;
    if (o->trace)
        BMF_TRY(apply_trace(ctx, "bmf_options.trace", o->trace));
    if (o->machine)
        BMF_TRY(apply_machine(ctx, "bmf_options.machine", o->machine));
    if (o->costs)
        BMF_TRY(apply_costs(ctx, "bmf_options.costs", o->costs));
    return o->schedule ? apply_schedule(ctx, "bmf_options.schedule", o->schedule) : BMF_OK;
}

int options_copy(const bmf_options *given, bmf_options *copy)
{
    *copy = bmf_options_init();
    if (!given)
        return BMF_OK;
    if (given->size < sizeof given->size)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "bmf_options.size is not set; begin with bmf_options_init()");
    /* Of a program that was compiled with an older header there is less, with a newer one more. */
    for (size_t k = sizeof *copy; k < given->size; k++)
        if (((const char *)given)[k])
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "bmf_options has a member that this version of bmf does not know");
    memcpy(copy, given, given->size < sizeof *copy ? given->size : sizeof *copy);
    return BMF_OK;
}

int options_apply(bmf_context *ctx, const bmf_options *o)
{
    bool arguments = o->argc && o->argv;
    name_program(ctx, o->program ? o->program : arguments && *o->argc > 0 ? (*o->argv)[0] : "program");
    if (!o->ignore_environment)
        BMF_TRY(read_environment(ctx));
    BMF_TRY(apply_members(ctx, o));
    return arguments ? read_arguments(ctx, o->argc, *o->argv) : BMF_OK;
}
