/* How long the lists are that expressions of a text stand for, as far as that is known before it runs. */
#ifndef BMF_LANGUAGE_SERVER_SHAPES_H
#define BMF_LANGUAGE_SERVER_SHAPES_H

#include "skeletons/language/types/extents.h"

typedef struct shape_note shape_note;

typedef struct shape_notes {
    int text; /* only of this one */
    shape_note *note;
    int notes, capacity;
} shape_notes;

/* An observer's function, whose state are shape_notes. */
void shapes_note(void *notes, const bmf_expression *expression, const bmf_extent *out);
void shapes_free(shape_notes *notes);
/* Appends " 300 x 200" or " ? x 3" to the words of a type, for the expression of this type that stands there; nothing
 * if it is not known, or not the same wherever it is used. At most size - 1 bytes with those that are there. */
void shapes_append(const shape_notes *notes, bmf_span span, char *words, size_t size);

#endif
