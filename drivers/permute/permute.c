/* bmf permute: runs or plans one BMMC permutation. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/permute/data.h"
#include "drivers/permute/predict.h"
#include "permute/exchange/exchange.h"
#include "bmf/permute.h"
#include "runtime/backend/backend.h"

enum { LARGEST_ELEMENT = 4096, REPEATS = 5 };

typedef struct options {
    int bits;
    int64_t element_bytes;
    const char *matrix, *complement, *method_name;
    const char *machine; /* predict for it, with so many processors; NULL: run */
    int64_t processors;
    bmf_permute_method method;
    bool plan, verify, naive, tune, relabel, json, help;
} options;

static void print_help(void)
{
    puts(
        "usage: mpirun -n R bmf permute --bits N --elem B --matrix SPEC [OPTION]..\n"
        "\n"
        "Permutes 2^N elements of B bytes, split over the ranks, by y = A x + c over GF(2): the element with address "
        "x\n"
        "moves to address y. Prints what was moved and how fast.\n"
        "\n"
        "  --bits N            address bits, 0 to 63\n"
        "  --elem B            bytes of an element, 1 to 4096\n"
        "  --matrix SPEC       A: identity, bitrev, transpose:ROWBITS, gray, invgray, shuffle:K, reblock:A,B,C,D,\n"
        "                      random:SEED, randombpc:SEED, file:PATH (N lines of N characters 0 or 1; row i, column "
        "j\n"
        "                      is a_ij, the least significant bit first)\n"
        "  --complement HEX    c; default 0\n"
        "  --method M          rounds, alltoallv, naive or auto (default)\n"
        "  --plan              print the plan and stop; needs no memory for the elements\n"
        "  --verify            check every element of the result\n"
        "  --naive             also time the naive way: element by element on one rank, row by row on several\n"
        "  --tune              choose the method by short trials; auto remembers the result for such permutations\n"
        "  --relabel           let the result's blocks stand on other ranks, to send less\n"
        "  --machine M         predict it on the machine of file M instead, by method; also sets and clusters: record\n"
        "                      by record in 1-permutable sets of processors, of clusters of processors\n"
        "  --procs P           with --machine: processors; default: those of the machine\n"
        "  --json              print one JSON object\n"
        "  --help              this text\n"
        "\n"
        "Example: mpirun -n 2 bmf permute --bits 24 --elem 8 --matrix transpose:12 --verify\n"
        "         bmf permute --bits 21 --elem 4 --matrix transpose:11 --machine decmpp-2048");
}

/* ---- options ---- */

static int read_number(const char *name, const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < low || number > high)
        return bmf_usage_error("permute", "--%s takes a whole number from %lld to %lld, not '%s'", name, (long long)low,
                               (long long)high, text);
    *value = number;
    return 0;
}

static const struct option known_options[] = {{"bits", required_argument, NULL, 'n'},
                                              {"elem", required_argument, NULL, 'b'},
                                              {"matrix", required_argument, NULL, 'm'},
                                              {"complement", required_argument, NULL, 'c'},
                                              {"method", required_argument, NULL, 'M'},
                                              {"plan", no_argument, NULL, 'p'},
                                              {"verify", no_argument, NULL, 'v'},
                                              {"naive", no_argument, NULL, 'N'},
                                              {"tune", no_argument, NULL, 't'},
                                              {"relabel", no_argument, NULL, 'r'},
                                              {"machine", required_argument, NULL, 'a'},
                                              {"procs", required_argument, NULL, 'P'},
                                              {"json", no_argument, NULL, 'j'},
                                              {"help", no_argument, NULL, 'h'},
                                              {0}};

static int read_option(int c, char **argv, options *o)
{
    int64_t number = 0;
    int code = 0;
    switch (c) {
    case 'n':
        code = read_number("bits", optarg, 0, BMF_MAX_BITS, &number);
        o->bits = (int)number;
        break;
    case 'b':
        code = read_number("elem", optarg, 1, LARGEST_ELEMENT, &o->element_bytes);
        break;
    case 'm':
        o->matrix = optarg;
        break;
    case 'c':
        o->complement = optarg;
        break;
    case 'M':
        o->method_name = optarg;
        break;
    case 'a':
        o->machine = optarg;
        break;
    case 'P':
        code = read_number("procs", optarg, 1, INT32_MAX, &o->processors);
        break;
    case 'p':
        o->plan = true;
        break;
    case 'v':
        o->verify = true;
        break;
    case 'N':
        o->naive = true;
        break;
    case 't':
        o->tune = true;
        break;
    case 'r':
        o->relabel = true;
        break;
    case 'j':
        o->json = true;
        break;
    case 'h':
        o->help = true;
        break;
    case ':':
        return bmf_usage_error("permute", "option '%s' needs a value", argv[optind - 1]);
    default:
        return bmf_usage_error("permute", "unknown option '%s'", argv[optind - 1]);
    }
    return code;
}

/* With a machine the methods are those of the prediction. */
static int check_prediction(const options *o)
{
    if (!o->machine)
        return o->processors ? bmf_usage_error("permute", "--procs goes with --machine") : 0;
    if (o->plan || o->verify || o->naive || o->tune || o->relabel)
        return bmf_usage_error("permute", "--machine only predicts; leave out --%s",
                               o->plan     ? "plan"
                               : o->verify ? "verify"
                               : o->naive  ? "naive"
                               : o->tune   ? "tune"
                                           : "relabel");
    return 0;
}

static int check_method(options *o)
{
    if (o->method_name && !o->machine && !bmf_permute_method_find(o->method_name, &o->method))
        return bmf_usage_error("permute", "unknown method '%s'; known: rounds, alltoallv, naive, auto", o->method_name);
    if (o->tune && o->method != BMF_PERMUTE_AUTO)
        return bmf_usage_error("permute", "--tune chooses the method; leave out --method");
    return 0;
}

