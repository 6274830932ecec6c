/* bmf-bench machine: what one core can do, in three numbers that machine files of other machines take. */
#include "bench/commands.h"
#include "bench/probe/probe.h"

enum { DEFAULT_MIB = 256, MAX_MIB = 1 << 20 };

typedef struct options {
    int64_t mib;
    bool json;
} options;

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    (void)ctx, (void)operands;
    const int failed = machine_probe(o->mib, o->json);
    return failed ? failed : finish_output();
}

static const bmf_option table[] = {
    BMF_OPTION("mib", "N", BMF_WHOLE(options, mib, 1, MAX_MIB), "MiB of memory, several times the largest cache"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"), BMF_OPTION_END};

static const options defaults = {.mib = DEFAULT_MIB};

const bmf_driver bench_probe = {
    .name = "machine",
    .summary = "what one core can do, for predictions for other machines",
    .synopsis = "bmf-bench machine [--json] [--mib N]",
    .about = "Measures on one core, in seconds: operations a second of a chain in which each waits for the one before, "
             "bytes a second of streaming through memory, and the time of a read that waits for the one before; "
             "medians, and half the range of the middle half. The C file bench/probe/probe.c does the same without bmf "
             "and MPI: take it to a login node. `bmf machine make --probe HERE --target THERE` takes both results.",
    .example = "bmf-bench machine --json >here.json\n"
               "cc -O2 probe.c -o probe -lm && ./probe --json >there.json     # on the other machine",
    .options = table,
    .max_operands = 0,
    .defaults = &defaults,
    .size = sizeof(options),
    .run = run};
