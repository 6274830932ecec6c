/* The processor that a table was measured on: every table and every JSON object of bmf-bench names it. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "drivers/command/json.h"

enum { BENCH_MODEL_TEXT = 128, BENCH_CACHE_LEVELS = 3 };

typedef struct bench_machine {
    char model[BENCH_MODEL_TEXT]; /* "unknown" where the system does not say */
    int cores;                    /* that this process may use */
    struct bench_cache {
        int64_t bytes;           /* of one instance; 0: not known */
        int cores;               /* that share it */
    } cache[BENCH_CACHE_LEVELS]; /* of data, level 1 first */
    const char *instructions;    /* which of its kernels bmf runs: "AVX-512", "AVX2" or "plain" */
} bench_machine;

void bench_machine_read(bench_machine *machine);

/* One line: "MODEL, 2 cores; L1 48 KiB, L2 1 MiB, L3 32 MiB of 2 cores; AVX-512". */
void bench_machine_print(FILE *stream);

/* {"model", "cores", "instructions", "l1_bytes", "l2_bytes", "l3_bytes"}; null for a cache that is not known. */
json_t *bench_machine_json(void);

#endif
