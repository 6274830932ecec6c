/* bmf predict: what a program would do on a machine. */
#define _GNU_SOURCE
#include "drivers/predict/predict.h"

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "predict/replay/recorded.h"
#include "predict/model/measurements.h"
#include "predict/report/answer.h"
#include "predict/report/report.h"
#include "runtime/base/allocate.h"
#include "runtime/base/launcher.h"
#include "runtime/base/progress.h"
#include "runtime/base/text.h"

/* ---- options ---- */

static void add_processors(bmf_processor_list *list, int64_t processors)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->number[k] == processors)
            return;
    list->number = reallocate_array(list->number, list->count, list->count + 1, (int64_t)sizeof *list->number);
    list->number[list->count++] = processors;
}

static bool read_count(const char **at, int64_t *count)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    long long value = strtoll(*at, &end, 10);
    *at = end;
    *count = value;
    return value >= 1 && value <= BMF_MAX_PROCESSORS;
}

/* One entry of the list: P, or P..Q in powers of two. */
static bool read_entry(bmf_processor_list *list, const char **at)
{
    int64_t first, last;
    if (!read_count(at, &first))
        return false;
    if (strncmp(*at, "..", 2) != 0) {
        add_processors(list, first);
        return true;
    }
    *at += 2;
    if (!read_count(at, &last) || last < first)
        return false;
    for (; first < last; first *= 2)
        add_processors(list, first);
    add_processors(list, last);
    return true;
}

int processors_read(const char *text, void *field)
{
    const char *at = text;
    bool right;
    do
        right = read_entry(field, &at);
    while (right && *at++ == ',');
    return right && at[-1] == '\0'
               ? 0
               : usage_error("--procs '%s' is no list of numbers from 1 to 1073741824, like 1,2,4 or 1..1024", text);
}

static const char *bound_name(int number, const char **about)
{
    static const char *const name[] = {"least", "mean", "most", NULL};
    static const char *const text[] = {"coefficients of the sheet one standard error down", "as they are",
                                       "one standard error up", NULL};
    *about = text[number];
    return name[number];
}

static const char *source_name(int number, const char **about)
{
    static const char *const name[] = {"simulated", "recorded", NULL};
    static const char *const text[] = {"what arrives first on the machine", "what came first here", NULL};
    *about = text[number];
    return name[number];
}

/* What is to be other than the machine's file says has a point in its name; the rest is of a file of equations. */
static void take_changes(bmf_predict_options *o)
{
    const bmf_strings all = o->set;
    o->set.count = 0;
    for (int k = 0; k < all.count; k++) {
        const size_t name = strcspn(all.text[k], "=*/");
        if (memchr(all.text[k], '.', name))
            o->change[o->changes++].text = all.text[k];
        else
            o->set.text[o->set.count++] = all.text[k];
    }
}

static int check_mpi_options(bmf_predict_options *o)
{
    o->recorded_sources = o->sources == 1;
    const bool model = o->path && is_model(o->path);
    if (o->set.count > 0 && !model)
        return usage_error(
            "--set is for files of equations, F.model, and for values of the machine's file, which have a "
            "point in their names, like network.latency_us=0.5");
    if (model && (o->program.argument.count || o->program.library.count || o->reassociate || o->ranks || o->repeats))
        return usage_error("--arg, --library, --free, --ranks and --repeats are not for files of equations");
    if (!o->mpi && (o->sources != 0 || o->bound >= 0 || o->launch || o->swept))
        return usage_error("--bound, --launch, --sources and --sweep are for --mpi");
    if (!o->mpi && !model && (o->compute != 0 || o->step > 0))
        return usage_error("--compute and --step are for --mpi and for files of equations");
    if ((o->compute == BMF_REPLAY_STEPS) != (o->step > 0))
        return usage_error("--compute steps goes with --step SECONDS");
    if (!o->mpi)
        return 0;
    if (!o->command)
        return usage_error("--mpi is for a program behind --");
    if (o->ranks > 0 || o->schedule)
        return usage_error("--ranks and --bmf-schedule are not for --mpi");
    if (o->bound >= 0 && o->samples > 0)
        return usage_error("--samples is for an interval, and --bound for one run without");
    return o->swept ? sweep_check(o) : 0;
}

