/* The rewriter: laws of the formalism, each by name, applied until none fits; then fusion into streams and kernels.
 *
 * Every law keeps the value, to the last bit for reals: a law that changes the association of a reduction (reduce
 * promotion, split-reduce with an inexact operator) applies only to exact operators, or in the free mode. */
#ifndef BMF_LANGUAGE_REWRITE_H
#define BMF_LANGUAGE_REWRITE_H

#include "skeletons/language/types/check.h"

/* X(law, name, statement, phase, function): one line a law, and its function in a file here (rewriter.h says what a
 * function and a phase are). Within a phase laws are tried in this order. In the statements ++ is B_Op (B_Conc), o is
 * composition. */
#define BMF_LAWS(X)                                                                                                    \
    X(IDENTITY, "identity", "f o id = f = id o f", ALGEBRA, law_identity)                                              \
    X(MAP_IDENTITY, "map identity", "map id = id", ALGEBRA, law_map_identity)                                          \
    X(COMPONENT, "component", "addr i o [f1, .., fn] = fi, if the others cannot fail", ALGEBRA, law_component)         \
    X(MAP_FUSION, "map fusion", "map f o map g = map (f o g)", ALGEBRA, law_map_fusion)                                \
    X(ZIP_MAPS, "zip-map fusion",                                                                                      \
      "zip f o [map g o a, map h o b] = zip (f o (g x h)) o [a, b], and = map (f o [g, h]) o a if a = b", ALGEBRA,     \
      law_zip_maps)                                                                                                    \
    X(SPLIT_REDUCE, "split-reduce identity", "reduce ++ o split p = id", ALGEBRA, law_split_reduce)                    \
    X(MAP_PROMOTION, "map promotion", "map f o reduce ++ = reduce ++ o map (map f)", ALGEBRA, law_map_promotion)       \
    X(REDUCE_PROMOTION, "reduce promotion", "reduce op o reduce ++ = reduce op o map (reduce op)", ALGEBRA,            \
      law_reduce_promotion)                                                                                            \
    X(REDUCE_TOGETHER, "one exchange",                                                                                 \
      "[P_Reduce op o P_Map f, .., P_Reduce op' o P_Map f'] = P_Reduce [op, .., op'] o P_Map [f, .., f']", ALGEBRA,    \
      law_reduce_together)                                                                                             \
    X(DISTRIBUTE_TOGETHER, "one distribution",                                                                         \
      "P_Distl o [x, P_Map f o P_Distl o [y, a]] = P_Map [x, f o [y, id]] o P_Distl o [[x, y], a]", ALGEBRA,           \
      law_distribute_together)                                                                                         \
    X(MAP_REDUCE, "map-reduce fusion", "reduce op o map f in one pass", PAIRS, law_map_reduce)                         \
    X(MAP_SCAN, "map-scan fusion", "scan op o map f in one pass", PAIRS, law_map_scan)                                 \
    X(MAP_FILTER, "map-filter fusion", "filter p o map f in one pass", PAIRS, law_map_filter)                          \
    X(FILTER_LENGTH, "filter-length fusion", "length o filter p counts", PAIRS, law_filter_length)                     \
    X(SOURCE_FUSION, "source fusion", "map f o (zip | distl | iota) without the list in between", SOURCES,             \
      law_source_fusion)                                                                                               \
    X(REDUCE_TUPLE, "reduction tupling", "[reduce op o map f, .., reduce op' o map f'], and of counts, in one pass",   \
      TUPLES, law_reduce_tuple)                                                                                        \
    X(SCALAR_FUSION, "scalar fusion", "a scalar expression as one block kernel", SINGLES, law_lone_stream)

typedef enum bmf_law {
#define BMF_LAW_ENUM(law, name, statement, phase, function) BMF_LAW_##law,
    BMF_LAWS(BMF_LAW_ENUM)
#undef BMF_LAW_ENUM
        BMF_LAW_COUNT
} bmf_law;

typedef struct bmf_rewriting {
    unsigned laws;                  /* bit 1u << law: may be applied; ~0u: all */
    bool reassociate;               /* sums and products may be reassociated: reals round, ints overflow differently */
    bool undo_parallel_splits;      /* split-reduce identity removes P_Split too, which requests parallel execution */
    int64_t applied[BMF_LAW_COUNT]; /* out: how often */
    /* called after every application, or NULL: the part as it was and as it is */
    void (*report)(void *state, bmf_law law, const bmf_expression *before, const bmf_expression *after);
    void *state;
} bmf_rewriting;

/* Returns the rewritten expression; types as before. Never fails. */
bmf_expression *rewrite(bmf_expressions *arena, bmf_expression *checked, bmf_rewriting *rewriting);

const char *law_name(bmf_law law);
const char *law_statement(bmf_law law);

/* True if applying it can fail for some argument: integer overflow, division, index, conversion, no default, no end. */
bool expression_may_fail(const bmf_expression *checked);
/* Whether what is done for an argument, and the lengths of all lists on the way, follow from the lengths of its lists
 * alone: no filters, choices, loops, sorting, or lists as long as a number says. */
bool expression_is_oblivious(const bmf_expression *checked);

#endif
