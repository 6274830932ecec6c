/* The programs of document 000 and their predicted runs.
 *
 * Method: the text is written to a file in a temporary directory and run on the model backend, as `bmf predict` does.
 * Splits go along the tree, as in the document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures/figures.h"
#include "bmf/mpi.h"
#include "predict/machine/machine.h"
#include "predict/model/model.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/program.h"

#define LIST      "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"
#define SPREAD    "P_Split (B_Num 16) (B_Num 0)"
#define FLAT      "$Flatten = P_Map (B_Reduce (B_Op (B_Plus)))\n"
#define INCREMENT "$Increment = B_Comp (B_Op (B_Plus)) (B_Alltup [B_Id, B_Con (B_Int 1)])\n"
#define PROJECT                                                                                                        \
    FLAT "$Make_List = B_Comp (B_Op (B_Iota)) (B_Con (B_Int 16))\n"                                                    \
         "B_Comp (P_Project) (B_Alltup [B_Comp ($Flatten) (B_Comp (" SPREAD ") ($Make_List)), B_Id])\n"

static const char *const text[FIGURE_PROGRAMS] = {
    [PROGRAM_SPLIT] = "P_Split (B_Num 8) (B_Num 0) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]",
    [PROGRAM_NESTED] =
        INCREMENT "B_Comp (P_Reduce (B_Op (B_Conc)))\n"
                  "  (B_Comp (P_Map (P_Map (P_Reduce (B_Op (B_Conc)))))\n"
                  "    (B_Comp (P_Map (P_Map (P_Map (B_Map ($Increment)))))\n"
                  "      (B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0)))) (P_Split (B_Num 4) (B_Num 2)))))\n"
                  "[[0, 1, 2, 3], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]",
    [PROGRAM_DISTL] = "B_Comp (P_Distl) (B_Comp (B_Alltup [B_Con (B_Int 2), B_Id]) (" SPREAD "))\n" LIST,
    [PROGRAM_LARGE_DISTL] = "B_Comp (P_Distl)\n  (B_Comp (B_Alltup [B_Comp (B_Op (B_Iota)) (B_Con (B_Int 16)), B_Id]) "
                            "(" SPREAD "))\n" LIST,
    [PROGRAM_REDUCE] =
        INCREMENT "B_Comp (B_Comp (P_Reduce (B_Op (B_Conc))) (P_Map (B_Map ($Increment)))) (" SPREAD ")\n" LIST,
    [PROGRAM_ZIP] = "B_Comp (P_Zip (B_Op (B_Conc))) (B_Alltup [" SPREAD ", " SPREAD "])\n" LIST,
    [PROGRAM_SCAN] = FLAT "B_Comp (P_Scan (B_Op (B_Plus))) (B_Comp ($Flatten) (" SPREAD "))\n" LIST,
    [PROGRAM_SCAN_LISTS] = "B_Comp (P_Scan (B_Op (B_Conc))) (" SPREAD ")\n" LIST,
    [PROGRAM_REVERSAL] = PROJECT "[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]",
    [PROGRAM_RANDOM] = PROJECT "[6, 11, 2, 14, 9, 0, 13, 4, 15, 7, 1, 12, 10, 3, 8, 5]",
    [PROGRAM_BROADCAST] = PROJECT "[15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]",
};

const char *figure_program_text(figure_program program)
{
    return text[program];
}

static int write_program(figure_program program, const char *path)
{
    bmf_output_file file;
    const int failure = output_file_open(&file, path);
    if (failure == 0)
        fputs(text[program], output_file_stream(&file));
    if (failure != 0 || output_file_close(&file, 0) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s'", path);
    return BMF_OK;
}

static int run_program(bmf_context *ctx, const char *path, const bmf_machine *machine, bmf_trace_run **run)
{
    const bmf_program_options loaded = {.path = path, .processors = FIGURE_PROCESSORS};
    bmf_program program = {0};
    bmf_value result = {0};
    int status = program_load(ctx, &loaded, &program);
    if (status == BMF_OK)
        status = model_open(ctx, machine, FIGURE_PROCESSORS, 0);
    if (status == BMF_OK) {
        program_rewrite(&program, &(bmf_rewriting){.laws = ~0u});
        status = program_run(ctx, &program, &result);
    }
    if (status == BMF_OK) {
        value_free(&result);
        status = model_trace(ctx, run);
    }
    program_free(&program);
    return status;
}

static int predict(const char *path, const char *machine_name, bmf_trace_run **run)
{
    bmf_options options = bmf_options_init();
    bmf_machine *machine;
    bmf_context *ctx;
    BMF_TRY(machine_read(machine_name, &machine));
    options.processors = FIGURE_PROCESSORS;
    options.schedule = "split=tree,gather=levels";
    int status = bmf_open_with(MPI_COMM_WORLD, &options, &ctx);
    if (status == BMF_OK) {
        status = run_program(ctx, path, machine, run);
        if (status != BMF_OK)
            bmf_fail(NULL, status, "%s", bmf_error_text(ctx));
        bmf_close(ctx);
    }
    machine_free(machine);
    return status;
}

int figure_predict(figure_program program, const char *machine, bmf_trace_run **run)
{
    char *directory = temporary_directory_create("figures");
    if (!directory)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory");
    const size_t size = strlen(directory) + sizeof "/program.bmf";
    char *path = allocate((int64_t)size);
    snprintf(path, size, "%s/program.bmf", directory);
    int status = write_program(program, path);
    if (status == BMF_OK)
        status = predict(path, machine, run);
    free(path);
    temporary_directory_remove(directory);
    return status;
}
