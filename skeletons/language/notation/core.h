/* Core expressions as the translator makes them. */
#ifndef BMF_NOTATION_CORE_H
#define BMF_NOTATION_CORE_H

#include "skeletons/language/notation/syntax.h"

bmf_expression *core_identity(bmf_expressions *arena, bmf_span span);
bmf_expression *core_constant(bmf_expressions *arena, bmf_span span, bmf_constant constant);
bmf_expression *core_operation(bmf_expressions *arena, bmf_span span, bmf_operation operation);
bmf_expression *core_component(bmf_expressions *arena, bmf_span span, int k, int of); /* k from 1 */
bmf_expression *core_name(bmf_expressions *arena, bmf_span span, const char *name);
bmf_expression *core_form(bmf_expressions *arena, bmf_expression_kind kind, bmf_span span, int children,
                          bmf_expression *const *child);
/* f . g, the links of f before those of g; B_Id falls out, and so does a map between a filter and its length that only
 * drops what the filter was handed. */
bmf_expression *core_compose(bmf_expressions *arena, bmf_expression *f, bmf_expression *g);
/* B_Alltup; that of all components of one tuple, in order, is the tuple. */
bmf_expression *core_tuple(bmf_expressions *arena, bmf_span span, int children, bmf_expression *const *child);
/* Brings any core into the form that these functions make: compositions nested to the right, without B_Id in them, and
 * no B_Alltup of all components of a tuple, and no P_ form but splits: the data decides. */
bmf_expression *core_normal(bmf_expressions *arena, const bmf_expression *expression);

#endif
