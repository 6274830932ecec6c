/* What a kernel did on one processor in one call: counted exactly, whatever it took, so that the time of other sizes
 * and of kernels that never ran can be told from it. All 0: not known. */
#ifndef BMF_TRACE_KERNEL_WORK_H
#define BMF_TRACE_KERNEL_WORK_H

#include <stdint.h>

typedef struct bmf_kernel_work {
    uint64_t code;         /* a hash of what it computes, the same wherever it stands in a program; 0: not known */
    int64_t operations;    /* of its code: an addition is 1, a division more; a copied element is 1 */
    int64_t read, written; /* bytes, one behind the other in memory */
    int64_t random;        /* words read from anywhere in the footprint */
    int64_t footprint;     /* bytes of different memory; 0: all that is read and written */
    int64_t fresh;         /* bytes of memory new to the process, which it touches first */
    int64_t inner, lists;  /* elements of inner lists, and how many of these there are */
    int64_t rounds;        /* of loops, over all elements that went round */
} bmf_kernel_work;

/* What a kernel does is known, beside the number of its elements. */
static inline int kernel_work_is_known(const bmf_kernel_work *work)
{
    return work->operations > 0 || work->read > 0 || work->written > 0 || work->random > 0;
}

/* Bytes between the kernel and memory, if no cache keeps any; and of different memory. */
static inline double kernel_work_moved(const bmf_kernel_work *work)
{
    return (double)work->read + (double)work->written;
}

static inline double kernel_work_footprint(const bmf_kernel_work *work)
{
    return work->footprint > 0 ? (double)work->footprint : kernel_work_moved(work);
}

/* Adds `times` of what is done for one element. */
static inline void kernel_work_add(bmf_kernel_work *sum, const bmf_kernel_work *each, int64_t times)
{
    sum->code = each->code ? each->code : sum->code;
    sum->operations += times * each->operations;
    sum->read += times * each->read;
    sum->written += times * each->written;
    sum->random += times * each->random;
    sum->footprint += times * each->footprint;
    sum->fresh += times * each->fresh;
    sum->inner += times * each->inner;
    sum->lists += times * each->lists;
    sum->rounds += times * each->rounds;
}

#endif
