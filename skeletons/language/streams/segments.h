/* Reductions and scans of many short segments at once, for the common operators on scalars. Private to streams.
 *
 * Both keep the fixed tree of skeletons/engine/tree.h in every segment. */
#ifndef BMF_LANGUAGE_STREAM_SEGMENTS_H
#define BMF_LANGUAGE_STREAM_SEGMENTS_H

#include "skeletons/language/front/expression.h"

enum { BMF_SEGMENT_MAX = 1024 }; /* elements of a segment */

/* Segment s has the elements [offset[s] - offset[0], offset[s + 1] - offset[0]) of x; out[s] is its fold, and
 * undefined if it is empty. True, or false if an int overflowed somewhere. */
typedef bool bmf_segments_fold(const void *x, const int64_t *offset, int64_t segments, void *out);
/* The inclusive scan of every segment; out may be x. */
typedef bool bmf_segments_scan(const void *x, const int64_t *offset, int64_t segments, void *out);

/* The fold of BMF_SEGMENT_NODE elements, one whole node of the tree, for operators whose order matters; without a call
 * or a store between the levels. */
enum { BMF_SEGMENT_NODE = 512 };
typedef bool bmf_segment_node(const void *x, void *out);
/* The inclusive scan of such a node behind the fold `before` of everything before it (NULL: nothing); the node's own
 * fold goes to value. out may be x. */
typedef bool bmf_segment_scan_node(const void *x, const void *before, void *out, void *value);
/* The same of the products of two arrays: sums of squares, dot products. */
typedef void bmf_segment_products(const double *x, const double *y, void *out);
bmf_segment_products segment_sum_products;

typedef struct bmf_segment_functions {
    bmf_segments_fold *fold;
    bmf_segments_scan *scan;
    bmf_segment_node *node; /* or NULL, with scan_node */
    bmf_segment_scan_node *scan_node;
} bmf_segment_functions;

/* The functions for an operator on a type, or NULL. */
const bmf_segment_functions *segment_functions_of(const bmf_expression *operation, const bmf_type *type);

#endif
