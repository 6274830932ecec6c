/* Memory for columns: reference-counted buffers, 64-byte aligned, huge pages advised from 2 MiB on.
 *
 * Freed buffers stay in pools of the process (at most 32 from 2 MiB on, 16 MiB of smaller ones from 64 KiB on, and 2
 * MiB of those below) because fresh pages cost a fault and a clearing write each, more than the work most skeletons do
 * on them, and loops ask for the same small ones in every round. Pages are first
 * touched by whoever writes them first, the kernels' own threads, or, if other ranks of the host can map them, when
 * the buffer is made.
 */
#ifndef BMF_MEMORY_H
#define BMF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bmf_buffer {
    void *data;                  /* 64-byte aligned, NULL when size is 0 */
    int64_t size;                /* usable bytes */
    int references;              /* owners; changed only outside parallel regions */
    bool mapped;                 /* from mmap rather than malloc */
    struct bmf_holding *holding; /* whose bytes these are, for traces; NULL: nobody asked */
} bmf_buffer;

/* A buffer of `size` bytes with one reference and undefined contents, or NULL when there is no memory. */
bmf_buffer *buffer_create(int64_t size);
/* Large working memory from the same pool: never NULL, ends the program with one line when there is none. */
bmf_buffer *working_buffer(int64_t size);
bmf_buffer *buffer_retain(bmf_buffer *buffer);
/* Gives back one reference; frees (or pools) the buffer with the last. NULL is allowed. */
void buffer_release(bmf_buffer *buffer);
/* Called for a buffer with a holding before it is given back; clears it. Set by runtime/context/held.c. */
extern void (*buffer_let_go)(bmf_buffer *buffer);
/* The same contents up to `kept` bytes, in a buffer that nobody else holds: exchanged for a smaller one if most of it
 * would lie idle, NULL if none are kept. */
void buffer_shrink(bmf_buffer **buffer, int64_t kept);
/* How many bytes of buffers the system has given so far, which no pool had: their pages are touched for the first time
 * by whoever writes them. Buffers below 64 KiB do not count. */
int64_t buffer_fresh_bytes(void);
/* The most bytes that were in use at once in all buffers since the last call of buffer_restart_most. */
int64_t buffer_most_bytes(void);
void buffer_restart_most(void);
/* Returns the pools' memory to the system. */
void buffer_trim(void);

#endif
