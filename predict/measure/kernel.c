/* Local work over all levels of the caches: loops on d words of a process, done by all ranks and their threads at once.
 *
 * Method: a repetition runs the loop often enough for the clock, on the same data, so that it works in the nearest
 * cache that holds them; all ranks work at the same time, because they share caches and memory. Buffers are first
 * written by the threads that use them. Cost: each repetition at least LEAST_NS, or one pass. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measure/measure_private.h"
#include "bmf/kernel.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"

enum { MAX_CALLS = 1 << 16, STEP = 16 };
static const int64_t MIN_NS = 20000;

typedef enum kernel_kind { FILL, COPY, SCALE, TRIAD, SUM, DOT, SCAN, GATHER, EXP } kernel_kind;

typedef struct kernel_data {
    bmf_buffer *buffer[3];
    double *a, *b, *c;
    int64_t *index; /* of gather; in c's memory */
    int64_t elements;
    int threads;
    int64_t calls; /* in a repetition */
    kernel_kind kind;
} kernel_data;

/* Keeps results alive: the compiler must not drop loops whose result nobody reads. */
static _Thread_local volatile double sink;

/* ---- loops over [begin, end) ---- */

BMF_VECTORISE static void fill(double *a, int64_t begin, int64_t end, double k)
{
    for (int64_t i = begin; i < end; i++)
        a[i] = k;
}

BMF_VECTORISE static void scale(double *restrict a, const double *restrict b, int64_t begin, int64_t end, double k)
{
    for (int64_t i = begin; i < end; i++)
        a[i] = k * b[i];
}

BMF_VECTORISE static void triad(double *restrict a, const double *restrict b, const double *restrict c, int64_t begin,
                                int64_t end, double k)
{
    for (int64_t i = begin; i < end; i++)
        a[i] = b[i] + k * c[i];
}

BMF_VECTORISE static double dot(const double *a, const double *b, int64_t begin, int64_t end)
{
    double sum[STEP] = {0}, total = 0;
    int64_t i = begin;
    for (; i + STEP <= end; i += STEP)
        for (int k = 0; k < STEP; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < end; i++)
        total += a[i] * b[i];
    for (int k = 0; k < STEP; k++)
        total += sum[k];
    return total;
}

BMF_VECTORISE static double sum_of(const double *a, int64_t begin, int64_t end)
{
    double sum[STEP] = {0}, total = 0;
    int64_t i = begin;
    for (; i + STEP <= end; i += STEP)
        for (int k = 0; k < STEP; k++)
            sum[k] += a[i + k];
    for (; i < end; i++)
        total += a[i];
    for (int k = 0; k < STEP; k++)
        total += sum[k];
    return total;
}

static void scan(double *a, const double *b, int64_t begin, int64_t end)
{
    double total = 0;
    for (int64_t i = begin; i < end; i++)
        a[i] = total += b[i];
}

static void gather(double *a, const double *b, const int64_t *index, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        a[i] = b[index[i]];
}

static void exponential(double *a, const double *b, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        a[i] = exp(-b[i]);
}

/* ---- one pass of one thread over its share ---- */

static void run_share(const kernel_data *d, int64_t begin, int64_t end)
{
    switch (d->kind) {
    case FILL:
        fill(d->a, begin, end, 1);
        break;
    case COPY:
        memcpy(d->a + begin, d->b + begin, (size_t)(end - begin) * sizeof(double));
        break;
    case SCALE:
        scale(d->a, d->b, begin, end, 0.5);
        break;
    case TRIAD:
        triad(d->a, d->b, d->c, begin, end, 0.5);
        break;
    case SUM:
        sink = sum_of(d->a, begin, end);
        break;
    case DOT:
        sink = dot(d->a, d->b, begin, end);
        break;
    case SCAN:
        scan(d->a, d->b, begin, end);
        break;
    case GATHER:
        gather(d->a, d->b, d->index, begin, end);
        break;
    case EXP:
        exponential(d->a, d->b, begin, end);
        break;
    }
}

static int64_t share_start(const kernel_data *d, int thread)
{
    return d->elements * thread / d->threads;
}

