/* bmf check: parses and types a program, and prints the type of its value. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "drivers/notation/broadcasts.h"
#include "drivers/program_options.h"
#include "runtime/base/array.h"

/* ---- notes: what is sent to all processors ---- */

static void print_note(void *state, const bmf_expression *distl, const char *message)
{
    const bmf_program *program = state;
    const bmf_text *text = &program->texts.text[distl->span.text];
    int64_t line = 0, column = 0;
    text_place(text, distl->span.begin, &line, &column);
    printf("%s:%" PRId64 ":%" PRId64 ": %s\n", text->name, line, column, message);
}

/* ---- notes: the shapes of matrices ---- */

typedef struct shape_notes {
    const bmf_program *program;
    bmf_span *span; /* that have been noted */
    int count, capacity;
} shape_notes;

/* The first time at each place. */
static void note_shape(void *state, const bmf_expression *expression, const bmf_extent *out)
{
    char type[512], words[128], message[800];
    shape_notes *notes = state;
    const bmf_span span = expression->span;
    const bool matrix = expression->kind == BMF_EXPRESSION_OP && (expression->operation == BMF_OPERATION_TRANSPOSE ||
                                                                  expression->operation == BMF_OPERATION_MATMUL);
    extent_print(out, expression->out, words, sizeof words);
    if (!matrix || *words == '\0' || span.text < 0)
        return;
    for (int k = 0; k < notes->count; k++)
        if (notes->span[k].text == span.text && notes->span[k].begin == span.begin)
            return;
    *ARRAY_APPEND(notes->span, notes->count, notes->capacity) = span;
    const bmf_text *text = &notes->program->texts.text[span.text];
    snprintf(message, sizeof message, "%s makes %s%s", expression_keyword(expression),
             bmf_type_print(expression->out, type, sizeof type), words);
    if (text->words)
        text->words(message, type, sizeof type);
    print_note((void *)notes->program, expression, text->words ? type : message);
}

static void print_shapes(const bmf_program *program)
{
    shape_notes notes = {.program = program};
    const bmf_extent_observer observer = {note_shape, &notes};
    extents_check(NULL, &program->texts, program->arena, program->checked, program->argument_extent, &observer, NULL);
    free(notes.span);
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
    bmf_driver_options *o = values;
    bmf_program program = {0};
    o->only_types = true;
    int code = report_status(ctx, load_program(ctx, o, operands->text[0], &program));
    if (code == 0 && bmf_is_root(ctx)) {
        if (o->notes && !o->json) {
            broadcasts_each(program.checked, print_note, &program);
            print_shapes(&program);
        }
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
               "say first what is sent to all processors, where, and its type, and the shapes of matrices"),
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
