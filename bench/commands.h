/* The benchmarks of bmf-bench: a descriptor each, and a line in the table of bench/main.c. Every process runs them. */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

#include "drivers/command/command.h"
#include "drivers/command/json.h"

extern const bmf_driver bench_skeletons, bench_permute, bench_language, bench_sheets, bench_predict, bench_edn,
    bench_figures, bench_mesh, bench_cowichan, bench_probe;

#endif
