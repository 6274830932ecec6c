/* Where a name stands in a text, with one meaning.
 *
 * Method: every word of the text that is the name is looked up as the one that was asked for, and counts if the same
 * pattern binds it, or the same definition is meant.
 * Cost: O(words of the name * depth of the tree). */
#include "drivers/language_server/occurrences.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/language_server/features.h"
#include "runtime/base/array.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/notation/resolve.h"

/* What a name means. */
typedef struct meaning {
    const notation_pattern *bound;
    const bmf_definition *definition;
} meaning;

/* False: no name stands there that the text or a library gives a meaning to. */
static bool find_meaning(const inspection *of, int64_t at, notation_place *place, meaning *means)
{
    const notation_text *syntax = inspection_syntax(of);
    *place = (notation_place){0};
    *means = (meaning){0};
    if (!syntax)
        place->name = feature_core_name(of, at, &place->span);
    else if (!notation_find(syntax, at, place))
        return false;
    if (!place->name || at < place->span.begin || at >= place->span.end)
        return false;
    means->bound = place->bound;
    if (!means->bound)
        means->definition = library_find(&of->document.library, place->name);
    return means->bound || means->definition;
}

/* The name alone; of a field r.x its own word is no name of these. */
static bmf_span name_in(const inspection *of, const notation_place *place)
{
    bmf_span span = place->span;
    if (!inspection_syntax(of))
        span.begin++;
    return span;
}

static bool is_name(const bmf_text *text, notation_token token, const char *name)
{
    return token.kind == NOTATION_TOKEN_WORD && notation_is(text, token, name);
}

void occurrences_find(const inspection *of, int64_t at, occurrences *found)
{
    const bmf_text *text = inspection_text(of);
    notation_place place;
    meaning asked, here;
    *found = (occurrences){.declaration = -1};
    if (!find_meaning(of, at, &place, &asked) && (at == 0 || !find_meaning(of, at - 1, &place, &asked)))
        return;
    found->name = place.name;
    found->span = name_in(of, &place);
    const bmf_span declared = asked.bound ? asked.bound->span : asked.definition->span;
    for (notation_token token = notation_next(text, 0); token.kind != NOTATION_TOKEN_END;
         token = notation_next(text, token.end)) {
        if (!is_name(text, token, found->name) || !find_meaning(of, token.begin, &place, &here) ||
            here.bound != asked.bound || here.definition != asked.definition)
            continue;
        const bmf_span span = name_in(of, &place);
        if (span.begin != token.begin || span.end != token.end)
            continue;
        if (declared.text == of->document.text && declared.end == span.end)
            found->declaration = found->count;
        *ARRAY_APPEND(found->at, found->count, found->capacity) = span;
    }
}

void occurrences_free(occurrences *found)
{
    free(found->at);
    *found = (occurrences){0};
}
