/* bmf machine make: a machine file for data sheets that were measured, or for a parameter file of the Predictor. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/mpirun.h"
#include "drivers/machine/machine.h"
#include "predict/machine/machine.h"
#include "runtime/convert/output.h"

#define NO_OUTPUT "no machine file to write; use -o M"

typedef bmf_machine_making options;

/* ---- the file's text ---- */

void machine_put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const char *c = text; *c; c++)
        fprintf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', to);
}

/* The file's path as seen from the directory of the machine file: relative if it is in or below it. */
static void put_path(FILE *to, const char *path, const char *machine)
{
    char directory[PATH_MAX], full[PATH_MAX], folder[PATH_MAX];
    const char *slash = strrchr(machine, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - machine) + 1 : 1, slash ? machine : ".");
    const char *shown = path;
    if (realpath(path, full) && realpath(directory, folder)) {
        const size_t length = strlen(folder);
        shown = strncmp(full, folder, length) == 0 && full[length] == '/' ? full + length + 1 : full;
    }
    machine_put_text(to, shown);
}

static void put_powers(FILE *to, const bmf_machine_powers *powers, bool work_is_known)
{
    fprintf(to, "power = %.10g", powers->computing);
    if (work_is_known)
        fprintf(to, "; memory_power = %.10g; random_power = %.10g", powers->memory, powers->random);
}

/* title: of the sheet; powers NULL: those of the host; work_is_known: of kernels, and the memory of the host; levels
 * NULL: the network is the sheet's. */
static void put_machine(FILE *to, const options *o, const char *title, const bmf_machine_powers *powers,
                        bool work_is_known, const bmf_machine_levels *levels)
{
    fputs("# A machine whose messages, and computing if a sheet of kernels is named, were measured. See "
          "docs/machines.md.\n",
          to);
    fputs("name = ", to);
    machine_put_text(to, o->name ? o->name : title[0] ? title : "measured");
    fputs(";\n", to);
    if (o->processors > 0)
        fprintf(to, "processors = %lld;\n", (long long)o->processors);
    if (o->schedules) {
        fputs("schedules = ", to);
        put_path(to, o->schedules, o->out);
        fputs(";\n", to);
    }
    if (powers || levels)
        fprintf(to, "relative_error = %.10g;\n", powers ? powers->relative_error : levels->relative_error);
    fputs("compute = { ", to);
    if (o->kernels) {
        fputs("sheet = ", to);
        put_path(to, o->kernels, o->out);
        if (o->sharing > 0)
            fprintf(to, "; sharing = %lld", (long long)o->sharing);
        for (int64_t k = 0; k < o->threaded_count; k++) {
            fprintf(to, "%s{ threads = %lld; sheet = ", k > 0 ? ", " : "; threaded = (",
                    (long long)o->threaded[k].threads);
            put_path(to, o->threaded[k].path, o->out);
            fputs(k + 1 < o->threaded_count ? "; }" : "; })", to);
        }
        if (powers)
            fputs("; ", to);
    }
    if (powers)
        put_powers(to, powers, work_is_known);
    else if (!o->kernels)
        fputs("power = 1.0", to);
    fputs("; };\n", to);
    if (o->node > 0)
        fprintf(to, "node = { processors = %lld; };\n", (long long)o->node);
    if (!o->sheet) {
        fputs("network = { type = \"fixed\"; };\n", to);
        return;
    }
    if (levels) {
        machine_put_levels(to, o, levels);
        return;
    }
    fputs("network = { type = \"sheet\"; sheet = ", to);
    put_path(to, o->sheet, o->out);
    fprintf(to, "%s%s; };\n", o->single_ports ? "; ports = \"single\"" : "", o->congested ? "; congested = true" : "");
}

/* Nothing is written unless the machine is right. */
static int write_machine(const options *o, char *text)
{
    bmf_machine *machine;
    bmf_output out;
    BMF_TRY(machine_parse(text, o->out, &machine));
    machine_free(machine);
    int status = output_open(NULL, &out, o->out);
    if (status == BMF_OK)
        output_text(&out, text);
    return output_close(NULL, &out, status);
}

/* The text of a machine of sheets, which the caller frees. */
static int make_text(const options *o, char **text)
{
    bmf_sheet *sheet = NULL, *kernels = NULL;
    bmf_machine_powers powers;
    bmf_machine_levels levels;
    size_t size;
    *text = NULL;
    if (o->inside)
        BMF_TRY(machine_find_levels(o, &levels));
    if (o->probe && o->kernels)
        BMF_TRY(sheet_read(o->kernels, &kernels));
    const bool work_is_known = kernels && kernels->memory.curves > 0;
    sheet_free(kernels);
    if (o->probe)
        BMF_TRY(machine_read_powers(o->probe, o->target, work_is_known, &powers));
    if (o->sheet)
        BMF_TRY(sheet_read(o->sheet, &sheet));
    FILE *to = open_memstream(text, &size);
    if (to) {
        put_machine(to, o, sheet ? sheet->title : "", o->probe ? &powers : NULL, work_is_known,
                    o->inside ? &levels : NULL);
        fclose(to);
    }
    sheet_free(sheet);
    return *text ? BMF_OK : bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the file's text");
}

int machine_make(const options *o)
{
    char *text;
    BMF_TRY(o->dvm ? machine_make_dvm(o, &text) : o->osu.count > 0 ? machine_make_osu(o, &text) : make_text(o, &text));
    const int status = write_machine(o, text);
    free(text);
    return status;
}

