/* bmf check: parses and types a program, and prints the type of its value. */
#include <inttypes.h>
#include <stdlib.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "drivers/program_options.h"
#include "runtime/base/array.h"

/* ---- notes: what is sent to all processors ---- */

/* Broadcasts that have been noted: a definition that is used twice has them twice. */
typedef struct noted {
    const bmf_texts *texts;
    bmf_span *span;
    int count, capacity;
} noted;

static void note_broadcast(noted *all, const bmf_expression *distl)
{
    char words[512];
    int64_t line = 0, column = 0;
    for (int k = 0; k < all->count; k++)
        if (all->span[k].text == distl->span.text && all->span[k].begin == distl->span.begin)
            return;
    *ARRAY_APPEND(all->span, all->count, all->capacity) = distl->span;
    const bmf_text *text = &all->texts->text[distl->span.text];
    text_place(text, distl->span.begin, &line, &column);
    printf("%s:%" PRId64 ":%" PRId64 ": %s is sent to all processors: %s\n", text->name, line, column,
           distl->name ? distl->name : "the item of P_Distl",
           bmf_type_print(distl->in->component[0], words, sizeof words));
}

static void note_broadcasts(noted *all, const bmf_expression *expression)
{
    if (!expression->communicates)
        return;
    if (expression->kind == BMF_EXPRESSION_OP && expression->operation == BMF_OPERATION_DISTL)
        note_broadcast(all, expression);
    for (int k = 0; k < expression->children; k++)
        if (expression->child[k])
            note_broadcasts(all, expression->child[k]);
}

static void print_notes(const bmf_program *program)
{
    noted all = {.texts = &program->texts};
    note_broadcasts(&all, program->checked);
    free(all.span);
}

/* ---- types ---- */

static int print_types(const bmf_program *program, bool json)
{
    char out[4096], in[4096];
    bmf_type_print(program->checked->out, out, sizeof out);
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
            print_notes(&program);
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
