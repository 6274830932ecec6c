/* Every example of the language on a modelled machine and for real: the same value, the same messages and bytes between
 * processors, what ranks hand to MPI counted as it is handed over, and, with a processor a rank, the same events. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "ctest/testing.h"
#include "predict/model/model.h"
#include "runtime/backend.h"
#include "runtime/group.h"
#include "skeletons/language/program.h"

enum { MOST_DIFFERENCES = 5 };

/* An event's structural id, what it is about, and the texts behind its numbers. */
typedef struct identity {
    uint64_t path, name; /* hashes of texts */
    uint32_t instance, round;
    int32_t lane, peer, kind;
    int64_t amount;
} identity;

typedef struct outcome {
    int status;
    char message[BMF_MESSAGE_SIZE]; /* of a failure */
    int64_t processors;
    bmf_statistics sent;
    char *value; /* on the first rank */
    bmf_run *run;
    identity *event;
    int64_t events;
} outcome;

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash;
}

static int by_identity(const void *a, const void *b)
{
    const identity *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->amount < y->amount ? -1 : x->amount > y->amount;
}

/* The events below the program itself, in the order of their ids. */
static void list_events(outcome *out)
{
    const bmf_run *run = out->run;
    char path[1024];
    out->event = calloc((size_t)run->events + 1, sizeof *out->event);
    for (int64_t i = 0; i < run->events; i++) {
        const bmf_event *e = &run->event[i];
        if (e->kind == BMF_EVENT_REGION && e->node == 0)
            continue;
        bmf_run_path(run, e->node, path, sizeof path);
        out->event[out->events++] = (identity){.path = hash_of(path),
                                               .name = hash_of(run->name[e->name]),
                                               .instance = e->instance,
                                               .round = e->round,
                                               .lane = e->lane,
                                               .peer = e->peer,
                                               .kind = e->kind,
                                               .amount = e->amount};
    }
    qsort(out->event, (size_t)out->events, sizeof *out->event, by_identity);
}

static void free_outcome(outcome *out)
{
    free(out->value);
    free(out->event);
    bmf_run_free(out->run);
}

/* ---- running ---- */

static int load(bmf_context *ctx, const char *text, int64_t processors, bmf_program *program)
{
    bmf_program_options options = {.path = "test.bmf", .text = text, .processors = processors};
    BMF_TRY(bmf_program_load(ctx, &options, program));
    int64_t needed = bmf_processors_needed(program->checked);
    BMF_TRY(bmf_set_processors(ctx, needed > processors ? needed : processors));
    bmf_program_rewrite(program, &(bmf_rewriting){.laws = ~0u});
    return BMF_OK;
}

static int print_value(bmf_context *ctx, bmf_value *result, char **value)
{
    bmf_column column = {0};
    size_t size;
    BMF_TRY(bmf_program_gather(ctx, result, &column));
    if (bmf_is_root(ctx)) {
        FILE *stream = open_memstream(value, &size);
        bmf_data_print(&column, 0, stream);
        fclose(stream);
    }
    bmf_column_free(&column);
    return BMF_OK;
}

static int run_loaded(bmf_context *ctx, bmf_program *program, outcome *out)
{
    bmf_value result = {0};
    bmf_statistics before, after;
    BMF_TRY(bmf_total_statistics(ctx, &before));
    if (bmf_model_of(ctx))
        before = (bmf_statistics){0}; /* loading is forgotten */
    BMF_TRY(bmf_program_run(ctx, program, &result));
    BMF_TRY(bmf_total_statistics(ctx, &after));
    out->processors = bmf_processors(ctx);
    out->sent = (bmf_statistics){after.messages - before.messages, after.bytes - before.bytes,
                                 after.rank_messages - before.rank_messages, after.rank_bytes - before.rank_bytes};
    return print_value(ctx, &result, &out->value);
}

/* Starts a trace of its own. */
static void begin_trace(bmf_context *ctx)
{
    ctx->run = bmf_run_create("test", "here", (int32_t)ctx->processors, ctx->ranks, ctx->threads);
    free(ctx->instances);
    ctx->instances = NULL;
    ctx->instances_capacity = 0;
}

