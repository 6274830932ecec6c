/* bmf run: runs a program of the language. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/program_options.h"
#include "predict/machine/machine.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/files/format.h"

enum { LARGEST_VALUE = 1 << 20 };

typedef struct outcome {
    const bmf_program *program;
    const bmf_type *type;
    char *text; /* on rank 0; NULL: too long */
} outcome;

/* ---- the value ---- */

/* Shortest text of element i: two characters a scalar. */
static int64_t min_text(const bmf_column *column)
{
    int64_t min = 2 * column->count;
    for (int k = 0; k < column->type->components; k++)
        min += min_text(&column->child[k]);
    return min;
}

static int print_value(bmf_context *ctx, const bmf_column *column, const bmf_type *type, bool json, char **text)
{
    *text = NULL;
    if (!bmf_is_root(ctx))
        return BMF_OK;
    if (!json) {
        data_print_as(column, type, 0, stdout);
        putchar('\n');
        return BMF_OK;
    }
    size_t size = 0;
    FILE *stream = min_text(column) > 2 * LARGEST_VALUE ? NULL : open_memstream(text, &size);
    if (!stream)
        return BMF_OK;
    data_print_as(column, type, 0, stream);
    fclose(stream);
    if (size > LARGEST_VALUE) {
        free(*text);
        *text = NULL;
    }
    return BMF_OK;
}

static int write_value(bmf_context *ctx, bmf_value *result, const bmf_type *type, const char *path)
{
    bmf_list *list = NULL;
    int status = program_list(ctx, result, &list);
    if (status == BMF_OK)
        status = data_file_write_as(list, path, type);
    bmf_list_free(list);
    return status;
}

/* ---- by which costs ---- */

/* The table of costs that a machine's file names, as text, which the caller frees. */
static int machine_costs_text(const char *name, char **text, int64_t *size)
{
    bmf_machine *machine;
    BMF_TRY(machine_read(name, &machine));
    int status = machine->costs_path
                     ? costs_load(machine->costs_path, text, size)
                     : bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                                "%.300s names no costs to choose algorithms by: schedules = \"FILE\", which "
                                "`bmf sheet schedules -o FILE` writes",
                                machine->path);
    machine_free(machine);
    return status;
}

static int choose_by_machine(bmf_context *ctx, const char *name)
{
    char *text = NULL;
    int64_t size = 0;
    int status = bmf_is_root(ctx) ? machine_costs_text(name, &text, &size) : BMF_OK;
    if (status != BMF_OK)
        status = bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    status = costs_share(ctx, status, name, text, size);
    free(text);
    return status;
}

/* ---- running ---- */

static int run_program(bmf_context *ctx, const bmf_driver_options *o, const char *path, bmf_program *program,
                       outcome *out)
{
    bmf_value result = {0};
    bmf_column column = {0};
    if (o->machine)
        BMF_TRY(choose_by_machine(ctx, o->machine));
    BMF_TRY(load_program(ctx, o, path, program));
    out->type = program->value_type;
    program->keep_parts = o->out;
    program_rewrite(program, &(bmf_rewriting){.laws = ~0u, .reassociate = !bmf_is_reproducible(ctx)});
    BMF_TRY(o->out ? program_run(ctx, program, &result) : program_value(ctx, program, &column));
    if (o->out)
        return write_value(ctx, &result, out->type, o->out);
    int status = print_value(ctx, &column, out->type, o->json, &out->text);
    column_free(&column);
    return status;
}

/* How often each algorithm was chosen; NULL: nothing says by which costs. */
static json_t *algorithms_json(const bmf_context *ctx)
{
    if (!ctx->costs)
        return NULL;
    json_t *object = json_object();
    char name[80];
    for (int k = 0; k < BMF_ALGORITHMS; k++)
        if (ctx->times_chosen[k] > 0) {
            snprintf(name, sizeof name, "%s %s", algorithms[k]->skeleton, algorithms[k]->name);
            json_object_set_new(object, name, json_integer((json_int_t)ctx->times_chosen[k]));
        }
    return object;
}

static int print_json(bmf_context *ctx, const outcome *out)
{
    const bmf_program *program = out->program;
    char type[4096];
    bmf_type_print(out->type, type, sizeof type);
    return json_print(
        json_pack("{s:s*, s:s, s:f, s:I, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o*}", "value", out->text, "type", type,
                  "seconds", program->seconds, "processors", (json_int_t)bmf_processors(ctx), "ranks", bmf_ranks(ctx),
                  "threads", bmf_threads(ctx), "messages", (json_int_t)program->sent.messages, "bytes",
                  (json_int_t)program->sent.bytes, "rank_messages", (json_int_t)program->sent.rank_messages,
                  "rank_bytes", (json_int_t)program->sent.rank_bytes, "peak_rss_bytes", (json_int_t)program->peak_bytes,
                  "algorithms", algorithms_json(ctx)),
        BMF_JSON_LINE);
}

