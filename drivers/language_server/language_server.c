/* bmf language-server: what editors ask about programs. */
#include "drivers/commands.h"
#include "drivers/language_server/server.h"

typedef struct values {
    bmf_strings library;
} values;

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    const values *v = given;
    (void)ctx;
    (void)operands;
    const int code = server_run(stdin, stdout, &v->library), printed = finish_output();
    return printed == 0 ? code : printed;
}

static const bmf_option options[] = {
    BMF_OPTION("library", "FILE", BMF_LIST(values, library),
               "a file of definitions, or the name of an installed library (lists, numbers), that programs may use; "
               "may be given several times"),
    BMF_OPTION_END};

const bmf_driver language_server_command = {
    .name = "language-server",
    .summary = "tell editors what is wrong with programs, types and definitions",
    .synopsis = "bmf language-server [OPTION]..",
    .about = "Speaks the language server protocol on standard input and output. Editors start it; docs/editors.md "
             "shows how. "
             "It knows what `bmf check` knows: it marks errors while a program is typed, and says what is sent to all "
             "processors; hovering over a name shows its type, over a function what it does; it finds definitions, "
             "also those "
             "of libraries, lists the definitions of a text, completes names, and formats as `bmf format` does.\n\n"
             "Types are known of programs with data: in the notation, behind the word `default`. Core language is "
             "understood "
             "too, but not formatted.",
    .example = "nvim -c \"lua vim.lsp.start_client({cmd = {'bmf', 'language-server'}})\" prog.bmf",
    .exit_code = "1 is also the end of the input, or exit, without a shutdown before it.",
    .see = "bmf-check, bmf-format",
    .options = options,
    .size = sizeof(values),
    .run = run};