/* Which machine, or machines, and their kernels. */
static int check_machine_options(bmf_predict_options *o)
{
    if (!o->machine_path && o->compared.count == 0)
        return usage_error("for which machine? give --machine M");
    if (o->compared.count > 0)
        BMF_TRY(compare_check(o));
    if (o->threads > 0 && (o->mpi || (o->path && is_model(o->path))))
        return usage_error("--threads is for programs of bmf: what others do with threads is their own");
    if (o->threads > 0) {
        snprintf(o->threads_change, sizeof o->threads_change, "threads=%lld", (long long)o->threads);
        o->change[o->changes++].text = o->threads_change;
    }
    if (!o->kernels)
        return 0;
    if (o->mpi || (o->path && is_model(o->path)))
        return usage_error("--kernels is for programs of bmf: what others compute is not in a sheet of kernels");
    char *path = realpath(o->kernels, NULL);
    if (!path)
        return usage_error("--kernels '%.200s': %s", o->kernels, strerror(errno));
    if (strchr(path, ',')) {
        free(path);
        return usage_error("--kernels '%.200s': a path without commas is needed", o->kernels);
    }
    static const char key[] = "compute.sheet=";
    o->kernels_change = allocate((int64_t)(sizeof key + strlen(path)));
    snprintf(o->kernels_change, sizeof key + strlen(path), "%s%s", key, path);
    free(path);
    o->change[o->changes++].text = o->kernels_change;
    return 0;
}

/* What the table cannot say. 0, or the exit code of bad usage. */
static int check_options(bmf_predict_options *o, const bmf_operands *operands)
{
    if (operands->behind_hyphens) {
        o->command = operands->text;
        if (operands->count == 0)
            return usage_error("which program? give it behind --");
        if (o->program.argument.count || o->program.library.count || o->reassociate)
            return usage_error("--arg, --library and --free are for programs of the language; give a C program its own "
                               "arguments behind it");
    } else {
        o->path = operands->text[0];
        if (operands->count == 0)
            return usage_error("which program? give a .bmf file, or a C program behind --");
        if (operands->count > 1)
            return usage_error("unexpected argument '%s'; a C program stands behind --", operands->text[1]);
    }
    take_changes(o);
    BMF_TRY(check_machine_options(o));
    BMF_TRY(check_mpi_options(o));
    if (o->elements > 0)
        BMF_TRY(elements_check(o, "--elements"));
    else if (o->growing)
        return usage_error("--growing goes with --elements");
    if (o->measured && !o->trace && !o->html)
        return usage_error("--measured stands beside the prediction in --trace or --html; give one of them");
    return 0;
}

/* ---- what was predicted ---- */

void predicted_remark(bmf_predicted *predicted, const char *text)
{
    predicted->remark = reallocate_array(predicted->remark, predicted->remarks, predicted->remarks + 1,
                                         (int64_t)sizeof *predicted->remark);
    predicted->remark[predicted->remarks++] = text_copy(text);
}

void predicted_free(bmf_predicted *predicted)
{
    for (int64_t k = 0; k < predicted->remarks; k++)
        free(predicted->remark[k]);
    free(predicted->remark);
    free(predicted->load);
    run_free(predicted->run);
    run_free(predicted->ideal);
    *predicted = (bmf_predicted){0};
}

/* Enough runs that the median is known to one percent; no more than a few seconds of them, once there are some. */
bool needs_another_run(const bmf_predict_options *options, int64_t runs, double seconds, double error)
{
    static const double known = 0.01;
    const double max_seconds = options->measuring > 0.0 ? options->measuring : 3.0;
    if (options->repeats > 0)
        return runs < options->repeats && (options->hurried == 0.0 || seconds < options->hurried);
    if (runs < BMF_MEASURED_MIN)
        return true;
    return error > known && runs < BMF_MEASURED_MAX - 1 && seconds < max_seconds;
}

/* ---- files ---- */

static int write_trace(const bmf_predict_options *o, bmf_trace_run *measured, bmf_trace_run *predicted)
{
    bmf_trace trace = {measured ? 2 : 1, {measured ? measured : predicted, predicted}};
    return trace_write(NULL, &trace, o->trace);
}

static bmf_scaling *make_scaling(const bmf_predict_options *o, const bmf_predicted *run)
{
    bmf_scaling *scaling = allocate(o->processors.count * (int64_t)sizeof *scaling);
    for (int64_t k = 0; k < o->processors.count; k++)
        scaling[k] = (bmf_scaling){.processors = run[k].processors,
                                   .seconds = run[k].seconds,
                                   .low = run[k].low,
                                   .high = run[k].high,
                                   .in_domain = run[k].remarks == 0};
    return scaling;
}

