/* bmf cop compile: a header with the functions of a program's operators, for the user's own compiler. */
#include <errno.h>
#include <string.h>

#include "bmf/status.h"
#include "drivers/command/mpirun.h"
#include "drivers/cop/cop.h"
#include "predict/cop/emit.h"
#include "runtime/base/output_file.h"

static int write_header(const bmf_cop_program *program, bmf_cop_target target, const char *path)
{
    if (strcmp(path, "-") == 0) { /* finish_output says if it cannot take it */
        cop_emit(program, target, stdout);
        return BMF_OK;
    }
    bmf_output_file output;
    int failure = output_file_open(&output, path);
    FILE *stream = failure ? NULL : output_file_stream(&output);
    if (stream)
        cop_emit(program, target, stream);
    if (!failure)
        failure = output_file_close(&output, stream ? 0 : ENOMEM);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(failure)) : BMF_OK;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_cop_options *o = values;
    bmf_cop_routers routers;
    bmf_cop_program *program;
    (void)ctx;
    const bool mpi = o->router == BMF_COP_MPI;
    int code = cop_open_program(operands->text[0], o, &routers, &program);
    if (code != 0)
        return code;
    int status = mpi ? cop_check_mpi(program) : BMF_OK;
    if (status == BMF_OK)
        status = write_header(program, mpi ? BMF_COP_FOR_MPI : BMF_COP_FOR_MESH, o->output);
    code = report_status(NULL, status);
    cop_free(program);
    return code ? code : finish_output();
}

static const bmf_option table[] = {BMF_COP_SIZE_OPTION, BMF_COP_ROUTER_OPTION,
                                   BMF_OPTION("output", "F.h", BMF_TEXT(bmf_cop_options, output),
                                              "the header to write, - for standard output", .letter = 'o',
                                              .missing = "no header to write: give -o F.h"),
                                   BMF_OPTION_END};

const bmf_driver cop_compile_command = {
    .name = "compile",
    .summary = "the functions of a program's operators, for your own compiler",
    .synopsis = "bmf cop compile FILE --size XxY[xZ] [--router R] -o F.h",
    .about =
        "Writes a header with the functions of all operators of a COP program (`b_load`, `b_write`, `b_read`, "
        "`b_func`, `cop_init` ..), which one source file includes. For mpi it needs nothing but MPI: streams become "
        "persistent requests, broadcasts, reductions, prefixes and barriers MPI's collectives. The program is compiled "
        "by mpicc and started with a rank for every node of the mesh. The same program runs under `bmf cop run`; for "
        "the "
        "simulated routers the header is the one that `run` makes, with which editors and compilers can check a "
        "program.",
    .example = "bmf cop compile examples/cop/matmul.c --size 3x3 --router mpi -o matmul.cop.h\n"
               "mpicc -I. examples/cop/matmul.c -o matmul\n" BMF_MPIRUN_NAME " -n 9 ./matmul",
    .exit_code = "2 is also a mistake in the program, or an operator that MPI cannot carry out.",
    .options = table,
    BMF_ONE_OPERAND("no COP program", "more than one COP program"),
    .defaults = &cop_default_options,
    .size = sizeof(bmf_cop_options),
    .run = run};
