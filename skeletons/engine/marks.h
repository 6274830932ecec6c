/* Which elements a filter keeps: one bit each, 64 to a word. Private to skeletons. */
#ifndef BMF_MARKS_H
#define BMF_MARKS_H

#include "bmf/kernel.h"

/* How many of at most BMF_BLOCK bytes of 0 or 1 are 1. */
int64_t marks_count(int64_t count, const uint8_t *mark);
/* Bytes as bits: 1 where they are not 0. Bit 0 of the first word is mark[0]; the last word ends in zeros. */
void marks_pack(int64_t count, const uint8_t *mark, uint64_t *word);

#endif
