/* The in-memory engine: one pass through memory for any BMMC permutation, without communication.
 *
 * Elements are element_bytes bytes each, 1 .. 4096, any number; N = 2^bits of them stand one after another. Buffers
 * need no alignment beyond the bytes', but 64-byte aligned ones are fastest. `threads` >= 1 worker threads are used
 * when the size is worth it. Nothing here is collective. */
#ifndef BMF_LOCAL_H
#define BMF_LOCAL_H

#include "permute/permutation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* target[A x + c] = source[x] for all x. The buffers must not overlap. Moves 2 N element_bytes of memory. Returns
 * BMF_OK or BMF_ERROR_MEMORY; the target is then undefined. */
int bmf_local_permute(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p, int threads);

/* The same with the result in place of the data. Scratch memory (permute/local/in_place.c): 256 KiB a thread and a
 * twentieth of the data; for at most 256 KiB of data, a copy and 128 KiB. On BMF_ERROR_MEMORY the data are unchanged. */
int bmf_local_permute_in_place(void *data, int64_t element_bytes, const bmf_permutation *p, int threads);

/* The reference: one element after the other by the definition, one thread. Cannot fail. */
void bmf_local_permute_naive(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p);

#ifdef __cplusplus
}
#endif
#endif
