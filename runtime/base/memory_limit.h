/* How much memory a process may have. */
#ifndef BMF_MEMORY_LIMIT_H
#define BMF_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes: what the host has, memory and swap, or less if the process (ulimit -v, -d) or its control groups are limited.
 * Others may share it. */
int64_t memory_limit(void);

#endif
