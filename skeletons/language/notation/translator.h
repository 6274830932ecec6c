/* What the files of the translator share. Not for others. */
#ifndef BMF_NOTATION_TRANSLATOR_H
#define BMF_NOTATION_TRANSLATOR_H

#include "skeletons/language/notation/notation.h"
#include "skeletons/language/notation/scope.h"

typedef struct notation_translator {
    bmf_context *ctx;
    const bmf_texts *texts;
    bmf_expressions *arena;
    const bmf_library *library;
    int status;
} notation_translator;

/* A function that is given to a skeleton. */
typedef struct notation_applied {
    bmf_expression *expression; /* of the elements, or of {captured, element}; NULL after a message */
    notation_names captured;    /* what it uses from outside */
    bmf_span use;               /* where it does so first */
} notation_applied;

/* All that return an expression: NULL after a message. */

/* The core function from the environment to the node's value. */
bmf_expression *translate_node(notation_translator *t, const notation_node *node, const notation_pattern *scope);
/* A call of a built-in skeleton. */
bmf_expression *translate_skeleton(notation_translator *t, const notation_node *call, const notation_pattern *scope);
bmf_expression *translate_stencil(notation_translator *t, const notation_node *call, const notation_pattern *scope);
/* Elements and slices of lists of lists. */
bmf_expression *translate_indices(notation_translator *t, const notation_node *node, const notation_pattern *scope);
/* The node as a function. */
notation_applied translate_function(notation_translator *t, const notation_node *node, const notation_node *call,
                                    const notation_pattern *scope);
/* A function, pattern -> body, of {values of the names, what fits the pattern}, or of this alone if there are none. */
bmf_expression *translate_inside(notation_translator *t, const notation_names *names, notation_pattern *pattern,
                                 const notation_node *body);
/* The expression of {captured, list}, or of the list. */
bmf_expression *translate_applied(notation_translator *t, bmf_expression *expression, const notation_applied *applied,
                                  const notation_pattern *scope, bmf_expression *list);
/* A whole number, perhaps with a sign; false: after a message. */
bool translate_places(notation_translator *t, const notation_node *node, const notation_node *call, int64_t *number);
/* Where a name stands free in the node first. */
bmf_span translator_use(const notation_node *node, const char *name);
void *translator_fail(notation_translator *t, bmf_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A name that is nothing, with what may have been meant. */
void *translator_fail_unknown(notation_translator *t, const notation_node *node, const notation_pattern *scope);
/* More names from outside than a tuple has room for; the names' span. */
bool translator_fits(notation_translator *t, const notation_names *names, bmf_span span);

#endif
