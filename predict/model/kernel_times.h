/* What kernels took that were timed here, over many programs: where these do the same work, they get the same time, so
 * that what they differ by is what they do and not the noise of their runs.
 *
 * The same work: the same kernel in the same kind of call, with equally many elements, operations, bytes and rounds of
 * loops; what is copied around messages, by its bytes. Its time is the lower quartile of all of them: where there are
 * few, the others also have what touching memory for the first time takes.
 * Cost: a look at a table for each time; memory for the last TIMES_KEPT times of each kind of work. Not thread-safe. */
#ifndef BMF_KERNEL_TIMES_H
#define BMF_KERNEL_TIMES_H

#include "runtime/trace/kernel_work.h"

typedef struct bmf_kernel_times bmf_kernel_times;

bmf_kernel_times *kernel_times_create(void);
void kernel_times_free(bmf_kernel_times *times);
/* Adds a time in seconds; operation: "CALL.KERNEL". Returns the number of this kind of work. */
uint32_t kernel_times_keep(bmf_kernel_times *times, const char *operation, int64_t elements,
                           const bmf_kernel_work *work, double seconds);
/* What that kind of work takes. */
double kernel_times_typical(const bmf_kernel_times *times, uint32_t number);

#endif
