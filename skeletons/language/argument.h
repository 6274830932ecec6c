/* What a program is applied to: data in its text or on the command line, or files. Several are a tuple. */
#ifndef BMF_LANGUAGE_ARGUMENT_H
#define BMF_LANGUAGE_ARGUMENT_H

#include "runtime/files/format.h"
#include "skeletons/language/evaluate/evaluate.h"

typedef struct bmf_argument {
    bool is_file;         /* of a format that ranks read in parallel; otherwise data as text */
    data_file file;       /* all ranks know it; */
    const bmf_type *item; /* what its items are read as */
    const bmf_type *type; /* of the whole; with the names of fields until the program is typed */
    bmf_column column;    /* from text: one element, on rank 0 */
} bmf_argument;

/* Whether the name is that of a file of a format; then the file is set, but nothing read. Not collective. */
bool argument_named(const char *name, bmf_argument *argument);
/* Whether it is data itself and no file's name: a number, or text that begins with [ or {. */
bool argument_is_data(const char *given);
/* On one process: what the file holds, and its type. Errors: also what the language has no scalars for. */
int argument_find(bmf_context *ctx, bmf_argument *argument);
/* The same from what another rank has found. */
void argument_take(bmf_argument *argument, const void *bytes);
/* Its item and type from what is known of its file. */
void argument_set_type(bmf_argument *argument);
void argument_free(bmf_argument *argument);

/* The value of all of them, a batch of one instance on processor 0. Files that the expression only splits, in one way,
 * or asks for their length, wherever it does so, are read by all ranks, each its parts, and *expression becomes what is
 * left to do. Nodes are made in the arena. Collective; a failure is agreed, or noted and the value a default. */
int arguments_open(bmf_context *ctx, bmf_expressions *arena, bmf_argument *argument, int arguments,
                   bmf_expression **expression, bmf_value *value);

#endif
