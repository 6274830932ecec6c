/* bmf permute: runs or plans one BMMC permutation. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/byte_count.h"
#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/permute/data.h"
#include "drivers/permute/describe.h"
#include "drivers/permute/file.h"
#include "drivers/permute/predict.h"
#include "permute/exchange/exchange.h"
#include "bmf/permute.h"
#include "runtime/backend/backend.h"
#include "runtime/base/progress.h"

enum { LARGEST_ELEMENT = 4096, REPEATS = 5, NAIVE_PASSES = 8 };

typedef struct options {
    int bits;
    int64_t element_bytes;
    const char *matrix, *complement, *method_name;
    const char *machine; /* predict for it, with so many processors; NULL: run */
    const char *html;    /* with machine: a page about the predicted run */
    int64_t processors;
    bmf_permute_method method;
    bool plan, describe, disks, verify, naive, tune, relabel, json;
    bmf_file_permutation file; /* in: permute this file instead */
} options;

/* ---- options ---- */

/* With a machine the methods are those of the prediction. */
static int check_prediction(const options *o)
{
    if (o->disks && !o->describe)
        return usage_error("--disks goes with --describe");
    if (o->html && (!o->machine || o->describe))
        return usage_error("--html goes with a prediction; give --machine and leave out --describe");
    if (!o->machine)
        return o->processors && !o->describe ? usage_error("--procs goes with --machine") : 0;
    if (o->plan || o->verify || o->naive || o->tune || o->relabel)
        return usage_error("--machine only predicts; leave out --%s", o->plan     ? "plan"
                                                                      : o->verify ? "verify"
                                                                      : o->naive  ? "naive"
                                                                      : o->tune   ? "tune"
                                                                                  : "relabel");
    return 0;
}

/* A file says how many elements of how many bytes there are, and is permuted in its own way. */
static int check_file(const options *o)
{
    const bmf_file_permutation *file = &o->file;
    if (!file->in) {
        const char *wrong = file->out      ? "out"
                            : file->work   ? "work"
                            : file->memory ? "memory"
                            : file->block  ? "block"
                            : file->rows   ? "rows"
                            : file->copy   ? "copy"
                                           : NULL;
        return wrong                                   ? usage_error("--%s goes with --in", wrong)
               : o->bits < 0                           ? usage_error("how many elements? give --bits")
               : o->element_bytes == 0 && !o->describe ? usage_error("elements of how many bytes? give --elem")
                                                       : 0;
    }
    const char *wrong = o->bits >= 0       ? "bits"
                        : o->element_bytes ? "elem"
                        : o->method_name   ? "method"
                        : o->machine       ? "machine"
                        : o->describe      ? "describe"
                        : o->verify        ? "verify"
                        : o->naive         ? "naive"
                        : o->tune          ? "tune"
                        : o->relabel       ? "relabel"
                                           : NULL;
    if (wrong)
        return usage_error("--%s does not go with --in", wrong);
    return file->out || o->plan ? 0 : usage_error("where to? give --out");
}

static int check_method(options *o)
{
    if (o->method_name && !o->machine && !bmf_permute_method_find(o->method_name, &o->method))
        return usage_error("unknown method '%s'; known: rounds, alltoallv, naive, auto", o->method_name);
    if (o->tune && o->method != BMF_PERMUTE_AUTO)
        return usage_error("--tune chooses the method; leave out --method");
    return 0;
}

/* ---- one run ---- */

typedef struct result {
    double seconds, memcpy_seconds, naive_seconds;
    bmf_statistics moved;
    bool verified;
} result;

typedef struct job {
    bmf_context *ctx;
    const options *o;
    bmf_permutation permutation;
    bmf_permute_plan *plan;
    bmf_buffer *source_buffer, *target_buffer;
    char *source, *target;
    int64_t first, count; /* this rank's elements */
    result result;
    bmf_progress progress;
    double done, passes; /* over the elements */
} job;

/* Refuses what does not fit into memory before asking for it: source, target and scratch, which may be
 * two shares, on every rank of this host. */
