/* Several contexts at once: on the world, on a half of it and on each rank alone, traced and not, for real and
 * predicted; each gives what it would give by itself, and the error of one leaves the others as they are. Here bmf
 * initialises MPI, and the last context finalises it; contexts_host.c has the other way. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf.h"
#include "bmf/mpi.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"
#include "runtime/trace/trace.h"

enum { HALF_PROCESSORS = 5, MODEL_PROCESSORS = 16, STEPS = 4 };

/* The contexts of a rank. */
typedef struct contexts {
    bmf_context *world, *half, *alone, *model;
} contexts;

static int rank, ranks;

static bool is_mpi_finalised(void)
{
    int finalised = 0;
    MPI_Finalized(&finalised);
    return finalised;
}

static int open_half(contexts *c, const char *folder)
{
    bool first_half = rank < (ranks + 1) / 2;
    char trace[512];
    MPI_Comm comm;
    snprintf(trace, sizeof trace, "%s/half.trace", folder);
    bmf_options options = bmf_options_init();
    options.processors = HALF_PROCESSORS;
    options.trace = first_half ? trace : NULL;
    options.program = first_half ? "somewhere/first" : "second";
    options.schedule = "scan=tree";
    options.reassociate = !first_half;
    MPI_Comm_split(MPI_COMM_WORLD, first_half, -rank, &comm); /* ranks the other way round */
    int status = bmf_open_with(comm, &options, &c->half);
    MPI_Comm_free(&comm);
    return status;
}

static void open_contexts(contexts *c, const char *folder)
{
    bmf_options options = bmf_options_init();
    BMF_CHECK(open_half(c, folder));
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, NULL, &c->alone));
    options.machine = "ideal";
    options.processors = MODEL_PROCESSORS;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &c->model));
}

static void check_options(const contexts *c)
{
    bool first_half = rank < (ranks + 1) / 2;
    int half_ranks = first_half ? (ranks + 1) / 2 : ranks / 2, first = first_half ? half_ranks - 1 : ranks - 1;
    CHECK(bmf_ranks(c->world) == ranks && bmf_rank(c->world) == rank, "the world");
    CHECK(bmf_ranks(c->half) == half_ranks, "%d ranks in the half", bmf_ranks(c->half));
    CHECK(bmf_rank(c->half) == first - rank, "rank %d of the half", bmf_rank(c->half));
    CHECK(bmf_processors(c->half) == HALF_PROCESSORS, "%lld processors", (long long)bmf_processors(c->half));
    CHECK(bmf_is_reproducible(c->half) == first_half && bmf_is_reproducible(c->world), "the wrong one reassociates");
    CHECK(bmf_ranks(c->alone) == 1 && bmf_processors(c->alone) == 1, "alone");
    CHECK(bmf_ranks(c->model) == 1 && bmf_processors(c->model) == MODEL_PROCESSORS, "the model");
}

/* Prefix sums of 0 .. n - 1 begun in one call and used in the next, so that those of the contexts are interleaved. */
static void begin_step(bmf_context *ctx, int64_t n, bmf_list **sums)
{
    bmf_list *xs = NULL;
    BMF_CHECK(bmf_iota(ctx, n, &xs));
    BMF_CHECK(bmf_scan(xs, &bmf_plus_int, BMF_INCLUSIVE, sums));
    bmf_list_free(xs);
}

static void end_step(bmf_list *sums, int64_t n, const char *name)
{
    int64_t last = -1, total = -1;
    BMF_CHECK(bmf_index(sums, n - 1, &last));
    CHECK(last == n * (n - 1) / 2, "%s: the last prefix of %lld is %lld", name, (long long)n, (long long)last);
    BMF_CHECK(bmf_reduce(sums, &bmf_plus_int, &total));
    CHECK(total == (n - 1) * n * (n + 1) / 6, "%s: the sum of prefixes of %lld is %lld", name, (long long)n,
          (long long)total);
    bmf_list_free(sums);
}

static void interleave(const contexts *c)
{
    for (int step = 0; step < STEPS; step++) {
        int64_t n = 1000 * step + 17;
        bmf_list *world, *half, *alone, *model;
        begin_step(c->world, n, &world);
        begin_step(c->half, n + 1, &half);
        begin_step(c->model, n + 2, &model);
        begin_step(c->alone, n + 3, &alone);
        end_step(half, n + 1, "half");
        end_step(alone, n + 3, "alone");
        end_step(world, n, "world");
        end_step(model, n + 2, "model");
    }
}

