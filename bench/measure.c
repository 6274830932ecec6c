/* Timing several things in turn.
 *
 * Method: per repeat and action a barrier, the clock, the calls, a barrier, the clock; one allreduce at the end makes
 * the seconds those of the slowest rank. Brief actions run in batches of about BATCH_SECONDS. Two thread libraries in
 * one process disturb each other while the threads of one still spin: an action that settles waits SETTLE_SECONDS
 * first, and runs once to wake its own threads if it takes less than LONG_SECONDS.
 * Cost: (repeats + 1) runs of every action, one less of long ones that are warm, up to twice as many of those that
 * settle.
 */
#include "bench/measure.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/wait.h"

static const double BATCH_SECONDS = 0.02;
static const double SETTLE_SECONDS = 0.01; /* an idle OpenMP thread of gcc spins for some milliseconds */
static const double LONG_SECONDS = 1;      /* beside which threads that wake are nothing */
enum { MAX_CALLS = 5000 };

void bench_maximum(bmf_context *ctx, int count, double *values)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, ctx->comm, &request);
    wait_all(ctx, 1, &request);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a part of the sorted values lies, linear between neighbours. */
static double quantile(int count, const double *values, double part)
{
    const double at = part * (double)(count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

bench_spread bench_spread_of(int count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (bench_spread){quantile(count, values, 0.5), values[0], quantile(count, values, 0.25),
                          quantile(count, values, 0.75)};
}

double bench_median(int count, double *values)
{
    return bench_spread_of(count, values).median;
}

bench_spread bench_ratios(int count, const double *a, const double *b)
{
    double ratio[count];
    for (int k = 0; k < count; k++)
        ratio[k] = b[k] > 0 ? a[k] / b[k] : 0;
    return bench_spread_of(count, ratio);
}

/* Lets the threads of the action before fall asleep, and wakes those of this one. */
static int settle(const bench_action *action)
{
    const struct timespec pause = {0, (long)(1e9 * SETTLE_SECONDS)};
    nanosleep(&pause, NULL);
    return action->is_long ? BMF_OK : action->run(action->state);
}

/* One timing: seconds per call. The barrier at the end makes ranks that share a core count each other's time. */
static int time_action(bmf_context *ctx, bench_action *action, double *seconds)
{
    if (action->before)
        BMF_TRY(action->before(action->state));
    if (action->settles)
        BMF_TRY(settle(action));
    bmf_barrier(ctx);
    int status = BMF_OK;
    const double begin = MPI_Wtime();
    for (int64_t call = 0; call < action->calls && status == BMF_OK; call++)
        status = action->run(action->state);
    bmf_barrier(ctx);
    *seconds = (MPI_Wtime() - begin) / (double)action->calls;
    BMF_TRY(status);
    return action->after ? action->after(action->state) : BMF_OK;
}

/* The first call pays for pages, connections and thread creation; the second tells how many make a batch. */
static int warm_up(bmf_context *ctx, bench_action *action)
{
    double seconds = action->warm;
    action->calls = 1;
    action->is_long = true; /* what is not measured need not wake threads before */
    bench_maximum(ctx, 1, &seconds);
    if (seconds <= LONG_SECONDS) {
        BMF_TRY(time_action(ctx, action, &seconds));
        bench_maximum(ctx, 1, &seconds);
    }
    action->is_long = seconds > LONG_SECONDS;
    if (!action->brief)
        return BMF_OK;
    BMF_TRY(time_action(ctx, action, &seconds));
    bench_maximum(ctx, 1, &seconds);
    const double calls = BATCH_SECONDS / (seconds > 0 ? seconds : BATCH_SECONDS / MAX_CALLS);
    action->calls = calls < 1 ? 1 : calls > MAX_CALLS ? MAX_CALLS : (int64_t)calls;
    return BMF_OK;
}

/* seconds[k * repeats + r]: repeat r of action k. */
static int take_turns(bmf_context *ctx, int repeats, int actions, bench_action *action, double *seconds)
{
    bool reversible = true; /* so that none always runs in the wake of the same other one */
    for (int k = 0; k < actions; k++)
        BMF_TRY(warm_up(ctx, &action[k]));
    for (int k = 0; k < actions; k++)
        reversible = reversible && action[k].any_order;
    for (int r = 0; r < repeats; r++)
        for (int turn = 0; turn < actions; turn++) {
            int k = reversible && r % 2 ? actions - 1 - turn : turn;
            BMF_TRY(time_action(ctx, &action[k], &seconds[k * repeats + r]));
        }
    return BMF_OK;
}

int bench_measure(bmf_context *ctx, int repeats, int actions, bench_action *action)
{
    double *seconds = calloc((size_t)repeats * (size_t)actions, sizeof *seconds);
    int status = seconds ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory for the timings");
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        status = take_turns(ctx, repeats, actions, action, seconds);
    if (status == BMF_OK) {
        bench_maximum(ctx, repeats * actions, seconds);
        for (int k = 0; k < actions; k++) {
            if (action[k].turn)
                memcpy(action[k].turn, seconds + k * repeats, (size_t)repeats * sizeof *seconds);
            action[k].seconds = bench_spread_of(repeats, seconds + k * repeats);
        }
    }
    free(seconds);
    return status;
}

bench_progress bench_progress_begin(bool show, int total)
{
    return (bench_progress){show && isatty(STDERR_FILENO), total, MPI_Wtime()};
}

void bench_progress_show(const bench_progress *progress, int done, const char *what)
{
    if (!progress->show)
        return;
    fprintf(stderr, "\r\033[K%d of %d: %s", done + 1, progress->total, what);
    if (done > 0) {
        const double left = (MPI_Wtime() - progress->begin) / done * (progress->total - done);
        fprintf(stderr, ", about %.0f s left", left);
    }
    fflush(stderr);
}

void bench_progress_end(const bench_progress *progress)
{
    if (progress->show)
        fprintf(stderr, "\r\033[K");
}
