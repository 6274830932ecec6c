/* Recognising a BMMC permutation in a list of indices that is distributed over hosts. */
#ifndef BMF_DETECT_H
#define BMF_DETECT_H

#include "bmf/permutation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Looks whether the list index[0 .. 2^bits) is index[i] = A i + c for some nonsingular A. This host holds elements
 * [first, first + count), its processors' parts of the even split. *is tells; then *found is the permutation i ->
 * index[i].
 *
 * Collective. n + 1 probes, told to all, give A and c; if A is nonsingular, one read of the list with early exit checks
 * the rest. Moves bookkeeping of n + 2 words, no messages of the machine. Reads 8 bytes an element at most. */
int detect_permutation(bmf_context *ctx, const int64_t *index, int64_t first, int64_t count, int bits,
                       bmf_permutation *found, bool *is);

#ifdef __cplusplus
}
#endif
#endif
