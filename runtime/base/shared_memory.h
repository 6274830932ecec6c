/* Memory that other processes of the host can map, so that they copy from and to it directly.
 *
 * A process has one such memory, an unnamed file in memory as large as the machine's; only what is taken from it
 * exists. An offset in it means the same to this process and to those that know its key and map it. Nothing stays
 * behind however a process ends. Only the master thread calls these functions. */
#ifndef BMF_SHARED_MEMORY_H
#define BMF_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* How others find the memory of a process; space 0: it has none. */
typedef struct bmf_shared_memory_key {
    uint64_t space; /* hash of the host and of its namespaces: where process and descriptor mean something */
    uint64_t inode;
    int32_t process, descriptor;
} bmf_shared_memory_key;

/* The key of this process; makes the memory if there is none yet. */
bmf_shared_memory_key shared_memory_key(void);
/* From now on large buffers are taken from it, at most `room` bytes at once; `threads` threads touch them first. The
 * first call counts. */
void shared_memory_use(int64_t room, int threads);
/* Bytes of memory of this machine. */
int64_t machine_memory(void);

/* `size` bytes (a multiple of 2 MiB, so aligned) in huge pages, or NULL: not in use, no huge pages, or no room. */
void *shared_memory_take(int64_t size);
/* Gives them back to the system; false: they are none of this memory. */
bool shared_memory_give(void *data);

/* A cleared line of 64 bytes for counters, or NULL; it is given back to this list only, for the next one. */
void *shared_memory_take_line(void);
void shared_memory_give_line(void *line);

/* Where these bytes are in the memory, or -1: elsewhere. */
int64_t shared_memory_offset(const void *data, int64_t bytes);
/* Offset 0 of the memory with this key, mapped at least up to `end`, or NULL: it cannot be. Stays mapped. Cost: a
 * look-up unless it must be mapped, or more of it. */
char *shared_memory_of(const bmf_shared_memory_key *key, int64_t end);

#endif
