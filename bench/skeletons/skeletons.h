/* What the files of the skeletons benchmark share: a row of the table, and one run of a row. */
#ifndef BENCH_SKELETONS_H
#define BENCH_SKELETONS_H

#include <stdbool.h>

#include "bench/limits.h"
#include "bench/reference.h"
#include "bmf.h"
#include "runtime/data/column.h"
#include "runtime/trace/trace.h"

typedef struct bench_row bench_row;

/* The result of a reduction. */
typedef union bench_total {
    double real;
    int64_t whole;
    bench_matrix matrix;
} bench_total;

/* One row being measured. `prepare` makes x and what else the row reads, `expected` and least_bytes; the reference
 * writes expected or expected_value, the skeleton out, x or value; `verify` compares them. */
typedef struct bench_case {
    bmf_context *ctx;
    const bench_row *row;
    bench_team team;
    bench_type type;          /* of the elements, unless the row is of reals only */
    const bench_loops *loops; /* what `reference` runs: loops by hand, or those of a peer */
    int64_t elements;         /* of the whole list */
    double min_bytes;         /* that memory must move for the row, over all ranks; 0: no limit is known */
    bmf_list *x, *y;          /* inputs */
    bmf_list *out;            /* result of the last skeleton call, or NULL */
    int64_t *from, *to;       /* ranks + 1 values: where each rank's elements of x and of the result begin */
    bmf_buffer *expected;     /* the reference's result on this rank */
    int64_t expected_count;   /* its elements */
    bench_total value, expected_value;
    bmf_trace_run *run; /* trace-overhead: where events go */
} bench_case;

/* The bars of the design, section 13; 0 where there is none. No row may take longer than its peer. */
typedef struct bench_bar {
    double fraction;         /* of the limit, at least */
    double fraction_between; /* the same on several ranks, if it is another */
    double seconds;          /* at most */
    double ratio;            /* to the reference, at most */
    double rival;            /* ratio to the rival, at most */
} bench_bar;

/* What else is measured of a row, or what it is not for. */
enum {
    BENCH_BRIEF = 1,     /* timed in batches */
    BENCH_PEER = 2,      /* the peers have it */
    BENCH_REAL_ONLY = 4, /* has no form for ints */
};

struct bench_row {
    const char *name;
    const char *moves; /* which bytes the limit counts, for --help and the documentation */
    int (*prepare)(bench_case *c);
    int (*skeleton)(bench_case *c);
    int (*reference)(bench_case *c);
    int (*verify)(bench_case *c);
    int (*restore)(bench_case *c); /* before every run, not timed: puts inputs back; NULL if none are overwritten */
    int (*rival)(bench_case *c);   /* another mode of the same skeleton, timed beside it, or NULL */
    bench_limit limit;
    bench_bar bar;
    int64_t divisor; /* the default number of elements is divided by this */
    unsigned flags;  /* BENCH_BRIEF, .. */
};

extern const bench_row bench_compute_rows[], bench_moving_rows[], bench_overhead_rows[];
extern const int bench_compute_row_count, bench_moving_row_count, bench_overhead_row_count;

/* ---- for prepare ---- */

/* Pseudo-random bits of a number, by two rounds of multiply and shift. */
BMF_INLINE uint64_t bench_hash(int64_t i)
{
    uint64_t h = (uint64_t)i * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 31)) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 32);
}

/* A list of n whole numbers 0 .. 1023 of the case's type, and of other ones: sums of 2^33 of their products are exact
 * in every order, so that results compare exactly. */
int bench_numbers(bench_case *c, int64_t n, bmf_list **list);
int bench_other_numbers(bench_case *c, int64_t n, bmf_list **list);

/* Room for the reference's result: count elements of `size` bytes on this rank. Collective. */
int bench_expect(bench_case *c, int64_t count, int64_t size);
/* Where each rank's elements begin in a list that has a part on every processor, into cut[0..ranks]. */
void bench_cut(const bench_case *c, const bmf_list *list, int64_t *cut);
/* First element and number of elements on this rank. */
int64_t bench_local_begin(const bmf_list *list);
int64_t bench_local_count(const bmf_list *list);
/* The elements of this rank, and the reference's. */
void *bench_data(const bmf_list *list);
void *bench_expected(const bench_case *c);

/* ---- for skeleton and verify ---- */

/* Frees the last result and returns the place for the next. */
bmf_list **bench_out(bench_case *c);
/* Fails with a message if this rank's part of the list and the expected elements differ. Collective. */
int bench_same_list(const bench_case *c, const bmf_list *list);
/* out against expected; the totals. */
int bench_verify_out(bench_case *c);
int bench_verify_total(bench_case *c);

/* The row of stencils: bench/skeletons/stencil.c. */
int bench_prepare_stencil(bench_case *c);
int bench_run_stencil(bench_case *c);
int bench_hand_stencil(bench_case *c);
/* The row of sorting: bench/skeletons/sort.c. */
int bench_prepare_sort(bench_case *c);
int bench_run_sort(bench_case *c);
int bench_hand_sort(bench_case *c);
/* The rows of reductions by key: bench/skeletons/by_key.c. */
int bench_prepare_few_keys(bench_case *c);
int bench_prepare_many_keys(bench_case *c);
int bench_run_few_keys(bench_case *c);
int bench_run_many_keys(bench_case *c);
int bench_hand_few_keys(bench_case *c);
int bench_hand_many_keys(bench_case *c);

#endif
