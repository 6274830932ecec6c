/* Why a kernel takes as long as it does: its operations, what it moves at its footprint, and memory that is new.
 *
 *     t = start + list * lists + ((operation * operations)^m + (share * traffic)^m)^(1/m) + first * touching
 *         + fault * faulting
 *
 * traffic is what the machine's memory needs for the bytes that are read and written and for the words read at random,
 * at the footprint of the kernel, with p cores at once; touching what it needs to touch fresh memory first, where that
 * comes in huge pages, faulting where it comes in small ones: the former may be there before the kernel begins. m says
 * how far computing and moving overlap: 1 not at all, many fully (the larger of the two). Coefficients are never below
 * zero. Sizes that were learnt on one side of a cache cannot tell all forms apart, so several (m, share) are kept, each
 * with its probability; a prediction is their mean, and what they disagree by belongs to its error.
 *
 * Source: the roofline of Williams, Waterman and Patterson, Communications of the ACM 52 (2009), for the larger of the
 * two; Hoeting and others, "Bayesian model averaging", Statistical Science 14 (1999).
 */
#ifndef BMF_MECHANISM_H
#define BMF_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "predict/sheet/memory_curve.h"
#include "runtime/trace/kernel_work.h"

enum { BMF_MECHANISM_FORMS = 12 };

typedef struct bmf_mechanism_form {
    double weight;         /* probability; all add up to 1 */
    double overlap, share; /* m and share above */
    double start, operation, list, first, fault;
} bmf_mechanism_form;

typedef struct bmf_mechanism {
    uint64_t code;         /* what it computes; 0: not known */
    int32_t p_low, p_high; /* ranks at once that were traced */
    int32_t threads;       /* of a rank */
    double low, high;      /* footprints that were traced, bytes */
    double noise, freedom; /* standard deviation of one time relative to the mean, and its degrees of freedom */
    double misfit;         /* root mean square of prediction / typical time - 1 */
    int forms;
    bmf_mechanism_form form[BMF_MECHANISM_FORMS];
} bmf_mechanism;

/* One time of a kernel. */
typedef struct bmf_mechanism_time {
    bmf_kernel_work work;
    int32_t p, threads;
    double seconds;
} bmf_mechanism_time;

/* What a kernel needs of the memory: see above. */
typedef struct bmf_mechanism_needs {
    double operations, lists, traffic, touching, faulting, footprint;
} bmf_mechanism_needs;
void mechanism_needs(const bmf_memory *memory, const bmf_kernel_work *work, double p, double threads,
                     bmf_mechanism_needs *needs);

/* Fits times of one kernel. False if there is too little to tell: fewer than 3 sizes, or work that is not known. */
bool mechanism_fit(const bmf_memory *memory, int64_t count, const bmf_mechanism_time *time, bmf_mechanism *mechanism);

typedef struct bmf_mechanism_estimate {
    double mean;          /* seconds, >= 0 */
    double form_variance; /* what the forms disagree by */
    double noise_variance;
    bool inside; /* the footprint is within those that were traced */
} bmf_mechanism_estimate;
/* known: NULL, or work of which the time is known: then the mean is how many times as long this work takes. Forms that
 * agree where times were learnt and not beyond show in that ratio. */
void mechanism_evaluate(const bmf_mechanism *mechanism, const bmf_memory *memory, double p, const bmf_kernel_work *work,
                        const bmf_kernel_work *known, bmf_mechanism_estimate *estimate);

/* A kernel that was never traced: operations cost what they cost in the others (their median, and its spread), and
 * traffic what the memory needs. False if there are none to learn from. */
bool mechanism_guess(int64_t count, const bmf_mechanism *const *others, bmf_mechanism *mechanism);

#endif
