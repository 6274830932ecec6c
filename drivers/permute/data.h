/* Test data of bmf permute: elements that know where they came from. */
#ifndef BMF_PERMUTE_DATA_H
#define BMF_PERMUTE_DATA_H

#include "bmf/permutation.h"

/* Writes elements [first, first + count) of the source: a scrambled form of their address. */
void permute_data_fill(char *data, int64_t element_bytes, int64_t first, int64_t count, int threads);

/* The first of elements [first, first + count) of the result that is not the one that belongs there, or -1. */
int64_t permute_data_check(const char *data, int64_t element_bytes, int64_t first, int64_t count,
                           const bmf_permutation *p, int threads);

/* memcpy with all threads: the limit a local permutation is measured against. */
void permute_data_copy(char *to, const char *from, int64_t bytes, int threads);

/* Bytes that processes on this host can still get, or -1 if the system does not say. */
int64_t available_memory(void);

#endif
