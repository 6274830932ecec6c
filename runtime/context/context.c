/* The context: opening, closing, and what it knows. */
#define _GNU_SOURCE
#include "bmf/context.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/context/private.h"
#include "runtime/backend/wait.h"

static bmf_context *current;
int (*model_start_hook)(bmf_context *ctx);

/* Latency and bandwidth of an ordinary MPI over shared memory or a fast network; the choice of an algorithm only needs
 * their ratio to be of the right size. */
static const bmf_cost_model default_cost = {2e-6, 1.0 / 5e9};

bmf_context *current_context(void)
{
    return current;
}

int64_t context_now(const bmf_context *ctx)
{
    return monotonic_ns() - ctx->epoch;
}

double bmf_seconds(const bmf_context *ctx)
{
    return (double)ctx->backend->now((bmf_context *)ctx, -1) * 1e-9;
}

int bmf_max_seconds(bmf_context *ctx, double seconds, double *slowest)
{
    int64_t mine = (int64_t)(seconds * 1e9), *all = allocate(ctx->ranks * (int64_t)sizeof *all), largest = 0;
    int status = ctx->backend->collect(ctx, &mine, 1, all, ctx->ranks);
    for (int k = 0; k < ctx->ranks; k++)
        largest = all[k] > largest ? all[k] : largest;
    free(all);
    *slowest = (double)largest * 1e-9;
    return status;
}

static uint64_t hash_of_host(void)
{
    char host[256] = "";
    uint64_t hash = 14695981039346656037u;
    gethostname(host, sizeof host - 1);
    for (const char *c = host; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash;
}

/* A rank as its neighbours see it. */
typedef struct neighbour {
    uint64_t host;
    cpu_set_t cores; /* it may use */
} neighbour;

static neighbour describe_self(void)
{
    neighbour self = {.host = hash_of_host()};
    if (sched_getaffinity(0, sizeof self.cores, &self.cores) != 0)
        for (long k = 0; k < sysconf(_SC_NPROCESSORS_ONLN) && k < CPU_SETSIZE; k++)
            CPU_SET((size_t)k, &self.cores);
    return self;
}

/* Without the blocking calls that are slow exactly when there are many ranks. Ranks may be bound to different cores, so
 * the cores of a host are those that any of its ranks may use. */
void find_neighbours(bmf_context *ctx)
{
    neighbour self = describe_self(), *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    cpu_set_t cores = self.cores;
    MPI_Request request;
    MPI_Iallgather(&self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    ctx->node_ranks = 0;
    for (int r = 0; r < ctx->ranks; r++) {
        if (all[r].host != self.host)
            continue;
        ctx->node_ranks++;
        CPU_OR(&cores, &cores, &all[r].cores);
    }
    ctx->node_cores = CPU_COUNT(&cores);
    ctx->polite = ctx->node_ranks > ctx->node_cores;
    free(all);
}

void divide_processors(bmf_context *ctx)
{
    ctx->first_processor = bmf_first_processor(ctx, ctx->rank);
    ctx->local_processors = bmf_first_processor(ctx, ctx->rank + 1) - ctx->first_processor;
}

static char *copy_text(const char *text)
{
    int64_t size = (int64_t)strlen(text) + 1;
    return memcpy(allocate(size), text, (size_t)size);
}

void name_program(bmf_context *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    free(ctx->program);
    ctx->program = copy_text(slash ? slash + 1 : path);
    if (!ctx->run)
        return;
    free(ctx->run->program);
    ctx->run->program = copy_text(ctx->program);
}

static void start_trace(bmf_context *ctx)
{
    char host[256] = "";
    if (!ctx->trace_path && !ctx->machine_path)
        return;
    gethostname(host, sizeof host - 1);
    ctx->run = run_create(ctx->program, host, (int32_t)ctx->processors, ctx->ranks, ctx->threads);
}

static void free_context(bmf_context *ctx)
{
    if (ctx->backend_state)
        ctx->backend->destroy(ctx);
    MPI_Comm_free(&ctx->comm);
    MPI_Comm_free(&ctx->exit_comm);
    run_free(ctx->run);
    free(ctx->trace_path);
    free(ctx->machine_path);
    free(ctx->program);
    free(ctx->instances);
    free(ctx);
}

static void default_threads(bmf_context *ctx)
{
    if (ctx->threads > 0)
        return;
    if (getenv("OMP_NUM_THREADS"))
        ctx->threads = omp_get_max_threads();
    else
        ctx->threads = ctx->node_cores > ctx->node_ranks ? ctx->node_cores / ctx->node_ranks : 1;
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

/* Nothing was opened after all. */
static int close_again(bmf_context *ctx, int status)
{
    bmf_fail(NULL, status, "%s", ctx->message);
    free_context(ctx);
    return status;
}

int bmf_open(int *argc, char ***argv, bmf_context **opened)
{
    int initialised = 0, finalised = 0, status;
    *opened = NULL;
    if (current)
        return bmf_fail(current, BMF_ERROR_USAGE, "bmf_open: a context is open already");
    MPI_Finalized(&finalised);
    if (finalised)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "bmf_open: MPI is finalised already, by the program or by bmf_close");
    MPI_Initialized(&initialised);
    if (!initialised) {
        int provided;
        MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    }
    bmf_context *ctx = allocate_clear(1, (int64_t)sizeof *ctx);
    MPI_Request requests[2];
    ctx->initialised_mpi = !initialised;
    MPI_Comm_rank(MPI_COMM_WORLD, &ctx->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ctx->ranks);
    ctx->polite = true; /* until the neighbours are known */
    ctx->epoch = monotonic_ns();
    MPI_Comm_idup(MPI_COMM_WORLD, &ctx->comm, &requests[0]);
    wait_all(ctx, 1, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &ctx->exit_comm, &requests[1]);
    wait_all(ctx, 1, &requests[1]);
    find_neighbours(ctx);

    ctx->processors = ctx->ranks;
    ctx->reproducible = true;
    ctx->cost = default_cost;
    cluster_start(ctx);
    status = bmf_agree(ctx, options_read(ctx, argc, argv));
    if (status != BMF_OK)
        return close_again(ctx, status);
    if (ctx->rank != 0 && ctx->plan)
        ctx->plan = NULL;
    default_threads(ctx);
    divide_processors(ctx);
    cluster_start(ctx);
    name_program(ctx, argc && argv && *argc > 0 ? (*argv)[0] : "program");
    start_trace(ctx);
    clock_start(ctx);
    ctx->position[0] = (bmf_position){0, 0, 0};
    status = start_model(ctx);
    if (status != BMF_OK)
        return close_again(ctx, status);
    current = *opened = ctx;
    return BMF_OK;
}

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

int bmf_close(bmf_context *ctx)
{
    int status = BMF_OK, initialised_mpi = ctx->initialised_mpi;
    if (ctx->backend->finish) {
        status = ctx->backend->finish(ctx);
    } else {
        bmf_barrier(ctx);
        if (ctx->run) {
            close_program(ctx);
            status = trace_write_parallel(ctx, ctx->run, ctx->trace_path);
        }
    }
    if (status != BMF_OK && bmf_is_root(ctx))
        fprintf(stderr, "bmf: %s\n", bmf_error_text(ctx));
    free_context(ctx);
    current = NULL;
    buffer_trim();
    if (initialised_mpi)
        MPI_Finalize();
    return bmf_exit_code(status);
}

int bmf_rank(const bmf_context *ctx)
{
    return ctx->rank;
}

int bmf_ranks(const bmf_context *ctx)
{
    return ctx->ranks;
}

bool bmf_is_root(const bmf_context *ctx)
{
    return ctx->rank == 0;
}

int bmf_threads(const bmf_context *ctx)
{
    return ctx->threads;
}

int64_t bmf_processors(const bmf_context *ctx)
{
    return ctx->processors;
}

int64_t bmf_first_processor(const bmf_context *ctx, int rank)
{
    int64_t share = ctx->processors / ctx->ranks, rest = ctx->processors % ctx->ranks;
    return rank * share + (rank < rest ? rank : rest);
}

int64_t block_of(int64_t processors, int64_t blocks, int64_t processor)
{
    int64_t share = processors / blocks, rest = processors % blocks, large = rest * (share + 1);
    return processor < large ? processor / (share + 1) : rest + (processor - large) / share;
}

int bmf_rank_of(const bmf_context *ctx, int64_t processor)
{
    return (int)block_of(ctx->processors, ctx->ranks, processor);
}

int bmf_set_processors(bmf_context *ctx, int64_t processors)
{
    if (processors < 1)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a machine needs at least 1 processor, not %lld",
                        (long long)processors);
    if (ctx->run && ctx->run->nodes > 1)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the number of processors of a run that is being traced is fixed; use --bmf-procs %lld instead",
                        (long long)processors);
    ctx->processors = processors;
    divide_processors(ctx);
    if (ctx->run) {
        bmf_run *bare = ctx->run;
        ctx->run = run_create(bare->program, bare->machine, (int32_t)processors, ctx->ranks, ctx->threads);
        run_free(bare);
    }
    return ctx->backend->resize(ctx);
}

