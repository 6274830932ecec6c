/* bmf notation: a program or library in the notation. */
#include <stdlib.h>

#include "drivers/commands.h"
#include "drivers/notation/document.h"
#include "drivers/program_options.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/print.h"

static void print_raised(const document *from, const char *name, const bmf_expression *expression)
{
    notation_definition made;
    notation_raise(from->arena, &from->library, name, expression, &made);
    notation_print_definition(&made, stdout);
}

/* The type that the core declares is that of the only parameter, or of the tuple of all. */
static void print_main(const document *from)
{
    bmf_declared each[BMF_MAX_LEAVES] = {{0}};
    const bmf_type *type = from->parsed.declared[0].type;
    notation_definition made;
    notation_raise(from->arena, &from->library, "main", from->parsed.expression, &made);
    const bool tuple = type && type->kind == BMF_TUPLE && made.parameters > 1 && type->components == made.parameters;
    for (int k = 0; k < made.parameters && type && (tuple || made.parameters == 1); k++)
        each[k].type = tuple ? type->component[k] : type;
    made.declared = each;
    notation_print_definition(&made, stdout);
}

static void print_notation(const document *from)
{
    bool first = true;
    for (int k = 0; k < from->library.count; k++) {
        const bmf_definition *definition = &from->library.definition[k];
        if (definition->span.text != from->text)
            continue;
        document_print_remarks(from, definition->span.begin, first);
        print_raised(from, notation_own_name(from->arena, definition->name), definition->expression);
        first = false;
    }
    if (!from->parsed.expression)
        return;
    if (!first)
        putchar('\n');
    document_print_remarks(from, from->main, first);
    print_main(from);
    if (!from->parsed.has_data)
        return;
    fputs("default ", stdout);
    document_print_data(from);
}

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    const document_values *values = given;
    document from;
    int code = report_status(ctx, document_open(operands->text[0], &values->library, &from));
    if (code == 0 && from.notation) {
        char *text = notation_format(&from.texts.text[from.text]);
        fputs(text, stdout);
        free(text);
    } else if (code == 0) {
        print_notation(&from);
    }
    document_close(&from);
    return code == 0 ? finish_output() : code;
}

static const bmf_option options[] = {BMF_OPTION("library", "FILE", BMF_LIST(document_values, library),
                                                "a file of definitions that the text uses; may be given several times"),
                                     BMF_OPTION_END};

const bmf_driver notation_command = {
    .name = "notation",
    .summary = "print a program in the notation",
    .synopsis = "bmf notation FILE [OPTION]..",
    .about = "Prints the notation, with variables, patterns and infix operators, of a program or library in the core "
             "language; of one in the notation, the same as `bmf format` does. `bmf core` makes the same core of it: "
             "equal but for what B_Id and tuples of all components of a tuple leave as they are. Remarks in front of "
             "definitions are kept.",
    .example =
        "echo 'B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Sqrt)) [1, 4, 9]' > roots.bmf && bmf notation roots.bmf",
    .see = "bmf-core, bmf-format",
    .options = options,
    BMF_PROGRAM_OPERAND,
    .size = sizeof(document_values),
    .run = run};
