/* Every example of the language on a modelled machine and for real: the same value, the same messages and bytes between
 * processors, what ranks hand to MPI counted as it is handed over, and, with a processor a rank, the same events. What
 * ranks hand over is counted by MPI's profiling interface. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "ctest/support/directory.h"
#include "ctest/support/events.h"
#include "ctest/support/testing.h"
#include "predict/model/model.h"
#include "runtime/backend/backend.h"
#include "runtime/context/group.h"
#include "skeletons/language/program.h"

/* ---- what this rank hands to MPI ---- */

static int64_t handed_messages, handed_bytes;

static void count_handed(int count, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    handed_messages++;
    handed_bytes += (int64_t)count * size;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_handed(count, type);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_handed(count, type);
    return PMPI_Issend(data, count, type, to, tag, comm, request);
}

/* ---- outcomes ---- */

typedef struct outcome {
    int status;
    char message[BMF_MESSAGE_SIZE]; /* of a failure */
    int64_t processors;
    bmf_statistics sent;
    char *value; /* on the first rank */
    bmf_trace_run *run;
} outcome;

static void free_outcome(outcome *out)
{
    free(out->value);
    run_free(out->run);
}

/* ---- running ---- */

static int load(bmf_context *ctx, const char *text, int64_t processors, bmf_program *program)
{
    bmf_program_options options = {.path = "test.bmf", .text = text, .processors = processors};
    BMF_TRY(program_load(ctx, &options, program));
    int64_t needed = processors_needed(program->checked);
    BMF_TRY(bmf_set_processors(ctx, needed > processors ? needed : processors));
    program_rewrite(program, &(bmf_rewriting){.laws = ~0u});
    return BMF_OK;
}

static int print_value(bmf_context *ctx, bmf_value *result, char **value)
{
    bmf_column column = {0};
    size_t size;
    BMF_TRY(program_gather(ctx, result, &column));
    if (bmf_is_root(ctx)) {
        FILE *stream = open_memstream(value, &size);
        data_print(&column, 0, stream);
        fclose(stream);
    }
    column_free(&column);
    return BMF_OK;
}

/* What all ranks together handed to MPI is what the statistics say. */
static void check_handed(bmf_context *ctx, int64_t messages, int64_t bytes, int64_t told_messages, int64_t told_bytes)
{
    int64_t mine[2] = {messages, bytes}, sum[2];
    MPI_Allreduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, ctx->comm);
    CHECK(sum[0] == told_messages && sum[1] == told_bytes,
          "%lld messages and %lld bytes handed to MPI, %lld and %lld told", (long long)sum[0], (long long)sum[1],
          (long long)told_messages, (long long)told_bytes);
}

static int run_loaded(bmf_context *ctx, bmf_program *program, outcome *out)
{
    bmf_value result = {0};
    bmf_statistics before, after;
    BMF_TRY(bmf_total_statistics(ctx, &before));
    if (model_of_context(ctx))
        before = (bmf_statistics){0}; /* loading is forgotten */
    int64_t messages = handed_messages, bytes = handed_bytes;
    BMF_TRY(program_run(ctx, program, &result));
    messages = handed_messages - messages;
    bytes = handed_bytes - bytes;
    BMF_TRY(bmf_total_statistics(ctx, &after));
    if (!model_of_context(ctx))
        check_handed(ctx, messages, bytes, after.rank_messages - before.rank_messages,
                     after.rank_bytes - before.rank_bytes);
    out->processors = bmf_processors(ctx);
    out->sent = (bmf_statistics){after.messages - before.messages, after.bytes - before.bytes,
                                 after.rank_messages - before.rank_messages, after.rank_bytes - before.rank_bytes};
    return print_value(ctx, &result, &out->value);
}

/* Starts a trace of its own. */
static void begin_trace(bmf_context *ctx)
{
    ctx->run = run_create("test", "here", (int32_t)ctx->processors, ctx->ranks, ctx->threads);
    free(ctx->instances);
    ctx->instances = NULL;
    ctx->instances_capacity = 0;
}

static void end_trace(bmf_context *ctx, const char *path, outcome *out)
{
    bmf_trace *trace;
    int status = trace_write_parallel(ctx, ctx->run, path);
    CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
    if (status == BMF_OK && bmf_is_root(ctx) && bmf_trace_read(ctx, path, &trace) == BMF_OK) {
        out->run = trace->run[0];
        trace->runs = 0;
        bmf_trace_free(trace);
        unlink(path);
    }
    run_free(ctx->run);
    ctx->run = NULL;
}

static void run_real(bmf_context *ctx, const char *text, int64_t processors, const char *path, outcome *out)
{
    bmf_program program;
    out->status = load(ctx, text, processors, &program);
    if (out->status == BMF_OK) {
        begin_trace(ctx);
        out->status = run_loaded(ctx, &program, out);
        end_trace(ctx, path, out);
    }
    program_free(&program);
}

