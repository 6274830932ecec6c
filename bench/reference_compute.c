/* The computing reference loops.
 *
 * Method: one parallel region; every thread works on one contiguous share. Reductions: simd sums per thread, then one
 * MPI_Allreduce. Scans: two passes, sums per thread and MPI_Exscan, then running sums from there; filter alike with
 * counts. Cost: one pass over the arrays; two for scan and filter.
 */
#include "bench/reference.h"

#include <omp.h>
#include <stdlib.h>

#include "bmf/kernel.h"

/* This thread's share of count elements, cut at cache lines. Inside a parallel region. */
static void share(int64_t count, int64_t *begin, int64_t *end)
{
    const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads(), lines = (count + 7) / 8;
    *begin = lines * thread / threads * 8;
    *end = lines * (thread + 1) / threads * 8;
    *end = *end < count ? *end : count;
    *begin = *begin < count ? *begin : count;
}

/* Runs `loop` on every thread's share [begin, end). */
#define SHARED(team, count, loop)                                                                                      \
    _Pragma("omp parallel num_threads((team)->threads)")                                                               \
    {                                                                                                                  \
        int64_t begin, end;                                                                                            \
        share(count, &begin, &end);                                                                                    \
        loop;                                                                                                          \
    }

BMF_VECTORISE static void map_loop(int64_t begin, int64_t end, const double *restrict x, double *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = 2.0 * x[i] + 1.0;
}

BMF_VECTORISE static void mirror_loop(int64_t begin, int64_t end, double *x)
{
    for (int64_t i = begin; i < end; i++)
        x[i] = 1023.0 - x[i];
}

BMF_VECTORISE static void zip_loop(int64_t begin, int64_t end, const double *restrict x, const double *restrict y,
                                   double *restrict z)
{
    for (int64_t i = begin; i < end; i++)
        z[i] = x[i] + y[i];
}

BMF_VECTORISE static void zip_in_place_loop(int64_t begin, int64_t end, double *restrict x, const double *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        x[i] = y[i] - x[i];
}

BMF_VECTORISE static void iota_loop(int64_t begin, int64_t end, int64_t first, double *y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = (double)(first + i);
}

BMF_VECTORISE static double sum_loop(int64_t begin, int64_t end, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i];
    return sum;
}

BMF_VECTORISE static double squares_loop(int64_t begin, int64_t end, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i] * x[i];
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

void reference_map(const bench_team *team, int64_t count, const double *x, double *y)
{
    SHARED(team, count, map_loop(begin, end, x, y))
}

void reference_mirror(const bench_team *team, int64_t count, double *x)
{
    SHARED(team, count, mirror_loop(begin, end, x))
}

void reference_zip(const bench_team *team, int64_t count, const double *x, const double *y, double *z)
{
    SHARED(team, count, zip_loop(begin, end, x, y, z))
}

void reference_zip_in_place(const bench_team *team, int64_t count, double *x, const double *y)
{
    SHARED(team, count, zip_in_place_loop(begin, end, x, y))
}

void reference_iota(const bench_team *team, int64_t first, int64_t count, double *y)
{
    SHARED(team, count, iota_loop(begin, end, first, y))
}

static double sum_over_ranks(const bench_team *team, double sum)
{
    double total;
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, team->comm);
    return total;
}

#define SUMMED(team, count, value)                                                                                     \
    double sum = 0;                                                                                                    \
    _Pragma("omp parallel num_threads((team)->threads) reduction(+ : sum)")                                            \
    {                                                                                                                  \
        int64_t begin, end;                                                                                            \
        share(count, &begin, &end);                                                                                    \
        sum += value;                                                                                                  \
    }                                                                                                                  \
    return sum_over_ranks(team, sum);

double reference_sum(const bench_team *team, int64_t count, const double *x)
{
    SUMMED(team, count, sum_loop(begin, end, x))
}

double reference_sum_of_squares(const bench_team *team, int64_t count, const double *x)
{
    SUMMED(team, count, squares_loop(begin, end, x))
}

double reference_dot(const bench_team *team, int64_t count, const double *x, const double *y)
{
    SUMMED(team, count, dot_loop(begin, end, x, y))
}