/* What follows a word of which there are so many. */
static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_stats(bmf_context *ctx, const bmf_program *program)
{
    const int64_t processors = bmf_processors(ctx);
    const int ranks = bmf_ranks(ctx), threads = bmf_threads(ctx);
    const bmf_statistics *sent = &program->sent;
    fprintf(stderr,
            "%.6g s on %" PRId64 " processor%s, %d rank%s of %d thread%s; %" PRId64 " message%s, %" PRId64
            " byte%s (%" PRId64 " message%s, %" PRId64 " byte%s between ranks); at most %.3g MB a rank\n",
            program->seconds, processors, plural(processors), ranks, plural(ranks), threads, plural(threads),
            sent->messages, plural(sent->messages), sent->bytes, plural(sent->bytes), sent->rank_messages,
            plural(sent->rank_messages), sent->rank_bytes, plural(sent->rank_bytes),
            (double)program->peak_bytes * 1e-6);
}

static void print_choices(const bmf_context *ctx)
{
    const char *between = ": ";
    fprintf(stderr, "algorithms by %s", cost_table_name(ctx->costs));
    for (int k = 0; k < BMF_ALGORITHMS; k++)
        if (ctx->times_chosen[k] > 0) {
            fprintf(stderr, "%s%s %s %" PRId64, between, algorithms[k]->skeleton, algorithms[k]->name,
                    ctx->times_chosen[k]);
            between = ", ";
        }
    fputs(*between == ':' ? ": no choice was made\n" : "\n", stderr);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_driver_options *o = values;
    const char *path = operands->text[0];
    bmf_program program = {0};
    outcome out = {.program = &program};
    name_program(ctx, path);
    int code = report_status(ctx, run_program(ctx, o, path, &program, &out));
    if (code == 0 && bmf_is_root(ctx)) {
        code = o->json ? print_json(ctx, &out) : finish_output();
        if (o->stats && code == 0)
            print_stats(ctx, &program);
        if (o->stats && code == 0 && ctx->costs)
            print_choices(ctx);
    }
    free(out.text);
    program_free(&program);
    return code;
}

static const bmf_option options[] = {
    BMF_LIBRARY_OPTION,
    BMF_OPTION(
        "arg", "FILE", BMF_LIST(bmf_driver_options, argument),
        "the argument: a data file (x.npy, x.npz:NAME, x.csv:COLUMNS, x.raw:TYPE, x.h5:/NAME; docs/data.md), read in "
        "parallel if the program splits it first, a file of data as text (.bmfdata), or data, 1000 or '[1.5, 2]'; "
        "several: a tuple; NAME=.. for the parameter NAME of main; default: the data at the end of the program"),
    BMF_OPTION("procs", "P", BMF_WHOLE(bmf_driver_options, processors, 1, BMF_MAX_PROCESSORS),
               "processors of the machine; default: the ranks, or as many as the program splits over"),
    BMF_OPTION("out", "FILE", BMF_TEXT(bmf_driver_options, out),
               "write the value, a list, to a data file instead of printing it; every rank writes its parts if the "
               "program ends with `P_Reduce (B_Op (B_Conc))`, which is then left out"),
    BMF_OPTION("machine", "M", BMF_TEXT(bmf_driver_options, machine),
               "choose algorithms by the measured costs that this machine's file names (`schedules`); default: by the "
               "table of --bmf-costs or BMF_COSTS, or else by fixed constants"),
    BMF_OPTION("trace", "FILE", BMF_CONTEXT, "record a trace (see `bmf trace`, `bmf convert`)"),
    BMF_FREE_OPTION,
    BMF_OPTION("stats", NULL, BMF_FLAG(bmf_driver_options, stats),
               "say on standard error how long it took, what was sent, how much memory it took, and, with costs to "
               "choose by, which algorithms were chosen how often"),
    BMF_OPTION(
        "json", NULL, BMF_FLAG(bmf_driver_options, json),
        "print one JSON object instead: value (as text; left out above 1 MB), type, seconds, processors, ranks, "
        "threads, messages and bytes (between processors), rank_messages and rank_bytes (what really crossed between "
        "ranks), peak_rss_bytes, and, with costs to choose by, algorithms: how often each was chosen"),
    BMF_OPTION_END};

const bmf_driver run_command = {
    .name = "run",
    .summary = "run a program of the BMF language",
    .synopsis = BMF_MPIRUN_NAME " -n R bmf run PROG.bmf [OPTION]..\nbmf run PROG.bmf [OPTION]..",
    .about = "Runs a program of the BMF language and prints its value.",
    .example = "echo 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])\n"
               "      [1, 2, 3]' > squares.bmf && " BMF_MPIRUN_NAME " -n 2 bmf run squares.bmf\n" BMF_MPIRUN_NAME
               " -n 4 bmf run examples/17-histogram.bmf --arg digits.npy --json\n" BMF_MPIRUN_NAME
               " -n 4 bmf run prog.bmf --library lib.bmf --arg in.npy --out out.npy",
    .exit_code = "2 is also a program with an error, or that fails on this argument (an index outside its list, an int "
                 "that does not fit 64 bits, ints divided by zero, ..).",
    .see = "bmf-check, bmf-plan",
    .note = "--bmf-threads T, --bmf-schedule LIST, --bmf-costs FILE, --bmf-plan are understood too, as by every "
            "program of bmf.",
    .options = options,
    BMF_PROGRAM_OPERAND,
    .parallel = true,
    .size = sizeof(bmf_driver_options),
    .run = run};