static int check_memory(const job *j)
{
    int64_t available = available_memory();
    double wanted = 4.0 * (double)j->o->element_bytes * (double)(INT64_C(1) << j->o->bits) / (double)j->ctx->ranks *
                    (double)j->ctx->node_ranks;
    if (available >= 0 && wanted > (double)available)
        return bmf_fail(j->ctx, BMF_ERROR_ARGUMENT,
                        "2^%d elements of %" PRId64 " bytes need %.3g GB of memory on each host; %.3g GB are available",
                        j->o->bits, j->o->element_bytes, wanted * 1e-9, (double)available * 1e-9);
    return BMF_OK;
}

static int allocate(job *j)
{
    BMF_TRY(bmf_agree(j->ctx, check_memory(j)));
    j->first = bmf_permute_local_first(j->ctx, j->o->bits);
    j->count = bmf_permute_local_count(j->ctx, j->o->bits);
    j->source_buffer = buffer_create(j->count * j->o->element_bytes);
    j->target_buffer = buffer_create(j->count * j->o->element_bytes);
    if (!j->source_buffer || !j->target_buffer)
        return bmf_agree(j->ctx, bmf_fail(j->ctx, BMF_ERROR_MEMORY, "permute: out of memory"));
    j->source = j->source_buffer->data;
    j->target = j->target_buffer->data;
    return bmf_agree(j->ctx, BMF_OK);
}

static int run_plan(job *j, const bmf_permute_plan *plan)
{
    const void *source = j->source;
    void *target = j->target;
    return bmf_permute_execute(j->ctx, plan, &source, &target);
}

static int run_chosen(job *j)
{
    return run_plan(j, j->plan);
}

/* Passes over the elements that are done, of those that there will be. */
static void count_passes(job *j, double passes)
{
    j->done += passes;
    progress_tell(&j->progress, j->done / j->passes);
}

static int run_memcpy(job *j)
{
    permute_data_copy(j->target, j->source, j->count * j->o->element_bytes, j->ctx->threads);
    return BMF_OK;
}

static int run_naive(job *j)
{
    bmf_permute_plan *plan;
    if (j->ctx->processors == 1) {
        bmf_local_permute_naive(j->target, j->source, j->o->element_bytes, &j->permutation);
        return BMF_OK;
    }
    BMF_TRY(bmf_permute_plan_create(j->ctx, &j->permutation, 1, &j->o->element_bytes, BMF_PERMUTE_NAIVE, &plan));
    int status = run_plan(j, plan);
    bmf_permute_plan_free(plan);
    return status;
}

/* The fastest of some repeats; a repeat lasts until the last rank is done. */
static int measure(job *j, int repeats, int (*run)(job *j), double *fastest)
{
    for (int k = 0; k < repeats; k++) {
        double seconds;
        bmf_barrier(j->ctx);
        double begin = bmf_seconds(j->ctx);
        BMF_TRY(run(j));
        BMF_TRY(bmf_max_seconds(j->ctx, bmf_seconds(j->ctx) - begin, &seconds));
        if (k == 0 || seconds < *fastest)
            *fastest = seconds;
        count_passes(j, run == run_naive ? NAIVE_PASSES : 1);
    }
    return BMF_OK;
}

/* Messages and bytes of one run, which also warms up. */
static int count_messages(job *j)
{
    bmf_statistics before, after;
    BMF_TRY(bmf_total_statistics(j->ctx, &before));
    BMF_TRY(run_chosen(j));
    BMF_TRY(bmf_total_statistics(j->ctx, &after));
    j->result.moved =
        (bmf_statistics){after.messages - before.messages, after.bytes - before.bytes,
                         after.rank_messages - before.rank_messages, after.rank_bytes - before.rank_bytes};
    return BMF_OK;
}

static int verify(job *j)
{
    int64_t wrong =
        permute_data_check(j->target, j->o->element_bytes, j->first, j->count, &j->permutation, j->ctx->threads);
    j->result.verified = true;
    if (wrong < 0)
        return bmf_agree(j->ctx, BMF_OK);
    return bmf_agree(
        j->ctx, bmf_fail(j->ctx, BMF_ERROR_INTERNAL, "permute: element %" PRId64 " of the result is wrong", wrong));
}

