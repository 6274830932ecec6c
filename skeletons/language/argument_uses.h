/* How a program uses its argument: which files can be read in parts. */
#ifndef BMF_LANGUAGE_ARGUMENT_USES_H
#define BMF_LANGUAGE_ARGUMENT_USES_H

#include "bmf/partition.h"
#include "skeletons/language/front/expression.h"

/* Of each component of the argument; the argument itself counts as one, if it is no tuple. */
typedef struct argument_uses {
    int components;
    int64_t processors;              /* in: of the machine */
    bool may_split[BMF_MAX_LEAVES];  /* in: a file, whose length is */
    int64_t length[BMF_MAX_LEAVES];  /* this */
    bmf_level level[BMF_MAX_LEAVES]; /* out: how it is split wherever it stands, but for its length; */
    bool whole[BMF_MAX_LEAVES];      /* or it is used in another way, or not split */
} argument_uses;

/* Finds how a typed expression uses the components. */
void argument_uses_find(argument_uses *uses, const bmf_expression *expression);
/* The expression for an argument of type `in`, whose components that are not whole are split already. Splits of them
 * are left out; what cuts them into the blocks of a grid takes their parts. Nodes are made in the arena. */
bmf_expression *argument_uses_apply(const argument_uses *uses, bmf_expressions *arena, bmf_expression *expression,
                                    const bmf_type *in);

#endif