/* An error in one context: its own message, on its ranks, and the others can go on. */
static void check_errors(const contexts *c)
{
    bmf_list *xs = NULL;
    double sum = 0.0;
    int64_t element = 0;
    BMF_CHECK(bmf_iota(c->half, 10, &xs));
    CHECK(bmf_reduce(xs, &bmf_plus_real, &sum) == BMF_ERROR_TYPE, "ints were added as reals");
    CHECK(strstr(bmf_error_text(c->half), "plus_real"), "half: '%s'", bmf_error_text(c->half));
    CHECK(!*bmf_error_text(c->world) && !*bmf_error_text(c->alone), "another context has the message");
    CHECK(bmf_index(xs, 10, &element) == BMF_ERROR_INDEX, "index 10 of 10");
    bmf_list_free(xs);
    interleave(c);
}

/* Every rank sees the failure of one, in its own contexts only. */
static int fail_on_first_rank(bmf_context *ctx)
{
    int status = bmf_rank(ctx) == 0 ? bmf_fail(ctx, BMF_ERROR_FILE, "rank 0 of %d", bmf_ranks(ctx)) : BMF_OK;
    BMF_TRY(bmf_agree(ctx, status));
    return BMF_OK;
}

static void check_agreement(const contexts *c)
{
    char expected[64];
    CHECK(fail_on_first_rank(c->half) == BMF_ERROR_FILE, "no failure");
    snprintf(expected, sizeof expected, "rank 0 of %d", bmf_ranks(c->half));
    CHECK(strcmp(bmf_error_text(c->half), expected) == 0, "'%s', not '%s'", bmf_error_text(c->half), expected);
}

/* ---- macros ---- */

static int freed;

static int try_or(int status)
{
    BMF_TRY_OR(status, freed++);
    return BMF_OK;
}

static int try_goto(int first, int second)
{
    int status;
    BMF_TRY_GOTO(first, status, done);
    BMF_TRY_GOTO(second, status, done);
done:
    freed++;
    return status;
}

static void check_macros(void)
{
    CHECK(try_or(BMF_OK) == BMF_OK && freed == 0, "cleanup without an error");
    CHECK(try_or(BMF_ERROR_FILE) == BMF_ERROR_FILE && freed == 1, "no cleanup");
    CHECK(try_goto(BMF_OK, BMF_OK) == BMF_OK && freed == 2, "success");
    CHECK(try_goto(BMF_ERROR_TYPE, BMF_ERROR_FILE) == BMF_ERROR_TYPE && freed == 3, "the first error");
    CHECK(try_goto(BMF_OK, BMF_ERROR_FILE) == BMF_ERROR_FILE && freed == 4, "the second error");
}

/* ---- what bmf_open_with refuses ---- */

static void check_refused(MPI_Comm comm, bmf_options options, int status, const char *text)
{
    bmf_context *ctx = (bmf_context *)&options;
    CHECK(bmf_open_with(comm, &options, &ctx) == status && !ctx, "accepted; expected: %s", text);
    CHECK(strstr(bmf_error_text(NULL), text), "'%s' does not say '%s'", bmf_error_text(NULL), text);
}

static void check_refusals(void)
{
    bmf_options options = bmf_options_init();
    check_refused(MPI_COMM_NULL, options, BMF_ERROR_ARGUMENT, "MPI_COMM_NULL");
    options.processors = -1;
    check_refused(MPI_COMM_WORLD, options, BMF_ERROR_ARGUMENT, "bmf_options.processors");
    options.processors = 0;
    options.threads = 1 << 20;
    check_refused(MPI_COMM_SELF, options, BMF_ERROR_ARGUMENT, "bmf_options.threads");
    options.threads = rank == ranks - 1 ? -1 : 1; /* on one rank only: all refuse */
    check_refused(MPI_COMM_WORLD, options, BMF_ERROR_ARGUMENT, "bmf_options.threads");
    options.threads = 0;
    options.schedule = "scan=quickly";
    check_refused(MPI_COMM_WORLD, options, BMF_ERROR_USAGE, "quickly");
    options.schedule = NULL;
    options.machine = "no-such-machine";
    check_refused(MPI_COMM_SELF, options, BMF_ERROR_FILE, "no-such-machine");
    options.machine = NULL;
    options.size = 0;
    check_refused(MPI_COMM_WORLD, options, BMF_ERROR_ARGUMENT, "bmf_options_init");
}

