/* Which elements a filter keeps: one bit each, 64 to a word. Private to skeletons. */
#ifndef BMF_MARKS_H
#define BMF_MARKS_H

#include "bmf/kernel.h"

/* How many of at most BMF_BLOCK bytes of 0 or 1 are 1. */
int64_t marks_count(int64_t count, const uint8_t *mark);
/* Such bytes as bits; a word begins at mark[0]. */
void marks_pack(int64_t count, const uint8_t *mark, uint64_t *word);
bool marks_any(int64_t count, const uint64_t *word);
/* Copies the elements of one leaf whose bits are set to `to`; returns where the next one goes. */
char *marks_keep(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to);

#endif
