/* See the header. */
#include "ctest/support/typed.h"

#include <string.h>

#include "skeletons/language/front/data.h"

int typed_program_open(const char *text, typed_program *program)
{
    bmf_parsed parsed;
    bmf_column column;
    *program = (typed_program){.arena = bmf_expressions_create()};
    int number = bmf_texts_add(&program->texts, "t.bmf", text, (int64_t)strlen(text));
    BMF_TRY(bmf_parse_program(NULL, &program->texts, number, program->arena, &program->library, &parsed));
    BMF_TRY(bmf_library_check(NULL, &program->texts, &program->library, parsed.expression));
    BMF_TRY(bmf_data_parse(NULL, &program->texts, parsed.data, &program->argument, &column));
    bmf_column_free(&column);
    return bmf_check(NULL, &program->texts, program->arena, &program->library, parsed.expression, program->argument,
                     &program->checked);
}

void typed_program_close(typed_program *program)
{
    bmf_texts_free(&program->texts);
    bmf_library_free(&program->library);
    bmf_expressions_free(program->arena);
}
