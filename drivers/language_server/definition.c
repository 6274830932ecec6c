/* Where a name is bound or defined.
 * Source: Language Server Protocol 3.17, "Goto Definition Request". */
#include <ctype.h>
#include <stdlib.h>

#include "drivers/language_server/features.h"
#include "drivers/language_server/position.h"
#include "skeletons/language/notation/resolve.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *feature_core_name(const inspection *of, int64_t at, bmf_span *span)
{
    const bmf_text *text = inspection_text(of);
    int64_t begin = at, end = at;
    while (begin > 0 && is_word(text->bytes[begin - 1]))
        begin--;
    if (begin == at && at < text->size && text->bytes[at] == '$')
        end = begin = at + 1;
    while (end < text->size && is_word(text->bytes[end]))
        end++;
    if (begin == end || begin == 0 || text->bytes[begin - 1] != '$')
        return NULL;
    *span = (bmf_span){of->document.text, begin - 1, end};
    return expressions_text(of->document.arena, text->bytes + begin, end - begin);
}

/* In the text itself or in a library. */
static json_t *location(const inspection *of, const char *uri, bmf_span span)
{
    const document *d = &of->document;
    char *other = span.text == d->text ? NULL : uri_of(d->texts.text[span.text].name);
    json_t *made =
        json_pack("{s:s, s:o}", "uri", other ? other : uri, "range", position_range(&d->texts.text[span.text], span));
    free(other);
    return made ? made : json_null();
}

static bool finds_name(const notation_text *syntax, int64_t at, notation_place *place)
{
    return notation_find(syntax, at, place) && place->name && place->span.begin <= at && at < place->span.end;
}

json_t *feature_definition(const inspection *of, const char *uri, int64_t at)
{
    const notation_text *syntax = inspection_syntax(of);
    notation_place place = {0};
    bmf_span span;
    if (!syntax)
        place.name = feature_core_name(of, at, &span);
    else if (!finds_name(syntax, at, &place) && !finds_name(syntax, at - 1, &place)) /* the cursor is behind it */
        return json_null();
    if (place.bound)
        return location(of, uri, place.bound->span);
    if (place.definition)
        return location(of, uri, place.definition->span);
    const bmf_definition *definition = place.name ? library_find(&of->document.library, place.name) : NULL;
    return definition ? location(of, uri, definition->span) : json_null();
}
