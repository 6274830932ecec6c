/* Extents: how long lists are, as far as that follows from the argument before anything runs. A matrix of 300 rows of
 * 200 elements has the extents 300 x 200. What is not known is left open; nothing is guessed. */
#ifndef BMF_LANGUAGE_EXTENTS_H
#define BMF_LANGUAGE_EXTENTS_H

#include "runtime/data/column.h"
#include "skeletons/language/front/expression.h"

/* NULL: nothing is known. In an arena, never changed. */
typedef struct bmf_extent bmf_extent;
struct bmf_extent {
    bool known; /* the number is: of an int, or how many elements a list has */
    int64_t number;
    int64_t joined; /* of a list of lists: how many elements they have together; -1: not known */
    int parts;      /* components of a tuple; of a list 1: every element */
    const bmf_extent *const *part;
};

/* Of a column's one element: a look at every list in it, and at no more than some thousand elements that are no plain
 * lists. */
const bmf_extent *extent_of_column(bmf_expressions *arena, const bmf_column *column);
/* A list of lists .. of `depth` levels; lengths below 0 are not known. */
const bmf_extent *extent_of_shape(bmf_expressions *arena, int depth, const int64_t *length);
const bmf_extent *extent_of_tuple(bmf_expressions *arena, int parts, const bmf_extent *const *part);

/* Is told of expressions and what they make, inner ones first; more than once of what is used more than once. */
typedef struct bmf_extent_observer {
    void (*saw)(void *state, const bmf_expression *expression, const bmf_extent *out);
    void *state;
} bmf_extent_observer;

/* The extents of what a typed expression makes of an argument. BMF_ERROR_SHAPE, with the message that the run would end
 * with, if a product of matrices that is certain to be computed is certain to fail. The observer may be NULL. Cost: one
 * look at every node, at most a fixed number, behind which nothing is known. Not collective. */
int extents_check(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_expression *checked,
                  const bmf_extent *argument, const bmf_extent_observer *observer, const bmf_extent **value);

/* " 300 x 200", " ? x 3", or nothing if no length is known, behind the type of a list. At most size - 1 bytes. */
void extent_print(const bmf_extent *extent, const bmf_type *type, char *text, size_t size);

#endif