static void run_calls(const kernel_data *d, int64_t calls)
{
    if (d->threads == 1) {
        for (int64_t call = 0; call < calls; call++)
            run_share(d, 0, d->elements);
        return;
    }
    for (int64_t call = 0; call < calls; call++)
#pragma omp parallel num_threads(d->threads)
        run_share(d, share_start(d, omp_get_thread_num()), share_start(d, omp_get_thread_num() + 1));
}

/* ---- the operation ---- */

/* A word of b for every i, far from the one before. */
static void fill_index(kernel_data *d)
{
    uint64_t at = 1;
    for (int64_t i = 0; i < d->elements; i++) {
        at = at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        d->index[i] = (int64_t)((at >> 20) % (uint64_t)d->elements);
    }
}

static void first_touch(kernel_data *d)
{
#pragma omp parallel num_threads(d->threads)
    {
        const int64_t begin = share_start(d, omp_get_thread_num()), end = share_start(d, omp_get_thread_num() + 1);
        fill(d->a, begin, end, 1);
        fill(d->b, begin, end, 1);
        fill(d->c, begin, end, 1);
    }
    if (d->kind == GATHER)
        fill_index(d);
}

/* Calls that last LEAST_NS, the same on all ranks of this host's speed. */
static void find_calls(kernel_data *d)
{
    for (d->calls = 1; d->calls < MAX_CALLS; d->calls *= 2) {
        const int64_t begin = monotonic_ns();
        run_calls(d, d->calls);
        if (monotonic_ns() - begin >= MIN_NS)
            break;
    }
}

static int open_kernel(measure_site *site)
{
    kernel_data *d = site->state = allocate_clear(1, (int64_t)sizeof *d);
    d->elements = site->elements;
    d->threads = site->ctx->threads;
    d->kind = (kernel_kind)site->operation->which;
    for (int k = 0; k < 3; k++) {
        d->buffer[k] = buffer_create(d->elements * MEASURE_WORD);
        if (!d->buffer[k])
            return bmf_fail(site->ctx, BMF_ERROR_MEMORY, "no memory for arrays of %lld words", (long long)d->elements);
    }
    d->a = d->buffer[0]->data;
    d->b = d->buffer[1]->data;
    d->c = d->buffer[2]->data;
    d->index = d->buffer[2]->data;
    first_touch(d);
    find_calls(d);
    return BMF_OK;
}

static int run_kernel(measure_site *site)
{
    const kernel_data *d = site->state;
    run_calls(d, d->calls);
    site->seconds = measure_elapsed(site) / (double)d->calls;
    return BMF_OK;
}

static void close_kernel(measure_site *site)
{
    kernel_data *d = site->state;
    for (int k = 0; k < 3; k++)
        buffer_release(d->buffer[k]);
    free(d);
}

static int64_t three_arrays(int ranks)
{
    (void)ranks;
    return 3;
}

#define KERNEL(name, kind, meaning)                                                                                    \
    {                                                                                                                  \
        name, BMF_FAMILY_LOCAL, meaning, kind, 1, 16, MEASURE_BEYOND_CACHES, false, true, three_arrays, open_kernel,   \
            NULL, run_kernel, NULL, close_kernel                                                                       \
    }

static const measure_operation operations[] = {
    KERNEL("kernel_fill", FILL, "a[i] = k; like all kernels in words per process, repeated on the same data"),
    KERNEL("kernel_copy", COPY, "memcpy of d words"),
    KERNEL("kernel_scale", SCALE, "a[i] = k * b[i]"),
    KERNEL("kernel_triad", TRIAD, "a[i] = b[i] + k * c[i]"),
    KERNEL("kernel_sum", SUM, "sum of a[i]"),
    KERNEL("kernel_dot", DOT, "sum of a[i] * b[i]"),
    KERNEL("kernel_scan", SCAN, "running sums, one addition after the other"),
    KERNEL("kernel_gather", GATHER, "a[i] = b[index[i]], indices at random"),
    KERNEL("kernel_exp", EXP, "a[i] = exp(-b[i])"),
};

const measure_table measure_kernel_table = {operations, sizeof operations / sizeof operations[0]};
