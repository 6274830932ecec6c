/* elastic: the travelling salesman's round by an elastic net: a ring of floor(2.5 n) points that n cities pull at.
 *
 * The cities are copied everywhere, the ring's points are dealt out. In every iteration ranks exchange the points at
 * their ends with their neighbours, and for every city the weights of all points are added up. Ranks without points
 * take part in the sums only. */
#include "bmf_mark.h"
#include "programs.h"

#include <math.h>
#include <stdlib.h>

enum { TO_PREVIOUS, TO_NEXT };

/* How strongly a city pulls at a point; k is the scale of the iteration. */
static double weight(const double *city, const double *point, double k)
{
    const double x = city[0] - point[0], y = city[1] - point[1];
    return exp(-(x * x + y * y) / (2 * k * k));
}

static double scale(int64_t iteration)
{
    return 0.2 * pow(0.99, (double)(iteration / 25));
}

/* Point j of m on the first ring: a circle around the cities' mean with a tenth of their extent. */
static void first_point(const double *cities, int64_t n, int64_t j, int64_t m, double *point)
{
    double sum[2] = {0, 0}, min[2], max[2];
    for (int c = 0; c < 2; c++) {
        min[c] = max[c] = cities[c];
        for (int64_t i = 0; i < n; i++) {
            sum[c] += cities[2 * i + c];
            min[c] = fmin(min[c], cities[2 * i + c]);
            max[c] = fmax(max[c], cities[2 * i + c]);
        }
    }
    const double radius = 0.1 * fmax(max[0] - min[0], max[1] - min[1]),
                 angle = 6.283185307179586 * (double)j / (double)m;
    point[0] = sum[0] / (double)n + radius * cos(angle);
    point[1] = sum[1] / (double)n + radius * sin(angle);
}

/* Where point y goes, between its neighbours, pulled by `pull`. */
static void move(double *y, const double *previous, const double *next, const double *pull, double k, double *to)
{
    for (int c = 0; c < 2; c++)
        to[c] = y[c] + 0.2 * pull[c] + 2.0 * k * (next[c] - 2 * y[c] + previous[c]);
}

/* The part of a rank: its points with one on either side, and the ranks that have those. */
struct part {
    int count, previous, next;
    bool alone;
    double *points, *pull, *weights;
};

static double *point(const struct part *part, int j)
{
    return part->points + 2 * (j + 1);
}

