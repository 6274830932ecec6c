/* Arguments by the names of main's parameters: --arg points=points.npy. */
#ifndef BMF_LANGUAGE_ARGUMENT_NAMES_H
#define BMF_LANGUAGE_ARGUMENT_NAMES_H

#include "bmf/context.h"

/* Puts the files of arguments into the order of the parameters of a program in the notation. Those given as NAME=FILE
 * go to the parameter of that name, the others to the parameters left, in order; without any NAME the order stays. The
 * files keep pointing into the given texts. `text`: the program's, or NULL: it is read from the path. Collective where
 * there are names: one broadcast. Agreed errors: no such parameter, one given twice or not at all, a program in the
 * core. */
int arguments_order(bmf_context *ctx, const char *path, const char *text, int arguments, const char *const *given,
                    const char **ordered);

#endif
