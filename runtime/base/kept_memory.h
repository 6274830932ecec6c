/* How much of freed memory the C library keeps in commands. Programs of users keep their own settings. Without glibc
 * nothing changes. */
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
/* Whether that was called: then buffers' pools are kept, too, when the last context is closed. */
bool working_memory_is_kept(void);

#endif
