/* bmf check: parses and types a program, and prints the type of its value. */
#include <inttypes.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "drivers/notation/broadcasts.h"
#include "drivers/program_options.h"

/* ---- notes: what is sent to all processors ---- */

static void print_note(void *state, const bmf_expression *distl, const char *message)
{
    const bmf_program *program = state;
    const bmf_text *text = &program->texts.text[distl->span.text];
    int64_t line = 0, column = 0;
    text_place(text, distl->span.begin, &line, &column);
    printf("%s:%" PRId64 ":%" PRId64 ": %s\n", text->name, line, column, message);
}

/* ---- types ---- */

static int print_types(const bmf_program *program, bool json)
{
    char out[4096], in[4096];
    bmf_type_print(program->value_type, out, sizeof out);
    bmf_type_print(program->argument_type, in, sizeof in);
    if (!json)
        puts(out);
    return json ? json_print(json_pack("{s:s, s:s, s:I}", "type", out, "argument", in, "processors",
                                       (json_int_t)processors_needed(program->checked)),
                             BMF_JSON_LINE)
                : finish_output();
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_driver_options *o = values;
    bmf_program program = {0};
    int code = report_status(ctx, load_program(ctx, o, operands->text[0], &program));
    if (code == 0 && bmf_is_root(ctx)) {
        if (o->notes && !o->json)
            broadcasts_each(program.checked, print_note, &program);
        code = print_types(&program, o->json);
    }
    program_free(&program);
    return code;
}

static const bmf_option options[] = {
    BMF_LIBRARY_OPTION,
    BMF_ARGUMENT_OPTION,
    BMF_OPTION("procs", "P", BMF_WHOLE(bmf_driver_options, processors, 1, BMF_MAX_PROCESSORS),
               "also check that P processors are enough for the program's splits"),
    BMF_OPTION("notes", NULL, BMF_FLAG(bmf_driver_options, notes),
               "say first what is sent to all processors, where, and its type"),
    BMF_OPTION("json", NULL, BMF_FLAG(bmf_driver_options, json),
               "print one JSON object: type, argument (its type) and processors (how many the program needs)"),
    BMF_OPTION_END};

const bmf_driver check_command = {
    .name = "check",
    .summary = "parse and type a program of the BMF language",
    .synopsis = "bmf check PROG.bmf [OPTION]..",
    .about = "Parses a program and infers its types. Prints the type of its value, or points at what is wrong.",
    .example = "echo 'B_Op (B_Length) [1, 2, 3]' > length.bmf && bmf check length.bmf\n"
               "bmf check prog.bmf --library lib.bmf --arg input.npy",
    .exit_code = "2 is also a program that is not correct; the message marks the place in the text.",
    .see = "bmf-run, bmf-plan",
    .options = options,
    BMF_PROGRAM_OPERAND,
    .parallel = true,
    .size = sizeof(bmf_driver_options),
    .run = run};
