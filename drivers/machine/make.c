/* bmf machine make: a machine file for data sheets that were measured. */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/convert/output.h"
#include "drivers/commands.h"
#include "drivers/machine/machine.h"
#include "predict/machine/machine.h"

typedef struct options {
    const char *sheet, *kernels, *out, *name;
    int64_t processors, sharing; /* 0: not said */
    bool congested, single_ports, help;
} options;

static void print_help(void)
{
    puts("usage: bmf machine make SHEET -o M [--kernels KSHEET [--sharing S]] [--name TEXT] [--procs P]\n"
         "                        [--single-ports] [--congested]\n"
         "\n"
         "Writes a machine file whose messages take what the point-to-point entries of SHEET say. Without a sheet of "
         "kernels\n"
         "computing is run and timed where the prediction is made. The file is checked before it is written; it names "
         "the\n"
         "sheets relative to itself where they are in or below its directory.\n"
         "\n"
         "  -o M              the machine file to write\n"
         "  --kernels KSHEET  computing times, of `bmf sheet kernels`\n"
         "  --sharing S       processors that share a memory, for KSHEET; default: 1\n"
         "  --name TEXT       default: the sheet's title\n"
         "  --procs P         the most processors; default: any number\n"
         "  --single-ports    messages take turns at their senders and receivers: processors on hosts of their own\n"
         "  --congested       messages take at least what the entry 'allsend' says\n"
         "  --help            this text\n"
         "\n"
         "Example:\n"
         "  mpirun -n 2 bmf sheet measure --ops point-to-point,allreduce -o here.raw\n"
         "  bmf sheet fit here.raw -o here.sheet\n"
         "  bmf machine make here.sheet -o here.machine");
}

static int read_count(const char *option, const char *text, int64_t *count)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < 1 || value > INT32_MAX)
        return bmf_usage_error("machine make", "%s needs a whole number from 1 to %d, not '%s'", option, INT32_MAX,
                               text);
    *count = value;
    return 0;
}

static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"kernels", required_argument, NULL, 'k'}, {"sharing", required_argument, NULL, 's'},
        {"name", required_argument, NULL, 'n'},    {"procs", required_argument, NULL, 'p'},
        {"congested", no_argument, NULL, 'c'},     {"single-ports", no_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},          {0}};
    opterr = 0;
    optind = 1;
    for (int c, code = 0; (c = getopt_long(argc, argv, ":o:h", known, NULL)) != -1;) {
        switch (c) {
        case 'k':
            o->kernels = optarg;
            break;
        case 's':
            code = read_count("--sharing", optarg, &o->sharing);
            break;
        case 'n':
            o->name = optarg;
            break;
        case 'p':
            code = read_count("--procs", optarg, &o->processors);
            break;
        case 'c':
            o->congested = true;
            break;
        case 'i':
            o->single_ports = true;
            break;
        case 'o':
            o->out = optarg;
            break;
        case 'h':
            o->help = true;
            return 0;
        case ':':
            return bmf_usage_error("machine make", "'%s' needs a value", argv[optind - 1]);
        default:
            return bmf_usage_error("machine make", "unknown option '%s'", argv[optind - 1]);
        }
        if (code != 0)
            return code;
    }
    if (argc - optind != 1)
        return bmf_usage_error("machine make", argc == optind ? "no sheet" : "too many arguments");
    o->sheet = argv[optind];
    if (!o->out || strcmp(o->out, "-") == 0)
        return bmf_usage_error("machine make", "no machine file to write; use -o M");
    if (o->sharing > 0 && !o->kernels)
        return bmf_usage_error("machine make", "--sharing goes with --kernels");
    return 0;
}

/* ---- the file's text ---- */

static void put_text(FILE *to, const char *text)
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
    put_text(to, shown);
}

static void put_machine(FILE *to, const options *o, const bmf_sheet *sheet)
{
    fputs("# A machine whose messages, and computing if a sheet of kernels is named, were measured. See "
          "docs/machines.md.\n",
          to);
    fputs("name = ", to);
    put_text(to, o->name ? o->name : sheet->title[0] ? sheet->title : "measured");
    fputs(";\n", to);
    if (o->processors > 0)
        fprintf(to, "processors = %lld;\n", (long long)o->processors);
    fputs("compute = { ", to);
    if (o->kernels) {
        fputs("sheet = ", to);
        put_path(to, o->kernels, o->out);
        if (o->sharing > 0)
            fprintf(to, "; sharing = %lld", (long long)o->sharing);
    } else {
        fputs("power = 1.0", to);
    }
    fputs("; };\nnetwork = { type = \"sheet\"; sheet = ", to);
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

static int make(const options *o)
{
    bmf_sheet *sheet;
    char *text = NULL;
    size_t size;
    BMF_TRY(sheet_read(o->sheet, &sheet));
    FILE *to = open_memstream(&text, &size);
    if (to) {
        put_machine(to, o, sheet);
        fclose(to);
    }
    sheet_free(sheet);
    const int status =
        text ? write_machine(o, text) : bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the file's text");
    free(text);
    return status;
}

int bmf_machine_make_command(int argc, char **argv)
{
    options o = {0};
    const int code = read_options(argc, argv, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_help();
        return bmf_finish_output();
    }
    return bmf_report(make(&o));
}
