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

/* Sums `value` of every thread's share over all threads and ranks into *total. */
#define SUMMED(team, count, total, value)                                                                              \
    ELEMENT sum = 0;                                                                                                   \
    _Pragma("omp parallel num_threads((team)->threads) reduction(+ : sum)")                                            \
    {                                                                                                                  \
        int64_t begin, end;                                                                                            \
        share(count, &begin, &end);                                                                                    \
        sum += value;                                                                                                  \
    }                                                                                                                  \
    MPI_Allreduce(&sum, total, 1, ELEMENT_MPI, MPI_SUM, (team)->comm);

#define ELEMENT     double
#define ELEMENT_MPI MPI_DOUBLE
#define TYPED(name) name##_real
#include "bench/reference_template.h"

#define ELEMENT     int64_t
#define ELEMENT_MPI MPI_INT64_T
#define TYPED(name) name##_int
#include "bench/reference_template.h"

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

static void product_over_ranks(const bench_team *team, int64_t count, const bench_matrix *x, bench_matrix *total)
{
    bench_matrix part[team->threads], product = {1, 0, 0, 1};
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
    MPI_Allreduce(&product, total, 1, type, operation, team->comm);
    MPI_Op_free(&operation);
    MPI_Type_free(&type);
}

/* The loops of one type. */
#define LOOPS(type)                                                                                                    \
    {                                                                                                                  \
        .name = "by hand", .map = map_##type, .mirror = mirror_##type, .zip = zip_##type,                              \
        .zip_in_place = zip_in_place_##type, .sum = sum_##type, .sum_of_squares = sum_of_squares_##type,               \
        .dot = dot_##type, .product = product_over_ranks, .scan = scan_##type,                                         \
        .scan_exclusive = scan_exclusive_##type, .map_scan = map_scan_##type, .filter = filter_##type,                 \
        .iota = iota_##type, .move = reference_move, .project = reference_project                                      \
    }

const bench_loops reference_loops[BENCH_TYPES] = {[BENCH_REAL] = LOOPS(real), [BENCH_INT] = LOOPS(int)};