void bmf_set_reproducible(bmf_context *ctx, bool reproducible)
{
    ctx->reproducible = reproducible;
}

bool bmf_is_reproducible(const bmf_context *ctx)
{
    return ctx->reproducible;
}

void bmf_set_plan_stream(bmf_context *ctx, FILE *stream)
{
    ctx->plan = ctx->rank == 0 ? stream : NULL;
}

bmf_statistics bmf_local_statistics(const bmf_context *ctx)
{
    return ctx->statistics;
}

int bmf_total_statistics(bmf_context *ctx, bmf_statistics *total)
{
    const bmf_statistics *s = &ctx->statistics;
    int64_t mine[4] = {s->messages, s->bytes, s->rank_messages, s->rank_bytes}, sum[4] = {0};
    int64_t *all = allocate(4 * ctx->ranks * (int64_t)sizeof *all);
    int status = ctx->backend->collect(ctx, mine, 4, all, 4 * (int64_t)ctx->ranks);
    for (int64_t i = 0; status == BMF_OK && i < 4 * ctx->ranks; i++)
        sum[i % 4] += all[i];
    free(all);
    if (status == BMF_OK)
        *total = (bmf_statistics){sum[0], sum[1], sum[2], sum[3]};
    return status;
}

void bmf_barrier(bmf_context *ctx)
{
    MPI_Request request;
    if (ctx->backend->barrier) {
        ctx->backend->barrier(ctx);
        return;
    }
    MPI_Ibarrier(ctx->comm, &request);
    wait_all(ctx, 1, &request);
}

void program_start(bmf_context *ctx)
{
    if (ctx->backend->start)
        ctx->backend->start(ctx);
    else
        bmf_barrier(ctx);
}