/* The report's runs: the measured one first. */
static int fill_runs(bmf_report_contents *report, bmf_trace_run *measured, bmf_predicted *last,
                     bmf_comparison **comparison)
{
    int predicted = measured ? 1 : 0;
    if (measured) {
        report->run[0] = measured;
        BMF_TRY(compare_runs(measured, last->run, comparison));
        report->comparison = *comparison;
        BMF_TRY(intervals_create(measured, NULL, &report->intervals[0]));
    }
    report->runs = predicted + 1;
    report->run[predicted] = last->run;
    report->loads[predicted] = last->loads;
    report->load[predicted] = last->load;
    run_expect(last->run, &report->expected[predicted]);
    return intervals_create(last->run, last->ideal, &report->intervals[predicted]);
}

static int write_report(const bmf_predict_options *o, bmf_trace_run *measured, bmf_predicted *run)
{
    char title[512];
    bmf_comparison *comparison = NULL;
    bmf_topologies topologies = {0};
    const int64_t processors = run[o->processors.count - 1].processors;
    topologies_add_machine(&topologies, o->machine, processors);
    topologies_add_usual(&topologies, processors);
    bmf_scaling *scaling = make_scaling(o, run);
    snprintf(title, sizeof title, "%.200s on %.200s", predicted_program(o), o->machine->name);
    bmf_report_contents report = {.title = title,
                                  .topologies = &topologies,
                                  .points = o->processors.count > 1 ? o->processors.count : 0,
                                  .scaling = scaling};
    int status = fill_runs(&report, measured, &run[o->processors.count - 1], &comparison);
    if (status == BMF_OK)
        status = report_write(&report, o->html);
    intervals_free(report.intervals[0]);
    intervals_free(report.intervals[1]);
    comparison_free(comparison);
    topologies_free(&topologies);
    free(scaling);
    return status;
}

static int write_files(const bmf_predict_options *o, bmf_predicted *run)
{
    bmf_trace *measured = NULL;
    bmf_predicted *last = &run[o->processors.count - 1];
    if (o->measured)
        BMF_TRY(bmf_trace_read(NULL, o->measured, &measured));
    bmf_trace_run *beside = measured ? measured->run[0] : NULL;
    expected_length_write(
        &(bmf_expected_length){.median = last->seconds, .low = last->low, .high = last->high, .files = last->files},
        last->run);
    int status = o->trace ? write_trace(o, beside, last->run) : BMF_OK;
    if (status == BMF_OK && o->html)
        status = write_report(o, beside, run);
    bmf_trace_free(measured);
    return status;
}

/* ---- running ---- */

int predict_all(const bmf_predict_options *o, bmf_predicted *run)
{
    int status = BMF_OK;
    bmf_progress progress = {0};
    double done = 0, all = 0; /* a prediction takes about as long as it has processors */
    for (int64_t k = 0; k < o->processors.count; k++)
        all += (double)o->processors.number[k];
    if (o->processors.count > 1) /* otherwise what is inside tells */
        progress_begin(&progress, "predicting");
    for (int64_t k = 0; status == BMF_OK && k < o->processors.count; k++) {
        const bool traced = (o->trace || o->html) && k == o->processors.count - 1;
        bmf_predict_options one = *o;
        one.shown = o->shown || k > 0;
        status = o->elements > 0
                     ? predict_elements(o, o->processors.number[k], &run[k])
                     : (o->mpi              ? predict_mpi
                        : o->command        ? predict_executable
                        : is_model(o->path) ? predict_model
                                            : predict_program)(&one, o->processors.number[k], traced, &run[k]);
        done += (double)o->processors.number[k];
        progress_tell(&progress, done / all);
    }
    if (o->processors.count > 1)
        progress_end(&progress);
    return status;
}

/* Numbers of processors that the machine does not have are left out, and said so, if it has others of the list. */
static void leave_out_processors(bmf_predict_options *o)
{
    bmf_processor_list *list = &o->processors;
    const int64_t most = machine_ranks(o->machine);
    int64_t kept = 0;
    char out[256] = "";
    for (int64_t k = 0; k < list->count; k++)
        kept += most == 0 || list->number[k] <= most;
    if (kept == 0 || kept == list->count)
        return;
    kept = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const size_t used = strlen(out);
        if (list->number[k] <= most)
            list->number[kept++] = list->number[k];
        else
            snprintf(out + used, sizeof out - used, "%s%lld", used ? ", " : "", (long long)list->number[k]);
    }
    list->count = kept;
    fprintf(stderr, "bmf: note: %s has %lld processors: %s are left out\n", o->machine->name, (long long)most, out);
}

