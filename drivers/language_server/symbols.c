/* The outline of a text: its definitions and main.
 * Source: Language Server Protocol 3.17, "Document Symbols Request". */
#include "drivers/language_server/features.h"
#include "drivers/language_server/position.h"

enum { SYMBOL_FUNCTION = 12, SYMBOL_CONSTANT = 14 };

static void add_symbol(const inspection *of, json_t *all, const char *name, int kind, bmf_span span, int64_t end)
{
    const bmf_text *text = inspection_text(of);
    const bmf_span whole = {span.text, span.begin, end > span.end ? end : span.end};
    json_array_append_new(all, json_pack("{s:s, s:i, s:o, s:o}", "name", name, "kind", kind, "range",
                                         position_range(text, whole), "selectionRange", position_range(text, span)));
}

static void add_definition(const inspection *of, json_t *all, const notation_definition *definition)
{
    add_symbol(of, all, definition->name, definition->parameters != 0 ? SYMBOL_FUNCTION : SYMBOL_CONSTANT,
               definition->span, definition->body ? definition->body->span.end : 0);
}

json_t *feature_symbols(const inspection *of)
{
    json_t *all = json_array();
    const notation_text *syntax = inspection_syntax(of);
    const bmf_library *library = &of->document.library;
    for (int k = 0; syntax && k < syntax->count; k++)
        add_definition(of, all, &syntax->definition[k]);
    if (syntax && syntax->has_main)
        add_definition(of, all, &syntax->main);
    for (int k = 0; !syntax && k < library->count; k++)
        if (library->definition[k].span.text == of->document.text)
            add_symbol(of, all, library->definition[k].name, SYMBOL_FUNCTION, library->definition[k].span, 0);
    return all;
}
