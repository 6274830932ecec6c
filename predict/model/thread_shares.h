/* How a kernel call on one processor is shared by the threads of a rank: what of its one-thread time the slowest thread
 * has. From the pieces of one run, for any number of threads up to the one that they were cut for.
 *
 * Method: each thread gets a contiguous run of elements; so the time is kept by sixteenths of the elements, and a
 * thread's share is what lies between its bounds, linear within a sixteenth, and no less than that of a piece. Pieces
 * that threads take as they get free are shared evenly as far as pieces allow. The times of one run are noise in
 * part: the shares of several runs are drawn to even ones as far as they differ by no more than that.
 * Source: Efron and Morris, "Data analysis using Stein's estimator and its generalizations", JASA 70 (1975).
 * Cost: 84 bytes a call, and 132 for several runs. */
#ifndef BMF_THREAD_SHARES_H
#define BMF_THREAD_SHARES_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_SHARES = 16 };

typedef struct bmf_thread_shares {
    float share[BMF_SHARES]; /* of the time, by the place among the elements */
    float largest;           /* of the elements: of a piece, which is not divided */
    float seconds, bound;    /* of one thread; what the memory of a node needs, however many there are */
    int32_t pieces;          /* 0 or 1: one thread does it */
    bool dynamic;            /* threads take pieces as they get free */
} bmf_thread_shares;

bool thread_shares_same(const bmf_thread_shares *a, const bmf_thread_shares *b);
/* Adds a piece of elements [begin, end) of `elements`, of that weight (its time, or its elements). */
void thread_shares_add(bmf_thread_shares *shares, int64_t begin, int64_t end, int64_t elements, double weight);
/* Weights become shares of their sum. */
void thread_shares_finish(bmf_thread_shares *shares);
/* The shares of one call in several runs. */
typedef struct bmf_shares_seen {
    float sum[BMF_SHARES], squares[BMF_SHARES];
    int32_t runs;
} bmf_shares_seen;
void thread_shares_see(bmf_shares_seen *seen, const bmf_thread_shares *shares);
/* The shares of the last run become those that are typical. */
void thread_shares_settle(const bmf_shares_seen *seen, bmf_thread_shares *shares);

/* The share of the slowest of so many threads: 1 for one thread, at least 1 / threads. */
double thread_shares_slowest(const bmf_thread_shares *shares, int64_t threads);

#endif
