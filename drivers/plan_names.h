/* The names of definitions in programs that the checker and the rewriter have put them into. */
#ifndef BMF_PLAN_NAMES_H
#define BMF_PLAN_NAMES_H

#include <stdio.h>

#include "skeletons/language/program.h"

typedef struct plan_name plan_name;

/* What a program's definitions become. */
typedef struct plan_names {
    bmf_program *program;
    plan_name *name; /* those of most nodes first */
    int count, capacity;
} plan_names;

/* Types and, if `rewriting` is not NULL, rewrites the definitions as the program does. To be closed. */
void plan_names_open(plan_names *names, bmf_context *ctx, bmf_program *program, const bmf_rewriting *rewriting);
/* The expression, which is of the program's arena, with the names of definitions in the place of what they are; a part
 * that is equal to one gets its name too. Nodes are made in the arena. */
bmf_expression *plan_named(plan_names *names, bmf_expression *expression);
/* The same, but an expression that is all of a definition is shown: names are put in inside of it only. */
bmf_expression *plan_named_inside(plan_names *names, const bmf_expression *expression);
/* "$name = ..": the definitions that plan_named has put in, in it or in each other, each with names in it. */
void plan_names_print(plan_names *names, FILE *out);
void plan_names_close(plan_names *names);

#endif
