/* The reference loops: what a good programmer writes by hand with OpenMP and MPI for the same result.
 *
 * They know nothing of bmf's lists. Arrays are this rank's; results of reductions and scans are those over all ranks.
 * Loops are compiled for several vector widths, as bmf's kernels are. Waiting is MPI's own, blocking.
 * x and y may be the same array where a comment says in place. They are tables, one for each type of element, so that
 * others, such as those of bench/peers, can take their place.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_type { BENCH_REAL, BENCH_INT, BENCH_TYPES } bench_type; /* double, int64_t */

typedef struct bench_matrix {
    double a, b, c, d; /* (a b; c d) */
} bench_matrix;

/* One rank's surroundings. */
typedef struct bench_team {
    MPI_Comm comm;
    int rank, ranks, threads;
} bench_team;

typedef struct bench_loops {
    const char *name;

    /* ---- computing: reference_compute.c ---- */
    void (*map)(const bench_team *team, int64_t count, const void *x, void *y);                /* 2 x + 1 */
    void (*mirror)(const bench_team *team, int64_t count, void *x);                            /* 1023 - x, in place */
    void (*zip)(const bench_team *team, int64_t count, const void *x, const void *y, void *z); /* x + y */
    void (*zip_in_place)(const bench_team *team, int64_t count, void *x, const void *y);       /* y - x */
    void (*sum)(const bench_team *team, int64_t count, const void *x, void *total);
    void (*sum_of_squares)(const bench_team *team, int64_t count, const void *x, void *total);
    void (*dot)(const bench_team *team, int64_t count, const void *x, const void *y, void *total);
    void (*product)(const bench_team *team, int64_t count, const bench_matrix *x, bench_matrix *total);
    /* y[i] = x[0] + .. + x[i] over all ranks; exclusive: without x[i]. The first also works in place. */
    void (*scan)(const bench_team *team, int64_t count, const void *x, void *y);
    void (*scan_exclusive)(const bench_team *team, int64_t count, const void *x, void *y);
    void (*map_scan)(const bench_team *team, int64_t count, const void *x, void *y); /* sums of 2 x + 1 */
    /* Elements below 512, in order; returns their number. Tells all ranks the lengths, as a distributed list must. */
    int64_t (*filter)(const bench_team *team, int64_t count, const void *x, void *y);
    /* All elements, ascending; on one rank. */
    void (*sort)(const bench_team *team, int64_t count, const void *x, void *y);
    void (*iota)(const bench_team *team, int64_t first, int64_t count, void *y);

    /* ---- moving 8-byte elements: reference_moving.c. from and to: ranks + 1 element numbers, where each rank's
     * elements begin ---- */
    /* From one cut to another; shift: what element 0 of x is in the numbering of `to`. y: this rank's whole share. */
    void (*move)(const bench_team *team, const int64_t *from, int64_t shift, const void *x, const int64_t *to, void *y);
    /* y[i] = element index[i] of the list cut at from. Returns 0, or 1 when there is no memory. */
    int (*project)(const bench_team *team, const int64_t *from, const void *x, int64_t count, const int64_t *index,
                   void *y);
} bench_loops;

extern const bench_loops reference_loops[BENCH_TYPES];

double reference_broadcast(const bench_team *team, double value);
/* All of rank 0's elements x to every rank's share y; rank 0's own share stays in x. */
void reference_scatter(const bench_team *team, const int64_t *to, const void *x, void *y);
void reference_gather(const bench_team *team, const int64_t *from, const void *x, void *y);
void reference_move(const bench_team *team, const int64_t *from, int64_t shift, const void *x, const int64_t *to,
                    void *y);
int reference_project(const bench_team *team, const int64_t *from, const void *x, int64_t count, const int64_t *index,
                      void *y);
/* Frees the buffers that reference_project keeps between calls, as one keeps them in a loop. */
void reference_project_end(void);

#ifdef __cplusplus
}
#endif

#endif
