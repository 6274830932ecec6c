/* bmf sheet kernels: from traces of a program to a sheet of its kernels. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/sheet/sheet.h"
#include "predict/kernels/kernels.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

typedef struct options {
    const char *out;
    char **trace;
    int traces;
    bool help;
} options;

static void print_help(void)
{
    puts("usage: bmf sheet kernels TRACE.. -o SHEET\n"
         "\n"
         "Fits the time of every kernel of a program to its elements, from traces of real runs: `bmf predict` takes\n"
         "computing times from it. Traces of several sizes tell how the time grows, traces of several numbers of ranks "
         "how\n"
         "much ranks that share a memory slow each other. All with the same number of threads.\n"
         "\n"
         "  -o SHEET  the sheet to write\n"
         "  --help    this text\n"
         "\n"
         "Example:\n"
         "  for n in 100000 1000000; do\n"
         "    mpirun -n 2 bmf run sum.bmf --arg x$n.npy --trace x$n.trace\n"
         "  done\n"
         "  bmf sheet kernels x*.trace -o sum.kernels");
}

static int read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {0}};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":o:h", known, NULL)) != -1;) {
        switch (c) {
        case 'o':
            o->out = optarg;
            break;
        case 'h':
            o->help = true;
            return 0;
        case ':':
            return bmf_usage_error("sheet kernels", "'%s' needs a value", argv[optind - 1]);
        default:
            return bmf_usage_error("sheet kernels", "unknown option '%s'", argv[optind - 1]);
        }
    }
    o->trace = argv + optind;
    o->traces = argc - optind;
    if (o->traces == 0)
        return bmf_usage_error("sheet kernels", "no trace");
    return o->out ? 0 : bmf_usage_error("sheet kernels", "no sheet to write; use -o SHEET");
}

/* The measured run of each file; the files stay open in `file`. */
static int read_traces(const options *o, bmf_trace **file, bmf_run **run)
{
    for (int k = 0; k < o->traces; k++) {
        BMF_TRY(bmf_trace_read(NULL, o->trace[k], &file[k]));
        run[k] = file[k]->run[0];
    }
    return BMF_OK;
}

static int make_sheet(const options *o, bmf_run *const *run, bmf_samples **samples, bmf_sheet **sheet)
{
    BMF_TRY(kernel_samples(o->traces, run, samples));
    BMF_TRY(sheet_fit(*samples, sheet));
    snprintf((*sheet)->title, sizeof(*sheet)->title, "kernels of %.200s", run[0]->program);
    return sheet_write(*sheet, o->out);
}

int bmf_sheet_kernels_command(int argc, char **argv)
{
    options o = {0};
    bmf_samples *samples = NULL;
    bmf_sheet *sheet = NULL;
    int code = read_options(argc, argv, &o);
    if (code != 0 || o.help) {
        if (o.help)
            print_help();
        return code ? code : bmf_finish_output();
    }
    bmf_trace **file = allocate_clear(o.traces, (int64_t)sizeof *file);
    bmf_run **run = allocate_clear(o.traces, (int64_t)sizeof *run);
    int status = read_traces(&o, file, run);
    if (status == BMF_OK)
        status = make_sheet(&o, run, &samples, &sheet);
    if (status == BMF_OK)
        printf("%s: %lld equations from %lld samples\n", o.out, (long long)sheet->entries, (long long)samples->count);
    sheet_free(sheet);
    samples_free(samples);
    for (int k = 0; k < o.traces; k++)
        bmf_trace_free(file[k]);
    free(file);
    free(run);
    return status != BMF_OK ? bmf_report(status) : bmf_finish_output();
}