static void swap_ends(const struct part *part)
{
    const int last = part->count - 1;
    if (part->alone) {
        for (int c = 0; c < 2; c++) {
            point(part, -1)[c] = point(part, last)[c];
            point(part, last + 1)[c] = point(part, 0)[c];
        }
        return;
    }
    MPI_Send(point(part, 0), 2, MPI_DOUBLE, part->previous, TO_PREVIOUS, MPI_COMM_WORLD);
    MPI_Send(point(part, last), 2, MPI_DOUBLE, part->next, TO_NEXT, MPI_COMM_WORLD);
    MPI_Recv(point(part, last + 1), 2, MPI_DOUBLE, part->next, TO_PREVIOUS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(point(part, -1), 2, MPI_DOUBLE, part->previous, TO_NEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Adds to every point's pull what one city adds. A city too far from all points for any weight pulls at none. */
static void pull_by(const struct part *part, const double *city, double k)
{
    double own = 0, sum;
    for (int j = 0; j < part->count; j++)
        own += part->weights[j] = weight(city, point(part, j), k);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int j = 0; j < part->count && sum > 0; j++)
        for (int c = 0; c < 2; c++)
            part->pull[2 * j + c] += part->weights[j] / sum * (city[c] - point(part, j)[c]);
}

static void iterate(struct part *part, const double *cities, int64_t n, double k)
{
    phase("neighbours");
    if (part->count > 0)
        swap_ends(part);
    bmf_compute(part->count);
    phase("pull");
    for (int j = 0; j < 2 * part->count; j++)
        part->pull[j] = 0;
    for (int64_t i = 0; i < n; i++)
        pull_by(part, cities + 2 * i, k);
    bmf_compute((double)n * ((double)n + 1) * part->count);
    phase("move");
    double *const moved = memory(2L * (part->count + 2), sizeof *moved);
    for (int j = 0; j < part->count; j++)
        move(point(part, j), point(part, j - 1), point(part, j + 1), part->pull + 2 * j, k, moved + 2 * (j + 1));
    free(part->points);
    part->points = moved;
    bmf_compute(part->count);
}

struct matrix elastic(const struct run *run, const struct matrix *in, int64_t iterations)
{
    const int64_t n = in->rows, m = vector_length(n);
    phase("cities");
    double *const cities = matrix_to_all(in);
    phase("init");
    struct matrix ring = matrix_make(run, m, 2, REALS);
    const int active = m < run->ranks ? (int)m : run->ranks;
    struct part part = {.count = ring.count, .alone = active == 1};
    part.previous = (run->rank + active - 1) % active;
    part.next = (run->rank + 1) % active;
    part.points = memory(2L * (ring.count + 2), sizeof(double));
    part.pull = memory(2L * ring.count, sizeof(double));
    part.weights = memory(ring.count, sizeof(double));
    for (int j = 0; j < ring.count; j++)
        first_point(cities, n, ring.first + j, m, point(&part, j));
    bmf_compute((double)n + ring.count);
    for (int64_t i = 0; i < iterations; i++)
        iterate(&part, cities, n, scale(i));
    for (int j = 0; j < 2 * ring.count; j++)
        ring.reals[j] = point(&part, 0)[j];
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    free(part.points);
    free(part.pull);
    free(part.weights);
    free(cities);
    return ring;
}

#ifndef COWICHAN_CHAIN
static void *reference(const double *cities, int64_t n, int64_t iterations)
{
    const int64_t m = vector_length(n);
    double *ring = memory(2 * m, sizeof *ring);
    for (int64_t j = 0; j < m; j++)
        first_point(cities, n, j, m, ring + 2 * j);
    for (int64_t iteration = 0; iteration < iterations; iteration++) {
        const double k = scale(iteration);
        double *const pull = memory(2 * m, sizeof *pull), *const next = memory(2 * m, sizeof *next);
        for (int64_t i = 0; i < n; i++) {
            const double *const city = cities + 2 * i;
            double sum = 0;
            for (int64_t j = 0; j < m; j++)
                sum += weight(city, ring + 2 * j, k);
            for (int64_t j = 0; j < m && sum > 0; j++)
                for (int c = 0; c < 2; c++)
                    pull[2 * j + c] += weight(city, ring + 2 * j, k) / sum * (city[c] - ring[2 * j + c]);
        }
        for (int64_t j = 0; j < m; j++)
            move(ring + 2 * j, ring + 2 * ((j + m - 1) % m), ring + 2 * ((j + 1) % m), pull + 2 * j, k, next + 2 * j);
        free(pull);
        free(ring);
        ring = next;
    }
    return ring;
}

/* Of the points to a millionth: sums of weights depend in their last bits on how points are dealt. */
static uint64_t rounded_checksum(struct matrix *ring)
{
    for (int j = 0; j < 2 * ring->count; j++)
        ring->reals[j] = (double)llround(ring->reals[j] * 1e6);
    return matrix_checksum(ring);
}

int main(int argc, char **argv)
{
    int64_t iterations = 50;
    const struct option options[] = {{"iters", OPTION_INT, &iterations, "iterations (50)"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run =
        run_open(argc, argv, "elastic", "Lays a ring of 2.5 n points around n cities, by an elastic net.", options);
    if (iterations < 0)
        fail(&run, 2, "--iters %lld: from 0", (long long)iterations);
    struct matrix in = run.in ? matrix_read(&run, run.in, REALS, 2) : random_reals(&run, run.n, 2, (uint32_t)run.seed);
    run.n = in.rows;
    run_begin(&run);
    struct matrix ring = elastic(&run, &in, iterations);
    run_end(&run);
    output(&run, &ring);
    if (run.check) {
        double *const cities = matrix_gather(&run, &in);
        check_equal(&run, "the ring", &ring, cities ? reference(cities, run.n, iterations) : NULL, 1e-9);
        free(cities);
    }
    const uint64_t checksum = rounded_checksum(&ring);
    matrix_free(&in);
    matrix_free(&ring);
    return run_close(&run, checksum);
}
#endif
