/* What one core of a machine can do, in three numbers: operations a second of a chain of dependent floating-point
 * operations, bytes a second of streaming through memory, and the time of a read that the next one depends on.
 *
 * This file needs nothing but a C11 library. Take it to a machine where bmf is not installed:
 *
 *     cc -O2 probe.c -o probe -lm && ./probe --json >there.json
 *
 * and write the same of this machine by `bmf-bench machine --json >here.json` or by the same lines here.
 *
 * Method: ROUNDS rounds after one that warms memory and clock, each number the median, its spread half of the range
 * between the quartiles relative to the median. The chain is of additions, multiplications, comparisons and one
 * division in eight, each waiting for the one before, so that no compiler can do several at once. Streaming is
 * a[i] = b[i] + c a[i], counted as three times 8 bytes. Reads follow one random cycle through all lines (Sattolo's
 * algorithm).
 * Source: McCalpin, "STREAM" (1995), for streaming; McVoy and Staelin, "lmbench", USENIX (1996), for chasing.
 * Cost: some seconds and the memory of --mib.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BMF_BENCH
#include "bench/probe/probe.h" /* as a part of bmf-bench; by itself the file is complete */
#endif

enum { ROUNDS = 9, FIGURES = 3, LINE_BYTES = 64, CHAIN = 1 << 20, CHAIN_OPERATIONS = 8, READS = 1 << 20 };

typedef struct figure {
    const char *name, *text, *unit;
    double round[ROUNDS], median, spread;
} figure;

static double seconds_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what is measured ---- */

static volatile double kept; /* results go here, so that nothing is left out */

static double operations_per_second(void)
{
    double x = 1.0;
    const double begin = seconds_now();
    for (int64_t k = 0; k < CHAIN; k++) {
        x = x * 1.25 + 0.375;      /* 2 */
        x = x > 2.0 ? x - 1.0 : x; /* 2 */
        x = x * 0.75 + 0.5;        /* 2 */
        x = 1.5 / (x + 1.0);       /* 2 */
    }
    const double seconds = seconds_now() - begin;
    kept = x;
    return (double)CHAIN * CHAIN_OPERATIONS / seconds;
}

static double bytes_per_second(double *memory, int64_t numbers)
{
    double *a = memory;
    const double *b = memory + numbers / 2;
    const double begin = seconds_now();
    for (int64_t k = 0; k < numbers / 2; k++)
        a[k] = b[k] + 0.5 * a[k];
    const double seconds = seconds_now() - begin;
    kept = a[numbers / 4];
    return 3.0 * (double)sizeof *a * (double)(numbers / 2) / seconds;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One cycle through all lines: the first word of each says which line is next. */
static void make_cycle(int64_t *memory, int64_t lines)
{
    const int64_t words = LINE_BYTES / (int64_t)sizeof *memory;
    uint64_t state = 88172645463325252u;
    for (int64_t k = 0; k < lines; k++)
        memory[k * words] = k;
    for (int64_t k = lines - 1; k > 0; k--) {
        const int64_t other = (int64_t)(next_random(&state) % (uint64_t)k), line = memory[k * words];
        memory[k * words] = memory[other * words];
        memory[other * words] = line;
    }
}

/* *line: where the last round ended. */
static double seconds_of_a_read(const int64_t *memory, int64_t *line)
{
    const int64_t words = LINE_BYTES / (int64_t)sizeof *memory;
    int64_t at = *line;
    const double begin = seconds_now();
    for (int64_t k = 0; k < READS; k++)
        at = memory[at * words];
    const double seconds = seconds_now() - begin;
    *line = at;
    kept = (double)at;
    return seconds / READS;
}

/* ---- medians ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(figure *f)
{
    qsort(f->round, ROUNDS, sizeof *f->round, by_value);
    f->median = f->round[ROUNDS / 2];
    f->spread = (f->round[3 * ROUNDS / 4] - f->round[ROUNDS / 4]) / 2.0 / f->median;
}

/* Round -1 warms. 0: a clock that does not tell these times. */
static int measure(void *memory, int64_t bytes, figure f[FIGURES])
{
    const int64_t numbers = bytes / (int64_t)sizeof(double);
    int64_t line = 0;
    double *number = memory;
    for (int64_t k = 0; k < numbers; k++)
        number[k] = 1.0;
    for (int k = -1; k < ROUNDS; k++) {
        const double operations = operations_per_second(), streamed = bytes_per_second(number, numbers);
        f[0].round[k < 0 ? 0 : k] = operations;
        f[1].round[k < 0 ? 0 : k] = streamed;
    }
    make_cycle(memory, bytes / LINE_BYTES);
    for (int k = -1; k < ROUNDS; k++)
        f[2].round[k < 0 ? 0 : k] = seconds_of_a_read(memory, &line);
    for (int k = 0; k < FIGURES; k++) {
        summarise(&f[k]);
        if (!(f[k].median > 0.0) || !isfinite(f[k].median) || !isfinite(f[k].spread))
            return 0;
    }
    return 1;
}

static void print_figures(const figure f[FIGURES], int64_t mib, int json)
{
    if (json)
        printf("{\"format\": \"bmf probe 1\", \"mib\": %lld", (long long)mib);
    for (int k = 0; k < FIGURES; k++)
        if (json)
            printf(", \"%s\": %.6g, \"%s_spread\": %.3g", f[k].name, f[k].median, f[k].name, f[k].spread);
        else
            printf("%-36s %12.4g %-12s +- %.1f %%\n", f[k].text, f[k].median, f[k].unit, 100.0 * f[k].spread);
    if (json)
        printf("}\n");
}

int machine_probe(int64_t mib, int json)
{
    figure f[FIGURES] = {{.name = "operations_per_second", .text = "dependent operations", .unit = "1/s"},
                         {.name = "bytes_per_second", .text = "streaming through memory", .unit = "bytes/s"},
                         {.name = "read_seconds", .text = "a read that waits for the one before", .unit = "s"}};
    const int64_t bytes = mib << 20;
    void *memory = malloc((size_t)bytes);
    if (!memory) {
        fprintf(stderr, "probe: no memory for %lld MiB; --mib takes fewer\n", (long long)mib);
        return 1;
    }
    const int measured = measure(memory, bytes, f);
    free(memory);
    if (!measured) {
        fprintf(stderr, "probe: the clock of this machine does not tell times this short\n");
        return 1;
    }
    print_figures(f, mib, json);
    return 0;
}

#ifndef BMF_BENCH
enum { DEFAULT_MIB = 256, MAX_MIB = 1 << 20 };

int main(int argc, char **argv)
{
    int64_t mib = DEFAULT_MIB;
    int json = 0;
    for (int k = 1; k < argc; k++) {
        char *end = argv[k];
        if (strcmp(argv[k], "--json") == 0) {
            json = 1;
            continue;
        }
        if (strcmp(argv[k], "--mib") == 0 && k + 1 < argc)
            mib = strtoll(argv[++k], &end, 10);
        if (end == argv[k] || *end || mib < 1 || mib > MAX_MIB) {
            fprintf(stderr, "usage: %s [--json] [--mib N], 1 <= N <= %d\n", argv[0], MAX_MIB);
            return 2;
        }
    }
    const int failed = machine_probe(mib, json);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "probe: cannot write to standard output\n");
        return 1;
    }
    return failed;
}
#endif