static void end_trace(bmf_context *ctx, const char *path, outcome *out)
{
    bmf_trace *trace;
    int status = bmf_trace_write_parallel(ctx, ctx->run, path);
    CHECK(status == BMF_OK, "%s", bmf_error_text(ctx));
    if (status == BMF_OK && bmf_is_root(ctx) && bmf_trace_read(ctx, path, &trace) == BMF_OK) {
        out->run = trace->run[0];
        trace->runs = 0;
        bmf_trace_free(trace);
        unlink(path);
        list_events(out);
    }
    bmf_run_free(ctx->run);
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
    bmf_program_free(&program);
}

static void run_model(bmf_context *ctx, const bmf_machine *machine, const char *text, int64_t processors, int64_t ranks,
                      outcome *out)
{
    bmf_program program = {0};
    out->status = bmf_model_start(ctx, machine, processors, ranks);
    if (out->status == BMF_OK)
        out->status = load(ctx, text, processors, &program);
    if (out->status == BMF_OK)
        out->status = run_loaded(ctx, &program, out);
    if (out->status == BMF_OK)
        out->status = bmf_model_trace(ctx, &out->run);
    if (out->status == BMF_OK)
        list_events(out);
    bmf_program_free(&program);
}

/* ---- comparing ---- */

static void show(const char *name, const char *whose, const outcome *out, const identity *event)
{
    char path[1024] = "?";
    const char *kernel = "";
    for (uint32_t n = 0; n < out->run->nodes; n++) {
        char text[1024];
        if (hash_of(bmf_run_path(out->run, n, text, sizeof text)) == event->path)
            memcpy(path, text, sizeof path);
    }
    for (uint32_t n = 0; n < out->run->names; n++)
        if (hash_of(out->run->name[n]) == event->name)
            kernel = out->run->name[n];
    CHECK(false, "%s, P = %d: only %s: %s %s of %s, instance %u, round %u, lane %d, peer %d, amount %lld", name,
          (int)out->processors, whose, bmf_event_kind_name((bmf_event_kind)event->kind), kernel, path, event->instance,
          event->round, (int)event->lane, (int)event->peer, (long long)event->amount);
}

static void compare_events(const char *name, const outcome *real, const outcome *model)
{
    int64_t i = 0, j = 0;
    for (int shown = 0; (i < real->events || j < model->events) && shown < MOST_DIFFERENCES;) {
        int order = i == real->events ? 1 : j == model->events ? -1 : by_identity(&real->event[i], &model->event[j]);
        if (order < 0)
            show(name, "measured", real, &real->event[i]);
        if (order > 0)
            show(name, "predicted", model, &model->event[j]);
        shown += order != 0;
        i += order <= 0;
        j += order >= 0;
    }
    CHECK(real->events == model->events, "%s, P = %d: %lld events, predicted %lld", name, (int)real->processors,
          (long long)real->events, (long long)model->events);
}

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
        compare_events(name, real, model);
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
    bmf_group_open(ctx, 1, &alone);
    if (alone) {
        run_model(alone, machine, text, processors, ctx->ranks, &model);
        note_message(alone, &model);
        compare(name, ctx->ranks, &real, &model);
    }
    bmf_group_close(alone);
    free_outcome(&real);
    free_outcome(&model);
}

static char *read_text(const char *name)
{
    char path[1024];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../examples/%s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".",
             name);
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!CHECK(file != NULL, "cannot open %s", path))
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
                                          "23-brackets.bmf",       "24-nested-split.bmf"};
    static const int64_t processors[] = {1, 2, 3, 4, 8};
    bmf_context *ctx;
    bmf_machine *machine;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    char folder[64] = "/tmp/mpi_model.XXXXXX", path[128];
    if (bmf_is_root(ctx) && !mkdtemp(folder))
        perror("mkdtemp");
    BMF_CHECK(ctx->backend->share(ctx, 0, folder, sizeof folder));
    snprintf(path, sizeof path, "%s/run.trace", folder);
    BMF_CHECK(bmf_machine_parse("compute = { zero = true; };\n"
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
    bmf_machine_free(machine);
    if (bmf_is_root(ctx))
        rmdir(folder);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