static int read_options(int argc, char **argv, options *o)
{
    *o = (options){.bits = -1, .method = BMF_PERMUTE_AUTO};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known_options, NULL)) != -1;) {
        int code = read_option(c, argv, o);
        if (code)
            return code;
    }
    if (o->help)
        return 0;
    if (optind != argc)
        return bmf_usage_error("permute", "unexpected argument '%s'", argv[optind]);
    if (o->bits < 0)
        return bmf_usage_error("permute", "how many elements? give --bits");
    if (o->element_bytes == 0)
        return bmf_usage_error("permute", "elements of how many bytes? give --elem");
    if (!o->matrix)
        return bmf_usage_error("permute", "which permutation? give --matrix");
    int code = check_prediction(o);
    return code ? code : check_method(o);
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
} job;

/* Refuses what does not fit into memory before asking for it: source, target and scratch, which may be
 * two shares, on every rank of this host. */
static int check_memory(const job *j)
{
    int64_t available = bmf_available_memory();
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

static int run_memcpy(job *j)
{
    bmf_permute_data_copy(j->target, j->source, j->count * j->o->element_bytes, j->ctx->threads);
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
        bmf_permute_data_check(j->target, j->o->element_bytes, j->first, j->count, &j->permutation, j->ctx->threads);
    j->result.verified = true;
    if (wrong < 0)
        return bmf_agree(j->ctx, BMF_OK);
    return bmf_agree(
        j->ctx, bmf_fail(j->ctx, BMF_ERROR_INTERNAL, "permute: element %" PRId64 " of the result is wrong", wrong));
}

static int run_job(job *j)
{
    const options *o = j->o;
    BMF_TRY(allocate(j));
    bmf_permute_data_fill(j->source, o->element_bytes, j->first, j->count, j->ctx->threads);
    memset(j->target, 0, (size_t)(j->count * o->element_bytes));
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
    if (o->verify)
        BMF_TRY(verify(j));
    return measure(j, REPEATS, run_chosen, &j->result.seconds);
}

/* ---- output ---- */

static void print_json(const job *j)
{
    const bmf_permute_plan *plan = j->plan;
    const result *r = &j->result;
    printf("{\"bits\": %d, \"elem\": %" PRId64 ", \"ranks\": %d, \"threads\": %d, \"class\": \"%s\", ", j->o->bits,
           j->o->element_bytes, j->ctx->ranks, j->ctx->threads, bmf_permutation_class_name(plan->class_));
    if (plan->rank >= 0)
        printf("\"rank_r\": %d, ", plan->rank);
    else
        printf("\"rank_r\": null, ");
    printf("\"method\": \"%s\", \"rounds\": %" PRId64 ", ", bmf_permute_method_name(plan->method), plan->rounds);
    if (j->o->plan)
        printf("\"messages\": %" PRId64 ", \"predicted_bytes\": %" PRId64 ", \"predicted_seconds\": %.6g",
               plan->messages, plan->bytes, plan->seconds[plan->method]);
    else
        printf("\"messages\": %" PRId64 ", \"bytes\": %" PRId64 ", \"predicted_bytes\": %" PRId64
               ", \"seconds\": %.6g, \"memcpy_seconds\": %.6g, \"fraction_of_memcpy\": %.4g",
               r->moved.messages, r->moved.bytes, plan->bytes, r->seconds, r->memcpy_seconds,
               r->memcpy_seconds / r->seconds);
    if (j->o->naive && !j->o->plan)
        printf(", \"naive_seconds\": %.6g", r->naive_seconds);
    if (r->verified)
        printf(", \"verified\": true");
    puts("}");
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

static int predict(bmf_context *ctx, const options *o, const bmf_permutation *p)
{
    const bmf_permute_forecast forecast = {.machine = o->machine,
                                           .processors = o->processors,
                                           .element_bytes = o->element_bytes,
                                           .method = o->method_name,
                                           .json = o->json};
    int status = bmf_permute_forecast_print(ctx, &forecast, p);
    if (status != BMF_OK && bmf_is_root(ctx))
        fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
    return bmf_exit_code(status);
}

static int run(bmf_context *ctx, const options *o, const bmf_permutation *p)
{
    job j = {.ctx = ctx, .o = o, .permutation = *p};
    int status = permute(&j);
    if (status != BMF_OK && bmf_is_root(ctx))
        fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
    if (j.source_buffer)
        buffer_release(j.source_buffer);
    if (j.target_buffer)
        buffer_release(j.target_buffer);
    bmf_permute_plan_free(j.plan);
    return bmf_exit_code(status);
}

int bmf_command_permute(int argc, char **argv)
{
    options o;
    bmf_permutation p;
    bmf_context *ctx;
    if (bmf_open(&argc, &argv, &ctx) != BMF_OK)
        return bmf_report(BMF_ERROR_USAGE);
    int code = read_options(argc, argv, &o);
    if (code == 0 && o.help && bmf_is_root(ctx))
        print_help();
    else if (code == 0 && !o.help) {
        int status = bmf_permutation_parse(ctx, o.bits, o.matrix, &p);
        if (status == BMF_OK && o.complement)
            status = bmf_permutation_parse_complement(ctx, o.complement, &p);
        status = bmf_agree(ctx, status);
        if (status == BMF_OK)
            code = o.machine ? predict(ctx, &o, &p) : run(ctx, &o, &p);
        else if (bmf_is_root(ctx))
            fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
        if (status != BMF_OK)
            code = bmf_exit_code(status);
    }
    int closed = bmf_close(ctx);
    code = code ? code : closed;
    return code ? code : bmf_finish_output();
}
