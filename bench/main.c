/* bmf-bench: the benchmarks. Each subcommand verifies what it times and prints the physical limit beside the time. */
#include <stdio.h>
#include <string.h>

#include "bench/commands.h"

typedef struct command {
    const char *name;
    int (*run)(bmf_context *ctx, int argc, char **argv);
    const char *what;
} command;

static const command commands[] = {
    {"skeletons", bench_skeletons, "the skeletons beside the bandwidth of memory and loops written by hand"},
    {"permute", bench_permute, "permutations in memory beside memcpy and the naive loop"},
    {"language", bench_language, "programs of the language beside loops written by hand"},
    {"predict", bench_predict, "the simulator and the writers of traces"},
    {"sheets", bench_sheets, "data sheets: do they predict what was not measured, and can they be measured again"},
    {"edn", bench_edn, "the DECmpp's router as document 003 measured it beside the model of it"},
    {"mesh", bench_mesh, "routers of a mesh beside document 004; finding and simulating schedules"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: mpirun -n RANKS bmf-bench BENCHMARK [OPTION...]\n\n"
                    "Times what bmf does, checks every result, and prints the physical limit beside each time.\n\n"
                    "benchmarks:\n");
    for (int k = 0; k < COMMANDS; k++)
        fprintf(stream, "  %-12s %s\n", commands[k].name, commands[k].what);
    fprintf(stream,
            "\n`bmf-bench BENCHMARK --help` says more. All take the --bmf-* options, such as --bmf-threads T.\n\n"
            "Example: mpirun -n 1 bmf-bench skeletons --bmf-threads 2\n");
}

static int refuse(const bmf_context *ctx, const char *name)
{
    if (bmf_is_root(ctx)) {
        if (name)
            fprintf(stderr, "bmf-bench: there is no benchmark '%s'; see bmf-bench --help\n", name);
        else
            fprintf(stderr, "bmf-bench: name a benchmark; see bmf-bench --help\n");
    }
    return 2;
}

static int run(bmf_context *ctx, int argc, char **argv)
{
    if (argc < 2)
        return refuse(ctx, NULL);
    if (strcmp(argv[1], "--help") == 0) {
        if (bmf_is_root(ctx))
            print_help(stdout);
        return 0;
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(argv[1], commands[k].name) == 0)
            return commands[k].run(ctx, argc - 1, argv + 1);
    return refuse(ctx, argv[1]);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    const int code = run(ctx, argc, argv);
    const int closing = bmf_close(ctx);
    return code ? code : closing;
}
