/* What could be written: built-in functions, words of the notation, definitions, and the names of the text.
 *
 * Method: names are taken from the text's tokens, so that they are there while the text does not parse. The editor
 * picks those that fit what was typed.
 * Source: Language Server Protocol 3.17, "Completion Request". */
#include <ctype.h>
#include <string.h>

#include "drivers/language_server/features.h"
#include "skeletons/language/notation/describe.h"
#include "skeletons/language/notation/lexer.h"

enum { COMPLETION_FUNCTION = 3, COMPLETION_VARIABLE = 6, COMPLETION_KEYWORD = 14, COMPLETION_CONSTANT = 21 };

/* Once each, by name. */
static void add_item(json_t *items, const char *name, int kind, const char *detail, const char *about)
{
    if (json_object_get(items, name))
        return;
    json_t *item = json_pack("{s:s, s:i}", "label", name, "kind", kind);
    if (detail)
        json_object_set_new(item, "detail", json_string(detail));
    if (about)
        json_object_set_new(item, "documentation", json_string(about));
    json_object_set_new(items, name, item);
}

static void add_names(const bmf_text *text, json_t *items)
{
    char name[128];
    for (notation_token token = notation_next(text, 0); token.kind != NOTATION_TOKEN_END;
         token = notation_next(text, token.end)) {
        const int64_t size = token.end - token.begin;
        if (token.kind != NOTATION_TOKEN_WORD || size >= (int64_t)sizeof name)
            continue;
        memcpy(name, text->bytes + token.begin, (size_t)size);
        name[size] = '\0';
        add_item(items, name, COMPLETION_VARIABLE, NULL, NULL);
    }
}

json_t *feature_completion(const inspection *of)
{
    json_t *items = json_object(), *all = json_array(), *item;
    const char *name;
    const bmf_library *library = &of->document.library;
    for (int k = 0; builtin_at(k); k++)
        if (isalpha((unsigned char)builtin_at(k)->name[0]))
            add_item(items, builtin_at(k)->name, COMPLETION_FUNCTION, builtin_at(k)->usage,
                     notation_describe(builtin_at(k)));
    for (int k = 0; notation_reserved_at(k); k++)
        add_item(items, notation_reserved_at(k), COMPLETION_KEYWORD, NULL,
                 notation_describe_word(notation_reserved_at(k)));
    for (int k = 0; k < library->count; k++)
        add_item(items, library->definition[k].name,
                 library->definition[k].notation && library->definition[k].parameters == 0 ? COMPLETION_CONSTANT
                                                                                           : COMPLETION_FUNCTION,
                 NULL, NULL);
    if (of->document.notation)
        add_names(inspection_text(of), items);
    json_object_foreach(items, name, item) json_array_append(all, item);
    json_decref(items);
    return all;
}
