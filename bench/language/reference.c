/* The loops that the language is compared with: what a good programmer writes by hand with OpenMP.
 *
 * Compiled for several vector widths, as bmf's kernels are. Reductions sum in any order (omp simd). */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/language/language.h"
#include "runtime/base/allocate.h"
#include "bmf/kernel.h"

/* This thread's share, cut at cache lines. Inside a parallel region. */
static void share(int64_t count, int64_t *begin, int64_t *end)
{
    const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads(), lines = (count + 7) / 8;
    *begin = lines * thread / threads * 8;
    *end = lines * (thread + 1) / threads * 8;
    *end = *end < count ? *end : count;
    *begin = *begin < count ? *begin : count;
}

BMF_VECTORISE static double squares_loop(int64_t begin, int64_t end, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i] * x[i];
    return sum;
}

double language_sum_of_squares(int threads, int64_t count, const double *x)
{
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        sum += squares_loop(begin, end, x);
    }
    return sum;
}

BMF_VECTORISE static double dot_loop(int64_t begin, int64_t end, const double *x, const double *y)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i] * y[i];
    return sum;
}

double language_dot(int threads, int64_t count, const double *x, const double *y)
{
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        sum += dot_loop(begin, end, x, y);
    }
    return sum;
}

BMF_INLINE double mapped(double x)
{
    return (2.0 * x + 1.0) * 0.25;
}

BMF_VECTORISE static double mapped_sum(int64_t begin, int64_t end, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += mapped(x[i]);
    return sum;
}

static void mapped_scan(int64_t begin, int64_t end, double before, const double *x, double *y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = before += mapped(x[i]);
}

void language_scan(int threads, int64_t count, const double *x, double *y)
{
    double *sum = allocate(threads * (int64_t)sizeof *sum);
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        double before = 0;
        share(count, &begin, &end);
        sum[omp_get_thread_num()] = mapped_sum(begin, end, x);
#pragma omp barrier
        for (int t = 0; t < omp_get_thread_num(); t++)
            before += sum[t];
        mapped_scan(begin, end, before, x, y);
    }
    free(sum);
}

BMF_VECTORISE static void map_loop(int64_t begin, int64_t end, const double *restrict x, double *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = mapped(x[i]);
}

void language_map(int threads, int64_t count, const double *x, double *y)
{
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        map_loop(begin, end, x, y);
    }
}

BMF_VECTORISE static double sum_loop(int64_t begin, int64_t end, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i];
    return sum;
}

void language_inner_sums(int threads, int64_t lists, const int64_t *start, const double *x, double *sum)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < lists; i++)
        sum[i] = sum_loop(start[i], start[i + 1], x);
}

static int64_t mandelbrot(double x, double y)
{
    double a = 0, b = 0;
    int64_t steps = 0;
    while (steps < LANGUAGE_STEPS && a * a + b * b <= 4.0) {
        const double next = a * a - b * b + x;
        b = 2.0 * (a * b) + y;
        a = next;
        steps++;
    }
    return steps;
}

void language_mandelbrot(int threads, int64_t count, const double *x, const double *y, int64_t *steps)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
    for (int64_t i = 0; i < count; i++)
        steps[i] = mandelbrot(x[i], y[i]);
}

BMF_VECTORISE static int64_t count_loop(int64_t begin, int64_t end, const double *x)
{
    int64_t kept = 0;
#pragma omp simd reduction(+ : kept)
    for (int64_t i = begin; i < end; i++)
        kept += x[i] > LANGUAGE_LIMIT;
    return kept;
}

int64_t language_count(int threads, int64_t count, const double *x)
{
    int64_t kept = 0;
#pragma omp parallel num_threads(threads) reduction(+ : kept)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        kept += count_loop(begin, end, x);
    }
    return kept;
}

int64_t language_filter(int threads, int64_t count, const double *x, double *y)
{
    int64_t *kept = allocate(threads * (int64_t)sizeof *kept), all = 0;
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end, place = 0;
        const int thread = omp_get_thread_num();
        share(count, &begin, &end);
        kept[thread] = count_loop(begin, end, x);
#pragma omp barrier
        for (int t = 0; t < thread; t++)
            place += kept[t];
        const int64_t last = place + kept[thread]; /* the next place is another thread's */
        for (int64_t i = begin; place < last; i++) {
            y[place] = x[i];
            place += x[i] > LANGUAGE_LIMIT;
        }
    }
    for (int t = 0; t < threads; t++)
        all += kept[t];
    free(kept);
    return all;
}

/* ---- what users write ---- */

BMF_VECTORISE static void scale_loop(int64_t begin, int64_t end, double mean, double deviation,
                                     const double *restrict x, double *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = (x[i] - mean) / deviation;
}

