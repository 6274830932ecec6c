/* The reference loops: what a good programmer writes by hand with OpenMP and MPI for the same result.
 *
 * They know nothing of bmf's lists. Arrays are this rank's; results of reductions and scans are those over all ranks.
 * Loops are compiled for several vector widths, as bmf's kernels are. Waiting is MPI's own, blocking.
 * x and y may be the same array where a comment says in place.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <mpi.h>
#include <stdint.h>

typedef struct bench_matrix {
    double a, b, c, d; /* (a b; c d) */
} bench_matrix;

/* One rank's surroundings. */
typedef struct bench_team {
    MPI_Comm comm;
    int rank, ranks, threads;
} bench_team;

/* ---- computing: reference_compute.c ---- */

void reference_map(const bench_team *team, int64_t count, const double *x, double *y); /* 2 x + 1 */
void reference_mirror(const bench_team *team, int64_t count, double *x);               /* 1023 - x, in place */
void reference_zip(const bench_team *team, int64_t count, const double *x, const double *y, double *z); /* x + y */
void reference_zip_in_place(const bench_team *team, int64_t count, double *x, const double *y);         /* y - x */
double reference_sum(const bench_team *team, int64_t count, const double *x);
double reference_sum_of_squares(const bench_team *team, int64_t count, const double *x);
double reference_dot(const bench_team *team, int64_t count, const double *x, const double *y);
bench_matrix reference_product(const bench_team *team, int64_t count, const bench_matrix *x);
/* y[i] = x[0] + .. + x[i] over all ranks; exclusive: without x[i]. The first also works in place. */
void reference_scan(const bench_team *team, int64_t count, const double *x, double *y);
void reference_scan_exclusive(const bench_team *team, int64_t count, const double *x, double *y);
void reference_map_scan(const bench_team *team, int64_t count, const double *x, double *y); /* sums of 2 x + 1 */
/* Elements below 512, in order; returns their number. Tells all ranks the lengths, as a distributed list must. */
int64_t reference_filter(const bench_team *team, int64_t count, const double *x, double *y);
void reference_iota(const bench_team *team, int64_t first, int64_t count, double *y);

/* ---- moving: reference_moving.c. from and to: ranks + 1 element numbers, where each rank's elements begin ---- */

double reference_broadcast(const bench_team *team, double value);
/* All of rank 0's elements x to every rank's share y; rank 0's own share stays in x. */
void reference_scatter(const bench_team *team, const int64_t *to, const double *x, double *y);
void reference_gather(const bench_team *team, const int64_t *from, const double *x, double *y);
/* From one cut to another; shift: what element 0 of x is in the numbering of `to`. y: this rank's whole share. */
void reference_move(const bench_team *team, const int64_t *from, int64_t shift, const double *x, const int64_t *to,
                    double *y);
/* y[i] = element index[i] of the list cut at from. Returns 0, or 1 when there is no memory. */
int reference_project(const bench_team *team, const int64_t *from, const double *x, int64_t count, const int64_t *index,
                      double *y);
/* Frees the buffers that reference_project keeps between calls, as one keeps them in a loop. */
void reference_project_end(void);

#endif