static int predict(bmf_predict_options *o)
{
    if (o->compared.count > 0)
        return predict_compared(o);
    BMF_TRY(machine_read_changed(o->machine_path, o->change, o->changes, &o->machine));
    leave_out_processors(o);
    if (o->swept)
        return sweep_predict(o);
    bmf_predicted *run = allocate_clear(o->processors.count, (int64_t)sizeof *run);
    int status = predict_all(o, run);
    if (status == BMF_OK && (o->trace || o->html))
        status = write_files(o, run);
    if (status == BMF_OK && o->json)
        json_print(predicted_object(o, run), BMF_JSON_LINE);
    else if (status == BMF_OK)
        predicted_print(o, run);
    for (int64_t k = 0; k < o->processors.count; k++)
        predicted_free(&run[k]);
    free(run);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_predict_options *o = values;
    int code = check_options(o, operands), provided;
    if (code == 0) {
        /* Started by mpirun only the first process works (drivers/commands.h); MPI must not wait for the others, here
         * or in a program that is started. */
        launcher_leave();
        if (!o->command) /* contexts come and go with every number of processors, MPI does not */
            MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
        code = report_status(ctx, predict(o));
        if (!o->command)
            MPI_Finalize();
    }
    machine_free(o->machine);
    free(o->processors.number);
    free(o->sweep.number);
    free(o->swept);
    free(o->compared.text);
    free(o->kernels_change);
    return code;
}

static const bmf_predict_options defaults = {.bound = -1};

static const bmf_option options[] = {
    BMF_OPTION("machine", "M", BMF_TEXT(bmf_predict_options, machine_path),
               "a machine file, or the name of an example machine (see `bmf machine list`)"),
    BMF_OPTION("compare", "M,..", BMF_OTHER(bmf_predict_options, compared, compare_read_machines),
               "machines beside each other: how many times as fast they are as --machine, or as the first of them"),
    BMF_OPTION("kernels", "FILE", BMF_TEXT(bmf_predict_options, kernels),
               "kernels take what this sheet says (`bmf sheet kernels`), and not what the machine's file says"),
    BMF_OPTION(
        "procs", "LIST", BMF_OTHER(bmf_predict_options, processors, processors_read),
        "numbers of processors: 1,2,4 or 1..1024 (1, 2, 4, .. 1024); a program says `P_Split (B_Procs)` to use as "
        "many as there are",
        .missing = "on how many processors? give --procs P"),
    BMF_OPTION("threads", "T", BMF_WHOLE(bmf_predict_options, threads, 1, BMF_MAX_MACHINE_THREADS),
               "every processor of the program is a rank with so many threads, on as many of a node's processors; "
               "default: what the machine's file says (`threads`), or 1"),
    BMF_OPTION("set", "NAME=X", BMF_LIST(bmf_predict_options, set),
               "the size, or a parameter, of a file of equations; or a value of the machine's file, like "
               "network.latency_us=0.5, network.latency_us/2, compute.power*2; may be given several times"),
    BMF_OPTION("library", "FILE", BMF_LIST(bmf_predict_options, program.library), "as for `bmf run`"),
    BMF_OPTION("arg", "FILE", BMF_LIST(bmf_predict_options, program.argument), "as for `bmf run`"),
    BMF_OPTION("elements", "N", BMF_OTHER(bmf_predict_options, elements, elements_read),
               "the first argument has that many rows, those of --arg FILE again and again, like 1e12; they are "
               "counted, and not held"),
    BMF_OPTION("growing", "LIST", BMF_OTHER(bmf_predict_options, growing, elements_read_grown),
               "with --elements: the arguments that have that many rows, by their numbers, like 1,3; the others stay "
               "as they are"),
    BMF_OPTION("free", NULL, BMF_FLAG(bmf_predict_options, reassociate), "as for `bmf run`"),
    BMF_OPTION("bmf-schedule", "LIST", BMF_TEXT(bmf_predict_options, schedule),
               "algorithms that are taken whatever they cost, as split=tree,reduce=doubling"),
    BMF_OPTION("ranks", "R", BMF_WHOLE(bmf_predict_options, ranks, 1, BMF_MAX_PROCESSORS),
               "count messages between ranks as on R ranks with contiguous blocks of processors; default: as many as "
               "processors"),
    BMF_OPTION("samples", "N", BMF_WHOLE(bmf_predict_options, samples, 1, INT32_MAX),
               "random samples for the interval; default: as many as are cheap, 20 to 200"),
    BMF_OPTION("mpi", NULL, BMF_FLAG(bmf_predict_options, mpi),
               "the program behind -- is any MPI program: it runs with P ranks on virtual clocks"),
    BMF_OPTION("compute", "C", BMF_CHOICE(bmf_predict_options, compute, predict_compute_name),
               "what its computing takes; default measured:"),
    BMF_OPTION("step", "SECONDS", BMF_REAL(bmf_predict_options, step, 1e9), "seconds of a step"),
    BMF_OPTION("bound", "B", BMF_CHOICE(bmf_predict_options, bound, bound_name),
               "with --mpi, for machines with a data sheet: one run instead of an interval:"),
    BMF_OPTION("sources", "S", BMF_CHOICE(bmf_predict_options, sources, source_name),
               "what receives from any source get; default simulated:"),
    BMF_OPTION("sweep", "NAME=LIST", BMF_OTHER(bmf_predict_options, swept, sweep_read_values),
               "predict for every value of the list, like n=20,40,80, put in for {NAME} in the program's arguments"),
    BMF_OPTION("launch", "COMMAND", BMF_TEXT(bmf_predict_options, launch),
               "how it is started; {p} is P; default: " BMF_MPIRUN_NAME " -n {p}"),
    BMF_OPTION(
        "repeats", "N", BMF_WHOLE(bmf_predict_options, repeats, 1, BMF_MEASURED_MAX - 1),
        "runs of the program if its kernels are timed here; default: 4 and more, until the median is known to one "
        "percent or 3 s have passed"),
    BMF_OPTION("every", NULL, BMF_FLAG(bmf_predict_options, every),
               "evaluate what processors do on each of them, also where lengths of lists show that many do the same"),
    BMF_OPTION("trace", "FILE", BMF_TEXT(bmf_predict_options, trace), "write the predicted trace (of the last P)"),
    BMF_OPTION("measured", "FILE", BMF_TEXT(bmf_predict_options, measured),
               "a trace of a real run, to stand as run 0 beside the predicted one in --trace and --html"),
    BMF_OPTION("html", "FILE", BMF_TEXT(bmf_predict_options, html),
               "write a report (of the last P, with the speed-up curve over all P)"),
    BMF_OPTION("json", NULL, BMF_FLAG(bmf_predict_options, json),
               "print one JSON object: program, machine, fastest, and runs, a list of {processors, seconds, lo, hi, "
               "messages, bytes, rank_messages, rank_bytes, efficiency, speed_up, speed_up_lo, speed_up_hi, spread, "
               "in_domain, remarks, alike: how often a processor did as another one and was not evaluated}; with "
               "--sweep program, "
               "machine, parameter, and points, a list of {value, fastest, runs}; with --compare program, machines, a "
               "list of {machine, fastest, runs}, and ratios, a list of {machine, processors, ratio, lo, hi}"),
    BMF_OPTION_END};

