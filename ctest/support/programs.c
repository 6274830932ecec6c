/* Running programs of the language inside a test. */
#include "ctest/support/programs.h"

#include <stdlib.h>

static int print_value(bmf_context *ctx, bmf_program *program, char **value)
{
    bmf_value result = {0};
    bmf_column column = {0};
    size_t size;
    BMF_TRY(program_run(ctx, program, &result));
    BMF_TRY(program_gather(ctx, &result, &column));
    if (bmf_is_root(ctx)) {
        FILE *stream = open_memstream(value, &size);
        data_print(&column, 0, stream);
        fclose(stream);
    }
    column_free(&column);
    return BMF_OK;
}

int test_run_program(bmf_context *ctx, const char *text, unsigned laws, char **value)
{
    bmf_program program;
    bmf_program_options options = {.path = "test.bmf", .text = text};
    *value = NULL;
    int status = program_load(ctx, &options, &program);
    if (status == BMF_OK) {
        int64_t needed = processors_needed(program.checked);
        status = bmf_set_processors(ctx, needed > bmf_ranks(ctx) ? needed : bmf_ranks(ctx));
    }
    if (status == BMF_OK) {
        program_rewrite(&program, &(bmf_rewriting){.laws = laws});
        status = print_value(ctx, &program, value);
    }
    program_free(&program);
    return status;
}
