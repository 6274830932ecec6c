/* Rows that measure what a call costs, whatever its elements: small lists, and tracing.
 *
 * No bytes of memory worth naming move, so these rows have no limit. reduce-latency stands beside a plain blocking
 * MPI_Allreduce, map-latency beside an empty parallel loop, trace-overhead beside the same loop of kernels untraced.
 */
#include "bench/skeletons/skeletons.h"

#include <stdlib.h>

#include "bench/measure.h"
#include "runtime/backend/backend.h"

/* ---- small lists: one element per processor ---- */

BMF_MAP_KERNEL(line, double, x, double, 2.0 * x + 1.0)

static int prepare_one_each(bench_case *c)
{
    c->elements = bmf_processors(c->ctx);
    BMF_TRY(bench_numbers(c, c->elements, &c->x));
    return bench_expect(c, bench_local_count(c->x), sizeof(double));
}

static int run_reduce(bench_case *c)
{
    return bmf_reduce(c->x, &bmf_plus_real, &c->value);
}

static int hand_reduce(bench_case *c)
{
    const double *x = bench_data(c->x);
    double sum = 0;
    for (int64_t i = 0; i < c->expected_count; i++)
        sum += x[i];
    MPI_Allreduce(&sum, &c->expected_value, 1, MPI_DOUBLE, MPI_SUM, c->team.comm);
    return BMF_OK;
}

static int run_map(bench_case *c)
{
    return bmf_map(c->x, &line, bench_out(c));
}

static int hand_map(bench_case *c)
{
    c->loops->map(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

/* ---- tracing: kernels of about 10 ms, recorded or not ---- */

static const double KERNEL_SECONDS = 0.010;
enum { KERNELS = 5, TRIAL_ELEMENTS = 20000 };

/* The logistic map: a hundred dependent steps an element, so that the kernel computes rather than waits for memory. */
BMF_INLINE double steps(double x)
{
    for (int k = 0; k < 100; k++)
        x = 3.75 * x * (1.0 - x);
    return x;
}
BMF_MAP_KERNEL(logistic, double, x, double, steps(x))
BMF_MAP_KERNEL(fractions, int64_t, i, double, (double)(bench_hash(i) & 1023) / 1024.0)

static int run_kernels(bench_case *c)
{
    for (int k = 0; k < KERNELS; k++)
        BMF_TRY(bmf_map(c->x, &logistic, bench_out(c)));
    return BMF_OK;
}

static int run_traced(bench_case *c)
{
    c->ctx->run = c->run;
    const int status = run_kernels(c);
    c->ctx->run = NULL;
    return status;
}

static int run_untraced(bench_case *c)
{
    return run_kernels(c);
}

/* As many elements as keep every rank busy for KERNEL_SECONDS per kernel. */
static int prepare_trace(bench_case *c)
{
    const bmf_context *ctx = c->ctx;
    if (ctx->run)
        return bmf_fail(c->ctx, BMF_ERROR_USAGE, "trace-overhead traces by itself; leave --bmf-trace away");
    double seconds = 0;
    c->elements = TRIAL_ELEMENTS * (int64_t)c->team.ranks;
    BMF_TRY(bmf_tabulate(c->ctx, c->elements, &fractions, &c->x));
    for (int trial = 0; trial < 3; trial++) {
        bmf_barrier(c->ctx);
        const double begin = MPI_Wtime();
        BMF_TRY(run_kernels(c));
        seconds = (MPI_Wtime() - begin) / KERNELS;
    }
    bench_maximum(c->ctx, 1, &seconds);
    c->elements = (int64_t)((double)c->elements * KERNEL_SECONDS / seconds);
    bmf_list_free(c->x);
    c->x = NULL;
    BMF_TRY(bmf_tabulate(c->ctx, c->elements, &fractions, &c->x));
    c->run = run_create("bmf-bench", "this machine", (int32_t)ctx->processors, ctx->ranks, ctx->threads);
    return bmf_agree(c->ctx, c->run ? BMF_OK : bmf_fail(c->ctx, BMF_ERROR_MEMORY, "out of memory for a trace"));
}

/* Tracing must have recorded a kernel of every call on every processor of this rank since the last look. */
static int verify_trace(bench_case *c)
{
    int64_t kernels = 0;
    for (int64_t k = 0; k < c->run->events; k++)
        kernels += c->run->event[k].kind == BMF_EVENT_KERNEL;
    const bool right = c->elements < c->ctx->processors || kernels == KERNELS * c->ctx->local_processors;
    c->run->events = 0;
    return bmf_agree(c->ctx, right ? BMF_OK : bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "the trace lacks kernel events"));
}

const bench_row bench_overhead_rows[] = {
    {"reduce-latency",
     "nothing; one element per processor",
     prepare_one_each,
     run_reduce,
     hand_reduce,
     bench_verify_total,
     NULL,
     NULL,
     BENCH_NO_LIMIT,
     {.seconds = 0.5e-3},
     1,
     BENCH_BRIEF | BENCH_REAL_ONLY},
    {"map-latency",
     "nothing; one element per processor",
     prepare_one_each,
     run_map,
     hand_map,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_NO_LIMIT,
     {.fraction = 0},
     1,
     BENCH_BRIEF | BENCH_REAL_ONLY},
    {"trace-overhead",
     "nothing; 5 kernels of about 10 ms, traced and not",
     prepare_trace,
     run_traced,
     run_untraced,
     verify_trace,
     NULL,
     NULL,
     BENCH_NO_LIMIT,
     {.ratio = 1.02},
     1,
     BENCH_REAL_ONLY},
};
const int bench_overhead_row_count = sizeof bench_overhead_rows / sizeof *bench_overhead_rows;