/* The sheets' options have no meaning for a parameter file. */
static int check_usage(const options *o)
{
    if (strcmp(o->out, "-") == 0)
        return usage_error(NO_OUTPUT);
    if (o->osu.count > 0 &&
        (o->dvm || o->sheet || o->inside || o->kernels || o->probe || o->single_ports || o->congested))
        return usage_error("a machine is made from --osu F alone; edit its file to name sheets of kernels");
    if (o->osu.count > 0)
        return o->sharing > 0 ? usage_error("--sharing goes with --kernels") : 0;
    if (!o->dvm == !o->sheet)
        return usage_error(o->dvm ? "a machine is made from a sheet or from --dvm F, not from both" : "no sheet");
    if (o->dvm && (o->kernels || o->single_ports || o->congested))
        return usage_error("--kernels, --single-ports and --congested go with a sheet, not with --dvm");
    if (!o->inside != !o->per_node)
        return usage_error("--inside SHEET and --per-node K go together");
    if (o->inside && (o->dvm || o->probe || o->single_ports || o->congested))
        return usage_error("--inside goes with two sheets, without --dvm, --probe, --single-ports and --congested");
    if (!o->probe != !o->target)
        return usage_error("--probe HERE and --target THERE go together");
    if (o->dvm && o->probe)
        return usage_error("--probe and --target go with a sheet, not with --dvm");
    if (o->sharing > 0 && !o->kernels)
        return usage_error("--sharing goes with --kernels");
    return 0;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    o->sheet = operands->count > 0 ? operands->text[0] : NULL;
    const int wrong = check_usage(o);
    return wrong ? wrong : report_status(ctx, machine_make(o));
}

static const bmf_option table[] = {
    BMF_OPTION("output", "M", BMF_TEXT(options, out), "the machine file to write", .letter = 'o', .missing = NO_OUTPUT),
    BMF_OPTION(
        "kernels", "KSHEET", BMF_TEXT(options, kernels),
        "computing times, of `bmf sheet kernels`; without it kernels are run and timed where the prediction is made"),
    BMF_OPTION("inside", "SHEET", BMF_TEXT(options, inside),
               "messages inside a node; SHEET is then of those between two nodes, and processors of a node share its "
               "link"),
    BMF_OPTION("per-node", "K", BMF_WHOLE(options, per_node, 1, INT32_MAX), "processors of a node, with --inside"),
    BMF_OPTION("dvm", "F", BMF_TEXT(options, dvm),
               "instead of a sheet: a parameter file of the Predictor of DVM programs (Predictor.par)"),
    BMF_OPTION(
        "osu", "F", BMF_LIST(options, osu),
        "instead of a sheet: the output of osu_latency, osu_bw or the PingPong of the Intel MPI Benchmarks between "
        "two nodes; may be given several times"),
    BMF_OPTION("sharing", "S", BMF_WHOLE(options, sharing, 1, INT32_MAX),
               "processors that share a memory, for KSHEET; default: 1"),
    BMF_OPTION("probe", "HERE", BMF_TEXT(options, probe),
               "for another machine: what `bmf-bench machine --json` wrote where kernels are timed"),
    BMF_OPTION("target", "THERE", BMF_TEXT(options, target), "and what it, or its C file alone, wrote there"),
    BMF_OPTION("name", "TEXT", BMF_TEXT(options, name), "the machine's name; default: the sheet's title, or dvm"),
    BMF_OPTION("procs", "P", BMF_WHOLE(options, processors, 1, BMF_MAX_PROCESSORS),
               "the most processors; default: any number"),
    BMF_OPTION("single-ports", NULL, BMF_FLAG(options, single_ports),
               "messages take turns at their senders and receivers: processors on hosts of their own"),
    BMF_OPTION("congested", NULL, BMF_FLAG(options, congested), "messages take at least what the entry `allsend` says"),
    BMF_OPTION_END};

const bmf_driver machine_make_command = {
    .name = "make",
    .summary = "write a machine file for measured data sheets, or for a Predictor.par",
    .synopsis = "bmf machine make SHEET -o M [--kernels KSHEET [--sharing S]] [--name TEXT] [--procs P]\n"
                "  [--single-ports] [--congested] [--probe HERE --target THERE]\n"
                "bmf machine make SHEET --inside SHEET --per-node K -o M [--kernels KSHEET [--sharing S]]\n"
                "  [--name TEXT] [--procs P]\n"
                "bmf machine make --dvm F -o M [--name TEXT] [--procs P]\n"
                "bmf machine make --osu F [--osu F].. -o M [--name TEXT] [--procs P]",
    .about =
        "Writes a machine file whose messages take what the point-to-point entries of SHEET say. Without a sheet of "
        "kernels computing is run and timed where the prediction is made. The file is checked before it is written; it "
        "names the sheets relative to itself where they are in or below its directory. With --inside it is one of "
        "nodes with several processors: latency and bandwidth of both levels are those of the sheets. With --dvm F the "
        "machine is that of a parameter file: a bus or a grid of transputers, start-up time, time for a byte, power, "
        "topology. With "
        "--osu F its network is what the OSU "
        "or Intel benchmarks measured between two nodes: a latency, a bandwidth, and how far the times in between are "
        "from "
        "that.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf sheet measure --ops point-to-point,allreduce -o here.raw\n"
                               "bmf sheet fit here.raw -o here.sheet\n"
                               "bmf machine make here.sheet -o here.machine\n"
                               "bmf machine make here.sheet --probe here.json --target there.json -o there.machine\n"
                               "bmf machine make network.sheet --inside node.sheet --per-node 64 -o two.machine\n"
                               "bmf machine make --dvm Predictor.par -o cluster.machine\n"
                               "bmf machine make --osu osu_latency.txt --osu osu_bw.txt -o cluster.machine",
    .options = table,
    .min_operands = 0,
    .max_operands = 1,
    .surplus = "too many arguments",
    .size = sizeof(options),
    .run = run};
