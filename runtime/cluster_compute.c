/* Running kernel pieces with OpenMP.
 *
 * One parallel region per kernel call. Work for a single worker (small lists, or one thread) runs without one: a
 * parallel region costs more than a small kernel. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/allocate.h"
#include "runtime/cluster.h"

/* When each piece ran; NULL when not tracing. */
typedef struct timing {
    int64_t begin, end;
} timing;

/* Runs one piece and notes the time and the first failure. */
static void run_piece(bmf_context *ctx, const bmf_work *work, int64_t index, int worker, timing *times,
                      int64_t *failed_piece, int *code)
{
    int64_t begin = times ? bmf_now(ctx) : 0;
    int result = work->run(work->state, index, &work->piece[index], worker);
    if (times)
        times[index] = (timing){begin, bmf_now(ctx)};
    if (result != 0) {
#pragma omp critical(bmf_kernel_failure)
        if (*failed_piece < 0 || index < *failed_piece) {
            *failed_piece = index;
            *code = result;
        }
    }
}

/* One kernel event per processor: from its first piece's begin to its last one's end. */
static void record(bmf_context *ctx, const bmf_work *work, const timing *times)
{
    uint16_t name = (uint16_t)bmf_run_name(ctx->run, work->kernel);
    for (int64_t i = 0; i < work->pieces;) {
        const bmf_piece *first = &work->piece[i];
        int64_t begin = times[i].begin, end = times[i].end, elements = 0;
        for (; i < work->pieces && work->piece[i].processor == first->processor; i++) {
            begin = times[i].begin < begin ? times[i].begin : begin;
            end = times[i].end > end ? times[i].end : end;
            elements += work->piece[i].end - work->piece[i].begin;
        }
        bmf_cluster_event(ctx, BMF_EVENT_KERNEL, first->processor, begin, end, elements, -1, work->round, name);
    }
}

int bmf_cluster_compute(bmf_context *ctx, const bmf_work *work)
{
    timing *times = ctx->run ? bmf_allocate(work->pieces * (int64_t)sizeof *times) : NULL;
    int64_t failed_piece = -1;
    int code = 0;
    bool alone = work->chained ? work->pieces == 1 || ctx->threads == 1
                               : work->pieces == 0 || work->piece[work->pieces - 1].worker == 0;
    if (alone) {
        for (int64_t i = 0; i < work->pieces; i++)
            run_piece(ctx, work, i, 0, times, &failed_piece, &code);
    } else if (work->chained) {
        atomic_llong next = 0;
#pragma omp parallel num_threads(ctx->threads)
        for (int64_t i; (i = atomic_fetch_add(&next, 1)) < work->pieces;)
            run_piece(ctx, work, i, omp_get_thread_num(), times, &failed_piece, &code);
    } else {
        /* A worker is a number, not a thread: should the team be smaller than asked for, threads take several. */
#pragma omp parallel num_threads(ctx->threads)
        {
            int thread = omp_get_thread_num(), team = omp_get_num_threads();
            for (int64_t i = 0; i < work->pieces; i++)
                if (work->piece[i].worker % team == thread)
                    run_piece(ctx, work, i, thread, times, &failed_piece, &code);
        }
    }
    if (times)
        record(ctx, work, times);
    free(times);
    if (failed_piece < 0)
        return BMF_OK;
    const bmf_piece *piece = &work->piece[failed_piece];
    return bmf_fail(ctx, BMF_ERROR_KERNEL, "kernel %s failed with code %d on processor %lld, among elements %lld to %lld",
                    work->kernel, code, (long long)piece->processor, (long long)piece->begin, (long long)piece->end - 1);
}
