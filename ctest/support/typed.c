/* See the header. */
#include "ctest/support/typed.h"

#include <string.h>

#include "skeletons/language/front/data.h"

int typed_program_open(const char *text, typed_program *program)
{
    bmf_parsed parsed;
    bmf_column column;
    *program = (typed_program){.arena = expressions_create()};
    int number = texts_add(&program->texts, "t.bmf", text, (int64_t)strlen(text));
    BMF_TRY(parse_program(NULL, &program->texts, number, program->arena, &program->library, &parsed));
    BMF_TRY(library_check(NULL, &program->texts, &program->library, parsed.expression));
    BMF_TRY(data_parse(NULL, &program->texts, parsed.data, &program->argument, &column));
    column_free(&column);
    return check_types_observed(NULL, &program->texts, program->arena, &program->library, parsed.expression,
                                program->argument, NULL, &program->value, &program->checked);
}

void typed_program_close(typed_program *program)
{
    texts_free(&program->texts);
    library_free(&program->library);
    expressions_free(program->arena);
}
