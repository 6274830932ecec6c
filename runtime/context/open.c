/* Opening and closing contexts, any number of them in a process.
 *
 * Method: a context has a copy of its communicator, so that contexts never receive each other's messages, however their
 * communicators overlap. What remains of the process: the list of open contexts, and whether it was bmf that
 * initialised MPI; then the last context that closes finalises it. Cost: a duplicate of the communicator and one
 * allgather; to close, nothing, or a barrier if there is a trace. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bmf/mpi.h"
#include "runtime/base/abort_ranks.h"
#include "runtime/base/allocate.h"
#include "runtime/base/handle.h"
#include "runtime/base/kept_memory.h"
#include "runtime/base/launcher.h"
#include "runtime/base/memory.h"
#include "runtime/base/message.h"
#include "runtime/backend/wait.h"
#include "runtime/context/held.h"
#include "runtime/context/private.h"
#include "runtime/trace/trace.h"

static struct {
    bmf_context *first; /* open contexts, oldest first */
    bool initialised_mpi;
} process;

int (*model_start_hook)(bmf_context *ctx);
int (*finalise_hook)(void) = MPI_Finalize;

/* Latency and bandwidth of an ordinary MPI over shared memory or a fast network, where no table of costs is given; the
 * choice of an algorithm only needs their ratio to be of the right size. */
const bmf_cost_model fixed_costs = {2e-6, 1.0 / 5e9};

/* ---- the process ---- */

bmf_context *first_context(void)
{
    return process.first;
}

static void add_context(bmf_context *ctx)
{
    bmf_context **end = &process.first;
    while (*end)
        end = &(*end)->next;
    *end = ctx;
}

static void remove_context(bmf_context *ctx)
{
    bmf_context **link = &process.first;
    while (*link != ctx)
        link = &(*link)->next;
    *link = ctx->next;
}

/* Processes that another MPI's launcher started would each do all the work, and print its result. */
static int check_launcher(void)
{
    char text[256];
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return launcher_is_foreign(ranks, text, sizeof text) ? bmf_fail(NULL, BMF_ERROR_USAGE, "%s", text) : BMF_OK;
}

static int start_mpi(const bmf_options *options)
{
    int initialised = 0, finalised = 0, provided;
    MPI_Finalized(&finalised);
    if (finalised)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "bmf_open: MPI is finalised already, by the program or by bmf_close");
    MPI_Initialized(&initialised);
    if (!initialised) {
        MPI_Init_thread(options->argc, options->argv, MPI_THREAD_FUNNELED, &provided);
        process.initialised_mpi = true;
        return check_launcher();
    }
    return BMF_OK;
}

/* ---- opening ---- */

static MPI_Comm duplicate(bmf_context *ctx, MPI_Comm comm)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup(comm, &copy, &request);
    wait_all(ctx, 1, &request);
    /* The host program may want to see its own errors; those of bmf would be lost. */
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL);
    return copy;
}

static bmf_context *create_context(MPI_Comm comm)
{
    int compared;
    bmf_context *ctx = allocate_clear(1, (int64_t)sizeof *ctx);
    MPI_Comm_rank(comm, &ctx->rank);
    MPI_Comm_size(comm, &ctx->ranks);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &compared);
    ctx->whole_world = compared != MPI_UNEQUAL;
    ctx->oversubscribed = true; /* until the neighbours are known */
    ctx->epoch = monotonic_ns();
    ctx->comm = duplicate(ctx, comm);
    ctx->failure = failure_none;
    ctx->processors = ctx->ranks;
    ctx->reproducible = true;
    ctx->cost = fixed_costs;
    cluster_start(ctx);
    add_context(ctx);
    return ctx;
}

static void free_context(bmf_context *ctx)
{
    remove_context(ctx);
    keep_message(ctx);
    held_close(ctx);
    ctx->backend->destroy(ctx);
    MPI_Comm_free(&ctx->comm);
    run_free(ctx->run);
    free(ctx->trace_path);
    cost_table_free(ctx->costs);
    free(ctx->costs_path);
    free(ctx->machine_path);
    free(ctx->machine_changes);
    free(ctx->program);
    free(ctx->shared_memory);
    free(ctx->instances);
    handle_free(ctx);
}

static void start_trace(bmf_context *ctx)
{
    char host[256] = "";
    if (!ctx->trace_path && !ctx->machine_path)
        return;
    gethostname(host, sizeof host - 1);
    ctx->run = run_create(ctx->program, host, (int32_t)ctx->processors, ctx->ranks, ctx->threads);
}

