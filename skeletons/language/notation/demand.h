/* Which components of its argument a core function takes: the pattern that a function of the notation gives them names
 * by. */
#ifndef BMF_NOTATION_DEMAND_H
#define BMF_NOTATION_DEMAND_H

#include "skeletons/language/notation/syntax.h"

typedef struct notation_naming {
    bmf_expressions *arena;
    const bmf_library *library; /* names that are taken, or NULL */
    int count;                  /* of names given */
} notation_naming;

/* The pattern of an expression's argument, its parts named as far as they are used. */
notation_pattern *demand_pattern(notation_naming *naming, const bmf_expression *expression);
/* The same of two expressions, for one argument. */
notation_pattern *demand_both(notation_naming *naming, const bmf_expression *a, const bmf_expression *b);
/* A name that nothing has; for a list: xs, ys, .. */
const char *demand_name(notation_naming *naming, bool list);

#endif
