/* What the samples of a program's kernels are made of. Private to predict/. */
#ifndef BMF_KERNELS_PRIVATE_H
#define BMF_KERNELS_PRIVATE_H

#include "predict/kernels/kernels.h"

/* One time that something took. */
typedef struct bmf_kernel_time {
    char operation[BMF_SAMPLE_NAME];
    bmf_family family;
    int32_t p;
    int64_t d;
    double seconds;
    int64_t order; /* as found */
    bmf_kernel_work work;
} bmf_kernel_time;

typedef struct bmf_kernel_times {
    int64_t count, capacity;
    bmf_kernel_time *time;
} bmf_kernel_times;

/* work: what it did, or NULL. */
void kernel_times_add(bmf_kernel_times *all, const char *operation, bmf_family family, int32_t p, int64_t d,
                      const bmf_kernel_work *work, int64_t nanoseconds);

/* What the ranks themselves did: kernels, before sends, after receives. Returns how many kernels there were. */
int64_t kernel_walk(const bmf_trace_run *run, bmf_kernel_times *all);
/* What happened between ranks. */
void kernel_messages(const bmf_trace_run *run, bmf_kernel_times *all);

#endif
