/* Fuzz target of the notation: any bytes as a program.
 *
 * A program is parsed, translated, checked and typed for several arguments; its core is printed as notation and
 * translated again, which must give the same core; the text is formatted, and formatted again, which must change
 * nothing. Whatever fails must say so in a message of at most BMF_MESSAGE_SIZE bytes that shows its place.
 *
 * For libFuzzer see language.c; the target is notation_fuzz, its corpus ctest/fuzz/corpus/notation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/fuzz/fuzz.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/notation/core.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/print.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/types/check.h"

typedef struct program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_parsed parsed;
    int status;
} program;

static void demand_message(int status)
{
    const char *text = bmf_error_text(NULL);
    demand(status > BMF_OK && bmf_exit_code(status) == 2, "the status of a failure");
    demand(strlen(text) < BMF_MESSAGE_SIZE && strstr(text, "| ") && strchr(text, '^'), "a message shows its place");
}

static void open_program(program *p, const char *bytes, size_t size)
{
    *p = (program){.arena = expressions_create(), .texts.processors = 4};
    texts_add(&p->texts, "input", bytes, (int64_t)size);
    p->status = source_parse(NULL, &p->texts, 1, p->arena, &p->library, &p->parsed);
    if (p->status == BMF_OK)
        p->status = library_check(NULL, &p->texts, &p->library, p->parsed.expression);
}

static void close_program(program *p)
{
    library_free(&p->library);
    expressions_free(p->arena);
    texts_free(&p->texts);
}

static void print_raised(program *p, const char *name, const bmf_expression *expression, FILE *out)
{
    notation_definition made;
    notation_raise(p->arena, &p->library, name, expression, &made);
    notation_print_definition(&made, out);
}

/* From core as it is read: definitions have lost that they were written in the notation. */
static void try_way_back(program *p)
{
    char *text = NULL;
    size_t size = 0;
    program again;
    FILE *out = open_memstream(&text, &size);
    for (int k = 0; k < p->library.count; k++)
        p->library.definition[k].notation = false;
    for (int k = 0; k < p->library.count; k++)
        print_raised(p, notation_own_name(p->arena, p->library.definition[k].name), p->library.definition[k].expression,
                     out);
    print_raised(p, "main", p->parsed.expression, out);
    fclose(out);
    open_program(&again, text, size);
    demand(again.status == BMF_OK || strstr(bmf_error_text(NULL), "deep"), "what is printed as notation translates");
    if (again.status == BMF_OK)
        demand(expression_equal(core_normal(p->arena, p->parsed.expression), again.parsed.expression),
               "core to notation to core is the same");
    close_program(&again);
    free(text);
}

static void try_format(const bmf_text *text)
{
    bmf_texts texts = {0};
    char *once = notation_format(text);
    texts_add(&texts, "once", once, (int64_t)strlen(once));
    char *twice = notation_format(&texts.text[0]);
    demand(strcmp(once, twice) == 0, "formatting twice is formatting once");
    free(once);
    free(twice);
    texts_free(&texts);
}

static void try_types(program *p)
{
    const bmf_type *numbers = bmf_type_list(&bmf_type_real);
    const bmf_type *argument[] = {&bmf_type_int, numbers, bmf_type_list(numbers), bmf_type_pair(numbers, numbers)};
    for (int k = 0; k < 4; k++) {
        bmf_expression *checked;
        const int status =
            check_types(NULL, &p->texts, p->arena, &p->library, p->parsed.expression, argument[k], &checked);
        if (status != BMF_OK)
            demand_message(status);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    program p;
    open_program(&p, (const char *)bytes, size);
    if (!source_is_notation(&p.texts, 0)) {
        close_program(&p);
        return 0;
    }
    if (p.status != BMF_OK) {
        demand_message(p.status);
    } else {
        if (!memchr(bytes, 0, size))
            try_format(&p.texts.text[0]);
        try_types(&p);
        try_way_back(&p);
    }
    close_program(&p);
    return 0;
}
