/* bmf check: parses and types a program, and prints the type of its value. */
#include <stdlib.h>

#include "drivers/commands.h"
#include "drivers/program_options.h"

static void print_help(void)
{
    puts("usage: bmf check PROG.bmf [OPTION]..\n"
         "\n"
         "Parses a program and infers its types. Prints the type of its value, "
         "or points at what is wrong.\n"
         "\n"
         "  --library F   a file of definitions; may be given several times\n"
         "  --arg F       the argument: a .npy file or data as text; default: "
         "the data at the end of the program\n"
         "  --procs P     also check that P processors are enough for the "
         "program's splits\n"
         "  --json        print {\"type\", \"argument\", \"processors\"}\n"
         "  --help        this text\n"
         "\n"
         "Example: echo 'B_Op (B_Length) [1, 2, 3]' > length.bmf && bmf check "
         "length.bmf");
}

static void print_types(const bmf_program *program, bool json)
{
    char out[4096], in[4096];
    bmf_type_print(program->checked->out, out, sizeof out);
    bmf_type_print(program->argument_type, in, sizeof in);
    if (json)
        printf("{\"type\": \"%s\", \"argument\": \"%s\", \"processors\": %lld}\n", out, in,
               (long long)processors_needed(program->checked));
    else
        puts(out);
}

static int check(bmf_context *ctx, const bmf_driver_options *o)
{
    bmf_program program = {0};
    int code = bmf_report_program(ctx, bmf_load_program(ctx, o, &program));
    if (code == 0 && bmf_is_root(ctx)) {
        print_types(&program, o->json);
        code = bmf_finish_output();
    }
    program_free(&program);
    return code;
}

int bmf_command_check(int argc, char **argv)
{
    bmf_driver_options o;
    bmf_context *ctx;
    if (bmf_open_program(&argc, &argv, &ctx) != BMF_OK)
        return bmf_report(BMF_ERROR_USAGE);
    int code = bmf_read_program_options("check", argc, argv, &o);
    if (code == 0 && o.help && bmf_is_root(ctx))
        print_help();
    else if (code == 0 && !o.help)
        code = check(ctx, &o);
    int closed = bmf_close(ctx);
    return code != 0 ? code : closed;
}