/* --bmf-machine: from here on the context is that of another machine. */
static int start_model(bmf_context *ctx)
{
    if (!ctx->machine_path)
        return BMF_OK;
    if (!model_start_hook)
        return bmf_fail(ctx, BMF_ERROR_USAGE,
                        "--bmf-machine needs a program that is linked with the library bmf_predict; this one is not");
    if (ctx->ranks > 1)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "--bmf-machine takes one process for all processors, not %d ranks",
                        ctx->ranks);
    return model_start_hook(ctx);
}

static int read_options(bmf_context *ctx, const bmf_options *options)
{
    BMF_TRY(options_apply(ctx, options));
    return ctx->trace_path && bmf_is_root(ctx) ? trace_try_path(ctx, ctx->trace_path) : BMF_OK;
}

static int start(bmf_context *ctx, const bmf_options *options)
{
    int64_t started;
    BMF_TRY(meet_ranks(ctx, read_options(ctx, options), &started));
    if (ctx->rank != 0)
        ctx->plan = NULL;
    default_threads(ctx);
    start_threads(ctx);
    use_shared_memory(ctx);
    divide_processors(ctx);
    cluster_start(ctx);
    start_trace(ctx);
    clock_start(ctx, started);
    if (ctx->costs_path)
        BMF_TRY(costs_read(ctx, ctx->costs_path));
    return start_model(ctx);
}

int bmf_open_with(MPI_Comm comm, const bmf_options *options, bmf_context **opened)
{
    bmf_options own;
    int between_groups = 0;
    *opened = NULL;
    BMF_TRY(options_copy(options, &own));
    BMF_TRY(start_mpi(&own));
    if (comm != MPI_COMM_NULL)
        MPI_Comm_test_inter(comm, &between_groups);
    if (comm == MPI_COMM_NULL || between_groups)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "bmf_open_with takes a communicator of one group, not %s",
                        between_groups ? "an intercommunicator" : "MPI_COMM_NULL");
    bmf_context *ctx = create_context(comm);
    int status = start(ctx, &own);
    if (status != BMF_OK) {
        free_context(ctx);
        return status;
    }
    *opened = ctx;
    return BMF_OK;
}

int bmf_open(int *argc, char ***argv, bmf_context **opened)
{
    bmf_options options = bmf_options_init();
    options.argc = argc;
    options.argv = argv;
    return bmf_open_with(MPI_COMM_WORLD, &options, opened);
}

/* ---- closing ---- */

/* The program itself as an event on every lane, so that traces say how long it ran. */
static void close_program(bmf_context *ctx)
{
    int64_t end = context_now(ctx);
    for (int64_t p = 0; p < ctx->local_processors; p++)
        run_add(ctx->run, &(bmf_event){.begin = 0,
                                       .end = end,
                                       .low = end,
                                       .high = end,
                                       .lane = (int32_t)(ctx->first_processor + p),
                                       .peer = -1,
                                       .kind = BMF_EVENT_REGION});
}

void finalise_unless_open(void)
{
    if (process.first)
        return;
    if (!working_memory_is_kept())
        buffer_trim();
    if (process.initialised_mpi)
        finalise_hook();
}

/* Messages of these reductions are still on their way, into memory that nobody would free. */
static _Noreturn void refuse_unfinished(const bmf_context *ctx)
{
    const int under_way = ctx->under_way;
    if (bmf_is_root(ctx))
        fprintf(stderr, "bmf: bmf_close: %d reduction%s begun and not waited for (bmf_reduction_wait)\n", under_way,
                under_way == 1 ? " was" : "s were");
    fflush(stderr);
    abort_ranks(bmf_exit_code(BMF_ERROR_ARGUMENT));
}

int bmf_close(bmf_context *ctx)
{
    int status = BMF_OK;
    if (!ctx)
        return 0;
    if (ctx->under_way > 0)
        refuse_unfinished(ctx);
    if (ctx->backend->finish) {
        status = ctx->backend->finish(ctx);
    } else if (ctx->run) {
        context_meet(ctx);
        close_program(ctx);
        status = trace_write_parallel(ctx, ctx->run, ctx->trace_path);
    }
    if (status != BMF_OK && bmf_is_root(ctx))
        message_line("bmf", bmf_error_text(ctx));
    free_context(ctx);
    finalise_unless_open();
    return bmf_exit_code(status);
}
