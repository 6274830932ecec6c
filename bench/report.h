/* The table and the JSON object of a benchmark of rows. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "bench/skeletons/skeletons.h"

enum { BENCH_TEXT = 256 };

/* What was measured of one row. Times in seconds, 0 where there is none. */
typedef struct bench_result {
    const bench_row *row;
    int64_t elements;
    double min_bytes, limit_bandwidth;       /* bytes that must move, and bytes a second that memory moves */
    double seconds, limit, reference, rival; /* medians */
    double minimum, limit_minimum, reference_minimum, rival_minimum; /* of the fastest repeat of each */
    int64_t messages, bytes;                                         /* of one call, between processors, all ranks */
    int status; /* of the row; not BMF_OK: the rest is not valid and error says why */
    char error[BENCH_TEXT];
} bench_result;

/* The machine and the run. */
typedef struct bench_facts {
    int ranks, threads, node_ranks, cores, repeats;
    int64_t processors;
    char model[BENCH_TEXT];
    double read, write, copy; /* bytes a second, all ranks together */
} bench_facts;

/* Fills model with the processor's name, or "unknown". */
void bench_facts_model(bench_facts *facts);

void bench_print_table(const bench_facts *facts, int count, const bench_result *result, FILE *stream);
/* On standard output. An exit code. Keys: docs/performance.md. */
int bench_print_json(const bench_facts *facts, int count, const bench_result *result);

#endif
