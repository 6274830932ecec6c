/* bmf core: a program or library in the core language. */
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/notation/document.h"
#include "drivers/program_options.h"
#include "skeletons/language/argument_declared.h"
#include "skeletons/language/front/type_parse.h"

enum { LINE_COLUMNS = 100 };

/* "$name = ", the expression: below it if it does not fit on the line. */
static void print_definition(const bmf_definition *definition)
{
    char *line = expression_print(definition->expression, -1);
    const size_t head = strlen(definition->name) + 4;
    if (strlen(line) + head <= LINE_COLUMNS) {
        printf("$%s = %s\n", definition->name, line);
    } else {
        char *broken = expression_print(definition->expression, 2);
        printf("$%s =\n%s\n", definition->name, broken);
        free(broken);
    }
    free(line);
}

static void print_declared(const document *from)
{
    const bmf_type *declared = declared_argument(&from->parsed);
    char *type = declared ? type_print(declared) : NULL;
    if (type)
        printf(": %s\n", type);
    free(type);
}

static void print_core(const document *from)
{
    bool first = true;
    for (int k = 0; k < from->library.count; k++) {
        const bmf_definition *definition = &from->library.definition[k];
        if (definition->span.text != from->text)
            continue;
        document_print_remarks(from, definition->span.begin, first);
        print_definition(definition);
        first = false;
    }
    if (!from->parsed.expression)
        return;
    char *text = expression_print(from->parsed.expression, 0);
    if (!first)
        putchar('\n');
    document_print_remarks(from, from->main, first);
    puts(text);
    free(text);
    print_declared(from);
    if (from->parsed.has_data || from->parsed.is_constant)
        putchar('\n');
    if (from->parsed.has_data)
        document_print_data(from);
    else if (from->parsed.is_constant)
        puts("0");
}

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    const document_values *values = given;
    document from;
    int code = report_status(ctx, document_open(operands->text[0], &values->library, &from));
    if (code == 0) {
        print_core(&from);
        code = finish_output();
    }
    document_close(&from);
    return code;
}

static const bmf_option options[] = {BMF_OPTION("library", "FILE", BMF_LIST(document_values, library),
                                                "a file of definitions that the text uses; may be given several times"),
                                     BMF_OPTION_END};

const bmf_driver core_command = {
    .name = "core",
    .summary = "print a program in the core language",
    .synopsis = "bmf core FILE [OPTION]..",
    .about =
        "Prints the core language, which is what is typed, rewritten, run and predicted, of a program or library in "
        "the notation; of one in the core, the same with the usual line breaks. Remarks in front of definitions "
        "are kept.",
    .example = "echo 'main(xs) = xs |> map(x -> x * x) |> reduce(+)' > squares.bmf && bmf core squares.bmf",
    .see = "bmf-notation, bmf-format, bmf-check",
    .options = options,
    BMF_PROGRAM_OPERAND,
    .size = sizeof(document_values),
    .run = run};
