/* All computing of a run, for samples that draw its times together (chances_draw).
 *
 * Memory: 16 bytes a stored action. Not thread-safe while it is made.
 */
#ifndef BMF_COMPUTATIONS_H
#define BMF_COMPUTATIONS_H

#include "predict/model/actions.h"

/* A stored action that computes. */
typedef struct bmf_computation {
    double seconds; /* expected */
    int32_t kind, processor;
} bmf_computation;

/* What calls have the same errors. */
typedef struct bmf_computation_kind {
    float shared, own;
    uint8_t equation;
} bmf_computation_kind;

typedef struct bmf_computations {
    bmf_computation *of;        /* by stored action */
    bmf_computation_kind *kind; /* the different ones */
    int64_t kinds, kind_capacity;
} bmf_computations;

/* What the times of a kind are multiplied with in a sample: all by this, and each by a factor of its own with this
 * deviation of its logarithm. noisy: some have one; near: none is so large that factors leave what is exponentiated
 * fast. */
typedef struct bmf_computation_factors {
    double *common, *deviation; /* by kind */
    bool noisy, near;
} bmf_computation_factors;

/* That many are drawn together, at most: their numbers stay in the cache. */
enum { BMF_COMPUTATION_BLOCK = 256 };

void computations_open(bmf_computations *all, const bmf_actions *actions);
void computations_close(bmf_computations *all);

#endif
