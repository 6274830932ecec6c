/* The three numbers of one core: see probe.c, which is also a program by itself. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stdint.h>

/* Measures with `mib` MiB of memory and prints a table, or one JSON object. Exit code: 0, or 1 and a line on standard
 * error. */
int machine_probe(int64_t mib, int json);

#endif
