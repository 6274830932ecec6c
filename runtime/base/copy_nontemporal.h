/* Copying past the caches, where the machine has streaming stores. */
#ifndef BMF_COPY_NONTEMPORAL_H
#define BMF_COPY_NONTEMPORAL_H

#include <stdint.h>

/* A result of so many bytes will not be in the cache when it is read next; a shorter one may be. */
enum { BMF_STREAMED_BYTES = 8 << 20 };

/* Copies `bytes` bytes between places that do not overlap. Another thread sees them after a fence or a barrier. */
void copy_nontemporal(void *to, const void *from, int64_t bytes);

#endif
