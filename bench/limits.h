/* Physical limits of memory: how fast all threads of all ranks together read, write and copy arrays.
 *
 * Every limit has two contestants and the faster one counts, so that no skeleton looks good beside a poor limit:
 *   read    vector sums with eight accumulators, plain and with software prefetch
 *   write   memset and streaming stores
 *   copy    memcpy and streaming stores
 * Streaming stores bypass the caches: they do not read a line that is overwritten as a whole, which a plain store
 * must. Bytes of a copy count twice, once read and once written.
 */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdint.h>

typedef enum bench_limit { BENCH_NO_LIMIT, BENCH_READ, BENCH_WRITE, BENCH_COPY } bench_limit;

/* One rank's arrays. Each thread works on its own contiguous share. */
typedef struct bench_arrays {
    const void *source; /* read and copy: `bytes` bytes, 8-byte aligned */
    void *target;       /* write and copy: the same size */
    int64_t bytes;
    int threads;
} bench_arrays;

enum { BENCH_CONTESTANTS = 2 };

/* Runs contestant 0 or 1 of a limit once over the arrays. Not collective: the caller times all ranks together. */
void bench_limit_run(bench_limit limit, int contestant, const bench_arrays *arrays);

/* How often an array of the limit is counted: 1 for read and write, 2 for copy. */
int bench_limit_passes(bench_limit limit);

/* "read", "write" or "copy". */
const char *bench_limit_name(bench_limit limit);

#endif
