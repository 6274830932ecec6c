/* Running kernel pieces with OpenMP, and copying messages on one host.
 *
 * One parallel region per kernel call. Work for a single worker (small lists, or one thread) runs without one: a
 * parallel region costs more than a small kernel. */
#define _GNU_SOURCE
#include "runtime/backend/host.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* ---- pieces ---- */

/* The first piece that failed, and its code. */
typedef struct failure {
    int64_t piece; /* -1: none */
    int code;
} failure;

/* How pieces are to be run. */
typedef struct manner {
    bool alone;          /* on the calling thread */
    bool processor_time; /* that this thread spent computing, whatever else the host does; otherwise the host's clock */
} manner;

int64_t host_processor_time(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (int64_t)spent.tv_sec * 1000000000 + spent.tv_nsec;
}

static int64_t read_clock(const bmf_context *ctx, manner how)
{
    return how.processor_time ? host_processor_time() : context_now(ctx);
}

/* Runs one piece and notes the time and the first failure. */
static void run_piece(bmf_context *ctx, const bmf_work *work, int64_t index, int worker, manner how,
                      bmf_piece_time *times, failure *first)
{
    int64_t begin = times ? read_clock(ctx, how) : 0;
    int result = work->run(work->state, index, &work->piece[index], worker);
    if (times)
        times[index] = (bmf_piece_time){begin, read_clock(ctx, how)};
    if (result != 0) {
#pragma omp critical(bmf_kernel_failure)
        if (first->piece < 0 || index < first->piece)
            *first = (failure){index, result};
    }
}

static void run_all(bmf_context *ctx, const bmf_work *work, manner how, bmf_piece_time *times, failure *first)
{
    if (how.alone) {
        for (int64_t i = 0; i < work->pieces; i++)
            run_piece(ctx, work, i, 0, how, times, first);
    } else if (work->dynamic) {
        /* Relaxed: pieces do not wait for each other by this, and must not look to ThreadSanitizer as if they did. */
        atomic_llong next = 0;
#pragma omp parallel num_threads(ctx->threads)
        for (int64_t i; (i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)) < work->pieces;)
            run_piece(ctx, work, i, omp_get_thread_num(), how, times, first);
    } else {
        /* A worker is a number, not a thread: should the team be smaller than asked for, threads take several. */
#pragma omp parallel num_threads(ctx->threads)
        {
            int thread = omp_get_thread_num(), team = omp_get_num_threads();
            for (int64_t i = 0; i < work->pieces; i++)
                if (work->piece[i].worker % team == thread)
                    run_piece(ctx, work, i, thread, how, times, first);
        }
    }
}

int host_run(bmf_context *ctx, const bmf_work *work, bool one_by_one, bmf_piece_time *times)
{
    failure first = {-1, 0};
    bool alone = work->dynamic ? work->pieces <= 1 || ctx->threads == 1
                               : work->pieces == 0 || work->piece[work->pieces - 1].worker == 0;
    run_all(ctx, work, (manner){alone || one_by_one, one_by_one}, times, &first);
    if (first.piece < 0)
        return BMF_OK;
    const bmf_piece *piece = &work->piece[first.piece];
    return bmf_fail(ctx, BMF_ERROR_KERNEL,
                    "kernel %s failed with code %d on processor %lld, among elements %lld to %lld", work->kernel,
                    first.code, (long long)piece->processor, (long long)piece->begin, (long long)piece->end - 1);
}

void host_count(const bmf_work *work, int64_t index, bmf_kernel_work *sum)
{
    const bmf_piece *piece = &work->piece[index];
    kernel_work_add(sum, &work->each, piece->end - piece->begin);
    if (work->count)
        work->count(work->counted, index, piece, sum);
}

int64_t host_fresh_bytes(void)
{
    static int64_t last;
    const int64_t now = buffer_fresh_bytes(), since = now - last;
    last = now;
    return since;
}

/* ---- messages ---- */

/* Copies segment by segment; both sides hold the same number of bytes in all. */
static void copy_segments(const bmf_segment *from, int sources, const bmf_segment *to, int targets)
{
    int t = 0;
    int64_t offset = 0;
    for (int s = 0; s < sources; s++) {
        for (int64_t done = 0; done < from[s].bytes;) {
            while (t < targets && offset == to[t].bytes) {
                t++;
                offset = 0;
            }
            if (t == targets)
                return;
            int64_t piece = from[s].bytes - done;
            piece = piece < to[t].bytes - offset ? piece : to[t].bytes - offset;
            memmove((char *)to[t].data + offset, (const char *)from[s].data + done, (size_t)piece);
            done += piece;
            offset += piece;
        }
    }
}

int64_t host_copy(const bmf_transfer *transfer, const bmf_message *message, bmf_segment from[BMF_MAX_SEGMENTS],
                  int *segments)
{
    bmf_segment to[BMF_MAX_SEGMENTS];
    bmf_message sized = *message;
    int sources = transfer->outgoing(transfer->state, message, from);
    sized.bytes = 0;
    for (int s = 0; s < sources; s++)
        sized.bytes += from[s].bytes;
    int targets = transfer->incoming(transfer->state, &sized, to);
    copy_segments(from, sources, to, targets);
    *segments = sources;
    return sized.bytes;
}
