/* Moving the marked elements of a block together. Private to skeletons. */
#ifndef BMF_COMPRESS_H
#define BMF_COMPRESS_H

#include "bmf/kernel.h"

/* Bytes behind the last element that compress may overwrite. */
enum { BMF_COMPRESS_SLACK = 64 };

/* Copies the elements of one leaf, of `size` bytes each, whose bits are set to `to`, one behind the other, and returns
 * the end of the last. A word has the bits of 64 elements, those from `count` on are 0. `to` has room for `count`
 * elements and BMF_COMPRESS_SLACK bytes. */
char *compress(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to);

#endif
