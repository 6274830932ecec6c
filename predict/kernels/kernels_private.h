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
    int32_t run;   /* of those that are learnt from */
    bmf_kernel_work work;
} bmf_kernel_time;

typedef struct bmf_kernel_times {
    int64_t count, capacity;
    bmf_kernel_time *time;
    int32_t run; /* that times are added of */
} bmf_kernel_times;

/* work: what it did, or NULL. */
void kernel_times_add(bmf_kernel_times *all, const char *operation, bmf_family family, int32_t p, int64_t d,
                      const bmf_kernel_work *work, int64_t nanoseconds);

/* What the ranks themselves did: kernels, before sends, after receives. Returns how many kernels there were. */
int64_t kernel_walk(const bmf_trace_run *run, bmf_kernel_times *all);
/* Runs of about the same size have one number, which grows with it. */
typedef struct bmf_run_sizes {
    int32_t count, *number; /* number: by run */
    double *largest;        /* by number: elements of the largest kernel */
} bmf_run_sizes;

/* Times [0, count) of one operation, whose only entry that is. */
void kernel_growth(const bmf_kernel_time *time, int64_t count, const bmf_run_sizes *sizes, bmf_sheet_entry *entry);
/* What the runs have in common goes into the sheet, and out of the noise of its entries (predict/sheet/run_effects.h).
 * The times are in the order of operations. session: of every run, or NULL. */
void kernel_spread(int runs, bmf_trace_run *const *run, const int32_t *session, const bmf_kernel_times *all,
                   bmf_sheet *sheet);
/* What happened between ranks. */
void kernel_messages(const bmf_trace_run *run, bmf_kernel_times *all);

#endif
