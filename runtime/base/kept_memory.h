/* How much of freed memory commands keep. Programs of users keep their own settings. Other C libraries than glibc keep
 * what they do anyway. */
#ifndef BMF_KEPT_MEMORY_H
#define BMF_KEPT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* For commands, which own their process: the C library keeps what is freed, up to 64 MiB, instead of returning pages
 * and asking for them again in every skeleton. */
void keep_freed_memory(void);

/* For commands that need large working memory again and again: from now on the C library gives nothing of it back to
 * the system, and so many bytes of it are in huge pages where the system has them; none is touched before it is used.
 * The most that was asked for counts. */
void keep_working_memory(int64_t bytes);
/* Whether that was called for some bytes: then pools of buffers hold up to twice what was in use at once, and stay when
 * the last context is closed (runtime/base/memory.c). */
bool working_memory_is_kept(void);

#endif
