/* bmf doctor: what is wrong or slow here, and how to mend it. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/doctor/checks.h"
#include "runtime/backend/backend.h"
#include "runtime/base/memory_limit.h"
#include "runtime/base/shared_memory.h"

typedef struct options {
    const char *root;
    bool json;
} options;

static const struct {
    const char *subject;
    bmf_check *look;
} checks[] = {
    {"MPI library", check_library},   {"mpirun", check_mpirun},           {"job", check_job},
    {"cores", check_cores},           {"binding", check_binding},         {"OpenMP waiting", check_wait_policy},
    {"transports", check_transports}, {"environment", check_variables},   {"clock", check_clock},
    {"frequency", check_frequency},   {"huge pages", check_huge_pages},   {"direct copies", check_direct_copies},
    {"memory", check_memory},         {"this directory", check_directory}};

enum { CHECKS = sizeof checks / sizeof checks[0] };

static const char *const verdicts[] = {"fine", "slow", "wrong"};

/* ---- findings ---- */

static void set(bmf_finding *f, bmf_verdict verdict, const char *remedy, const char *format, va_list arguments)
{
    f->verdict = verdict;
    vsnprintf(f->found, sizeof f->found, format, arguments);
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
}

void fine(bmf_finding *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(f, BMF_FINE, "", format, arguments);
    va_end(arguments);
}

void slow(bmf_finding *f, const char *remedy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(f, BMF_SLOW, remedy, format, arguments);
    va_end(arguments);
}

void wrong(bmf_finding *f, const char *remedy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(f, BMF_WRONG, remedy, format, arguments);
    va_end(arguments);
}

static int count_of(const bmf_finding *found, bmf_verdict verdict)
{
    int count = 0;
    for (int k = 0; k < CHECKS; k++)
        count += found[k].verdict == verdict;
    return count;
}

/* ---- looking ---- */

static bmf_examination examine(const bmf_context *ctx, const options *o)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const bool known = sched_getaffinity(0, sizeof cores, &cores) == 0;
    return (bmf_examination){.root = o->root,
                             .ranks = ctx->ranks,
                             .here = ctx->node_ranks,
                             .cores = ctx->node_cores,
                             .threads = ctx->threads,
                             .own_cores = known ? CPU_COUNT(&cores) : ctx->node_cores,
                             .memory = machine_memory(),
                             .memory_limit = memory_limit()};
}

static void look(const bmf_examination *e, bmf_finding found[CHECKS])
{
    for (int k = 0; k < CHECKS; k++) {
        found[k] = (bmf_finding){.subject = checks[k].subject};
        checks[k].look(e, &found[k]);
    }
}

/* ---- telling ---- */

static void print_table(const bmf_finding *found)
{
    for (int k = 0; k < CHECKS; k++) {
        printf("%-5s  %-14s  %s\n", verdicts[found[k].verdict], found[k].subject, found[k].found);
        if (found[k].remedy[0])
            printf("%23s-> %s\n", "", found[k].remedy);
    }
    const int bad = count_of(found, BMF_WRONG), poor = count_of(found, BMF_SLOW);
    if (bad + poor > 0)
        printf("\n%d wrong, %d slow\n", bad, poor);
    else
        puts("\nnothing is wrong");
}

static int print_object(const bmf_finding *found)
{
    json_t *list = json_array();
    for (int k = 0; k < CHECKS; k++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "subject", found[k].subject, "verdict",
                                              verdicts[found[k].verdict], "found", json_text(found[k].found), "remedy",
                                              found[k].remedy[0] ? json_text(found[k].remedy) : json_null()));
    return json_print(json_pack("{s:i, s:i, s:o}", "wrong", count_of(found, BMF_WRONG), "slow",
                                count_of(found, BMF_SLOW), "findings", list),
                      BMF_JSON_INDENT);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bmf_finding found[CHECKS];
    (void)operands;
    if (!bmf_is_root(ctx))
        return 0;
    const bmf_examination e = examine(ctx, o);
    look(&e, found);
    const int code = o->json ? print_object(found) : (print_table(found), 0);
    return code ? code : count_of(found, BMF_WRONG) > 0;
}

static const options defaults = {.root = ""};

static const bmf_option option_table[] = {
    BMF_OPTION("root", "DIR", BMF_TEXT(options, root),
               "reads /proc and /sys below DIR, such as copies of another machine's"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "prints one JSON object"), BMF_OPTION_END};

const bmf_driver doctor_command = {
    .name = "doctor",
    .summary = "look at this machine and MPI: what is wrong or slow, and the remedy",
    .synopsis = "bmf doctor [OPTION..]\n" BMF_MPIRUN_NAME " -n R bmf doctor [OPTION..]",
    .about =
        "Looks at the MPI library and its launcher, ranks, threads and cores, the environment, and the host of rank "
        "0, and prints a line for each: `fine`, `slow` or `wrong`, what was found, and how to mend it. Start it as "
        "you start your program: under mpirun or srun with as many ranks, in the same job.",
    .example = BMF_MPIRUN_NAME " -n 4 bmf doctor",
    .exit_code = "1 also if something is wrong.",
    .see = "bmf-run",
    .max_operands = 0,
    .options = option_table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof(options),
    .run = run,
};