static bench_matrix times(bench_matrix x, bench_matrix y)
{
    return (bench_matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

static void times_by_mpi(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((bench_matrix *)inout)[i] = times(((bench_matrix *)in)[i], ((bench_matrix *)inout)[i]);
}

BMF_VECTORISE static bench_matrix product_loop(int64_t begin, int64_t end, const bench_matrix *x)
{
    bench_matrix product = {1, 0, 0, 1};
    for (int64_t i = begin; i < end; i++)
        product = times(product, x[i]);
    return product;
}

bench_matrix reference_product(const bench_team *team, int64_t count, const bench_matrix *x)
{
    bench_matrix part[team->threads], product = {1, 0, 0, 1}, total;
    for (int t = 0; t < team->threads; t++)
        part[t] = product;
    SHARED(team, count, part[omp_get_thread_num()] = product_loop(begin, end, x))
    for (int t = 0; t < team->threads; t++)
        product = times(product, part[t]);
    MPI_Datatype type;
    MPI_Op operation;
    MPI_Type_contiguous(4, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(times_by_mpi, 0, &operation);
    MPI_Allreduce(&product, &total, 1, type, operation, team->comm);
    MPI_Op_free(&operation);
    MPI_Type_free(&type);
    return total;
}

/* What stands before each thread of this rank: part[t], from the sums of all threads, which it replaces. */
static void prefix_of_threads(const bench_team *team, double *part)
{
    double sum = 0, prefix = 0;
    for (int t = 0; t < team->threads; t++)
        sum += part[t];
    MPI_Exscan(&sum, &prefix, 1, MPI_DOUBLE, MPI_SUM, team->comm);
    if (team->rank == 0)
        prefix = 0;
    for (int t = 0; t < team->threads; t++) {
        const double mine = part[t];
        part[t] = prefix;
        prefix += mine;
    }
}

void reference_scan(const bench_team *team, int64_t count, const double *x, double *y)
{
    double part[team->threads];
    for (int t = 0; t < team->threads; t++)
        part[t] = 0;
    SHARED(team, count, part[omp_get_thread_num()] = sum_loop(begin, end, x))
    prefix_of_threads(team, part);
    SHARED(team, count, {
        double sum = part[omp_get_thread_num()];
        for (int64_t i = begin; i < end; i++)
            y[i] = sum += x[i];
    })
}

void reference_scan_exclusive(const bench_team *team, int64_t count, const double *x, double *y)
{
    double part[team->threads];
    for (int t = 0; t < team->threads; t++)
        part[t] = 0;
    SHARED(team, count, part[omp_get_thread_num()] = sum_loop(begin, end, x))
    prefix_of_threads(team, part);
    SHARED(team, count, {
        double sum = part[omp_get_thread_num()];
        for (int64_t i = begin; i < end; i++) {
            const double value = x[i];
            y[i] = sum;
            sum += value;
        }
    })
}

void reference_map_scan(const bench_team *team, int64_t count, const double *x, double *y)
{
    double part[team->threads];
    for (int t = 0; t < team->threads; t++)
        part[t] = 0;
    SHARED(team, count, part[omp_get_thread_num()] = 2.0 * sum_loop(begin, end, x) + (double)(end - begin))
    prefix_of_threads(team, part);
    SHARED(team, count, {
        double sum = part[omp_get_thread_num()];
        for (int64_t i = begin; i < end; i++)
            y[i] = sum += 2.0 * x[i] + 1.0;
    })
}

BMF_VECTORISE static int64_t count_loop(int64_t begin, int64_t end, const double *x)
{
    int64_t kept = 0;
    for (int64_t i = begin; i < end; i++)
        kept += x[i] < 512.0;
    return kept;
}

int64_t reference_filter(const bench_team *team, int64_t count, const double *x, double *y)
{
    int64_t start[team->threads + 1], length[team->ranks];
    for (int t = 0; t <= team->threads; t++)
        start[t] = 0;
    SHARED(team, count, start[omp_get_thread_num() + 1] = count_loop(begin, end, x))
    for (int t = 0; t < team->threads; t++)
        start[t + 1] += start[t];
    SHARED(team, count, {
        int64_t at = start[omp_get_thread_num()];
        for (int64_t i = begin; i < end; i++)
            if (x[i] < 512.0)
                y[at++] = x[i];
    })
    MPI_Allgather(&start[team->threads], 1, MPI_INT64_T, length, 1, MPI_INT64_T, team->comm);
    return length[team->rank];
}
