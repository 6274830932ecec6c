/* Copying past the caches, where the machine has streaming stores. */
#ifndef BMF_COPY_NONTEMPORAL_H
#define BMF_COPY_NONTEMPORAL_H

#include <stdint.h>

/* Copies `bytes` bytes between places that do not overlap. Another thread sees them after a fence or a barrier. */
void copy_nontemporal(void *to, const void *from, int64_t bytes);

#endif
