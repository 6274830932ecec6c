/* Machine code made while a program runs.
 *
 * A mapping is first writable and then executable, never both at once. A system that forbids to run code which a
 * process wrote itself refuses the second step; callers then do without. */
#ifndef BMF_EXECUTABLE_H
#define BMF_EXECUTABLE_H

#include <stdint.h>

/* A mapping of its own with a copy of the code, ready to run; NULL if the system refuses. Any thread may call it. */
void *executable_create(const void *code, int64_t bytes);
/* Of the same size; NULL is fine. */
void executable_free(void *code, int64_t bytes);

#endif
