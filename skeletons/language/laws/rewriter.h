/* What the files of the rewriter share. Not for others. */
#ifndef BMF_LANGUAGE_REWRITER_H
#define BMF_LANGUAGE_REWRITER_H

#include "skeletons/language/types/checker.h"
#include "skeletons/language/laws/rewrite.h"

typedef struct bmf_rewriter {
    bmf_expressions *arena;
    bmf_rewriting *rewriting;
} bmf_rewriter;

/* A law looks at the parts of a composition; part[0] is applied last. It returns what the first *used of them become,
 * or NULL if it does not fit. Types stay: in that of the last part used, out that of part[0]. */
typedef bmf_expression *bmf_law_function(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used);

bmf_law_function bmf_law_identity, bmf_law_map_identity, bmf_law_component, bmf_law_map_fusion, bmf_law_split_reduce,
    bmf_law_map_promotion, bmf_law_reduce_promotion;
bmf_law_function bmf_law_map_reduce, bmf_law_map_scan, bmf_law_map_filter, bmf_law_filter_length, bmf_law_lone_stream,
    bmf_law_source_fusion;

/* A typed node. */
bmf_expression *bmf_rewriter_node(bmf_rewriter *rewriter, bmf_expression_kind kind, bmf_span span, int children,
                                  bmf_expression *const *child, const bmf_type *in, const bmf_type *out);
bmf_expression *bmf_rewriter_identity(bmf_rewriter *rewriter, bmf_span span, const bmf_type *type);

/* Its value does not depend on its argument. */
bool bmf_is_independent(const bmf_expression *expression);
/* An independent expression for arguments of another type; NULL if it is not independent. */
bmf_expression *bmf_rewriter_retype(bmf_rewriter *rewriter, const bmf_expression *expression, const bmf_type *in);
/* Only selects components, builds tuples and broadcasts constants: costs nothing on columns. */
bool bmf_is_movement(const bmf_expression *expression);
bool bmf_is_operation(const bmf_expression *expression, bmf_operation operation);

#endif
