/* The text as bmf format prints it, as one edit.
 * Source: Language Server Protocol 3.17, "Document Formatting Request". */
#include <stdlib.h>
#include <string.h>

#include "drivers/language_server/features.h"
#include "drivers/language_server/position.h"
#include "skeletons/language/notation/format.h"

/* The text parses, whatever is wrong with its names and types. */
static bool parses(const bmf_text *text)
{
    bmf_texts texts = {0};
    const int number = texts_add(&texts, text->name, text->bytes, text->size);
    const bool is = document_syntax(&texts, number) == BMF_OK;
    texts_free(&texts);
    return is;
}

json_t *feature_formatting(const inspection *of)
{
    const bmf_text *text = inspection_text(of);
    if (!of->document.notation || memchr(text->bytes, 0, (size_t)text->size) || !parses(text))
        return json_null();
    json_t *edits = json_array();
    char *formatted = notation_format(text);
    if (strcmp(formatted, text->bytes) != 0)
        json_array_append_new(edits, json_pack("{s:o, s:s}", "range",
                                               position_range(text, (bmf_span){of->document.text, 0, text->size}),
                                               "newText", formatted));
    free(formatted);
    return edits;
}
