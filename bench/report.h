/* The table and the JSON object of a benchmark of rows. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "bench/measure.h"
#include "bench/skeletons/skeletons.h"

enum { BENCH_TEXT = 256 };

/* What was measured of one row. Times in seconds, 0 where there is none. */
typedef struct bench_result {
    const bench_row *row;
    bench_type type;
    int64_t elements;
    int repeats;
    double min_bytes, limit_bandwidth; /* bytes that must move, and bytes a second that memory moves */
    double limit, limit_minimum;       /* seconds they take: median and fastest */
    bench_spread seconds, reference, rival, peer;
    bench_spread fractions, peer_ratios; /* turn by turn: the limit's time by the row's; the row's by the peer's */
    int64_t messages, bytes;             /* of one call, between processors, all ranks */
    int status;                          /* of the row; not BMF_OK: the rest is not valid and error says why */
    char error[BENCH_TEXT];
} bench_result;

/* The run. */
typedef struct bench_facts {
    int ranks, threads, node_ranks, cores, repeats;
    int64_t processors;
    double read, write, copy; /* bytes a second, all ranks together */
    const char *peer;         /* NULL: none */
} bench_facts;

void bench_print_table(const bench_facts *facts, int count, const bench_result *result, FILE *stream);
/* On standard output. An exit code. Keys: docs/performance.md. */
int bench_print_json(const bench_facts *facts, int count, const bench_result *result);

#endif