const bmf_driver predict_command = {
    .name = "predict",
    .summary = "say how long a program would take on a machine you do not have",
    .synopsis = "bmf predict PROG.bmf --machine M --procs P[,P..] [OPTION]..\n"
                "bmf predict PROG.bmf --compare M,M.. --procs P[,P..] [OPTION]..\n"
                "bmf predict --machine M --procs P[,P..] [OPTION].. -- ./PROGRAM ARGUMENT..\n"
                "bmf predict --mpi --machine M --procs P[,P..] [OPTION].. -- ./PROGRAM ARGUMENT..",
    .about =
        "Runs a program on a modelled machine: all P processors in this process, on the real data, with a clock each. "
        "Says how long it would take, with the interval that holds the time of a run in 95 of 100 cases as far as the "
        "machine's equations know their errors. The second form compares machines; the third is for C programs linked "
        "with bmf, the fourth for "
        "any program that uses MPICH; a bmf built with Open MPI does not have it. What they print goes to standard "
        "error.",
    .example = "bmf predict examples/12-mean-variance.bmf --machine workstations-16 --procs 1,2,4,8,16\n"
               "bmf predict examples/12-mean-variance.bmf --compare cloud-25g,hpc-milan-hdr --procs 1..64\n"
               "bmf predict --machine fast-cluster --procs 1..1024 --html sum.html -- ./01-sum-of-squares 100000000\n"
               "bmf predict --mpi --machine t3d-sheet --procs 2,4,8 -- ./life --n 160\n"
               "bmf predict --mpi --machine t3d-sheet --procs 2,4,8 --sweep n=40,80,160 -- ./life --n {n}",
    .see = "bmf-machine, bmf-compare, bmf-report, bmf-replay, bmf-sheet",
    .options = options,
    .max_operands = BMF_ANY_NUMBER,
    .defaults = &defaults,
    .size = sizeof(bmf_predict_options),
    .run = run};
