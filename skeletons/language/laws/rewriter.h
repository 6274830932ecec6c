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

#define BMF_LAW_FUNCTION(law, name, statement, phase, function) bmf_law_function function;
BMF_LAWS(BMF_LAW_FUNCTION)
#undef BMF_LAW_FUNCTION

/* When laws are tried: one phase after the other, each until none of its laws fits. Single skeletons become streams
 * after pairs: a reduction that is a stream already would not take in the map it reads from. */
typedef enum bmf_law_phase {
    BMF_PHASE_ALGEBRA, /* identities and promotion */
    BMF_PHASE_PAIRS,   /* maps into reductions, scans, filters */
    BMF_PHASE_SINGLES, /* the other scalar skeletons become streams */
    BMF_PHASE_SOURCES, /* sources into streams */
    BMF_PHASE_TUPLES,  /* streams that read the same list */
    BMF_PHASE_KERNELS  /* scalar expressions outside streams become kernels: the rewriter's own, without laws */
} bmf_law_phase;

/* A typed node. */
bmf_expression *rewriter_node(bmf_rewriter *rewriter, bmf_expression_kind kind, bmf_span span, int children,
                              bmf_expression *const *child, const bmf_type *in, const bmf_type *out);
bmf_expression *rewriter_identity(bmf_rewriter *rewriter, bmf_span span, const bmf_type *type);
/* f o g, without identities. */
bmf_expression *rewriter_compose(bmf_rewriter *rewriter, bmf_expression *f, bmf_expression *g);

/* Component k (from 0) of a tuple; the tuple of several values of one argument. */
bmf_expression *rewriter_component(bmf_rewriter *rewriter, bmf_span span, int k, const bmf_type *tuple);
bmf_expression *rewriter_tuple(bmf_rewriter *rewriter, bmf_span span, int children, bmf_expression *const *child);

/* What makes a list: map *each o *list. Either may be an identity. */
typedef struct rewriter_mapped {
    bmf_expression *map, *each, *list; /* map: NULL, there is none */
} rewriter_mapped;
rewriter_mapped rewriter_read_mapped(bmf_rewriter *rewriter, bmf_expression *maker);

/* An independent expression for arguments of another type; NULL if it is not independent. */
bmf_expression *rewriter_retype(bmf_rewriter *rewriter, const bmf_expression *expression, const bmf_type *in);
/* Only selects components, builds tuples and broadcasts constants: costs nothing on columns. */
bool is_structural(const bmf_expression *expression);
bool is_operation(const bmf_expression *expression, bmf_operation operation);

#endif