static int run_passes(job *j)
{
    const options *o = j->o;
    permute_data_fill(j->source, o->element_bytes, j->first, j->count, j->ctx->threads);
    memset(j->target, 0, (size_t)(j->count * o->element_bytes));
    count_passes(j, 2);
    if (o->tune) {
        const void *source = j->source;
        void *target = j->target;
        BMF_TRY(bmf_permute_tune(j->ctx, &source, &target, &j->plan));
    }
    BMF_TRY(measure(j, REPEATS, run_memcpy, &j->result.memcpy_seconds));
    if (o->naive)
        BMF_TRY(measure(j, 1, run_naive, &j->result.naive_seconds));
    memset(j->target, 0, (size_t)(j->count * o->element_bytes));
    BMF_TRY(count_messages(j));
    count_passes(j, 2);
    if (o->verify) {
        BMF_TRY(verify(j));
        count_passes(j, 1);
    }
    return measure(j, REPEATS, run_chosen, &j->result.seconds);
}

static int run_job(job *j)
{
    BMF_TRY(allocate(j));
    j->passes = 4 + 2 * REPEATS + (j->o->naive ? NAIVE_PASSES : 0) + (j->o->verify ? 1 : 0);
    progress_begin(&j->progress, "permuting");
    const int status = run_passes(j);
    progress_end(&j->progress);
    return status;
}

/* ---- output ---- */

static void print_json(const job *j)
{
    const bmf_permute_plan *plan = j->plan;
    const result *r = &j->result;
    json_t *made = json_pack("{s:i, s:I, s:i, s:i, s:s, s:o, s:s, s:I}", "bits", j->o->bits, "elem",
                             (json_int_t)j->o->element_bytes, "ranks", j->ctx->ranks, "threads", j->ctx->threads,
                             "class", bmf_permutation_class_name(plan->class_), "rank_r",
                             plan->rank >= 0 ? json_integer(plan->rank) : json_null(), "method",
                             bmf_permute_method_name(plan->method), "rounds", (json_int_t)plan->rounds);
    json_t *times = j->o->plan
                        ? json_pack("{s:I, s:I, s:f}", "messages", (json_int_t)plan->messages, "predicted_bytes",
                                    (json_int_t)plan->bytes, "predicted_seconds", plan->seconds[plan->method])
                        : json_pack("{s:I, s:I, s:I, s:f, s:f, s:o}", "messages", (json_int_t)r->moved.messages,
                                    "bytes", (json_int_t)r->moved.bytes, "predicted_bytes", (json_int_t)plan->bytes,
                                    "seconds", r->seconds, "memcpy_seconds", r->memcpy_seconds, "fraction_of_memcpy",
                                    json_finite(r->memcpy_seconds / r->seconds));
    json_object_update(made, times);
    json_decref(times);
    if (j->o->naive && !j->o->plan)
        json_object_set_new(made, "naive_seconds", json_real(r->naive_seconds));
    if (r->verified)
        json_object_set_new(made, "verified", json_true());
    json_print(made, BMF_JSON_LINE);
}

static void print_text(const job *j)
{
    const result *r = &j->result;
    bmf_permute_plan_print(j->plan, stdout);
    if (j->o->plan)
        return;
    printf("counted %" PRId64 " messages, %" PRId64 " bytes\n", r->moved.messages, r->moved.bytes);
    printf("%.6g s; memcpy %.6g s, %.2f of its speed\n", r->seconds, r->memcpy_seconds, r->memcpy_seconds / r->seconds);
    if (j->o->naive)
        printf("naive %.6g s\n", r->naive_seconds);
    if (r->verified)
        puts("every element verified");
}

/* Where the blocks of the result stand when ranks were relabelled. */
static void print_labels(const job *j, const bmf_permutation *relabel, int processor_bits)
{
    enum { SHOWN = 8 };
    int m = j->o->bits - processor_bits;
    printf("the block of rank");
    for (int64_t k = 0; k < j->ctx->processors && k < SHOWN; k++)
        printf("%s %" PRId64 " is on %" PRIu64, k ? "," : "", k, bmf_permutation_apply(relabel, (uint64_t)k << m) >> m);
    puts(j->ctx->processors > SHOWN ? ", .." : "");
}

static int make_plan(job *j)
{
    int processor_bits = bmf_permute_processor_bits(&j->permutation, j->ctx->processors);
    bmf_permutation relabel;
    if (j->o->relabel) {
        if (processor_bits < 0)
            return bmf_fail(j->ctx, BMF_ERROR_ARGUMENT,
                            "--relabel needs a power of two of ranks, at most one for every element");
        bmf_permute_relabel(&j->permutation, processor_bits, &j->permutation, &relabel);
        if (bmf_is_root(j->ctx) && !j->o->json)
            print_labels(j, &relabel, processor_bits);
    }
    return bmf_permute_plan_create_tuned(j->ctx, &j->permutation, 1, &j->o->element_bytes, j->o->method, &j->plan);
}

