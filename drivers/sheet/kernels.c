/* bmf sheet kernels: from traces of a program to a sheet of its kernels. */
#include <stdlib.h>
#include <string.h>

#include "drivers/command/mpirun.h"
#include "drivers/sheet/sheet.h"
#include "predict/kernels/kernels.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

typedef struct options {
    const char *out, *memory;
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

static int make_sheet(const options *o, bmf_trace_run *const *run, bmf_kernel_sheet *made)
{
    bmf_sheet *machine = NULL;
    int status = o->memory ? sheet_read(o->memory, &machine) : BMF_OK;
    if (status == BMF_OK && machine && machine->memory.curves == 0)
        status = bmf_fail(NULL, BMF_ERROR_FILE, "%s: says nothing of memory; measure it with --ops memory", o->memory);
    if (status == BMF_OK)
        status = kernel_sheet(o->traces, run, NULL, machine ? &machine->memory : NULL, made);
    if (status == BMF_OK)
        status = sheet_write(made->sheet, o->out);
    sheet_free(machine);
    return status;
}

/* ---- sizes that were run once ---- */

/* How large a run was: the elements of its largest kernel, and the ranks among which its lists were distributed. Sizes
 * of other kernels may depend on the data. */
typedef struct extent {
    int64_t elements;
    int32_t ranks;
} extent;

static extent extent_of(const bmf_trace_run *run)
{
    extent found = {.ranks = run->ranks};
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_KERNEL && run->event[k].amount > found.elements)
            found.elements = run->event[k].amount;
    return found;
}

static int by_extent(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    return (x->elements > y->elements) - (x->elements < y->elements);
}

/* What a single run of a size takes says nothing about the next one. */
static void remark_single_runs(int runs, bmf_trace_run *const *run)
{
    int sizes = 0, single = 0;
    extent *of = allocate(runs * (int64_t)sizeof *of);
    for (int k = 0; k < runs; k++)
        of[k] = extent_of(run[k]);
    qsort(of, (size_t)runs, sizeof *of, by_extent);
    for (int begin = 0, end; begin < runs; begin = end) {
        end = begin + 1;
        while (end < runs && by_extent(&of[begin], &of[end]) == 0)
            end++;
        sizes++;
        single += end - begin == 1;
    }
    free(of);
    if (single > 0)
        printf("%d of %d %s run once: by how much runs differ is not known there, and intervals are too narrow; give "
               "traces of 3 or more runs of every size\n",
               single, sizes, sizes == 1 ? "size was" : "sizes were");
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    bmf_kernel_sheet made = {0};
    o->trace = operands->text;
    o->traces = operands->count;
    bmf_trace **file = allocate_clear(o->traces, (int64_t)sizeof *file);
    bmf_trace_run **run = allocate_clear(o->traces, (int64_t)sizeof *run);
    int status = read_traces(o, file, run);
    if (status == BMF_OK)
        status = make_sheet(o, run, &made);
    if (status == BMF_OK) {
        printf("%s: %lld equations from %lld samples\n", o->out, (long long)made.sheet->entries,
               (long long)made.samples);
        remark_single_runs(o->traces, run);
    }
    sheet_free(made.sheet);
    for (int k = 0; k < o->traces; k++)
        bmf_trace_free(file[k]);
    free(file);
    free(run);
    return report_status(ctx, status);
}

static const bmf_option table[] = {
    BMF_OPTION("output", "SHEET", BMF_TEXT(options, out), "the sheet to write", .letter = 'o',
               .missing = "no sheet to write; use -o SHEET"),
    BMF_OPTION("memory", "MSHEET", BMF_TEXT(options, memory),
               "the machine's memory, of `bmf sheet measure --ops memory` and `fit`: then "
               "sizes on the other side of a cache can be predicted"),
    BMF_OPTION_END};

const bmf_driver sheet_kernels_command = {
    .name = "kernels",
    .summary = "make a sheet of a program's kernels from its traces",
    .synopsis = "bmf sheet kernels TRACE.. -o SHEET [--memory MSHEET]",
    .about =
        "Fits the time of every kernel of a program to its elements, from traces of real runs: `bmf predict` takes "
        "computing times from it. Traces of several sizes tell how the time grows, traces of several numbers of ranks "
        "how much ranks that share a memory slow each other, and several runs of every size how much runs differ, "
        "which a "
        "remark says if it is not known. All with the same number of threads. See docs/prediction.md.",
    .example = "for n in 100000 1000000; do for k in 1 2 3; do\n"
               "  " BMF_MPIRUN_NAME " -n 2 bmf run sum.bmf --arg x$n.npy --trace x$n-$k.trace\n"
               "done; done\n"
               "bmf sheet kernels x*.trace -o sum.kernels",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no trace",
    .size = sizeof(options),
    .run = run};