static void run_model(bmf_context *ctx, const bmf_machine *machine, const char *text, int64_t processors, int64_t ranks,
                      outcome *out)
{
    bmf_program program = {0};
    out->status = model_open(ctx, machine, processors, ranks);
    if (out->status == BMF_OK)
        out->status = load(ctx, text, processors, &program);
    if (out->status == BMF_OK)
        out->status = run_loaded(ctx, &program, out);
    if (out->status == BMF_OK)
        out->status = model_trace(ctx, &out->run);
    program_free(&program);
}

/* ---- comparing ---- */

static void compare(const char *name, int ranks, const outcome *real, const outcome *model)
{
    const bmf_statistics *a = &real->sent, *b = &model->sent;
    int processors = (int)real->processors;
    CHECK(real->status == model->status && strcmp(real->message, model->message) == 0,
          "%s, P = %d: status %d, predicted %d: %s%s", name, processors, real->status, model->status, real->message,
          model->message);
    if (real->status != BMF_OK || model->status != BMF_OK)
        return;
    CHECK(strcmp(real->value, model->value) == 0, "%s, P = %d: %s, predicted %s", name, processors, real->value,
          model->value);
    CHECK(a->messages == b->messages && a->bytes == b->bytes,
          "%s, P = %d, R = %d: %lld messages and %lld bytes, predicted %lld and %lld", name, processors, ranks,
          (long long)a->messages, (long long)a->bytes, (long long)b->messages, (long long)b->bytes);
    CHECK(a->rank_messages == b->rank_messages && a->rank_bytes == b->rank_bytes,
          "%s, P = %d, R = %d: %lld messages and %lld bytes between ranks, predicted %lld and %lld", name, processors,
          ranks, (long long)a->rank_messages, (long long)a->rank_bytes, (long long)b->rank_messages,
          (long long)b->rank_bytes);
    if (processors == ranks)
        CHECK(test_different_events(name, real->run, model->run) == 0, "%s, P = R = %d", name, ranks);
}

static void note_message(const bmf_context *ctx, outcome *out)
{
    if (out->status != BMF_OK)
        memcpy(out->message, ctx->message, sizeof out->message);
}

static void try_program(bmf_context *ctx, const bmf_machine *machine, const char *name, const char *text,
                        int64_t processors, const char *path)
{
    /* four points on more processors: some have none, and no corners */
    bool may_fail = strcmp(name, "22-unit-square.bmf") == 0 && processors > 4;
    outcome real = {0}, model = {0};
    bmf_context *alone;
    run_real(ctx, text, processors, path, &real);
    CHECK(real.status == BMF_OK || may_fail, "%s: %s", name, bmf_error_text(ctx));
    note_message(ctx, &real);
    group_open(ctx, 1, &alone);
    if (alone) {
        run_model(alone, machine, text, processors, ctx->ranks, &model);
        note_message(alone, &model);
        compare(name, ctx->ranks, &real, &model);
    }
    bmf_close(alone);
    free_outcome(&real);
    free_outcome(&model);
}

static char *read_text(const char *name)
{
    char path[1024];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../../examples/%s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".",
             name);
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!CHECK(file, "cannot open %s", path))
        return NULL;
    CHECK(getdelim(&text, &room, '\0', file) > 0, "cannot read %s", path);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    static const char *const example[] = {"11-factorials.bmf",     "12-mean-variance.bmf", "13-transpose.bmf",
                                          "14-matrix-product.bmf", "15-matrix-vector.bmf", "16-maximum-segment-sum.bmf",
                                          "17-histogram.bmf",      "18-primes.bmf",        "19-mandelbrot.bmf",
                                          "20-polynomial.bmf",     "21-all-pairs.bmf",     "22-unit-square.bmf",
                                          "23-brackets.bmf",       "24-nested-split.bmf",  "25-k-means.bmf"};
    static const int64_t processors[] = {1, 2, 3, 4, 8};
    bmf_context *ctx;
    bmf_machine *machine;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    char folder[TEST_DIRECTORY], path[TEST_DIRECTORY + 16];
    test_directory("mpi_model", folder);
    snprintf(path, sizeof path, "%s/run.trace", folder);
    BMF_CHECK(machine_parse("compute = { zero = true; };\n"
                            "network = { type = \"hockney\"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };\n",
                            "test.machine", &machine));
    for (size_t e = 0; e < sizeof example / sizeof example[0]; e++) {
        char *text = read_text(example[e]);
        for (size_t p = 0; text && p < sizeof processors / sizeof processors[0]; p++)
            try_program(ctx, machine, example[e], text, processors[p], path);
        if (text && ctx->ranks > 4 && ctx->ranks < 8)
            try_program(ctx, machine, example[e], text, ctx->ranks, path);
        free(text);
    }
    machine_free(machine);
    if (bmf_is_root(ctx))
        rmdir(folder);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
