/* skeletons: a Cowichan program on bmf's skeletons, with the options of the one in plain MPI.
 *
 *     mpirun.mpich -n 2 skeletons life --n 160 --check
 *
 * --check compares with plain MPI, to the last bit; plain MPI's own --check with a sequential reference. */
#include "versions.h"

#include <bmf/mpi.h>
#include <stdio.h>
#include <string.h>

static void print_usage(FILE *to)
{
    fputs("usage: mpirun.mpich -n RANKS skeletons PROGRAM [OPTION..]\n\nA Cowichan program on bmf's skeletons:\n", to);
    for (const struct version *v = versions; v->name; v++)
        fprintf(to, "  %-8s %s\n", v->name, v->what);
    fputs(
        "\n`skeletons PROGRAM --help` names its options.\nExample: mpirun.mpich -n 2 skeletons life --n 160 --check\n",
        to);
}

/* Without a program: rank 0 says which there are. */
static int explain(int argc, char **argv)
{
    const bool asked = argc > 1 && strcmp(argv[1], "--help") == 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && asked)
        print_usage(stdout);
    else if (rank == 0)
        fprintf(stderr, "skeletons: %s%s%s (see --help)\n", argc > 1 ? "no program is called '" : "which program?",
                argc > 1 ? argv[1] : "", argc > 1 ? "'" : "");
    MPI_Finalize();
    return asked ? 0 : 2;
}

/* The checksum of the results. */
static uint64_t finish(const struct version *version, const struct run *run, const struct input *input,
                       bmf_list *const list[RESULTS])
{
    struct matrix plain[RESULTS] = {0}, made[RESULTS];
    version->plain(run, input->matrix, plain);
    results_of_lists(run, list, plain, made);
    output(run, &made[0]);
    for (int k = 0; k < RESULTS && run->check; k++)
        if (made[k].rows > 0)
            check_equal(run, "the result", &made[k], matrix_gather(run, &plain[k]), 0);
    const uint64_t checksum = results_checksum(made);
    results_close(plain);
    results_close(made);
    return checksum;
}

int main(int argc, char **argv)
{
    const struct version *const version = argc > 1 ? find_version(argv[1]) : NULL;
    const char *second = NULL;
    const struct option options[] = {{"vector", OPTION_TEXT, &second, "the vector of product, sor, gauss, vecdiff"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    if (!version)
        return explain(argc, argv);
    struct run run = run_open(argc - 1, argv + 1, version->name, version->what, options);
    bmf_context *ctx;
    bmf_options opened = bmf_options_init();
    opened.processors = run.ranks;
    opened.threads = (int)run.threads;
    BMF_CHECK(bmf_open_with(MPI_COMM_WORLD, &opened, &ctx));
    struct input input;
    bmf_list *list[RESULTS] = {NULL, NULL};
    BMF_CHECK(input_open(ctx, version, &run, second, &input));
    run_begin(&run);
    phase("skeletons");
    BMF_CHECK(version->skeletons(ctx, &run, input.list, list));
    run_end(&run);
    const uint64_t checksum = finish(version, &run, &input, list);
    for (int k = 0; k < RESULTS; k++)
        bmf_list_free(list[k]);
    input_close(&input);
    bmf_close(ctx);
    return run_close(&run, checksum);
}
