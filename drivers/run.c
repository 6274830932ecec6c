/* bmf run: runs a program of the language. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "drivers/commands.h"
#include "drivers/program_options.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "bmf/npy.h"

enum { LARGEST_VALUE = 1 << 20 };

static void print_help(void)
{
    puts("usage: mpirun -n R bmf run PROG.bmf [OPTION]..\n"
         "\n"
         "Runs a program of the BMF language and prints its value.\n"
         "\n"
         "  --library F   a file of definitions $name = expression; may be given "
         "several times\n"
         "  --arg F       the argument: a .npy file (read in parallel if the "
         "program splits it first) or data as text;\n"
         "                default: the data at the end of the program\n"
         "  --procs P     processors of the machine; default: the ranks, or as "
         "many as the program splits over\n"
         "  --out F.npy   write the value, a list, to a file instead of printing it; every rank writes its parts if "
         "the\n"
         "                program ends with P_Reduce (B_Op (B_Conc)), which is then left out\n"
         "  --trace F     record a trace (see bmf trace, bmf convert)\n"
         "  --free        allow laws that associate sums of reals anew\n"
         "  --stats       say on standard error how long it took and what was "
         "sent\n"
         "  --json        print one JSON object: value (up to 1 MB), type, "
         "seconds, messages, bytes, ..\n"
         "  --bmf-threads T, --bmf-schedule LIST, --bmf-plan   as for every "
         "program of bmf\n"
         "  --help        this text\n"
         "\n"
         "Example: echo 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map "
         "(B_Op (B_Times) . B_Alltup [B_Id, B_Id])\n"
         "               [1, 2, 3]' > squares.bmf && mpirun -n 2 bmf run "
         "squares.bmf");
}

typedef struct outcome {
    bmf_statistics sent;
    double seconds;
    int64_t peak_rss; /* of the largest rank */
    const bmf_type *type;
    char *text; /* on rank 0; NULL: too long */
} outcome;

/* ---- the value ---- */

/* Shortest text of element i: two characters a scalar. */
static int64_t least_text(const bmf_column *column)
{
    int64_t least = 2 * column->count;
    for (int k = 0; k < column->type->components; k++)
        least += least_text(&column->child[k]);
    return least;
}

static int print_value(bmf_context *ctx, const bmf_column *column, bool json, char **text)
{
    *text = NULL;
    if (!bmf_is_root(ctx))
        return BMF_OK;
    if (!json) {
        data_print(column, 0, stdout);
        putchar('\n');
        return BMF_OK;
    }
    size_t size = 0;
    FILE *stream = least_text(column) > 2 * LARGEST_VALUE ? NULL : open_memstream(text, &size);
    if (stream == NULL)
        return BMF_OK;
    data_print(column, 0, stream);
    fclose(stream);
    if (size > LARGEST_VALUE) {
        free(*text);
        *text = NULL;
    }
    return BMF_OK;
}

static int write_value(bmf_context *ctx, bmf_value *result, const char *path)
{
    bmf_list *list = NULL;
    int status = program_list(ctx, result, &list);
    if (status == BMF_OK)
        status = bmf_npy_write(list, path);
    bmf_list_free(list);
    return status;
}

/* ---- running ---- */

static int find_peak(bmf_context *ctx, int64_t *peak)
{
    struct rusage usage;
    double largest;
    getrusage(RUSAGE_SELF, &usage);
    BMF_TRY(bmf_max_seconds(ctx, (double)usage.ru_maxrss, &largest));
    *peak = (int64_t)largest * 1024;
    return BMF_OK;
}

static int run_program(bmf_context *ctx, const bmf_driver_options *o, bmf_program *program, outcome *out)
{
    bmf_value result = {0};
    bmf_column column = {0};
    BMF_TRY(bmf_load_program(ctx, o, program));
    out->type = program->checked->out;
    program->keep_parts = o->out != NULL;
    program_rewrite(program, &(bmf_rewriting){.laws = ~0u, .free_association = !bmf_is_reproducible(ctx)});
    BMF_TRY(program_run(ctx, program, &result));
    out->seconds = program->seconds;
    BMF_TRY(bmf_total_statistics(ctx, &out->sent));
    if (o->out != NULL) {
        BMF_TRY(write_value(ctx, &result, o->out));
        return find_peak(ctx, &out->peak_rss);
    }
    BMF_TRY(find_peak(ctx, &out->peak_rss));
    BMF_TRY(program_gather(ctx, &result, &column));
    int status = print_value(ctx, &column, o->json, &out->text);
    column_free(&column);
    return status;
}

static void print_json(bmf_context *ctx, const outcome *out)
{
    char type[4096];
    putchar('{');
    if (out->text != NULL)
        printf("\"value\": \"%s\", ", out->text);
    printf("\"type\": \"%s\", \"seconds\": %.9g, \"processors\": %" PRId64 ", \"ranks\": %d, \"threads\": %d, "
           "\"messages\": %" PRId64 ", \"bytes\": %" PRId64 ", \"rank_messages\": %" PRId64 ", \"rank_bytes\": %" PRId64
           ", \"peak_rss_bytes\": %" PRId64 "}\n",
           bmf_type_print(out->type, type, sizeof type), out->seconds, bmf_processors(ctx), bmf_ranks(ctx),
           bmf_threads(ctx), out->sent.messages, out->sent.bytes, out->sent.rank_messages, out->sent.rank_bytes,
           out->peak_rss);
}

static void print_stats(bmf_context *ctx, const outcome *out)
{
    fprintf(stderr,
            "%.6g s on %" PRId64 " processor%s, %d rank%s of %d thread%s; %" PRId64 " messages, %" PRId64
            " bytes (%" PRId64 " messages, %" PRId64 " bytes between ranks); at most %.3g MB a rank\n",
            out->seconds, bmf_processors(ctx), bmf_processors(ctx) == 1 ? "" : "s", bmf_ranks(ctx),
            bmf_ranks(ctx) == 1 ? "" : "s", bmf_threads(ctx), bmf_threads(ctx) == 1 ? "" : "s", out->sent.messages,
            out->sent.bytes, out->sent.rank_messages, out->sent.rank_bytes, (double)out->peak_rss * 1e-6);
}

static int run(bmf_context *ctx, const bmf_driver_options *o)
{
    bmf_program program = {0};
    outcome out = {0};
    int status = run_program(ctx, o, &program, &out);
    int code = bmf_report_program(ctx, status);
    if (code == 0 && bmf_is_root(ctx)) {
        if (o->json)
            print_json(ctx, &out);
        code = bmf_finish_output();
        if (o->stats)
            print_stats(ctx, &out);
    }
    free(out.text);
    program_free(&program);
    return code;
}

int bmf_command_run(int argc, char **argv)
{
    bmf_driver_options o;
    bmf_context *ctx;
    if (bmf_open_program(&argc, &argv, &ctx) != BMF_OK)
        return bmf_report(BMF_ERROR_USAGE);
    int code = bmf_read_program_options("run", argc, argv, &o);
    if (code == 0 && o.help && bmf_is_root(ctx))
        print_help();
    else if (code == 0 && !o.help) {
        name_program(ctx, o.program.path);
        code = run(ctx, &o);
    }
    int closed = bmf_close(ctx);
    return code != 0 ? code : closed;
}
