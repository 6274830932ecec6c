/* Types, inferred from the argument. docs/language.md states the rules.
 *
 * The checker copies the expression: names are replaced by their definitions (each use at each type once),
 * compositions are flattened, every node gets `in` and `out`, and conversions of ints to reals become nodes. */
#ifndef BMF_LANGUAGE_CHECK_H
#define BMF_LANGUAGE_CHECK_H

#include "skeletons/language/front/parse.h"

/* *checked: the typed expression; its out is the result's type. All its types, and those of the arena's other typed
 * expressions, are without names of fields. Errors: BMF_ERROR_TYPE, with the caret at the
 * expression that does not fit and the types in words; inside a named definition the message adds where it was used. */
int check_types(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_library *library,
                const bmf_expression *expression, const bmf_type *argument, bmf_expression **checked);

/* Is told of every expression that is typed, once for each type it is applied to, inner ones first. out NULL: it does
 * not fit. */
typedef struct bmf_type_observer {
    void (*saw)(void *state, const bmf_expression *expression, const bmf_type *in, const bmf_type *out);
    void *state;
} bmf_type_observer;

/* check_types with an observer, which sees the names of fields; *value: the result's type with them. Both or either may
 * be NULL. */
int check_types_observed(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_library *library,
                         const bmf_expression *expression, const bmf_type *argument, const bmf_type_observer *observer,
                         const bmf_type **value, bmf_expression **checked);

/* Types one node whose children are typed already, or makes its conversions; for the rewriter's new nodes. Returns
 * NULL when it cannot be typed. */
bmf_expression *check_again(bmf_expressions *arena, const bmf_expression *expression, const bmf_type *in);

/* NULL, or why values of the type cannot be kept. */
const char *type_too_large(const bmf_type *type);

/* Processors the program's P_Splits need: 1 + the highest processor, counted along nested splits. */
int64_t processors_needed(const bmf_expression *checked);

/* True if in and out are fixed and everything inside computes on fixed types: it can run as a block kernel. */
bool is_scalar_expression(const bmf_expression *checked);

#endif