/* Options of a program that was compiled with a header of another version. */
static void check_versions(void)
{
    bmf_context *ctx;
    struct {
        bmf_options known;
        int64_t more;
    } newer = {.known = bmf_options_init()};
    bmf_options older = bmf_options_init();
    newer.known.size = sizeof newer;
    newer.known.processors = 3;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &newer.known, &ctx));
    CHECK(bmf_processors(ctx) == 3, "%lld processors", (long long)bmf_processors(ctx));
    bmf_close(ctx);
    newer.more = 1;
    CHECK(bmf_open_with(MPI_COMM_SELF, &newer.known, &ctx) == BMF_ERROR_ARGUMENT && !ctx, "an unknown member");
    older.size = offsetof(bmf_options, threads);
    older.processors = 2;
    older.threads = -7; /* beyond its end */
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &older, &ctx));
    CHECK(bmf_processors(ctx) == 2, "%lld processors", (long long)bmf_processors(ctx));
    bmf_close(ctx);
}

/* An argument wins over a member, a member over the environment. */
static void check_precedence(void)
{
    char name[] = "dir/name", option[] = "--bmf-procs", value[] = "6", other[] = "-x";
    char *arguments[] = {name, other, option, value, NULL}, **argv = arguments;
    int argc = 4;
    bmf_context *ctx;
    bmf_options options = bmf_options_init();
    setenv("BMF_PROCS", "4", 1);
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, NULL, &ctx));
    CHECK(bmf_processors(ctx) == 4, "the environment: %lld", (long long)bmf_processors(ctx));
    bmf_close(ctx);
    options.ignore_environment = true;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(bmf_processors(ctx) == 1, "no environment: %lld", (long long)bmf_processors(ctx));
    bmf_close(ctx);
    options = bmf_options_init();
    options.processors = 5;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(bmf_processors(ctx) == 5, "a member: %lld", (long long)bmf_processors(ctx));
    bmf_close(ctx);
    options.argc = &argc;
    options.argv = &argv;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(bmf_processors(ctx) == 6, "an argument: %lld", (long long)bmf_processors(ctx));
    CHECK(argc == 2 && strcmp(argv[1], "-x") == 0, "what is left: %d arguments", argc);
    bmf_close(ctx);
    unsetenv("BMF_PROCS");
}

/* ---- traces ---- */

static void check_trace(bmf_context *ctx, const char *folder)
{
    char path[512];
    bmf_trace *trace = NULL;
    if (!bmf_is_root(ctx))
        return;
    snprintf(path, sizeof path, "%s/half.trace", folder);
    CHECK(bmf_trace_read(ctx, path, &trace) == BMF_OK, "%s", bmf_error_text(ctx));
    if (!trace)
        return;
    const bmf_trace_run *run = trace->run[0];
    CHECK(run->lanes == HALF_PROCESSORS && run->ranks == (ranks + 1) / 2, "%d lanes on %d ranks", (int)run->lanes,
          (int)run->ranks);
    CHECK(strcmp(run->program, "first") == 0, "program %s", run->program);
    CHECK(run->events > HALF_PROCESSORS, "%lld events", (long long)run->events);
    bmf_trace_free(trace);
    unlink(path);
    CHECK(rmdir(folder) == 0, "%s holds another trace", folder);
}

int main(int argc, char **argv)
{
    contexts c;
    bmf_list *sums;
    char folder[TEST_DIRECTORY];
    BMF_CHECK(bmf_open(&argc, &argv, &c.world));
    rank = bmf_rank(c.world);
    ranks = bmf_ranks(c.world);
    test_directory("mpi_contexts", folder);
    open_contexts(&c, folder);
    check_options(&c);
    interleave(&c);
    check_errors(&c);
    check_agreement(&c);
    check_macros();
    check_refusals();
    check_versions();
    check_precedence();
    interleave(&c);
    CHECK(bmf_close(c.half) == 0 && bmf_close(c.model) == 0, "closing");
    check_trace(c.world, folder);
    bmf_close(c.world); /* the one that initialised MPI, but not the last */
    CHECK(!is_mpi_finalised(), "MPI was finalised with a context open");
    begin_step(c.alone, 100, &sums);
    end_step(sums, 100, "alone");
    bmf_close(c.alone);
    CHECK(is_mpi_finalised(), "MPI goes on without a context");
    CHECK(bmf_open(&argc, &argv, &c.world) == BMF_ERROR_USAGE && !c.world, "opened after MPI's end");
    CHECK(strstr(bmf_error_text(NULL), "MPI is finalised already"), "'%s'", bmf_error_text(NULL));
    return test_finish();
}
