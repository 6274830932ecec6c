/* bmf-bench: the benchmarks. Each verifies what it times and prints the physical limit beside the time. */
#include "bench/commands.h"
#include "runtime/base/kept_memory.h"
#include "drivers/command/mpirun.h"

static const bmf_driver *const benchmarks[] = {
    &bench_skeletons, &bench_permute, &bench_language, &bench_predict, &bench_sheets, &bench_edn,
    &bench_figures,   &bench_mesh,    &bench_cowichan, &bench_probe,   NULL};

static const bmf_driver program = {
    .name = "bmf-bench",
    .summary = "time what bmf does, beside what the machine allows",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf-bench BENCHMARK [OPTION]..",
    .about =
        "Times what bmf does, checks every result, and prints the physical limit beside each time. All benchmarks take "
        "the --bmf-* options, such as --bmf-threads T.",
    .example = BMF_MPIRUN_NAME " -n 1 bmf-bench skeletons --bmf-threads 2",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .commands = benchmarks,
    .noun = "benchmark",
    .missing = "name a benchmark",
    .exact_names = true,
};

int main(int argc, char **argv)
{
    keep_freed_memory();
    return command_main(&program, argc, argv);
}
