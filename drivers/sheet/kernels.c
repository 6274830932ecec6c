/* bmf sheet kernels: from traces of a program to a sheet of its kernels. */
#include <stdlib.h>
#include <string.h>

#include "drivers/sheet/sheet.h"
#include "predict/kernels/kernels.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

typedef struct options {
    const char *out;
    char **trace;
    int traces;
} options;

/* The measured run of each file; the files stay open in `file`. */
static int read_traces(const options *o, bmf_trace **file, bmf_trace_run **run)
{
    for (int k = 0; k < o->traces; k++) {
        BMF_TRY(bmf_trace_read(NULL, o->trace[k], &file[k]));
        run[k] = file[k]->run[0];
    }
    return BMF_OK;
}

static int make_sheet(const options *o, bmf_trace_run *const *run, bmf_samples **samples, bmf_sheet **sheet)
{
    BMF_TRY(kernel_samples(o->traces, run, samples));
    BMF_TRY(sheet_fit(*samples, sheet));
    snprintf((*sheet)->title, sizeof(*sheet)->title, "kernels of %.200s", run[0]->program);
    return sheet_write(*sheet, o->out);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    bmf_samples *samples = NULL;
    bmf_sheet *sheet = NULL;
    o->trace = operands->text;
    o->traces = operands->count;
    bmf_trace **file = allocate_clear(o->traces, (int64_t)sizeof *file);
    bmf_trace_run **run = allocate_clear(o->traces, (int64_t)sizeof *run);
    int status = read_traces(o, file, run);
    if (status == BMF_OK)
        status = make_sheet(o, run, &samples, &sheet);
    if (status == BMF_OK)
        printf("%s: %lld equations from %lld samples\n", o->out, (long long)sheet->entries, (long long)samples->count);
    sheet_free(sheet);
    samples_free(samples);
    for (int k = 0; k < o->traces; k++)
        bmf_trace_free(file[k]);
    free(file);
    free(run);
    return report_status(ctx, status);
}

static const bmf_option table[] = {BMF_OPTION("output", "SHEET", BMF_TEXT(options, out), "the sheet to write",
                                              .letter = 'o', .missing = "no sheet to write; use -o SHEET"),
                                   BMF_OPTION_END};

const bmf_driver sheet_kernels_command = {
    .name = "kernels",
    .summary = "make a sheet of a program's kernels from its traces",
    .synopsis = "bmf sheet kernels TRACE.. -o SHEET",
    .about =
        "Fits the time of every kernel of a program to its elements, from traces of real runs: `bmf predict` takes "
        "computing times from it. Traces of several sizes tell how the time grows, traces of several numbers of ranks "
        "how much ranks that share a memory slow each other. All with the same number of threads. See "
        "docs/prediction.md.",
    .example = "for n in 100000 1000000; do\n"
               "  mpirun -n 2 bmf run sum.bmf --arg x$n.npy --trace x$n.trace\n"
               "done\n"
               "bmf sheet kernels x*.trace -o sum.kernels",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no trace",
    .size = sizeof(options),
    .run = run};
