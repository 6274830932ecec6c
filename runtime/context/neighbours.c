/* How ranks meet: who else is on this host, on which depends how to wait and how many threads to use; how much memory
 * ranks may have; when the run starts; whether all may go on.
 *
 * Method: one allgather of a hash of the host's name, the cores and the memory each rank may use, how others find its
 * memory, its clock, and its status. Ranks of the program that are not in the context cannot be asked; how many there
 * are on this host is known from the launcher. Cost: one non-blocking allgather of 192 bytes a rank; after a failure
 * one broadcast of 1 KiB. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/backend/wait.h"
#include "runtime/base/hash.h"
#include "runtime/base/allocate.h"
#include "runtime/base/memory_limit.h"
#include "runtime/base/text.h"
#include "runtime/context/private.h"

static uint64_t hash_of_host(void)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return hash_text(host);
}

/* A rank as its neighbours see it. */
typedef struct neighbour {
    uint64_t host;
    int64_t failure; /* its key */
    int64_t clock;   /* of its host, when it came */
    int64_t memory;  /* bytes it may have */
    int64_t costs;   /* whether it was given a table of costs */
    cpu_set_t cores; /* it may use */
    bmf_shared_memory_key shared_memory;
} neighbour;

static neighbour describe_self(const bmf_context *ctx)
{
    neighbour self = {.host = hash_of_host(),
                      .failure = failure_key(ctx),
                      .clock = monotonic_ns(),
                      .memory = memory_limit(),
                      .costs = ctx->costs_path ? 1 : 0,
                      .shared_memory = shared_memory_key()};
    if (sched_getaffinity(0, sizeof self.cores, &self.cores) != 0)
        for (long k = 0; k < sysconf(_SC_NPROCESSORS_ONLN) && k < CPU_SETSIZE; k++)
            CPU_SET((size_t)k, &self.cores);
    return self;
}

/* Ranks of the program on this host as the launcher (Hydra, Open MPI's) says; 0 if it does not. */
static int launched_here(void)
{
    static const char *const variable[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"};
    for (size_t k = 0; k < sizeof variable / sizeof variable[0]; k++) {
        const char *value = getenv(variable[k]);
        if (value && atoi(value) > 0)
            return atoi(value);
    }
    return 0;
}

/* Ranks that use the cores of the context. Those outside the context count if no rank is bound to cores of its own. */
static int ranks_sharing(const bmf_context *ctx, const cpu_set_t *own)
{
    int launched = ctx->whole_world || CPU_COUNT(own) < ctx->node_cores ? 0 : launched_here();
    return launched > ctx->node_ranks ? launched : ctx->node_ranks;
}

/* Whose memory this rank may map: that of its neighbours. */
static void find_shared_memory(bmf_context *ctx, const neighbour *all)
{
    const uint64_t space = all[ctx->rank].shared_memory.space;
    ctx->shared_memory = allocate_clear(ctx->ranks, (int64_t)sizeof *ctx->shared_memory);
    for (int r = 0; r < ctx->ranks; r++)
        if (r != ctx->rank && space != 0 && all[r].shared_memory.space == space)
            ctx->shared_memory[r] = all[r].shared_memory;
}

/* All ranks of a host together leave a quarter of its memory to others, and to programs that need it once. */
void use_shared_memory(const bmf_context *ctx)
{
    int64_t sharing = 1;
    for (int r = 0; r < ctx->ranks; r++)
        sharing += ctx->shared_memory[r].space != 0;
    if (sharing > 1)
        shared_memory_use(machine_memory() / 4 * 3 / sharing, ctx->threads);
}

/* Ranks may be bound to different cores, so the cores of a host are those that any of its ranks may use. */
static void count_neighbours(bmf_context *ctx, const neighbour *all)
{
    const neighbour *self = &all[ctx->rank];
    cpu_set_t cores = self->cores;
    ctx->node_ranks = 0;
    ctx->memory_limit = INT64_MAX;
    for (int r = 0; r < ctx->ranks; r++) {
        ctx->memory_limit = all[r].memory < ctx->memory_limit ? all[r].memory : ctx->memory_limit;
        if (all[r].host != self->host)
            continue;
        ctx->node_ranks++;
        CPU_OR(&cores, &cores, &all[r].cores);
    }
    ctx->node_cores = CPU_COUNT(&cores);
    ctx->sharing_ranks = ranks_sharing(ctx, &self->cores);
    ctx->oversubscribed = ctx->sharing_ranks > ctx->node_cores;
}

/* Rank 0 reads the table of costs for all, if it was given one, whatever others were given. */
static void follow_first(bmf_context *ctx, bool costs)
{
    if (costs && !ctx->costs_path)
        ctx->costs_path = text_copy("the table of costs");
    if (!costs) {
        free(ctx->costs_path);
        ctx->costs_path = NULL;
    }
}

/* Without the blocking calls that are slow exactly when there are many ranks. */
int meet_ranks(bmf_context *ctx, int status, int64_t *started)
{
    if (status != BMF_OK)
        failure_note(ctx, status);
    neighbour self = describe_self(ctx), *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    int64_t first = failure_none;
    MPI_Request request;
    MPI_Iallgather(&self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    count_neighbours(ctx, all);
    find_shared_memory(ctx, all);
    for (int r = 0; r < ctx->ranks; r++)
        first = all[r].failure < first ? all[r].failure : first;
    follow_first(ctx, all[0].costs != 0);
    *started = all[0].clock;
    free(all);
    return cluster_settle(ctx, first);
}

void default_threads(bmf_context *ctx)
{
    if (ctx->threads > 0)
        return;
    if (getenv("OMP_NUM_THREADS"))
        ctx->threads = omp_get_max_threads() < BMF_MAX_THREADS ? omp_get_max_threads() : BMF_MAX_THREADS;
    else
        ctx->threads = ctx->node_cores > ctx->sharing_ranks ? ctx->node_cores / ctx->sharing_ranks : 1;
}

void start_threads(const bmf_context *ctx)
{
    if (ctx->threads == 1 || ctx->machine_path)
        return;
#pragma omp parallel num_threads(ctx->threads)
    {
#pragma omp barrier
    }
}
