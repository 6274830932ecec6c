/* Kernels on the cluster: this rank's pieces on its threads, one event a processor. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/cluster/cluster.h"

static void record_work(bmf_context *ctx, const bmf_work *work, int64_t processor, const bmf_kernel_work *done)
{
    const bmf_position *at = &ctx->position[ctx->depth < BMF_NODE_DEPTH ? ctx->depth : BMF_NODE_DEPTH - 1];
    if (kernel_work_is_known(done))
        run_add_work(ctx->run, &(bmf_trace_work){.node = at->node,
                                                 .instance = at->instance,
                                                 .round = work->round,
                                                 .lane = (int32_t)processor,
                                                 .work = *done});
}

/* One kernel event per processor: from its first piece's begin to its last one's end. */
static void record(bmf_context *ctx, const bmf_work *work, const bmf_piece_time *times)
{
    uint16_t name = (uint16_t)run_name(ctx->run, work->kernel);
    const int64_t fresh = host_fresh_bytes();
    int64_t all = 0;
    for (int64_t i = 0; i < work->pieces; i++)
        all += work->piece[i].end - work->piece[i].begin;
    for (int64_t i = 0; i < work->pieces;) {
        const bmf_piece *first = &work->piece[i];
        int64_t begin = times[i].begin, end = times[i].end, elements = 0;
        bmf_kernel_work done = {0};
        for (; i < work->pieces && work->piece[i].processor == first->processor; i++) {
            begin = times[i].begin < begin ? times[i].begin : begin;
            end = times[i].end > end ? times[i].end : end;
            elements += work->piece[i].end - work->piece[i].begin;
            host_count(work, i, &done);
        }
        done.fresh = all > 0 ? (int64_t)((double)fresh * (double)elements / (double)all) : 0;
        record_work(ctx, work, first->processor, &done);
        cluster_event(ctx, BMF_EVENT_KERNEL, first->processor, begin, end, elements, -1, work->round, name);
    }
}

int cluster_compute(bmf_context *ctx, const bmf_work *work)
{
    bmf_piece_time *times = ctx->run ? allocate(work->pieces * (int64_t)sizeof *times) : NULL;
    int status = host_run(ctx, work, false, times);
    if (times)
        record(ctx, work, times);
    free(times);
    return status;
}