static int permute(job *j)
{
    BMF_TRY(make_plan(j));
    if (!j->o->plan)
        BMF_TRY(run_job(j));
    if (!bmf_is_root(j->ctx))
        return BMF_OK;
    if (j->o->json)
        print_json(j);
    else
        print_text(j);
    return BMF_OK;
}

/* What --bmf-trace asks for is the predicted run: this process does nothing that is worth a trace. */
static char *take_trace_path(bmf_context *ctx)
{
    char *path = ctx->trace_path;
    run_free(ctx->run);
    ctx->run = NULL;
    ctx->trace_path = NULL;
    return path;
}

static int predict(bmf_context *ctx, const options *o, const bmf_permutation *p)
{
    char *trace = take_trace_path(ctx);
    const bmf_permute_forecast forecast = {.machine = o->machine,
                                           .trace = trace,
                                           .html = o->html,
                                           .processors = o->processors,
                                           .element_bytes = o->element_bytes,
                                           .method = o->method_name,
                                           .json = o->json};
    const int status = permute_forecast_print(ctx, &forecast, p);
    free(trace);
    return status;
}

static int describe(bmf_context *ctx, const options *o, const bmf_permutation *p)
{
    const bmf_permute_description description = {
        .machine = o->machine, .processors = o->processors, .disks = o->disks, .json = o->json};
    return permute_describe(ctx, &description, p);
}

static int run_or_plan(bmf_context *ctx, const options *o, const bmf_permutation *p)
{
    job j = {.ctx = ctx, .o = o, .permutation = *p};
    const int status = permute(&j);
    if (j.source_buffer)
        buffer_release(j.source_buffer);
    if (j.target_buffer)
        buffer_release(j.target_buffer);
    bmf_permute_plan_free(j.plan);
    return status;
}

static int run_file(bmf_context *ctx, options *o)
{
    o->file.matrix = o->matrix;
    o->file.complement = o->complement;
    o->file.plan = o->plan;
    o->file.json = o->json;
    return report_status(ctx, permute_file(ctx, &o->file));
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    bmf_permutation p;
    (void)operands;
    if (check_file(o) || check_prediction(o) || check_method(o))
        return 2;
    if (o->file.in)
        return run_file(ctx, o);
    int status = bmf_permutation_parse(ctx, o->bits, o->matrix, &p);
    if (status == BMF_OK && o->complement)
        status = bmf_permutation_parse_complement(ctx, o->complement, &p);
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        status = o->describe ? describe(ctx, o, &p) : o->machine ? predict(ctx, o, &p) : run_or_plan(ctx, o, &p);
    return report_status(ctx, status);
}

/* ---- tables ---- */