BMF_VECTORISE static void moments_loop(int64_t begin, int64_t end, const double *x, double *sum, double *squares)
{
    double s = 0, q = 0;
#pragma omp simd reduction(+ : s, q)
    for (int64_t i = begin; i < end; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    *sum += s;
    *squares += q;
}

void language_normalise(int threads, int64_t count, const double *x, double *y)
{
    double sum = 0, squares = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, squares)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        moments_loop(begin, end, x, &sum, &squares);
    }
    const double n = (double)count, mean = sum / n, deviation = sqrt(squares / n - mean * mean);
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        scale_loop(begin, end, mean, deviation, x, y);
    }
}

enum { LANES = 8, TILE = 4, PANEL = 256 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Adds the products of elements [k, k + count) of TILE rows x and TILE columns y. */
BMF_VECTORISE static void tile_loop(int64_t side, int64_t count, const double *x, const double *y, double *z)
{
    lanes sum[TILE][TILE] = {{{0}}};
    for (int64_t k = 0; k < count; k += LANES)
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                sum[i][j] += *(const lanes *)(x + i * side + k) * *(const lanes *)(y + j * side + k);
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            for (int lane = 0; lane < LANES; lane++)
                z[i * side + j] += sum[i][j][lane];
}

void language_matrix_product(int threads, int64_t side, const double *x, const double *y, double *z)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < side; i += TILE) {
        memset(z + i * side, 0, (size_t)(TILE * side) * sizeof *z);
        for (int64_t k = 0; k < side; k += PANEL)
            for (int64_t j = 0; j < side; j += TILE)
                tile_loop(side, side - k < PANEL ? side - k : PANEL, x + i * side + k, y + j * side + k,
                          z + i * side + j);
    }
}

void language_histogram(int threads, int64_t count, const double *x, int64_t *bin)
{
    int64_t all[LANGUAGE_BINS] = {0};
#pragma omp parallel num_threads(threads) reduction(+ : all)
    {
        int64_t begin, end, own[2][LANGUAGE_BINS] = {{0}}; /* two, so that equal neighbours do not wait */
        share(count, &begin, &end);
        for (int64_t i = begin; i < end; i++)
            own[i & 1][(int64_t)((x[i] + 0.5) * (1.0 / 103.0))]++; /* x is whole */
        for (int k = 0; k < LANGUAGE_BINS; k++)
            all[k] += own[0][k] + own[1][k];
    }
    memcpy(bin, all, sizeof all);
}

BMF_VECTORISE static void nearest_loop(int64_t begin, int64_t end, const double *x, const double *y, int64_t *which)
{
    static const double centre[LANGUAGE_CENTRES][2] = {{100, 200}, {300, 100}, {700, 200}, {400, 400},
                                                       {800, 500}, {100, 700}, {500, 900}, {900, 800}};
    for (int64_t i = begin; i < end; i++) {
        double best = 1e9;
        int64_t index = -1;
#pragma GCC unroll 8
        for (int k = 0; k < LANGUAGE_CENTRES; k++) {
            const double dx = x[i] - centre[k][0], dy = y[i] - centre[k][1], distance = dx * dx + dy * dy;
            index = distance < best ? k : index;
            best = distance < best ? distance : best;
        }
        which[i] = index;
    }
}

void language_nearest(int threads, int64_t count, const double *x, const double *y, int64_t *which)
{
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        nearest_loop(begin, end, x, y, which);
    }
}

BMF_VECTORISE static double max_loop(int64_t begin, int64_t end, const double *x)
{
    double max = 0;
#pragma omp simd reduction(max : max)
    for (int64_t i = begin; i < end; i++)
        max = x[i] > max ? x[i] : max;
    return max;
}

void language_inner_maxima(int threads, int64_t lists, const int64_t *start, const double *x, double *max)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < lists; i++)
        max[i] = max_loop(start[i], start[i + 1], x);
}

BMF_VECTORISE static void sixteen_loop(int64_t begin, int64_t end, const double *restrict x, double *restrict y)
{
    for (int64_t i = begin; i < end; i++) {
        const double a = fabs(((x[i] * 2 - 5) + 11) * 1.5 - 300), b = (sqrt(a + 2) - 40) * 1.25;
        double c = fabs(b) - 3;
        c = c > 2 ? c : 2;
        c = c < 900 ? c : 900;
        y[i] = (c + 7) * 0.5;
    }
}

void language_sixteen(int threads, int64_t count, const double *x, double *y)
{
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        share(count, &begin, &end);
        sixteen_loop(begin, end, x, y);
    }
}
