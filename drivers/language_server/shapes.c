#include "drivers/language_server/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "skeletons/language/front/data.h"

enum { MOST_NOTES = 200000, WORDS_BYTES = 256 };

struct shape_note {
    bmf_span span;
    const bmf_type *type;
    const bmf_extent *extent;
};

void shapes_note(void *notes, const bmf_expression *expression, const bmf_extent *out)
{
    shape_notes *all = notes;
    const bmf_type *type = expression->out;
    if (expression->span.text == all->text && all->notes < MOST_NOTES &&
        (type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED))
        *ARRAY_APPEND(all->note, all->notes, all->capacity) = (shape_note){expression->span, type, out};
}

void shapes_free(shape_notes *notes)
{
    free(notes->note);
}

/* The notes of a type, which is given in words, at a place. */
static bool is_of(const shape_note *seen, bmf_span span, const char *words)
{
    char its[WORDS_BYTES];
    return seen->span.begin == span.begin && seen->span.end == span.end &&
           strcmp(bmf_type_print(seen->type, its, sizeof its), words) == 0;
}

void shapes_append(const shape_notes *notes, bmf_span span, char *words, size_t size)
{
    char shape[WORDS_BYTES] = "", other[WORDS_BYTES];
    bool any = false;
    for (int k = 0; k < notes->notes; k++) {
        const shape_note *seen = &notes->note[k];
        if (!is_of(seen, span, words))
            continue;
        extent_print(seen->extent, seen->type, other, sizeof other);
        if (any && strcmp(shape, other) != 0)
            return;
        memcpy(shape, other, sizeof shape);
        any = true;
    }
    const size_t used = strlen(words);
    snprintf(words + used, size - used, "%s", shape);
}
