/* Small working memory. A process that cannot get a few kilobytes cannot report errors collectively either, so these
 * end the program with one line instead of failing. Lists do not come from here. */
#ifndef BMF_ALLOCATE_H
#define BMF_ALLOCATE_H

#include <stddef.h>
#include <stdint.h>

/* Ends the program, all its ranks, with exit code 1 and the line "bmf: out of memory: BYTES bytes WHAT"; what: "for a
 * list". The only place where bmf ends a program that runs out of memory. */
_Noreturn void out_of_memory(int64_t bytes, const char *what);
/* Ends it so if the status, of making a list of about so many bytes, is BMF_ERROR_MEMORY: a rank whose memory is full
 * below its limit cannot tell the others, who are not waiting for it. */
void require_memory(int status, int64_t bytes);

/* `size` bytes with undefined contents, 64-byte aligned from 1 KiB on and like malloc's below; free() releases them.
 * Never NULL. */
void *allocate(int64_t size);
/* `count` elements of `size` bytes; a product beyond 63 bits counts as out of memory. */
void *allocate_array(int64_t count, int64_t size);
/* The same, cleared. */
void *allocate_clear(int64_t count, int64_t size);
/* Grows (or shrinks) memory from allocate from old_size to size bytes. */
void *reallocate(void *memory, int64_t old_size, int64_t size);
/* Grows (or shrinks) an array from old_count to count elements of `size` bytes. */
void *reallocate_array(void *memory, int64_t old_count, int64_t count, int64_t size);

#endif
