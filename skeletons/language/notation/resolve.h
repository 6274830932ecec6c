/* What stands at a place of a text in the notation, and what its name means there. */
#ifndef BMF_NOTATION_RESOLVE_H
#define BMF_NOTATION_RESOLVE_H

#include "skeletons/language/notation/notation.h"

typedef struct notation_place {
    const notation_node *node;             /* the innermost expression; NULL: none */
    const notation_definition *definition; /* whose name stands here; NULL: none */
    const notation_pattern *bound;         /* the part of a pattern that binds the name; NULL: none does */
    const char *name;                      /* that stands here; NULL: none */
    bmf_span span;                         /* of the name, or of the node's word */
} notation_place;

/* Finds what byte `at` belongs to. False: nothing. Names that nothing binds are definitions, built in, or unknown. */
bool notation_find(const notation_text *text, int64_t at, notation_place *place);

#endif
