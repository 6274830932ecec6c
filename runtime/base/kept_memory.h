/* Working memory that a command keeps when it is freed. Programs of users keep their own settings. */
#ifndef BMF_KEPT_MEMORY_H
#define BMF_KEPT_MEMORY_H

#include <stdint.h>

/* For commands that need large working memory again and again: from now on the C library gives nothing of it back to
 * the system, and so many bytes of it are in huge pages where the system has them; none is touched before it is used.
 * The most that was asked for counts. Without glibc nothing changes. */
void keep_working_memory(int64_t bytes);

#endif
