/* Inner products of every list of a few with every list of a few others: what products of matrices come to. Private to
 * streams. */
#ifndef BMF_LANGUAGE_STREAM_PRODUCTS_H
#define BMF_LANGUAGE_STREAM_PRODUCTS_H

#include "skeletons/language/streams/fold.h"

/* Of segments [s, last), whose elements are zipped: computes the sums of products of whole rows, many at a time, if
 * the segments from s on form any: runs of segments with the same left (or right) list, and on the other side the same
 * lists in the same order in every run. The sums go to out. Returns the first segment that is left to do, s: none was
 * done; *next: before this one it does not pay to ask again. Only where fold->product says what is multiplied. */
int64_t stream_products(const bmf_stream_fold *fold, int64_t s, int64_t last, double *out, int64_t *next);

#endif