static const bmf_option table[] = {
    BMF_OPTION("bits", "N", BMF_WHOLE(options, bits, 0, BMF_MAX_BITS), "address bits, 0 to 63"),
    BMF_OPTION("elem", "B", BMF_WHOLE(options, element_bytes, 1, LARGEST_ELEMENT), "bytes of an element, 1 to 4096"),
    BMF_OPTION(
        "matrix", "SPEC", BMF_TEXT(options, matrix),
        "A: identity, bitrev, transpose:ROWBITS, gray, invgray, shuffle:K, reblock:A,B,C,D, random:SEED, "
        "randombpc:SEED, file:PATH (N lines of N characters 0 or 1; row i, column j is a_ij, the least significant "
        "bit first)",
        .missing = "which permutation? give --matrix"),
    BMF_OPTION("complement", "HEX", BMF_TEXT(options, complement), "c, a hexadecimal number; default: 0"),
    BMF_OPTION("method", "M", BMF_TEXT(options, method_name),
               "how the ranks exchange their data: rounds, alltoallv, naive or auto (default)"),
    BMF_OPTION("plan", NULL, BMF_FLAG(options, plan), "print the plan and stop; needs no memory for the elements"),
    BMF_OPTION(
        "describe", NULL, BMF_FLAG(options, describe),
        "print the class, the ranks of submatrices, the 1-permutable sets and their schedule; with --machine also "
        "what its router makes of them"),
    BMF_OPTION("disks", NULL, BMF_FLAG(options, disks),
               "with --describe: the lowest address bits are the devices' number, as of striped disks, and not the "
               "highest, as of processors"),
    BMF_OPTION("verify", NULL, BMF_FLAG(options, verify), "check every element of the result"),
    BMF_OPTION("naive", NULL, BMF_FLAG(options, naive),
               "also time the naive way: element by element on one rank, row by row on several"),
    BMF_OPTION("tune", NULL, BMF_FLAG(options, tune),
               "choose the method by short trials, in which the methods take turns; auto remembers the result for such "
               "permutations"),
    BMF_OPTION(
        "relabel", NULL, BMF_FLAG(options, relabel),
        "let the result's blocks stand on other ranks, to send as little as possible; prints where they are; needs a "
        "power of two of ranks"),
    BMF_OPTION(
        "machine", "M", BMF_TEXT(options, machine),
        "predict it on the machine of file M instead, or on the installed machine of that name, by method; also sets, "
        "clusters and rows: record by record in 1-permutable sets of processors, of clusters of processors, or a "
        "record of each processor at a time; two-pass and coloured: sets of clusters over intermediate clusters"),
    BMF_OPTION("procs", "P", BMF_WHOLE(options, processors, 1, BMF_MAX_PROCESSORS),
               "with --machine or --describe: processors; default: those of the machine"),
    BMF_OPTION("html", "FILE", BMF_TEXT(options, html),
               "with --machine: also write a page about the predicted run of the method, or of the fastest one; "
               "--bmf-trace writes its trace"),
    BMF_OPTION("in", "F", BMF_TEXT(options, file.in),
               "permute the elements of this .npy file, which need not fit into memory, instead of test data"),
    BMF_OPTION("out", "G", BMF_TEXT(options, file.out), "with --in: the permuted file; appears whole or not at all"),
    BMF_OPTION("rows", NULL, BMF_FLAG(options, file.rows), "with --in: permute rows of the file as wholes"),
    BMF_OPTION("memory", "SIZE", BMF_OTHER(options, file.memory, byte_count_read),
               "with --in: memory of every rank, such as 512M or 4G; default: half of what the host has left"),
    BMF_OPTION(
        "block", "SIZE", BMF_OTHER(options, file.block, byte_count_read),
        "with --in: read and write at least so many bytes in one place, such as 1M for disks that seek; default: "
        "as a place costs as long as 16K bytes"),
    BMF_OPTION(
        "work", "DIR", BMF_TEXT(options, file.work),
        "with --in: work in this directory, on the file system of --out; a run that was ended goes on there when "
        "the same command is given again"),
    BMF_OPTION("copy", NULL, BMF_FLAG(options, file.copy), "with --in: also time a copy of the file"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print one JSON object"),
    BMF_OPTION_END};

static const options defaults = {.bits = -1, .method = BMF_PERMUTE_AUTO};

const bmf_driver permute_command = {
    .name = "permute",
    .summary = "permute data by a matrix of bits: transpose, bit reversal, Gray code, ..",
    .synopsis = BMF_MPIRUN_NAME " -n R bmf permute --bits N --elem B --matrix SPEC [OPTION]..\n" BMF_MPIRUN_NAME
                                " -n R bmf permute --in F.npy --out G.npy --matrix SPEC [--memory SIZE] [OPTION]..",
    .about =
        "Permutes 2^N elements of B bytes, split over the ranks, by y = A x + c over GF(2): the element with address x "
        "moves to address y. Prints what was moved and how fast. With --in and --out: those of a .npy file, in the "
        "least "
        "number of passes over the file that the memory allows.",
    .example = BMF_MPIRUN_NAME " -n 2 bmf permute --bits 24 --elem 8 --matrix transpose:12 --verify\n" BMF_MPIRUN_NAME
                               " -n 1 bmf permute --bits 40 --elem 8 --matrix bitrev --plan\n"
                               "bmf permute --bits 21 --elem 4 --matrix transpose:11 --machine decmpp-2048\n"
                               "bmf permute --in big.npy --out permuted.npy --matrix bitrev --memory 4G",
    .exit_code = "1 is a wrong element, too; 2 a singular matrix, or more data than memory.",
    .see = "bmf-machine",
    .note = "The options of every program of bmf, such as --bmf-threads, are understood too.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
